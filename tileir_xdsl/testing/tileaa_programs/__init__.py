"""Random `nv_tileaa` programs, and the check that passes and PTX preserve their results."""

from tileir_xdsl.testing.tileaa_programs.generator import generate

__all__ = ["generate"]
