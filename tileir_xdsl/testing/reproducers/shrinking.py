"""Reduces a failing module: fewer ops, constant operands, loops that run once."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing.programs.reduction import reduce_module
from tileir_xdsl.testing.reproducers.conversions import without_conversions
from tileir_xdsl.testing.reproducers.numbers import smaller_numbers, smaller_ranks, without_padding
from tileir_xdsl.testing.reproducers.stand_ins import CONSTANTS, STAND_INS
from tileir_xdsl.testing.reproducers.structure import (
    Fails,
    is_valid,
    with_fewer_carried_values,
    with_fewer_operands,
    without_layers,
)
from tileir_xdsl.walking import clone_of, ops_in

LOOPS = (cuda_tile.ForOp, scf.ForOp)


def shrink(module: ModuleOp, fails: Fails, seconds: float) -> ModuleOp:
    """Returns a smaller module that still `fails`, after at most so many seconds of processor time.

    `module` is unchanged.
    """
    end, smallest = time.process_time() + seconds, module

    def fails_in_time(smaller: ModuleOp) -> bool:
        nonlocal smallest
        if time.process_time() >= end:
            raise TimeoutError
        has_failed = fails(smaller)
        if has_failed:
            smallest = smaller
        return has_failed

    def drop_ops() -> None:
        # Each part goes on with what the last one has left, which is the smallest so far.
        size = None
        while size != len(ops_in(smallest)):
            size = len(ops_in(smallest))
            for stand_in in STAND_INS:
                reduce_module(smallest, fails_in_time, stand_in)
            for part in _PARTS:
                part(smallest, fails_in_time)

    with suppress(TimeoutError):
        drop_ops()
        size = None
        # Arrays with smaller numbers may need no loop.
        while size != len(ops_in(smallest)):
            size = len(ops_in(smallest))
            smaller_numbers(smallest, fails_in_time)
            drop_ops()
    return smallest


def _with_loops_once(module: ModuleOp, fails: Fails) -> ModuleOp:
    """Replaces loops by their bodies while the module still `fails`."""
    number = 0
    while number < len(_loops(module)):
        for bound in range(2):
            copy = clone_of(module)
            if _run_once(_loops(copy)[number], bound) and is_valid(copy) and fails(copy):
                module = copy
                break
        else:
            number += 1
    return module


def _loops(module: ModuleOp) -> list[Operation]:
    return [op for op in ops_in(module) if isinstance(op, LOOPS)]


def _run_once(loop: Operation, bound: int) -> bool:
    """Replaces a loop by its body with one of two bounds and the initial values.

    Returns False if the loop has another form.
    """
    body, block = loop.regions[0].block, loop.parent
    end = body.last_op
    # After its bounds and its step.
    given = loop.operands[3:]
    if block is None or end is None or len(end.operands) != len(loop.results):
        return False
    for argument, value in zip(body.args, (loop.operands[bound], *given), strict=True):
        argument.replace_all_uses_with(value)
    for op in list(body.ops)[:-1]:
        op.detach()
        block.insert_op_before(op, loop)
    for result, value in zip(loop.results, list(end.operands), strict=True):
        result.replace_all_uses_with(value)
    loop.detach()
    loop.erase()
    return True


def _with_fewer_blocks(module: ModuleOp, fails: Fails) -> ModuleOp:
    """Replaces as many conditional branches as possible by a branch to one target."""
    number = 0
    while number < len(_branches(module)):
        for way in range(2):
            copy = clone_of(module)
            _go_one_way(_branches(copy)[number], way)
            if is_valid(copy) and fails(copy):
                module = copy
                break
        else:
            number += 1
    return module


def _branches(module: ModuleOp) -> list[llvm.CondBrOp]:
    return [op for op in ops_in(module) if isinstance(op, llvm.CondBrOp)]


def _go_one_way(branch: llvm.CondBrOp, way: int) -> None:
    """Makes a branch unconditional, to successor `way`, and erases unreachable blocks."""
    taken = (branch.then_arguments, branch.else_arguments)[way]
    block = branch.successors[way]
    Rewriter.replace_op(branch, llvm.BrOp(block, *taken))
    region = block.parent
    assert region is not None
    reached = {region.blocks[0]}
    pending = list(reached)
    while pending:
        last = pending.pop().last_op
        new = [] if last is None else [each for each in last.successors if each not in reached]
        reached.update(new)
        pending += new
    for gone in [each for each in region.blocks if each not in reached]:
        region.erase_block(gone, safe_erase=False)
    for each in list(region.blocks)[1:]:
        _join(each)


def _join(block: Block) -> None:
    """Merges a block into its only predecessor."""
    region = block.parent
    assert region is not None
    before = [each for each in region.blocks if each.last_op and block in each.last_op.successors]
    if len(before) != 1 or before[0] is block or not isinstance(before[0].last_op, llvm.BrOp):
        return
    jump = before[0].last_op
    for argument, value in zip(block.args, list(jump.operands), strict=True):
        argument.replace_all_uses_with(value)
    Rewriter.erase_op(jump)
    for op in list(block.ops):
        op.detach()
        before[0].add_op(op)
    region.erase_block(block, safe_erase=False)


def _with_shared_constants(module: ModuleOp, fails: Fails) -> ModuleOp:
    """Deduplicates the constants of each block."""
    copy = clone_of(module)
    known: dict[object, Operation] = {}
    for op in ops_in(copy):
        if not isinstance(op, CONSTANTS):
            continue
        key = (op.parent, op.name, *op.properties.items(), op.results[0].type)
        if (first := known.setdefault(key, op)) is not op:
            op.results[0].replace_all_uses_with(first.results[0])
            Rewriter.erase_op(op)
    is_smaller = len(ops_in(copy)) < len(ops_in(module))
    return copy if is_smaller and fails(copy) else module


_PARTS: tuple[Callable[[ModuleOp, Fails], ModuleOp], ...] = (
    without_layers,
    _with_loops_once,
    with_fewer_carried_values,
    _with_fewer_blocks,
    with_fewer_operands,
    _with_shared_constants,
    smaller_ranks,
    without_padding,
    without_conversions,
)
"""Reductions, in order, other than dropping ops."""
