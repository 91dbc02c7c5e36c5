"""What did the theses find, and do we find it too? Published experiments as named, seeded functions with reports."""

from gangart.experiments.registry import EXPERIMENTS, Experiment, run
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Verdict
from gangart.experiments.write import as_json, write

__all__ = [
    "EXPERIMENTS",
    "Column",
    "Experiment",
    "Parameter",
    "Picture",
    "Report",
    "Row",
    "Setting",
    "Table",
    "Verdict",
    "as_json",
    "run",
    "write",
]
