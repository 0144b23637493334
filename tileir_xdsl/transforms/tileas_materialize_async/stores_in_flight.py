"""Tile stores stay in flight across iterations of an outer loop.

    scf.for .. iter_args(%m = %m0) {          %none = create_none
      scf.for .. {..}                         scf.for .. iter_args(%m = %m0, %before = %none) {
      %b = alloc_tensor                         scf.for .. {..}
      %t = copy %x into %b             ->       %w = async.wait %before
      .. %m ..                                  %m1 = join_mem_token %m, %w
      %s = async.tiled_tma_store %map, %t       %b = alloc_tensor
      %m1 = async.wait %s                       %t = copy %x into %b
      scf.yield %m1                             .. %m1 ..
    }                                           %s = async.tiled_tma_store %map, %t
                                                scf.yield %m, %s
                                              }
                                              %w = async.wait ..

The wait for a store moves after the inner loop of the next iteration. Afterwards the store's buffer
may be reused, and ordered accesses may follow. So a persistent kernel computes the next tile while
the previous tile is written.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.builders.loops import with_carried_values
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.interfaces import AllocationOpInterface, TileMoveOpInterface
from tileir_xdsl.dialects.nv_tileas.tma import BoxStoreOp


@dataclass(frozen=True)
class CarriedStore:
    """A store, its wait, the index of its token among the carried values, and the loop after which
    the wait moves.
    """

    store: BoxStoreOp
    wait: nv_tileas.WaitOp
    position: int
    inner: Operation


class KeepStoresInFlight(RewritePattern):
    """Defers the waits for the stores of a loop to the next iteration."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        loop = op
        for carried in list(_carried_stores(op)):
            loop = _carry(loop, carried, rewriter)


def _carried_stores(loop: scf.ForOp) -> Iterator[CarriedStore]:
    """The stores that an iteration waits for at its end, after an inner loop."""
    block = loop.body.block
    terminator = block.last_op
    assert terminator is not None
    for wait in block.ops:
        if not isinstance(wait, nv_tileas.WaitOp) or wait.result_token is None:
            continue
        (store, *others) = (source.owner for source in wait.sources)
        # A token of several stores is carried as a whole or not at all.
        if others or not isinstance(store, BoxStoreOp) or store.parent is not block:
            continue
        only_user = wait.result_token.get_user_of_unique_use()
        if store.result.get_user_of_unique_use() is not wait or only_user is not terminator:
            continue
        position = list(terminator.operands).index(wait.result_token)
        first = _first_user(block, block.args[position + 1], store)
        inner = None if first is None else _loop_before(first)
        if inner is not None:
            yield CarriedStore(store, wait, position, inner)


def _first_user(block: Block, token: BlockArgument, store: BoxStoreOp) -> Operation | None:
    """The first op that must follow the previous iteration's store, by its token or its buffer;
    None if unknown.
    """
    copied = store.source.owner
    buffer = copied.filled if isinstance(copied, TileMoveOpInterface) else None
    # Of an unknown buffer it is unknown when it is written again.
    if buffer is None or not isinstance(buffer.owner, AllocationOpInterface):
        return None
    users = {block.find_ancestor_op_in_block(use.operation) for use in (*token.uses, *buffer.uses)}
    if None in users or token.get_user_of_unique_use() is block.last_op:
        return None
    return next((op for op in block.ops if op in users), None)


def _loop_before(op: Operation) -> Operation | None:
    """The last loop before an op, which overlaps the store."""
    before = op.prev_op
    while before is not None and not isinstance(before, scf.ForOp | scf.WhileOp):
        before = before.prev_op
    return before


def _carry(loop: scf.ForOp, carried: CarriedStore, rewriter: PatternRewriter) -> scf.ForOp:
    none = nv_tileas.CreateNoneOp(nv_tileas.AsyncTokenType())
    rewriter.insert(none, InsertPoint.before(loop))
    loop, (before,) = with_carried_values(loop, [none.result], rewriter)
    block, position = loop.body.block, carried.position
    # Directly after the loop MMAs are still in flight: one thread waits, and accumulator registers
    # may not be read on both sides of a branch.
    after = Builder(InsertPoint.after(carried.inner))
    _wait_as_well(after, before, block.args[position + 1], block)
    terminator = block.last_op
    assert terminator is not None
    terminator.operands[position] = block.args[position + 1]
    terminator.operands[len(terminator.operands) - 1] = carried.store.result
    rewriter.erase(carried.wait)
    after = Builder(InsertPoint.after(loop))
    _wait_as_well(after, loop.results[-1], loop.results[position], None)
    return loop


def _wait_as_well(builder: Builder, store: SSAValue, token: SSAValue, block: Block | None) -> None:
    """Inserts a wait for a store; except in the terminator, its token joined with `token` replaces
    `token`.
    """
    end = None if block is None else block.last_op
    waited = builder.insert(nv_tileas.WaitOp([store], with_token=True)).result_token
    assert waited is not None
    joined = builder.insert(nv_tileaa.JoinMemTokenOp([token, waited]))
    token.replace_uses_with_if(
        joined.result, lambda use: use.operation is not joined and use.operation is not end
    )
