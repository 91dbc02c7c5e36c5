"""The one error root: what a user can get wrong, said in a sentence that names the value, the rule and the way out."""

from collections.abc import Iterable


class GangartError(Exception):
    """Anything that gangart refuses; the command line prints its text and exits with code 2."""

    def __str__(self) -> str:  # KeyError would print the repr of its argument
        return str(self.args[0]) if self.args else type(self).__name__


class UnknownName(GangartError, KeyError):
    """A name (robot, ZMP reference, joint ...) that does not exist."""


class BadValue(GangartError, ValueError):
    """A value outside its rule: not finite, negative, of the wrong shape."""


class BadRobot(GangartError, ValueError):
    """A robot file that contradicts itself or its model."""


class BadRecording(GangartError, ValueError):
    """A recording that cannot be read."""


class MissingFile(GangartError, FileNotFoundError):
    """A file that is not there."""


class Unreachable(GangartError, ValueError):
    """A foot or centre-of-mass target that the legs cannot take."""


class MissingTool(GangartError, RuntimeError):
    """Something outside Python that this machine lacks, with what to install."""


def suggest(name: str, known: Iterable[str]) -> str:
    """The tail of an unknown-name message: the nearest name that exists, or all of them where none is near."""
    from difflib import get_close_matches

    folded = {k.casefold(): k for k in sorted(known)}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return f"did you mean '{folded[near[0]]}'?" if near else f"known: {', '.join(folded.values()) or 'none'}"


def choose(kind: str, name: str, known: Iterable[str]) -> str:
    """Return `name` if it is known, or raise UnknownName with the names that are."""
    known = list(known)
    if name not in known:
        raise UnknownName(f"no {kind} '{name}'; {suggest(name, known)}")
    return name
