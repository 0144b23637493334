"""Represents types of the IR: element types, tile shapes, dense constants."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    FloatTF32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute

from tileir_xdsl.dialects.cuda_tile.types import Float8E5M3FNUType, TileType
from tileir_xdsl.dialects.cuda_tile.types import PointerType as CudaTilePointerType
from tileir_xdsl.dialects.nv_tileaa.elements import ElementsAttr
from tileir_xdsl.dialects.nv_tileaa.types import PointerType as TileAAPointerType
from tileir_xdsl.interpreters.integer_operations import wrap
from tileir_xdsl.interpreters.numerics import (
    ELEMENTS,
    POINTER,
    Array,
    Element,
    FloatFormat,
)

_NAMES: dict[type[Attribute], str] = {
    Float16Type: "f16",
    BFloat16Type: "bf16",
    FloatTF32Type: "tf32",
    Float32Type: "f32",
    Float64Type: "f64",
    Float8E4M3FNType: "f8E4M3FN",
    Float8E5M2Type: "f8E5M2",
    Float8E8M0FNUType: "f8E8M0FNU",
    Float4E2M1FNType: "f4E2M1FN",
    Float8E5M3FNUType: "fnv8E5M3FNU",
    IndexType: "i64",
}


def element_of(type_: Attribute) -> Element:
    """The element type of a tile, tensor or scalar type; `index` counts as `i64`.

    Raises `TypeError` for a type that has no elements.
    """
    if isinstance(type_, TileType | TensorType):
        type_ = type_.element_type
    if isinstance(type_, IntegerType):
        return ELEMENTS[f"i{type_.width.data}"]
    if isinstance(type_, CudaTilePointerType | TileAAPointerType):
        return POINTER
    name = _NAMES.get(type(type_))
    if name is None:
        raise TypeError(f"{type_} is not the type of a tile or of a number")
    return ELEMENTS[name]


def pointee_of(type_: Attribute) -> Element:
    """The element type to which a pointer, or each pointer of a tile, points."""
    if isinstance(type_, TileType | TensorType):
        type_ = type_.element_type
    match type_:
        case CudaTilePointerType():
            return element_of(type_.pointee_type)
        case TileAAPointerType():
            return element_of(type_.pointee)
        case _:
            raise TypeError(f"{type_} is not a pointer type")


def float_format_of(type_: Attribute) -> FloatFormat:
    """The format of the elements of a floating-point type."""
    fmt = element_of(type_).float_format
    if fmt is None:
        raise TypeError(f"{type_} is not a floating-point type")
    return fmt


def shape_of(type_: Attribute) -> tuple[int, ...]:
    """The shape of a tile or tensor type; () for a scalar."""
    return type_.get_shape() if isinstance(type_, TileType | TensorType) else ()


def constant_value(attribute: Attribute, type_: Attribute) -> Array:
    """The value of an integer, float or dense elements attribute as an array of `type_`.

    Raises `TypeError` for any other attribute.
    """
    element, shape = element_of(type_), shape_of(type_)
    match attribute:
        case DenseIntOrFPElementsAttr() | ElementsAttr():
            values = _dense_elements(attribute.data.data, element)
            return np.broadcast_to(values, shape) if values.size == 1 else values.reshape(shape)
        case FloatAttr():
            return np.full(shape, attribute.value.data).astype(element.dtype)
        case IntegerAttr():
            value = int(attribute.value.data)
            if element.dtype == np.bool_:
                return np.full(shape, bool(value & 1))
            bits = np.uint64(value % (1 << 64))
            return np.full(shape, bits).astype(element.dtype)
        case _:
            raise TypeError(f"{attribute} is not a constant value")


def _dense_elements(data: bytes, element: Element) -> Array:
    if element.name == "tf32":
        # Stored as the 19 significant bits in three bytes.
        triples = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.uint32)
        bits = triples[:, 0] | triples[:, 1] << 8 | triples[:, 2] << 16
        return (bits << np.uint32(13)).view(np.float32)
    if element.dtype == np.bool_:
        return np.frombuffer(data, np.uint8) & 1 != 0
    if element.name == "i4":
        return wrap(np.frombuffer(data, np.int8), element.dtype)
    return np.frombuffer(data, element.dtype)
