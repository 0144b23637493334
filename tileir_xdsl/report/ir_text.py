"""The text of a module with the places of ops and values in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.printer import Printer

from tileir_xdsl.report.provenance import Provenance
from tileir_xdsl.report.schema import Line, Span


@dataclass(eq=False, repr=False)
class PlacingPrinter(Printer):
    """Prints as any printer, and notes the line of every op and the place of every value."""

    ops: dict[int, Operation] = field(default_factory=dict[int, Operation])
    """The op that begins in a line."""
    values: dict[int, list[tuple[int, int, SSAValue]]] = field(
        default_factory=dict[int, list[tuple[int, int, SSAValue]]]
    )
    """By line, where values stand."""

    def print_op(self, op: Operation) -> None:
        self.ops.setdefault(self._current_line, op)
        super().print_op(op)

    def print_ssa_value(self, value: SSAValue) -> str:
        line, start = self._current_line, self._current_column
        name = super().print_ssa_value(value)
        self.values.setdefault(line, []).append((start, self._current_column, value))
        return name


def lines_of(
    module: ModuleOp, provenance: Provenance, numbers: Mapping[Operation, int]
) -> tuple[Line, ...]:
    """The text of a module, line by line; `numbers` are those of ops in their functions."""
    stream = StringIO()
    printer = PlacingPrinter(stream)
    printer.print_op(module)
    lines: list[Line] = []
    for index, text in enumerate(stream.getvalue().split("\n")):
        op = printer.ops.get(index)
        spans = tuple(
            Span(start, end, name)
            for start, end, value in printer.values.get(index, ())
            if (name := provenance.value(value)) is not None
        )
        ids = () if op is None else provenance.origins(op)
        lines.append(Line(text, ids, spans, None if op is None else numbers.get(op)))
    return tuple(lines)
