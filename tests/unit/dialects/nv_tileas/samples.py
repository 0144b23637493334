"""The lit tests of the dialect as data: texts that are right, and texts that are not."""

from tests.unit.tools import REPOSITORY

FILECHECK = REPOSITORY / "tests" / "filecheck" / "dialects" / "nv_tileas"

VALID = {path.stem: path for path in sorted(FILECHECK.glob("ops_*.mlir"))}
"""The files that show every op, by name."""

INVALID = {path.stem: path for path in sorted(FILECHECK.glob("invalid_*.mlir"))}
"""The files that break every rule, by name."""
