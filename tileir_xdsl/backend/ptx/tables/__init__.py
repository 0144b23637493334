"""The rules by op type, one table per subject, merged here.

The rule of an `nvvm` op that is one instruction follows from its form. The tables of other `nvvm`
ops are imported with the first op of their subject.
"""

from collections.abc import Mapping
from functools import cache
from typing import cast

from xdsl.ir import Block, Operation
from xdsl.traits import Pure

from tileir_xdsl.backend.ptx.forms import Form
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
from tileir_xdsl.dialects import nvvm
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement
from tileir_xdsl.levels import EXTENSION_OPS
from tileir_xdsl.on_use import value_at

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
"""The rules of all ops of `llvm`, and of the ops of `nvvm` that were selected so far."""

TABLES: Mapping[str, str] = {
    "matrix": "nvvm_matrix",
    "mbarriers": "nvvm_synchronization",
    "miscellaneous": "nvvm_inline_ptx",
    "scaled_matrix": "nvvm_sparse_matrix",
    "sparse_matrix": "nvvm_sparse_matrix",
    "special_registers": "nvvm_synchronization",
    "synchronization": "nvvm_synchronization",
    "wgmma": "nvvm_matrix",
}
"""The table with the rules of ops without a form, by the module of `nvvm` that defines them."""


def load(table: str) -> Mapping[type[Operation], Rule]:
    """The rules of a table; imports it if that has not been done."""
    return value_at(f"{__name__}.{table}:RULES")


def rule_of(op: type[Operation]) -> Rule | None:
    """The rule of a type of ops; None if it has none."""
    if op in RULES:
        return RULES[op]
    if (known := EXTENSION_OPS.get(op)) is not None:
        # Not kept in `RULES`: an extension may be registered again with another form.
        return _extension_rule(op, known.parts.ptx, known.parts.requirement)
    # `issubclass` on abstract classes walks all of their subclasses.
    if NVVMOperation in op.__mro__:
        if form := cast(type[NVVMOperation], op).PTX:
            RULES[op] = Rule(Form(form).select, has_effects=not op.has_trait(Pure))
        else:
            RULES.update(load(TABLES[op.__module__.rpartition(".")[2]]))
    return RULES.get(op)


@cache
def _extension_rule(op: type[Operation], ptx: str, requirement: Requirement | None) -> Rule | None:
    return Rule(Form(ptx).select, not op.has_trait(Pure), requirement) if ptx else None


def all_rules() -> Mapping[type[Operation], Rule]:
    """The rules of all ops."""
    for op in nvvm.NVVM.operations:
        rule_of(op)
    return RULES
