"""Integer ops that `arith` lacks, or that have names of their own in the tile dialects.

Operands and results are tensors of one shape, or scalars. Source: Tile IR specification, section
"Integer".
"""

import operator
from collections.abc import Callable
from typing import ClassVar

from xdsl.dialects.arith import IntegerOverflowAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Commutative, Pure

from tileir_xdsl.dialects.element_interfaces import ElementwiseOpInterface
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition

from .constraints import INTEGERS


class IntegerOp(IRDLOperation, ElementwiseOpInterface):
    """Base of the elementwise ops on two integers of one type."""

    MEANING: ClassVar[Callable[[int, int], int] | None] = None
    """Computes a result element from unsigned elements; bits above the width are discarded. None if
    the width matters: then the interpreters define the function.
    """

    T: ClassVar = VarConstraint("T", INTEGERS)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@irdl_op_definition
class AddIOp(IntegerOp):
    """Integer addition; the overflow flags promise that it does not wrap."""

    name = "nv_tileaa.addi"
    MEANING: ClassVar = operator.add

    overflow_flags = opt_prop_def(IntegerOverflowAttr, prop_name="overflowFlags")

    traits = traits_def(Commutative())
    assembly_format = "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)"

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, overflow_flags: IntegerOverflowAttr | None = None
    ):
        super().__init__(lhs, rhs)
        if overflow_flags is not None:
            self.overflow_flags = overflow_flags


@irdl_op_definition
class MulHiUIOp(IntegerOp):
    """The high half of the product of unsigned integers."""

    name = "nv_tileaa.mulhiui"

    traits = traits_def(Commutative())
