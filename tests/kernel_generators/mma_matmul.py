"""A matrix product for sm_80 and later: cp.async into a ring of stages, ldmatrix, mma.sync.

`C[M, N] = A[M, K] * B[N, K]^T`, all row-major. Four warps, two by two, share the tile. A row of a
stage is 64 or 128 bytes along k; its 16-byte chunks are swizzled so that eight rows of a matrix are
in different banks: chunk c of row r is at c xor (r / rows per 128 bytes) mod chunks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from ml_dtypes import bfloat16, float8_e4m3fn
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, VectorType, bf16, f16, f32, i32
from xdsl.ir import Attribute, SSAValue

from tests.kernel_generators.bugs import Bug
from tests.kernel_generators.builder import GLOBAL, KernelBuilder, Parameter
from tests.kernel_generators.case import Case, Problem
from tileir_xdsl.dialects.enumerations import CacheModifier
from tileir_xdsl.dialects.nvvm.attributes import MMAType
from tileir_xdsl.dialects.nvvm.copies import CpAsyncCommitGroupOp, CpAsyncOp, CpAsyncWaitGroupOp
from tileir_xdsl.dialects.nvvm.matrix import LdMatrixOp, MmaOp
from tileir_xdsl.dialects.nvvm.special_registers import BlockIdXOp, BlockIdYOp

THREADS = 128
WARPS = (2, 2)
"""Warps along the rows and along the columns of the tile."""
CHUNK = 16
"""Bytes that one copy moves."""
STEP_BYTES = 32
"""Bytes along k that one mma takes."""
MMA_M, MMA_N = 16, 8


class ElementType(NamedTuple):
    """An element type of the operands, and what goes with it."""

    mma: MMAType
    dtype: Any
    accumulator: Attribute
    result: Attribute
    result_dtype: Any
    gpu: str

    @property
    def bytes(self) -> int:
        return np.dtype(self.dtype).itemsize


F16 = ElementType(MMAType.F16, np.float16, f32, f16, np.float16, "sm_80")
BF16 = ElementType(MMAType.BF16, bfloat16, f32, bf16, bfloat16, "sm_80")
S8 = ElementType(MMAType.S8, np.int8, i32, i32, np.int32, "sm_80")
E4M3 = ElementType(MMAType.E4M3, float8_e4m3fn, f32, f32, np.float32, "sm_89")

MMA_MATMUL_BUGS = {
    "copies are not waited for": Bug("wait for the copies of a stage"),
    "too many copies are pending": Bug("groups of copies pending", 1),
    "the first copies are not committed": Bug("commit the first copies"),
    "copies in the loop are not committed": Bug("commit the copies"),
    "stages are read before all warps have copied": Bug("a stage is full"),
    "a stage that is read is written": Bug("stages between reads and writes", 1),
}


@dataclass(frozen=True)
class MmaMatmul:
    """The shape of the kernel: the tile's extents in elements, bytes of a row of a stage, stages.

    `tile_m` and `tile_n` are multiples of 32.
    """

    element: ElementType
    tile_m: int = 128
    tile_n: int = 128
    row_bytes: int = 64
    stages: int = 3

    @property
    def tile_k(self) -> int:
        return self.row_bytes // self.element.bytes

    @property
    def chunks(self) -> int:
        """Chunks of a row."""
        return self.row_bytes // CHUNK

    @property
    def copied_rows(self) -> int:
        """Rows that all threads copy at once."""
        return THREADS // self.chunks

    @property
    def a_bytes(self) -> int:
        return self.tile_m * self.row_bytes

    @property
    def stage_bytes(self) -> int:
        return self.a_bytes + self.tile_n * self.row_bytes

    @property
    def shared_bytes(self) -> int:
        return self.stages * self.stage_bytes

    @property
    def steps(self) -> int:
        """Steps along k of one stage."""
        return self.row_bytes // STEP_BYTES

    @property
    def mma_shape(self) -> tuple[int, int, int]:
        return MMA_M, MMA_N, STEP_BYTES // self.element.bytes

    @property
    def warp_tile(self) -> tuple[int, int]:
        """Products of a warp along its rows, and pairs of products along its columns."""
        return self.tile_m // WARPS[0] // MMA_M, self.tile_n // WARPS[1] // (2 * MMA_N)

    def module(self, bug: Bug | None = None) -> ModuleOp:
        """The kernel `matmul(A, B, C, N, K)`.

        M, N and K must be multiples of the tile's extents. The grid is M / tile_m by N / tile_n.
        """
        return _Generator(self, bug).module()


class _Copies(NamedTuple):
    """What a thread copies of one operand: from where on, to where, in how many parts."""

    source: SSAValue
    destination: SSAValue
    parts: int


class _Generator:
    def __init__(self, shape: MmaMatmul, bug: Bug | None):
        self.shape = shape
        parameters = [Parameter(GLOBAL)] * 3 + [Parameter(i32)] * 2
        self.k = KernelBuilder("matmul", parameters, THREADS, bug=bug)

    def module(self) -> ModuleOp:
        k, shape = self.k, self.shape
        thread = k.thread()
        self.lane = k.bits_and(thread, 31)
        self.warp = k.uniform(k.shift_right(thread, 5))
        self.row = k.times(k.add(BlockIdXOp()), shape.tile_m)
        self.column = k.times(k.add(BlockIdYOp()), shape.tile_n)
        warp_row = k.times(k.bits_and(self.warp, 1), shape.tile_m // WARPS[0])
        warp_column = k.times(k.shift_right(self.warp, 1), shape.tile_n // WARPS[1])
        a, b, c, n, depth = k.arguments
        # A pointer runs along k; from one part of a copy to the next it is this far.
        row_bytes = k.widened(k.times(depth, shape.element.bytes))
        self.part_bytes = k.times(row_bytes, shape.copied_rows)
        self.iterations = k.quotient(depth, shape.tile_k)
        copies = [
            self._copies(a, self.row, thread, row_bytes, 0, shape.tile_m),
            self._copies(b, self.column, thread, row_bytes, shape.a_bytes, shape.tile_n),
        ]
        self.destinations = [copy.destination for copy in copies]
        self.parts = [copy.parts for copy in copies]
        a_row = k.bits_and(self.lane, 15)
        b_row = k.bits_or(k.bits_and(self.lane, 7), k.shift_left(k.shift_right(self.lane, 4), 3))
        a_half, b_half = k.shift_right(self.lane, 4), k.shift_right(k.bits_and(self.lane, 8), 3)
        self.a = self._fragments(k.plus(warp_row, a_row), a_half, 0)
        self.b = self._fragments(k.plus(warp_column, b_row), b_half, shape.a_bytes)
        sums = self._run([copy.source for copy in copies])
        self._store(sums, c, n, k.plus(self.row, warp_row), k.plus(self.column, warp_column))
        return k.module()

    def _swizzled(self, row: SSAValue, chunk: SSAValue) -> SSAValue:
        """The byte offset of a chunk in a tile."""
        k, shape = self.k, self.shape
        mixed = k.bits_and(k.quotient(row, 128 // shape.row_bytes), shape.chunks - 1)
        place = k.shift_left(k.bits_xor(chunk, mixed), 4)
        return k.plus(k.times(row, shape.row_bytes), place)

    # Copies.

    def _copies(
        self,
        matrix: SSAValue,
        first_row: SSAValue,
        thread: SSAValue,
        row_bytes: SSAValue,
        start: int,
        rows: int,
    ) -> _Copies:
        """Thread t copies chunk t mod chunks of row t / chunks, then of rows further down."""
        k, shape = self.k, self.shape
        row = k.quotient(thread, shape.chunks)
        chunk = k.bits_and(thread, shape.chunks - 1)
        offset = k.times(k.widened(k.plus(first_row, row)), row_bytes)
        source = k.offset(matrix, k.plus(offset, k.widened(k.shift_left(chunk, 4))))
        destination = k.offset(k.offset(k.shared, start), self._swizzled(row, chunk))
        return _Copies(source, destination, rows // shape.copied_rows)

    def _copy(self, sources: Sequence[SSAValue], stage: SSAValue) -> None:
        """Issues the copies of one stage, which is `stage` bytes into the ring."""
        k, shape = self.k, self.shape
        for source, target, parts in zip(sources, self.destinations, self.parts, strict=True):
            place = k.offset(target, stage)
            for part in range(parts):
                at = k.offset(place, part * shape.copied_rows * shape.row_bytes)
                k.run(CpAsyncOp(at, source, CHUNK, CacheModifier.CG))
                if part < parts - 1:
                    source = k.offset(source, self.part_bytes)

    def _advanced(self, sources: Sequence[SSAValue]) -> list[SSAValue]:
        return [self.k.offset(source, self.shape.row_bytes) for source in sources]

    # Products.

    def _fragments(self, row: SSAValue, half: SSAValue, start: int) -> list[SSAValue]:
        """For each step along k, where a lane's row of the first fragment is in stage 0."""
        k, shape = self.k, self.shape
        tile = k.offset(k.shared, start)
        return [
            k.offset(tile, self._swizzled(row, k.bits_or(half, 2 * step)))
            for step in range(shape.steps)
        ]

    def _loaded(self, pointer: SSAValue) -> list[SSAValue]:
        """Four matrices of 8 rows by 16 bytes, one register each."""
        k = self.k
        registers = k.fields(k.add(LdMatrixOp(pointer, 4)))
        if self.shape.element.mma is not MMAType.F16:
            return registers
        pair = VectorType(f16, (2,))
        return [k.add(llvm.BitcastOp(register, pair)) for register in registers]

    def _dots(self, sums: Sequence[SSAValue], stage: SSAValue) -> list[SSAValue]:
        """Adds the products of one stage; the sums of a warp's products follow one another."""
        k, shape = self.k, self.shape
        element = shape.element
        rows, pairs = shape.warp_tile
        sums = list(sums)
        for a_place, b_place in zip(self.a, self.b, strict=True):
            a_start, b_start = k.offset(a_place, stage), k.offset(b_place, stage)
            a_step, b_step = MMA_M * shape.row_bytes, 2 * MMA_N * shape.row_bytes
            a = [self._loaded(k.offset(a_start, row * a_step)) for row in range(rows)]
            b = [self._loaded(k.offset(b_start, pair * b_step)) for pair in range(pairs)]
            for row in range(rows):
                for column in range(2 * pairs):
                    pair, which = divmod(column, 2)
                    factor = b[pair][2 * which : 2 * which + 2]
                    at = slice(4 * (2 * pairs * row + column), 4 * (2 * pairs * row + column) + 4)
                    types = (element.mma, element.mma)
                    op = MmaOp(a[row], factor, sums[at], shape.mma_shape, types)
                    sums[at] = k.fields(k.add(op))
        return sums

    def _run(self, sources: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Copies ahead by all stages but one; gives the sums."""
        k, shape = self.k, self.shape
        ahead = shape.stages - 1
        for stage in range(ahead):
            with k.only_if(k.compare("sgt", self.iterations, stage)):
                self._copy(sources, k.integer(stage * shape.stage_bytes))
            k.synchronise("commit the first copies", CpAsyncCommitGroupOp)
            sources = self._advanced(sources)
        rows, pairs = shape.warp_tile
        zero = k.integer(0) if shape.element is S8 else k.number(0.0)
        zeros = [zero] * (4 * rows * 2 * pairs)
        distance = k.sites.number("stages between reads and writes", 0)
        write = (ahead + distance) % shape.stages * shape.stage_bytes
        initial = [self.iterations, k.integer(0), k.integer(write), *sources, *zeros]
        return k.repeat(initial, self._iterate)[5:]

    def _iterate(self, carried: Sequence[SSAValue]) -> tuple[Sequence[SSAValue], SSAValue]:
        k, shape = self.k, self.shape
        left, read, write, sources, sums = *carried[:3], carried[3:5], carried[5:]
        if k.sites.keeps("wait for the copies of a stage"):
            k.run(CpAsyncWaitGroupOp(k.sites.number("groups of copies pending", shape.stages - 2)))
        # All warps have copied their part of this stage, and have read the one before.
        k.barrier("a stage is full")
        with k.only_if(k.compare("sgt", left, shape.stages - 1)):
            self._copy(sources, write)
        k.synchronise("commit the copies", CpAsyncCommitGroupOp)
        results = self._dots(sums, read)
        following = [
            k.minus(left, 1),
            *(self._next_stage(place) for place in (read, write)),
            *self._advanced(sources),
            *results,
        ]
        return following, k.compare("sgt", following[0], 0)

    def _next_stage(self, place: SSAValue) -> SSAValue:
        k, shape = self.k, self.shape
        after = k.plus(place, shape.stage_bytes)
        return k.select(k.compare("eq", after, shape.shared_bytes), 0, after)

    # The result.

    def _store(
        self,
        sums: Sequence[SSAValue],
        matrix: SSAValue,
        width: SSAValue,
        row: SSAValue,
        column: SSAValue,
    ) -> None:
        """Register 2h + i of lane 4g + t is row g + 8h, column 2t + i of a product."""
        k = self.k
        rows, pairs = self.shape.warp_tile
        result = self.shape.element.result
        row = k.plus(row, k.shift_right(self.lane, 2))
        column = k.plus(column, k.shift_left(k.bits_and(self.lane, 3), 1))
        for number in range(2 * rows):
            part, half = divmod(number, 2)
            index = k.plus(k.times(k.plus(row, MMA_M * part + 8 * half), width), column)
            start = k.offset(matrix, k.widened(index), result)
            for product in range(2 * pairs):
                place = 4 * (2 * pairs * part + product) + 2 * half
                low, high = sums[place : place + 2]
                k.store_pair(k.offset(start, MMA_N * product, result), low, high, result)


def mma_matmul_problem(shape: MmaMatmul, m: int, n: int, k: int) -> Problem:
    """Random matrices and their product."""
    random = np.random.default_rng(m + n + k)
    element = shape.element
    if element is S8:
        a, b = (random.integers(-128, 128, (rows, k)).astype(np.int8) for rows in (m, n))
        expected, tolerance = a.astype(np.int32) @ b.astype(np.int32).T, 0.0
    else:
        a, b = (random.standard_normal((rows, k)).astype(element.dtype) for rows in (m, n))
        expected, tolerance = a.astype(np.float32) @ b.astype(np.float32).T, 2.0**-7
    c = np.zeros((m, n), element.result_dtype)
    return Problem([a, b, c, n, k], c, expected, tolerance)


def mma_matmul_case(
    name: str, shape: MmaMatmul, m: int, n: int, k: int, bugs: Mapping[str, Bug] | None = None
) -> Case:
    """A product of random matrices of these extents."""
    return Case(
        name,
        shape.element.gpu,
        shape.module,
        (m // shape.tile_m, n // shape.tile_n, 1),
        shape.shared_bytes,
        lambda: mma_matmul_problem(shape, m, n, k),
        bugs or {},
    )
