"""Conversions between element types.

Source: Tile IR specification, section 8.4 (conversions).
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from tileir_xdsl.dialects.cuda_tile import interfaces, syntax
from tileir_xdsl.dialects.cuda_tile.enums import (
    IntegerOverflow,
    IntegerOverflowAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from tileir_xdsl.dialects.cuda_tile.floating_point import IEEE_ROUNDING, ieee_rounding
from tileir_xdsl.dialects.cuda_tile.types import element_bit_width, element_name
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness

# The reference calls the operand and result of numeric conversions `from` and `to`.
_SAME_SHAPE_FROM_TO = interfaces.all_shapes_match("source", "result", words=("from", "to"))
_SAME_SHAPE_SOURCE_RESULT = interfaces.all_shapes_match("source", "result")
_TYPES = (
    syntax.ATTRIBUTES,
    syntax.COLON,
    syntax.Type("source"),
    syntax.ARROW_OR_TO,
    syntax.Type("result"),
)


def _widths(operation: ConversionOperation) -> tuple[int, int]:
    return (
        element_bit_width(interfaces.tile_type(operation.source).element_type),
        element_bit_width(interfaces.tile_type(operation.result).element_type),
    )


class ConversionOperation(interfaces.CudaTileOperation):
    """`result = convert(source)`, element by element."""

    source = operand_def(interfaces.NUMBER_TILE)
    result = result_def(interfaces.NUMBER_TILE)

    traits = traits_def(Pure())
    SYNTAX: ClassVar = (syntax.Operand("source"), *_TYPES)


class PlainConversionOperation(ConversionOperation):
    """A conversion without modifiers."""

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])


@interfaces.cuda_tile_operation
class BitcastOp(PlainConversionOperation):
    """The same bits read as another type of the same width. Section 8.4.1."""

    name = "cuda_tile.bitcast"

    RELATIONS: ClassVar = (_SAME_SHAPE_SOURCE_RESULT,)

    def verify_operation(self) -> None:
        source, result = _widths(self)
        if source != result:
            self.fail(
                f"types must be equal width, cannot convert '{self.source.type}' of width "
                f"{source} to type '{self.result.type}' of width {result}"
            )


@interfaces.cuda_tile_operation
class IntToPtrOp(PlainConversionOperation):
    """Addresses (unsigned i64) as pointers. Section 8.4.6."""

    name = "cuda_tile.int_to_ptr"

    source = operand_def(interfaces.I64_TILE)
    result = result_def(interfaces.POINTER_TILE)

    RELATIONS: ClassVar = (_SAME_SHAPE_SOURCE_RESULT,)


@interfaces.cuda_tile_operation
class PtrToIntOp(PlainConversionOperation):
    """Pointers as addresses (unsigned i64). Section 8.4.7."""

    name = "cuda_tile.ptr_to_int"

    source = operand_def(interfaces.POINTER_TILE)
    result = result_def(interfaces.I64_TILE)

    RELATIONS: ClassVar = (_SAME_SHAPE_SOURCE_RESULT,)


@interfaces.cuda_tile_operation
class PtrToPtrOp(PlainConversionOperation):
    """Pointers to another element type. Section 8.4.8."""

    name = "cuda_tile.ptr_to_ptr"

    source = operand_def(interfaces.POINTER_TILE)
    result = result_def(interfaces.POINTER_TILE)

    RELATIONS: ClassVar = (_SAME_SHAPE_SOURCE_RESULT,)


@interfaces.cuda_tile_operation
class ExtIOp(ConversionOperation):
    """Integers in a wider type: sign-extended if signed, else zero-extended. Section 8.4.2."""

    name = "cuda_tile.exti"

    source = operand_def(interfaces.INTEGER_TILE_WITH_I4)
    signedness = prop_def(interfaces.SIGNEDNESS)
    result = result_def(interfaces.INTEGER_TILE_WITH_I4)

    RELATIONS: ClassVar = (_SAME_SHAPE_FROM_TO,)
    SYNTAX: ClassVar = (syntax.Operand("source"), syntax.SIGNEDNESS_KEYWORD, *_TYPES)

    def __init__(self, source: SSAValue, result_type: Attribute, signedness: Signedness):
        super().__init__(
            operands=[source],
            properties={"signedness": SignednessAttr(signedness)},
            result_types=[result_type],
        )

    def verify_operation(self) -> None:
        source, result = _widths(self)
        if source >= result:
            self.fail("extending to smaller or identical integer")


@interfaces.cuda_tile_operation
class TruncIOp(ConversionOperation):
    """Low bits of integers; `overflow` promises that no value changes. Section 8.4.9."""

    name = "cuda_tile.trunci"

    source = operand_def(interfaces.INTEGER_TILE_WITH_I4)
    overflow = prop_def(interfaces.OVERFLOW_FLAGS)
    result = result_def(interfaces.INTEGER_TILE_WITH_I4)

    RELATIONS: ClassVar = (_SAME_SHAPE_FROM_TO,)
    SYNTAX: ClassVar = (syntax.Operand("source"), syntax.OVERFLOW, *_TYPES)

    def __init__(
        self,
        source: SSAValue,
        result_type: Attribute,
        overflow: IntegerOverflow = IntegerOverflow.NONE,
    ):
        super().__init__(
            operands=[source],
            properties={"overflow": IntegerOverflowAttr(overflow)},
            result_types=[result_type],
        )

    def verify_operation(self) -> None:
        source, result = _widths(self)
        if source <= result:
            self.fail("truncating to larger or identical integer")


_LOW_PRECISION = frozenset(("f8E4M3FN", "f8E5M2", "f4E2M1FN", "fnv8E5M3FNU"))
_NARROWING: dict[str, frozenset[str]] = {
    "f16": frozenset(("bf16",)),
    "bf16": frozenset(("f16",)),
    "tf32": frozenset(("f16", "bf16")),
    "f32": frozenset(("f16", "bf16")),
    "f64": frozenset(("f16", "bf16", "tf32")),
    "f8E8M0FNU": frozenset(("f16", "bf16", "f32", "tf32")),
    "fnv8E5M3FNU": frozenset(("f16",)),
}
"""For each source type, the result types for which `ftof` only rounds to nearest even or towards
zero.
"""


def _float_conversion_rounding(source: str, result: str) -> tuple[tuple[RoundingMode, ...], str]:
    """The rounding modes of a conversion between floats, and the diagnostic for other modes."""
    invalid = "invalid rounding mode specified"
    nearest, zero = RoundingMode.NEAREST_EVEN, RoundingMode.ZERO
    if result == "f8E8M0FNU":
        return (
            (zero, RoundingMode.POSITIVE_INF),
            f"{invalid} for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported",
        )
    if result in _LOW_PRECISION:
        return (nearest,), (
            f"{invalid} for conversion to low-precision type. Only 'nearest_even' is supported"
        )
    if (source, result) == ("f32", "tf32"):
        return (nearest, zero, RoundingMode.NEAREST_AWAY), (
            f"{invalid} for conversion from f32 to tf32. "
            "Only 'nearest_even', 'zero', and 'nearest_away' are supported"
        )
    if result in _NARROWING.get(source, ()):
        return (nearest, zero), (
            f"{invalid}. Only 'nearest_even' and 'zero' are supported for narrowing conversions "
            "to standard types"
        )
    if (source, result) == ("f64", "f32"):
        return IEEE_ROUNDING, (
            f"{invalid} for conversion from f64 to f32. "
            "Only 'nearest_even', 'zero', 'negative_inf', and 'positive_inf' are supported"
        )
    ieee = (*IEEE_ROUNDING, RoundingMode.NEAREST_AWAY)
    return ieee, (
        f"{invalid} for widening conversion. Only IEEE float rounding modes are supported: "
        + ", ".join(f"'{mode}'" for mode in ieee)
    )


@interfaces.cuda_tile_operation
class FToFOp(ConversionOperation):
    """Floats converted to another float type; the available rounding modes depend on both types.
    Section 8.4.3.

    Bytecode 13.3 added the modes other than `nearest_even`, and 13.4 `nearest_away`.
    """

    name = "cuda_tile.ftof"

    source = operand_def(interfaces.ANY_FLOAT_TILE)
    rounding_mode = prop_def(interfaces.ROUNDING)
    result = result_def(interfaces.ANY_FLOAT_TILE)

    RELATIONS: ClassVar = (_SAME_SHAPE_FROM_TO,)
    SYNTAX: ClassVar = (
        syntax.Operand("source"),
        syntax.Rounding(
            "rounding_mode",
            IEEE_ROUNDING,
            RoundingMode.NEAREST_EVEN,
            strict=True,
            unlisted=(RoundingMode.NEAREST_AWAY,),
        ),
        *_TYPES,
    )

    def __init__(
        self,
        source: SSAValue,
        result_type: Attribute,
        rounding_mode: RoundingMode = RoundingMode.NEAREST_EVEN,
    ):
        super().__init__(
            operands=[source],
            properties={"rounding_mode": RoundingModeAttr(rounding_mode)},
            result_types=[result_type],
        )

    def verify_operation(self) -> None:
        source, result = (
            interfaces.tile_type(self.source).element_type,
            interfaces.tile_type(self.result).element_type,
        )
        if source == result:
            self.fail("converting tiles must not be a no-op")
        allowed, message = _float_conversion_rounding(
            element_name(source) or "", element_name(result) or ""
        )
        if self.rounding_mode.data not in allowed:
            self.fail(message)


@interfaces.cuda_tile_operation
class FToIOp(ConversionOperation):
    """Floats as integers, rounded towards zero. Section 8.4.4. `saturating` since 13.4.

    As `i1`, nonzero numbers and NaN are true (docs/open_readings.md).
    """

    name = "cuda_tile.ftoi"

    source = operand_def(interfaces.ANY_FLOAT_TILE)
    signedness = prop_def(interfaces.SIGNEDNESS)
    rounding_mode = prop_def(interfaces.ROUNDING)
    saturating = opt_prop_def(interfaces.UNIT)
    result = result_def(interfaces.INTEGER_TILE)

    RELATIONS: ClassVar = (_SAME_SHAPE_FROM_TO,)
    SYNTAX: ClassVar = (
        syntax.Operand("source"),
        syntax.SIGNEDNESS_KEYWORD,
        syntax.Rounding(
            "rounding_mode",
            (RoundingMode.NEAREST_INT_TO_ZERO,),
            RoundingMode.NEAREST_INT_TO_ZERO,
            strict=True,
        ),
        syntax.Flag("saturating"),
        *_TYPES,
    )

    def __init__(
        self,
        source: SSAValue,
        result_type: Attribute,
        signedness: Signedness,
        saturating: bool = False,
    ):
        super().__init__(
            operands=[source],
            properties={
                "signedness": SignednessAttr(signedness),
                "rounding_mode": RoundingModeAttr(RoundingMode.NEAREST_INT_TO_ZERO),
                "saturating": UnitAttr() if saturating else None,
            },
            result_types=[result_type],
        )

    def verify_operation(self) -> None:
        if self.rounding_mode.data is not RoundingMode.NEAREST_INT_TO_ZERO:
            self.fail("invalid rounding mode specified. Only 'nearest_int_to_zero' is supported")


@interfaces.cuda_tile_operation
class IToFOp(ConversionOperation):
    """Integers as floats, rounded to nearest even. Section 8.4.5."""

    name = "cuda_tile.itof"

    source = operand_def(interfaces.INTEGER_TILE)
    signedness = prop_def(interfaces.SIGNEDNESS)
    rounding_mode = prop_def(interfaces.ROUNDING)
    result = result_def(interfaces.ANY_FLOAT_TILE)

    RELATIONS: ClassVar = (_SAME_SHAPE_FROM_TO,)
    SYNTAX: ClassVar = (
        syntax.Operand("source"),
        syntax.SIGNEDNESS_KEYWORD,
        ieee_rounding(),
        *_TYPES,
    )

    def __init__(self, source: SSAValue, result_type: Attribute, signedness: Signedness):
        super().__init__(
            operands=[source],
            properties={
                "signedness": SignednessAttr(signedness),
                "rounding_mode": RoundingModeAttr(RoundingMode.NEAREST_EVEN),
            },
            result_types=[result_type],
        )

    def verify_operation(self) -> None:
        if self.rounding_mode.data is not RoundingMode.NEAREST_EVEN:
            self.fail("invalid rounding mode specified. Only 'nearest_even' is supported")
        if element_name(interfaces.tile_type(self.result).element_type) == "f8E8M0FNU":
            self.fail(
                "integer to f8E8M0FNU conversion is not supported, please first convert to "
                "another float type"
            )
