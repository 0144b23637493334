"""Patterns outside the populators, which other passes install one by one."""

import math

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FloatTF32Type,
    IntegerAttr,
    IntegerType,
    TensorType,
    f32,
)
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.arith import SIToFPOp, UIToFPOp
from tileir_xdsl.dialects.cuda_tile.literals import DenseConstantAttr
from tileir_xdsl.dialects.cuda_tile.types import element_storage_bits
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness, Visibility
from tileir_xdsl.dialects.nv_tileaa.elements import ElementsAttr
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .attributes import convert_predicate, overflow_flags
from .integer import ConvertBySignedness
from .patterns import ConvertOp, Replacement
from .types import convert_element
from .unsigned_floats import Steps, is_unsigned_float


def scalar_attribute(value: float, type: Attribute) -> IntegerAttr | FloatAttr:
    """A number as an attribute of a scalar type."""
    if isinstance(type, IntegerType):
        return IntegerAttr(int(value), type, truncate_bits=True)
    assert isinstance(type, AnyFloat)
    return FloatAttr(value, type)


class ConvertConstant(ConvertOp[cuda_tile.ConstantOp]):
    """Creates a scalar constant, a splat of one, or a constant with dense elements."""

    def convert(self, op: cuda_tile.ConstantOp) -> Replacement | Operation:
        result_type = self.conversion.converter.convert(op.result.type)
        tile = tile_shape(result_type)
        # A splat of one scalar stays readable and needs no memory, however large the tile is.
        if not op.value.is_splat:
            assert isinstance(result_type, TensorType)
            return self._dense(op.value, result_type)
        number = op.value.splat_value
        if is_unsigned_float(op.result.type):
            number = op.value.data.data[0]
        scalar = arith.ConstantOp(scalar_attribute(number, tile.element))
        if not tile.shape:
            return scalar
        return Replacement([scalar, nv_tileaa.SplatOp(scalar.result, result_type)])

    @staticmethod
    def _dense(value: DenseConstantAttr, type: TensorType[Attribute]) -> Replacement | Operation:
        """Creates a dense constant; floats that print inexactly are given by their bits.

        A tf32 element is the upper bits of an f32.
        """
        element, shape = type.element_type, type.get_shape()
        # The parser of dense elements has no word for infinities and NaNs of narrow floats.
        if not isinstance(element, AnyFloat) or _all_finite(value):
            return arith.ConstantOp(DenseIntOrFPElementsAttr.new([type, value.data]))
        array = value.to_numpy()
        bits_type = TensorType(IntegerType(8 * array.itemsize), shape)
        bits = arith.ConstantOp(
            DenseIntOrFPElementsAttr.new([bits_type, BytesAttr(array.tobytes())])
        )
        if not isinstance(element, FloatTF32Type):
            return Replacement([bits, nv_tileaa.BitcastOp(bits.result, type)])
        # A bitcast keeps the width, and tf32 has 19 bits where it is stored in 32.
        wide = nv_tileaa.BitcastOp(bits.result, TensorType(f32, shape))
        return Replacement([bits, wide, nv_tileaa.FpToFpOp(wide.result, type)])


def _all_finite(value: DenseConstantAttr) -> bool:
    return all(map(math.isfinite, value.to_numpy().astype(float).flat))


class ConvertAssume(ConvertOp[cuda_tile.AssumeOp]):
    def convert(self, op: cuda_tile.AssumeOp) -> Operation:
        return nv_tileaa.AssumeOp(self.conversion.value(op.value), convert_predicate(op.predicate))


class ConvertTruncI(ConvertOp[cuda_tile.TruncIOp]):
    def convert(self, op: cuda_tile.TruncIOp) -> Operation:
        return nv_tileaa.TruncIOp(
            self.conversion.value(op.source),
            self.conversion.converter.convert(op.result.type),
            overflow_flags(op.overflow.data),
        )


class ConvertRsqrt(ConvertOp[cuda_tile.RsqrtOp]):
    def convert(self, op: cuda_tile.RsqrtOp) -> Operation:
        return nv_tileaa.RsqrtOp(self.conversion.value(op.source), op.flush_to_zero is not None)


class ConvertIToF(ConvertOp[cuda_tile.IToFOp]):
    """Rounds to nearest even, the only supported mode."""

    def convert(self, op: cuda_tile.IToFOp) -> Replacement | Operation:
        signed = op.signedness.data == Signedness.SIGNED
        conversion = SIToFPOp if signed else UIToFPOp
        source = self.conversion.value(op.source)
        if is_unsigned_float(op.result.type):
            steps = Steps()
            steps.codes_of_integers(source, signed=signed)
            return Replacement(steps.ops)
        return conversion(source, self.conversion.converter.convert(op.result.type))


class ConvertGlobal(ConvertOp[cuda_tile.GlobalOp]):
    def convert(self, op: cuda_tile.GlobalOp) -> Operation:
        tile = op.value.type
        type = TensorType(convert_element(tile.element_type), tile.get_shape())
        return nv_tileaa.GlobalOp(
            op.sym_name.data,
            ElementsAttr(type, op.value.data.data),
            _alignment(op.alignment.value.data, element_storage_bits(tile.element_type) // 8),
            op.constant is not None,
            Visibility(op.visibility.data.value),
        )


def _alignment(asked: int, size: int) -> int:
    """The least power of two, in bytes, that covers the requested alignment and the element size.

    PTX supports only powers of two; 0 requests the alignment of the element.
    """
    return max(1 << (asked - 1).bit_length(), size) if asked > 0 else 0


class ConvertFma(ConvertOp[cuda_tile.FmaOp]):
    def convert(self, op: cuda_tile.FmaOp) -> Operation:
        a, b, c = self.conversion.values(op.operands)
        mode = RoundingMode(op.rounding_mode.data.value)
        return nv_tileaa.FmaOp(a, b, c, mode, op.flush_to_zero is not None)


def add_trunci(conversion: Conversion, target: Target) -> PatternTable:
    """`cuda_tile.trunci` alone."""
    return {cuda_tile.TruncIOp: ConvertTruncI(conversion, target)}


def add_rsqrt(conversion: Conversion, target: Target) -> PatternTable:
    """`cuda_tile.rsqrt` alone."""
    return {cuda_tile.RsqrtOp: ConvertRsqrt(conversion, target)}


def add_maxi(conversion: Conversion, target: Target) -> PatternTable:
    """`cuda_tile.maxi` alone."""
    return {cuda_tile.MaxIOp: ConvertBySignedness(conversion, target)}


def add_itof(conversion: Conversion, target: Target) -> PatternTable:
    """`cuda_tile.itof` alone."""
    return {cuda_tile.IToFOp: ConvertIToF(conversion, target)}


def add_global(conversion: Conversion, target: Target) -> PatternTable:
    """`cuda_tile.global` alone."""
    return {cuda_tile.GlobalOp: ConvertGlobal(conversion, target)}


def add_fma(conversion: Conversion, target: Target) -> PatternTable:
    """`cuda_tile.fma` alone."""
    return {cuda_tile.FmaOp: ConvertFma(conversion, target)}


def add_constant(conversion: Conversion, target: Target) -> PatternTable:
    """`cuda_tile.constant` alone."""
    return {cuda_tile.ConstantOp: ConvertConstant(conversion, target)}


def add_assume(conversion: Conversion, target: Target) -> PatternTable:
    """`cuda_tile.assume` alone."""
    return {cuda_tile.AssumeOp: ConvertAssume(conversion, target)}


# One adder each, as other passes install single patterns of these on their own.
SINGLETONS = (
    add_trunci,
    add_rsqrt,
    add_maxi,
    add_itof,
    add_global,
    add_fma,
    add_constant,
    add_assume,
)
"""The functions that add one singleton each."""
