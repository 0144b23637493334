"""What partial results start from: the identities of a reduction or a scan."""

from collections.abc import Mapping
from math import inf

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

FLOAT_ELEMENTS: Mapping[type[Operation], float] = {
    arith.AddfOp: 0.0,
    arith.MaximumfOp: -inf,
    arith.MaxnumfOp: -inf,
    arith.MinimumfOp: inf,
    arith.MinnumfOp: inf,
    arith.MulfOp: 1.0,
    nv_tileaa.AddFOp: 0.0,
    nv_tileaa.MaxFOp: -inf,
    nv_tileaa.MinFOp: inf,
    nv_tileaa.MulFOp: 1.0,
}


def _signed_least(width: int) -> int:
    return -(1 << width - 1)


def _signed_most(width: int) -> int:
    return (1 << width - 1) - 1


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
            return _signed_least(width)
        case arith.MinSIOp():
            return _signed_most(width)
        case _:
            return None


def identities(op: CollectiveOp) -> tuple[Attribute, ...] | None:
    """The identity of each operand, as stated or as the single op of the body implies it."""
    if op.identities is not None:
        return tuple(op.identities)
    inner = op.body.block.first_op
    if inner is None or len(op.inputs) != 1 or inner.next_op is not op.body.block.last_op:
        return None
    element = tile_shape(op.inputs[0].type).element
    if isinstance(element, AnyFloat):
        value = FLOAT_ELEMENTS.get(type(inner))
        return None if value is None else (FloatAttr(value, element),)
    if isinstance(element, IntegerType):
        number = integer_element(inner, element.width.data)
        if number is not None:
            if element.width.data == 1:
                number = abs(number)
            return (IntegerAttr(number, element),)
    return None
