"""The accesses to global memory that tokens order, from the effects that ops declare.

Tile IR orders accesses of global memory by tokens alone. A token orders accesses of a whole tile
block, executed by many threads. Threads therefore need a barrier before an access that has to
follow a conflicting one. Accesses without tokens are unordered.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.analysis.access.access_width import access_tile
from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.mma.mmas_in_flight import started_by
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.memory_effects import (
    GlobalEffect,
    GlobalMemoryOpInterface,
    Proxy,
    SharedMemoryOpInterface,
)
from tileir_xdsl.dialects.nv_tileaa.attributes import MemSemanticAttr
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.dialects.nv_tileas.types import AsyncTokenType

from .footprints import GlobalAccess, ValueNumbers, footprint_of

ACQUIRING = (MemoryOrdering.ACQUIRE, MemoryOrdering.ACQ_REL)


def is_token(type: Attribute) -> bool:
    """Whether values of a type may order accesses of global memory."""
    return isinstance(type, MemTokenType | AsyncTokenType)


def dying_tokens(block: Block) -> dict[Operation, list[SSAValue]]:
    """For each op of a block, the tokens with their last use at that op, except those that the
    terminator forwards.
    """
    numbers = {op: number for number, op in enumerate(block.ops)}
    results = (result for op in block.ops for result in op.results)
    dying: dict[Operation, list[SSAValue]] = {}
    for token in (*block.args, *results):
        if not is_token(token.type):
            continue
        users = [block.find_ancestor_op_in_block(use.operation) for use in token.uses]
        first = token.owner if isinstance(token.owner, Operation) else block.first_op
        last = max((op for op in (first, *users) if op is not None), key=numbers.__getitem__)
        if last is not block.last_op:
            dying.setdefault(last, []).append(token)
    return dying


@dataclass(frozen=True)
class Order:
    """The accesses that must precede an op, and those that its result tokens order."""

    tokens: tuple[SSAValue, ...] = ()
    """The tokens of accesses that must be complete before a conflicting op; its result tokens order
    these accesses too.
    """
    access: GlobalAccess | None = None
    adds: GlobalAccess | None = None
    """The access of the op itself, which its result tokens also order."""
    is_last: bool = False
    """Whether the access follows the barrier inside of the op."""


NONE = Order()


@dataclass
class TokenOrder:
    """The orders of the ops of one function."""

    numbers: ValueNumbers = field(default_factory=ValueNumbers)
    _of: dict[Operation, Order] = field(default_factory=dict[Operation, Order])

    def of(self, op: Operation) -> Order:
        """The order of an op, without its regions."""
        found = self._of.get(op)
        if found is None:
            found = self._of[op] = self._compute(op)
        return found

    def _compute(self, op: Operation) -> Order:
        effect = op.global_effect if isinstance(op, GlobalMemoryOpInterface) else None
        if effect is not None:
            return NONE if effect.is_deferred else self._ordered(op, effect)
        if isinstance(op, SharedMemoryOpInterface) and (awaited := op.effects.awaits):
            return _wait(op, awaited)
        tokens = tuple(operand for operand in op.operands if is_token(operand.type))
        return Order(tokens) if tokens else NONE

    def _ordered(self, op: Operation, effect: GlobalEffect) -> Order:
        """The order of an access: after the accesses of its operand token, before users of its
        result token.
        """
        semantic, writes = semantic_of(op), effect.writes
        # A stronger access orders other addresses, too, so that its own do not tell what conflicts.
        tile = effect.tile if semantic is MemoryOrdering.WEAK else None
        footprint = None if tile is None else footprint_of(op, tile, self.numbers)
        is_asynchronous = effect.proxy is Proxy.ASYNC
        access = GlobalAccess(op, writes, footprint, is_asynchronous, _is_by_first_thread(op))
        # After an acquire all later accesses wait, loads too.
        acquires = semantic in ACQUIRING and not writes
        adds = GlobalAccess(op, True, footprint) if acquires else access
        tokens = () if effect.token is None else (effect.token,)
        return Order(tokens, access, adds if effect.is_followed else None, effect.follows_scratch)


def _is_by_first_thread(op: Operation) -> bool:
    """Whether an op stores a value that all threads hold, by the first thread alone."""
    if not isinstance(op, nv_tileas.StoreOp | nv_tileas.TiledStoreOp):
        return False
    tile = access_tile(op)
    if is_buffer(tile.type):
        return False
    layout = layout_of(op, tile)
    # All threads hold a scalar, for which there is no layout.
    return layout is None or not any(layout.thread_bases())


def semantic_of(op: Operation) -> MemoryOrdering:
    """The memory semantics of an access; weak by default."""
    semantic = op.properties.get("mem_semantic")
    return semantic.data if isinstance(semantic, MemSemanticAttr) else MemoryOrdering.WEAK


def _is_deferred(start: Operation) -> bool:
    """Whether one thread waits for an asynchronous op's writes to global memory."""
    effect = start.global_effect if isinstance(start, GlobalMemoryOpInterface) else None
    return effect is not None and effect.is_deferred


def _wait(op: Operation, sources: Sequence[SSAValue]) -> Order:
    """The order of a wait: after it, the accesses of its tokens, and the writes of stores, are
    complete.
    """
    starts = [(source, start) for source in sources for start in started_by(source, op)]
    waited = tuple(s for s, start in starts if isinstance(start, nv_tileas.TokenToAsyncOp))
    access = GlobalAccess(op, True, is_asynchronous=True) if waited else None
    stores = [start for _, start in starts if _is_deferred(start)]
    # One thread has waited for the store; the others must synchronise with it.
    adds = GlobalAccess(stores[0], True, is_asynchronous=True) if stores else None
    return Order(tuple(dict.fromkeys(waited)), access, adds)
