"""Products in tensor memory with a sparse factor, and weight stationary ones, against numpy."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import numpy as np
import pytest

from tests.unit.emulator.instructions import test_tcgen05_mma, test_tcgen05_scaled_mma
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.test_sparse_matrix import (
    RESULTS,
    TYPES,
    chunk_width,
    expanded,
    packed,
    random_values,
)
from tests.unit.emulator.instructions.test_tcgen05_mma import (
    Statement,
    as_words,
    launched,
    result_words,
    shifted_rows,
)
from tileir_xdsl import emulator

_A, _B, METADATA, _BYTES = 0, 32768, 61440, 65536
"""Where the factors and the metadata are in the image of shared memory, and its size."""
_COLUMN = 264
"""Where the metadata goes in tensor memory."""
MEANINGFUL = (0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b0110, 0b1110)


@dataclass(frozen=True)
class ColumnMask:
    """The fields of a mask of zero columns."""

    starts: tuple[int, ...] = (0,)
    firsts: tuple[int, ...] = (0,)
    skip: int = 0
    use: int = 0
    shift: int = 0
    present: bool = True

    @property
    def word(self) -> int:
        word = self.present << 39 | self.skip << 40 | self.use << 48 | self.shift << 56
        for index, (start, first) in enumerate(zip(self.starts, self.firsts, strict=True)):
            word |= start << 8 * index | first << (32 + index)
        return word

    def zeros(self, n: int) -> Array:
        """The columns that are zero, as the examples of the manual have them."""
        found: list[int] = []
        for start, first in zip(self.starts, self.firsts, strict=True):
            spans = [0] * (self.use + 1), [1] * (self.skip + 1)
            pattern = cycle([*spans[first], *spans[1 - first]])
            found += islice(pattern, start, start + n // len(self.starts))
        return np.array(found, np.bool_) & self.present


@dataclass(frozen=True)
class Dot(test_tcgen05_mma.Dot):
    """A product of kind `.sp` or `.ws` or both; `shift` is the largest shift of columns."""

    sparse: bool = True
    selector: int = 0
    stationary: bool = False
    mask: ColumnMask | None = None
    shift: int = 0

    @property
    def descriptor(self) -> int:
        word = super().descriptor
        return word | self.sparse << 2 | self.selector | self.shift << 30

    @property
    def last_operands(self) -> str:
        mask = "" if self.mask is None else f", {self.mask.word:#x}"
        return super().last_operands + mask

    @property
    def instruction(self) -> str:
        a = "[%left]" if self.left else "%a"
        suffix = ".ws" * self.stationary + ".sp" * self.sparse
        opcode = f"tcgen05.mma{suffix}.cta_group::{self.blocks}.kind::{self.kind}{self.suffix}"
        return f"{opcode} [%t], {a}, %b{', [%t+264]' * self.sparse}, %d{self.last_operands};"

    def kernel(self, prologue: str = "") -> str:
        """The metadata goes from the image to tensor memory first."""
        sync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
        load = f"""mad.lo.u32 %x, %i, 16, %s;
  ld.shared.v4.b32 {{%v0, %v1, %v2, %v3}}, [%x+{METADATA}];
  tcgen05.st.sync.aligned.32x32b.x4.b32 [%y+{_COLUMN}], {{%v0, %v1, %v2, %v3}};
  tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync;
  {sync}
"""
        return super().kernel(load * self.sparse + prologue)

    @property
    def dense_k(self) -> int:
        return self.k * (2 if self.sparse else 1)

    def lanes(self) -> Iterator[tuple[Array, slice]]:
        """The lanes of a block's rows, for each part of the columns."""
        rows = np.arange(self.m // self.blocks)
        if self.stationary:
            for part in range(128 // self.m):
                width = self.n * self.m // 128
                yield rows + part * self.m, slice(part * width, (part + 1) * width)
        elif len(rows) == 128:
            yield rows, slice(0, self.n)
        else:
            yield rows // 16 * 32 + rows % 16, slice(0, self.n)


def metadata_words(dot: Dot, bits: Array) -> Array:
    """What is in four columns of tensor memory, `[128, 4]`; where no metadata is there is noise."""
    words = np.random.default_rng(8).integers(0, 1 << 32, (128, 4)).astype(np.uint32)
    for lanes, _ in dot.lanes():
        for row, lane in enumerate(lanes):
            if TYPES[dot.types.split()[1]][1] == 8:
                words[lane, :2] = [packed(bits[row, start : start + 8], 4) for start in (0, 8)]
            elif row % 16 < 8:
                pair = bits[row], bits[row + 8]
                for half in (0, 1):
                    own = np.concatenate([each[4 * half : 4 * half + 4] for each in pair])
                    words[lane + 8 * half, dot.selector] = packed(own, 4)
    return words


def operand(dot: Dot) -> tuple[Array, Array, Array]:
    """The stored elements of A, `[m, k]`, their metadata by chunks, and all elements."""
    name = dot.types.split()[1]
    stored = random_values(name, (dot.m, dot.k), 1)
    if not dot.sparse:
        return stored, np.zeros((dot.m, 0), int), stored.astype(np.float64)
    width = chunk_width(name)
    meaningful = (0b0100, 0b1110) if name == "tf32" else MEANINGFUL
    chunks = dot.dense_k // width
    bits = np.random.default_rng(4).choice(meaningful, (dot.m, chunks))
    return stored, bits, expanded(name, stored, bits)


def as_stored(matrix: Array, name: str) -> Array:
    """Rows as they are in shared memory, where 6 and 4 bits are packed."""
    if name not in ("e2m3", "e3m2", "e2m1"):
        return matrix
    parts = np.split(matrix, matrix.shape[1] // 32, axis=1)
    packed_parts = [test_tcgen05_scaled_mma.packed(part, name, 32) for part in parts]
    return np.concatenate(packed_parts, axis=1)


def statement(dot: Dot) -> Statement:
    """A product of random matrices."""
    d, a, b = dot.types.split()
    stored, bits, dense = operand(dot)
    shift = 0 if dot.mask is None else dot.mask.shift
    right = random_values(b, (dot.n + shift, dot.dense_k), 2)
    blocks, rows, columns = dot.blocks, dot.m // dot.blocks, dot.n // dot.blocks
    images = np.zeros((blocks, _BYTES), np.uint8)
    words = np.zeros((blocks, 128, 8), np.uint32)
    for block in range(blocks):
        own = slice(block * rows, (block + 1) * rows)
        for lanes, _ in dot.lanes():
            words[block, lanes] = np.ascontiguousarray(stored[own]).view(np.uint32)
        image = as_stored(stored[own], a)
        images[block, _A : _A + _B] = dot.placed(image, transposed=dot.transposed[0])
        part = as_stored(right[block * columns : (block + 1) * columns + shift], b)
        images[block, _B:] = dot.placed(part, transposed=dot.transposed[1])
        if dot.sparse:
            metadata = metadata_words(dot, bits[own]).view(np.uint8)
            images[block, METADATA : METADATA + 2048] = metadata.ravel()
    old = np.random.default_rng(3).integers(-4, 5, (blocks, 128, dot.n)).astype(RESULTS[d])
    used = right[shift:].astype(np.float64)
    if dot.mask is not None:
        used[dot.mask.zeros(dot.n)] = 0
    total = shifted_rows(dot, dense) @ used.T * dot.signs[0] * dot.signs[1]
    expected = old.astype(np.float64)
    for block in range(blocks):
        for lanes, part in dot.lanes():
            own = total[block * rows : (block + 1) * rows, part]
            before = expected[block, lanes, : own.shape[1]]
            added = before * 2.0 ** -(dot.scale or 0) * dot.adds
            expected[block, lanes, : own.shape[1]] = own + added
    return Statement(images, words, as_words(old), result_words(dot, old, expected))


def run(dot: Dot, text: str, *, late: bool = False) -> tuple[Array, Array]:
    """The result of a product and the cells that are expected, as words."""
    return launched(dot, statement(dot), text, late=late)


def _stationary(
    kind: str, m: int, n: int, types: str, swizzle: int = 0, *, sparse: bool = False, **rest: Any
) -> Dot:
    return Dot(kind, m, n, types, swizzle, sparse=sparse, stationary=True, **rest)


_MASKS = (
    ColumnMask(present=False, skip=4, use=3),
    ColumnMask((0,), (0,), 2, 3),
    ColumnMask((0, 0), (1, 0), 2, 3),
    ColumnMask((0, 1, 2, 1), (1, 1, 0, 0), 2, 3, 2),
)
"""The examples of the manual."""

SPARSE: tuple[Dot, ...] = (
    Dot("f16", 128, 16, "f32 f16 f16"),
    Dot("f16", 128, 16, "f32 bf16 bf16", selector=1),
    Dot("f16", 128, 32, "f16 f16 f16", swizzle=128, adds=False),
    Dot("f16", 64, 8, "f32 bf16 bf16", swizzle=64, selector=1),
    Dot("f16", 128, 64, "f32 f16 f16", swizzle=128, transposed=(True, True), signs=(1, -1)),
    Dot("f16", 128, 16, "f32 f16 f16", left=True, suffix=".collector::a::fill"),
    Dot("f16", 64, 16, "f32 bf16 bf16", left=True, scale=3),
    Dot("f16", 128, 16, "f32 f16 f16", disabled=(0, 0xFFFFFFFF, 0x0F0F0F0F, 1), scale=0),
    Dot("tf32", 128, 16, "f32 tf32 tf32", swizzle=128),
    Dot("tf32", 64, 24, "f32 tf32 tf32", selector=1, disabled=(1, 2, 4, 8)),
    Dot("f8f6f4", 128, 16, "f32 e4m3 e5m2"),
    Dot("f8f6f4", 64, 8, "f16 e5m2 e4m3", swizzle=128, suffix=".collector::a::lastuse"),
    Dot("f8f6f4", 128, 16, "f32 e2m3 e4m3"),
    Dot("f8f6f4", 64, 8, "f32 e2m1 e3m2", swizzle=64),
    Dot("i8", 128, 16, "s32 s8 u8", swizzle=64),
    Dot("i8", 64, 8, "s32 u8 s8", saturate=True, left=True),
    Dot("f16", 256, 32, "f32 f16 f16", swizzle=128, blocks=2),
    Dot("f16", 128, 32, "f32 bf16 bf16", selector=1, blocks=2),
    Dot("f8f6f4", 128, 32, "f32 e4m3 e4m3", left=True, blocks=2, disabled=tuple(range(8))),
    Dot("f16", 128, 16, "f32 f16 f16", left=True, suffix=".ashift"),
    Dot("i8", 256, 32, "s32 s8 u8", left=True, suffix=".ashift", blocks=2),
)
STATIONARY: tuple[Dot, ...] = (
    *(_stationary("f16", m, 64, "f32 f16 f16") for m in (32, 64, 128)),
    *(_stationary("f16", m, 64, "f32 bf16 bf16", left=True, adds=False) for m in (32, 64, 128)),
    _stationary("f16", 64, 128, "f16 f16 f16", 128, suffix=".collector::b0::fill"),
    _stationary("f16", 32, 256, "f32 bf16 bf16", 32, suffix=".collector::b3::lastuse"),
    _stationary("tf32", 64, 64, "f32 tf32 tf32", 64, suffix=".collector::b2::use"),
    _stationary("f8f6f4", 128, 64, "f32 e4m3 e5m2", 32, suffix=".collector::b1::discard"),
    _stationary("f8f6f4", 64, 64, "f32 e3m2 e2m1"),
    _stationary("i8", 64, 64, "s32 s8 u8", saturate=True),
    _stationary("f16", 128, 64, "f32 f16 f16", mask=_MASKS[0]),
    _stationary("f16", 128, 64, "f32 f16 f16", mask=_MASKS[1]),
    _stationary("f16", 64, 64, "f32 f16 f16", mask=_MASKS[2]),
    _stationary("f16", 32, 128, "f32 f16 f16", 32, mask=_MASKS[3], shift=1),
    _stationary("i8", 64, 64, "s32 u8 s8", 32, mask=ColumnMask((3, 5), (0, 1), 7, 4, 32), shift=3),
    *(_stationary("f16", m, 64, "f32 f16 f16", sparse=True, selector=1) for m in (32, 64, 128)),
    _stationary("tf32", 32, 64, "f32 tf32 tf32", sparse=True, left=True),
    _stationary("f8f6f4", 64, 128, "f16 e5m2 e4m3", sparse=True, suffix=".collector::b1::fill"),
    _stationary("i8", 32, 64, "s32 s8 s8", sparse=True, mask=ColumnMask((0,) * 4, (1,) * 4, 3, 3)),
)
MMA_OPS = SPARSE + STATIONARY


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dot", MMA_OPS, ids=str)
def test_product(dot: Dot):
    found, expected = run(dot, dot.kernel())
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dot", (SPARSE[0], STATIONARY[0], STATIONARY[-1]), ids=str)
def test_late_work(dot: Dot):
    found, expected = run(dot, dot.kernel(), late=True)
    np.testing.assert_array_equal(found, expected)


def built_kernels() -> list[str]:
    """A register may hold the mask, too."""
    masked = STATIONARY[-1]
    assert masked.mask is not None
    in_register = masked.kernel(f"mov.b64 %o, {masked.mask.word:#x};")
    in_register = in_register.replace(f"%add, {masked.mask.word:#x};", "%add, %o;")
    return [*(dot.kernel() for dot in MMA_OPS), in_register]


def test_mask_in_a_register():
    np.testing.assert_array_equal(*run(STATIONARY[-1], built_kernels()[-1]))


def test_examples_of_masks():
    """Those of the manual, the column with the highest number first."""
    assert not _MASKS[0].zeros(128).any()
    for mask, texts in (
        (_MASKS[1], ["11100001110000"]),
        (_MASKS[2], ["11100001110000111", "000011100001110000"]),
        (_MASKS[3], ["00001110000111", "0000111000011", "111000011100", "1110000111000"]),
    ):
        zeros = mask.zeros(128).reshape(len(texts), -1)
        for row, text in zip(zeros, texts, strict=True):
            assert "".join(str(int(bit)) for bit in row[: len(text)][::-1]) == text


_SET = "mov.u32 %d, {};"
_CELL = "@%issues mov.b32 %v0, {}; tcgen05.st.sync.aligned.32x32b.x1.b32 [%y+264], {{%v0}};"
FAULTS: dict[str, tuple[Dot, str, str]] = {
    "transposed": (
        Dot("f8f6f4", 128, 16, "f32 e2m1 e4m3"),
        _SET.format(1 << 15 | 4 | 16 | 5 << 7 | 2 << 17 | 8 << 24),
        "transposed operands with 6- or 4-bit elements are not supported",
    ),
    "words": (
        Dot("f8f6f4", 128, 16, "f32 e2m1 e4m3", left=True),
        "",
        "an A with 6- or 4-bit elements is not supported in tensor memory",
    ),
    "dense": (SPARSE[0], _SET.format(2 << 17 | 8 << 24 | 16), "bit 2 says that A is dense"),
    "selector": (
        SPARSE[0],
        _SET.format(6 | 2 << 17 | 8 << 24 | 16),
        "kind::f16 does not support sparsity selector 2",
    ),
    "only selector": (
        SPARSE[10],
        _SET.format(5 | 1 << 10 | 2 << 17 | 8 << 24 | 16),
        "kind::f8f6f4 does not support sparsity selector 1",
    ),
    "metadata": (
        SPARSE[0],
        "mov.b32 %v0, 0x44444444;" + _CELL.format("0x44445444"),
        "the metadata of row 0 and columns 12 to 15 of A is 0b0101, not one of 0b0100, 0b0110",
    ),
    "order": (
        SPARSE[10],
        "mov.b32 %v0, 0x44444444;" + _CELL.format("0x14444444"),
        "the metadata of row 0 and columns 28 to 31 of A is 0b0001",
    ),
    "outside": (SPARSE[0], "add.u32 %t, %t, 300;", "column 564 is outside of tensor memory"),
    "rows": (
        STATIONARY[0],
        _SET.format(8 << 17 | 16 << 24 | 16),
        "has 32, 64 or 128 rows, not 256",
    ),
    "columns": (STATIONARY[0], _SET.format(4 << 17 | 8 << 24 | 16), "cannot have 32 columns"),
    "shift": (
        STATIONARY[15],
        _SET.format(16 << 17 | 2 << 24 | 16),
        "columns can be shifted by at most 0, not 2",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str):
    dot, prologue, message = FAULTS[name]
    with pytest.raises(emulator.EmulatorError) as raised:
        run(dot, dot.kernel(prologue))
    assert message in raised.value.message
    assert raised.value.instruction is not None and raised.value.line is not None
    assert raised.value.instruction.startswith("tcgen05.mma")


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (1 << 36, "bits 36 to 38, 62 and 63 must be 0"),
        (1 << 39 | 2 << 48 | 3, "mask 0 begins at column 3, outside of a span of 3 columns"),
    ],
)
def test_wrong_mask(mask: int, message: str):
    dot = STATIONARY[12]
    assert dot.mask is not None
    text = dot.kernel().replace(f"{dot.mask.word:#x}", f"{mask:#x}")
    with pytest.raises(emulator.EmulatorError, match=f"wrong mask of zero columns: {message}"):
        run(dot, text)


def test_a_product_of_a_pair_is_not_weight_stationary():
    text = STATIONARY[0].kernel().replace("ws.cta_group::1", "ws.cta_group::2")
    with pytest.raises(emulator.EmulatorError, match="unknown instruction 'tcgen05"):
        run(STATIONARY[0], text)
