"""What tests of this repository need besides what `tileir_xdsl.testing` has."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
"""The folder that holds `tileir_xdsl`, `tests` and `bench`."""
