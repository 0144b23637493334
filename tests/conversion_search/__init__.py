"""Are there fewer conversions of layouts? Random kernels, and a search that tries all choices.

`python -m tests.conversion_search` prints the table for the zoo and for random kernels.
"""

from .graphs import LENGTH, OUTPUTS, random_graph
from .search import MOST_CONVERSIONS, SearchTooLong, fewest_conversions, register_conversions
from .zoo import Outcome, assigned_kernel, outcome_of

__all__ = [
    "LENGTH",
    "MOST_CONVERSIONS",
    "OUTPUTS",
    "Outcome",
    "SearchTooLong",
    "assigned_kernel",
    "fewest_conversions",
    "outcome_of",
    "random_graph",
    "register_conversions",
]
