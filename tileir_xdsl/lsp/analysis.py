"""The analysis of one version of a text: its mistakes, its ops, and the meanings of its names."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from tileir_xdsl.lsp.parsing import MOST_PROBLEMS, Name, Problem, Records, parse
from tileir_xdsl.lsp.source import Source, Span
from tileir_xdsl.rewriting import dialect_name
from tileir_xdsl.walking import ancestors, ops_in

LEVELS = ("llvm", "nvvm", "nv_tileas", "nv_tileaa", "cuda_tile")
"""The dialects that determine the level of a program, last level of the road first."""

_SYMBOL = re.compile(r'@(?:[\w$.\-]+|"[^"\n]*")')


@dataclass(frozen=True)
class Symbol:
    """An op that has a symbol name, with the symbols inside of it."""

    name: str
    op: Operation
    span: Span
    name_span: Span
    inner: tuple[Symbol, ...]


@dataclass(frozen=True)
class Analysis:
    """The results of reading a text; all positions are offsets."""

    source: Source
    modules: tuple[ModuleOp, ...]
    records: Records
    problems: tuple[Problem, ...]
    """Mistakes, in the order of the text."""

    @cached_property
    def _names(self) -> list[Name]:
        return sorted(self.records.names.values(), key=lambda name: name.span)

    @cached_property
    def _spans(self) -> list[tuple[Span, Operation]]:
        spans = ((span, op) for op, span in self.records.operations.items())
        return sorted(spans, key=lambda entry: (entry[0][0], -entry[0][1]))

    def name_at(self, offset: int) -> Name | None:
        """The name of a value or block at an offset."""
        at = bisect.bisect_right(self._names, offset, key=lambda name: name.span[0]) - 1
        found: Name | None = None
        while at >= 0 and self._names[at].span[0] <= offset <= self._names[at].span[1]:
            found = self._names[at]
            at -= 1
        return found

    def names_before(self, offset: int) -> list[Name]:
        """The names that start before an offset, in the order of the text."""
        return self._names[: bisect.bisect_left(self._names, offset, key=lambda n: n.span[0])]

    def same_as(self, name: Name) -> list[Name]:
        """All occurrences in the text of the value or block that `name` refers to, in order."""
        return [other for other in self._names if name.named and other.named is name.named]

    def operation_at(self, offset: int) -> Operation | None:
        """The innermost op at an offset."""
        at = bisect.bisect_right(self._spans, offset, key=lambda entry: entry[0][0]) - 1
        if at < 0:
            return None
        innermost = self._spans[at][1]
        for op in (innermost, *ancestors(innermost)):
            span = self.records.operations.get(op)
            if span is not None and span[0] <= offset <= span[1]:
                return op
        return None

    def span_of(self, op: Operation) -> Span:
        """The text of an op, without what follows it."""
        start, end = self.records.operations[op]
        return start, start + len(_code(self.source.text[start:end]))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The outermost ops that have names."""
        return tuple(symbol for module in self.modules for symbol in self._symbols_of(module))

    def _symbols_of(self, op: Operation) -> Iterator[Symbol]:
        inner = tuple(
            symbol
            for region in op.regions
            for block in region.blocks
            for nested in block.ops
            if nested.regions or "sym_name" in nested.properties
            for symbol in self._symbols_of(nested)
        )
        name = op.properties.get("sym_name") or op.attributes.get("sym_name")
        if not isinstance(name, StringAttr) or op not in self.records.operations:
            yield from inner
            return
        span = self.span_of(op)
        found = _SYMBOL.search(self.source.text, *span)
        name_span = (span[0], span[0] + 1) if found is None else found.span()
        yield Symbol(name.data, op, span, name_span, inner)

    def all_symbols(self) -> list[Symbol]:
        """Symbols at any depth."""
        pending, found = list(self.symbols), list[Symbol]()
        while pending:
            found.append(symbol := pending.pop())
            pending += symbol.inner
        return found

    @cached_property
    def level(self) -> str | None:
        """The last level on the road of which the program has ops."""
        found = {dialect_name(op) for op in self.records.operations}
        return next((level for level in LEVELS if level in found), None)


def _code(text: str) -> str:
    """A text without the comments and the space at its end."""
    lines = text.rstrip().split("\n")
    while len(lines) > 1 and lines[-1].lstrip().startswith("//"):
        lines.pop()
        while len(lines) > 1 and not lines[-1].strip():
            lines.pop()
    return "\n".join(lines).rstrip()


def analyse(context: Context, source: Source, name: str = "text") -> Analysis:
    """Reads a text, and verifies the ops that could be read."""
    modules, records = parse(context, source.text, name)
    is_whole = not records.problems
    problems = [Problem(source.visible(p.span), p.message) for p in records.problems]
    for module in modules:
        problems += _unverified(module, records, source, is_whole, MOST_PROBLEMS - len(problems))
    problems.sort(key=lambda problem: problem.span)
    return Analysis(source, tuple(modules), records, tuple(problems))


def _unverified(
    module: ModuleOp, records: Records, source: Source, is_whole: bool, most: int
) -> list[Problem]:
    """The problems of ops that fail verification.

    If the text has other mistakes, only ops are verified that have no regions and whose operands
    are defined.
    """
    found: list[Problem] = []
    for op in ops_in(module):
        if len(found) >= most:
            break
        if not is_whole and (op.regions or op.successors or not _has_operands(op, records)):
            continue
        try:
            # Not `verify`, which on failure prints the whole module into a note.
            op.verify_()
            if is_whole:
                _verify_end(op)
        except DiagnosticException as error:
            message = " ".join(str(error).split())
            found.append(Problem(_first_line(op, records, source), message))
    return found


def _has_operands(op: Operation, records: Records) -> bool:
    """Whether all operands are defined by ops that could be read."""
    for operand in op.operands:
        try:
            owner = operand.owner
        except ValueError:
            # One that is used but not defined has no owner.
            return False
        if isinstance(owner, Operation) and owner not in records.operations:
            return False
    return True


def _verify_end(op: Operation) -> None:
    """Verifies that an op may end its block, and that its own blocks have a terminator."""
    if op.successors or op.next_op is None:
        op.verify(verify_nested_ops=False)
    for region in op.regions:
        for block in region.blocks:
            if block.last_op is None:
                block.verify()


def _first_line(op: Operation, records: Records, source: Source) -> Span:
    around: Operation | None = op
    while around is not None:
        if (span := records.operations.get(around)) is not None:
            start, end = span
            line = _code(source.text[start : min(end, source.end_of_line(start))])
            return start, start + len(line)
        around = around.parent_op()
    return source.visible((0, 0))
