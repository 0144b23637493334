"""Which elements of a matrix a lane holds, as the manual gives them for each shape of `mma`."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import ml_dtypes
import numpy as np

from tests.unit.emulator.instructions.cases import Array

Place = Callable[[int, int], list[tuple[int, int]]]
"""The (row, column) of the elements that lane `4g + t` holds, in register order."""


def pairs(
    places: list[tuple[int, int]], step: tuple[int, int], count: int
) -> list[tuple[int, int]]:
    """Each place followed by its neighbours in the same register."""
    return [(r + step[0] * i, c + step[1] * i) for r, c in places for i in range(count)]


_A: Mapping[str, Place] = {
    "m16n8k16 16": lambda g, t: pairs(
        [(g, 2 * t), (g + 8, 2 * t), (g, 2 * t + 8), (g + 8, 2 * t + 8)], (0, 1), 2
    ),
    "m16n8k8 16": lambda g, t: pairs([(g, 2 * t), (g + 8, 2 * t)], (0, 1), 2),
    "m16n8k8 32": lambda g, t: [(g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)],
    "m16n8k4 32": lambda g, t: [(g, t), (g + 8, t)],
    "m16n8k32 8": lambda g, t: pairs(
        [(g, 4 * t), (g + 8, 4 * t), (g, 4 * t + 16), (g + 8, 4 * t + 16)], (0, 1), 4
    ),
    "m16n8k16 8": lambda g, t: pairs([(g, 4 * t), (g + 8, 4 * t)], (0, 1), 4),
    "m8n8k16 8": lambda g, t: pairs([(g, 4 * t)], (0, 1), 4),
    "m16n8k64 4": lambda g, t: pairs(
        [(g, 8 * t), (g + 8, 8 * t), (g, 8 * t + 32), (g + 8, 8 * t + 32)], (0, 1), 8
    ),
    "m16n8k32 4": lambda g, t: pairs([(g, 8 * t), (g + 8, 8 * t)], (0, 1), 8),
    "m8n8k32 4": lambda g, t: pairs([(g, 8 * t)], (0, 1), 8),
    "m16n8k256 1": lambda g, t: pairs(
        [(g, 32 * t), (g + 8, 32 * t), (g, 32 * t + 128), (g + 8, 32 * t + 128)], (0, 1), 32
    ),
    "m16n8k128 1": lambda g, t: pairs([(g, 32 * t), (g + 8, 32 * t)], (0, 1), 32),
    "m8n8k128 1": lambda g, t: pairs([(g, 32 * t)], (0, 1), 32),
    "m8n8k4 64": lambda g, t: [(g, t)],
    "m16n8k4 64": lambda g, t: [(g, t), (g + 8, t)],
    "m16n8k8 64": lambda g, t: [(g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)],
    "m16n8k16 64": lambda g, t: [(g + 8 * (i % 2), t + 4 * (i // 2)) for i in range(8)],
}
_B: Mapping[str, Place] = {
    "m16n8k16 16": lambda g, t: pairs([(2 * t, g), (2 * t + 8, g)], (1, 0), 2),
    "m16n8k8 16": lambda g, t: pairs([(2 * t, g)], (1, 0), 2),
    "m16n8k8 32": lambda g, t: [(t, g), (t + 4, g)],
    "m16n8k4 32": lambda g, t: [(t, g)],
    "m16n8k32 8": lambda g, t: pairs([(4 * t, g), (4 * t + 16, g)], (1, 0), 4),
    "m16n8k16 8": lambda g, t: pairs([(4 * t, g)], (1, 0), 4),
    "m8n8k16 8": lambda g, t: pairs([(4 * t, g)], (1, 0), 4),
    "m16n8k64 4": lambda g, t: pairs([(8 * t, g), (8 * t + 32, g)], (1, 0), 8),
    "m16n8k32 4": lambda g, t: pairs([(8 * t, g)], (1, 0), 8),
    "m8n8k32 4": lambda g, t: pairs([(8 * t, g)], (1, 0), 8),
    "m16n8k256 1": lambda g, t: pairs([(32 * t, g), (32 * t + 128, g)], (1, 0), 32),
    "m16n8k128 1": lambda g, t: pairs([(32 * t, g)], (1, 0), 32),
    "m8n8k128 1": lambda g, t: pairs([(32 * t, g)], (1, 0), 32),
    "m8n8k4 64": lambda g, t: [(t, g)],
    "m16n8k4 64": lambda g, t: [(t, g)],
    "m16n8k8 64": lambda g, t: [(t, g), (t + 4, g)],
    "m16n8k16 64": lambda g, t: [(t, g), (t + 4, g), (t + 8, g), (t + 12, g)],
}
_C: Mapping[str, Place] = {
    "m16": lambda g, t: [(g, 2 * t), (g, 2 * t + 1), (g + 8, 2 * t), (g + 8, 2 * t + 1)],
    "m8n": lambda g, t: [(g, 2 * t), (g, 2 * t + 1)],
}

DTYPES: Mapping[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    "s32": np.int32,
    "s8": np.int8,
    "u8": np.uint8,
    "s4": np.int8,
    "u4": np.uint8,
    "b1": np.uint8,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
}
"""The array type of the elements of a matrix."""

_NARROW = {"s4": 4, "u4": 4, "b1": 1}


def bits_of(type_: str) -> int:
    """How many bits an element takes in a register."""
    return _NARROW.get(type_, 8 * np.dtype(DTYPES[type_]).itemsize)


def places(operand: Literal["a", "b", "c"], shape: str, type_: str) -> Place:
    """What lanes hold of A, of B or of the accumulator of a product such as `m16n8k16`."""
    if operand == "c":
        return _C[shape[:3]]
    return (_A if operand == "a" else _B)[f"{shape} {bits_of(type_)}"]


def scatter(matrix: Array, places: Place) -> Array:
    """`[32, elements]`: what each lane holds of a matrix."""
    return np.array(
        [[matrix[place] for place in places(lane // 4, lane % 4)] for lane in range(32)],
        matrix.dtype,
    )


def collect(fragment: Array, places: Place, shape: tuple[int, int]) -> Array:
    matrix = np.zeros(shape, fragment.dtype)
    for lane in range(32):
        for element, place in enumerate(places(lane // 4, lane % 4)):
            matrix[place] = fragment[lane, element]
    return matrix


def packed(elements: Array, type_: str) -> Array:
    """Elements along the last axis in registers, several to one where they are narrow."""
    if type_ not in _NARROW:
        return elements
    if type_ == "b1":
        octets = np.packbits(elements, axis=-1, bitorder="little")
    else:
        nibbles = elements.astype(np.uint8) & 0xF
        octets = nibbles[..., ::2] | nibbles[..., 1::2] << 4
    return np.ascontiguousarray(octets).view(np.uint32)


def random_matrix(type_: str, shape: tuple[int, ...], seed: int) -> Array:
    """Small numbers whose products and sums are exact in every type."""
    low, high = {"b1": (0, 2), "u4": (0, 16), "s4": (-8, 8)}.get(type_, (-4, 5))
    low = 0 if type_.startswith("u") else low
    return np.random.default_rng(seed).integers(low, high, shape).astype(DTYPES[type_])


def dot(mnemonic: str, a: Array, b: Array, c: Array) -> Array:
    """What an `mma` of exact operands computes, as doubles."""
    left, right = a.astype(np.float64), b.astype(np.float64)
    if ".xor.popc" in mnemonic:
        return (a[:, :, None] ^ b[None]).astype(np.int64).sum(axis=1) + c.astype(np.float64)
    total = left @ right + c.astype(np.float64)
    return np.clip(total, -(2.0**31), 2.0**31 - 1) if ".satfinite" in mnemonic else total


def described(mnemonic: str) -> tuple[tuple[int, int, int], str, list[str]]:
    """The extents of an `mma`, its shape, and its types `d, a, b, c`."""
    plain = re.sub(r"\.(xor|and)\.popc$", "", mnemonic)
    parts = plain.split(".")
    m, n, k = (int(extent) for extent in re.findall(r"\d+", parts[3]))
    return (m, n, k), parts[3], parts[-4:]
