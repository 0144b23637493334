"""Products with scales in tensor memory, and how factors of few bits are packed."""

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions import test_tcgen05_mma
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.test_tcgen05_mma import Statement
from tileir_xdsl import emulator

_PLAIN = test_tcgen05_mma.MMA_OPS[0]
_B, _BYTES, _N = 32768, 65536, 16
_TYPES: dict[str, tuple[Any, int, int]] = {
    # Numpy's type, its bits, and its number in a descriptor of kind mxf8f6f4.
    "e4m3": (ml_dtypes.float8_e4m3fn, 8, 0),
    "e5m2": (ml_dtypes.float8_e5m2, 8, 1),
    "e2m3": (ml_dtypes.float6_e2m3fn, 6, 3),
    "e3m2": (ml_dtypes.float6_e3m2fn, 6, 4),
    "e2m1": (ml_dtypes.float4_e2m1fn, 4, 5),
}


@dataclass(frozen=True)
class Dot:
    """One product of 128 rows and 16 columns, with `count` scales from a byte of their words on."""

    qualifiers: str
    types: str
    count: int
    first: tuple[int, int] = (0, 0)
    scales: str = "ue8m0"
    signs: tuple[int, int] = (1, 1)

    @property
    def k(self) -> int:
        return 32 if "mxf8f6f4" in self.qualifiers else 64

    @property
    def descriptor(self) -> int:
        a, b = (_TYPES[name][2] if self.k == 32 else 1 for name in self.types.split())
        word = a << 7 | b << 10 | _N >> 3 << 17 | 1 << 27 | (self.scales == "ue8m0") << 23
        word |= (self.signs[0] < 0) << 13 | (self.signs[1] < 0) << 14
        return word | self.first[0] << 29 | self.first[1] << 4

    def kernel(self, prologue: str = "") -> str:
        """Scales of A are in columns 256 to 259, those of B in column 260."""
        opcode = f"tcgen05.mma.cta_group::1.kind::{self.qualifiers}"
        scaled = f"mov.u32 %d, {self.descriptor}; {prologue} {opcode} [%t], %a, %b, %d, [%t+256], [%t+260], %add;"
        return _PLAIN.kernel().replace(_PLAIN.instruction, scaled)


MMA_OPS: tuple[Dot, ...] = (
    Dot("mxf8f6f4.block_scale", "e4m3 e5m2", 1, (3, 2)),
    Dot("mxf8f6f4.block_scale.scale_vec::1X", "e2m3 e3m2", 1, (1, 0), signs=(-1, 1)),
    Dot("mxf8f6f4.block_scale.block32", "e2m1 e4m3", 1, (0, 1)),
    Dot("mxf4.block_scale.collector::a::fill", "e2m1 e2m1", 2, (2, 0), signs=(1, -1)),
    Dot("mxf4.block_scale.scale_vec::2X", "e2m1 e2m1", 2),
    Dot("mxf4nvf4.block_scale.scale_vec::2X", "e2m1 e2m1", 2, (0, 2)),
    Dot("mxf4nvf4.block_scale.block16", "e2m1 e2m1", 4, scales="ue4m3"),
)


def values(name: str, shape: tuple[int, int], seed: int) -> Array:
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(_TYPES[name][0])


def packed(matrix: Array, name: str, k: int) -> Array:
    """Rows of 32 bytes: numbers one after the other, or sixteen of them in every 16 bytes."""
    bits = _TYPES[name][1]
    rows = np.zeros((len(matrix), 32), np.uint8)
    for row, numbers in enumerate(matrix.view(np.uint8)):
        for start in range(0, k, 16 if k == 32 else 64):
            word = 0
            for position, number in enumerate(numbers[start : start + (16 if k == 32 else 64)]):
                word |= (int(number) & ((1 << bits) - 1)) << bits * position
            size = 16 if k == 32 else 32
            data = np.frombuffer(word.to_bytes(size, "little"), np.uint8)
            rows[row, start : start + size] = data
    return rows


def statement(dot: Dot) -> Statement:
    """The scales are where A would be in tensor memory."""
    a_name, b_name = dot.types.split()
    a, b = values(a_name, (128, dot.k), 1), values(b_name, (_N, dot.k), 2)
    generator = np.random.default_rng(3)
    image = np.zeros(_BYTES, np.uint8)
    image[:_B] = _PLAIN.placed(packed(a, a_name, dot.k), transposed=False)
    image[_B:] = _PLAIN.placed(packed(b, b_name, dot.k), transposed=False)
    words = np.zeros((128, 8), np.uint32)
    octets = words.view(np.uint8).reshape(128, 8, 4)
    operands: list[Array] = []
    for extent, column, first, matrix in ((128, 0, 0, a), (_N, 4, 1, b)):
        if dot.scales == "ue8m0":
            bits = generator.integers(124, 131, (extent, dot.count)).astype(np.uint8)
            scales = 2.0 ** (bits.astype(float) - 127)
        else:
            numbers = generator.integers(1, 9, (extent, dot.count)).astype(ml_dtypes.float8_e4m3fn)
            bits, scales = numbers.view(np.uint8), numbers.astype(float)
        for row in range(extent):
            start = dot.first[first]
            place = octets[row % 32, column + row // 32]
            place[start : start + dot.count] = bits[row]
        operands.append(matrix.astype(float) * np.repeat(scales, dot.k // dot.count, axis=1))
    sums = generator.integers(-4, 5, (128, 16)).astype(np.float32)
    sign = dot.signs[0] * dot.signs[1]
    expected = (operands[0] @ operands[1].T * sign + sums).astype(np.float32)
    return Statement(image[None], words[None], sums[None], expected[None])


def run(dot: Dot, text: str, *, late: bool = False) -> tuple[Array, Array]:
    """What is found in tensor memory, and what is expected there."""
    stated = statement(dot)
    out = np.zeros_like(stated.sums)
    arguments = [stated.images, stated.words, stated.sums, out]
    emulator.load(text).launch("k", (1, 1, 1), arguments, late=late)
    return out, stated.expected


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("dot", MMA_OPS, ids=lambda dot: dot.qualifiers)
def test_product(dot: Dot, late: bool):
    np.testing.assert_array_equal(*run(dot, dot.kernel(), late=late))


def built_kernels() -> list[str]:
    return [dot.kernel() for dot in MMA_OPS]


FAULTS = {
    "or.b32 %d, %d, 0x100;": "kind::mxf8f6f4 does not support A of type 2 with B of type 1",
    "or.b32 %d, %d, 0x10000000;": "a block-scaled mma has 128 rows, and 8 to 256 columns in steps of 8",
    "or.b32 %d, %d, 0x8000;": "a block-scaled mma does not support transposed matrices",
    "add.u32 %t, %t, 255;": "lane 31, column 514 is outside of tensor memory",
}


@pytest.mark.parametrize("prologue", FAULTS)
def test_fault(prologue: str):
    with pytest.raises(emulator.EmulatorError) as raised:
        run(MMA_OPS[0], MMA_OPS[0].kernel(prologue))
    assert FAULTS[prologue] in raised.value.message


def test_scales_are_in_one_word():
    dot = Dot("mxf4.block_scale", "e2m1 e2m1", 2)
    text = dot.kernel("or.b32 %d, %d, 0x60000000;")
    with pytest.raises(emulator.EmulatorError, match="scales reach into the next word"):
        run(dot, text)
