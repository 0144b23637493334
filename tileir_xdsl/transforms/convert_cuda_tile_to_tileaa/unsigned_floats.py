"""Converts `fnv8E5M3FNU`, which lower levels lack as a type, to integer codes.

Only conversions, prints and scaled MMAs read the type's numbers; all other ops move codes.
"""

from dataclasses import dataclass, field

from xdsl.dialects.builtin import bf16, f32, i8
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.arith import SIToFPOp, UIToFPOp
from tileir_xdsl.dialects.cuda_tile.types import Float8E5M3FNUType
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape, tile_type

CODE = i8
"""The integer type of the codes."""

NAN = 0xFF
"""The code of NaN; without saturation, infinities convert to it."""


def is_unsigned_float(type: Attribute) -> bool:
    """Whether a `cuda_tile` tile or element type has this element type."""
    element = getattr(type, "element_type", type)
    return isinstance(element, Float8E5M3FNUType)


@dataclass
class Steps:
    """A sequence of new ops on tiles of one shape."""

    ops: list[Operation] = field(default_factory=list[Operation])

    def add(self, op: Operation) -> SSAValue:
        """Appends an op and returns its result."""
        self.ops.append(op)
        return op.results[0]

    def numbers(self, codes: SSAValue, element: Attribute = f32) -> SSAValue:
        """Decodes codes exactly to f32 or bf16."""
        type = tile_type(tile_shape(codes.type).shape, element)
        return self.add(nv_tileaa.UE5M3ToFpOp(codes, type))

    def codes(self, floats: SSAValue) -> SSAValue:
        """Encodes the magnitudes of floats, rounded once."""
        type = tile_type(tile_shape(floats.type).shape, CODE)
        return self.add(nv_tileaa.FpToUE5M3Op(floats, type))

    def codes_of_integers(self, integers: SSAValue, *, signed: bool) -> SSAValue:
        """Encodes integers; those that f32 rounds are out of range, and become the largest
        number.
        """
        type = tile_type(tile_shape(integers.type).shape, f32)
        return self.codes(self.add((SIToFPOp if signed else UIToFPOp)(integers, type)))

    def scaled(self, operand: SSAValue, codes: SSAValue, dim: int) -> SSAValue:
        """Multiplies f4E2M1FN by a scale for each block along `dim`, exactly, in bf16."""
        shape, blocks = tile_shape(operand.type).shape, tile_shape(codes.type).shape
        scales = self.numbers(codes, bf16)
        apart = (*blocks[: dim + 1], 1, *blocks[dim + 1 :])
        filled = (*blocks[: dim + 1], shape[dim] // blocks[dim], *blocks[dim + 1 :])
        scales = self.add(nv_tileaa.ViewOp(scales, tile_type(apart, bf16)))
        scales = self.add(nv_tileaa.BroadcastOp(scales, tile_type(filled, bf16)))
        scales = self.add(nv_tileaa.ViewOp(scales, tile_type(shape, bf16)))
        numbers = self.add(nv_tileaa.FpToFpOp(operand, tile_type(shape, bf16)))
        return self.add(nv_tileaa.MulFOp(numbers, scales, RoundingMode.NEAREST_EVEN))
