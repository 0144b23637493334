"""Unsigned addition that saturates, as an op of one's own.

A kernel that adds, compares and selects takes three instructions for each element. On sm_120a one
instruction does the same, `add.sat.u32`:

    %s = nv_tileaa.addi %a, %b : tensor<256xi32>
    %o = arith.cmpi ult, %s, %a : tensor<256xi32>
    %r = arith.select %o, %ones, %s : tensor<256xi1>, tensor<256xi32>
    ->
    %r = saturating.add %a, %b : tensor<256xi32>
"""

from typing import Any, ClassVar

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    eq,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import Commutative, Pure
from xdsl.universe import Universe

from tileir_xdsl.analysis.values.uniform_constants import uniform_integer
from tileir_xdsl.dialects.arith import scalar_or_tensor
from tileir_xdsl.dialects.element_interfaces import ElementwiseOpInterface
from tileir_xdsl.dialects.nv_tileaa import AddIOp
from tileir_xdsl.dialects.nvvm.requirements import Requirement
from tileir_xdsl.extensions import (
    EmulatedInstruction,
    Extension,
    ExtensionDialect,
    MadeBy,
    OpParts,
)
from tileir_xdsl.targets import Feature

I32 = scalar_or_tensor(eq(i32))
"""A tile, or the register of a thread."""


@irdl_op_definition
class AddOp(IRDLOperation, ElementwiseOpInterface):
    """The sum of two tiles of unsigned integers, or the largest one where it overflows."""

    name = "saturating.add"

    T: ClassVar = VarConstraint("T", I32)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure(), Commutative())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


def saturated(_op: object, lhs: Any, rhs: Any) -> Any:
    """What the op computes: integers have no sign in the IR, and are signed in numpy."""
    wide = lhs.view(np.uint32).astype(np.uint64) + rhs.view(np.uint32)
    return np.minimum(wide, 2**32 - 1).astype(np.uint32).view(np.int32)


def emulated(lhs: Any, rhs: Any) -> Any:
    """What the instruction computes, in another way: the emulator judges the lowering."""
    total = lhs + rhs
    return np.where(total < lhs, np.uint32(2**32 - 1), total)


class MakeAdd(RewritePattern):
    """`select(a + b < a, -1, a + b)`, where the comparison is unsigned."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.SelectOp, rewriter: PatternRewriter) -> None:
        overflows, total = op.cond.owner, op.rhs.owner
        if (
            isinstance(total, AddIOp)
            and total.result.type == op.result.type
            and isinstance(overflows, arith.CmpiOp)
            and overflows.predicate.value.data == ULT
            and overflows.lhs is total.result
            and overflows.rhs in total.operands
            and uniform_integer(op.lhs) == -1
            and I32.verifies(op.result.type)
        ):
            rewriter.replace(op, AddOp(total.lhs, total.rhs))


ULT = arith.CMPI_COMPARISON_OPERATIONS.index("ult")


SATURATING = Dialect("saturating", [AddOp])

EXTENSION = Extension(
    "saturating_add",
    dialects=(ExtensionDialect(SATURATING, ("nv_tileaa", "nv_tileas", "llvm")),),
    ops=(
        OpParts(
            AddOp,
            meaning=saturated,
            pattern=MadeBy([MakeAdd()], after="convert-cuda-tile-to-tileaa"),
            ptx="add.sat.u32  d, lhs, rhs",
            # Of the targets with a suffix; the road calls what sets these apart by this feature.
            requirement=Requirement(120, (9, 2), Feature.BLOCK_SCALED_MMA),
            emulator=(EmulatedInstruction("add.sat.u32 d, a, b", "u32 <- u32, u32", emulated),),
        ),
    ),
)

UNIVERSE = Universe(all_dialects={"saturating": lambda: SATURATING})
"""For `xdsl-opt`, which reads the text of programs with the op."""
