"""The order of memory accesses: scopes and semantics of PTX.

Tokens order accesses of a whole tile block: `tileas-insert-barriers` has inserted a barrier before
an access that follows a conflicting one. The barrier before a release makes it cumulative over all
threads; the barrier after an acquire extends it to all threads before their next access.
"""

from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.llvm.attributes import AtomicOrdering
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, MemScopeAttr, MemSemanticAttr

from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter

SYNC_SCOPES: dict[MemScope, str | None] = {
    MemScope.TILE_BLOCK: "block",
    MemScope.CLUSTER: "cluster",
    MemScope.GPU: "device",
    MemScope.SYSTEM: None,
}
"""LLVM's names of the scopes; the system scope has an empty name."""

ORDERINGS: dict[MemSemantic, AtomicOrdering] = {
    MemSemantic.WEAK: AtomicOrdering.NOT_ATOMIC,
    MemSemantic.RELAXED: AtomicOrdering.MONOTONIC,
    MemSemantic.ACQUIRE: AtomicOrdering.ACQUIRE,
    MemSemantic.RELEASE: AtomicOrdering.RELEASE,
    MemSemantic.ACQ_REL: AtomicOrdering.ACQ_REL,
}
"""The LLVM ordering of an access by its semantics."""


def semantic_of(op: Operation) -> MemSemantic:
    """The memory semantics of an access; weak by default."""
    semantic = op.properties.get("mem_semantic")
    return semantic.data if isinstance(semantic, MemSemanticAttr) else MemSemantic.WEAK


def ordering_of(op: Operation) -> tuple[AtomicOrdering, str | None]:
    """The LLVM ordering and scope of an access."""
    scope = op.properties.get("mem_scope")
    name = SYNC_SCOPES[scope.data] if isinstance(scope, MemScopeAttr) else None
    return ORDERINGS[semantic_of(op)], name


class LowerToken(LowerOp[Operation]):
    """Emits nothing: `tileas-insert-barriers` has inserted barriers where tokens need them."""

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        pass


PATTERNS: Patterns = {
    nv_tileaa.CreateMemTokenOp: LowerToken,
    nv_tileaa.JoinMemTokenOp: LowerToken,
    nv_tileaa.MemoryFenceAliasOp: LowerToken,
    nv_tileas.TokenToAsyncOp: LowerToken,
}
