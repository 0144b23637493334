"""Types and attributes by their names: what drafts are made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects.builtin import AnyFloat, ArrayAttr, FloatAttr, IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute

from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.dialects.cuda_tile.enums import enum_to_integer_attr
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.testing.programs.elements import ELEMENT_TYPES

Shape = tuple[int, ...]

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
NARROW = ("tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN")
NUMBERS = (*INTEGERS, *FLOATS, *NARROW)
POINTER = "ptr"
ELEMENTS = (*NUMBERS, "i4", POINTER)
"""Every element type of a tile; pointers stand for pointers to f32."""

RELAXED, WEAK, ACQUIRE, RELEASE, ACQ_REL = (
    enum_to_integer_attr(order)
    for order in (
        MemoryOrdering.RELAXED,
        MemoryOrdering.WEAK,
        MemoryOrdering.ACQUIRE,
        MemoryOrdering.RELEASE,
        MemoryOrdering.ACQ_REL,
    )
)
DEVICE = enum_to_integer_attr(ct.MemoryScope.DEVICE)
TOKEN = ct.TokenType()


@cache
def element(name: str) -> Attribute:
    """The element type of this name; `ptr<E>` and `ptr` are pointers."""
    if name == POINTER:
        return ct.PointerType(ELEMENT_TYPES["f32"])
    if name.startswith("ptr<"):
        return ct.PointerType(element(name[4:-1]))
    return ELEMENT_TYPES[name]


@cache
def tile(name: str, shape: Shape = ()) -> ct.TileType:
    """A tile type."""
    return ct.TileType(shape, element(name))


@cache
def tensor(name: str, shape: Shape, strides: Shape | None = None) -> ct.TensorViewType:
    """The type of a row-major tensor, or of one with the given strides."""
    if strides is None:
        strides = tuple(_size(shape[dim + 1 :]) for dim in range(len(shape)))
    return ct.TensorViewType(shape, element(name), strides)


def _size(shape: Sequence[int]) -> int:
    size = 1
    for each in shape:
        size *= each
    return size


def partition(
    name: str, shape: Shape = (8, 16), tensor_shape: Shape = (64, 128)
) -> ct.PartitionViewType:
    """The type of a partition of a row-major tensor."""
    return ct.PartitionViewType(shape, tensor(name, tensor_shape[: len(shape)]))


def number(name: str, value: float) -> Attribute:
    """An attribute with the number, such as an identity."""
    type_ = element(name)
    if isinstance(type_, IntegerType):
        return IntegerAttr(int(value), type_)
    assert isinstance(type_, AnyFloat)
    return FloatAttr(float(value), type_)


def identities(*names: str) -> Attribute:
    """Zeros as the identities of reductions."""
    return ArrayAttr([number(name, 0) for name in names])


def constant(name: str, shape: Shape = (), value: float = 1) -> ct.DenseConstantAttr:
    """A constant with equal elements."""
    return ct.DenseConstantAttr.splat(tile(name, shape), value)


def index(value: int) -> IntegerAttr[IntegerType]:
    """A number as a property."""
    return IntegerAttr(value, i32)


def unchecked(type_: Attribute, **changed: Attribute) -> Attribute:
    """The type with other parameters, which need not be legal ones."""
    other = object.__new__(type(type_))
    for name, value in vars(type_).items():
        object.__setattr__(other, name, changed.get(name, value))
    return other
