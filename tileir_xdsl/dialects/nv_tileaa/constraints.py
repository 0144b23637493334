"""Constraints on the types of tiles, and checks that several families of ops share.

A tile is a tensor or, at rank 0, a bare scalar; an encoding of the tensor says where the tile is
stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    AnyFloat,
    AnyFloatConstr,
    IndexType,
    IntegerType,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext, base, eq
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.arith import scalar_or_tensor

from .types import PointerType, tile_shape

INTEGERS = scalar_or_tensor(base(IntegerType))
FLOATS = scalar_or_tensor(AnyFloatConstr)
NUMBERS = scalar_or_tensor(base(IntegerType) | AnyFloatConstr)
BOOLEANS = scalar_or_tensor(eq(i1))
POINTERS = scalar_or_tensor(base(PointerType))
TILES = scalar_or_tensor(base(IntegerType) | AnyFloatConstr | base(IndexType) | base(PointerType))
"""Tiles of any element type; the types that an op allows depend on its other operands."""

ADDRESS_BITS = 64
BYTE_BITS = 8


@dataclass(frozen=True)
class LoweredType(AttrConstraint):
    """Any type except those of `cuda_tile`, whose values are converted at lower levels."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if attr.name.startswith("cuda_tile."):
            raise VerifyException(f"expects a type of a level below cuda_tile, but got {attr}")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint:
        return self


VALUES = LoweredType()
"""Values that regions, functions and pipelines forward: tiles, views, memory objects, tokens."""


def element_type(value: SSAValue) -> Attribute:
    """The element type of a tensor, the type of a scalar."""
    return tile_shape(value.type).element


def bit_width(element: Attribute) -> int:
    """The bits of a number; `i1` has one and `tf32` nineteen.

    Raises `VerifyException` for a type that is not a number.
    """
    match element:
        case IntegerType():
            return element.width.data
        case _ if isinstance(element, AnyFloat):
            return element.bitwidth
        case _:
            raise VerifyException(f"expects integers or floats, but got {element}")


def memory_bits(element: Attribute) -> int:
    """The bits that a number occupies in memory and in registers: 32 for `tf32`, which has 19 bits.

    Raises `VerifyException` for a type that is not a number.
    """
    return 1 << (bit_width(element) - 1).bit_length()


def moved_bits(element: Attribute) -> int:
    """The bits that an element occupies in a register move: at least a byte.

    Raises `VerifyException` for a type that is not a number, pointer or index.
    """
    if isinstance(element, PointerType | IndexType):
        return ADDRESS_BITS
    return max(BYTE_BITS, memory_bits(element))


def verify_same_shape(values: Sequence[SSAValue]) -> None:
    """Raises `VerifyException` unless all values are tiles of one shape."""
    if len({tile_shape(value.type).shape for value in values}) > 1:
        raise VerifyException("requires the same shape for all operands and results")


def verify_axis(axis: int, rank: int) -> None:
    """Raises `VerifyException` unless `axis` is a dimension of a tile of this rank."""
    if not 0 <= axis < rank:
        raise VerifyException(f"expects an axis of at least 0 and below {rank}, but got {axis}")


def verify_inferred(result: Attribute, inferred: Attribute) -> None:
    """Raises `VerifyException` unless `result` is `inferred`, apart from its encoding."""
    if tile_shape(result) != tile_shape(inferred):
        raise VerifyException(f"expects a result of type {inferred}, but got {result}")


def verify_pure_body(op: Operation) -> None:
    """Raises `VerifyException` if an op in the regions of `op` has side effects."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if not is_side_effect_free(inner):
                    raise VerifyException(
                        f"expects ops without side effects in its body, but got '{inner.name}'"
                    )


def rank_of(value: SSAValue) -> int:
    """The rank of a tile, 0 for a scalar."""
    return len(value.type.get_shape()) if isinstance(value.type, TensorType) else 0
