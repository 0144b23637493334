"""Reduces a failing program: drops operations while it still fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile import (
    ConstantOp,
    DenseConstantAttr,
    EntryOp,
    MakeTokenOp,
    TileType,
    TokenType,
)
from tileir_xdsl.dialects.cuda_tile.literals import NUMERIC_ELEMENTS
from tileir_xdsl.dialects.cuda_tile.types import element_name
from tileir_xdsl.dialects.nv_tileaa import FuncOp

_MAX_TRIALS = 400
_KEPT = (ModuleOp, cuda_tile.ModuleOp, EntryOp, FuncOp)

StandIn = Callable[[Operation, SSAValue], SSAValue | None]
"""Returns a replacement for a result of a dropped operation; None if there is none."""


def reduce_module(
    module: ModuleOp, fails: Callable[[ModuleOp], bool], stand_in: StandIn | None = None
) -> ModuleOp:
    """Returns a smaller module that still `fails`; `module` is unchanged.

    It first drops many operations at once, then single ones, and replaces an `if` by one of its
    branches. By default, ones replace tiles of numbers, and an operation's token operand replaces
    its token result.
    """
    stand_in = stand_in or _stand_in
    smaller = _with_fewer_operations(module, fails, stand_in)
    inlined = _with_fewer_branches(smaller, fails)
    return smaller if inlined is smaller else _with_fewer_operations(inlined, fails, stand_in)


def _with_fewer_operations(
    module: ModuleOp, fails: Callable[[ModuleOp], bool], stand_in: StandIn
) -> ModuleOp:
    trials = _MAX_TRIALS
    count = len(_candidates(module))
    while count:
        position, shrunk = len(_candidates(module)), False
        while position > 0 and trials > 0:
            # From the end: what uses a value goes before what makes it.
            chunk = range(max(0, position - count), position)
            smaller = _without(module, chunk, stand_in)
            trials -= 1
            if smaller is not None and fails(smaller):
                module, shrunk = smaller, True
            position = min(chunk.start, len(_candidates(module)))
        if not shrunk or count > 1:
            count //= 2
    return module


def _with_fewer_branches(module: ModuleOp, fails: Callable[[ModuleOp], bool]) -> ModuleOp:
    """Replaces as many `if` operations as possible by one of their regions."""
    position = 0
    while position < len(_branches(module)):
        for number in range(2):
            smaller = _with_region_alone(module, position, number)
            if smaller is not None and fails(smaller):
                module = smaller
                break
        else:
            position += 1
    return module


def _branches(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, cuda_tile.IfOp | scf.IfOp)]


def _with_region_alone(module: ModuleOp, position: int, number: int) -> ModuleOp | None:
    """A copy of the module with an `if` replaced by one of its regions; None if invalid."""
    copy = module.clone()
    branch = _branches(copy)[position]
    block, region = branch.parent, branch.regions[number]
    if block is None or not region.blocks or region.block.last_op is None:
        return None
    *ops, terminator = region.block.ops
    if len(terminator.operands) != len(branch.results):
        return None
    for op in ops:
        op.detach()
        block.insert_op_before(op, branch)
    for result, value in zip(branch.results, terminator.operands, strict=True):
        result.replace_all_uses_with(value)
    leaves = not isinstance(terminator, cuda_tile.YieldOp | scf.YieldOp)
    if leaves:
        # A branch that leaves more than itself ends the block around it.
        for op in reversed(list(block.ops)[list(block.ops).index(branch) + 1 :]):
            if any(result.first_use is not None for result in op.results):
                return None
            op.detach()
            op.erase()
        terminator.detach()
        block.add_op(terminator)
    branch.detach()
    branch.erase()
    try:
        copy.verify()
    except VerifyException:
        return None
    return copy


def _candidates(module: ModuleOp) -> list[Operation]:
    """The operations that may be dropped, in order; users follow their operands."""
    return [
        op
        for op in module.walk()
        if not isinstance(op, _KEPT)
        and not op.has_trait(IsTerminator)
        and op.parent_op() is not None
    ]


def _without(module: ModuleOp, positions: Sequence[int], stand_in: StandIn) -> ModuleOp | None:
    """A copy of the module without some candidates; None if it is invalid."""
    copy = module.clone()
    candidates = _candidates(copy)
    dropped = 0
    for position in reversed(positions):
        dropped += _drop(candidates[position], stand_in)
    try:
        copy.verify()
    except VerifyException:
        return None
    return copy if dropped else None


def _drop(operation: Operation, stand_in: StandIn) -> bool:
    """Drops an operation if each of its used results has a stand-in."""
    block = operation.parent
    if block is None:
        # An operation around it was dropped.
        return False
    stand_ins: list[tuple[SSAValue, SSAValue]] = []
    for result in operation.results:
        if result.first_use is not None:
            value = stand_in(operation, result)
            if value is None:
                return False
            stand_ins.append((result, value))
    for result, value in stand_ins:
        if isinstance(value.owner, Operation) and value.owner.parent is None:
            block.insert_op_before(value.owner, operation)
        result.replace_all_uses_with(value)
    operation.detach()
    operation.erase()
    return True


def _stand_in(operation: Operation, result: SSAValue) -> SSAValue | None:
    """A replacement for a result: an awaited token, a new token, or ones; None if there is none."""
    type_ = result.type
    if isinstance(type_, TokenType):
        tokens = [operand for operand in operation.operands if operand.type == type_]
        if tokens:
            return tokens[0]
        return None if isinstance(operation, MakeTokenOp) else MakeTokenOp().result
    if isinstance(type_, TileType) and element_name(type_.element_type) in NUMERIC_ELEMENTS:
        ones = DenseConstantAttr.splat(type_, 1)
        if isinstance(operation, ConstantOp) and operation.value == ones:
            return None
        return ConstantOp(ones).result
    return None
