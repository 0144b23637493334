"""Valid Tile IR texts that several tests read: those of the lit tests and of the kernels."""

import re
from pathlib import Path

from tests.unit.tools import REPOSITORY

FILECHECK = REPOSITORY / "tests" / "filecheck" / "dialects" / "cuda_tile"
KERNELS = REPOSITORY / "tileir_xdsl" / "testing" / "kernels"

VALID = {path.stem: path for path in sorted(FILECHECK.glob("ops_*.mlir"))}
"""The lit tests that show every operation, by name."""

EXAMPLES = {
    title: example
    for example in (Path(__file__).parent / "specification_examples.mlir")
    .read_text(encoding="utf-8")
    .split("// -----\n")
    for title in re.findall(r"// (8\.\d+\.\d+ \w+)", example)
}
"""The examples of the Tile IR specification, by section and name."""

KERNEL_FILES = {path.stem: path for path in sorted(KERNELS.glob("*.mlir"))}
"""Kernels that NVIDIA's front end made and NVIDIA's disassembler printed, by name."""


def text(path: Path) -> str:
    """The file without comment lines."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("//"))


def functions() -> list[str]:
    """Every kernel of the lit tests as a module of its own, with the global variables it needs."""
    modules: list[str] = []
    for path in VALID.values():
        items = re.split(r"^  (?=entry )", text(path), flags=re.M)
        head, bodies = items[0], items[1:]
        bodies[-1] = bodies[-1].rsplit("}", 1)[0]
        modules += [f"{head}  {body}}}\n" for body in bodies]
    return modules


def chunks(path: Path) -> list[tuple[str, str]]:
    """The parts of an `invalid_*` file: the message that the check lines expect, and the text."""
    parts = path.read_text(encoding="utf-8").split("// -----")
    return [("\n".join(re.findall(r"// CHECK(?:-NEXT)?: (.*)", part)), part) for part in parts]
