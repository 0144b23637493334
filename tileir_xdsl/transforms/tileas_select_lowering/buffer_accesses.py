"""The instructions that move tiles between registers and buffers in shared memory.

    %x = nv_tileas.convert_layout %b {nv_tileas.accesses = [#nv_tileas.access<matrices>]} : ..

Vector accesses are always possible; `ldmatrix` and `stmatrix` need fragments that are rows of 16
bytes in the buffer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation

from tileir_xdsl.analysis.layouts.buffer_accesses import BufferAccess, buffer_accesses
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileas.strategies import (
    ACCESSES,
    AccessAttr,
    AccessStrategy,
    accesses_of,
)
from tileir_xdsl.explain import ReportValue
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.scratch import AccessKind, staging_accesses
from tileir_xdsl.targets import Feature, Target

from .strategies import Family, Row, StrategySelection, always

SEPARATOR = "/"
"""Separates the kinds of several accesses of one op in `force`."""


@dataclass(frozen=True)
class Considered:
    """An access, and the costs of the kinds that its layouts allow."""

    is_store: bool
    costs: Mapping[AccessKind, int]
    has_stmatrix: bool

    def problem(self, kind: AccessKind) -> str | None:
        """The reason why a kind of matrix access is impossible, or None."""
        if kind not in self.costs:
            return "the registers of a matrix are not rows of 16 bytes in the buffer"
        if self.is_store and not self.has_stmatrix:
            return "the target has no stmatrix"
        return None


FAMILY: Family[Considered] = Family(
    lambda _op, _target: None,
    (
        Row(
            AccessStrategy.VECTORS,
            always,
            lambda access: access.costs[AccessKind.VECTORS],
            "PTX ISA, ld.shared.v4 and st.shared.v4",
        ),
        Row(
            AccessStrategy.MATRICES,
            lambda access: access.problem(AccessKind.MATRICES),
            lambda access: access.costs[AccessKind.MATRICES],
            "PTX ISA, ldmatrix and stmatrix",
        ),
        Row(
            AccessStrategy.TRANSPOSED_MATRICES,
            lambda access: access.problem(AccessKind.TRANSPOSED_MATRICES),
            lambda access: access.costs[AccessKind.TRANSPOSED_MATRICES],
            "PTX ISA, ldmatrix.trans and stmatrix.trans",
        ),
    ),
    kind="access",
)
"""The kinds of an access; costs are the wavefronts and instructions of a warp."""

NAMES = frozenset(row.strategy.value for row in FAMILY.rows)
"""The names of the kinds."""


@dataclass(frozen=True)
class AccessSelection:
    """The accesses of an op, and the kind of each."""

    op: Operation
    accesses: tuple[StrategySelection, ...]

    @staticmethod
    def of(op: Operation, target: Target, forced: str | None) -> "AccessSelection | None":
        """The forced kinds, otherwise those in the op's attribute, otherwise the cheapest.

        None for an op without accesses between registers and shared memory. Raises
        `PassFailedException` if a kind is impossible.
        """
        found = [_considered(op, access, target) for access in buffer_accesses(op)]
        names = None if forced is None else forced.split(SEPARATOR)
        written = accesses_of(op) if names is None else None
        for given in (names, written):
            if given is not None and len(given) != len(found):
                fail(
                    op,
                    f"'{op.name}' op expects {len(found)} kinds, one for each access of "
                    f"shared memory, but got {len(given)}",
                )
        if not found:
            return None
        return AccessSelection(
            op,
            tuple(
                StrategySelection.among(
                    op,
                    FAMILY,
                    access,
                    None if written is None else written[number],
                    None if names is None else names[number],
                )
                for number, access in enumerate(found)
            ),
        )

    @cached_property
    def chosen(self) -> tuple[AccessStrategy, ...]:
        """The chosen kinds."""
        return tuple(AccessStrategy(access.chosen) for access in self.accesses)

    def write(self) -> None:
        """Sets the attribute of the op with the chosen kinds."""
        self.op.attributes[ACCESSES] = ArrayAttr(map(AccessAttr, self.chosen))

    def facts_of_report(self) -> Mapping[str, ReportValue]:
        """The facts of the report."""
        return {
            "access": SEPARATOR.join(self.chosen),
            "accesses": [
                {"is": "store" if each.facts.is_store else "load", **each.facts_of_report()}
                for each in self.accesses
            ],
        }


def _considered(op: Operation, access: BufferAccess, target: Target) -> Considered:
    addresses = access.staging.address_map()
    try:
        found = staging_accesses(access.layout, addresses, is_store=access.is_store)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    costs = {kind: cost for kind, (_, cost) in found.items()}
    return Considered(access.is_store, costs, Feature.STMATRIX in target.features)
