"""Random `nv_tileas` programs, and the check that passes keep what they compute."""

from tileir_xdsl.testing.tileas_programs.generator import generate

__all__ = ["generate"]
