"""Debug information: scopes, and locations inside of scopes.

Source: Tile IR specification, debug info. A location in a scope, which the reference implementation
writes `#cuda_tile.di_loc<LOC in SCOPE>`, is MLIR's fused location: one location, and the scope as
its metadata. The location of inlined code is a `CallSiteLoc` of two other locations.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.parsing import (
    Parameter,
    expect,
    expect_keyword,
    parse_kind,
    parse_nested,
    parse_struct,
    parse_unsigned,
)
from tileir_xdsl.dialects.cuda_tile.reporting import fail_at
from tileir_xdsl.dialects.source_locations import SourceScope
from tileir_xdsl.walking import ops_in


@irdl_attr_definition
class DIFileAttr(ParametrizedAttribute):
    """`#cuda_tile.di_file<"kernel.py" in "/home/user">`: a source file."""

    name = "cuda_tile.di_file"

    file_name: StringAttr
    directory: StringAttr

    def __init__(self, file_name: str, directory: str):
        super().__init__(StringAttr(file_name), StringAttr(directory))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return _parse_pair(parser, "CudaTile_DIFileAttr", (_string("name"), _string("directory")))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.file_name)
            printer.print_string(" in ")
            printer.print_attribute(self.directory)


@irdl_attr_definition
class DICompileUnitAttr(ParametrizedAttribute):
    """`#cuda_tile.di_compile_unit<file = FILE>`: a unit of compilation."""

    name = "cuda_tile.di_compile_unit"

    file: DIFileAttr

    def __init__(self, file: DIFileAttr):
        super().__init__(file)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return parse_struct(parser, "CudaTile_DICompileUnitAttr", (_FILE,))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("file = ")
            self.file.print_parameters(printer)


class DILocalScopeAttr(SourceScope, ABC):
    """The scope of a location: a function, or a block inside of one."""


@irdl_attr_definition
class DISubprogramAttr(DILocalScopeAttr):
    """`#cuda_tile.di_subprogram<file = .., line = 4, name = "f", linkageName = "f", ..>`.

    A function: where it is declared, its name in the source and as a symbol. `scopeLine` is the
    line at which its body starts; 0 if unknown.
    """

    name = "cuda_tile.di_subprogram"

    file: DIFileAttr
    line: IntAttr
    source_name: StringAttr
    linkage_name: StringAttr
    compile_unit: DICompileUnitAttr
    scope_line: IntAttr

    def __init__(
        self,
        file: DIFileAttr,
        line: int,
        source_name: str,
        linkage_name: str,
        compile_unit: DICompileUnitAttr,
        scope_line: int = 0,
    ):
        super().__init__(
            file,
            IntAttr(line),
            StringAttr(source_name),
            StringAttr(linkage_name),
            compile_unit,
            IntAttr(scope_line),
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        parameters = (
            _FILE,
            _LINE,
            _string("name"),
            _string("linkageName"),
            _COMPILE_UNIT,
            Parameter("scopeLine", "unsigned", parse_unsigned, IntAttr(0)),
        )
        return parse_struct(parser, "CudaTile_DISubprogramAttr", parameters)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("file = ")
            self.file.print_parameters(printer)
            printer.print_string(f", line = {self.line.data}, name = ")
            printer.print_attribute(self.source_name)
            printer.print_string(", linkageName = ")
            printer.print_attribute(self.linkage_name)
            printer.print_string(", compileUnit = ")
            self.compile_unit.print_parameters(printer)
            if self.scope_line.data:
                printer.print_string(f", scopeLine = {self.scope_line.data}")

    @property
    def function_name(self) -> str:
        return self.source_name.data


@irdl_attr_definition
class DILexicalBlockAttr(DILocalScopeAttr):
    """`#cuda_tile.di_lexical_block<scope = .., file = .., line = 5[, column = 2]>`.

    A block inside of a function or of another block.
    """

    name = "cuda_tile.di_lexical_block"

    scope: Attribute
    file: DIFileAttr
    line: IntAttr
    column: IntAttr

    def __init__(self, scope: DILocalScopeAttr, file: DIFileAttr, line: int, column: int = 0):
        super().__init__(scope, file, IntAttr(line), IntAttr(column))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        parameters = (
            _SCOPE,
            _FILE,
            _LINE,
            Parameter("column", "unsigned", parse_unsigned, IntAttr(0)),
        )
        return parse_struct(parser, "CudaTile_DILexicalBlockAttr", parameters)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("scope = ")
            printer.print_attribute(self.scope)
            printer.print_string(", file = ")
            self.file.print_parameters(printer)
            printer.print_string(f", line = {self.line.data}")
            if self.column.data:
                printer.print_string(f", column = {self.column.data}")

    @property
    def function_name(self) -> str:
        return subprogram_of(self).function_name


@irdl_attr_definition
class DILocAttr(ParametrizedAttribute):
    """`#cuda_tile.di_loc<LOC in SCOPE>`: a location in a scope.

    The attribute exists in text only: parsing it returns the fused location that it abbreviates.
    """

    name = "cuda_tile.di_loc"

    location: Attribute
    scope: Attribute

    @classmethod
    def new(cls, params: Sequence[Attribute]) -> Self:
        location, scope = params
        # xDSL takes none but its own locations, and builds what it has parsed with this method.
        return cast(Self, FusedLoc((location,), scope))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        source = Parameter("sourceLoc", "FileLineColLoc", lambda p: parse_kind(p, LocationAttr))
        return _parse_pair(parser, "CudaTile_DILocAttr", (source, _SCOPE))


def _string(name: str) -> Parameter:
    return Parameter(name, "StringAttr", lambda parser: parse_kind(parser, StringAttr))


_FILE = Parameter("file", "DIFileAttr", lambda parser: parse_nested(parser, DIFileAttr))
_COMPILE_UNIT = Parameter(
    "compileUnit", "DICompileUnitAttr", lambda parser: parse_nested(parser, DICompileUnitAttr)
)
_SCOPE = Parameter("scope", "DILocalScopeAttr", lambda parser: parse_kind(parser, DILocalScopeAttr))
_LINE = Parameter("line", "unsigned", parse_unsigned)


def _parse_pair(
    parser: AttrParser, attribute: str, parameters: tuple[Parameter, Parameter]
) -> Sequence[Attribute]:
    """Parses `<FIRST in SECOND>`."""
    expect(parser, "<")
    first = parameters[0].parse(parser, attribute)
    expect_keyword(parser, "in")
    second = parameters[1].parse(parser, attribute)
    expect(parser, ">")
    return first, second


def scope_of(location: Attribute) -> DILocalScopeAttr | None:
    """The scope of a location; of an inlined location, that of the caller. Searches named and fused
    locations.
    """
    match location:
        case CallSiteLoc(caller=caller):
            return scope_of(caller)
        case NameLoc(location=child):
            return scope_of(child)
        case FusedLoc(metadata=DILocalScopeAttr() as scope):
            return scope
        case FusedLoc(locations=ArrayAttr(data=locations)):
            return next((s for s in map(scope_of, locations) if s is not None), None)
        case _:
            return None


def subprogram_of(scope: DILocalScopeAttr) -> DILocalScopeAttr:
    """The function around a scope."""
    while isinstance(scope, DILexicalBlockAttr):
        assert isinstance(scope.scope, DILocalScopeAttr)
        scope = scope.scope
    return scope


def verify_function_scopes(function: Operation, name: str) -> None:
    """Raises `VerifyException` unless the scopes in `function` are those of a function `name`."""
    if isinstance(function.location, CallSiteLoc):
        raise VerifyException(
            f"'{function.name}' op invalid function debug info location: {function.location}. "
            "Function location must not be a CallSiteLoc."
        )
    scope = scope_of(function.location)
    if scope is not None:
        invalid = f"'{function.name}' op invalid function debug info scope: {scope}."
        if not isinstance(scope, DISubprogramAttr):
            raise VerifyException(
                f"{invalid} Function location must have cuda_tile.di_subprogram debug info scope."
            )
        if scope.linkage_name.data != name:
            raise VerifyException(
                f'{invalid} Function name "{name}" does not match subprogram scope linkage name '
                f'"{scope.linkage_name.data}".'
            )
    for operation in ops_in(function):
        if not isinstance(operation.location, UnknownLoc | FileLineColLoc):
            _verify_operation_scope(operation, scope)


def _verify_operation_scope(operation: Operation, function: DILocalScopeAttr | None) -> None:
    inner = scope_of(operation.location)
    if inner is None:
        return
    if function is None:
        fail_at(
            operation,
            f"invalid operation debug info scope: {inner}. Operation has debug info scope, but "
            "function debug info scope is undefined.",
        )
    if subprogram_of(inner) != function:
        fail_at(
            operation,
            f"invalid operation debug info scope: {subprogram_of(inner)}. Operation debug info "
            f"scope does not match function debug info scope: {function}.",
        )


def verify_no_scope(item: Operation) -> None:
    """Raises `VerifyException` if an item that is not a function has a scope."""
    if (scope := scope_of(item.location)) is not None:
        fail_at(
            item,
            f"invalid operation debug info scope: {scope}. Global variables must not have scope.",
        )


def location_in_scope(
    file_name: str, line: int, column: int, scope: DILocalScopeAttr
) -> LocationAttr:
    """The location `file_name:line:column` in `scope`; line and column are stored unchanged."""
    location = FileLineColLoc(StringAttr(file_name), IntAttr(line), IntAttr(column))
    return FusedLoc((location,), scope)


def scoped_location(location: Attribute) -> tuple[FileLineColLoc, DILocalScopeAttr] | None:
    """File location and scope of a location from `location_in_scope`; None for other locations."""
    if not isinstance(location, FusedLoc) or not isinstance(location.metadata, DILocalScopeAttr):
        return None
    locations = location.locations
    assert isinstance(locations, ArrayAttr)
    match locations.data:
        case (FileLineColLoc() as inner,):
            return inner, location.metadata
        case _:
            return None
