"""Products of factors with few bits and with scales, lane by lane as the manual gives them."""

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tileir_xdsl import emulator

# Numpy's type of a factor, its bits, and where they are in a byte.
_OPERANDS: dict[str, tuple[Any, int, int]] = {
    "e4m3": (ml_dtypes.float8_e4m3fn, 8, 0),
    "e5m2": (ml_dtypes.float8_e5m2, 8, 0),
    "e3m2": (ml_dtypes.float6_e3m2fn, 6, 0),
    "e2m3": (ml_dtypes.float6_e2m3fn, 6, 0),
    "e2m1": (ml_dtypes.float4_e2m1fn, 4, 2),
}


@dataclass(frozen=True)
class Dot:
    """One `mma`: its qualifiers after `.aligned`, the types of both factors and of the scales, how
    many scales a row has, and from which byte and thread those of A and of B come."""

    qualifiers: str
    types: str
    count: int = 0
    selectors: tuple[int, int, int, int] = (0, 0, 0, 0)
    result: str = "f32"
    version: str = "8.8"

    @property
    def packed(self) -> int:
        return 8 if "k64" in self.qualifiers else 4

    @property
    def k(self) -> int:
        return 8 * self.packed

    @property
    def mnemonic(self) -> str:
        a, b, *scales = self.types.split()
        types = ".".join([self.result, a, b, self.result, *scales])
        return f"mma.sync.aligned.{self.qualifiers}.{types}"

    def kernel(self) -> str:
        """Each lane loads A, B, C and both words of scales, and stores D."""
        sums = 4 if self.result == "f32" else 2
        kind = "f32" if self.result == "f32" else "b32"
        names = [f"%a{i}" for i in range(4)] + ["%b0", "%b1"] + [f"%c{i}" for i in range(sums)]
        names += ["%x", "%y"]
        loads = " ".join(
            f"ld.global.{kind if 'c' in name else 'b32'} {name}, [%p+{4 * i}];"
            for i, name in enumerate(names)
        )
        c = "{" + ", ".join(f"%c{i}" for i in range(sums)) + "}"
        first, second = self.selectors[:2], self.selectors[2:]
        scales = f", %x, {{{first[0]}, {first[1]}}}, %y, {{{second[0]}, {second[1]}}}"
        end = scales if self.count else ""
        return f""".version {self.version}
.target sm_120a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) .reqntid 32
{{
  .reg .b64 %p, %q; .reg .b32 %i, %x, %y, %a<4>, %b<2>; .reg .{kind} %c<4>;
  mov.u32 %i, %tid.x; ld.param.u64 %p, [in]; mad.wide.u32 %p, %i, {4 * len(names)}, %p;
  ld.param.u64 %q, [out]; mad.wide.u32 %q, %i, {4 * sums}, %q;
  {loads}
  {self.mnemonic} {c}, {{%a0, %a1, %a2, %a3}}, {{%b0, %b1}}, {c}{end};
  {" ".join(f"st.global.{kind} [%q+{4 * i}], %c{i};" for i in range(sums))}
  ret;
}}
"""


_F8F6F4 = "m16n8k32.row.col.kind::f8f6f4"
_MXF8F6F4 = "m16n8k32.row.col.kind::mxf8f6f4.block_scale"
_MXF4 = "m16n8k64.row.col.kind::mxf4.block_scale"
_NVF4 = "m16n8k64.row.col.kind::mxf4nvf4.block_scale"
MMA_OPS: tuple[Dot, ...] = (
    Dot(_F8F6F4, "e5m2 e2m1"),
    Dot(_F8F6F4, "e3m2 e2m3", result="f16"),
    Dot("kind::f8f6f4.m16n8k32.row.col", "e4m3 e3m2"),
    Dot(f"{_MXF8F6F4}.scale_vec::1X", "e4m3 e5m2 ue8m0", 1, (3, 1, 2, 3)),
    Dot(_MXF8F6F4, "e2m3 e2m1 ue8m0", 1, (1, 0, 0, 1)),
    Dot(
        "kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col",
        "e4m3 e4m3 ue8m0",
        1,
        (0, 1, 3, 0),
    ),
    Dot(f"{_MXF4}.scale_vec::2X", "e2m1 e2m1 ue8m0", 2, (2, 1, 0, 2)),
    Dot("kind::mxf4.block_scale.m16n8k64.row.col", "e2m1 e2m1 ue8m0", 2),
    Dot(f"{_NVF4}.scale_vec::4X", "e2m1 e2m1 ue4m3", 4, (0, 1, 0, 1)),
    Dot(f"{_NVF4}.scale_vec::4X", "e2m1 e2m1 ue8m0", 4, version="9.1"),
    Dot(f"{_NVF4}.scale_vec::2X", "e2m1 e2m1 ue8m0", 2, (2, 0, 2, 1)),
    Dot("kind::mxf4nvf4.block_scale.scale_vec::2X.m16n8k64.row.col", "e2m1 e2m1 ue8m0", 2),
    Dot("kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col", "e2m1 e2m1 ue4m3", 4),
)


def operand(name: str, shape: tuple[int, int], seed: int) -> tuple[Array, Array]:
    """The bits of a matrix, and its values."""
    dtype, bits, _ = _OPERANDS[name]
    values = np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)
    return values.view(np.uint8) & ((1 << bits) - 1), values.astype(np.float64)


def words(bits: Array, name: str, packed: int, lane: int, *, left: bool) -> list[int]:
    """The registers of a lane; `bits` is `[16, k]` of A, or `[k, 8]` of B."""
    g, t = lane // 4, lane % 4
    result: list[int] = []
    for register in range(4 if left else 2):
        start = packed * t + 4 * packed * (register // 2 if left else register)
        row = g + 8 * (register % 2)
        numbers = [int(bits[row, start + e] if left else bits[start + e, g]) for e in range(packed)]
        shift = 0 if packed == 8 else _OPERANDS[name][2]
        width = 32 // packed
        result.append(sum(number << shift + width * e for e, number in enumerate(numbers)))
    return result


def scales(dot: Dot, extent: int, seed: int) -> tuple[Array, Array]:
    """Bytes and values of the scales of each row or column, `[extent, count]`."""
    generator = np.random.default_rng(seed)
    if dot.types.endswith("ue8m0"):
        exponents = generator.integers(-2, 3, (extent, dot.count))
        return (exponents + 127).astype(np.uint8), 2.0**exponents
    values = generator.integers(1, 9, (extent, dot.count)).astype(ml_dtypes.float8_e4m3fn)
    return values.view(np.uint8), values.astype(np.float64)


def statement(dot: Dot) -> tuple[Array, Array]:
    """What the lanes hold: A, B, C and both words of scales, `[32, registers]`; and their sums."""
    a_name, b_name = dot.types.split()[:2]
    a_bits, a = operand(a_name, (16, dot.k), 1)
    b_bits, b = operand(b_name, (dot.k, 8), 2)
    c = np.random.default_rng(3).integers(-4, 5, (16, 8)).astype(np.float64)
    a_words, b_words = np.full(32, 0x55555555, np.uint32), np.full(32, 0x66666666, np.uint32)
    expected_a, expected_b = a, b
    if dot.count:
        a_scale_bits, a_scales = scales(dot, 16, 4)
        b_scale_bits, b_scales = scales(dot, 8, 5)
        expected_a = a * np.repeat(a_scales, dot.k // dot.count, axis=1)
        expected_b = b * np.repeat(b_scales, dot.k // dot.count, axis=1).T
        a_byte, a_thread, b_byte, b_thread = dot.selectors
        for row in range(16):
            lane = row % 8 * 4 + 2 * a_thread + row // 8
            octets = a_words[lane : lane + 1].view(np.uint8)
            octets[a_byte : a_byte + dot.count] = a_scale_bits[row]
        for column in range(8):
            octets = b_words[4 * column + b_thread :][:1].view(np.uint8)
            octets[b_byte : b_byte + dot.count] = b_scale_bits[column]
    dtype = np.float32 if dot.result == "f32" else np.float16
    rows = np.array([[lane // 4 + 8 * (e // 2) for e in range(4)] for lane in range(32)])
    columns = np.array([[2 * (lane % 4) + e % 2 for e in range(4)] for lane in range(32)])
    sums = np.ascontiguousarray(c[rows, columns].astype(dtype)).view(np.uint32)
    data = np.zeros((32, 8 + sums.shape[1]), np.uint32)
    for lane in range(32):
        data[lane, :4] = words(a_bits, a_name, dot.packed, lane, left=True)
        data[lane, 4:6] = words(b_bits, b_name, dot.packed, lane, left=False)
        data[lane, 6:-2] = sums[lane]
        data[lane, -2:] = a_words[lane], b_words[lane]
    expected = (expected_a @ expected_b + c)[rows, columns].astype(dtype)
    return data, expected


@pytest.mark.parametrize("dot", MMA_OPS, ids=lambda dot: dot.mnemonic)
def test_product(dot: Dot):
    data, expected = statement(dot)
    out = np.zeros_like(expected)
    emulator.load(dot.kernel()).launch("k", (1, 1, 1), [data, out])
    np.testing.assert_array_equal(out, expected)
