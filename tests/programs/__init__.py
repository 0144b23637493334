"""Random Tile IR programs, and the check that passes keep what they compute."""

from tests.programs.comparison import Disagreement, compare
from tests.programs.generator import generate
from tests.programs.program import Program

__all__ = ["Disagreement", "Program", "compare", "generate"]
