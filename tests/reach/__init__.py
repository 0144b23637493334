"""Which test files run which files of `tileir_xdsl`, and what they cost.

`python -m tests.reach measure` stores that in `reach.json`, `python -m tests.reach select [FILE ..]`
prints the test files that `make quick` runs.
"""

from .map import ReachError, ReachMap, TestFile
from .selection import Selection, select_cover, select_for

__all__ = [
    "ReachError",
    "ReachMap",
    "Selection",
    "TestFile",
    "select_cover",
    "select_for",
]
