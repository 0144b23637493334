"""The text of a module, with the positions of its ops and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.printer import Printer

from tileir_xdsl.report.provenance import Provenance
from tileir_xdsl.report.schema import Line, Span


@dataclass
class AttributeTexts:
    """The texts of attributes, cached because printing them takes most of the time."""

    by_identity: dict[int, str] = field(default_factory=dict[int, str])
    _kept: list[Attribute] = field(default_factory=list[Attribute])
    """Keeps attributes alive, so that their ids stay unique."""

    def add(self, attribute: Attribute, text: str) -> None:
        """Notes the text of an attribute."""
        self.by_identity[id(attribute)] = text
        self._kept.append(attribute)


class PlacedStream(StringIO):
    """A text being written, with its present line and column."""

    line = 0
    column = 0

    def write(self, text: str, /) -> int:
        lines = text.count("\n")
        self.line += lines
        self.column = len(text) - text.rindex("\n") - 1 if lines else self.column + len(text)
        return super().write(text)


class PlacingPrinter(Printer):
    """A printer that notes the line of every op and the position of every value."""

    def __init__(self, texts: AttributeTexts):
        self.texts = texts
        self.text = PlacedStream()
        self.ops: dict[int, Operation] = {}
        """The op that begins in each line."""
        self.values: dict[int, list[tuple[int, int, SSAValue]]] = {}
        """By line: the start, the end and the value of each occurrence."""
        super().__init__(self.text)

    def print_attribute(self, attribute: Attribute) -> None:
        text = self.texts.by_identity.get(id(attribute))
        if text is None:
            text = self._text_of(attribute)
            # The lines of one that has several are indented as what is around it.
            if "\n" in text:
                super().print_attribute(attribute)
                return
            self.texts.add(attribute, text)
        self.print_string(text)

    def _text_of(self, attribute: Attribute) -> str:
        around, apart = self.stream, StringIO()
        self.stream = apart
        super().print_attribute(attribute)
        self.stream = around
        return apart.getvalue()

    def print_op(self, op: Operation) -> None:
        self.ops.setdefault(self.text.line, op)
        super().print_op(op)

    def print_ssa_value(self, value: SSAValue) -> str:
        line, start = self.text.line, self.text.column
        name = super().print_ssa_value(value)
        self.values.setdefault(line, []).append((start, self.text.column, value))
        return name


def lines_of(
    module: ModuleOp,
    provenance: Provenance,
    numbers: Mapping[Operation, int],
    texts: AttributeTexts,
) -> tuple[Line, ...]:
    """The text of a module, line by line; `numbers` are the numbers of ops in their functions."""
    printer = PlacingPrinter(texts)
    printer.print_op(module)
    lines: list[Line] = []
    for index, text in enumerate(printer.text.getvalue().split("\n")):
        op = printer.ops.get(index)
        spans = tuple(
            Span(start, end, name)
            for start, end, value in printer.values.get(index, ())
            if (name := provenance.value(value)) is not None
        )
        ids = () if op is None else provenance.origins(op)
        lines.append(Line(text, ids, spans, None if op is None else numbers.get(op)))
    return tuple(lines)
