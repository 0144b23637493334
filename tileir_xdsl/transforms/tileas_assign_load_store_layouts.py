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
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from tileir_xdsl.analysis.access_width import AccessWidth, access_tile, access_width
from tileir_xdsl.analysis.copy_atoms import LOAD_ATOMS, STORE_ATOMS
from tileir_xdsl.analysis.divisibility import DivisibilityAnalysis, element_bytes
from tileir_xdsl.analysis.layout_groups import (
    collect_layout_groups,
    is_tile,
    tiles_of,
)
from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.attributes import DEFAULT_WARPS
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape, tile_type
from tileir_xdsl.dialects.nv_tileas.layout import register_layout
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.linear import (
    LinearLayout,
    dimension_bases,
    element_coordinate,
    element_strides,
)

ACCESSES = (nv_tileas.LoadOp, nv_tileas.StoreOp, nv_tileas.TiledLoadOp, nv_tileas.TiledStoreOp)
LOADS = (nv_tileas.LoadOp, nv_tileas.TiledLoadOp)
THREADS_PER_WARP = 32


@dataclass(frozen=True)
class Assignment:
    """The chosen layout of every result that is a tile, and the width of every access.

    Results are named by op and number, because retyping a value makes another value of it.
    """

    layouts: Mapping[tuple[Operation, int], LinearLayout]
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
        group: accessed_layout(tile_shape(group.type).shape, proposed, warps)
        for group, proposed in proposals.items()
    }
    # Users before definitions: a source takes the layout that its reshaped result already has.
    for op in reversed(list(function.walk())):
        if isinstance(op, nv_tileaa.BroadcastOp | nv_tileaa.ViewOp):
            source, result = groups.of(op.source), groups.of(op.result)
            if source not in layouts and result in layouts:
                layouts[source] = source_layout(op, layouts[result])
    for op in function.walk():
        for tile in tiles_of(op):
            shape = tile_shape(tile.type).shape
            layouts.setdefault(groups.of(tile), blocked(shape, 1, warps))
    chosen = {
        (op, result.index): layouts[groups.of(result)]
        for op in function.walk()
        for result in op.results
        if is_tile(result)
    }
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
    op: nv_tileaa.BroadcastOp | nv_tileaa.ViewOp, result: LinearLayout
) -> LinearLayout:
    """The layout of a source whose registers become the registers of the reshaped result."""
    shape = tile_shape(op.source.type).shape
    if isinstance(op, nv_tileaa.ViewOp):
        # A view keeps the row-major order, and so every linear element index.
        return LinearLayout(result.register, result.lane, result.warp, result.block, shape)

    strides = element_strides(shape)

    def project(bases: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(
            sum(
                coordinate * stride
                for coordinate, stride, extent in zip(
                    element_coordinate(base, result.shape), strides, shape, strict=True
                )
                if extent > 1
            )
            for base in bases
        )

    return LinearLayout(
        project(result.register),
        project(result.lane),
        project(result.warp),
        project(result.block),
        shape,
    )


def encoded(type: Attribute, layout: LinearLayout) -> Attribute:
    """The type of the same tile, in one register layout."""
    tile = tile_shape(type)
    return tile_type(tile.shape, tile.element, register_layout(layout))


@dataclass
class AssignLayouts(RewritePattern):
    """Gives results the encoding of their group, accesses their atom, reshapes their source."""

    assignment: Assignment

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, nv_tileaa.BroadcastOp | nv_tileaa.ViewOp):
            self._convert_source(op, rewriter)
        for result in op.results:
            layout = self.assignment.layouts.get((op, result.index))
            if layout is not None:
                rewriter.replace_value_with_new_type(result, encoded(result.type, layout))
        if isinstance(op, ACCESSES):
            self._assign_atom(op, rewriter)

    def _convert_source(
        self, op: nv_tileaa.BroadcastOp | nv_tileaa.ViewOp, rewriter: PatternRewriter
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
            atoms = LOAD_ATOMS if isinstance(op, LOADS) else STORE_ATOMS
            size = width * element_bytes(tile_shape(tile.type).element)
            op.atom = nv_tileas.AtomAttr(atoms[size])
        rewriter.notify_op_modified(op)


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
            PatternRewriteWalker(pattern, apply_recursively=False).rewrite_region(function.body)
