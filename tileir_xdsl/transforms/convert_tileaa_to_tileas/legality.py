"""Checks `nv_tileaa` ops that stay, and whose tiles may already have layouts.

If the result of a `cat` has a layout, its sources are converted to the halves of that layout:

    %c = nv_tileaa.cat %a, %b .. : tensor<4xf32, #x>, tensor<4xf32, #y> -> tensor<8xf32, #z>
    ->
    %0 = nv_tileas.convert_layout %a : tensor<4xf32, #x> -> tensor<4xf32, #half_of_z>
    %1 = nv_tileas.convert_layout %b : tensor<4xf32, #y> -> tensor<4xf32, #half_of_z>
    %c = nv_tileaa.cat %0, %1 ..
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.builders.tiles import convert_layout
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape, tile_type
from tileir_xdsl.dialects.nv_tileas.layout import register_layout, tile_layout
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate, element_strides
from tileir_xdsl.rewriting import PatternTable
from tileir_xdsl.targets import Target


class ConvertCatSources(RewritePattern):
    """Converts the sources of a `cat` to the halves of the result's layout."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, nv_tileaa.CatOp)
        layout = tile_layout(op.result.type)
        if layout is None:
            return
        half = half_layout(layout, op.axis.value.data)
        for index, source in enumerate((op.lhs, op.rhs)):
            given = tile_layout(source.type)
            if given is None:
                fail(op, "missing source layout")
            if half is None or half.shape != tile_shape(source.type).shape:
                fail(op, "failed to infer source layout")
            if given == half:
                continue
            wanted = tile_type(half.shape, tile_shape(source.type).element, register_layout(half))
            op.operands[index] = convert_layout(rewriter, source, wanted, op.location)
            rewriter.notify_op_modified(op)


def half_layout(layout: LinearLayout, axis: int) -> LinearLayout | None:
    """The layout of either half of a tile along `axis`; None if threads hold only one half."""
    shape = list(layout.shape)
    shape[axis] //= 2
    upper = element_strides(layout.shape)[axis] * shape[axis]
    # Threads that hold one half only would have to exchange elements, which no `cat` does.
    if upper not in layout.register:
        return None
    strides = element_strides(shape)

    def renumbered(bases: tuple[int, ...]) -> tuple[int, ...]:
        coordinates = (element_coordinate(base, layout.shape) for base in bases)
        return tuple(
            sum(position * stride for position, stride in zip(coordinate, strides, strict=True))
            for coordinate in coordinates
        )

    return LinearLayout(
        renumbered(tuple(base for base in layout.register if base != upper)),
        renumbered(layout.lane),
        renumbered(layout.warp),
        renumbered(layout.block),
        tuple(shape),
    )


@dataclass(frozen=True)
class CheckPlugin(RewritePattern):
    """Refuses a plug-in that the target does not support, or whose tiles cannot have their
    layouts.
    """

    target: Target | None

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, nv_tileaa.PluginOp)
        needs_tensor_memory = op.tmem_bytes is not None and op.tmem_bytes.value.data > 0
        target = self.target
        # Tensor memory exists from sm_100 on (PTX ISA, "Tensor Memory").
        if needs_tensor_memory and target is not None and not target.limits.tensor_memory_columns:
            fail(op, "plugin has unsupported feature")
        for layouts, values in ((op.input_layouts, op.args), (op.output_layouts, op.outputs)):
            for layout, value in zip(layouts or (), values, strict=False):
                if not has_layout(value.type, layout):
                    fail(op, "fails to assign layout")


def has_layout(type: Attribute, layout: Attribute) -> bool:
    """Whether a tile type can have a register layout."""
    tile = tile_shape(type)
    if not tile.shape or not isinstance(layout, nv_tileas.LayoutAttr):
        return False
    try:
        return tile_layout(TensorType(tile.element, tile.shape, layout)) is not None
    except LayoutError:
        return False


def legality_of(target: Target | None) -> PatternTable:
    """Patterns that check unconverted ops."""
    return {nv_tileaa.CatOp: ConvertCatSources(), nv_tileaa.PluginOp: CheckPlugin(target)}
