"""Copy atoms of asynchronous accesses, which do not propose layouts.

The known alignment of the addresses determines the width of a copy to a buffer. A store moves
single elements, in any layout of the tile.
"""

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.analysis.access.access_width import (
    AccessedAddresses,
    addresses_of_pointers,
    addresses_of_view,
)
from tileir_xdsl.analysis.access.copy_atoms import STORE_ATOMS
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis, element_bytes
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import TileShape, tile_shape
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyKind, Memory

ASYNC_COPIES = sorted(
    (atom.vector_bytes, atom.name)
    for atom in COPY_ATOMS.values()
    if atom.kind is CopyKind.ASYNC_COPY
)
"""The widths of asynchronous copies in bytes, and their atoms."""


class AssignAsyncAtom(RewritePattern):
    """Assigns an atom to an access without one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        atom = atom_of(op)
        if op.properties.get("atom") is None and atom is not None:
            op.properties["atom"] = nv_tileas.AtomAttr(atom)
            rewriter.notify_op_modified(op)


def atom_of(op: Operation) -> str | None:
    """The atom of an asynchronous access; None for a load without a destination buffer."""
    match op:
        case nv_tileas.AsyncStoreOp():
            size = element_bytes(tile_shape(op.value.type).element)
            return STORE_ATOMS[Memory.GLOBAL][size]
        case nv_tileas.AsyncLoadOp() if op.destination is not None:
            return _copy_atom(
                addresses_of_pointers(op.pointers, _tile(op.destination), DivisibilityAnalysis())
            )
        case nv_tileas.AsyncTiledLoadOp() if op.destination is not None:
            found = addresses_of_view(op.view, _tile(op.destination), DivisibilityAnalysis())
            # With offsets it may start at any element.
            return _copy_atom(found) if not op.offsets else ASYNC_COPIES[0][1]
        case _:
            return None


def _tile(buffer: SSAValue) -> TileShape:
    return tile_shape(buffer.type)


def _copy_atom(addresses: AccessedAddresses) -> str:
    """The widest copy that the alignment of the addresses allows; otherwise the narrowest."""
    known = addresses.width.elements * addresses.element_bytes
    fitting = [name for size, name in ASYNC_COPIES if size <= known]
    return fitting[-1] if fitting else ASYNC_COPIES[0][1]


ASYNC_ACCESSES = (nv_tileas.AsyncLoadOp, nv_tileas.AsyncStoreOp, nv_tileas.AsyncTiledLoadOp)


def assign_async_atoms(function: Operation) -> None:
    """Assigns atoms to the asynchronous accesses of a function."""
    DispatchWalker(dict.fromkeys(ASYNC_ACCESSES, AssignAsyncAtom())).rewrite(function)
