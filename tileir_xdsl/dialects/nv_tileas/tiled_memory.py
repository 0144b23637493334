"""Accesses of one tile of a view, with the copy atom and the layout they use.

Without an atom an access stands for the abstract atom, until layouts are assigned.
"""

from xdsl.irdl import irdl_op_definition, opt_prop_def, opt_result_def, result_def

from tileir_xdsl.dialects.nv_tileaa.syntax import MemoryOrder
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp, StoreTileOp

from .atoms import AtomAttr
from .layout import LayoutAttr
from .syntax import LAYOUT_KEY, TiledAccessAttributes

ATTRIBUTES = (
    "custom<TiledAccessAttributes>"
    "($atom, $nv_tileas.layout, $in_bounds, $padding_value, $allow_tma, $latency) attr-dict "
)


@irdl_op_definition
class TiledLoadOp(LoadTileOp):
    """Loads one tile of a view."""

    name = "nv_tileas.tiled_load"

    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    tile = result_def()
    result_token = opt_result_def(MemTokenType)

    custom_directives = (MemoryOrder, TiledAccessAttributes)
    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $view `[` $coords `]` "
        "(`token` `=` $token^)? " + ATTRIBUTES + "`:` type($view) `[` type($coords) `]` "
        "`->` type($tile) (`,` type($result_token)^)?"
    )


@irdl_op_definition
class TiledStoreOp(StoreTileOp):
    """Stores one tile of a view."""

    name = "nv_tileas.tiled_store"

    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    result_token = opt_result_def(MemTokenType)

    custom_directives = (MemoryOrder, TiledAccessAttributes)
    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $tile `,` $view `[` $coords `]` "
        "(`token` `=` $token^)? " + ATTRIBUTES + "`:` type($tile) `,` type($view) "
        "`[` type($coords) `]` (`->` type($result_token)^)?"
    )
