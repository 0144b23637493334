"""An extension for `extension.mlir`: a pass that marks the module."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from tileir_xdsl.extensions import Extension, PlacedPass


@dataclass(frozen=True)
class MarkPass(ModulePass):
    """Writes an attribute on the module."""

    name = "mark"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes["marked"] = UnitAttr()


EXTENSION = Extension("marking", passes=(PlacedPass(MarkPass, "nv_tileaa", after="canonicalize"),))
