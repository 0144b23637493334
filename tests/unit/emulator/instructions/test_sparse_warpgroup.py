"""Products of a warpgroup with a sparse factor: the stored elements in shared memory or registers."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.test_sparse_matrix import (
    RESULTS,
    TYPES,
    compressed,
    random_values,
    raw_bits,
    words,
)
from tileir_xdsl import emulator

_A, B_START, _BYTES = 0, 16384, 49152
"""Where the factors are in shared memory, and its size."""
_MODES = {0: 0, 128: 1, 64: 2, 32: 3}
_NO_TRANSPOSITION = ("s8", "u8")


@dataclass(frozen=True)
class Dot:
    """`d = a @ b.T` with a `[64, k]`, of which half is stored, and b `[n, k]`.

    `span` and `major` are the swizzle and the order of both factors in shared memory. `saturate`
    says on which side of the types `.satfinite` is.
    """

    types: tuple[str, str, str]
    n: int
    span: int = 0
    major: Literal["k", "mn"] = "k"
    registers: bool = False
    selector: int = 0
    negate: tuple[int, int] = (1, 1)
    saturate: Literal["", "before", "after"] = ""
    adds: bool = True

    @property
    def k(self) -> int:
        """64 bytes of a dense row."""
        return 512 // TYPES[self.types[1]][1]

    @property
    def sums(self) -> int:
        return self.n // (4 if self.types[0] == "f16" else 2)

    @property
    def shape(self) -> str:
        return f"m64n{self.n}k{self.k}"

    def placed(self, matrix: Array, start: int) -> tuple[Array, int]:
        """Where each byte of `[extent, k]` elements is in shared memory, and the descriptor."""
        extent, k = matrix.shape
        size, width = matrix.itemsize, self.span or 16
        i, j, byte = np.ogrid[:extent, :k, :size]
        if self.major == "k":
            row, column = i, j * size + byte
            leading, stride = extent * width, 8 * width
            at = row // 8 * stride + row % 8 * width + column // width * leading + column % width
        else:
            row, column = j, i * size + byte
            leading, stride = (k * width, 8 * width) if self.span else (128, 16 * k)
            outer, inner = (leading, stride) if self.span else (stride, leading)
            at = column // width * outer + row // 8 * inner + row % 8 * width + column % width
        at = at ^ (at >> 3 & (self.span - 1 & 0x70 if self.span else 0))
        word = start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | _MODES[self.span] << 62
        return start + at, word

    @property
    def descriptors(self) -> tuple[int, int]:
        """Those of A and B in an image that begins at 0."""
        _, a, b = self.types
        left, right = (
            self.placed(np.zeros((extent, k), TYPES[type_][0]), start)[1]
            for type_, extent, k, start in ((a, 64, self.k // 2, _A), (b, self.n, self.k, B_START))
        )
        return left, right

    def kernel(self) -> str:
        d, a, b = self.types
        kind = "f" if d == "f32" else "b"
        left, right = self.descriptors
        vector = "{" + ", ".join(f"%d{i}" for i in range(self.sums)) + "}"
        first = "{%a0, %a1, %a2, %a3}" if self.registers else "%x"
        operands = f"{vector}, {first}, %y, %e, {self.selector}, {'1' if self.adds else '%none'}"
        if a not in _NO_TRANSPOSITION:
            operands += f", {self.negate[0]}, {self.negate[1]}"
        if a in ("f16", "bf16"):
            transposed = str(int(self.major == "mn"))
            operands += f", {transposed}" * (1 if self.registers else 2)
        before, after = (".satfinite" * (self.saturate == side) for side in ("before", "after"))
        types = f"{before}.{d}.{a}.{b}{after}"
        return f""".version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 image, .param .u64 left, .param .u64 sums) .reqntid 128
{{
  .shared .align 1024 .b8 buffer[{_BYTES}];
  .reg .b64 %p, %q, %x, %y; .reg .b32 %i, %s, %t, %e, %a<4>, %v<4>; .reg .pred %none, %more;
  .reg .{kind}32 %d<{self.sums}>;
  mov.u32 %i, %tid.x; setp.ne.u32 %none, %i, %i; mov.u32 %s, buffer; mul.lo.u32 %t, %i, 16;
COPY:
  ld.param.u64 %p, [image]; cvt.u64.u32 %q, %t; add.u64 %p, %p, %q; add.u32 %e, %s, %t;
  ld.global.v4.b32 {{%v0, %v1, %v2, %v3}}, [%p]; st.shared.v4.b32 [%e], {{%v0, %v1, %v2, %v3}};
  add.u32 %t, %t, 2048; setp.lt.u32 %more, %t, {_BYTES}; @%more bra COPY;
  fence.proxy.async.shared::cta; bar.sync 0;
  ld.param.u64 %p, [left]; mad.wide.u32 %p, %i, 20, %p;
  ld.param.u64 %q, [sums]; mad.wide.u32 %q, %i, {4 * self.sums}, %q;
  ld.global.b32 %e, [%p+16];
  {" ".join(f"ld.global.b32 %a{i}, [%p+{4 * i}];" for i in range(4))}
  {" ".join(f"ld.global.{kind}32 %d{i}, [%q+{4 * i}];" for i in range(self.sums))}
  cvt.u64.u32 %p, %s; shr.u64 %p, %p, 4;
  mov.b64 %x, {left:#x}; add.u64 %x, %x, %p; mov.b64 %y, {right:#x}; add.u64 %y, %y, %p;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sp.sync.aligned.{self.shape}{types} {operands};
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  {" ".join(f"st.global.{kind}32 [%q+{4 * i}], %d{i};" for i in range(self.sums))}
  ret;
}}
"""


@dataclass(frozen=True)
class Statement:
    """What a kernel is given, and what it leaves in the accumulators, `[128, registers]`.

    `image` is shared memory; `left` (`[128, 5]`) has the registers of A and the metadata.
    """

    image: Array
    left: Array
    sums: Array
    expected: Array


def statement(dot: Dot, bits: Array | None = None) -> Statement:
    """A product of random matrices; `bits` replaces the metadata of the chunks."""
    d, a, b = dot.types
    stored, drawn, dense = compressed(a, (64, dot.k), False, dot.n)
    right = random_values(b, (dot.n, dot.k), 1)
    image = np.zeros(_BYTES, np.uint8)
    for matrix, start in ((stored, _A), (right, B_START)):
        raw = np.ascontiguousarray(matrix).view(np.uint8).reshape(*matrix.shape, matrix.itemsize)
        image[dot.placed(matrix, start)[0]] = raw
    bits = drawn if bits is None else bits
    left = np.random.default_rng(2).integers(0, 1 << 32, (128, 5)).astype(np.uint32)
    size = TYPES[a][1]
    thread = np.arange(128)[:, None]
    row, lane = thread // 32 * 16 + thread % 32 // 4, thread % 4
    register = np.arange(4)
    rows = row + 8 * (register % 2)
    left[:, :4] = words(raw_bits(stored, a), size)[rows, lane + 4 * (register // 2)]
    # Metadata by rows, in words of 8 chunks or in halves of 4.
    of_rows = words(bits, 4)
    if size == 8:
        left[:, 4:] = of_rows[row + 8 * (lane % 2), lane // 2]
    else:
        halves = of_rows.view(np.uint16).astype(np.uint32)
        both = halves[row, lane % 2] | halves[row + 8, lane % 2] << np.uint32(16)
        left[:, 4:] = np.where(lane // 2 == dot.selector, both, left[:, 4:])
    dtype = RESULTS[d]
    old = np.random.default_rng(3).integers(-4, 5, (64, dot.n)).astype(dtype)
    elements = np.arange(dot.n // 2)
    rows = thread // 32 * 16 + thread % 32 // 4 + 8 * (elements // 2 % 2)
    columns = 8 * (elements // 4) + 2 * (thread % 4) + elements % 2
    sums = np.ascontiguousarray(old[rows, columns]).view(np.uint32)
    total = dense @ right.astype(np.float64).T * dot.negate[0] * dot.negate[1]
    expected = (total + old.astype(np.float64) * dot.adds).astype(dtype)
    return Statement(image, left, sums, np.ascontiguousarray(expected[rows, columns]))


def run(
    dot: Dot, bits: Array | None = None, *, late: bool = False, races: bool = False
) -> tuple[Array, Array]:
    """The accumulators, and what they should be."""
    given = statement(dot, bits)
    sums = given.sums.copy()
    arguments = [given.image, given.left, sums]
    emulator.load(dot.kernel()).launch("k", (1, 1, 1), arguments, late=late, races=races)
    return sums.view(given.expected.dtype), given.expected


TYPES_OF_MMAS = (
    ("f32", "f16", "f16"),
    ("f16", "f16", "f16"),
    ("f32", "bf16", "bf16"),
    ("f32", "tf32", "tf32"),
    *((d, a, b) for d in ("f16", "f32") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
    *(("s32", a, b) for a in ("s8", "u8") for b in ("s8", "u8")),
)
_COLUMNS = (8, 24, 16, 64, 128, 32)
_BASE = tuple(
    Dot(types, _COLUMNS[index % len(_COLUMNS)], registers=registers)
    for index, types in enumerate(TYPES_OF_MMAS)
    for registers in (False, True)
)
MMA_OPS: tuple[Dot, ...] = (
    *_BASE,
    *(replace(dot, selector=1, n=8) for dot in _BASE if TYPES[dot.types[1]][1] > 8),
    *(Dot(("f32", "f16", "f16"), 40, span) for span in (32, 64, 128)),
    *(Dot(("s32", "s8", "u8"), 48, span) for span in (32, 64, 128)),
    *(Dot(("f32", "bf16", "bf16"), 64, span, "mn") for span in (0, 32, 64, 128)),
    Dot(("f32", "f16", "f16"), 64, 0, "mn", registers=True, negate=(1, -1)),
    Dot(("f32", "tf32", "tf32"), 8, negate=(-1, 1), adds=False),
    Dot(("s32", "s8", "s8"), 8, saturate="before", adds=False),
    Dot(("s32", "u8", "s8"), 8, saturate="after"),
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dot", MMA_OPS, ids=str)
def test_product(dot: Dot):
    found, expected = run(dot)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("late", [False, True])
def test_races(late: bool):
    dot = Dot(("f32", "bf16", "bf16"), 16, 128, selector=1)
    found, expected = run(dot, late=late, races=True)
    np.testing.assert_array_equal(found, expected)


def test_metadata_without_a_meaning():
    dot = Dot(("f32", "e4m3", "e5m2"), 8)
    bits = np.full((64, 16), 0b0100)
    bits[37, 11] = 0b0101
    message = "the metadata of row 37 and columns 44 to 47 of A is 0b0101, not one of 0b0001"
    with pytest.raises(emulator.EmulatorError, match=message) as raised:
        run(dot, bits)
    assert raised.value.location is not None
    assert (raised.value.location.warp, raised.value.location.lane) == (2, 4 * 5 + 2)
    lines = dot.kernel().splitlines()
    assert raised.value.line is not None and "wgmma.mma_async.sp" in lines[raised.value.line - 1]


@pytest.mark.parametrize(("type_", "allowed"), [("f16", "a constant from 0 to 1"), ("e4m3", "0")])
def test_selector(type_: str, allowed: str):
    dot = Dot(("f32", type_, type_), 8, selector=2)
    message = f"the sparsity selector of {dot.shape} on {type_} must be {allowed}"
    with pytest.raises(emulator.EmulatorError, match=message):
        run(dot)
