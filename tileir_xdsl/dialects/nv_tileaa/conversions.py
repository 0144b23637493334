"""Conversions between element types that `arith` lacks or leaves undefined.

Source and result are tensors of one shape, or scalars. Source: Tile IR specification, section
"Conversions".
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.arith import IntegerOverflowAttr
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
    TensorType,
    UnitAttr,
    bf16,
    f32,
    i8,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    IRDLOperation,
    eq,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.arith import scalar_or_tensor
from tileir_xdsl.dialects.element_interfaces import (
    ElementwiseOpInterface,
    Reindexed,
    ReindexedOpInterface,
    SameBits,
)
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.scratch import Bytes, ScratchNeed

from .arithmetic import IEEE_ROUNDING
from .attributes import RoundingModeAttr, SignednessAttr
from .constraints import (
    FLOATS,
    INTEGERS,
    POINTERS,
    TILES,
    bit_width,
    element_type,
    memory_bits,
    verify_same_shape,
)
from .syntax import Rounding, Sign
from .types import PointerType

TYPES = "attr-dict `:` type($source) `to` type($result)"


class ConversionOp(IRDLOperation, ElementwiseOpInterface):
    """Base of the elementwise conversions."""

    source = operand_def(TILES)
    result = result_def(TILES)

    custom_directives = (Rounding, Sign)
    traits = traits_def(Pure())
    assembly_format = "$source " + TYPES

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        verify_same_shape([self.source, self.result])


@irdl_op_definition
class TruncIOp(ConversionOp):
    """The low bits of integers; the overflow flags promise that no value changes."""

    name = "nv_tileaa.trunci"

    source = operand_def(INTEGERS)
    overflow_flags = opt_prop_def(IntegerOverflowAttr, prop_name="overflowFlags")
    result = result_def(INTEGERS)

    assembly_format = "$source (`overflow` `` $overflowFlags^)? " + TYPES

    def __init__(
        self,
        source: SSAValue,
        result_type: Attribute,
        overflow_flags: IntegerOverflowAttr | None = None,
    ):
        IRDLOperation.__init__(
            self,
            operands=[source],
            properties={"overflowFlags": overflow_flags},
            result_types=[result_type],
        )

    def verify_(self) -> None:
        super().verify_()
        source, result = element_type(self.source), element_type(self.result)
        if bit_width(result) >= bit_width(source):
            raise VerifyException(f"expects a result narrower than {source}, but got {result}")


FLOAT_TYPES: tuple[type[Attribute], ...] = (
    Float16Type,
    BFloat16Type,
    FloatTF32Type,
    Float32Type,
    Float64Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float4E2M1FNType,
)
"""The float types that values are converted between."""


def _verify_float_type(value: SSAValue) -> None:
    if not isinstance(element := element_type(value), FLOAT_TYPES):
        raise VerifyException(f"unsupported float type in a conversion: {element}")


CONVERSION_ROUNDING = (*IEEE_ROUNDING, RoundingMode.NEAREST_AWAY)


@irdl_op_definition
class FpToFpOp(ConversionOp):
    """Converts floats to another float type; no other op does so."""

    name = "nv_tileaa.fp_to_fp"

    source = operand_def(FLOATS)
    rounding_mode = prop_def(RoundingModeAttr)
    result = result_def(FLOATS)

    assembly_format = "$source custom<Rounding>($rounding_mode) " + TYPES

    def __init__(
        self,
        source: SSAValue,
        result_type: Attribute,
        rounding_mode: RoundingMode = RoundingMode.NEAREST_EVEN,
    ):
        IRDLOperation.__init__(
            self,
            operands=[source],
            properties={"rounding_mode": RoundingModeAttr(rounding_mode)},
            result_types=[result_type],
        )

    def verify_(self) -> None:
        super().verify_()
        _verify_float_type(self.source)
        _verify_float_type(self.result)
        mode = self.rounding_mode.data
        if mode not in CONVERSION_ROUNDING:
            raise VerifyException(
                f"expects one of the rounding modes {', '.join(CONVERSION_ROUNDING)}, but "
                f"got {mode}"
            )


@irdl_op_definition
class FpToIntOp(ConversionOp):
    """Floats as integers, rounded toward zero; as `i1`, nonzero numbers and NaN are true.

    For a float out of range the result is undefined. With `saturating` the result is the nearest
    integer in range, or 0 for NaN.
    """

    name = "nv_tileaa.fp_to_int"

    source = operand_def(FLOATS)
    signedness = prop_def(SignednessAttr)
    saturating = opt_prop_def(UnitAttr)
    result = result_def(INTEGERS)

    assembly_format = "$source custom<Sign>($signedness) (`saturating` $saturating^)? " + TYPES

    def __init__(
        self,
        source: SSAValue,
        result_type: Attribute,
        signedness: Signedness = Signedness.SIGNED,
        saturating: bool = False,
    ):
        IRDLOperation.__init__(
            self,
            operands=[source],
            properties={
                "signedness": SignednessAttr(signedness),
                "saturating": UnitAttr() if saturating else None,
            },
            result_types=[result_type],
        )


UE5M3_CODES: AttrConstraint = scalar_or_tensor(eq(i8))


@irdl_op_definition
class FpToUE5M3Op(ConversionOp):
    """The magnitudes of floats as bytes of `ue5m3`, rounded to nearest even; NaN is 0xFF.

    Infinity and other numbers that are too large become the largest number, 0xFE. Sources: PTX ISA,
    "Alternate Floating-Point Data Formats"; CUDA Math API, `__nv_cvt_float_to_ue5m3`.
    """

    name = "nv_tileaa.fp_to_ue5m3"

    source = operand_def(FLOATS)
    result = result_def(UE5M3_CODES)

    def verify_(self) -> None:
        super().verify_()
        _verify_float_type(self.source)


@irdl_op_definition
class UE5M3ToFpOp(ConversionOp):
    """Converts bytes of `ue5m3` to floats exactly: bf16 represents all their numbers."""

    name = "nv_tileaa.ue5m3_to_fp"

    source = operand_def(UE5M3_CODES)
    result = result_def(scalar_or_tensor(eq(bf16) | eq(f32)))


@irdl_op_definition
class BitcastOp(ConversionOp):
    """The same bits read as another type of the same width; or pointers to another type."""

    name = "nv_tileaa.bitcast"

    def verify_(self) -> None:
        super().verify_()
        source, result = element_type(self.source), element_type(self.result)
        if isinstance(source, PointerType) and isinstance(result, PointerType):
            return
        if bit_width(source) != bit_width(result):
            raise VerifyException(
                f"expects element types of equal width, but got {source} and {result} of "
                f"{bit_width(source)} and {bit_width(result)} bits"
            )


ADDRESSES: AttrConstraint = scalar_or_tensor(eq(i64))


@irdl_op_definition
class IntToPtrOp(ConversionOp):
    """Addresses as pointers."""

    name = "nv_tileaa.int_to_ptr"

    source = operand_def(ADDRESSES)
    result = result_def(POINTERS)


@irdl_op_definition
class PtrToIntOp(ConversionOp):
    """Pointers as addresses."""

    name = "nv_tileaa.ptr_to_int"

    source = operand_def(POINTERS)
    result = result_def(ADDRESSES)


class ByteArrayOp(IRDLOperation, ReindexedOpInterface, RegistersOpInterface):
    """Base of the casts between a tile of rank 1 and its bytes; `BYTES` names the operand or result
    of bytes.
    """

    BYTES: ClassVar[str]

    source = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        types = [self.source.type, self.result.type]
        sizes: list[int] = []
        for type in types:
            assert isinstance(type, TensorType)
            if len(type.get_shape()) != 1:
                raise VerifyException(f"expects tensors of rank 1, but got {type}")
            sizes.append(type.element_count() * memory_bits(type.element_type))
        if sizes[0] != sizes[1]:
            raise VerifyException(
                "requires the same number of bits in source and result, but got "
                f"{sizes[0]} and {sizes[1]}"
            )
        value = self.source if self.BYTES == "source" else self.result
        if element_type(value) != IntegerType(8):
            raise VerifyException(
                f"expects the elements of the {self.BYTES} to be i8, but got {value.type}"
            )

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Bytes(self.operands[0], self.results[0]),)

    def reindexed(self, operand: int) -> Reindexed:
        return SameBits()


@irdl_op_definition
class PackOp(ByteArrayOp):
    """The bits of a tile as bytes; elements of fewer than 8 bits fill a byte from its low bit."""

    name = "nv_tileaa.pack"

    BYTES: ClassVar[str] = "result"


@irdl_op_definition
class UnpackOp(ByteArrayOp):
    """Bytes as the bits of a tile: the inverse of `pack`."""

    name = "nv_tileaa.unpack"

    BYTES: ClassVar[str] = "source"
