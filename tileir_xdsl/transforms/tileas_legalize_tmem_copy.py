"""`tileas-legalize-tmem-copy`: lowers moves of tiles to and from tensor memory to its loads and
stores.

    %s = nv_tileas.convert_layout %t : tensor<128x64xf32, tmem> -> tensor<128x64xf32, smem>
    // becomes
    %r = nv_tileas.copy %t {atom = #nv_tileas<atom tmem_load_32x32b_x64>}
         : tensor<128x64xf32, tmem> -> tensor<128x64xf32, L>
    %s = nv_tileas.convert_layout %r : tensor<128x64xf32, L> -> tensor<128x64xf32, smem>

Warps access tensor memory by `tcgen05.ld` and `tcgen05.st` alone. The layout L of their registers
follows from the tile and the number of warps. So a tile is moved through registers in layout L, and
converted from or to other layouts. Copies between other memories do not change. A `tiled_load` or
`tiled_store` of a buffer in tensor memory, or a store to a buffer in shared memory, first becomes a
copy. Source: PTX ISA, "tcgen05.ld", "tcgen05.st".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.analysis.layouts.tile_uses import Candidate, TensorMemoryUse
from tileir_xdsl.analysis.threads.agent_warps import agent_around, function_of, kernel_warps
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.layout import register_layout, tile_layout
from tileir_xdsl.dialects.nv_tileas.types import layout_of, memory_of
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.tensor_memory import tensor_memory_addresses
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.transforms.function_pass import FunctionPass

Move = nv_tileas.ConvertLayoutOp | nv_tileas.CopyOp

BUFFERS = (Memory.SHARED, Memory.TENSOR)
REGISTER_BITS = 32
WARPS_OF_GROUP = 4


@dataclass(frozen=True)
class TileASLegalizeTmemCopyPass(FunctionPass):
    """Moves tiles to and from tensor memory through registers."""

    name = "tileas-legalize-tmem-copy"
    # A buffer that is accessed as a whole is allocated in the same function.

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        pattern = LegalizeTmemCopy()
        accesses = DispatchWalker(
            {nv_tileas.TiledLoadOp: CopyLoadedBuffer(), nv_tileas.TiledStoreOp: CopyStoredBuffer()}
        )
        copies = DispatchWalker({nv_tileas.ConvertLayoutOp: pattern, nv_tileas.CopyOp: pattern})
        for scope in scopes:
            accesses.rewrite(scope)
            copies.rewrite(scope)


class CopyLoadedBuffer(RewritePattern):
    """Replaces a load of a whole buffer in tensor memory by a conversion to registers."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileas.TiledLoadOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(op.view.type, TensorType) and memory_of(op.view.type) is Memory.TENSOR:
            tile = _insert(op, rewriter, nv_tileas.ConvertLayoutOp(op.view, op.tile.type))
            rewriter.replace(op, [], [tile] if op.token is None else [tile, op.token])


class CopyStoredBuffer(RewritePattern):
    """Replaces a store to a whole buffer by a copy."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileas.TiledStoreOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(op.view.type, TensorType) and memory_of(op.view.type) in BUFFERS:
            _insert(op, rewriter, _copy(op.tile, op.view, op.view.type, None))
            rewriter.replace(op, [], [] if op.token is None else [op.token])


@dataclass(frozen=True)
class AtomLayout:
    """An atom, and the layout of the registers that it loads or stores."""

    name: str
    layout: LinearLayout


class LegalizeTmemCopy(RewritePattern):
    """Replaces a move by an access to tensor memory, and a conversion or a copy to shared
    memory.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, Move)
        destination = op.destination if isinstance(op, nv_tileas.CopyOp) else None
        # An atom says that it is an access already.
        if isinstance(op, nv_tileas.CopyOp) and op.atom is not None:
            return
        given, wanted = memory_of(op.source.type), memory_of(op.result.type)
        # PTX has no copy between columns (PTX ISA, "tcgen05.cp": from shared memory alone).
        if (given is Memory.TENSOR) == (wanted is Memory.TENSOR):
            return
        if given is Memory.TENSOR:
            replacement = _load(op, destination, wanted, rewriter)
        else:
            replacement = _store(op, destination, rewriter)
        rewriter.replace(op, [], [replacement])


def _load(
    op: Move, destination: SSAValue | None, wanted: Memory | None, rewriter: PatternRewriter
) -> SSAValue:
    """Loads a tile from tensor memory to registers, and moves it on to the destination."""
    access = _access(op, op.source.type, op.result.type, is_load=True)
    if access is None:
        fail(op, "failed to infer register layout from tmem layout")
    type = _in_registers(op.source.type, access.layout)
    tile = _insert(op, rewriter, _copy(op.source, None, type, access.name))
    if wanted is not Memory.SHARED:
        return _converted(op, tile, op.result.type, rewriter)
    if destination is not None:
        return _insert(op, rewriter, _copy(tile, destination, op.result.type, None))
    return _insert(op, rewriter, nv_tileas.ConvertLayoutOp(tile, op.result.type))


def _store(op: Move, destination: SSAValue | None, rewriter: PatternRewriter) -> SSAValue:
    """Stores a tile from registers to tensor memory."""
    access = _access(op, op.result.type, op.source.type, is_load=False)
    if access is None:
        fail(op, "failed to infer source layout from tmem layout")
    type = _in_registers(op.source.type, access.layout)
    tile = _converted(op, op.source, type, rewriter)
    if destination is None:
        assert isinstance(op.result.type, TensorType)
        destination = _insert(op, rewriter, nv_tileas.AllocTensorOp(op.result.type))
    return _insert(op, rewriter, _copy(tile, destination, op.result.type, access.name))


def _insert(op: Operation, rewriter: PatternRewriter, new: Operation) -> SSAValue:
    new.location = op.location
    rewriter.insert(new)
    return new.results[0]


def _copy(
    source: SSAValue, destination: SSAValue | None, result: Attribute, atom: str | None
) -> nv_tileas.CopyOp:
    return nv_tileas.CopyOp.build(
        operands=[source, destination],
        properties={"atom": None if atom is None else nv_tileas.AtomAttr(atom)},
        result_types=[result],
    )


def _converted(
    op: Operation, tile: SSAValue, wanted: Attribute, rewriter: PatternRewriter
) -> SSAValue:
    """Converts a tile to another layout of registers."""
    # A conversion to the same layout would be an op for nothing.
    if tile.type == wanted:
        return tile
    return _insert(op, rewriter, nv_tileas.ConvertLayoutOp(tile, wanted))


def _in_registers(type: Attribute, layout: LinearLayout) -> TensorType[Attribute]:
    assert isinstance(type, TensorType)
    return TensorType(type.get_element_type(), type.get_shape(), register_layout(layout))


# Which access reaches a tile.


def _access(
    op: Operation, position: Attribute, other: Attribute, *, is_load: bool
) -> AtomLayout | None:
    """The access to a tile in tensor memory, preferably with registers in the layout of `other`."""
    assert isinstance(position, TensorType)
    shape, warps = position.get_shape(), _warps_at(op)
    # A warp reaches a quarter of the lanes: it takes all four of a warpgroup.
    if len(shape) != 2 or warps % WARPS_OF_GROUP:
        return None
    try:
        addresses, layout = tensor_memory_addresses(shape), layout_of(position)
    except LayoutError:
        return None
    # Accesses fill whole lanes in order; no other arrangement has instructions.
    if layout is not None and layout.data.layout != addresses:
        return None
    use = TensorMemoryUse((shape[0], shape[1]), REGISTER_BITS, is_load, warps)
    held = tile_layout(other) if memory_of(other) is Memory.REGISTER else None
    for candidate in use.own:
        # An access in the layout of the other side saves the conversion.
        if candidate.layout == held:
            return _named(candidate)
    return _named(use.own[0]) if use.own else None


def _named(candidate: Candidate) -> AtomLayout:
    assert candidate.atom is not None and isinstance(candidate.layout, LinearLayout)
    return AtomLayout(candidate.atom, candidate.layout)


def _warps_at(op: Operation) -> int:
    """How many warps run an op."""
    kernel = kernel_warps(function_of(op))
    agent = agent_around(op, kernel)
    return kernel if agent is None else agent.warps
