"""`fnv8E5M3FNU`, which no lower level has: its codes are integers, its conversions arithmetic.

Only conversions, prints and scaled MMAs ask for its numbers; all else moves codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    bf16,
    f32,
    f64,
    i8,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.arith import (
    CmpFOp,
    CmpIOp,
    ExtUIOp,
    SelectOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from tileir_xdsl.dialects.cuda_tile.float_formats import FORMATS, decode
from tileir_xdsl.dialects.cuda_tile.types import Float8E5M3FNUType
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape, tile_type

FORMAT = FORMATS["fnv8E5M3FNU"]
CODE = i8
"""The type of the codes."""

_DROPPED = 23 - FORMAT.mantissa_bits
_SMALLEST_NORMAL = 2.0 ** (1 - FORMAT.bias)
_REBIAS = 127 - FORMAT.bias
NAN = 0xFF
"""The code of NaN, which infinities become where numbers are not saturated."""


def is_unsigned_float(type: Attribute) -> bool:
    """Whether the elements of a `cuda_tile` tile, or a type of elements, are of this type."""
    element = getattr(type, "element_type", type)
    return isinstance(element, Float8E5M3FNUType)


@dataclass
class Steps:
    """Ops in the order in which they compute, on tiles of one shape."""

    ops: list[Operation] = field(default_factory=list[Operation])

    def add(self, op: Operation) -> SSAValue:
        """The result of one more op."""
        self.ops.append(op)
        return op.results[0]

    def constant(self, number: float, element: Attribute, shape: Sequence[int]) -> SSAValue:
        """A tile of equal numbers."""
        if isinstance(element, IntegerType):
            attribute = IntegerAttr(int(number), element, truncate_bits=True)
        else:
            assert isinstance(element, AnyFloat)
            attribute = FloatAttr(number, element)
        scalar = self.add(arith.ConstantOp(attribute))
        return self.add(nv_tileaa.SplatOp(scalar, tile_type(shape, element))) if shape else scalar

    def numbers(self, codes: SSAValue) -> SSAValue:
        """Codes as f32: the digits in place, then the bias by a multiplication."""
        shape = tile_shape(codes.type).shape
        words = self.add(ExtUIOp(codes, tile_type(shape, i32)))
        shift = self.constant(_DROPPED, i32, shape)
        bits = self.add(arith.ShLIOp(words, shift))
        scaled = self._multiplied(self._as_float(bits), 2.0**_REBIAS)
        is_nan = self.add(CmpIOp(words, self.constant(NAN, i32, shape), "eq"))
        nan = self._as_float(self.constant(0x7FFFFFFF, i32, shape))
        return self.add(SelectOp(is_nan, nan, scaled))

    def codes(self, numbers: SSAValue) -> SSAValue:
        """f32 as codes, to nearest even: 0 for what is negative, the largest for what is larger."""
        shape = tile_shape(numbers.type).shape

        def word(number: int) -> SSAValue:
            return self.constant(number, i32, shape)

        def single(number: float) -> SSAValue:
            return self.constant(number, f32, shape)

        largest = single(decode(FORMAT.largest, FORMAT))
        is_larger = self.add(CmpFOp(numbers, largest, "ogt"))
        value = self.add(SelectOp(is_larger, largest, numbers))
        zero = single(0.0)
        is_positive = self.add(CmpFOp(value, zero, "ogt"))
        value = self.add(SelectOp(is_positive, value, zero))
        bits = self._bits(value)
        # Normal numbers: round off the last digits, then change the bias.
        last = self.add(arith.ShRUIOp(bits, word(_DROPPED)))
        last = self.add(arith.AndIOp(last, word(1)))
        half = self.add(arith.AddiOp(last, word((1 << (_DROPPED - 1)) - 1)))
        rounded = self.add(arith.ShRUIOp(self.add(arith.AddiOp(bits, half)), word(_DROPPED)))
        normal = self.add(arith.SubiOp(rounded, word(_REBIAS << FORMAT.mantissa_bits)))
        # Subnormal numbers: a sum whose last digit is the smallest number of the format.
        anchor = single(_SMALLEST_NORMAL * 2.0**_DROPPED)
        mode = RoundingMode.NEAREST_EVEN
        anchored = self._bits(self.add(nv_tileaa.AddFOp(value, anchor, mode)))
        subnormal = self.add(arith.SubiOp(anchored, self._bits(anchor)))
        is_subnormal = self.add(CmpFOp(value, single(_SMALLEST_NORMAL), "olt"))
        code = self.add(SelectOp(is_subnormal, subnormal, normal))
        is_nan = self.add(CmpFOp(numbers, numbers, "uno"))
        code = self.add(SelectOp(is_nan, word(NAN), code))
        return self.add(TruncIOp(code, tile_type(shape, CODE)))

    def singles(self, floats: SSAValue) -> SSAValue:
        """Floats of any type as f32 that rounds as they do: an f64 is rounded to odd."""
        shape, element = tile_shape(floats.type).shape, tile_shape(floats.type).element
        if element == f32:
            return floats
        type = tile_type(shape, f32)
        if not isinstance(element, Float64Type):
            return self.add(nv_tileaa.FpToFpOp(floats, type))
        toward_zero = self.add(nv_tileaa.FpToFpOp(floats, type, RoundingMode.ZERO))
        back = self.add(nv_tileaa.FpToFpOp(toward_zero, tile_type(shape, f64)))
        is_inexact = self.add(CmpFOp(back, floats, "one"))
        last = self.add(ExtUIOp(is_inexact, tile_type(shape, i32)))
        return self._as_float(self.add(arith.OrIOp(self._bits(toward_zero), last)))

    def singles_of_integers(self, integers: SSAValue, *, signed: bool) -> SSAValue:
        """Integers as f32, exactly; one beyond the format becomes some number beyond it."""
        shape, element = tile_shape(integers.type).shape, tile_shape(integers.type).element
        assert isinstance(element, IntegerType)
        if element.width.data > 16:
            if signed:
                zero = self.constant(0, element, shape)
                integers = self.add(arith.MaxSIOp(integers, zero))
            beyond = self.constant(1 << 17, element, shape)
            integers = self.add(arith.MinUIOp(integers, beyond))
        return self.add((SIToFPOp if signed else UIToFPOp)(integers, tile_type(shape, f32)))

    def scaled(self, operand: SSAValue, codes: SSAValue, dim: int) -> SSAValue:
        """f4E2M1FN times a scale for each block along `dim`, exactly, as bf16."""
        shape, blocks = tile_shape(operand.type).shape, tile_shape(codes.type).shape
        scales = self.add(nv_tileaa.FpToFpOp(self.numbers(codes), tile_type(blocks, bf16)))
        apart = (*blocks[: dim + 1], 1, *blocks[dim + 1 :])
        filled = (*blocks[: dim + 1], shape[dim] // blocks[dim], *blocks[dim + 1 :])
        scales = self.add(nv_tileaa.ViewOp(scales, tile_type(apart, bf16)))
        scales = self.add(nv_tileaa.BroadcastOp(scales, tile_type(filled, bf16)))
        scales = self.add(nv_tileaa.ViewOp(scales, tile_type(shape, bf16)))
        numbers = self.add(nv_tileaa.FpToFpOp(operand, tile_type(shape, bf16)))
        return self.add(nv_tileaa.MulFOp(numbers, scales, RoundingMode.NEAREST_EVEN))

    def _multiplied(self, value: SSAValue, number: float) -> SSAValue:
        by = self.constant(number, f32, tile_shape(value.type).shape)
        return self.add(nv_tileaa.MulFOp(value, by, RoundingMode.NEAREST_EVEN))

    def _bits(self, single: SSAValue) -> SSAValue:
        return self.add(nv_tileaa.BitcastOp(single, tile_type(tile_shape(single.type).shape, i32)))

    def _as_float(self, word: SSAValue) -> SSAValue:
        return self.add(nv_tileaa.BitcastOp(word, tile_type(tile_shape(word.type).shape, f32)))
