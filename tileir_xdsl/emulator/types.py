"""The fundamental and packed types of PTX (PTX ISA, "Types"), with their numpy storage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
Kind = Literal["bits", "unsigned", "signed", "float", "predicate"]


@dataclass(frozen=True)
class ScalarType:
    """One PTX type.

    `bits` is the width of the whole value, and `dtype` the numpy type of one element. `elements` is
    the number of packed elements (2 for `f16x2`); arrays of such values have one more axis.
    """

    name: str
    kind: Kind
    bits: int
    dtype: np.dtype[Any]
    elements: int = 1

    @property
    def bytes(self) -> int:
        return max(1, self.bits // 8)

    @property
    def signed(self) -> bool:
        return self.kind == "signed"


def _integers(kind: Kind, letter: str, numpy_letter: str) -> list[ScalarType]:
    return [
        ScalarType(f"{letter}{bits}", kind, bits, np.dtype(f"{numpy_letter}{bits // 8}"))
        for bits in (8, 16, 32, 64)
    ]


_TYPES: tuple[ScalarType, ...] = (
    *_integers("bits", "b", "u"),
    *_integers("unsigned", "u", "u"),
    *_integers("signed", "s", "i"),
    ScalarType("b128", "bits", 128, np.dtype(np.uint64), 2),
    ScalarType("pred", "predicate", 1, np.dtype(np.bool_)),
    ScalarType("f16", "float", 16, np.dtype(np.float16)),
    ScalarType("bf16", "float", 16, np.dtype(ml_dtypes.bfloat16)),
    ScalarType("f32", "float", 32, np.dtype(np.float32)),
    ScalarType("tf32", "float", 32, np.dtype(np.float32)),
    ScalarType("f64", "float", 64, np.dtype(np.float64)),
    ScalarType("f16x2", "float", 32, np.dtype(np.float16), 2),
    ScalarType("bf16x2", "float", 32, np.dtype(ml_dtypes.bfloat16), 2),
    ScalarType("f32x2", "float", 64, np.dtype(np.float32), 2),
    ScalarType("u16x2", "unsigned", 32, np.dtype(np.uint16), 2),
    ScalarType("s16x2", "signed", 32, np.dtype(np.int16), 2),
    ScalarType("u8x4", "unsigned", 32, np.dtype(np.uint8), 4),
    ScalarType("s8x4", "signed", 32, np.dtype(np.int8), 4),
    ScalarType("e4m3x2", "float", 16, np.dtype(ml_dtypes.float8_e4m3fn), 2),
    ScalarType("e5m2x2", "float", 16, np.dtype(ml_dtypes.float8_e5m2), 2),
    ScalarType("ue8m0x2", "float", 16, np.dtype(ml_dtypes.float8_e8m0fnu), 2),
)

TYPES: Mapping[str, ScalarType] = {type_.name: type_ for type_ in _TYPES}

_BITS_BY_WIDTH = {8: "b8", 16: "b16", 32: "b32", 64: "b64", 128: "b128"}


def bits_type(bits: int) -> ScalarType:
    """The untyped type (`.bN`) of `bits` bits."""
    return TYPES[_BITS_BY_WIDTH[bits]]


def packed_bits(count: int, bits: int) -> ScalarType:
    """A type of `bits` bits that packs `count` untyped parts, lowest bits first."""
    part = bits // count
    return ScalarType(f"b{part}x{count}", "bits", bits, np.dtype(f"u{part // 8}"), count)


def integer_type(bits: int, *, signed: bool) -> ScalarType:
    """The integer type (`.uN` or `.sN`) of `bits` bits, up to 64."""
    return TYPES[f"{'s' if signed else 'u'}{bits}"]


def wrap_offset(offset: int) -> int:
    """Wraps an offset to a signed 64-bit number."""
    return (offset + 2**63) % 2**64 - 2**63


REACHES: Mapping[str, int] = {"cta": 0, "cluster": 1, "gpu": 2, "sys": 2}
"""The reach of each scope: 0 for the block, 1 for the cluster, 2 for the device."""
