"""Conversions between element types, of values in the range of the result type."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.test import TestOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.types import (
    INTEGERS,
    STANDARD_FLOATS,
    element_bit_width,
)
from tileir_xdsl.testing.programs import elements
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.families.integer import shifted
from tileir_xdsl.testing.programs.pointers import addresses, spread_pointers
from tileir_xdsl.testing.programs.targets import CPU
from tileir_xdsl.testing.programs.values import (
    SIGNEDNESSES,
    below,
    clamped,
    floats_without_nan,
    offsets_below,
    without_nan,
)

_BITCASTS = {
    "i8": ("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "fnv8E5M3FNU"),
    "i16": ("f16", "bf16"),
    "i32": ("f32",),
    "i64": ("f64",),
}
"""Float types with the width of an integer type."""

_ROUNDING_MODES = (
    cuda_tile.RoundingMode.NEAREST_EVEN,
    cuda_tile.RoundingMode.ZERO,
    cuda_tile.RoundingMode.NEGATIVE_INF,
    cuda_tile.RoundingMode.POSITIVE_INF,
)
"""The rounding modes that programs use in conversions, where the dialect allows them."""


def _emit_extension(b: Builder) -> None:
    source = b.some_value(("i1", "i4", "i8", "i16", "i32"))
    wider = [
        e
        for e in ("i4", *INTEGERS)
        if elements.width(e) > elements.width(elements.element_of(source))
    ]
    type_ = elements.tile(b.choose(wider), elements.shape_of(source))
    b.keep(b.add(cuda_tile.ExtIOp(source, type_, b.choose(SIGNEDNESSES))).result)


def _emit_truncation(b: Builder) -> None:
    source = b.some_value(("i4", "i8", "i16", "i32", "i64"))
    element = elements.element_of(source)
    narrower = [e for e in ("i4", *INTEGERS) if elements.width(e) < elements.width(element)]
    type_ = elements.tile(b.choose(narrower), elements.shape_of(source))
    overflow = b.choose(list(cuda_tile.IntegerOverflow))
    if overflow is cuda_tile.IntegerOverflow.NONE or element == "i4":
        b.keep(b.add(cuda_tile.TruncIOp(source, type_)).result)
        return
    lost = elements.width(element) - element_bit_width(type_.element_type)
    signed = overflow is cuda_tile.IntegerOverflow.NO_SIGNED_WRAP
    spare = 1 if overflow is cuda_tile.IntegerOverflow.NO_WRAP else 0
    bits = min(lost + spare, elements.width(element) - 1)
    small = shifted(
        b, source, bits, cuda_tile.Signedness.SIGNED if signed else cuda_tile.Signedness.UNSIGNED
    )
    if lost + spare > bits:
        small = b.add(
            cuda_tile.AndIOp(small, b.number(0, element, elements.shape_of(source)))
        ).result
    b.keep(b.add(cuda_tile.TruncIOp(small, type_, overflow)).result)


@cache
def _rounding_modes(source: str, result: str) -> tuple[cuda_tile.RoundingMode, ...]:
    """The rounding modes that the dialect allows from one float type to another."""
    value = TestOp(result_types=[elements.tile(source, (2,))]).results[0]
    allowed: list[cuda_tile.RoundingMode] = []
    for mode in _ROUNDING_MODES:
        try:
            cuda_tile.FToFOp(value, elements.tile(result, (2,)), mode).verify()
        except VerifyException:
            continue
        allowed.append(mode)
    return tuple(allowed)


def _emit_float_conversion(b: Builder) -> None:
    result = b.choose(elements.FLOATS)
    source = b.choose([element for element in elements.FLOATS if element != result])
    shape = b.shape(lambda s: elements.is_legal(source, s) and elements.is_legal(result, s))
    if result in elements.NARROW_FLOATS:
        # Wide types are brought into the range; of narrow ones all values are in it.
        value = _in_range(b, source, result, shape)
    else:
        value = b.value(elements.tile(source, shape))
    modes = _rounding_modes(source, result)
    mode = modes[0] if b.draft.target == CPU else b.choose(modes)
    b.keep(b.add(cuda_tile.FToFOp(value, elements.tile(result, shape), mode)).result)


def _in_range(b: Builder, source: str, result: str, shape: elements.Shape) -> SSAValue:
    low, high = elements.FINITE_RANGES[result]
    if source in STANDARD_FLOATS:
        return clamped(b, b.value(elements.tile(source, shape)), (low, high))
    # From a narrow type to another: through the numbers that both have.
    first = elements.FINITE_RANGES[source]
    limits = (max(low, first[0]), min(high, first[1]))
    wide = clamped(b, b.value(elements.tile("f32", shape)), limits)
    return b.add(
        cuda_tile.FToFOp(wide, elements.tile(source, shape), _rounding_modes("f32", source)[0])
    ).result


def _emit_float_to_integer(b: Builder) -> None:
    shape = b.shape()
    element = b.choose([e for e in elements.FLOATS if elements.is_legal(e, shape)])
    signedness, result = b.choose(SIGNEDNESSES), b.choose(INTEGERS)
    low, high = elements.integer_limits(result, signedness is cuda_tile.Signedness.SIGNED)
    # Inside of both ranges, with room for what rounding to a narrow type adds.
    first = elements.FINITE_RANGES[element]
    least = max(first[0], low * 0.75)
    limits = (least, max(least, min(first[1], high * 0.75)))
    if element in STANDARD_FLOATS:
        saturating = b.chance(0.3)
        value = b.value(elements.tile(element, shape))
        # The truth of a float is known for every number, and for NaN.
        if saturating or result == "i1":
            source = clamped(b, value, elements.FINITE_RANGES[element], keep_nan=True)
        else:
            source = clamped(b, value, limits)
        operation = cuda_tile.FToIOp(source, elements.tile(result, shape), signedness, saturating)
    else:
        wide = clamped(b, b.value(elements.tile("f32", shape)), limits)
        mode = _rounding_modes("f32", element)[0]
        source = b.add(cuda_tile.FToFOp(wide, elements.tile(element, shape), mode)).result
        operation = cuda_tile.FToIOp(source, elements.tile(result, shape), signedness)
    b.keep(b.add(operation).result)


def _emit_integer_to_float(b: Builder) -> None:
    result = b.choose([element for element in elements.FLOATS if element != "f8E8M0FNU"])
    source = b.some_value(INTEGERS, lambda s: elements.is_legal(result, s))
    if result in elements.NARROW_FLOATS and elements.element_of(source) != "i1":
        source = below(b, source, 4)
    signedness = b.choose(SIGNEDNESSES)
    type_ = elements.tile(result, elements.shape_of(source))
    b.keep(b.add(cuda_tile.IToFOp(source, type_, signedness)).result)


def _emit_bitcast(b: Builder) -> None:
    missing = b.draft.missing
    integer = b.choose([i for i, floats in _BITCASTS.items() if not missing.issuperset(floats)])
    element, shape = b.choose(_BITCASTS[integer]), b.shape()
    if b.chance(0.5):
        source = floats_without_nan(b, element, shape)
        b.keep(b.add(cuda_tile.BitcastOp(source, elements.tile(integer, shape))).result)
        return
    result = b.add(
        cuda_tile.BitcastOp(b.value(elements.tile(integer, shape)), elements.tile(element, shape))
    ).result
    b.keep(without_nan(b, result) if element in STANDARD_FLOATS else result)


def _array(b: Builder) -> tuple[str, SSAValue]:
    element = b.choose(elements.MEMORY_ELEMENTS)
    return element, b.draft.input(element)


def _emit_integer_to_pointer(b: Builder) -> None:
    """Casts pointers to integers and back, and loads through them."""
    element, array = _array(b)
    offsets = below(b, b.some_value(("i16", "i32", "i64")), b.array - 9)
    shape = elements.shape_of(offsets)
    integers = addresses(b, spread_pointers(b, array, offsets))
    step = b.number(b.integer(0, 9) * elements.memory_bytes(element), "i64", shape)
    moved = b.add(cuda_tile.AddIOp(integers, step)).result
    b.keep(b.load(b.add(cuda_tile.IntToPtrOp(moved, elements.pointer_tile(element, shape))).result))


def _emit_pointer_to_integer(b: Builder) -> None:
    """Computes the alignment of addresses: arrays are aligned to 16 bytes."""
    _, array = _array(b)
    offsets = below(b, b.some_value(("i16", "i32", "i64")), b.array)
    integers = addresses(b, spread_pointers(b, array, offsets))
    b.keep(
        b.add(cuda_tile.AndIOp(integers, b.number(15, "i64", elements.shape_of(offsets)))).result
    )


def _emit_pointer_to_pointer(b: Builder) -> None:
    """Loads the bytes of an array as integers of another width."""
    element, array = _array(b)
    integer = b.choose(("i8", "i16", "i32", "i64"))
    count = b.array * elements.memory_bytes(element) // elements.memory_bytes(integer)
    other = b.add(cuda_tile.PtrToPtrOp(array, elements.pointer_tile(integer))).result
    offsets = offsets_below(b, b.some_value(("i16", "i32", "i64")), count)
    b.keep(b.load(spread_pointers(b, other, offsets)))


ROWS: Rows = {
    cuda_tile.BitcastOp: Row(1.5, _emit_bitcast),
    cuda_tile.ExtIOp: Row(1, _emit_extension),
    cuda_tile.FToFOp: Row(2, _emit_float_conversion),
    cuda_tile.FToIOp: Row(1.5, _emit_float_to_integer),
    cuda_tile.IToFOp: Row(1.5, _emit_integer_to_float),
    cuda_tile.IntToPtrOp: Row(1, _emit_integer_to_pointer),
    cuda_tile.PtrToIntOp: Row(1, _emit_pointer_to_integer),
    cuda_tile.PtrToPtrOp: Row(1, _emit_pointer_to_pointer),
    cuda_tile.TruncIOp: Row(1, _emit_truncation),
}
