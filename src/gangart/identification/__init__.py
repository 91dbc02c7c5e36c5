"""Which parameters make the model true?"""

from gangart.identification.worn import Candidate, Range, as_toml, search, spread

__all__ = ["Candidate", "Range", "as_toml", "search", "spread"]
