"""Passes that make the ops of extensions from ops of an unchanged kernel.

    %s = nv_tileaa.addi %a, %b : tensor<256xi32>
    %c = arith.cmpi ult, %s, %a : tensor<256xi32>
    %r = arith.select %c, %ones, %s : ..
    // becomes, by the pattern of an extension
    %r = saturating.add %a, %b : tensor<256xi32>

An extension gives the patterns (`MadeBy`). Each op that has some has a dedicated pass, which is
placed as any pass of an extension. Ops that nobody reads any more are left to `canonicalize`.
"""

from functools import cache
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriterListener,
    PatternRewriteWalker,
)

from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.extension_parts import OpParts

from .canonicalize import KeepLocations


class MakeOpPass(ModulePass):
    """Applies the patterns that make one op, unless the target lacks its instruction."""

    parts: ClassVar[OpParts]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        made, requirement = self.parts.pattern, self.parts.requirement
        assert made is not None
        if requirement is not None and not requirement.is_met_by(target_or_default(op)):
            return
        pattern = KeepLocations(GreedyRewritePatternApplier([*made.patterns], dce_enabled=False))
        listener = PatternRewriterListener(operation_insertion_handler=[pattern.locate])
        PatternRewriteWalker(pattern, listener=listener).rewrite_module(op)


@cache
def make_op_pass(parts: OpParts) -> type[MakeOpPass]:
    """The pass of an op with patterns, called `make-` and the name of the op."""
    name = f"make-{parts.op.name.replace('.', '-').replace('_', '-')}"
    members = {"name": name, "parts": parts, "__module__": parts.op.__module__}
    return type(f"Make{parts.op.__name__}Pass", (MakeOpPass,), members)
