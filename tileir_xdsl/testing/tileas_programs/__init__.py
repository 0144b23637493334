"""Random `nv_tileas` programs, and the check that passes preserve their results."""

from tileir_xdsl.testing.tileas_programs.generator import generate

__all__ = ["generate"]
