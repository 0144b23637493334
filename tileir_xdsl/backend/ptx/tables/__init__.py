"""The rules by op type, one table per subject, merged here.

Most kernels have few of the ops of `nvvm`, so a table of those is imported with the first op of its
subject.
"""

import importlib
from collections.abc import Mapping

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
}
"""How each op of `llvm` becomes instructions, and each of `nvvm` whose table is imported."""

TABLES: Mapping[str, str] = {
    "cluster_launch_control": "nvvm_cluster_launch_control",
    "conversions": "nvvm_conversions",
    "copies": "nvvm_copies",
    "fences": "nvvm_synchronization",
    "matrix": "nvvm_matrix",
    "mbarriers": "nvvm_synchronization",
    "miscellaneous": "nvvm_miscellaneous",
    "scaled_matrix": "nvvm_sparse_matrix",
    "sparse_matrix": "nvvm_sparse_matrix",
    "special_registers": "nvvm_synchronization",
    "synchronization": "nvvm_synchronization",
    "tcgen05": "nvvm_tcgen05",
    "tcgen05_mma": "nvvm_tcgen05",
    "tcgen05_scaled_mma": "nvvm_tcgen05",
    "tensor_copies": "nvvm_copies",
    "wgmma": "nvvm_matrix",
}
"""By the module of `nvvm` that defines an op, the table that has its rule."""


def load(table: str) -> Mapping[type[Operation], Rule]:
    """The rules of a table; imports it if that has not been done."""
    return importlib.import_module(f"{__name__}.{table}").RULES


def rule_of(op: type[Operation]) -> Rule | None:
    """How ops of a type become instructions; None if it has no rule."""
    if op not in RULES:
        package, _, module = op.__module__.rpartition(".")
        if package == "tileir_xdsl.dialects.nvvm" and module in TABLES:
            RULES.update(load(TABLES[module]))
    return RULES.get(op)


def all_rules() -> Mapping[type[Operation], Rule]:
    """How each op becomes instructions."""
    for table in TABLES.values():
        RULES.update(load(table))
    return RULES
