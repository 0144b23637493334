"""A warp-specialised matrix product for sm_90a: bulk tensor copies into a ring, wgmma out of it.

`C[M, N] = A[M, K] * B[K, N]`, all row-major, or with the transpose of B[N, K]. The last warpgroup
is the producer: one thread of it copies tiles of A and B into the stages of a ring. The other
warpgroups, the consumers, share the rows of the tile. A stage is full when its bytes have come; it
is empty when every warp of the consumers has arrived, which it does one iteration later, when the
products are known to be done.

The blocks of a cluster lie one below the other, so that they share the tile of B: each copies a
part of it into the stages of all. A stage is empty then when the consumers of all blocks say so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ml_dtypes import bfloat16, float8_e4m3fn
from xdsl.dialects.builtin import IntAttr, ModuleOp, f32, i8, i32, i64
from xdsl.dialects.llvm import LLVMArrayType
from xdsl.ir import Attribute, SSAValue

from tests.kernel_generators import wgmma
from tests.kernel_generators.bugs import Bug
from tests.kernel_generators.builder import (
    GLOBAL,
    TENSOR_MAP,
    KernelBuilder,
    Parameter,
    Slot,
    Value,
)
from tests.kernel_generators.case import Array, Case, Problem
from tileir_xdsl import emulator
from tileir_xdsl.dialects.nvvm.attributes import (
    ProxyKind,
    RegisterAction,
    SharedSpace,
    WGMMAType,
)
from tileir_xdsl.dialects.nvvm.copies import CpAsyncBulkCommitGroupOp, CpAsyncBulkWaitGroupOp
from tileir_xdsl.dialects.nvvm.fences import FenceProxyOp
from tileir_xdsl.dialects.nvvm.miscellaneous import SetMaxRegisterOp
from tileir_xdsl.dialects.nvvm.special_registers import BlockIdXOp, BlockIdYOp, ClusterRankOp
from tileir_xdsl.dialects.nvvm.synchronization import ElectSyncOp
from tileir_xdsl.dialects.nvvm.wgmma import (
    WgmmaCommitGroupOp,
    WgmmaFenceAlignedOp,
    WgmmaWaitGroupOp,
)

MATMUL_BUGS = {
    "full stages are not waited for": Bug("wait for a full stage"),
    "full stages are waited for one phase too early": Bug("first parity of full stages", 1),
    "empty stages are not waited for": Bug("wait for an empty stage"),
    "empty stages are waited for one phase too late": Bug("first parity of empty stages", -1),
    "stages are released while products read them": Bug("iterations from products to release", -1),
    "stages are never released": Bug("release a stage"),
    "too few bytes are expected": Bug("bytes of: expect the bytes of a stage", -4096),
    "too many bytes are expected": Bug("bytes of: expect the bytes of a stage", 4096),
    "no bytes are expected": Bug("expect the bytes of a stage"),
    "barriers of full stages expect an arrival too many": Bug("arrivals at a full stage", 1),
    "barriers of empty stages expect an arrival too few": Bug("arrivals at an empty stage", -1),
    "barriers are used before they are initialised": Bug("barriers are initialised"),
    "products begin without a fence": Bug("fence before the products"),
    "products are not committed": Bug("commit the products"),
    "products are not waited for in the loop": Bug("wait for the products before"),
    "too many products are pending in the loop": Bug("products pending in the loop", 1),
    "products are not waited for at the end": Bug("wait for the last products"),
    "a product is pending at the end": Bug("products pending at the end", 1),
    "the result overwrites stages in use": Bug("stages are free for the result"),
    "the staged result is not made known to the copies": Bug("fence of the staged result"),
    "the result is stored before it is staged": Bug("the result is staged"),
    "the stores are not committed": Bug("commit the stores"),
}
"""Bugs of the kernel with two consumers that stores boxes."""

LAUNCH_REGISTERS = {1: 136, 2: 168}
"""Registers per thread at launch, by the number of consumers."""
PRODUCER_REGISTERS = 40
CONSUMER_REGISTERS = 232
"""After the split; the warpgroups together have as many as at launch."""


@dataclass(frozen=True)
class Matmul:
    """The shape of the kernel; the tile's extents count elements.

    `tile_m` is a multiple of 64 for each consumer, `tile_n` one of 64 up to 256, `tile_k` one of
    128 bytes. Elements that have not 16 bits need B as rows along k, `b_is_k_major`, and their sums
    are stored as they are. Without `stores_boxes` each thread stores its own elements of C, and M
    and N have to be multiples of the tile's extents. `cluster` divides the 64-column boxes of the
    tile of B, of rows along n.
    """

    tile_m: int = 128
    tile_n: int = 256
    tile_k: int = 64
    stages: int = 4
    consumers: int = 2
    element: WGMMAType = WGMMAType.BF16
    stores_boxes: bool = True
    cluster: int = 1
    b_is_k_major: bool = False

    @property
    def element_bytes(self) -> int:
        return wgmma.ELEMENT_BYTES[self.element]

    @property
    def box_columns(self) -> int:
        """Elements of a row of a box."""
        return wgmma.ROW_BYTES // self.element_bytes

    @property
    def result(self) -> Attribute:
        """The element type of C."""
        return wgmma.HALF_TYPES.get(self.element, self.accumulator_type)

    @property
    def accumulator_type(self) -> Attribute:
        return i32 if self.element is WGMMAType.S8 else f32

    @property
    def a(self) -> wgmma.Operand:
        return wgmma.Operand(self.tile_m, is_k_major=True)

    @property
    def b(self) -> wgmma.Operand:
        rows = self.tile_n if self.b_is_k_major else self.tile_k
        return wgmma.Operand(rows, is_k_major=self.b_is_k_major)

    @property
    def a_bytes(self) -> int:
        return self.tile_m * self.tile_k * self.element_bytes

    @property
    def stage_bytes(self) -> int:
        return self.a_bytes + self.tile_k * self.tile_n * self.element_bytes

    @property
    def full(self) -> int:
        """Where the barriers of full stages are; those of empty ones follow."""
        return self.stages * self.stage_bytes

    @property
    def empty(self) -> int:
        return self.full + 8 * self.stages

    @property
    def shared_bytes(self) -> int:
        return self.empty + 8 * self.stages

    @property
    def threads(self) -> int:
        return (self.consumers + 1) * wgmma.WARPGROUP

    @property
    def rows(self) -> int:
        """The rows of one consumer."""
        return self.tile_m // self.consumers

    def module(self, bug: Bug | None = None) -> ModuleOp:
        """The kernel `matmul(map of A, map of B, map of C or C, N, K)`.

        A row of the boxes of the maps is 128 bytes, swizzled; they have tile_m rows of A, tile_k
        rows of B (tile_n where B is K-major) and 64 of C. K must not be 0; the grid is M / tile_m
        by N / tile_n.
        """
        return _Generator(self, bug).module()


class _Generator:
    def __init__(self, shape: Matmul, bug: Bug | None):
        self.shape = shape
        c = TENSOR_MAP if shape.stores_boxes else Parameter(GLOBAL)
        self.k = KernelBuilder(
            "matmul",
            [TENSOR_MAP, TENSOR_MAP, c, Parameter(i32), Parameter(i32)],
            shape.threads,
            max_registers=LAUNCH_REGISTERS[shape.consumers],
            cluster=shape.cluster,
            bug=bug,
        )

    def module(self) -> ModuleOp:
        k, shape = self.k, self.shape
        thread = k.thread()
        self.lane = k.bits_and(thread, 31)
        self.warp = k.uniform(k.shift_right(thread, 5))
        group = k.shift_right(self.warp, 2)
        self.row = k.times(k.add(BlockIdXOp()), shape.tile_m)
        self.column = k.times(k.add(BlockIdYOp()), shape.tile_n)
        depth = k.arguments[4]
        self.steps = k.quotient(k.plus(depth, shape.tile_k - 1), shape.tile_k)
        stages = range(shape.stages)
        warps = 4 * shape.consumers * shape.cluster
        k.initialise(
            [("arrivals at a full stage", shape.full + 8 * stage, 1) for stage in stages]
            + [("arrivals at an empty stage", shape.empty + 8 * stage, warps) for stage in stages],
            thread,
        )
        if shape.cluster == 1:
            k.barrier("barriers are initialised")
        else:
            k.cluster_barrier("barriers are initialised")
        is_producer = k.compare("eq", group, shape.consumers)
        k.either(is_producer, self.producer, lambda: self.consumer(group))
        if shape.cluster > 1:
            # Shared memory stays until the other blocks have arrived at its barriers.
            k.cluster_barrier("the cluster is done")
        return k.module()

    def _slots(self, parity: Value) -> list[SSAValue]:
        return [self.k.integer(0), self.k.integer(0), self.k.integer(parity)]

    def _barriers(self, stage: SSAValue) -> SSAValue:
        """As far from a stage's barriers as the start of shared memory is from those of stage 0."""
        return self.k.offset(self.k.shared, stage, i64)

    # The producer.

    def producer(self) -> None:
        k, shape = self.k, self.shape
        k.run(SetMaxRegisterOp(RegisterAction.DECREASE, PRODUCER_REGISTERS))
        is_first_warp = k.compare("eq", self.warp, 4 * shape.consumers)
        with k.only_if(is_first_warp), k.only_if(k.add(ElectSyncOp())):
            parity = k.sites.number("first parity of empty stages", 1)
            k.repeat(self._slots(parity), self._produce)

    def _produce(self, carried: Sequence[SSAValue]) -> tuple[Sequence[SSAValue], SSAValue]:
        k, shape = self.k, self.shape
        iteration, slot = carried[0], Slot(carried[1], carried[2])
        barriers = self._barriers(slot.stage)
        # Threads of all blocks of a cluster read what this thread copies to them.
        wait = k.wait if shape.cluster == 1 else k.wait_for_blocks
        wait("wait for an empty stage", k.offset(barriers, shape.empty), slot.parity)
        full = k.offset(barriers, shape.full)
        wgmma.expect_bytes(k, "expect the bytes of a stage", full, shape.stage_bytes)
        start = k.offset(k.shared, slot.stage, LLVMArrayType(IntAttr(shape.stage_bytes), i8))
        depth = k.times(iteration, shape.tile_k)
        wgmma.load_boxes(
            k,
            k.arguments[0],
            start,
            shape.a.box_bytes,
            [k.plus(depth, column) for column in range(0, shape.tile_k, shape.box_columns)],
            [self.row],
            full,
        )
        self._load_b(k.offset(start, shape.a_bytes), depth, full)
        following = k.plus(iteration, 1)
        more = k.compare("slt", following, self.steps)
        return [following, *slot.next(k, shape.stages)], more

    def _load_b(self, place: SSAValue, depth: SSAValue, full: SSAValue) -> None:
        k, shape = self.k, self.shape
        if shape.b_is_k_major:
            columns = [k.plus(depth, n) for n in range(0, shape.tile_k, shape.box_columns)]
            rows, box_bytes = [self.column], shape.b.box_bytes
            wgmma.load_boxes(k, k.arguments[1], place, box_bytes, columns, rows, full)
            return
        part = shape.tile_n // shape.cluster
        column, blocks = self.column, None
        if shape.cluster > 1:
            rank = k.add(ClusterRankOp())
            column = k.plus(column, k.times(rank, part))
            place = k.offset(place, k.times(rank, part * shape.tile_k * 2))
            blocks = (1 << shape.cluster) - 1
        wgmma.load_boxes(
            k,
            k.arguments[1],
            place,
            shape.b.box_bytes,
            [k.plus(column, n) for n in range(0, part, wgmma.BOX_COLUMNS)],
            [depth],
            full,
            blocks,
        )

    # The consumers.

    def consumer(self, group: SSAValue) -> None:
        k, shape = self.k, self.shape
        k.run(SetMaxRegisterOp(RegisterAction.INCREASE, CONSUMER_REGISTERS))
        self.first_row = k.times(group, shape.rows)
        a = k.offset(k.shared, k.shift_left(self.first_row, 7))
        self.a = wgmma.descriptor(k, shape.a, a)
        self.b = wgmma.descriptor(k, shape.b, k.offset(k.shared, shape.a_bytes))
        tiles = shape.rows // wgmma.WARPGROUP_ROWS
        zeros = [k.zeros(shape.tile_n // 2, shape.accumulator_type) for _ in range(tiles)]
        parity = k.sites.number("first parity of full stages", 0)
        initial = [*self._slots(parity), k.shared, *zeros]
        last = k.repeat(initial, self._consume)
        if k.sites.keeps("wait for the last products"):
            k.run(WgmmaWaitGroupOp(k.sites.number("products pending at the end", 0)))
        self._store(last[4:])

    def _consume(self, carried: Sequence[SSAValue]) -> tuple[Sequence[SSAValue], SSAValue]:
        k, shape = self.k, self.shape
        iteration, slot, before, sums = carried[0], Slot(*carried[1:3]), carried[3], carried[4:]
        barriers = self._barriers(slot.stage)
        k.wait("wait for a full stage", k.offset(barriers, shape.full), slot.parity)
        offset = k.times(k.widened(slot.stage), shape.stage_bytes >> 4)
        a, b = k.plus(self.a, offset), k.plus(self.b, offset)
        k.synchronise("fence before the products", WgmmaFenceAlignedOp)
        dot = wgmma.Dot(shape.tile_n, shape.element, shape.a, shape.b)
        steps = shape.tile_k * shape.element_bytes // wgmma.STEP_BYTES
        results: list[SSAValue] = []
        for tile, accumulator in enumerate(sums):
            start = wgmma.advanced(k, a, tile * wgmma.WARPGROUP_ROWS * wgmma.ROW_BYTES)
            results.append(dot.accumulate(k, accumulator, start, b, steps))
        k.synchronise("commit the products", WgmmaCommitGroupOp)
        if k.sites.keeps("wait for the products before"):
            k.run(WgmmaWaitGroupOp(k.sites.number("products pending in the loop", 1)))
        # The products of the iteration before are done now: its stage may be filled again.
        # In a cluster, lane n of each warp arrives at the barrier in block n.
        releases = k.compare("ult", self.lane, shape.cluster)
        if k.sites.number("iterations from products to release", 1):
            releases = k.both(k.compare("ne", iteration, 0), releases)
        else:
            before = barriers
        block = None if shape.cluster == 1 else self.lane
        k.arrive("release a stage", k.offset(before, shape.empty), releases, block)
        following = k.plus(iteration, 1)
        more = k.compare("slt", following, self.steps)
        return [following, *slot.next(k, shape.stages), barriers, *results], more

    # The result.

    def _store(self, sums: Sequence[SSAValue]) -> None:
        warp = self.k.bits_and(self.warp, 3)
        if self.shape.stores_boxes:
            self._store_boxes(sums, warp)
        else:
            self._store_elements(sums, warp)

    def _store_boxes(self, sums: Sequence[SSAValue], warp: SSAValue) -> None:
        k, shape = self.k, self.shape
        consumers = shape.consumers * wgmma.WARPGROUP
        box_bytes = wgmma.WARPGROUP_ROWS * wgmma.ROW_BYTES
        tile_bytes = wgmma.WARPGROUP_ROWS * shape.tile_n * 2
        # The stages are free once all consumers are done with them.
        k.barrier("stages are free for the result", 1, consumers)
        start = k.offset(k.shared, k.times(self.first_row, shape.tile_n * 2))
        tiles = [k.offset(start, number * tile_bytes) for number in range(len(sums))]
        for accumulator, tile in zip(sums, tiles, strict=True):
            values = k.fields(accumulator)
            wgmma.stage_sums(k, values, shape.element, tile, box_bytes, warp, self.lane)
        k.synchronise(
            "fence of the staged result",
            lambda: FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA),
        )
        k.barrier("the result is staged", 1, consumers)
        with k.only_if(k.compare("eq", warp, 0)), k.only_if(k.add(ElectSyncOp())):
            columns = [k.plus(self.column, n) for n in range(0, shape.tile_n, wgmma.BOX_COLUMNS)]
            first = k.plus(self.row, self.first_row)
            for number, tile in enumerate(tiles):
                row = k.plus(first, number * wgmma.WARPGROUP_ROWS)
                wgmma.store_boxes(k, k.arguments[2], tile, box_bytes, columns, [row])
            k.synchronise("commit the stores", CpAsyncBulkCommitGroupOp)
            k.synchronise("wait for the stores", lambda: CpAsyncBulkWaitGroupOp(0, read=True))

    def _store_elements(self, sums: Sequence[SSAValue], warp: SSAValue) -> None:
        """Register 4j + 2h + i of lane 4g + t is row g + 8h, column 8j + 2t + i."""
        k, shape = self.k, self.shape
        row = k.plus(k.plus(self.row, self.first_row), k.shift_left(warp, 4))
        row = k.plus(row, k.shift_right(self.lane, 2))
        column = k.plus(self.column, k.shift_left(k.bits_and(self.lane, 3), 1))
        for number, accumulator in enumerate(sums):
            values = k.fields(accumulator)
            for half in range(2):
                this = k.plus(row, number * wgmma.WARPGROUP_ROWS + 8 * half)
                index = k.widened(k.plus(k.times(this, k.arguments[3]), column))
                start = k.offset(k.arguments[2], index, shape.result)
                for place in range(2 * half, len(values), 4):
                    pointer = k.offset(start, place // 4 * 8, shape.result)
                    k.store_pair(pointer, values[place], values[place + 1], shape.result)


DTYPES: dict[WGMMAType, Any] = {
    WGMMAType.F16: np.float16,
    WGMMAType.BF16: bfloat16,
    WGMMAType.TF32: np.float32,
    WGMMAType.E4M3: float8_e4m3fn,
    WGMMAType.S8: np.int8,
}


def _random_matrix(random: np.random.Generator, shape: Matmul, rows: int, columns: int) -> Array:
    if shape.element is WGMMAType.S8:
        return random.integers(-128, 128, (rows, columns)).astype(np.int8)
    drawn = random.standard_normal((rows, columns)).astype(DTYPES[shape.element])
    if shape.element is WGMMAType.TF32:
        # The lower 13 bits do not count.
        return (drawn.view(np.uint32) & 0xFFFFE000).view(np.float32)
    return drawn


def matmul_problem(shape: Matmul, m: int, n: int, k: int) -> Problem:
    """Random matrices of these extents, multiples of 16 bytes, and their product."""
    random = np.random.default_rng(m + n + k)
    a = _random_matrix(random, shape, m, k)
    b = _random_matrix(random, shape, *((n, k) if shape.b_is_k_major else (k, n)))
    is_half = shape.element in wgmma.HALF_TYPES
    sums = np.int32 if shape.element is WGMMAType.S8 else np.float32
    c = np.zeros((m, n), DTYPES[shape.element] if is_half else sums)
    dot = a.astype(sums) @ (b.T if shape.b_is_k_major else b).astype(sums)
    raw = np.uint8 if shape.element_bytes == 1 else a.dtype
    arguments = [
        emulator.TensorMap(a.view(raw), (shape.a.rows, shape.box_columns), 128),
        emulator.TensorMap(b.view(raw), (shape.b.rows, shape.box_columns), 128),
        c,
        n,
        k,
    ]
    if shape.stores_boxes:
        box = (wgmma.WARPGROUP_ROWS, wgmma.BOX_COLUMNS)
        arguments[2] = emulator.TensorMap(c, box, 128)
    return Problem(arguments, c, dot, 0.0 if sums is np.int32 else 2.0**-7)


def matmul_case(
    name: str, shape: Matmul, m: int, n: int, k: int, bugs: Mapping[str, Bug] | None = None
) -> Case:
    """A product of random matrices of these extents."""
    grid = (-(-m // shape.tile_m), -(-n // shape.tile_n), 1)
    return Case(
        name,
        "sm_90a",
        shape.module,
        grid,
        shape.shared_bytes,
        lambda: matmul_problem(shape, m, n, k),
        bugs or {},
    )
