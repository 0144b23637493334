"""Element types by name, tile types, and random elements as numpy arrays and constants."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
)
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.dialects.cuda_tile import DenseConstantAttr, PointerType, TileType
from tileir_xdsl.dialects.cuda_tile.stored_elements import E5M3_NUMBERS, NUMPY_DTYPES
from tileir_xdsl.dialects.cuda_tile.types import (
    INTEGERS,
    STANDARD_FLOATS,
    Float8E5M3FNUType,
    element_name,
    element_storage_bits,
)

Array: TypeAlias = NDArray[Any]
Shape: TypeAlias = tuple[int, ...]

ELEMENT_TYPES: dict[str, Attribute] = {
    **{f"i{width}": IntegerType(width) for width in (1, 4, 8, 16, 32, 64)},
    "f16": Float16Type(),
    "bf16": BFloat16Type(),
    "f32": Float32Type(),
    "f64": Float64Type(),
    "tf32": FloatTF32Type(),
    "f8E4M3FN": Float8E4M3FNType(),
    "f8E5M2": Float8E5M2Type(),
    "f8E8M0FNU": Float8E8M0FNUType(),
    "f4E2M1FN": Float4E2M1FNType(),
    "fnv8E5M3FNU": Float8E5M3FNUType(),
}
"""The numeric element types of random programs."""

NARROW_FLOATS = ("tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "fnv8E5M3FNU")
"""Float types that only conversions, shape operations and dots support."""

FLOATS = (*STANDARD_FLOATS, *NARROW_FLOATS)

MEMORY_ELEMENTS = tuple(name for name in ELEMENT_TYPES if name not in ("i4", "f4E2M1FN"))
"""Element types of arrays: all that occupy whole bytes."""

WIDE_INTEGERS = ("i8", "i16", "i32", "i64")

FINITE_RANGES: dict[str, tuple[float, float]] = {
    "f16": (-1000.0, 1000.0),
    "bf16": (-1000.0, 1000.0),
    "f32": (-1000.0, 1000.0),
    "f64": (-1000.0, 1000.0),
    "tf32": (-1000.0, 1000.0),
    "f8E4M3FN": (-200.0, 200.0),
    "f8E5M2": (-1000.0, 1000.0),
    "f8E8M0FNU": (0.0625, 16.0),
    "f4E2M1FN": (-6.0, 6.0),
    "fnv8E5M3FNU": (0.0, 1000.0),
}
"""Bounds, inside a float type's range, for random numbers of the type, by its name."""


def is_float(element: str) -> bool:
    """Whether the element type of this name is a floating-point type."""
    return element in FLOATS


def width(element: str) -> int:
    """The bits of an integer type."""
    return int(element[1:])


def integer_limits(element: str, signed: bool) -> tuple[int, int]:
    """The smallest and the largest value of an integer type."""
    bits = width(element)
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def memory_bytes(element: str) -> int:
    """The bytes of one array element; an i1 occupies one."""
    return max(1, element_storage_bits(ELEMENT_TYPES[element]) // 8)


@cache
def tile(element: str, shape: Shape = ()) -> TileType:
    """A tile type with a numeric element type."""
    return TileType(shape, ELEMENT_TYPES[element])


@cache
def pointer_tile(element: str, shape: Shape = ()) -> TileType:
    """A tile type of pointers to numbers."""
    return TileType(shape, PointerType(ELEMENT_TYPES[element]))


def is_legal(element: str, shape: Shape) -> bool:
    """Whether a tile may have this shape: an f4E2M1FN tile needs an even number of elements."""
    return element != "f4E2M1FN" or math.prod(shape) % 2 == 0


def type_of(value: SSAValue) -> TileType:
    """The type of a value that is a tile."""
    assert isinstance(value.type, TileType)
    return value.type


def shape_of(value: SSAValue) -> Shape:
    """The shape of a tile."""
    return type_of(value).get_shape()


def element_of(value: SSAValue) -> str:
    """The name of the element type of a tile of numbers."""
    return element_name(type_of(value).element_type) or ""


def stored(element: str, numbers: Array) -> Array:
    """Numbers of a float type as NumPy arrays store them: fnv8E5M3FNU as integer codes."""
    if element == "fnv8E5M3FNU":
        return np.searchsorted(E5M3_NUMBERS, numbers).astype(np.uint8)
    return numbers.astype(np.float32).astype(NUMPY_DTYPES[element])


def random_elements(element: str, count: int, rng: np.random.Generator) -> Array:
    """Random elements of all kinds: around 1, or all around 0, zeros, infinities, NaN."""
    if element == "fnv8E5M3FNU":
        return rng.integers(0, 256, count, np.uint8)
    dtype = NUMPY_DTYPES[element]
    if element == "i1":
        return rng.integers(0, 2, count).astype(np.bool_)
    if element in INTEGERS:
        small = rng.integers(-9, 10, count)
        large = rng.integers(-(2**63), 2**63, count)
        return np.where(rng.random(count) < 0.5, small, large).astype(dtype)
    if element == "f8E8M0FNU":
        return np.exp2(rng.integers(-8, 9, count)).astype(np.float32).astype(dtype)
    numbers = rng.standard_normal(count) * np.exp2(rng.integers(-3, 4, count))
    numbers = np.where(rng.random(count) < 0.3, np.round(numbers), numbers)
    if rng.random() < 0.2:
        numbers = numbers * _MIN_NORMALS.get(element, 1.0)
    if element == "f4E2M1FN":
        return np.clip(numbers, -6, 6).astype(np.float32).astype(dtype)
    special = _SPECIAL_FLOATS[rng.integers(0, len(_SPECIAL_FLOATS), count)]
    if element == "f8E4M3FN":
        special = np.where(np.abs(special) > 1, np.nan, special)
    numbers = np.where(rng.random(count) < 0.1, special, numbers)
    if element == "f64":
        return numbers
    single = numbers.astype(np.float32)
    if element == "tf32":
        return (single.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return single.astype(dtype)


_MIN_NORMALS = {
    "f16": 2.0**-14,
    "bf16": 2.0**-126,
    "f32": 2.0**-126,
    "f64": 2.0**-1022,
    "tf32": 2.0**-126,
    "f8E4M3FN": 2.0**-6,
    "f8E5M2": 2.0**-14,
}
"""The smallest normal numbers, around which random arrays also have subnormal numbers."""

_SPECIAL_FLOATS = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 2.0**-24, 1e-40])


def dense_constant(element: str, shape: Shape, values: Array) -> DenseConstantAttr:
    """A constant with the elements `values`, in row-major order."""
    data = values.tobytes()
    if element == "tf32":
        # The 19 significant bits, in three bytes.
        significant = values.view(np.uint32) >> np.uint32(13)
        data = significant.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    return DenseConstantAttr(tile(element, shape), data)
