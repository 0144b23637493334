"""Warp-specialised attention for sm_90a: softmax of one tile overlaps with products of others.

`O = softmax(scale * Q * K^T) * V` for every head, a tile of 128 queries a block. The third
warpgroup is the producer: one thread copies the tile of Q once, and tiles of 128 keys and values
into rings. The first two warpgroups, the consumers, have 64 queries each. They go from the last
tile of keys to the first, so that only the tile before the loop needs a mask:

    S = Q K(0); P = exp(S - max)
    loop j: S = Q K(j); O += P V(j-1); maximum and exp of S meanwhile; O, P of the new maximum
    O += P V(last); O / sums
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import IntAttr, ModuleOp, f32, i8, i32, i64
from xdsl.dialects.llvm import LLVMArrayType
from xdsl.ir import SSAValue

from tests.kernel_generators import wgmma
from tests.kernel_generators.bugs import Bug
from tests.kernel_generators.builder import TENSOR_MAP, KernelBuilder, Parameter, Slot
from tests.kernel_generators.case import Case, Problem
from tests.kernel_generators.matmul import DTYPES
from tests.kernel_generators.online_softmax import OnlineSoftmax, RowState
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
from tileir_xdsl.dialects.nvvm.special_registers import BlockIdXOp, BlockIdYOp
from tileir_xdsl.dialects.nvvm.synchronization import ElectSyncOp
from tileir_xdsl.dialects.nvvm.wgmma import (
    WgmmaCommitGroupOp,
    WgmmaFenceAlignedOp,
    WgmmaWaitGroupOp,
)

CONSUMERS = 2
TILE = wgmma.WARPGROUP_ROWS * CONSUMERS
"""Queries of a block, and keys of a tile."""
LAUNCH_REGISTERS = 168
PRODUCER_REGISTERS = 24
CONSUMER_REGISTERS = 240
THREADS = (CONSUMERS + 1) * wgmma.WARPGROUP

ATTENTION_BUGS = {
    "Q is not waited for": Bug("wait for Q"),
    "keys are not waited for": Bug("wait for keys"),
    "values are not waited for": Bug("wait for values"),
    "values are waited for one phase too early": Bug("first parity of values", 1),
    "empty stages of keys are not waited for": Bug("wait for an empty stage of keys"),
    "empty stages of values are not waited for": Bug("wait for an empty stage of values"),
    "too few bytes of Q are expected": Bug("bytes of: expect Q", -8192),
    "too many bytes of values are expected": Bug("bytes of: expect values", 2048),
    "no bytes of keys are expected": Bug("expect keys"),
    "keys are never released": Bug("release keys"),
    "values are never released": Bug("release values"),
    "barriers of empty stages expect an arrival too few": Bug("arrivals at an empty stage", -1),
    "barriers are used before they are initialised": Bug("barriers are initialised"),
    "scores are not committed": Bug("commit the scores"),
    "scores are read while they are computed": Bug("products pending at the scores", 1),
    "outputs are scaled while they are computed": Bug("products pending at the outputs", 1),
    "outputs are not waited for in the loop": Bug("wait for the outputs"),
    "outputs are not waited for at the end": Bug("wait for the last outputs"),
    "scores begin without a fence": Bug("fence before the scores"),
    "outputs begin without a fence": Bug("fence before the outputs"),
    "the staged result is not made known to the copies": Bug("fence of the staged result"),
    "the result is stored before it is staged": Bug("the result is staged"),
    "the stores are not committed": Bug("commit the stores"),
}


@dataclass(frozen=True)
class Attention:
    """The shape of the kernel: elements of a head (64 or 128), stages of keys and of values."""

    head: int = 128
    stages: int = 2
    is_causal: bool = False
    element: WGMMAType = WGMMAType.BF16

    @property
    def queries(self) -> wgmma.Operand:
        return wgmma.Operand(TILE, is_k_major=True)

    @property
    def keys(self) -> wgmma.Operand:
        return wgmma.Operand(TILE, is_k_major=True)

    @property
    def values(self) -> wgmma.Operand:
        return wgmma.Operand(TILE, is_k_major=False)

    @property
    def tile_bytes(self) -> int:
        return TILE * self.head * 2

    @property
    def columns(self) -> range:
        """Where the boxes of a tile start."""
        return range(0, self.head, wgmma.BOX_COLUMNS)

    @property
    def keys_start(self) -> int:
        """Where the stages of keys begin, after Q."""
        return self.tile_bytes

    @property
    def values_start(self) -> int:
        return self.keys_start + self.stages * self.tile_bytes

    @property
    def barriers(self) -> int:
        """Where the barriers begin: of Q, then of keys and values, full and empty."""
        return self.values_start + self.stages * self.tile_bytes

    @property
    def keys_ring(self) -> "Ring":
        return Ring("keys", self.keys_start, self.barriers + 8, self)

    @property
    def values_ring(self) -> "Ring":
        return Ring("values", self.values_start, self.barriers + 8 + 16 * self.stages, self)

    @property
    def shared_bytes(self) -> int:
        return self.barriers + 8 + 32 * self.stages

    def module(self, bug: Bug | None = None) -> ModuleOp:
        """The kernel `attention(maps of Q, K, V and O, sequence length, scale)`.

        The tensors have heads, rows and elements of a head. The boxes of the maps are 1 x 128 x 64
        elements of Q, K and V and 1 x 64 x 64 of O, all with the 128-byte swizzle. The grid is
        tiles of queries by heads.
        """
        return _Generator(self, bug).module()


@dataclass(frozen=True)
class Ring:
    """The stages of keys or values: where the tiles and the barriers are."""

    name: str
    start: int
    full: int
    shape: Attention

    @property
    def empty(self) -> int:
        return self.full + 8 * self.shape.stages


class _Generator:
    def __init__(self, shape: Attention, bug: Bug | None):
        self.shape = shape
        parameters = [*[TENSOR_MAP] * 4, Parameter(i32), Parameter(f32)]
        self.k = KernelBuilder(
            "attention", parameters, THREADS, max_registers=LAUNCH_REGISTERS, bug=bug
        )

    def module(self) -> ModuleOp:
        k, shape = self.k, self.shape
        thread = k.thread()
        self.lane = k.bits_and(thread, 31)
        self.warp = k.uniform(k.shift_right(thread, 5))
        self.group = k.shift_right(self.warp, 2)
        self.row, self.head = k.times(k.add(BlockIdXOp()), TILE), k.add(BlockIdYOp())
        self.length = k.arguments[4]
        rows = k.minimum(k.plus(self.row, TILE), self.length) if shape.is_causal else self.length
        self.tiles = k.quotient(k.plus(rows, TILE - 1), TILE)
        self.first_key = k.times(k.minus(self.tiles, 1), TILE)
        barriers = [("arrivals at Q", shape.barriers, 1)]
        for ring in (shape.keys_ring, shape.values_ring):
            for stage in range(shape.stages):
                barriers.append(("arrivals at a full stage", ring.full + 8 * stage, 1))
                arrivals = 4 * CONSUMERS
                barriers.append(("arrivals at an empty stage", ring.empty + 8 * stage, arrivals))
        k.initialise(barriers, thread)
        k.barrier("barriers are initialised")
        k.either(k.compare("eq", self.group, CONSUMERS), self.producer, self.consumer)
        return k.module()

    def _barriers(self, slot: Slot) -> SSAValue:
        """As far from a stage's barriers as the start of shared memory is from those of stage 0."""
        return self.k.offset(self.k.shared, slot.stage, i64)

    # The producer.

    def producer(self) -> None:
        k, shape = self.k, self.shape
        k.run(SetMaxRegisterOp(RegisterAction.DECREASE, PRODUCER_REGISTERS))
        is_first_warp = k.compare("eq", self.warp, 4 * CONSUMERS)
        with k.only_if(is_first_warp), k.only_if(k.add(ElectSyncOp())):
            barrier = k.offset(k.shared, shape.barriers)
            wgmma.expect_bytes(k, "expect Q", barrier, shape.tile_bytes)
            self._load(k.arguments[0], k.shared, self.row, barrier)
            zero = k.integer(0)
            parity = k.integer(k.sites.number("first parity of empty stages", 1))
            k.repeat([self.tiles, self.first_key, zero, parity], self._produce)

    def _load(self, map: SSAValue, place: SSAValue, row: SSAValue, barrier: SSAValue) -> None:
        box_bytes = self.shape.queries.box_bytes
        rows = [row, self.head]
        wgmma.load_boxes(self.k, map, place, box_bytes, self.shape.columns, rows, barrier)

    def _produce(self, carried: Sequence[SSAValue]) -> tuple[Sequence[SSAValue], SSAValue]:
        k, shape = self.k, self.shape
        left, row, slot = carried[0], carried[1], Slot(*carried[2:])
        barriers = self._barriers(slot)
        tile = k.offset(k.shared, slot.stage, LLVMArrayType(IntAttr(shape.tile_bytes), i8))
        for map, ring in zip(k.arguments[1:3], (shape.keys_ring, shape.values_ring), strict=True):
            site = f"wait for an empty stage of {ring.name}"
            k.wait(site, k.offset(barriers, ring.empty), slot.parity)
            full = k.offset(barriers, ring.full)
            wgmma.expect_bytes(k, f"expect {ring.name}", full, shape.tile_bytes)
            self._load(map, k.offset(tile, ring.start), row, full)
        following = [k.minus(left, 1), k.minus(row, TILE), *slot.next(k, shape.stages)]
        return following, k.compare("sgt", following[0], 0)

    # The consumers.

    def consumer(self) -> None:
        k, shape = self.k, self.shape
        k.run(SetMaxRegisterOp(RegisterAction.INCREASE, CONSUMER_REGISTERS))
        queries = k.offset(k.shared, k.times(self.group, wgmma.WARPGROUP_ROWS * wgmma.ROW_BYTES))
        self.queries = wgmma.descriptor(k, shape.queries, queries)
        self.keys = wgmma.descriptor(k, shape.keys, k.offset(k.shared, shape.keys_start))
        self.values = wgmma.descriptor(k, shape.values, k.offset(k.shared, shape.values_start))
        self.elects = k.compare("eq", self.lane, 0)
        self.softmax = OnlineSoftmax(k, k.arguments[5], shape.element, TILE)
        k.wait("wait for Q", k.offset(k.shared, shape.barriers), 0)
        zero = k.integer(0)
        slot = Slot(zero, k.integer(k.sites.number("first parity of keys", 0)))
        scores = self._scores(slot)
        if k.sites.keeps("wait for the first scores"):
            k.run(WgmmaWaitGroupOp(0))
        self._release("release keys", shape.keys_ring, slot)
        state, weights = self.softmax.first(k.fields(scores), self._visible())
        slots = [*slot.next(k, shape.stages), zero]
        slots.append(k.integer(k.sites.number("first parity of values", 0)))
        initial = [
            k.minus(self.tiles, 1),
            *slots,
            *state.values,
            k.struct(weights),
            k.zeros(shape.head // 2),
        ]
        last = k.loop(initial, k.compare("sgt", initial[0], 0), self._consume)
        *_, stage, parity = last[:5]
        outputs = self._outputs(Slot(stage, parity), k.fields(last[9]), last[10])
        if k.sites.keeps("wait for the last outputs"):
            k.run(WgmmaWaitGroupOp(0))
        self._store(self.softmax.normalised(k.fields(outputs), RowState(*last[5:9])))

    def _visible(self) -> Sequence[SSAValue]:
        """How many keys of the first tile a thread's first row sees, and its second.

        They count from the thread's own first column.
        """
        k = self.k
        row = k.plus(k.plus(self.row, k.shift_left(self.warp, 4)), k.shift_right(self.lane, 2))
        start = k.plus(self.first_key, k.shift_left(k.bits_and(self.lane, 3), 1))
        ends: list[SSAValue] = []
        for added in (0, 8):
            end = self.length
            if self.shape.is_causal:
                end = k.minimum(end, k.plus(row, added + 1))
            ends.append(k.minus(end, start))
        return ends

    def _scores(self, slot: Slot) -> SSAValue:
        """Issues the products of Q and a tile of keys, as a group."""
        k, shape = self.k, self.shape
        k.wait("wait for keys", k.offset(self._barriers(slot), shape.keys_ring.full), slot.parity)
        keys = self._of_stage(self.keys, slot)
        k.synchronise("fence before the scores", WgmmaFenceAlignedOp)
        dot = wgmma.Dot(TILE, shape.element, shape.queries, shape.keys)
        nothing = k.undefined(TILE // 2)
        steps = shape.head * 2 // wgmma.STEP_BYTES
        scores = dot.accumulate(k, nothing, self.queries, keys, steps, overwrites=True)
        k.synchronise("commit the scores", WgmmaCommitGroupOp)
        return scores

    def _outputs(self, slot: Slot, weights: Sequence[SSAValue], outputs: SSAValue) -> SSAValue:
        """Issues the products of weights in registers and a tile of values, as a group."""
        k, shape = self.k, self.shape
        ring = shape.values_ring
        k.wait("wait for values", k.offset(self._barriers(slot), ring.full), slot.parity)
        values = self._of_stage(self.values, slot)
        k.synchronise("fence before the outputs", WgmmaFenceAlignedOp)
        dot = wgmma.Dot(shape.head, shape.element, shape.queries, shape.values)
        outputs = dot.accumulate(k, outputs, weights, values, TILE * 2 // wgmma.STEP_BYTES)
        k.synchronise("commit the outputs", WgmmaCommitGroupOp)
        return outputs

    def _of_stage(self, descriptor: SSAValue, slot: Slot) -> SSAValue:
        bytes = self.k.times(self.k.widened(slot.stage), self.shape.tile_bytes >> 4)
        return self.k.plus(descriptor, bytes)

    def _release(self, site: str, ring: Ring, slot: Slot) -> None:
        self.k.arrive(site, self.k.offset(self._barriers(slot), ring.empty), self.elects)

    def _consume(self, carried: Sequence[SSAValue]) -> tuple[Sequence[SSAValue], SSAValue]:
        k, shape = self.k, self.shape
        left, keys, values = carried[0], Slot(*carried[1:3]), Slot(*carried[3:5])
        state, weights, outputs = RowState(*carried[5:9]), carried[9], carried[10]
        scores = self._scores(keys)
        outputs = self._outputs(values, k.fields(weights), outputs)
        k.run(WgmmaWaitGroupOp(k.sites.number("products pending at the scores", 1)))
        self._release("release keys", shape.keys_ring, keys)
        state, exponentials, factors = self.softmax.following(k.fields(scores), state)
        self.softmax.pin(state)
        if k.sites.keeps("wait for the outputs"):
            k.run(WgmmaWaitGroupOp(k.sites.number("products pending at the outputs", 0)))
        self._release("release values", shape.values_ring, values)
        scaled = self.softmax.scaled(k.fields(outputs), factors)
        following = [
            k.minus(left, 1),
            *keys.next(k, shape.stages),
            *values.next(k, shape.stages),
            *state.values,
            k.struct(self.softmax.rounded(exponentials)),
            k.struct(scaled),
        ]
        return following, k.compare("sgt", following[0], 0)

    # The result.

    def _group_barrier(self, site: str) -> None:
        """The warps of the warpgroup wait for one another."""
        k = self.k
        first, second = (
            lambda number=number: k.barrier(site, number, wgmma.WARPGROUP) for number in (1, 2)
        )
        k.either(k.compare("eq", self.group, 0), first, second)

    def _store(self, outputs: Sequence[SSAValue]) -> None:
        k, shape = self.k, self.shape
        warp = k.bits_and(self.warp, 3)
        first_row = k.times(self.group, wgmma.WARPGROUP_ROWS)
        staged = k.offset(k.shared, k.times(first_row, wgmma.ROW_BYTES))
        box_bytes = shape.queries.box_bytes
        # Each warp writes to the rows of Q that only its own products have read.
        wgmma.stage_sums(k, outputs, shape.element, staged, box_bytes, warp, self.lane)
        k.synchronise(
            "fence of the staged result",
            lambda: FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA),
        )
        self._group_barrier("the result is staged")
        with k.only_if(k.compare("eq", warp, 0)), k.only_if(k.add(ElectSyncOp())):
            rows = [k.plus(self.row, first_row), self.head]
            wgmma.store_boxes(k, k.arguments[3], staged, box_bytes, shape.columns, rows)
            k.synchronise("commit the stores", CpAsyncBulkCommitGroupOp)
            k.synchronise("wait for the stores", lambda: CpAsyncBulkWaitGroupOp(0, read=True))


def attention_problem(shape: Attention, heads: int, length: int) -> Problem:
    """Random queries, keys and values of some heads, and their attention."""
    random = np.random.default_rng(heads + length)
    dtype = DTYPES[shape.element]
    extents = (heads, length, shape.head)
    q, k, v = (random.standard_normal(extents).astype(dtype) for _ in range(3))
    o = np.zeros(extents, dtype)
    scale = np.float32(shape.head**-0.5)
    wide_q, wide_k, wide_v = (x.astype(np.float64) for x in (q, k, v))
    scores = np.einsum("hqd,hkd->hqk", wide_q, wide_k) * scale
    if shape.is_causal:
        scores[:, ~np.tri(length, dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    maps = [emulator.TensorMap(x, (1, TILE, wgmma.BOX_COLUMNS), 128) for x in (q, k, v)]
    stored = emulator.TensorMap(o, (1, wgmma.WARPGROUP_ROWS, wgmma.BOX_COLUMNS), 128)
    expected = np.einsum("hqk,hkd->hqd", weights, wide_v)
    return Problem([*maps, stored, length, scale], o, expected, 2.0**-7)


def attention_case(
    name: str, shape: Attention, heads: int, length: int, bugs: Mapping[str, Bug] | None = None
) -> Case:
    """Attention of random queries, keys and values."""
    grid = (-(-length // TILE), heads, 1)
    return Case(
        name,
        "sm_90a",
        shape.module,
        grid,
        shape.shared_bytes,
        lambda: attention_problem(shape, heads, length),
        bugs or {},
    )
