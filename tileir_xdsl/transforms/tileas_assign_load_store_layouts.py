"""`tileas-assign-load-store-layouts`: where the elements of every tile live.

Tiles that elementwise ops and accesses tie together form a group and share one layout. The
accesses of a group propose vector widths, from what is known of their addresses; the widest wins,
because it needs the fewest instructions, and the layout deals such vectors to consecutive lanes.
Every tile then carries its layout as the encoding of its type, and every access its copy atom:

    %x = nv_tileas.tiled_load weak %v[%i] : .. -> tensor<1024xf32>
    ->
    %x = nv_tileas.tiled_load weak %v[%i] {atom = #nv_tileas<atom ldg_128>,
         nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>}
         : .. -> tensor<1024xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>

Runs before `convert-tileas-to-llvm`, which reads nothing but the layouts and the atoms.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, ModuleOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from tileir_xdsl.analysis.access_width import (
    AccessOp,
    AccessWidth,
    access_tile,
    access_width,
)
from tileir_xdsl.analysis.copy_atoms import LOAD_ATOMS, STORE_ATOMS
from tileir_xdsl.analysis.divisibility import DivisibilityAnalysis, element_bytes
from tileir_xdsl.analysis.layout_groups import (
    collect_layout_groups,
    is_reshape,
    is_tile,
    shape_of,
    tile_arguments,
    tiles_of,
)
from tileir_xdsl.analysis.layout_transfer import backward
from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.attributes import DEFAULT_WARPS
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape, tile_type
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp, StoreTileOp
from tileir_xdsl.dialects.nv_tileas.layout import register_layout
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases
from tileir_xdsl.targets.atoms import Memory

ACCESSES = (nv_tileas.LoadOp, nv_tileas.StoreOp, nv_tileas.TiledLoadOp, nv_tileas.TiledStoreOp)
LOADS = (nv_tileas.LoadOp, nv_tileas.TiledLoadOp)
THREADS_PER_WARP = 32


Place = tuple[Operation | Block, int]
"""A result or a block argument, by its owner and number: retyping a value makes another of it."""


@dataclass(frozen=True)
class Assignment:
    """The chosen layout of every tile, and the width of every access."""

    layouts: Mapping[Place, LinearLayout]
    widths: Mapping[Operation, AccessWidth]


def choose_layouts(function: nv_tileaa.FuncOp) -> Assignment:
    """Chooses one layout for every group: groups with accesses first, then those tied to them."""
    warps = DEFAULT_WARPS if function.kernel_spec is None else function.kernel_spec.num_warps.data
    groups = collect_layout_groups(function)
    divisibility = DivisibilityAnalysis()
    accesses = [op for op in function.walk() if isinstance(op, ACCESSES)]
    widths: dict[Operation, AccessWidth] = {op: access_width(op, divisibility) for op in accesses}

    proposals: dict[SSAValue, list[AccessWidth]] = {}
    for op in accesses:
        if is_tile(access_tile(op)):
            proposals.setdefault(groups.of(access_tile(op)), []).append(widths[op])
    layouts = {
        group: accessed_layout(shape_of(group), proposed, warps)
        for group, proposed in proposals.items()
    }
    # Users before definitions: a source takes the layout that its reshaped result already has.
    for op in reversed(list(function.walk())):
        if is_reshape(op):
            source, result = groups.of(op.source), groups.of(op.result)
            if source not in layouts and result in layouts:
                layouts[source] = source_layout(op, layouts[result])
    for op in function.walk():
        for tile in (*tiles_of(op), *tile_arguments(op)):
            layouts.setdefault(groups.of(tile), blocked(shape_of(tile), 1, warps))
    chosen: dict[Place, LinearLayout] = {}
    for op in function.walk():
        for tile in (*filter(is_tile, op.results), *tile_arguments(op)):
            assert isinstance(tile, OpResult | BlockArgument)
            chosen[tile.owner, tile.index] = layouts[groups.of(tile)]
    return Assignment(chosen, widths)


def accessed_layout(
    shape: tuple[int, ...], proposed: list[AccessWidth], warps: int
) -> LinearLayout:
    """The blocked layout with the widest proposed vectors that still leave no thread idle."""
    elements = 1
    for extent in shape:
        elements *= extent
    widest = max(proposed, key=lambda width: width.elements)
    per_thread = max(1, elements // (warps * THREADS_PER_WARP))
    others = (dim for dim in reversed(range(len(shape))) if dim != widest.dimension)
    order = (widest.dimension, *others)
    return blocked(shape, min(widest.elements, per_thread), warps, order=order)


def source_layout(
    op: nv_tileaa.BroadcastOp | nv_tileas.ViewOp, result: LinearLayout
) -> LinearLayout:
    """The layout of a source whose registers become the registers of the reshaped result."""
    layout = backward(op, result)
    assert layout is not None, "views and broadcasts carry every layout back"
    return layout


def encoded(type: Attribute, layout: LinearLayout) -> Attribute:
    """The type of the same tile, in one register layout; it may be one that is waited for."""
    if isinstance(type, ValueType):
        return ValueType(encoded(type.payload, layout))
    tile = tile_shape(type)
    return tile_type(tile.shape, tile.element, register_layout(layout))


def accessed_memory(op: AccessOp) -> Memory:
    """Where the place is that an access names; pointers, and what does not say so, are global."""
    memory = memory_of(op.view.type) if isinstance(op, LoadTileOp | StoreTileOp) else None
    return memory or Memory.GLOBAL


@dataclass
class AssignLayouts(RewritePattern):
    """Gives tiles the encoding of their group, accesses their atom, reshapes their source."""

    assignment: Assignment

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if is_reshape(op):
            self._convert_source(op, rewriter)
        blocks = [block for region in op.regions for block in region.blocks]
        for owner, values in ((op, op.results), *((block, block.args) for block in blocks)):
            for value in values:
                layout = self.assignment.layouts.get((owner, value.index))
                if layout is not None:
                    rewriter.replace_value_with_new_type(value, encoded(value.type, layout))
        match op:
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as elements):
                op.properties["value"] = DenseIntOrFPElementsAttr.new(
                    [op.result.type, elements.data]
                )
            case _ if isinstance(op, ACCESSES):
                self._assign_atom(op, rewriter)
            case _:
                pass

    def _convert_source(
        self, op: nv_tileaa.BroadcastOp | nv_tileas.ViewOp, rewriter: PatternRewriter
    ) -> None:
        """Where the source lives elsewhere than the result needs it, converts it first."""
        wanted = encoded(op.source.type, source_layout(op, self.assignment.layouts[op, 0]))
        if wanted == op.source.type:
            return
        conversion = nv_tileas.ConvertLayoutOp(op.source, wanted)
        conversion.location = op.location
        rewriter.insert(conversion)
        op.operands[0] = conversion.result
        rewriter.notify_op_modified(op)

    def _assign_atom(
        self,
        op: nv_tileas.LoadOp | nv_tileas.StoreOp | nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp,
        rewriter: PatternRewriter,
    ) -> None:
        tile = access_tile(op)
        width = 1
        layout = layout_of(op, tile)
        if layout is not None:
            proposed = self.assignment.widths[op]
            op.layout = register_layout(layout)
            width = min(proposed.elements, vector_along(layout, proposed.dimension))
        if op.atom is None:
            atoms = (LOAD_ATOMS if isinstance(op, LOADS) else STORE_ATOMS).get(accessed_memory(op))
            if atoms is None:
                fail(op, f"'{op.name}' op accesses a memory that no plain copy atom reaches")
            size = width * element_bytes(tile_shape(tile.type).element)
            op.atom = nv_tileas.AtomAttr(atoms[size])
        rewriter.notify_op_modified(op)


def update_signature(function: nv_tileaa.FuncOp) -> None:
    """The type of a function by the types of its parameters and of what it returns."""
    if not function.body.blocks:
        return
    block = function.body.block
    results = () if block.last_op is None else block.last_op.operand_types
    function.function_type = FunctionType.from_lists(block.arg_types, results)


def vector_along(layout: LinearLayout, dimension: int) -> int:
    """How many neighbours along one dimension the first registers of a thread hold."""
    neighbours = dimension_bases(layout.shape, dimension)
    width = 1
    for base, neighbour in zip(layout.register, neighbours, strict=False):
        if base != neighbour:
            break
        width *= 2
    return width


@dataclass(frozen=True)
class TileASAssignLoadStoreLayoutsPass(ModulePass):
    """Assigns layouts to tiles, and copy atoms to loads and stores."""

    name = "tileas-assign-load-store-layouts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [f for f in op.walk() if isinstance(f, nv_tileaa.FuncOp)]:
            pattern = AssignLayouts(choose_layouts(function))
            pattern.match_and_rewrite(function, PatternRewriter(function))
            PatternRewriteWalker(pattern, apply_recursively=False).rewrite_region(function.body)
            update_signature(function)
