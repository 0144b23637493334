"""Finds, reads and creates constant tiles."""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.nv_tileaa.shapes import SplatOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

Scalar = IntegerAttr | FloatAttr


def constant_of(value: SSAValue) -> Scalar | None:
    """The value of a constant scalar, or of every element of a constant tile."""
    match value.owner:
        case SplatOp() as splat:
            return constant_of(splat.value)
        case arith.ConstantOp(value=IntegerAttr() | FloatAttr() as scalar):
            return scalar
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
            size = dense.get_element_type().compile_time_size
            data = dense.data.data
            # Compared as bytes: NaNs with equal bits are equal, and 0.0 and -0.0 are not.
            if data != data[:size] * (len(data) // size):
                return None
            return next(iter(dense.iter_attrs()), None)
        case _:
            return None


def elements_of(value: SSAValue) -> Sequence[Scalar] | None:
    """The elements of a constant tile in row-major order; a single one for a splat."""
    scalar = constant_of(value)
    if scalar is not None:
        return (scalar,)
    match value.owner:
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
            return dense.get_attrs()
        case _:
            return None


def bits_of(scalar: Scalar) -> int:
    """The bit pattern of a number, as an unsigned integer."""
    type = scalar.type
    if isinstance(scalar, FloatAttr):
        assert isinstance(type, AnyFloat)
        return int.from_bytes(type.pack((scalar.value.data,)), "little")
    assert isinstance(type, IntegerType)
    # xDSL stores integers as signed or unsigned, as they were written.
    return int(scalar.value.data) % (1 << type.width.data)


def is_true(value: SSAValue | None) -> bool:
    """Whether every element of a mask is known to be true."""
    scalar = None if value is None else constant_of(value)
    return scalar is not None and bits_of(scalar) == 1


def is_false(value: SSAValue | None) -> bool:
    """Whether every element of a mask is known to be false."""
    scalar = None if value is None else constant_of(value)
    return scalar is not None and bits_of(scalar) == 0


def zero_of(element: Attribute) -> Scalar | None:
    """The zero of a number type; None for other types."""
    if isinstance(element, IntegerType):
        return IntegerAttr(0, element)
    return FloatAttr(0.0, element) if isinstance(element, AnyFloat) else None


def constant_tile(scalar: Scalar, type: Attribute) -> list[Operation]:
    """Ops that make a tile of this type with equal elements; the last one has the result."""
    constant = arith.ConstantOp(scalar)
    if not tile_shape(type).shape:
        return [constant]
    return [constant, SplatOp(constant.result, type)]
