"""The integer that all elements of a tile equal, if it is a constant of the program."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
)
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.element_interfaces import RepeatedElementsOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType


def is_splat(values: DenseIntOrFPElementsAttr) -> bool:
    """Whether all elements have the same bits; 0.0 and -0.0 differ."""
    data, size = values.data.data, values.type.element_type.compile_time_size
    return data == data[:size] * (len(data) // size)


def uniform_integer(value: SSAValue) -> int | None:
    """The signed integer that a scalar, or every element of a tile, equals; None if unknown."""
    while isinstance(value.owner, RepeatedElementsOpInterface):
        value = value.owner.repeated
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as known):
            return known.value.data
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as known):
            first = next(iter(known.iter_attrs()))
            return first.value.data if isinstance(first, IntegerAttr) and is_splat(known) else None
        case nv_tileaa.GetDimSizeOp() as size:
            return _static_size(size)
        case _:
            return None


def _static_size(op: nv_tileaa.GetDimSizeOp) -> int | None:
    type = op.source.type
    assert isinstance(type, MemRefType)
    size = type.get_shape()[op.axis.value.data]
    return None if size == DYNAMIC_INDEX else size
