"""MMAs of a loop that may overlap its other ops.

Warpgroup MMAs are asynchronous once issued. This loop has two MMAs:

    scores = q x keys(j); weights = softmax(scores);
    outputs = factors * outputs + weights x values(j)

There each MMA waits for the preceding ops, so that the matrix unit is idle while weights are
computed. But the first MMA does not depend on earlier iterations, so it may start one iteration
early. The accumulator of the second MMA is first used in the next iteration, so its wait may be
late. Then the matrix unit is always busy:

    wait for scores(j); weights = softmax(scores); wait for outputs(j - 1);
    start scores(j + 1); start outputs(j)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue, Use
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.buffers.pipelines import pipeline_of, releases_of
from tileir_xdsl.analysis.layouts.groups import tiles_of
from tileir_xdsl.analysis.mma.mmas_in_flight import is_asynchronous_mma, is_warpgroup_mma
from tileir_xdsl.analysis.regions.program_slices import ProgramSlice, slice_of
from tileir_xdsl.analysis.scheduling.dependences import body_ops
from tileir_xdsl.builders.schedule import build_stages
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.element_interfaces import (
    BufferViewOpInterface,
    SameRegistersOpInterface,
)
from tileir_xdsl.dialects.nv_tileas.async_tokens import only_wait

FEWEST_STAGES = 2
"""The stages that a pipeline needs if one is held while the next is waited for."""

ADVANCES = (nv_tileas.ConsumerReadOp, nv_tileas.ConsumerWaitOp, nv_tileas.IncIterOp)
"""Ops that may move to the previous iteration, but must not be repeated."""


# Early MMAs.


@dataclass(frozen=True)
class EarlyMMAs:
    """MMAs that start in the previous iteration, with the ops that they depend on."""

    dots: tuple[nv_tileas.AsyncDotOp, ...]
    needed: ProgramSlice
    """The slice, of the block that contains the loop, that these MMAs need."""
    moved: frozenset[Operation]
    """The ops of the body that only these MMAs need."""
    tokens: tuple[SSAValue, ...]
    """The tokens of the stages held until the MMAs are waited for."""

    @property
    def forwarded(self) -> tuple[SSAValue, ...]:
        """The values that other ops use: the results of early MMAs, the tokens of stages."""
        return (*(dot.result for dot in self.dots), *self.tokens)


def find_early_mmas(loop: scf.ForOp) -> EarlyMMAs | None:
    """The MMAs of a loop that do not depend on earlier iterations; None without any."""
    dots = [
        op
        for op in loop.body.block.ops
        if isinstance(op, nv_tileas.AsyncDotOp)
        and is_asynchronous_mma(op)
        # An accumulator that is still computed makes it depend on the MMA before.
        and not isinstance(op.c.type, ValueType)
        and wait_of(op) is not None
        and early_mmas(loop, [op]) is not None
    ]
    return early_mmas(loop, dots) if dots else None


def early_mmas(loop: scf.ForOp, dots: Sequence[nv_tileas.AsyncDotOp]) -> EarlyMMAs | None:
    """MMAs with the ops they depend on; None if other ops than stages, indices and views are."""
    block, outer = loop.body.block, loop.parent
    assert outer is not None
    if any(_outlives(dot, block) for dot in dots):
        return None
    needed = slice_of(dots, outer)
    ops = [op for op in block.ops if op in needed.ops]
    if not all(op in dots or _may_be_early(op) for op in ops):
        return None
    moved = _needed_by_no_other(ops, dots)
    reads = [op for op in ops if isinstance(op, nv_tileas.ConsumerReadOp)]
    tokens = tuple(op.result for op in reads if op.result.first_use is not None)
    found = EarlyMMAs(tuple(dots), needed, moved, tokens)
    if not all(_is_released(token, block) for token in tokens):
        return None
    try:
        stages = build_stages(body_ops(loop), pairwise(moved))
    except ValueError:
        return None
    # Any other value that the rest of an iteration takes would have to be carried, too.
    if any(pair.producer in moved and pair.value not in found.forwarded for pair in stages):
        return None
    iterators = (op for op in ops if isinstance(op, nv_tileas.IncIterOp))
    return found if all(_is_carried_for_moved(op, moved, block) for op in iterators) else None


def _outlives(dot: nv_tileas.AsyncDotOp, block: Block) -> bool:
    """Whether the sum of an MMA may be read when the next MMA has been issued.

    The two need registers of their own, so those of an MMA that runs would be copied.
    """
    wait = wait_of(dot)
    return wait is not None and any(
        block.args[use.index + 1].first_use is not None
        if use.operation is block.last_op
        else isinstance(use.operation, nv_tileas.AsyncDotOp)
        for use in tile_uses(wait.result)
    )


def tile_uses(tile: SSAValue) -> Iterator[Use]:
    """The uses of a tile, also by other names of its registers."""
    for use in tile.uses:
        yield use
        if isinstance(use.operation, SameRegistersOpInterface):
            for result in use.operation.results:
                yield from tile_uses(result)


def _may_be_early(op: Operation) -> bool:
    """Whether an op costs little, and returns the same value one iteration early."""
    if isinstance(op, ADVANCES):
        return True
    return is_side_effect_free(op) and not op.regions and not any(tiles_of(op))


def _needed_by_no_other(
    ops: Sequence[Operation], dots: Sequence[nv_tileas.AsyncDotOp]
) -> frozenset[Operation]:
    moved: set[Operation] = set()
    for op in reversed(ops):
        users = {use.operation for result in op.results for use in result.uses}
        if op in dots or isinstance(op, ADVANCES) or users <= moved:
            moved.add(op)
    return frozenset(moved)


def _is_carried_for_moved(
    step: nv_tileas.IncIterOp, moved: frozenset[Operation], block: Block
) -> bool:
    """Whether an iterator is carried for the moved ops alone."""
    carried = step.iterator
    if not isinstance(carried, BlockArgument) or carried.block is not block:
        return False
    end = block.last_op
    assert end is not None
    users = {use.operation for use in carried.uses}
    return users <= moved and end.operands[carried.index - 1] is step.result


# Late MMAs.


@dataclass(frozen=True)
class LateMMA:
    """An MMA whose accumulator is waited for in the next iteration, before it is changed.

    Nothing reads it there after the next MMA is issued: see `_outlives`.
    """

    dot: nv_tileas.AsyncDotOp
    wait: nv_tileas.FutureWaitOp
    position: int
    """The position of the accumulator among the carried values."""
    tokens: tuple[SSAValue, ...]
    """The tokens of the stages of its operands."""
    releases: tuple[nv_tileas.ConsumerReleaseOp, ...]


def find_late_mmas(loop: scf.ForOp) -> tuple[LateMMA, ...]:
    """The MMAs of a loop whose accumulators are carried, and not read in their own iteration."""
    found = (
        _late_mma(op, loop)
        for op in loop.body.block.ops
        if isinstance(op, nv_tileas.AsyncDotOp) and is_warpgroup_mma(op)
    )
    return tuple(mma for mma in found if mma is not None)


def _late_mma(dot: nv_tileas.AsyncDotOp, loop: scf.ForOp) -> LateMMA | None:
    block, wait = loop.body.block, wait_of(dot)
    if wait is None or isinstance(dot.c.type, ValueType):
        return None
    end = block.last_op
    assert end is not None
    positions = [i for i, operand in enumerate(end.operands) if operand is wait.result]
    # Any other reader of the sum would have to wait in this iteration.
    if len(positions) != 1 or wait.result.get_user_of_unique_use() is not end:
        return None
    readers = (use.operation for use in tile_uses(block.args[positions[0] + 1]))
    ancestors = (block.find_ancestor_op_in_block(reader) for reader in readers)
    if not all(op is dot or (op is not None and op.is_before_in_block(dot)) for op in ancestors):
        return None
    tokens: list[SSAValue] = []
    for operand in (dot.a, dot.b):
        if not is_buffer(operand.type):
            continue
        read = _buffer_of(operand).owner
        # Any other buffer may be overwritten before the MMA has read it, which is not awaited.
        if not isinstance(read, nv_tileas.ConsumerReadOp) or read.parent is not block:
            return None
        if read.result not in tokens:
            tokens.append(read.result)
    if not all(_is_released(token, block) for token in tokens):
        return None
    releases = tuple(op for token in tokens for op in releases_of(token))
    return LateMMA(dot, wait, positions[0], tuple(tokens), releases)


def _buffer_of(operand: SSAValue) -> SSAValue:
    while isinstance(operand.owner, BufferViewOpInterface):
        operand = operand.owner.operands[0]
    return operand


def wait_of(dot: nv_tileas.AsyncDotOp) -> nv_tileas.FutureWaitOp | None:
    """The wait for an MMA, if it is the only user, in the same iteration."""
    wait = only_wait(dot.result)
    return wait if wait is not None and wait.parent is dot.parent else None


def _is_released(token: SSAValue, block: Block) -> bool:
    """Whether the block only releases a stage, and may do so after the next stage is full."""
    pipeline = pipeline_of(token)
    return (
        pipeline is not None
        and pipeline.num_stages.value.data >= FEWEST_STAGES
        and all(
            isinstance(use.operation, nv_tileas.ConsumerReleaseOp)
            and use.operation.parent is block
            and use.operation.result.first_use is None
            for use in token.uses
        )
    )
