"""Checks one pass on the zoo and on random programs, at the place where it runs."""

from tileir_xdsl.testing.pass_checks.candidates import Candidate, Place, find_candidates
from tileir_xdsl.testing.pass_checks.checking import Fault, Summary, check_pass
from tileir_xdsl.testing.pass_checks.subjects import Subject, subjects

__all__ = [
    "Candidate",
    "Fault",
    "Place",
    "Subject",
    "Summary",
    "check_pass",
    "find_candidates",
    "subjects",
]
