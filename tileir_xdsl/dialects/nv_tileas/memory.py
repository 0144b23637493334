"""Loads and stores through tiles of pointers, with the copy atom and the layout they use.

Without an atom an access stands for the abstract atom, until layouts are assigned.
"""

from xdsl.irdl import irdl_op_definition, opt_prop_def, opt_result_def, result_def

from tileir_xdsl.dialects.nv_tileaa.memory import LoadThroughPointersOp, StoreThroughPointersOp
from tileir_xdsl.dialects.nv_tileaa.syntax import MemoryOrder
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType

from .atoms import AtomAttr
from .layout import LayoutAttr
from .syntax import LAYOUT_KEY, PointerAccessAttributes


@irdl_op_definition
class LoadOp(LoadThroughPointersOp):
    """Loads through a tile of pointers; a masked-off element is `other`, else undefined."""

    name = "nv_tileas.load"

    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    value = result_def()
    result_token = opt_result_def(MemTokenType)

    custom_directives = (MemoryOrder, PointerAccessAttributes)
    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $pointers "
        "(`mask` `=` $mask^ `:` type($mask))? (`other` `=` $other^ `:` type($other))? "
        "(`token` `=` $token^)? "
        "custom<PointerAccessAttributes>($atom, $nv_tileas.layout, $latency) attr-dict "
        "`:` type($pointers) `->` type($value) (`,` type($result_token)^)?"
    )


@irdl_op_definition
class StoreOp(StoreThroughPointersOp):
    """Stores a tile through a tile of pointers."""

    name = "nv_tileas.store"

    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    result_token = opt_result_def(MemTokenType)

    custom_directives = (MemoryOrder, PointerAccessAttributes)
    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $pointers `,` $value "
        "(`mask` `=` $mask^ `:` type($mask))? (`token` `=` $token^)? "
        "custom<PointerAccessAttributes>($atom, $nv_tileas.layout, $latency) attr-dict "
        "`:` type($pointers) `,` type($value) (`->` type($result_token)^)?"
    )
