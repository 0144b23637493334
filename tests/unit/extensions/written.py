"""Extensions that tests write to files: a pass that leaves a number on the module."""

from pathlib import Path

TEXT = """
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.passes import ModulePass

from tileir_xdsl.extensions import Extension, PlacedPass


@dataclass(frozen=True)
class Mark(ModulePass):
    name = "{pass_name}"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes["mark"] = IntegerAttr({mark}, i32)
        for each in op.walk():
            if "nvvm.kernel" in each.attributes:
                each.attributes["nvvm.minctasm"] = IntegerAttr({mark}, i32)


EXTENSION = Extension("{name}", passes=(PlacedPass(Mark, level="{level}", {place}),))
"""


def marking(
    folder: Path,
    mark: int = 2,
    *,
    name: str = "marking",
    pass_name: str = "mark",
    level: str = "nv_tileas",
    place: str = 'after="tileas-canonicalize"',
) -> str:
    """A file with an extension whose pass writes `mark` on the module; returns its path."""
    file = folder / f"{name}.py"
    text = TEXT.format(mark=mark, name=name, pass_name=pass_name, level=level, place=place)
    file.write_text(text, encoding="utf-8")
    return str(file)


def marking_ptx(folder: Path, mark: int) -> str:
    """The same at the end of the road, so that PTX has `.minnctapersm MARK`."""
    return marking(folder, mark, level="llvm", place='after="convert-tileas-to-llvm"')
