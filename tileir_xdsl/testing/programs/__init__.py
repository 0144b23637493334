"""Random Tile IR programs, and the check that passes preserve their results."""

from tileir_xdsl.testing.programs.comparison import Disagreement, compare
from tileir_xdsl.testing.programs.generator import generate
from tileir_xdsl.testing.programs.program import Program

__all__ = ["Disagreement", "Program", "compare", "generate"]
