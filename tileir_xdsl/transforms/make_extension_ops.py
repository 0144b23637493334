"""Passes that rewrite ops of a kernel to the ops of extensions.

    %s = nv_tileaa.addi %a, %b : tensor<256xi32>
    %c = arith.cmpi ult, %s, %a : tensor<256xi32>
    %r = arith.select %c, %ones, %s : ..
    // becomes, by the pattern of an extension
    %r = saturating.add %a, %b : tensor<256xi32>

An extension defines the patterns (`MadeBy`). Each op with patterns has a dedicated pass, which the
extension places as any of its passes. `canonicalize` erases ops without users later.
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
    """Applies the patterns that make one op of an extension, if the target has its instruction."""

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
