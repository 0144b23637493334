"""Finds launches whose effects depend on elements that the program leaves undetermined.

A launch in the interpreter of `cuda_tile` is repeated with other values of undetermined elements
(`interpreters/cuda_tile/undetermined.py`): the largest values, then random bits. All else is
unchanged, so an access or branch that differs depends on undetermined elements.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl import interpreters
from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.arguments import Argument
from tileir_xdsl.interpreters.cuda_tile.undetermined import (
    FILLS,
    Differs,
    Event,
    Fill,
    Observer,
    Reason,
    Sink,
)
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.launch import DEFAULT_ITERATION_LIMIT
from tileir_xdsl.interpreters.undefined_notes import UndefinedNotes
from tileir_xdsl.runtime.diagnostics import remark_at
from tileir_xdsl.runtime.errors import Remark, UndefinedError
from tileir_xdsl.runtime.memory_views import copies
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class Undetermined:
    """An op that leaves elements undetermined, and the first op whose effect depends on them."""

    load: Operation
    reason: Reason
    op: Operation
    sink: Sink

    def as_error(self, file: str) -> UndefinedError:
        """The error, at the location of the load, or at `file` if it has none."""
        at = location_text(self.op.location)
        place = f"'{self.op.name}'" + (f" at {at}" if at else "")
        load = f"'{self.load.name}' leaves elements undetermined ({self.reason})"
        message = f"undefined behaviour: {load}, and {self.sink} in {place}"
        return UndefinedError(location_text(self.load.location) or file, message)


def outside_remarks(notes: UndefinedNotes, file: str) -> list[Remark]:
    """Remarks on accesses of a tile outside of a view, each with the first such tile.

    `file` is the location of an access without one.
    """
    return [
        remark_at(op, f"'{op.name}' is undefined: {tile}", file)
        for op, tile in notes.outside.items()
    ]


@dataclass(frozen=True)
class Repeated:
    """A launch to repeat, each time on copies of its arguments."""

    module: ModuleOp
    kernel: str
    grid: Coordinates
    arguments: Sequence[Argument]
    iteration_limit: int = DEFAULT_ITERATION_LIMIT
    time_limit: float | None = None

    @cached_property
    def _numbers(self) -> dict[Operation, int]:
        return {op: number for number, op in enumerate(ops_in(self.module))}

    def undetermined(self) -> list[Undetermined]:
        """The loads whose undetermined elements affect the launch, in the order of the program.

        Of loads that affect the launch only together, a minimal group is reported. Raises
        `InterpreterError` if the launch itself fails.
        """
        first = Observer(self._numbers)
        self._run(first)
        loads = sorted(first.reasons, key=self._numbers.__getitem__)
        together = self._first_difference(first, loads)
        if together is None:
            return []
        alone = {load: self._first_difference(first, [load]) for load in loads}
        found = {load: event for load, event in alone.items() if event is not None}
        found = found or dict.fromkeys(self._needed(first, loads), together)
        return [
            Undetermined(load, first.reasons[load], event.op, event.sink)
            for load, event in found.items()
        ]

    def _needed(self, first: Observer, loads: list[Operation]) -> list[Operation]:
        """A minimal group of loads that together affect the launch."""
        for load in loads:
            others = [each for each in loads if each is not load]
            if self._first_difference(first, others) is not None:
                return self._needed(first, others)
        return loads

    def _first_difference(self, first: Observer, filled: Collection[Operation]) -> Event | None:
        """The first event that differs if the given loads yield other values."""
        differences = (self._difference(first, filled, fill) for fill in FILLS if filled)
        return next((event for event in differences if event is not None), None)

    def _difference(
        self, first: Observer, filled: Collection[Operation], fill: Fill
    ) -> Event | None:
        observer = Observer(self._numbers, fill, filled, first.events)
        try:
            self._run(observer)
        except Differs as difference:
            return difference.event
        except InterpreterError:
            # An access outside of all allocations, which is not among the events.
            return None if observer.last is None else Event(observer.last, Sink.ADDRESS, 0)
        return None

    def _run(self, observer: Observer) -> None:
        interpreters.launch(
            self.module,
            self.kernel,
            self.grid,
            copies(self.arguments),
            output=io.StringIO(),
            iteration_limit=self.iteration_limit,
            time_limit=self.time_limit,
            listeners=[observer],
        )
