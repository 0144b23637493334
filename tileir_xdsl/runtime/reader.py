"""Reads IR text of any level, and Tile IR bytecode.

The location of every op of a text is the file, line and column at which it starts. Ops of bytecode
have the locations of its debug information.
"""

import bisect
import importlib
import re
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, AttributeInvT, Block, Dialect, Operation, Region, SSAValue
from xdsl.parser import Input, MLIRLexer, Parser, ParserState, UnresolvedOperand
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import MLIRToken, MLIRTokenKind, StringLiteral

from tileir_xdsl import bytecode
from tileir_xdsl.bytecode.container import DEFAULT_MODULE_NAME
from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.levels import EXTENSION_DIALECTS
from tileir_xdsl.nesting import MAX_NESTING, TOO_DEEP, room_for
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import CodeError, InputError
from tileir_xdsl.runtime.files import read_bytes, text_of
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.universe import UNIVERSE
from tileir_xdsl.walking import ops_in

if TYPE_CHECKING:
    from tileir_xdsl.extension_parts import KnownDialect


def new_context(extensions: Sequence[str] = ()) -> Context:
    """A context with the dialects of this package, of xDSL and of extensions, loaded on first use.

    Raises InputError for an unknown or invalid extension.
    """
    know_extensions(extensions)
    context = Context()
    # Not what `xdsl-opt` asks for other plug-ins: reading the metadata of packages takes longer
    # than compiling a small kernel, and no pass knows their ops.
    for universe in (XDSL_UNIVERSE, UNIVERSE):
        for name, factory in universe.all_dialects.items():
            context.register_dialect(name, factory)
    register_extensions(context)
    return context


def know_extensions(names: Sequence[str]) -> None:
    """Registers the dialects, ops and targets of extensions in this process.

    Raises InputError for an unknown or invalid extension.
    """
    if names:
        # Only who names extensions imports them.
        with errors_in("extensions"):
            importlib.import_module("tileir_xdsl.extensions.registry").load(names)


def register_extensions(context: Context) -> None:
    """Registers the dialects of extensions in a context that lacks them."""
    for (_, name), known in EXTENSION_DIALECTS.items():
        if name not in context.registered_dialect_names:
            context.register_dialect(name, partial(_dialect, known))


def _dialect(known: "KnownDialect") -> Dialect:
    return known.dialect


_MOST_DIGITS = sys.int_info.default_max_str_digits
"""The most digits of an integer that Python parses; integers of all types have fewer."""


_UNFORMATTED = "{first_char}"
"""The message of xDSL for a missing identifier."""


class LinearTimeLexer(MLIRLexer):
    """xDSL's lexer without its exponential time on an unclosed string literal.

    A literal with escapes is text if it is UTF-8, since xDSL prints non-ASCII text with escapes. A
    lone `%` and an integer that Python does not parse are errors at their location.
    """

    # The pattern of the base class with possessive repetition, which never looks back.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def lex(self) -> MLIRToken:
        try:
            token = super().lex()
        except ParseError as error:
            if _UNFORMATTED not in error.msg:
                raise
            letter = self.input.at(error.span.start)
            raise ParseError(error.span, f"expected an identifier after '{letter}'") from error
        if token.kind is MLIRTokenKind.BYTES_LIT and _is_text(token.span):
            return Token(MLIRTokenKind.STRING_LIT, token.span)
        # A number, `%value#1`, or a name that is a number.
        if token.span.end - token.span.start > _MOST_DIGITS:
            _check_digits(token.span, token.text.lstrip("%#!^"))
        return token


def _is_text(span: Span) -> bool:
    try:
        StringLiteral.from_span(span).bytes_contents.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check_digits(span: Span[str], text: str) -> None:
    """Raises ParseError for an integer that Python does not parse."""
    if text.isdecimal() and len(text) > _MOST_DIGITS:
        raise ParseError(span, f"an integer of {len(text)} digits is out of range")


# Errors of invalid types, attributes and literals: xDSL does not say where.
_NOT_LOCATED = (VerifyException, ValueError, ArithmeticError, NotImplementedError)


class LocatingParser(Parser):
    """xDSL's parser, which also records the start of each op, and the location of invalid types.

    At the top level, names of `cuda_tile` ops need no prefix, since disassemblers omit the module
    line. Aliases may be used before their definition, as in locations printed by disassemblers and
    MLIR.
    """

    _alias_name = re.compile(r"[#!][A-Za-z_][\w$]*(?![\w$.])")
    _alias_definition = re.compile(r"^[#!][A-Za-z_][\w$]* *=.*", re.MULTILINE)

    def __init__(self, context: Context, text: str, name: str):
        super().__init__(context, "", name)
        dialect_stack = [cuda_tile.CudaTile.name, *self._parser_state.dialect_stack]
        self._parser_state = ParserState(LinearTimeLexer(Input(text, name)), dialect_stack)
        self._file = StringAttr(name)
        self._start = 0
        self._first_uses: dict[str, int] = {}
        self._line_starts = [0, *(i + 1 for i, letter in enumerate(text) if letter == "\n")]
        self._alias_ends: dict[int, int] = {}
        self._levels = 0
        self._read_aliases(text)

    def _read_aliases(self, text: str) -> None:
        """Parses the definitions of all aliases first, each after the aliases that it uses."""
        definitions = list(self._alias_definition.finditer(text))
        starts = [definition.start() for definition in definitions]
        named = [self._alias_name.findall(definition[0]) for definition in definitions]
        first = {names[0]: n for n, names in reversed(list(enumerate(named)))}
        pending, begun = list(reversed(range(len(starts)))), set[int]()
        while pending:
            number = pending[-1]
            inner = [first[name] for name in named[number][1:] if name in first]
            if number not in begun and not begun.issuperset(inner):
                begun.add(number)
                pending += [other for other in reversed(inner) if other not in begun]
                continue
            begun.add(pending.pop())
            self.resume_from(starts[number])
            self._parse_alias_def()
        self.resume_from(0)

    def resume_from(self, position: int) -> None:
        """Resumes parsing at an offset of the text."""
        self._parser_state.lexer.pos = position
        self._parser_state.current_token = self._parser_state.lexer.lex()

    def _parse_location(self) -> LocationAttr:
        # xDSL prints the metadata of fused locations, such as scopes, but does not read it.
        if not self.parse_optional_keyword("fused"):
            return super()._parse_location()
        metadata: Attribute = NoneAttr()
        if self.parse_optional_punctuation("<"):
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
        locations = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        return FusedLoc(tuple(locations), metadata)

    def _parse_alias_def(self) -> None:
        start = self.pos
        if (end := self._alias_ends.get(start)) is not None:
            self.resume_from(end)
            return
        try:
            super()._parse_alias_def()
        except _NOT_LOCATED as error:
            self.raise_error(str(error), start)
        self._alias_ends[start] = self.pos

    def _location(self, position: int) -> FileLineColLoc:
        line = bisect.bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))

    def _get_op_by_name(self, name: str) -> type[Operation]:
        op_type = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if op_type is None:
            # xDSL would point after the name.
            hint = did_you_mean(name, self._known_names("." in name))
            self.raise_error(f"Operation {name} is not registered{hint}", self._start)
        return op_type

    def _known_names(self, with_dialect: bool) -> set[str]:
        """The names of ops of the dialects in use, or names that need no dialect prefix."""
        names = {op.name for op in self.ctx.loaded_ops}
        if with_dialect:
            return names
        split = (name.partition(".") for name in names)
        return {name for dialect, _, name in split if dialect in self._parser_state.dialect_stack}

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        value = super().resolve_operand(operand, type)
        if operand.operand_name in self.forward_ssa_references:
            self._first_uses.setdefault(operand.operand_name, operand.span.start)
        return value

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        try:
            return super().parse_module(allow_implicit_module)
        except ParseError as error:
            # xDSL finds values without definition at the end, and points there.
            if error.msg.startswith("values used but not defined"):
                for name in self.forward_ssa_references:
                    self.raise_error(f"value %{name} is not defined", self._first_uses[name])
            if error.msg == "Could not parse entire input!":
                self.raise_error("expected an operation", error.span.start)
            raise

    def parse_optional_region(
        self, arguments: Iterable[Parser.Argument] | None = None
    ) -> Region | None:
        if self._levels == MAX_NESTING:
            self.raise_error(TOO_DEEP)
        self._levels += 1
        try:
            with room_for(self._levels):
                # xDSL 0.75 wants a sequence, 0.74 takes any iterable.
                given = None if arguments is None else tuple(arguments)
                return super().parse_optional_region(given)
        finally:
            self._levels -= 1

    def parse_operation(self) -> Operation:
        start = self._start = self.pos
        try:
            op = super().parse_operation()
        except _NOT_LOCATED as error:
            self.raise_error(str(error))
        if isinstance(op.location, UnknownLoc):
            op.location = self._location(start)
        return op


def check_bodies(module: ModuleOp) -> None:
    """Raises `VerifyException` for faults in generic form that xDSL accepts.

    The faults are a module without a body, and a negative number of operands or results.
    """
    for op in ops_in(module):
        for name in ("operandSegmentSizes", "resultSegmentSizes"):
            sizes = op.properties.get(name, op.attributes.get(name))
            if isinstance(sizes, DenseArrayBase) and min(sizes.iter_values(), default=0) < 0:
                failure = VerifyException(f"'{op.name}' op expected '{name}' of 0 or more")
                op.emit_error(str(failure), failure)
        if isinstance(op, ModuleOp) and len(op.body.blocks) != 1:
            failure = VerifyException(
                f"'{op.name}' op region #0 ('bodyRegion') failed to verify constraint: "
                "region with 1 blocks"
            )
            op.emit_error(str(failure), failure)


def in_tile_module(module: ModuleOp) -> ModuleOp:
    """Moves `cuda_tile` ops outside of a `cuda_tile.module` into a new one."""
    loose = [
        op
        for op in module.body.block.ops
        if op.dialect_name() == cuda_tile.CudaTile.name and not isinstance(op, cuda_tile.ModuleOp)
    ]
    if loose:
        block = Block()
        for op in loose:
            op.detach()
            block.add_op(op)
        # The name that a module read from bytecode has, too.
        module.body.block.add_op(cuda_tile.ModuleOp(DEFAULT_MODULE_NAME, Region(block)))
    return module


def parse_text(
    context: Context, text: str, file: str, allow_implicit_module: bool = True
) -> ModuleOp:
    """Parses IR text; `file` is the name in locations and diagnostics.

    Raises xDSL's ParseError and VerifyException.
    """
    parsed = LocatingParser(context, text, file).parse_module(allow_implicit_module)
    check_bodies(parsed)
    return in_tile_module(parsed)


def read_text(context: Context, text: str, file: str) -> ModuleOp:
    """Parses and verifies IR text; `file` is the name in locations and diagnostics.

    Raises InputError for an error in the text.
    """
    with errors_in(file), room_for():
        module = parse_text(context, text, file)
        module.verify()
        return module


def read_bytecode(data: bytes, file: str) -> ModuleOp:
    """Reads and verifies Tile IR bytecode; `file` is its name in diagnostics.

    Raises InputError for an error in the bytes.
    """
    with errors_in(file, causes={bytecode.BytecodeError: CodeError}), room_for():
        try:
            module = bytecode.read(data)
        except bytecode.BytecodeError as error:
            place = None if error.location is None else location_text(error.location)
            if place is None:
                raise
            # The user knows a line, and no section of the bytes.
            raise CodeError(place, error.message) from None
        module.verify()
        return module


def read_file(context: Context, file: str) -> ModuleOp:
    """Reads and verifies a file, or the standard input for `-`, which holds text or bytecode.

    Raises InputError if there is no such file, or for an error in its contents.
    """
    return read_contents(context, *read_bytes(file))


def read_contents(context: Context, contents: bytes, file: str) -> ModuleOp:
    """Reads and verifies the contents of a file, which are text or bytecode.

    Raises InputError for an error in the contents.
    """
    if bytecode.is_bytecode(contents):
        return read_bytecode(contents, file)
    if b"\0" in contents:
        raise InputError(file, "the file is neither Tile IR bytecode nor text")
    with errors_in(file):
        text = text_of(contents)
    return read_text(context, text, file)
