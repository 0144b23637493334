"""Which accesses of global memory tokens order, as a table from op types to what each waits for.

Tile IR orders accesses of global memory by tokens alone. A token orders accesses of a whole tile
block, executed by many threads, so threads meet before an access that has to follow a conflicting
one. Without a token nothing is ordered.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.analysis.mma.mmas_in_flight import started_by
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.nv_tileaa.attributes import MemSemanticAttr
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.dialects.nv_tileas.tma import BoxStoreOp
from tileir_xdsl.dialects.nv_tileas.types import AsyncTokenType, is_handle
from tileir_xdsl.rewriting import look_up

from .footprints import GlobalAccess, ValueNumbers, footprint_of

ACQUIRING = (MemoryOrdering.ACQUIRE, MemoryOrdering.ACQ_REL)
BULK_STORES = (nv_tileas.AsyncScatterTmaStoreOp, BoxStoreOp)
"""Ops whose issuing thread waits until they have written global memory."""


def is_token(type: Attribute) -> bool:
    """Whether values of a type may order accesses of global memory."""
    return isinstance(type, MemTokenType | AsyncTokenType)


def dying_tokens(block: Block) -> dict[Operation, list[SSAValue]]:
    """The tokens of a block that nothing uses after an op; not those that its end hands on."""
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
    """What an op waits for, and what its own tokens order."""

    tokens: tuple[SSAValue, ...] = ()
    """What has to be over that conflicts with the access; its own tokens order all of it too."""
    access: GlobalAccess | None = None
    adds: GlobalAccess | None = None
    """What its own tokens order besides."""
    is_last: bool = False
    """Whether the access comes after the point at which threads meet inside the op."""


NONE = Order()


@dataclass
class TokenOrder:
    """What the ops of one function wait for."""

    numbers: ValueNumbers = field(default_factory=ValueNumbers)
    _of: dict[Operation, Order] = field(default_factory=dict[Operation, Order])

    def of(self, op: Operation) -> Order:
        """What an op waits for, disregarding its regions."""
        found = self._of.get(op)
        if found is None:
            found = self._of[op] = self._compute(op)
        return found

    def _compute(self, op: Operation) -> Order:
        row = look_up(TABLE, op)
        if row is not None:
            return row(op, self)
        tokens = tuple(operand for operand in op.operands if is_token(operand.type))
        return Order(tokens) if tokens else NONE

    def ordered(
        self, op: Any, access: GlobalAccess, *, touches: bool = True, is_last: bool = False
    ) -> Order:
        """An access in memory order: after what its token orders, and before what its own does."""
        semantic = semantic_of(op)
        # After an acquire all later accesses wait, loads too.
        acquires = semantic in ACQUIRING and not access.writes
        adds = GlobalAccess(op, True, access.footprint) if acquires else access
        tokens = () if op.token is None else (op.token,)
        return Order(tokens, access, adds if touches else None, is_last)


def semantic_of(op: Operation) -> MemoryOrdering:
    """The memory semantics of an access; weak where it states none."""
    semantic = op.properties.get("mem_semantic")
    return semantic.data if isinstance(semantic, MemSemanticAttr) else MemoryOrdering.WEAK


Row = Callable[[Any, TokenOrder], Order]


def _tile(op: nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp, order: TokenOrder) -> Order:
    # A stronger access orders other addresses, too, so that its own do not tell what conflicts.
    is_weak = semantic_of(op) is MemoryOrdering.WEAK
    if is_handle(op.view.type):
        return NONE
    footprint = footprint_of(op, order.numbers) if is_weak else None
    access = GlobalAccess(op, isinstance(op, nv_tileas.TiledStoreOp), footprint)
    return order.ordered(op, access)


def _reads(op: Operation, order: TokenOrder) -> Order:
    return order.ordered(op, GlobalAccess(op, False))


def _reads_last(op: Operation, order: TokenOrder) -> Order:
    return order.ordered(op, GlobalAccess(op, False), is_last=True)


def _writes(op: Operation, order: TokenOrder) -> Order:
    return order.ordered(op, GlobalAccess(op, True))


def _writes_last(op: Operation, order: TokenOrder) -> Order:
    return order.ordered(op, GlobalAccess(op, True), is_last=True)


def _prints(op: nv_tileaa.PrintOp, order: TokenOrder) -> Order:
    """Later accesses need not wait for it: what is printed is in registers."""
    return order.ordered(op, GlobalAccess(op, False), touches=False)


def _bulk_load(op: Any, _order: TokenOrder) -> Order:
    """A wait for the load makes no token."""
    access = GlobalAccess(op, False, is_asynchronous=True)
    return Order((op.barrier,), access, is_last=isinstance(op, nv_tileas.AsyncGatherTmaLoadOp))


def _wait(op: nv_tileas.WaitOp | nv_tileas.FutureWaitOp, _order: TokenOrder) -> Order:
    """All accesses of a memory token are over before asynchronous ones; a store has written."""
    sources = op.sources if isinstance(op, nv_tileas.WaitOp) else (op.source,)
    starts = [(source, start) for source in sources for start in started_by(source, op)]
    waited = tuple(s for s, start in starts if isinstance(start, nv_tileas.TokenToAsyncOp))
    access = GlobalAccess(op, True, is_asynchronous=True) if waited else None
    stores = [start for _, start in starts if isinstance(start, BULK_STORES)]
    # One thread has waited for the store; the others must synchronise with it.
    adds = GlobalAccess(stores[0], True, is_asynchronous=True) if stores else None
    return Order(tuple(dict.fromkeys(waited)), access, adds)


TABLE: Mapping[type[Operation], Row] = {
    nv_tileaa.AtomicCASOp: _writes,
    nv_tileaa.AtomicRMWOp: _writes,
    nv_tileaa.GdcLaunchDependentsOp: _writes,
    nv_tileaa.GdcWaitOp: _writes,
    nv_tileaa.MemoryFenceAliasOp: _writes,
    nv_tileaa.MultimemLoadReduceOp: _reads,
    nv_tileaa.MultimemReduceOp: _writes_last,
    nv_tileaa.MultimemStoreOp: _writes_last,
    nv_tileaa.PrintOp: _prints,
    nv_tileas.AsyncGatherTmaLoadOp: _bulk_load,
    nv_tileas.AsyncLoadOp: _reads,
    nv_tileas.AsyncTiledLoadOp: _reads,
    nv_tileas.AsyncTiledTmaLoadOp: _bulk_load,
    nv_tileas.FutureWaitOp: _wait,
    nv_tileas.GatherLoadOp: _reads_last,
    nv_tileas.LoadOp: _reads,
    nv_tileas.ScatterStoreOp: _writes_last,
    nv_tileas.StoreOp: _writes,
    nv_tileas.TiledAtomicRMWOp: _writes,
    nv_tileas.TiledLoadOp: _tile,
    nv_tileas.TiledStoreOp: _tile,
    nv_tileas.WaitOp: _wait,
}
"""What an op waits for; one that is not here hands on what its tokens order."""
