"""Products and copies in tensor memory against numpy, with matrices laid out as the manual says."""

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.test_tensor_memory import HEADER, vector
from tileir_xdsl import emulator

_DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "s32": np.int32,
    "s8": np.int8,
    "u8": np.uint8,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
}
_FORMATS = {
    **{"f16": 0, "bf16": 1, "tf32": 2, "u8": 0, "s8": 1},
    **{"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5},
}
_SUMS = {"f16": 0, "f32": 1, "s32": 2}
_SWIZZLES = {0: 0, 128: 2, 64: 4, 32: 6}
_A, _B, _BYTES = 0, 32768, 65536
"""Where the factors are in shared memory, and its size."""


@dataclass(frozen=True)
class Dot:
    """One product; `transposed` is for A and B, `left` says that A is in tensor memory."""

    kind: str
    m: int
    n: int
    types: str
    swizzle: int = 0
    transposed: tuple[bool, bool] = (False, False)
    signs: tuple[int, int] = (1, 1)
    left: bool = False
    adds: bool = True
    scale: int | None = None
    disabled: tuple[int, ...] = ()
    saturate: bool = False
    suffix: str = ""
    blocks: int = 1

    @property
    def shifts_rows(self) -> bool:
        return ".ashift" in self.suffix

    @property
    def k(self) -> int:
        return 32 // np.dtype(_DTYPES[self.types.split()[1]]).itemsize

    @property
    def descriptor(self) -> int:
        d, a, b = self.types.split()
        word = _SUMS[d] << 4 | _FORMATS[a] << 7 | _FORMATS[b] << 10
        word |= self.saturate << 3 | (self.signs[0] < 0) << 13 | (self.signs[1] < 0) << 14
        word |= self.transposed[0] << 15 | self.transposed[1] << 16
        return word | self.n >> 3 << 17 | self.m >> 4 << 24

    @property
    def last_operands(self) -> str:
        """What follows the instruction descriptor."""
        disabled = ", {" + ", ".join(f"%l{i}" for i in range(len(self.disabled))) + "}"
        scale = "" if self.scale is None else f", {self.scale}"
        return f"{disabled if self.disabled else ''}, %add{scale}"

    @property
    def instruction(self) -> str:
        a = "[%left]" if self.left else "%a"
        opcode = f"tcgen05.mma.cta_group::{self.blocks}.kind::{self.kind}{self.suffix}"
        return f"{opcode} [%t], {a}, %b, %d{self.last_operands};"

    def matrix_descriptor(self, start: int, extent: int, size: int, *, transposed: bool) -> int:
        """What the image of `placed` says of itself."""
        stride, leading = (8 * (self.swizzle or 16), 16)
        if transposed:
            leading = 16 * (self.swizzle or 16) * 2
            if not self.swizzle:
                stride, leading = 256, 128
        elif not self.swizzle:
            stride, leading = 128, extent * 16
        word = start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | 1 << 46
        return word | _SWIZZLES[self.swizzle] << 61

    def placed(self, matrix: Array, *, transposed: bool) -> Array:
        """The bytes of `[extent, k]` elements in shared memory, as the descriptor tells."""
        extent, k = matrix.shape
        size, span = matrix.itemsize, self.swizzle
        image = np.zeros(_B, np.uint8)
        data = np.ascontiguousarray(matrix).view(np.uint8).reshape(extent, k, size)
        for i, j in np.ndindex(extent, k):
            if not transposed:
                byte = j * size
                if span:
                    at = i // 8 * 8 * span + i % 8 * span + byte
                else:
                    at = i // 8 * 128 + i % 8 * 16 + byte // 16 * extent * 16 + byte % 16
            else:
                byte = i * size
                if span:
                    at = byte // span * 32 * span + j // 8 * 8 * span + j % 8 * span + byte % span
                else:
                    at = byte // 16 * 256 + j // 8 * 128 + j % 8 * 16 + byte % 16
            at ^= (at >> 3) & (span - 1 & 0x70 if span else 0)
            image[at : at + size] = data[i, j]
        return image

    def kernel(self, prologue: str = "") -> str:
        """Each block copies its image, fills tensor memory, multiplies and stores all lanes."""
        group = f"cta_group::{self.blocks}"
        cluster = f".reqnctapercluster {self.blocks}, 1, 1" if self.blocks > 1 else ""
        rows, columns = self.m // self.blocks, self.n // self.blocks
        first, second = (
            self.matrix_descriptor(start, extent, 0, transposed=transposed)
            for start, extent, transposed in (
                (_A, rows, self.transposed[0]),
                (_B, columns, self.transposed[1]),
            )
        )
        sync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
        masks = "".join(f"mov.u32 %l{i}, {word};" for i, word in enumerate(self.disabled))
        arrival = f"tcgen05.commit.{group}.mbarrier::arrive::one.shared::cluster"
        commit = f"{arrival}.b64 [%m];"
        if self.blocks > 1:
            commit = f"mov.b16 %h, 3; {arrival}.multicast::cluster.b64 [%m], %h;"
        return f"""{HEADER}
.visible .entry k(.param .u64 image, .param .u64 left, .param .u64 sums, .param .u64 out)
.reqntid 128 {cluster}
{{
  .shared .align 1024 .b8 image_[{_BYTES}]; .shared .align 8 .b8 object[8];
  .shared .align 4 .b8 word[4];
  .reg .pred %first, %issues, %add, %p; .reg .b16 %h; .reg .b64 %o, %a, %b, %base;
  .reg .b32 %i, %s, %t, %x, %y, %m, %d, %left, %warp, %l<8>, %v<{self.n}>;
  mov.u32 %i, %tid.x; mov.u32 %s, image_; mov.u32 %m, object; shr.u32 %warp, %i, 5;
  setp.eq.u32 %first, %i, 0; setp.eq.u32 %p, %warp, 0; mov.u32 %x, %cluster_ctarank;
  setp.eq.and.u32 %issues, %x, 0, %first;
  @%first mbarrier.init.shared::cta.b64 [object], 1;
  fence.mbarrier_init.release.cluster;
  @%p tcgen05.alloc.{group}.sync.aligned.shared::cta.b32 [word], 512;
  ld.param.u64 %base, [image]; mov.u32 %x, %ctaid.x; mad.wide.u32 %base, %x, {_BYTES}, %base;
  mul.lo.u32 %x, %i, 16;
COPY:
  cvt.u64.u32 %o, %x; add.u64 %o, %o, %base; add.u32 %y, %s, %x;
  ld.global.v4.b32 {vector("v", 4)}, [%o]; st.shared.v4.b32 [%y], {vector("v", 4)};
  add.u32 %x, %x, 2048; setp.lt.u32 %p, %x, {_BYTES}; @%p bra COPY;
  fence.proxy.async.shared::cta;
  {sync}
  ld.shared.u32 %t, [word]; shl.b32 %y, %warp, 21; add.u32 %y, %y, %t;
  mov.u32 %x, %ctaid.x; mad.lo.u32 %x, %x, 128, %i;
  ld.param.u64 %o, [sums]; mad.wide.u32 %o, %x, {4 * self.n}, %o;
  {" ".join(f"ld.global.b32 %v{i}, [%o+{4 * i}];" for i in range(self.n))}
  {" ".join(f"tcgen05.st.sync.aligned.32x32b.x1.b32 [%y+{i}], {{%v{i}}};" for i in range(self.n))}
  ld.param.u64 %o, [left]; mad.wide.u32 %o, %x, 32, %o; add.u32 %left, %t, 256;
  {" ".join(f"ld.global.b32 %v{i}, [%o+{4 * i}];" for i in range(8))}
  tcgen05.st.sync.aligned.32x32b.x8.b32 [%y+256], {vector("v", 8)};
  tcgen05.wait::st.sync.aligned;
  tcgen05.fence::before_thread_sync;
  {sync}
  mov.u32 %d, {self.descriptor}; setp.ne.u32 %add, %d, {0 if self.adds else self.descriptor};
  shr.u32 %x, %s, 4; and.b32 %x, %x, 0x3FFF; cvt.u64.u32 %o, %x;
  mov.u64 %a, {first}; add.u64 %a, %a, %o; mov.u64 %b, {second}; add.u64 %b, %b, %o;
  {masks}
  {prologue}
  @!%issues bra OVER;
  tcgen05.fence::after_thread_sync;
  {self.instruction}
  {commit}
OVER:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [object], 0; @!%p bra OVER;
  tcgen05.fence::after_thread_sync;
  {" ".join(f"tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%v{i}}}, [%y+{i}];" for i in range(self.n))}
  tcgen05.wait::ld.sync.aligned;
  mov.u32 %x, %ctaid.x; mad.lo.u32 %x, %x, 128, %i;
  ld.param.u64 %o, [out]; mad.wide.u32 %o, %x, {4 * self.n}, %o;
  {" ".join(f"st.global.b32 [%o+{4 * i}], %v{i};" for i in range(self.n))}
  tcgen05.fence::before_thread_sync;
  {sync}
  setp.eq.u32 %p, %warp, 0;
  @%p tcgen05.relinquish_alloc_permit.{group}.sync.aligned;
  @%p tcgen05.dealloc.{group}.sync.aligned.b32 %t, 512;
  ret;
}}
"""


MMA_OPS: tuple[Dot, ...] = (
    Dot("f16", 128, 16, "f32 f16 f16"),
    Dot("f16", 128, 16, "f32 bf16 bf16", adds=False, suffix=".collector::a::fill"),
    Dot("f16", 128, 32, "f16 f16 f16", swizzle=128),
    Dot("f16", 64, 8, "f32 bf16 bf16", swizzle=64),
    Dot("f16", 128, 16, "f32 f16 bf16", swizzle=32, signs=(1, -1)),
    Dot("f16", 128, 64, "f32 f16 f16", swizzle=128, transposed=(True, True)),
    Dot("f16", 64, 16, "f32 f16 f16", transposed=(False, True), signs=(-1, 1)),
    Dot("f16", 128, 16, "f32 f16 f16", left=True),
    Dot("f16", 64, 16, "f32 bf16 bf16", left=True, suffix=".collector::a::lastuse"),
    Dot("f16", 128, 16, "f32 f16 f16", scale=3),
    Dot("f16", 128, 16, "f32 f16 f16", disabled=(0, 0xFFFFFFFF, 0x0F0F0F0F, 1)),
    Dot("tf32", 128, 16, "f32 tf32 tf32", swizzle=128),
    Dot("tf32", 64, 24, "f32 tf32 tf32", scale=0, disabled=(1, 2, 4, 8)),
    Dot("f8f6f4", 128, 16, "f32 e4m3 e5m2", swizzle=32),
    Dot("f8f6f4", 128, 16, "f16 e5m2 e4m3"),
    Dot("i8", 128, 16, "s32 s8 u8"),
    Dot("i8", 64, 8, "s32 u8 u8", saturate=True, left=True),
    Dot("f16", 256, 32, "f32 f16 f16", swizzle=128, blocks=2),
    Dot("f16", 128, 32, "f32 bf16 bf16", blocks=2),
    Dot("f16", 256, 32, "f32 f16 f16", left=True, disabled=tuple(range(8)), blocks=2),
    Dot("f16", 128, 16, "f32 f16 f16", left=True, suffix=".ashift"),
    Dot("i8", 256, 32, "s32 s8 u8", left=True, suffix=".ashift.collector::a::lastuse", blocks=2),
)


def values(type_: str, shape: tuple[int, ...], seed: int) -> Array:
    low = 0 if type_.startswith("u") else -4
    return np.random.default_rng(seed).integers(low, 5, shape).astype(_DTYPES[type_])


def cells(dot: Dot, matrix: Array) -> Array:
    """Where a result is in tensor memory: `[blocks, 128, n]`, -1 for a cell without."""
    found = np.full((dot.blocks, 128, dot.n), -1)
    rows = dot.m // dot.blocks
    for i, j in np.ndindex(dot.m, dot.n):
        block, row = divmod(i, rows)
        column = j
        if rows == 64 and dot.blocks == 2:
            row, column = row + 64 * (j // (dot.n // 2)), j % (dot.n // 2)
        elif rows == 64:
            row = row // 16 * 32 + row % 16
        found[block, row, column] = matrix[i, j]
    return found


@dataclass(frozen=True)
class Statement:
    """What a kernel gets of a product, and the cells of tensor memory that it has to find, as words.

    `images` are `[blocks, bytes]` of shared memory, `words` `[blocks, 128, 8]` of A for tensor
    memory, `sums` and `expected` `[blocks, 128, n]` of D before and after.
    """

    images: Array
    words: Array
    sums: Array
    expected: Array


def shifted_rows(dot: Dot, matrix: Array) -> Array:
    """A as an instruction with `.ashift` reads it.

    Each block shifts its own rows, of which the first one stays and the last one is not used.
    """
    if not dot.shifts_rows:
        return matrix
    rows = dot.m // dot.blocks
    return np.concatenate([part[[0, *range(rows - 1)]] for part in np.split(matrix, dot.blocks)])


def as_words(elements: Array) -> Array:
    """The elements of D, each in a cell of tensor memory."""
    return np.ascontiguousarray(elements).view(f"u{elements.itemsize}").astype(np.uint32)


def result_words(dot: Dot, old: Array, computed: Array) -> Array:
    """The cells of D after the instruction: those of disabled lanes stay as they were."""
    for block, lane in np.ndindex(dot.blocks, 128):
        if dot.disabled and dot.disabled[4 * block + lane // 32] >> lane % 32 & 1:
            computed[block, lane] = old[block, lane]
    return as_words(computed.astype(old.dtype))


def statement(dot: Dot) -> Statement:
    d, a, b = dot.types.split()
    left, right = values(a, (dot.m, dot.k), 1), values(b, (dot.n, dot.k), 2)
    blocks, rows, columns = dot.blocks, dot.m // dot.blocks, dot.n // dot.blocks
    images = np.zeros((blocks, _BYTES), np.uint8)
    words = np.zeros((blocks, 128, 8), np.uint32)
    for block in range(blocks):
        own = left[block * rows : (block + 1) * rows]
        lanes = np.arange(rows) if rows == 128 else np.arange(64) // 16 * 32 + np.arange(64) % 16
        words[block, lanes] = np.ascontiguousarray(own).view(np.uint32)
        images[block, _A : _A + _B] = dot.placed(own, transposed=dot.transposed[0])
        part = right[block * columns : (block + 1) * columns]
        images[block, _B:] = dot.placed(part, transposed=dot.transposed[1])
    left = shifted_rows(dot, left)
    old = values(d, (blocks, 128, dot.n), 3)
    index = cells(dot, np.arange(dot.m * dot.n).reshape(dot.m, dot.n))
    total = left.astype(float) @ right.astype(float).T * dot.signs[0] * dot.signs[1]
    expected = old.astype(np.float64) * 2.0 ** -(dot.scale or 0) * dot.adds
    expected = np.where(index >= 0, total.ravel()[index] + expected, old.astype(np.float64))
    return Statement(images, words, as_words(old), result_words(dot, old, expected))


def run(dot: Dot, text: str, *, late: bool = False) -> tuple[Array, Array]:
    """The result of a product and the cells that are expected, as words."""
    return launched(dot, statement(dot), text, late=late)


def launched(dot: Dot, stated: Statement, text: str, *, late: bool = False) -> tuple[Array, Array]:
    """The result of a kernel, and the cells that are expected."""
    out = np.zeros_like(stated.sums)
    arguments = [stated.images, stated.words, stated.sums, out]
    seed = 1 if late else None
    emulator.load(text).launch("k", (dot.blocks, 1, 1), arguments, late=late, warp_seed=seed)
    return out, stated.expected


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dot", MMA_OPS, ids=str)
def test_product(dot: Dot):
    text = dot.kernel()
    for late in (False, True):
        found, expected = run(dot, text, late=late)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("saturate", [False, True])
def test_integer_sums_wrap_or_saturate(saturate: bool):
    dot = Dot("i8", 128, 16, "s32 s8 s8", saturate=saturate)
    images, words = np.ones((1, _BYTES), np.uint8), np.zeros((128, 8), np.uint32)
    sums = np.full((1, 128, 16), 2**31 - 1, np.int32)
    out = np.zeros_like(sums)
    emulator.load(dot.kernel()).launch("k", (1, 1, 1), [images, words, sums, out])
    assert (out == (2**31 - 1 if saturate else -(2**31) + 31)).all()


def test_a_result_without_its_wait_is_old():
    dot = MMA_OPS[0]
    text = dot.kernel().replace("@!%p bra OVER;\n", "\n")
    np.testing.assert_array_equal(*run(dot, text))
    found, expected = run(dot, text, late=True)
    assert (found != expected).any()


# Copies in place of the product: bytes of a row, and the row of the descriptor's matrix for each
# lane, or -1 for none.
_LANES = np.arange(128)
COPIES: dict[str, tuple[int, Array]] = {
    "128x256b": (32, _LANES),
    "128x128b": (16, _LANES),
    "64x128b.warpx2::02_13": (16, _LANES % 64),
    "64x128b.warpx2::01_23": (16, _LANES // 64 * 32 + _LANES % 32),
    "32x128b.warpx4": (16, _LANES % 32),
    "4x256b": (32, np.where(_LANES % 32 == 0, _LANES // 32, -1)),
}


def copy_kernel(shape: str) -> str:
    text = MMA_OPS[0].kernel()
    return text.replace(MMA_OPS[0].instruction, f"tcgen05.cp.cta_group::1.{shape} [%t+2], %a;")


def copied(shape: str, image: Array, old: Array) -> Array:
    """The cells after a copy to column 2 from bytes of shared memory."""
    size, rows = COPIES[shape]
    cells = old.copy()
    for lane in np.flatnonzero(rows >= 0):
        # Without swizzling rows are 16 bytes wide, and the next 16 bytes follow 128 rows later.
        for part in range(size // 16):
            start = int(rows[lane]) * 16 + part * 2048
            words = image[start : start + 16].view(np.uint32)
            cells[lane, 2 + 4 * part : 6 + 4 * part] = words
    return cells


@pytest.mark.parametrize("shape", COPIES)
@pytest.mark.parametrize("late", [False, True])
def test_copy(shape: str, late: bool):
    image = np.random.default_rng(0).integers(0, 256, (1, _BYTES)).astype(np.uint8)
    old = np.arange(128 * 16, dtype=np.uint32).reshape(1, 128, 16)
    out = np.zeros_like(old)
    args = [image, np.zeros((128, 8), np.uint32), old, out]
    emulator.load(copy_kernel(shape)).launch("k", (1, 1, 1), args, late=late)
    np.testing.assert_array_equal(out[0], copied(shape, image[0], old[0]))


SHIFT = "tcgen05.shift.cta_group::1.down [%t+0x400003];"


def test_shift():
    text = MMA_OPS[0].kernel().replace(MMA_OPS[0].instruction, SHIFT)
    old = np.arange(128 * 16, dtype=np.uint32).reshape(128, 16)
    out = np.zeros_like(old)
    args = [np.zeros(_BYTES, np.uint8), np.zeros((128, 8), np.uint32), old, out]
    emulator.load(text).launch("k", (1, 1, 1), args)
    expected = old.copy()
    expected[65:96, 3:11] = old[64:95, 3:11]
    np.testing.assert_array_equal(out, expected)


def built_kernels() -> list[str]:
    texts = [dot.kernel() for dot in MMA_OPS]
    texts += [copy_kernel(shape) for shape in COPIES]
    generic = MMA_OPS[0].kernel().replace("one.shared::cluster.b64 [%m]", "one.b64 [%o]")
    generic = generic.replace(
        "tcgen05.commit", "cvt.u64.u32 %o, %m; cvta.shared.u64 %o, %o; tcgen05.commit"
    )
    return [*texts, generic, MMA_OPS[0].kernel().replace(MMA_OPS[0].instruction, SHIFT)]


def test_a_commit_takes_generic_addresses():
    np.testing.assert_array_equal(*run(MMA_OPS[0], built_kernels()[-2]))


_SET = "mov.u32 %d, {};"
FAULTS: dict[str, tuple[str, str]] = {
    "rows": (_SET.format(8 << 17 | 2 << 24 | 16), "an mma has 64 or 128 rows, not 32"),
    "columns": (_SET.format(1 << 17 | 8 << 24 | 16), "an mma with 128 rows cannot have 8"),
    "type": (
        _SET.format(7 << 7 | 2 << 17 | 8 << 24 | 16),
        "kind::f16 does not support type 7 for matrix a",
    ),
    "sums": (_SET.format(2 << 17 | 8 << 24 | 32), "kind::f16 does not support type 2 for matrix d"),
    "sparse": (_SET.format(4 | 2 << 17 | 8 << 24 | 16), "bit 2 says that A is sparse"),
    "constant": ("mov.u64 %a, 0;", "wrong matrix descriptor: bits 46 to 48 are 1"),
    "swizzle": ("mov.u64 %a, 0x2000400000000000;", "swizzle mode 1 is not supported"),
    "offset": ("mov.u64 %b, 0x0002400000000000;", "a matrix begins at a multiple of its swizzle"),
    "absolute": ("mov.u64 %b, 0x0010400000000000;", "an absolute leading offset is not supported"),
    "bounds": ("mov.u64 %a, 0x00007FFF00003FFF;", "the matrix reaches to byte"),
    "lane": ("add.u32 %t, %t, 0x10000;", "lane 128, column 15 is outside of tensor memory"),
    "column": ("add.u32 %t, %t, 500;", "lane 127, column 515 is outside of tensor memory"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str):
    prologue, message = FAULTS[name]
    with pytest.raises(emulator.EmulatorError) as raised:
        run(MMA_OPS[0], MMA_OPS[0].kernel(prologue))
    assert message in raised.value.message
    assert raised.value.instruction is not None
    assert raised.value.instruction.startswith("tcgen05.mma")


def test_a_product_of_a_pair_needs_a_cluster():
    text = MMA_OPS[-1].kernel().replace(".reqnctapercluster 2, 1, 1", "")
    with pytest.raises(emulator.EmulatorError, match="needs a cluster of an even size"):
        run(MMA_OPS[-1], text)


@pytest.mark.parametrize(
    ("dot", "message"),
    [
        (
            Dot("f16", 64, 16, "f32 f16 f16", left=True, suffix=".ashift"),
            "an mma that shifts the rows of A has 128 rows, not 64",
        ),
        (
            Dot("f16", 128, 32, "f32 f16 f16", left=True, suffix=".ashift", blocks=2),
            "an mma that shifts the rows of A has 256 rows, not 128",
        ),
        (
            Dot("f16", 128, 16, "f32 f16 f16", suffix=".ashift"),
            "rows of A can be shifted only if A is in tensor memory",
        ),
    ],
)
def test_rows_that_are_not_shifted(dot: Dot, message: str):
    with pytest.raises(emulator.EmulatorError, match=message):
        run(dot, dot.kernel())


def test_operands_of_a_product():
    for wrong, message in (
        ("%d;", "takes the operands"),
        ("%d, {%l0, %l1, %l2}, %add;", "expected a vector of 4 operands, found 3"),
        ("%d, %add, 16;", "expected a scale of D from 0 to 15"),
        (
            "%d, {%l0, %l1, %l2, %l3};",
            "expected a predicate that says whether to add to D, then at most a scale of D",
        ),
    ):
        text = MMA_OPS[0].kernel().replace("%d, %add;", wrong)
        with pytest.raises(emulator.EmulatorError, match=message):
            run(MMA_OPS[0], text)
