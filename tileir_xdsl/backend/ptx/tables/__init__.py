"""The rules by op type, one table per subject, merged here."""

from xdsl.ir import Block, Operation

from tileir_xdsl.backend.ptx.selection import PointerView, Rule, View
from tileir_xdsl.backend.ptx.tables import (
    addresses,
    atomics,
    bits,
    calls,
    conversions,
    floating_point,
    integer,
    intrinsics,
    nvvm_cluster_launch_control,
    nvvm_conversions,
    nvvm_copies,
    nvvm_matrix,
    nvvm_miscellaneous,
    nvvm_sparse_matrix,
    nvvm_synchronization,
    nvvm_tcgen05,
    views,
)
from tileir_xdsl.backend.ptx.tables import loads_and_stores as memory

VIEWS: dict[type[Operation | Block], View] = {**views.VIEWS, **integer.VIEWS, **addresses.VIEWS}
"""Ops whose result may need no instruction."""

POINTERS: dict[type[Operation | Block], PointerView] = {**addresses.POINTERS}
"""Ops whose result may be an address operand."""

RULES: dict[type[Operation], Rule] = {
    **integer.RULES,
    **bits.RULES,
    **floating_point.RULES,
    **conversions.RULES,
    **addresses.RULES,
    **memory.RULES,
    **atomics.RULES,
    **calls.RULES,
    **intrinsics.RULES,
    **nvvm_synchronization.RULES,
    **nvvm_cluster_launch_control.RULES,
    **nvvm_conversions.RULES,
    **nvvm_copies.RULES,
    **nvvm_matrix.RULES,
    **nvvm_sparse_matrix.RULES,
    **nvvm_miscellaneous.RULES,
    **nvvm_tcgen05.RULES,
}
"""How each op becomes instructions."""
