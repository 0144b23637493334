"""`tileas-resolve-agent-boundary`: tiles reach agents through shared memory.

An agent is a separate group of warps. An agent can use a scalar, a pointer, a view, a buffer or a
pipeline from outside directly. A tile computed before the switch, however, is in registers of other
threads:

    %t = nv_tileas.tiled_load ..
    agent_switch {
      %u = nv_tileas.convert_layout %t : T -> U
      ..
    ->
    %t = nv_tileas.tiled_load ..
    %b = nv_tileas.alloc_tensor : S
    %f = nv_tileas.copy %t into %b : T into S -> S
    agent_switch {
      %u = nv_tileas.copy %b : S -> U
      ..

Each agent loads the tile in the layouts that its users need; the load replaces layout conversions.
A tile that a few instructions compute from scalars is recomputed in the agent instead.

A switch starts its agents after all ops before it, so that reads of the buffer follow its writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.analysis.layouts.groups import awaited
from tileir_xdsl.analysis.regions.scopes import scope_name, scopes_of
from tileir_xdsl.dialects.nv_tileas.agents import AgentSwitchOp
from tileir_xdsl.explain import OperationLabels, Report, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.transforms.function_pass import FunctionPass
from tileir_xdsl.walking import ops_in

from .boundaries import BoundaryValue, Transfer, boundary_values_of
from .transfers import ResolveBoundary, storage_bytes


def describe(report: Report, module: ModuleOp) -> None:
    """Adds to a report how every value is transferred to agents, by function."""
    described: set[Operation] = set()
    for scope in scopes_of(module):
        labels = OperationLabels(scope)
        for op in ops_in(scope):
            if isinstance(op, AgentSwitchOp) and op not in described:
                described.add(op)
                boundary_values = [
                    _facts(labels, boundary_value) for boundary_value in boundary_values_of(op)
                ]
                report.add(
                    scope_name(scope), agents=labels.label(op), boundary_values=boundary_values
                )


def _facts(labels: OperationLabels, boundary_value: BoundaryValue) -> dict[str, str | int]:
    value = boundary_value.value
    facts: dict[str, str | int] = {
        "value": f"%{value.name_hint}" if value.name_hint else "unnamed",
        "type": str(value.type),
        "transfer": boundary_value.transfer.value,
    }
    if boundary_value.recomputed:
        facts["ops"] = ", ".join(labels.label(op) for op in boundary_value.recomputed)
    if boundary_value.transfer is Transfer.SHARED_MEMORY:
        facts["bytes"] = storage_bytes(awaited(value.type))
    return facts


@dataclass(frozen=True)
class TileASResolveAgentBoundaryPass(FunctionPass):
    """Transfers tiles to agents through shared memory."""

    name = "tileas-resolve-agent-boundary"

    explain: str | None = None
    """The text or `.json` file for a report of transferred values."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report = Report(self.name)
        if self.explain is not None:
            # Before the rewrite, while values still cross.
            describe(report, module)
        walker = DispatchWalker({AgentSwitchOp: ResolveBoundary()})
        for scope in scopes:
            walker.rewrite(scope)
        if self.explain is not None:
            write_report(report, self.explain)
