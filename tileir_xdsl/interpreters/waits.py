"""Finds the loops of a module that wait for memory.

A loop waits if its exit depends on memory that only another tile block or another agent can change.
A loop that waits must let other tile blocks and agents run. Loops over bounds never wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from tileir_xdsl.dialects import cuda_tile, nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.functions import look_up_function
from tileir_xdsl.walking import ancestors, ops_in

READS = (
    cuda_tile.AtomicCASTkoOp,
    cuda_tile.AtomicRMWTkoOp,
    cuda_tile.LoadPtrTkoOp,
    cuda_tile.LoadViewTkoOp,
    cuda_tile.MultimemLoadReduceViewTkoOp,
    nv_tileaa.AtomicCASOp,
    nv_tileaa.AtomicRMWOp,
    nv_tileaa.GatherLoadOp,
    nv_tileaa.LoadOp,
    nv_tileaa.MultimemLoadReduceOp,
    nv_tileaa.TiledAtomicRMWOp,
    nv_tileaa.TiledLoadOp,
    nv_tileas.AsyncGatherTmaLoadOp,
    nv_tileas.AsyncLoadOp,
    nv_tileas.AsyncTiledAtomicRMWOp,
    nv_tileas.AsyncTiledLoadOp,
    nv_tileas.AsyncTiledTmaLoadOp,
    nv_tileas.GatherLoadOp,
    nv_tileas.LoadOp,
    nv_tileas.TiledAtomicRMWOp,
    nv_tileas.TiledLoadOp,
)
"""The ops whose results depend on global memory."""

_STATE = (
    ValueType,
    nv_tileaa.QueueType,
    nv_tileas.MutexType,
    nv_tileas.PipelineConsumerTokenType,
    nv_tileas.PipelineIteratorType,
    nv_tileas.PipelineProducerTokenType,
)
"""The types of values with mutable contents."""


def waiting_loops(module: Operation) -> Mapping[Operation, bool]:
    """The loops of a module that wait for memory.

    Each loop is mapped to whether only global memory and loop-carried values determine an
    iteration, not also buffers and pipelines.
    """
    loops = (op for op in ops_in(module) if isinstance(op, cuda_tile.LoopOp | scf.WhileOp))
    return {op: not any(map(_has_state, ops_in(op))) for op in loops if _waits(op)}


def _has_state(op: Operation) -> bool:
    return any(map(_is_state, (value.type for value in (*op.operands, *op.results))))


def _is_state(type_: Attribute) -> bool:
    in_buffer = isinstance(type_, TensorType) and isinstance(type_.encoding, nv_tileas.MemoryAttr)
    return in_buffer or isinstance(type_, _STATE)


def _waits(loop: cuda_tile.LoopOp | scf.WhileOp) -> bool:
    """Whether a condition of a loop's exit depends on a read inside the loop."""
    pending, seen = list(_exit_conditions(loop)), set[SSAValue]()
    while pending:
        value = pending.pop()
        owner = _owner(value)
        if value in seen or not (owner is loop or loop.is_ancestor(owner)):
            continue
        seen.add(value)
        if _reads(owner) and owner is not loop:
            return True
        pending += _sources(value)
    return False


def _owner(value: SSAValue) -> Operation:
    owner = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    assert owner is not None
    return owner


def _reads(op: Operation) -> bool:
    """Whether an op reads global memory, or calls a function that does."""
    pending, seen = [op], set[Operation]()
    while pending:
        op = pending.pop()
        if isinstance(op, READS):
            return True
        if isinstance(op, nv_tileaa.CallOp):
            function = look_up_function(op, op.callee)
            if function is not None and function not in seen:
                seen.add(function)
                pending += ops_in(function)[1:]
    return False


def _exit_conditions(loop: cuda_tile.LoopOp | scf.WhileOp) -> Iterator[SSAValue]:
    if isinstance(loop, scf.WhileOp):
        yield _last(loop.before_region.block).operands[0]
        return
    for end in _ends(loop, cuda_tile.BreakOp, cuda_tile.ContinueOp, cuda_tile.ReturnOp):
        for around in takewhile(lambda op: op is not loop, ancestors(end)):
            if isinstance(around, cuda_tile.IfOp):
                yield around.condition


def _ends(loop: Operation, *types: type[Operation]) -> Iterator[Operation]:
    """The ops of the given types that continue or leave a loop, at any depth."""
    for op in ops_in(loop)[1:]:
        leaves_all = isinstance(op, cuda_tile.ReturnOp)
        if isinstance(op, types) and (leaves_all or _loop_around(op) is loop):
            yield op


def _loop_around(op: Operation) -> Operation | None:
    loops = (a for a in ancestors(op) if isinstance(a, cuda_tile.LoopOp | cuda_tile.ForOp))
    return next(loops, None)


def _last(block: Block) -> Operation:
    assert block.last_op is not None
    return block.last_op


def _sources(value: SSAValue) -> Iterable[SSAValue]:
    """The values that a value depends on directly."""
    owner = _owner(value)
    if isinstance(value, OpResult):
        return _sources_of_result(owner, value.index)
    assert isinstance(value, BlockArgument)
    return _sources_of_argument(owner, value.owner, value.index)


def _sources_of_result(op: Operation, index: int) -> Iterable[SSAValue]:
    match op:
        case scf.IfOp() | cuda_tile.IfOp():
            return (op.operands[0], *_yielded(op, index))
        case scf.ForOp() | cuda_tile.ForOp():
            return (*op.operands[:3], *_carried(op, index))
        case scf.WhileOp():
            end = _last(op.before_region.block)
            return (end.operands[0], end.operands[index + 1])
        case cuda_tile.LoopOp():
            ends = _ends(op, cuda_tile.BreakOp)
            return (*_exit_conditions(op), *(end.operands[index] for end in ends))
        case _:
            # Bodies of reductions, and values that agents forward.
            inner = (each.operands for each in ops_in(op)[1:]) if op.regions else ()
            return (*op.operands, *(value for values in inner for value in values))


def _sources_of_argument(op: Operation, block: Block, index: int) -> Iterable[SSAValue]:
    match op:
        case scf.ForOp() | cuda_tile.ForOp():
            return op.operands[:3] if index == 0 else tuple(_carried(op, index - 1))
        case scf.WhileOp() if block is op.after_region.block:
            return (_last(op.before_region.block).operands[index + 1],)
        case scf.WhileOp():
            return (op.operands[index], _last(op.after_region.block).operands[index])
        case cuda_tile.LoopOp():
            ends = _ends(op, cuda_tile.ContinueOp)
            return (op.operands[index], *(end.operands[index] for end in ends))
        case _:
            return op.operands


def _yielded(op: Operation, index: int) -> Iterator[SSAValue]:
    """The values that branches of an `if` yield; a branch that leaves a loop yields none."""
    for region in op.regions:
        for block in region.blocks:
            if isinstance(end := _last(block), scf.YieldOp | cuda_tile.YieldOp):
                yield end.operands[index]


def _carried(op: scf.ForOp | cuda_tile.ForOp, index: int) -> Iterator[SSAValue]:
    yield op.operands[3 + index]
    if isinstance(op, scf.ForOp):
        yield _last(op.body.block).operands[index]
        return
    for end in _ends(op, cuda_tile.ContinueOp):
        yield end.operands[index]
