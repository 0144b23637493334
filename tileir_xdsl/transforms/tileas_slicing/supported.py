"""The ops that slices may repeat."""

from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolTable

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.element_interfaces import works_on_elements
from tileir_xdsl.rewriting import dialect_name
from tileir_xdsl.walking import ancestors

DIALECTS = frozenset({"affine", "arith", "math", "nv_tileaa", "nv_tileas", "scf", "tile", "ub"})
"""The dialects whose ops slices may repeat: loads, stores, copies, math, control flow and
pipelines.
"""

REFUSED = (
    nv_tileaa.FuncOp,
    nv_tileaa.GlobalOp,
    nv_tileaa.InjectIROp,
    nv_tileaa.LaunchFuncOp,
    nv_tileaa.PluginOp,
    nv_tileaa.ReturnOp,
)
"""Ops that slices may not repeat: definitions, launches, returns, and opaque ops."""

COPIES = (nv_tileas.AsyncCopyOp, nv_tileas.CopyOp)


def has_concrete_atom(copy: nv_tileas.AsyncCopyOp | nv_tileas.CopyOp) -> bool:
    """Whether a copy has a concrete copy atom."""
    return copy.atom is not None and copy.atom.copy_atom is not None


@dataclass
class Callees:
    """A cache of whether callees have a definition."""

    _known: dict[tuple[Operation | None, SymbolRefAttr], bool] = field(
        default_factory=dict[tuple[Operation | None, SymbolRefAttr], bool]
    )

    def is_known(self, call: func.CallOp | nv_tileaa.CallOp) -> bool:
        """Whether the module defines the callee, instead of only declaring it."""
        key = (_symbol_scope(call), call.callee)
        if key not in self._known:
            callee = SymbolTable.lookup_symbol(call, call.callee)
            self._known[key] = callee is not None and any(r.blocks for r in callee.regions)
        return self._known[key]


def _symbol_scope(op: Operation) -> Operation | None:
    tables = (o for o in ancestors(op) if o.has_trait(SymbolTable, value_if_unregistered=False))
    return next(tables, None)


def is_supported(op: Operation, callees: Callees) -> bool:
    """Whether slices may repeat an op."""
    if isinstance(op, func.CallOp | nv_tileaa.CallOp):
        return callees.is_known(op)
    is_known = dialect_name(op) in DIALECTS or works_on_elements(op)
    return is_known and not isinstance(op, REFUSED)
