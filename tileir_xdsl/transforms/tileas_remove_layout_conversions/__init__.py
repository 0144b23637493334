"""`tileas-remove-layout-conversions`: chooses layouts again, so that few conversions are needed.

Earlier passes have assigned layouts that accesses, dots and reductions prefer, with conversions in
between. Two propagators change layouts to remove conversions. The first changes buffers, whose
layout is part of the op that makes them (`buffers`). The second changes tiles in registers, since
elementwise and re-indexing ops accept any layout (`registers`). A second sweep also changes the
layouts of tiles that branches, loops, pipelines of one stage and pragmas forward; cleanups fold
conversions in between (`cleanup`):

    propagate -> cleanup -> rewrite layout-sensitive ops -> cleanup -> cleanup

    %t = nv_tileas.tiled_load %src : .. -> tensor<128x64xf16, #blocked>
    %c = nv_tileas.convert_layout %t : #blocked -> #swizzled
    %r = nv_tileas.wgmma %c, %w, %acc
    ->
    %t = nv_tileas.tiled_load %src : .. -> tensor<128x64xf16, #swizzled>
    %r = nv_tileas.wgmma %t, %w, %acc

Conversions between memories are kept. The pass also keeps conversions that a fence, a wait, or a
handshake of a multi-stage pipeline separates from the ops that would change. Every step removes a
conversion, moves one out of a loop, or changes nothing. Source: the TileAS layout notes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.target_attributes import target_of
from tileir_xdsl.explain import OperationLabels, Report, write_report
from tileir_xdsl.targets.target import Target
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.walking import clone_of, ops_in

from .buffers import propagate_through_buffers
from .cleanup import clean_up, erase_unused
from .explanation import add_comparison, add_decisions
from .log import ConversionLog
from .registers import propagate_through_registers

BUFFERS_FAILED = "failed to rewrite in buffer layout propagation"
"""The diagnostic if the verifier of an op rejects the new layout of its buffer."""
REGISTERS_FAILED = "failed to rewrite in reg layout propagation"
"""The diagnostic if the verifier of an op rejects the new layouts of tiles in registers."""


@dataclass(frozen=True)
class TileASRemoveLayoutConversionsPass(FunctionPass):
    """Removes layout conversions by another choice of layouts.

    `explain` names a text or `.json` file for a report. `force` lists conversions to keep, by their
    numbers in the report: `keep=#4,#7`.
    """

    name = "tileas-remove-layout-conversions"

    explain: str | None = None
    force: str | None = None

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        numbers = parse_force(self.force)
        # A second run without force, only for the report to compare with.
        unforced = clone_of(module) if numbers and self.explain is not None else None
        functions = [*functions_in(scopes)] or [module]
        target = target_of(module)
        logs = [collect_conversions(function, numbers, target) for function in functions]
        missing = sorted(numbers - {log.labels.number(c) for log in logs for c in log.kept})
        if missing:
            known = ", ".join(log.labels.expected(is_conversion) for log in logs)
            raise PassFailedException(
                f"no nv_tileas.convert_layout has the number #{missing[0]}, {known}"
            )
        for function, log in zip(functions, logs, strict=True):
            remove_conversions(function, log)
        if self.explain is not None:
            report = Report(self.name)
            for function, log in zip(functions, logs, strict=True):
                add_decisions(report, name_of(function), function, log)
            if unforced is not None:
                self._compare(report, functions, logs, unforced)
            write_report(report, self.explain)
        for log in logs:
            if log.refused:
                fail(log.refused[0], BUFFERS_FAILED)
            if log.rejected:
                fail(log.rejected[0], REGISTERS_FAILED)

    def _compare(
        self,
        report: Report,
        functions: Sequence[Operation],
        logs: list[ConversionLog],
        unforced: ModuleOp,
    ) -> None:
        """Adds a comparison with the outcome without `force` to the report."""
        other_functions = [*functions_in([unforced])] or [unforced]
        target = target_of(unforced)
        others = [collect_conversions(function, set(), target) for function in other_functions]
        for function, log in zip(other_functions, others, strict=True):
            remove_conversions(function, log)
        pairs = zip(functions, other_functions, strict=True)
        for (function, other), log, other_log in zip(pairs, logs, others, strict=True):
            add_comparison(report, name_of(function), (function, log), (other, other_log))


def remove_conversions(function: Operation, log: ConversionLog) -> None:
    """Runs the propagators and cleanups on one function."""
    if not log.conversions:
        return
    erase_unused(function, log)
    # Buffers first: their layout is part of one op, and tiles read from them follow.
    propagate_through_buffers(function, log)
    propagate_through_registers(function, log, fix_joins=True)
    clean_up(function, log)
    # Once more after folding, which has brought makers and users of tiles together.
    propagate_through_registers(function, log, fix_joins=False)
    # Only what was folded can leave more to fold.
    if clean_up(function, log):
        clean_up(function, log)


def name_of(function: Operation) -> str:
    """The name of a function in the report."""
    return function.sym_name.data if isinstance(function, nv_tileaa.FuncOp) else "module"


def is_conversion(op: Operation) -> TypeGuard[nv_tileas.ConvertLayoutOp]:
    """Whether an op converts the layout of a tile."""
    return isinstance(op, nv_tileas.ConvertLayoutOp)


def collect_conversions(
    function: Operation, numbers: set[int], target: Target | None = None
) -> ConversionLog:
    """A log of the conversions in a function; `numbers` lists those to keep."""
    labels = OperationLabels(function)
    conversions = tuple(op for op in ops_in(function) if is_conversion(op))
    kept = frozenset(op for op in conversions if labels.number(op) in numbers)
    return ConversionLog(labels, conversions, kept, target)


def parse_force(text: str | None) -> set[int]:
    """The numbers in `keep=#4,#7`.

    Raises:
        PassFailedException: the text is something else.
    """
    if text is None:
        return set()
    if re.fullmatch(r"keep=#\d+(,#\d+)*", text) is None:
        raise PassFailedException(
            f"expects the option force to have a form such as keep=#4,#7, but got {text!r}"
        )
    return {int(number) for number in re.findall(r"\d+", text)}
