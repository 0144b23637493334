"""Extensions that tests write to files: a pass that leaves a mark on the module."""

from pathlib import Path

TEXT = """
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from tileir_xdsl.extensions import Extension, PlacedPass


@dataclass(frozen=True)
class Mark(ModulePass):
    name = "{pass_name}"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes["mark"] = StringAttr("{mark}")


EXTENSION = Extension("{name}", passes=(PlacedPass(Mark, level="{level}", {place}),))
"""


def marking(
    folder: Path,
    mark: str = "one",
    *,
    name: str = "marking",
    pass_name: str = "mark",
    level: str = "nv_tileas",
    place: str = 'after="tileas-canonicalize"',
) -> str:
    """A file with an extension whose pass writes a mark on the module; returns its path."""
    file = folder / f"{name}.py"
    text = TEXT.format(mark=mark, name=name, pass_name=pass_name, level=level, place=place)
    file.write_text(text, encoding="utf-8")
    return str(file)
