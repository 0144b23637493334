"""Observes a compilation pass by pass, and collects the data of its report.

`start` is called with the module as it was read, `before` and `after` around each pass. Passes run
with the option `explain`, whose reports are collected in memory, and with forced choices. `changed`
is called after each phase, so the report on disk is up to date.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tileir_xdsl.dialects import nv_tileaa, tilecpu
from tileir_xdsl.explain import COLLECTED, Report, collecting_reports
from tileir_xdsl.levels import CPU_LEVELS, LEVELS, level_of
from tileir_xdsl.passes import Promise, takes_option
from tileir_xdsl.report.dead_values import dead_values
from tileir_xdsl.report.decisions import decisions_of
from tileir_xdsl.report.fingerprints import Fingerprint
from tileir_xdsl.report.forcing import Forced
from tileir_xdsl.report.ir_text import AttributeTexts, lines_of
from tileir_xdsl.report.provenance import Origins, Provenance, Snapshot
from tileir_xdsl.report.schema import Decision, Drawing, Phase
from tileir_xdsl.runtime.diagnostics import remarks_of
from tileir_xdsl.runtime.pass_specs import pass_spec
from tileir_xdsl.targets.cpu import is_cpu
from tileir_xdsl.transforms.pipeline_road import Step
from tileir_xdsl.walking import ops_in

READ = "read"
"""The name of phase 0, which has no pass."""

FAILED = "the pass failed; what follows is compiled with other choices, if there are any"
"""The remark on a pass that failed."""

_FUNCTIONS = (nv_tileaa.FuncOp, tilecpu.FuncOp)
"""The functions in which passes number ops."""

Draw = Callable[[ModuleOp, str, str, Callable[[Operation], Origins]], Sequence[Drawing]]
"""Draws a module at a level, for a target, with ops named by origins."""


@dataclass
class _Running:
    """The data of the pass that is running."""

    spec: str
    started: float
    origins: dict[str, dict[int, Origins]]
    reports: list[Report]
    leave: Callable[[], None]


@dataclass
class Recorder:
    """The phases of one compilation; `file` is its name in remarks."""

    file: str
    gpu: str
    draw: Draw
    forced: Forced = field(default_factory=Forced)
    changed: Callable[[], None] = lambda: None
    provenance: Provenance = field(default_factory=Provenance)
    phases: list[Phase] = field(default_factory=list[Phase])
    _numbers: dict[str, dict[int, Origins]] = field(default_factory=dict[str, dict[int, Origins]])
    """The origins of the ops of each function, by number in the present module."""
    _text: tuple[str, ...] = ()
    _remarks: tuple[str, ...] = ()
    _texts: AttributeTexts = field(default_factory=AttributeTexts)
    _fingerprint: Fingerprint | None = None
    """The fingerprint of the module after the last phase."""
    _running: _Running | None = None
    _first_failure: int | None = None
    """The phase of the first pass that failed."""
    _before_choices: Snapshot | None = None
    """The module before the first pass that runs again if a resource is exceeded."""
    _last: float = field(default_factory=time.perf_counter)

    def start(self, module: ModuleOp) -> None:
        """Records the module as it was read."""
        seconds = time.perf_counter() - self._last
        self.provenance.read(module)
        self._fingerprint = Fingerprint.of(module)
        self._add(module, READ, READ, seconds, ())

    def before(self, step: Step, module_pass: ModulePass, module: ModuleOp) -> ModulePass:
        """To be called before a pass; returns the pass to run in its place."""
        # A pass that did not come to its end: the module is compiled again with other choices.
        self._interrupt()
        if Promise.SPENDS_RESOURCES in step.promises:
            self._note_choices(module)
        collecting = ExitStack()
        reports = collecting.enter_context(collecting_reports())
        forced = self.forced.on(module_pass)
        self._running = _Running(
            pass_spec(forced),
            time.perf_counter(),
            self._numbers,
            reports,
            collecting.close,
        )
        return explained(forced)

    def after(self, step: Step, module: ModuleOp) -> None:
        """To be called after a pass, also after one that had nothing to do."""
        running, self._running = self._running, None
        if running is None:
            spec = pass_spec(step.module_pass)
            self._add_unchanged(step.name, spec, 0.0, (), self._new_remarks(module))
            return
        seconds = time.perf_counter() - running.started
        running.leave()
        decisions = tuple(
            decision
            for report in running.reports
            for decision in decisions_of(report, running.origins)
        )
        fingerprint = Fingerprint.of(module)
        if self._fingerprint is not None and fingerprint.is_same(self._fingerprint):
            remarks = self._new_remarks(module)
            self._add_unchanged(step.name, running.spec, seconds, decisions, remarks)
            return
        self._fingerprint = fingerprint
        self.provenance.follow(module)
        self._add(module, step.name, running.spec, seconds, decisions)

    def failed(self) -> int:
        """The phase of the diagnostic, when the compilation has failed.

        If the compiler has tried other choices after a failure, this is the phase of the first
        failure.
        """
        self._interrupt()
        return self._first_failure or 0

    def _interrupt(self) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        running.leave()
        if self._first_failure is None:
            self._first_failure = len(self.phases)
        seconds = time.perf_counter() - running.started
        name = running.spec.partition("{")[0]
        self._add_unchanged(name, running.spec, seconds, (), (FAILED,))

    def _note_choices(self, module: ModuleOp) -> None:
        if self._before_choices is None:
            self._before_choices = self.provenance.snapshot(module)
        else:
            self.provenance.restore(module, self._before_choices)

    def _add(
        self,
        module: ModuleOp,
        name: str,
        spec: str,
        seconds: float,
        decisions: tuple[Decision, ...],
    ) -> None:
        functions = {op.sym_name.data: op for op in ops_in(module) if isinstance(op, _FUNCTIONS)}
        numbers = {
            op: number
            for function in functions.values()
            for number, op in enumerate(ops_in(function)[1:])
        }
        lines = lines_of(module, self.provenance, numbers, self._texts)
        text = tuple(line.text for line in lines)
        if text == self._text:
            self._add_unchanged(name, spec, seconds, decisions, self._new_remarks(module))
            return
        self._text = text
        self._numbers = {
            name: {number: self.provenance.origins(op) for number, op in enumerate(ops_in(f)[1:])}
            for name, f in functions.items()
        }
        level = level_of(module, CPU_LEVELS if is_cpu(self.gpu) else LEVELS).name
        values = (self.provenance.value(value) for value in dead_values(module))
        phase = Phase(
            len(self.phases),
            name,
            spec,
            level,
            seconds,
            changed=True,
            ops=_counts(module),
            lines=lines,
            dead=tuple(value for value in values if value is not None),
            remarks=self._new_remarks(module),
            decisions=decisions,
            drawings=tuple(self.draw(module, level, self.gpu, self.provenance.origins)),
        )
        self._append(phase)

    def _add_unchanged(
        self,
        name: str,
        spec: str,
        seconds: float,
        decisions: tuple[Decision, ...],
        remarks: tuple[str, ...],
    ) -> None:
        last = self.phases[-1]
        self._append(
            Phase(
                len(self.phases),
                name,
                spec,
                last.level,
                seconds,
                changed=False,
                ops=last.ops,
                lines=None,
                remarks=remarks,
                decisions=decisions,
            )
        )

    def add_drawings(self, drawings: Iterable[Drawing]) -> None:
        """Adds drawings to the last phase."""
        last = self.phases[-1]
        self.phases[-1] = replace(last, drawings=(*last.drawings, *drawings))

    def _append(self, phase: Phase) -> None:
        self.phases.append(phase)
        self.changed()

    def _new_remarks(self, module: ModuleOp) -> tuple[str, ...]:
        known = self._remarks
        self._remarks = tuple(str(remark) for remark in remarks_of(module, self.file))
        return tuple(remark for remark in self._remarks if remark not in known)


def explained(step: ModulePass) -> ModulePass:
    """The pass with its option `explain` set, if it has that option."""
    if not takes_option(step, "explain"):
        return step
    return cast(ModulePass, replace(cast(Any, step), explain=COLLECTED))


def _counts(module: ModuleOp) -> dict[str, int]:
    """The ops of a module by name, in alphabetical order."""
    return dict(sorted(Counter(op.name for op in ops_in(module)[1:]).items()))
