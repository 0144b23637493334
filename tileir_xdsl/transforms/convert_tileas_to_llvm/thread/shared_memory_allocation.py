"""Shared-memory allocation: the offsets of a function's buffers and barrier objects.

All requests are known before any op is converted, so offsets are constants; scratch memory is
placed where no live buffer is. Buffers with disjoint lifetimes share memory.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Operation

from tileir_xdsl.analysis.buffers.cta_sharing import shared_pipelines
from tileir_xdsl.analysis.buffers.lifetimes import BufferLifetimes, Lifetime
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import AsyncDotOp, DotOp
from tileir_xdsl.dialects.nv_tileas.copy_groups import COPY_GROUPS
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.rewriting import look_up
from tileir_xdsl.targets import Target

from .shared_buffers import buffer_layout, is_shared, shared_layout, size_in_bytes
from .tensor_memory_allocation import is_in_tensor_memory

SCRATCH_ALIGNMENT = 128

BARRIER_BYTES = 8
"""The bytes of an mbarrier object, and their alignment."""

ANSWER_BYTES = 16
"""The bytes of the response to a tile-block request, and their alignment."""


@dataclass(frozen=True)
class Piece:
    """An allocation request: bytes of shared memory, aligned to a power of two."""

    bytes: int
    alignment: int
    is_shared: bool = True
    """Whether other allocations may reuse the memory before and after; not for barrier objects."""


def buffer_request(layout: SharedLayout) -> Piece:
    """The allocation request of a buffer."""
    return Piece(size_in_bytes(layout), layout.alignment)


def _buffer(op: nv_tileas.AllocTensorOp) -> Piece | None:
    return buffer_request(buffer_layout(op)) if is_shared(op.result.type) else None


def _converted(op: nv_tileas.ConvertLayoutOp) -> Piece | None:
    if not is_shared(op.result.type):
        return None
    return buffer_request(shared_layout(op, op.result.type))


def _copy(op: nv_tileas.CopyOp) -> Piece | None:
    if op.destination is not None or not is_shared(op.result.type):
        return None
    return buffer_request(shared_layout(op, op.result.type))


def _pipeline(op: nv_tileas.CreatePipelineOp) -> Piece | None:
    """A full and an empty barrier per stage, unless copy groups are waited for."""
    if COPY_GROUPS in op.attributes:
        return None
    return Piece(2 * BARRIER_BYTES * op.num_stages.value.data, BARRIER_BYTES, False)


def is_in_pipeline(op: Operation) -> bool:
    """Whether an op fills a stage of a pipeline."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, nv_tileas.ProduceOneOp | nv_tileas.ProduceOneAsyncOp):
            return True
        parent = parent.parent_op()
    return False


def _own_barrier(op: Operation) -> Piece | None:
    """The barrier of a copy that is waited for by itself."""
    if is_in_pipeline(op):
        return None
    return Piece(BARRIER_BYTES, BARRIER_BYTES, False)


def _product(op: AsyncDotOp | DotOp) -> Piece | None:
    """The barrier that the commit of an MMA arrives at."""
    return Piece(BARRIER_BYTES, BARRIER_BYTES, False) if is_tensor_memory_mma(op) else None


def _answer(_op: Operation) -> Piece:
    """The response to a tile-block request, and the barrier that counts its bytes."""
    return Piece(ANSWER_BYTES + BARRIER_BYTES, ANSWER_BYTES, False)


def _request(op: nv_tileas.AsyncCancelNextProgramIdOp) -> Piece | None:
    """The same; only the barrier where the response is written to a buffer."""
    return _answer(op) if op.destination is None else _own_barrier(op)


def _function(op: Operation) -> Piece | None:
    """The word that receives the address of the tensor memory, if any is allocated."""
    needed = any(
        is_tensor_memory_mma(inner)
        or any(is_in_tensor_memory(result.type) for result in inner.results)
        for inner in op.walk()
    )
    return Piece(BARRIER_BYTES, BARRIER_BYTES, False) if needed else None


REQUESTS: Mapping[type[Operation], Callable[[Any], Piece | None]] = {
    nv_tileas.AllocTensorOp: _buffer,
    nv_tileaa.FuncOp: _function,
    nv_tileas.AsyncCancelNextProgramIdOp: _request,
    nv_tileas.AsyncDotOp: _product,
    nv_tileas.AsyncGatherTmaLoadOp: _own_barrier,
    nv_tileas.AsyncTiledTmaLoadOp: _own_barrier,
    nv_tileas.CancelNextProgramIdOp: _answer,
    nv_tileas.ConvertLayoutOp: _converted,
    nv_tileas.CopyOp: _copy,
    nv_tileas.CreatePipelineOp: _pipeline,
    nv_tileas.DotOp: _product,
}
"""The allocation request of each op; None for ops without one."""


def _lowest(piece: Piece, taken: list[tuple[int, int]]) -> int:
    """The lowest offset that overlaps no existing allocation."""
    position = 0
    for start, end in sorted(taken):
        if position + piece.bytes <= start:
            break
        position = max(position, -(-end // piece.alignment) * piece.alignment)
    return position


@dataclass(frozen=True)
class Place:
    """The allocation of an op, and its lifetime."""

    owner: Operation
    start: int
    piece: Piece
    lifetime: Lifetime

    @property
    def end(self) -> int:
        """The first byte after it."""
        return self.start + self.piece.bytes

    def overlaps(self, other: "Place") -> bool:
        """Whether it overlaps another allocation in memory."""
        return self is not other and self.start < other.end and other.start < self.end

    def is_beside(self, piece: Piece, lifetime: Lifetime) -> bool:
        """Whether another request must not overlap it."""
        if not (self.piece.is_shared and piece.is_shared):
            return True
        return self.lifetime.meets(lifetime)


@dataclass
class SharedMemoryAllocation:
    """The offset in bytes of each op's allocation, and the total size."""

    offsets: dict[Operation, int] = field(default_factory=dict[Operation, int])
    bytes: int = 0
    alignment: int = 1
    lifetimes: BufferLifetimes | None = None
    shared_pipelines: frozenset[Operation] = frozenset()
    """The pipelines of which the CTAs of a cluster fill the stages for each other."""
    taken: list[Place] = field(default_factory=list[Place])
    scratch: list[Place] = field(default_factory=list[Place])

    def take(self, op: Operation, piece: Piece, lifetime: Lifetime) -> Place:
        """Allocates the lowest offset for an op's request with a lifetime."""
        return self._take(op, piece, lifetime, (*self.taken, *self.scratch))

    def _take(
        self, op: Operation, piece: Piece, lifetime: Lifetime, others: Iterable[Place]
    ) -> Place:
        position = Place(op, _lowest(piece, self._beside(others, piece, lifetime)), piece, lifetime)
        self.bytes = max(self.bytes, position.end)
        return position

    @staticmethod
    def _beside(
        positions: Iterable[Place], piece: Piece, lifetime: Lifetime
    ) -> list[tuple[int, int]]:
        """The allocations that are live during a request's lifetime."""
        return [(p.start, p.end) for p in positions if p.is_beside(piece, lifetime)]

    def take_scratch(self, op: Operation, size: int, *, second: bool = False) -> tuple[int, bool]:
        """Scratch memory for one op: its offset, and whether it overlaps buffers that are live at
        other times.

        The op's earlier scratch memory is released, unless this is a `second` allocation alongside.
        """
        assert self.lifetimes is not None
        piece, lifetime = Piece(size, SCRATCH_ALIGNMENT), self.lifetimes.at(op)
        position = self._take(op, piece, lifetime, self._others(op, keeps=second))
        self.scratch.append(position)
        return position.start, any(position.overlaps(other) for other in self.taken)

    def scratch_room(self, op: Operation, limit: int) -> int:
        """The most bytes of scratch memory that one op can have at once, below `limit`."""
        assert self.lifetimes is not None
        piece = Piece(0, SCRATCH_ALIGNMENT)
        start = room = 0
        beside = self._beside(self._others(op, keeps=False), piece, self.lifetimes.at(op))
        for first, end in sorted(beside):
            room = max(room, first - start)
            start = max(start, -(-end // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT)
        return max(room, limit - start)

    def _others(self, op: Operation, *, keeps: bool) -> list[Place]:
        """All allocations but the scratch memory of the op, unless it keeps that."""
        return [*self.taken, *(p for p in self.scratch if keeps or p.owner is not op)]

    def is_shared(self, op: Operation) -> bool:
        """Whether the memory of an op's buffer is reused at other times."""
        mine = next(position for position in self.taken if position.owner is op)
        return any(mine.overlaps(other) for other in (*self.taken, *self.scratch))


def allocate_shared_memory(function: Operation, target: Target) -> SharedMemoryAllocation:
    """Allocates all requests of a function's ops, the most aligned ones first.

    Stages that other CTAs of the cluster may fill at any time use memory that no other buffer uses
    before; where that is too much, each CTA fills its own.

    Raises `PassFailedException` where the target has too little shared memory.
    """
    limit = target.limits.shared_memory_per_block
    positions = _places(function, shared_pipelines(function))
    if positions.bytes > limit and positions.shared_pipelines:
        positions = _places(function, frozenset())
    if positions.bytes > limit:
        fail(
            function,
            f"'{function.name}' op needs {positions.bytes} bytes of shared memory for its buffers, "
            f"{target.name} has {limit}",
        )
    return positions


def _places(function: Operation, shared: frozenset[Operation]) -> SharedMemoryAllocation:
    pieces: list[tuple[Operation, Piece]] = []
    for op in function.walk():
        size = look_up(REQUESTS, op)
        piece = None if size is None else size(op)
        if piece is not None:
            pieces.append((op, piece))
    lifetimes = BufferLifetimes(function)
    positions = SharedMemoryAllocation(lifetimes=lifetimes, shared_pipelines=shared)
    for op, piece in sorted(pieces, key=lambda item: -item[1].alignment):
        lifetime = lifetimes.of(op)
        if any(use.operation in shared for result in op.results for use in result.uses):
            lifetime = lifetimes.since_start(lifetime)
        position = positions.take(op, piece, lifetime)
        positions.taken.append(position)
        positions.offsets[op] = position.start
        positions.alignment = max(positions.alignment, piece.alignment)
    return positions
