"""Initial values of partial results: the identities of a reduction or a scan."""

from math import inf, nan

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape


def float_element(op: Operation) -> float | None:
    """The neutral element of an op on floats, which preserves the sign of zeros, and NaN."""
    match op:
        case nv_tileaa.AddFOp() if op.rounding_mode.data is RoundingMode.NEGATIVE_INF:
            # Rounded down, 0.0 + -0.0 is -0.0.
            return 0.0
        case arith.AddfOp() | nv_tileaa.AddFOp():
            return -0.0
        case arith.MulfOp() | nv_tileaa.MulFOp():
            return 1.0
        case arith.MaximumfOp():
            return -inf
        case arith.MinimumfOp():
            return inf
        case nv_tileaa.MaxFOp() if op.propagate_nan is not None:
            return -inf
        case nv_tileaa.MinFOp() if op.propagate_nan is not None:
            return inf
        # Of a number and NaN they give the number: the extreme of NaN alone is NaN.
        case arith.MaxnumfOp() | arith.MinnumfOp() | nv_tileaa.MaxFOp() | nv_tileaa.MinFOp():
            return nan
        case _:
            return None


def integer_element(op: Operation, width: int) -> int | None:
    """The neutral element of an op on integers of some bits."""
    match op:
        case arith.AddiOp() | nv_tileaa.AddIOp() | arith.OrIOp() | arith.XOrIOp() | arith.MaxUIOp():
            return 0
        case arith.MuliOp():
            return 1
        case arith.AndIOp() | arith.MinUIOp():
            return -1
        case arith.MaxSIOp():
            return -(1 << width - 1)
        case arith.MinSIOp():
            return (1 << width - 1) - 1
        case _:
            return None


def identities(op: CollectiveOp) -> tuple[Attribute, ...] | None:
    """The identity of each operand, from the op's attribute or from the single op of its body."""
    if op.identities is not None:
        return tuple(op.identities)
    block = op.body.block
    inner, end = block.first_op, block.last_op
    if inner is None or end is None or len(op.inputs) != 1 or inner.next_op is not end:
        return None
    # One op may combine nothing: `addf %x, %x`, or one whose result is not what is given.
    if {*inner.operands} != {*block.args} or [*end.operands] != [*inner.results]:
        return None
    element = tile_shape(op.inputs[0].type).element
    if isinstance(element, AnyFloat):
        value = float_element(inner)
        return None if value is None else (FloatAttr(value, element),)
    if isinstance(element, IntegerType):
        number = integer_element(inner, element.width.data)
        if number is not None:
            if element.width.data == 1:
                number = abs(number)
            return (IntegerAttr(number, element),)
    return None
