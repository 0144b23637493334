"""Accumulators that a loop carries stay in tensor memory until they are read.

    scf.for .. iter_args(%acc = %zero) {        %start = async.to_async %zero
      ..                                        scf.for .. iter_args(%acc = %start) {
      %c = mulf %acc, %factor                     ..
      %d = async.dot %p, %v, %c                   %s = async.future_wait %acc
      %s = async.future_wait %d           ->      %c = mulf %s, %factor
      consumer_release %r                         %d = async.dot %p, %v, %c
      scf.yield %s                                async.wait %d
    }                                             consumer_release %r
                                                  scf.yield %d
                                                }
                                                %s = async.future_wait ..

An MMA that only adds to the carried accumulator reads `%acc` directly. The wait for `%d` orders
later ops, such as the release of a stage. Hardware executes the release when the MMA completes, so
no thread waits.
"""

from collections.abc import Iterator, Sequence

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.mma.tensor_memory_mmas import (
    buffer_of,
    is_tensor_memory_mma,
    shared_operands,
    stage_of,
)
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.async_tokens import only_wait

from .carried_mmas import CarriedMMA, await_result, carry_unfinished


def keep_in_tensor_memory(
    loop: scf.ForOp, mmas: Sequence[CarriedMMA], rewriter: PatternRewriter
) -> None:
    """Makes a loop carry accumulators in tensor memory."""
    for mma in mmas:
        wait = nv_tileas.WaitOp([mma.dot.result])
        rewriter.insert(wait, InsertPoint.before(mma.wait))
        carry_unfinished(loop, mma, rewriter)
        await_result(loop.results[mma.position], Builder(InsertPoint.after(loop)))


def keep_replaced_accumulators(loop: scf.ForOp, rewriter: PatternRewriter) -> None:
    """Makes a loop carry accumulators in tensor memory that ops read and replace before the next
    MMA.
    """
    for mma in list(_replaced_accumulators(loop)):
        block = loop.body.block
        argument = block.args[mma.position + 1]
        first = _first_user(argument, block)
        keep_in_tensor_memory(loop, [mma], rewriter)
        # The argument's type has changed, so it is replaced.
        argument = block.args[mma.position + 1]
        await_result(argument, Builder(InsertPoint.before(first)))


def _replaced_accumulators(loop: scf.ForOp) -> Iterator[CarriedMMA]:
    """The MMAs whose carried accumulator is read before the next MMA."""
    block = loop.body.block
    terminator = block.last_op
    assert terminator is not None
    for dot in block.ops:
        if not isinstance(dot, nv_tileas.AsyncDotOp) or isinstance(dot.c.type, ValueType):
            continue
        wait = only_wait(dot.result)
        # In registers the accumulator must be complete before anything else changes it.
        if not is_tensor_memory_mma(dot) or wait is None:
            continue
        if wait.parent is not block or wait.result.get_user_of_unique_use() is not terminator:
            continue
        position = terminator.operands.index(wait.result)
        if _is_read_before_operands(block.args[position + 1], dot, block):
            yield CarriedMMA(dot, wait, position)


def _is_read_before_operands(argument: SSAValue, dot: nv_tileas.AsyncDotOp, block: Block) -> bool:
    """Whether a carried accumulator is read before any operand of the next MMA is written."""
    if not argument.uses:
        return False
    first = _first_user(argument, block)
    # The MMA before may still read such a buffer until its accumulator is waited for. Operands that
    # threads store to tensor memory are stored with the MMA itself.
    operands = shared_operands(dot)
    buffers = [buffer_of(operand) for operand in operands if stage_of(operand) is None]
    return first.is_before_in_block(dot) and all(
        isinstance(buffer, Operation)
        and buffer.parent is block
        and first.is_before_in_block(buffer)
        for buffer in buffers
    )


def _first_user(value: SSAValue, block: Block) -> Operation:
    """The first op of a block that uses a value, itself or in a region."""
    users = {block.find_ancestor_op_in_block(use.operation) for use in value.uses}
    return next(op for op in block.ops if op in users)
