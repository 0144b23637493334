"""Conversions between the element types of `nv_tileaa`."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type, memory_bits
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.arith import without_op
from tileir_xdsl.interpreters.element_types import element_of, float_format_of, shape_of
from tileir_xdsl.interpreters.modifiers import convert_float, float_to_integer
from tileir_xdsl.interpreters.numerics import ELEMENTS, F8E5M3FNU, Array, from_bits, to_bits
from tileir_xdsl.interpreters.registration import PureTable
from tileir_xdsl.interpreters.tile_operations import reinterpret_bits

UE5M3 = ELEMENTS[F8E5M3FNU.name]
"""The format that the 8-bit codes encode."""


def _same_value(source: Array) -> Array:
    return source


def _bitcast(op: dialect.BitcastOp, source: Array) -> Array:
    return source.view(element_of(op.result.type).dtype)


def _truncate(op: dialect.TruncIOp, source: Array) -> Array:
    return integers.wrap(source, element_of(op.result.type).dtype)


def _to_ue5m3(op: dialect.FpToUE5M3Op, source: Array) -> Array:
    numbers = floats.convert(source, float_format_of(op.source.type), F8E5M3FNU)
    return to_bits(numbers, UE5M3).view(np.int8)


def _from_ue5m3(op: dialect.UE5M3ToFpOp, source: Array) -> Array:
    numbers = from_bits(source.view(np.uint8), UE5M3)
    return floats.convert(numbers, F8E5M3FNU, float_format_of(op.result.type))


_ByteArrayOp: TypeAlias = dialect.PackOp | dialect.UnpackOp


def _reinterpret(op: _ByteArrayOp, source: Array) -> Array:
    return reinterpret_bits(
        source,
        memory_bits(element_type(op.source)),
        element_of(op.result.type),
        memory_bits(element_type(op.result)),
        shape_of(op.result.type),
    )


CONVERSIONS: PureTable = {
    dialect.BitcastOp: _bitcast,
    dialect.FpToFpOp: convert_float,
    # Undefined without `saturating`: saturates too, as it does in hardware.
    dialect.FpToIntOp: float_to_integer,
    dialect.FpToUE5M3Op: _to_ue5m3,
    dialect.IntToPtrOp: without_op(_same_value),
    dialect.PtrToIntOp: without_op(_same_value),
    dialect.TruncIOp: _truncate,
    dialect.UE5M3ToFpOp: _from_ue5m3,
}

BYTES: PureTable = {dialect.PackOp: _reinterpret, dialect.UnpackOp: _reinterpret}
"""The ops that convert between a tile and its bytes."""
