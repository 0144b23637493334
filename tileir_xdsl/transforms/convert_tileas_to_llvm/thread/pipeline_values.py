"""Pipelines, their iterators and their tokens in a thread's program.

A pipeline of two stages; time goes to the right. The mbarriers of a stage tell phases apart by a
parity, which flips where the stages wrap around:

    iteration      0        1        2        3        4
    stage          0        1        0        1        0
    parity         0        0        1        1        0
    producer  | fill 0 | fill 1 | fill 0 | fill 1 | fill 0 |
    consumer           | read 0 | read 1 | read 0 | read 1 | read 0 |

Outside of loops, stage and parity are constants and cost no instruction. In the first phase every
stage is empty, and the producer need not wait:

    >>> from xdsl.builder import Builder
    >>> from xdsl.ir import Block
    >>> from xdsl.rewriter import InsertPoint
    >>> from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import KnownValues
    >>> block = Block()
    >>> builder = LLVMBuilder(Builder(InsertPoint.at_end(block)), KnownValues(block))
    >>> iterator = PipelineIterator(stages=2)
    >>> for iteration in range(5):
    ...     waits = "is empty" if iterator.is_first_phase else "has to be released"
    ...     print(f"parity {iterator.parity}: stage {iterator.stage} {waits}")
    ...     iterator = iterator.next(builder)
    parity 0: stage 0 is empty
    parity 0: stage 1 is empty
    parity 1: stage 0 has to be released
    parity 1: stage 1 has to be released
    parity 0: stage 0 has to be released
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from tileir_xdsl.layout.shared import SharedLayout

from .builder import Index, LLVMBuilder
from .shared_buffers import SharedTile

NO_STAGE = -1
"""The stage of a token that owns no stage."""


@dataclass(frozen=True)
class Pipeline:
    """The barrier objects of a pipeline, and its buffers with the layouts of their tiles.

    Barriers are offsets in shared memory: first those of full stages, then those of empty stages.
    """

    stages: int
    full: int
    empty: int
    has_barriers: bool
    """Whether stages have mbarriers; not where threads wait for copy groups."""
    has_bulk_copies: bool
    """Whether one thread issues copies whose bytes the barriers count."""
    has_thread_copies: bool
    """Whether threads fill stages by stores or `cp.async`, and arrive at the mbarriers."""
    is_read_by_threads: bool
    """Whether threads read stages, not only asynchronous matrix instructions."""
    is_read_by_mmas: bool
    """Whether `tcgen05` MMAs are the only readers: one thread waits for stages, and hardware
    releases them.
    """
    buffers: tuple[SharedTile, ...]
    tiles: tuple[SharedLayout, ...]
    distances: tuple[int, ...]
    """The distance in bytes between the stages of each buffer."""
    ctas: int = 1
    """The number of CTAs of a cluster that fill each other's stages, and release stages to all of
    them.
    """
    accumulators: tuple[SSAValue, ...] = ()
    """The buffers of a pipeline in tensor memory; a commit of MMAs fills their stages."""
    is_of_pair: bool = False
    """Whether the first CTA of each pair counts the bytes of both CTAs, waits and releases."""

    def stage_tiles(self, builder: LLVMBuilder, stage: Index) -> tuple[SharedTile, ...]:
        """The tiles of a stage."""
        tiles: list[SharedTile] = []
        for buffer, layout, distance in zip(self.buffers, self.tiles, self.distances, strict=True):
            moved = builder.multiply(stage, distance, i32)
            tiles.append(SharedTile(buffer.base, builder.add(buffer.offset, moved, i32), layout))
        return tuple(tiles)


@dataclass(frozen=True)
class PipelineIterator:
    """An iteration of a pipeline: its stage, and the parity of the phase in which it is filled.

    `iteration` counts iterations from 0; None if only known at run time.
    """

    stages: int
    stage: Index = 0
    parity: Index = 0
    iteration: int | None = 0

    @property
    def is_first_phase(self) -> bool:
        """Whether no earlier iteration has used the stage."""
        return self.iteration is not None and self.iteration < self.stages

    def next(self, builder: LLVMBuilder) -> "PipelineIterator":
        """The next iteration; the parity flips where the stages wrap around."""
        # Outside of loops stage and parity are constants and cost nothing.
        if self.iteration is not None:
            iteration = self.iteration + 1
            return replace(
                self,
                iteration=iteration,
                stage=iteration % self.stages,
                parity=iteration // self.stages % 2,
            )
        parity = builder.integer(self.parity, i32)
        flipped = builder.compute(llvm.XOrOp, parity, builder.integer(1, i32))
        # The only stage wraps each time: nothing to compare.
        if self.stages == 1:
            return replace(self, parity=flipped)
        after = builder.integer(builder.add(self.stage, 1, i32), i32)
        wraps = builder.compare("eq", after, builder.integer(self.stages, i32))
        stage = builder.select(wraps, builder.integer(0, i32), after)
        return replace(self, stage=stage, parity=builder.select(wraps, flipped, parity))

    def parts(self, builder: LLVMBuilder) -> tuple[SSAValue, ...]:
        """The registers that a branch forwards for the iterator."""
        return tuple(builder.integer(part, i32) for part in (self.stage, self.parity))

    def of_parts(self, parts: Sequence[SSAValue]) -> "PipelineIterator":
        """An iterator of the same pipeline after a branch."""
        stage, parity = parts
        # After a branch it is no longer known how many iterations there were.
        return replace(self, stage=stage if self.stages > 1 else 0, parity=parity, iteration=None)


@dataclass(frozen=True)
class StageToken:
    """The stage that a token owns, or `NO_STAGE`; after a branch, the token may own none."""

    stage: Index = NO_STAGE
    may_own_none: bool = False
    left_to_mmas: PipelineIterator | None = None
    """The iteration whose full barrier the MMAs reading the stage wait for, if no thread has
    waited.
    """
