"""The lit tests of the dialect as data: texts that are right, and texts that are not."""

import re
from pathlib import Path

from tests.unit.tools import REPOSITORY

FILECHECK = REPOSITORY / "tests" / "filecheck" / "dialects" / "nv_tileaa"

VALID = {path.stem: path for path in sorted(FILECHECK.glob("ops_*.mlir"))}
"""The files that show every op, by name."""

INVALID = {path.stem: path for path in sorted(FILECHECK.glob("invalid_*.mlir"))}
"""The files that break every rule, by name."""


def text(path: Path) -> str:
    """A file without comment lines."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("//"))


def broken_rules(path: Path) -> list[tuple[str, str]]:
    """The chunks of an `invalid_*` file: the diagnostic that is expected, and the text."""
    chunks = path.read_text(encoding="utf-8").split("// -----")
    return [(re.findall(r"// CHECK: (.*)", chunk)[0], chunk) for chunk in chunks]
