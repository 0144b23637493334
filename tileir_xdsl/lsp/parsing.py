"""Reads a text despite its mistakes, and records the positions of its ops and names.

After an op that it cannot read, the parser continues at the next line that can begin an op. So an
editor shows all mistakes, and understands the rest of the program while a line is incomplete.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span as XdslSpan
from xdsl.utils.mlir_lexer import MLIRTokenKind

from tileir_xdsl.lsp.source import Span
from tileir_xdsl.runtime.reader import LocatingParser, check_bodies, in_tile_module

MOST_PROBLEMS = 100
"""The number of mistakes after which the rest of a text is not read."""


@dataclass(frozen=True)
class Problem:
    """A mistake, and its position in the text."""

    span: Span
    message: str


@dataclass
class Name:
    """An occurrence of the name of a value (of several for `%x:2`) or of a block."""

    span: Span
    is_definition: bool
    named: tuple[SSAValue, ...] | Block = ()
    """The values or block that the name refers to; no values for an undefined name."""


@dataclass
class Records:
    """Records of the parser, in the order of the text."""

    problems: list[Problem] = field(default_factory=list[Problem])
    operations: dict[Operation, Span] = field(default_factory=dict[Operation, Span])
    """For each op, its text up to the next token."""
    names: dict[int, Name] = field(default_factory=dict[int, Name])
    """The names, by the offset at which they start."""
    aliases: dict[str, Attribute] = field(default_factory=dict[str, Attribute])

    def add(self, problem: Problem) -> None:
        """Adds a problem unless it has been added."""
        if problem not in self.problems:
            self.problems.append(problem)


_RESULTS = re.compile(r"%[\w$.\-]+(?::\d+)?(?:\s*,\s*%[\w$.\-]+(?::\d+)?)*\s*=(?!=)")
_NAME = re.compile(r"%([\w$.\-]+)")
_STRUCTURE = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|[()\[\]{}\n]')
_CLOSED = {")": "(", "]": "[", "}": "{"}
_BEGINS_OP = re.compile(rf'[ \t]*(?:{_RESULTS.pattern}|"[\w.$]+"\s*\(|[\w$]+[.\w$]*\s|[}}^])')
_ENDS_BODY = frozenset({MLIRTokenKind.R_BRACE, MLIRTokenKind.CARET_IDENT, MLIRTokenKind.EOF})


def next_start(text: str, start: int, error: int) -> int:
    """The offset at which to resume after an op from `start` that has a mistake at `error`.

    Parsing resumes at the first line after the error outside of all brackets that the op opens.
    Parsing resumes earlier at a brace that closes the region around the op.
    """
    line = text.rfind("\n", start, error) + 1
    if line > start and (begun := _BEGINS_OP.match(text, line)) and error < begun.end():
        # A gap at the end of a line is noticed in the next one.
        error = line - 1
    opened = list[str]()
    counts = dict.fromkeys(_CLOSED.values(), 0)
    for match in _STRUCTURE.finditer(text, start):
        token = match[0]
        if token in counts:
            opened.append(token)
            counts[token] += 1
        elif (opening := _CLOSED.get(token)) is not None:
            if not counts[opening]:
                if token == "}":
                    return match.start()
                continue
            while (closed := opened.pop()) != opening:
                counts[closed] -= 1
            counts[opening] -= 1
        elif token != "\n" or match.start() < error or counts["{"]:
            continue
        # A parenthesis may be what is missing.
        elif not opened or _BEGINS_OP.match(text, match.end()):
            return match.end()
    return len(text)


class RecoveringParser(LocatingParser):
    """The parser of the `tileir` commands, extended to record names and resume after mistakes."""

    def __init__(self, context: Context, text: str, name: str, records: Records):
        self.records = records
        self._text = text
        self._lost: set[str] = set()
        """Values whose definitions could not be read."""
        self._pending: dict[str, list[Name]] = {}
        """The uses of values that are not defined yet."""
        self._op_type: type[Operation] = ModuleOp
        super().__init__(context, text, name)

    def _read_aliases(self, text: str) -> None:
        try:
            super()._read_aliases(text)
        except ParseError as error:
            self._note(error)
            self.resume_from(0)

    def _parse_alias_def(self) -> None:
        start = self.pos
        try:
            super()._parse_alias_def()
        except ParseError as error:
            # xDSL points at what follows an attribute, which may stand in another line.
            if "\n" in self._text[start : error.span.start]:
                self.raise_error(error.msg, start)
            raise

    def parse_part(self) -> ModuleOp:
        """One module with all ops of the text that can be read."""
        module = ModuleOp([])
        while True:
            self._parse_block_body(module.body.block)
            if self._parser_state.current_token.kind == MLIRTokenKind.EOF:
                break
            start = self.pos
            try:
                self._parse_top_level()
            except ParseError as error:
                self._recover(start, error)
        self._note_undefined()
        self.records.aliases.update(self.attribute_aliases)
        only = module.body.block.first_op
        if isinstance(only, ModuleOp) and only is module.body.block.last_op:
            only.detach()
            return only
        return module

    def _parse_top_level(self) -> None:
        kind = self._parser_state.current_token.kind
        if kind in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
            self._parse_alias_def()
        elif kind == MLIRTokenKind.FILE_METADATA_BEGIN:
            self._parse_file_metadata_dictionary()
        else:
            self.raise_error("expected an operation")

    def _parse_block_body(self, block: Block) -> None:
        state = self._parser_state
        while True:
            start, depth = self.pos, len(state.dialect_stack)
            scope = self.ssa_values, self.blocks, self.forward_block_references
            try:
                op = self.parse_optional_operation()
                if op is not None:
                    block.add_op(op)
                elif state.current_token.kind in _ENDS_BODY or self._is_top_level_of(block):
                    return
                else:
                    self.raise_error("expected an operation")
            except ParseError as error:
                if len(self.records.problems) >= MOST_PROBLEMS:
                    raise
                del state.dialect_stack[depth:]
                self.ssa_values, self.blocks, self.forward_block_references = scope
                self._recover(start, error)

    @staticmethod
    def _is_top_level_of(block: Block) -> bool:
        """Whether a block is the top level of the text, where aliases may be defined."""
        parent = block.parent_op()
        return isinstance(parent, ModuleOp)

    def _note(self, error: ParseError) -> None:
        span = error.span
        self.records.add(Problem((span.start, span.end), error.msg))

    def _recover(self, start: int, error: ParseError) -> None:
        """Records the error of the op at `start`, and continues after it."""
        used = _NAME.fullmatch(self._text, error.span.start, error.span.end)
        # The error of a value that could not be read has been reported.
        if used is None or used[1] in self.ssa_values or used[1] not in self._lost:
            self._note(error)
        if results := _RESULTS.match(self._text, start):
            self._lost.update(_NAME.findall(results[0]))
        resumed = next_start(self._text, start, max(error.span.start, start))
        resumed = max(resumed, start + 1)
        while True:
            try:
                self.resume_from(resumed)
                return
            except ParseError as again:
                self._note(again)
                after = self._text.find("\n", max(resumed, again.span.start))
                resumed = len(self._text) if after < 0 else after + 1

    def _note_undefined(self, before: frozenset[str] = frozenset()) -> None:
        """Reports values used in a finished region that are not defined, except for `before`."""
        for name in self.forward_ssa_references.keys() - before:
            del self.forward_ssa_references[name]
            uses = self._pending.pop(name, [])
            if uses and name not in self._lost:
                self.records.add(Problem(uses[0].span, f"value %{name} is not defined"))

    def _get_op_by_name(self, name: str) -> type[Operation]:
        self._op_type = super()._get_op_by_name(name)
        return self._op_type

    def parse_operation(self) -> Operation:
        start = self.pos
        op = super().parse_operation()
        self.records.operations[op] = (start, self.pos)
        return op

    def parse_optional_region(
        self, arguments: Iterable[Parser.Argument] | None = None
    ) -> Region | None:
        op_type, before = self._op_type, frozenset(self.forward_ssa_references)
        region = super().parse_optional_region(arguments)
        if op_type.has_trait(IsolatedFromAbove):
            self._note_undefined(before)
        self._op_type = op_type
        return region

    def parse_optional_unresolved_operand(self) -> UnresolvedOperand | None:
        operand = super().parse_optional_unresolved_operand()
        if operand is not None:
            name = operand.operand_name
            use = Name((operand.span.start, operand.span.end), False)
            if (values := self.ssa_values.get(name)) is None:
                self._pending.setdefault(name, []).append(use)
            else:
                use.named = values
            self.records.names[use.span[0]] = use
        return operand

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: XdslSpan[str]
    ) -> None:
        super()._register_ssa_definition(name, values, span)
        for use in self._pending.pop(name, ()):
            use.named = self.ssa_values[name]
        definition = Name((span.start, span.end), True, self.ssa_values[name])
        self.records.names[span.start] = definition

    def parse_optional_successor(self) -> Block | None:
        span = self._parser_state.current_token.span
        block = super().parse_optional_successor()
        if block is not None:
            self.records.names[span.start] = Name((span.start, span.end), False, block)
        return block

    def _parse_block(self) -> Block:
        span = self._parser_state.current_token.span
        block = super()._parse_block()
        self.records.names[span.start] = Name((span.start, span.end), True, block)
        return block


_SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)


def parts_of(text: str) -> list[Span]:
    """The parts of a text that `--split-input-file` separates."""
    cuts = [match.start() for match in _SPLIT.finditer(text)]
    return list(zip([0, *cuts], [*cuts, len(text)], strict=True))


def parse(context: Context, text: str, name: str) -> tuple[list[ModuleOp], Records]:
    """The modules of the parts of a text, and the records of all parts."""
    records, modules = Records(), list[ModuleOp]()
    for start, end in parts_of(text):
        # Offsets are those in the whole text.
        part = " " * start + text[start:end]
        if not part.strip():
            continue
        try:
            module = RecoveringParser(context, part, name, records).parse_part()
            check_bodies(module)
        except ParseError as error:
            records.add(Problem((error.span.start, error.span.end), error.msg))
        except VerifyException as error:
            records.add(Problem((start, start), str(error)))
        except RecursionError:
            records.add(Problem((start, start), "the program is nested too deeply"))
        else:
            modules.append(in_tile_module(module))
    return modules, records
