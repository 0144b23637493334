"""The order of memory accesses: tokens of the tile block, and scopes and semantics of PTX.

A token orders accesses of a whole tile block, executed by many threads, so a block barrier precedes
an access that must follow a conflicting one. The barrier before a release makes it cumulative over
all threads; the barrier after an acquire extends it to all threads before their next access.
"""

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.llvm.attributes import AtomicOrdering
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, MemScopeAttr, MemSemanticAttr
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType

from ..thread.footprints import Access, Footprint, PendingAccesses
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadProgram

SYNC_SCOPES: dict[MemScope, str | None] = {
    MemScope.TILE_BLOCK: "block",
    MemScope.CLUSTER: "cluster",
    MemScope.GPU: "device",
    MemScope.SYSTEM: None,
}
"""LLVM's names of the scopes; system scope has none."""

ORDERINGS: dict[MemSemantic, AtomicOrdering] = {
    MemSemantic.WEAK: AtomicOrdering.NOT_ATOMIC,
    MemSemantic.RELAXED: AtomicOrdering.MONOTONIC,
    MemSemantic.ACQUIRE: AtomicOrdering.ACQUIRE,
    MemSemantic.RELEASE: AtomicOrdering.RELEASE,
    MemSemantic.ACQ_REL: AtomicOrdering.ACQ_REL,
}
"""The LLVM ordering of an access by its semantics."""

ACQUIRING = (MemSemantic.ACQUIRE, MemSemantic.ACQ_REL)


def semantic_of(op: Operation) -> MemSemantic:
    """The memory semantics of an access; weak where it states none."""
    semantic = op.properties.get("mem_semantic")
    return semantic.data if isinstance(semantic, MemSemanticAttr) else MemSemantic.WEAK


def ordering_of(op: Operation) -> tuple[AtomicOrdering, str | None]:
    """The ordering and the scope of an access as LLVM names them."""
    scope = op.properties.get("mem_scope")
    name = SYNC_SCOPES[scope.data] if isinstance(scope, MemScopeAttr) else None
    return ORDERINGS[semantic_of(op)], name


def order_access(
    op: Operation,
    token: SSAValue | None,
    program: ThreadProgram,
    *,
    writes: bool,
    touches: bool = True,
    footprint: Footprint | None = None,
) -> None:
    """Waits for conflicting accesses that the token orders, and creates the access' own token.

    The footprint of a weak access may be given; any other access may conflict with all that its
    token orders. Later accesses need not wait for an op that accesses no memory.
    """
    semantic = semantic_of(op)
    # A stronger access orders other addresses, too, so that its own do not tell what conflicts.
    touched = footprint if semantic is MemSemantic.WEAK else None
    # Without a token nothing is ordered: Tile IR has no program order between accesses.
    pending = PendingAccesses() if token is None else program.tokens[token]
    # Two loads never conflict, and most tokens only join loads.
    if pending.conflict(Access(writes, touched)):
        # Program order holds within one thread only (PTX ISA, "Memory Consistency Model").
        program.barrier()
        pending = PendingAccesses()
    # After an acquire all later accesses wait, loads too.
    own = [Access(writes or semantic in ACQUIRING, touched)] if touches else []
    for result in op.results:
        if isinstance(result.type, MemTokenType):
            program.tokens[result] = pending | PendingAccesses(frozenset(own))


class LowerCreateMemToken(LowerOp[nv_tileaa.CreateMemTokenOp]):
    """No access so far."""

    def lower(self, op: nv_tileaa.CreateMemTokenOp, program: ThreadProgram) -> None:
        program.tokens[op.result] = PendingAccesses()


class LowerJoinMemToken(LowerOp[nv_tileaa.JoinMemTokenOp]):
    """The accesses of all the tokens."""

    def lower(self, op: nv_tileaa.JoinMemTokenOp, program: ThreadProgram) -> None:
        pending = PendingAccesses()
        for token in op.tokens:
            pending |= program.tokens[token]
        program.tokens[op.result] = pending


class LowerMemoryFenceAlias(LowerOp[nv_tileaa.MemoryFenceAliasOp]):
    """Later accesses are ordered as after any access: a barrier orders all addresses alike."""

    def lower(self, op: nv_tileaa.MemoryFenceAliasOp, program: ThreadProgram) -> None:
        order_access(op, op.token, program, writes=True)


PATTERNS: Patterns = {
    nv_tileaa.CreateMemTokenOp: LowerCreateMemToken,
    nv_tileaa.JoinMemTokenOp: LowerJoinMemToken,
    nv_tileaa.MemoryFenceAliasOp: LowerMemoryFenceAlias,
}
