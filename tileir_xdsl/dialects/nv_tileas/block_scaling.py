"""Block-scaled mma: element types, scales and block sizes that the hardware supports.

Source: the TileAS verifier notes, "Block-Scaled MMA"; PTX ISA, "Block Scaling for mma".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float32Type,
    i8,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.nv_tileaa.types import tile_shape


@dataclass(frozen=True)
class BlockScaling:
    """A supported scaling: K of an instruction, elements along K that share a scale, and types."""

    k: int
    block: int
    inputs: tuple[type[Attribute], ...]
    scales: tuple[type[Attribute], ...]


BLOCK_SCALINGS = (
    BlockScaling(32, 32, (Float8E5M2Type, Float8E4M3FNType), (Float8E8M0FNUType,)),
    BlockScaling(64, 16, (Float4E2M1FNType,), (Float8E8M0FNUType, Float8E4M3FNType)),
    BlockScaling(64, 32, (Float4E2M1FNType,), (Float8E8M0FNUType,)),
)


def are_pairs(a: Attribute, b: Attribute) -> bool:
    """Whether A and B have i8 elements. With scales, each is a pair of f4E2M1FN along K."""
    return _element(a) == _element(b) == i8


def verify_block_scaling(
    a: Attribute, b: Attribute, c: Attribute, scales: Sequence[Attribute]
) -> BlockScaling | None:
    """The scaling that suits the types of an mma; None without scales.

    Args:
        a: the type of A, M x K.
        b: the type of B, K x N.
        c: the type of C, M x N.
        scales: no types, or M x K/block and K/block x N.

    An i8 element is two f4E2M1FN along K, the first in the low half.

    Raises:
        VerifyException: scales are missing, do not fit, or no instruction has them.
    """
    if len(scales) not in (0, 2):
        raise VerifyException("expects both SFA and SFB to be present")
    packing = 2 if scales and are_pairs(a, b) else 1
    inputs = (type(_element(a)), type(_element(b))) if packing == 1 else (Float4E2M1FNType,)
    if not scales:
        if Float4E2M1FNType in inputs:
            raise VerifyException("fp4 mma should expect scaling factors")
        return None
    sfa, sfb = scales
    if _element(sfa) != _element(sfb):
        raise VerifyException("sfa and sfb element type mismatch")
    if not isinstance(_element(c), Float32Type):
        raise VerifyException("expects c type to be Float32")
    blocks = (packing * _block(a, sfa, -1), packing * _block(b, sfb, -2))
    if blocks[0] != blocks[1]:
        raise VerifyException(f"Scale factor vector size mismatch: {blocks[0]}, {blocks[1]}")
    for row in BLOCK_SCALINGS:
        fits = set(inputs) <= set(row.inputs) and type(_element(sfa)) in row.scales
        if fits and row.block == blocks[0]:
            return row
    raise VerifyException("unsupported block-scaled mma configuration")


def _element(tile: Attribute) -> Attribute:
    """The element type of a tile's type."""
    return tile_shape(tile).element


def _block(tile: Attribute, scale: Attribute, dimension: int) -> int:
    """Elements along K that share a scale; 0 if the extents do not fit."""
    extents, scales = tile_shape(tile).shape, tile_shape(scale).shape
    same_rank = len(extents) == len(scales)
    if not same_rank or not scales[dimension] or extents[dimension] % scales[dimension]:
        return 0
    return extents[dimension] // scales[dimension]
