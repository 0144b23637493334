"""`tileas-remove-buffer-alias`: replaces aliases of a buffer by its allocation, or views of it.

An alias is another SSA value for a buffer: a select between parts, a carried value, the result of a
branch, or a nested view. Later passes find allocations by their SSA values, so each alias becomes a
view of the allocation, or the allocation itself. If an alias can be one of several parts, the
program selects or carries the offset instead:

    %b = nv_tileas.view %m {offset = 8192 : i64}
    %s = tile.select %c, %a, %b : tensor<128x64xf16, #smem>
    ->
    %o = tile.select %c, %zero, %c8192 : index
    %s = nv_tileas.view %m offset %o : tensor<2x128x64xf16, #smem> to tensor<128x64xf16, #smem>

An alias in another layout than the allocation becomes a copy if it is only read. Selects between
different allocations, and forwarded buffers of unknown origin, do not change; a remark says `Cannot
find last written SSA.`

All buffers are traced first (`analysis/buffers/origin.py`), so one visit of each op is enough for
any chain of aliases. A second visit replaces views of views.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.analysis.buffers.origin import (
    BufferOrigins,
    forwarded_buffers,
    is_buffer,
    trace_buffers,
)
from tileir_xdsl.analysis.regions.scopes import scopes_of
from tileir_xdsl.diagnostics import ALIAS_NOT_TRACED, remark
from tileir_xdsl.dialects.nv_tileas.agents import AgentSwitchOp
from tileir_xdsl.dialects.nv_tileas.conversions import ViewOp
from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker, PatternTable
from tileir_xdsl.transforms.function_pass import FunctionPass
from tileir_xdsl.transforms.tileas_remove_buffer_alias import aliases
from tileir_xdsl.walking import ops_in

from .layout_changes import aliases_to_copy
from .locations import Locations
from .report import AliasReport

UNTRACED = "Cannot find last written SSA."


def remove_buffer_aliases(function: Operation) -> aliases.Rewriting:
    """Rewrites all aliases of one function; returns the rewritten and the untraced aliases."""
    ops = ops_in(function)
    targets = {target for op in ops for _, target in forwarded_buffers(op)}
    # Nothing has a second name: as in most functions.
    if not targets and not any(map(_is_view, ops)):
        return aliases.Rewriting(Locations(BufferOrigins({})), set())
    origins = trace_buffers(function)
    # Decided before rewriting, while all names are still there.
    rewriting = aliases.Rewriting(Locations(origins), aliases_to_copy(function, targets, origins))
    select, terminator = aliases.ReplaceSelect(rewriting), aliases.ReplaceTerminator(rewriting)
    rewrite(
        function,
        {
            SelectOp: select,
            arith.SelectOp: select,
            AgentSwitchOp: aliases.ReplaceInAgents(rewriting),
            scf.ForOp: aliases.ReplaceInLoop(rewriting),
            scf.IfOp: aliases.ReplaceInBranch(rewriting),
            scf.WhileOp: aliases.ReplaceInWhile(rewriting),
            scf.YieldOp: terminator,
            scf.ConditionOp: terminator,
        },
    )
    # Offsets are values of their own by now, so that buffers are traced anew.
    rewrite(function, {ViewOp: aliases.ViewAllocation(Locations(trace_buffers(function)))})
    # Users first: then a chain of aliases is unused link by link.
    DispatchWalker(
        dict.fromkeys(aliases.ALIASES, aliases.EraseUnusedAlias()), walk_reverse=True
    ).rewrite(function)
    return rewriting


def _is_view(op: Operation) -> bool:
    """Whether an op is a view of a buffer."""
    return isinstance(op, ViewOp) and is_buffer(op.result.type)


def rewrite(function: Operation, patterns: PatternTable) -> None:
    """Visits every op of a function once, outer ops before nested ones."""
    DispatchWalker(patterns).rewrite(function)


@dataclass(frozen=True)
class TileASRemoveBufferAliasPass(FunctionPass):
    """Replaces aliases of allocations in shared or tensor memory."""

    name = "tileas-remove-buffer-alias"

    explain: str | None = None
    """The text or `.json` file for a report of every alias."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report = Report(self.name)
        for scope in scopes_of(module) if module in scopes else scopes:
            described = AliasReport(scope)
            rewriting = remove_buffer_aliases(scope)
            described.describe(report, rewriting.aliases)
            for op in rewriting.untraced:
                remark(op, ALIAS_NOT_TRACED, UNTRACED)
        if self.explain is not None:
            write_report(report, self.explain)
