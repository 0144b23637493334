"""The register layout of a tile; a tile without one is a diagnostic that names the op."""

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout


def layout_of(op: Operation, tile: SSAValue) -> LinearLayout | None:
    """The layout of an operand or result of `op`; None for a scalar.

    Raises `PassFailedException` if a tile has no register layout.
    """
    if not tile_shape(tile.type).shape:
        return None
    try:
        layout = tile_layout(tile.type)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    if layout is None:
        fail(op, f"'{op.name}' op expects tiles with a layout, but got {tile.type}")
    return layout


def held_layout(op: Operation, tile: SSAValue) -> LinearLayout:
    """The layout of an operand or result of `op` that is a tile; raises as `layout_of` does."""
    layout = layout_of(op, tile)
    if layout is None:
        fail(op, f"'{op.name}' op expects a tile in registers, but got {tile.type}")
    return layout
