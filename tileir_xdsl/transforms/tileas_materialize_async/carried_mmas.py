"""Loops that carry the asynchronous result of an MMA in place of its accumulator."""

from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileir_xdsl.builders.tiles import wait_for
from tileir_xdsl.dialects import nv_tileas


@dataclass(frozen=True)
class CarriedMMA:
    """An MMA whose accumulator a loop carries, and the index of the accumulator among the carried
    values.
    """

    dot: nv_tileas.AsyncDotOp
    wait: Operation
    position: int


def carry_unfinished(loop: scf.ForOp, mma: CarriedMMA, rewriter: PatternRewriter) -> None:
    """Makes a loop carry the asynchronous result of an MMA in place of its accumulator."""
    initial = loop.iter_args[mma.position]
    # The loop carries one type, so the initial value becomes asynchronous too.
    started = nv_tileas.ToAsyncOp(initial)
    rewriter.insert(started, InsertPoint.before(loop))
    # The first three operands are the bounds and the step.
    loop.operands[3 + mma.position] = started.result
    argument = loop.body.block.args[mma.position + 1]
    rewriter.replace_value_with_new_type(argument, started.result.type)
    result = loop.results[mma.position]
    rewriter.replace_value_with_new_type(result, started.result.type)
    terminator = loop.body.block.last_op
    assert terminator is not None
    terminator.operands[mma.position] = mma.dot.result
    rewriter.erase(mma.wait)


def await_result(result: SSAValue, builder: Builder) -> None:
    """Waits for the loop's asynchronous result, and replaces all its uses."""
    value = wait_for(builder, result)
    value.name_hint = result.name_hint
    result.replace_uses_with_if(value, lambda use: use.operation is not value.owner)
