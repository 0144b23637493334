"""Debug information: scopes, and locations inside of scopes.

Source: Tile IR specification, debug info. A location in a scope, which the reference implementation
writes `#cuda_tile.di_loc<LOC in SCOPE>`, is MLIR's fused location: one location, and the scope as
its metadata. A location that came out of inlining is a `CallSiteLoc` of two others.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    StringAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tileir_xdsl.dialects.cuda_tile.types import expect, expect_keyword


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
        expect(parser, "<")
        file_name = parser.parse_str_literal()
        expect_keyword(parser, "in")
        directory = parser.parse_str_literal()
        expect(parser, ">")
        return StringAttr(file_name), StringAttr(directory)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.file_name)
            printer.print_string(" in ")
            printer.print_attribute(self.directory)


@irdl_attr_definition
class DICompileUnitAttr(ParametrizedAttribute):
    """`#cuda_tile.di_compile_unit<file = FILE>`: what was compiled at once."""

    name = "cuda_tile.di_compile_unit"

    file: DIFileAttr

    def __init__(self, file: DIFileAttr):
        super().__init__(file)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        expect(parser, "<")
        file = _parse_field(parser, "file")
        expect(parser, ">")
        return (file,)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("file = ")
            printer.print_attribute(self.file)


class DILocalScopeAttr(ParametrizedAttribute, ABC):
    """The scope of a location: a function, or a block inside of one."""


@irdl_attr_definition
class DISubprogramAttr(DILocalScopeAttr):
    """`#cuda_tile.di_subprogram<file = .., line = 4, name = "f", linkageName = "f", ..>`.

    A function: where it is declared, its name in the source and as a symbol, and the line at which
    its body starts (`scopeLine`; 0: not known).
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
        expect(parser, "<")
        file = _parse_field(parser, "file")
        expect(parser, ",")
        line = _parse_number(parser, "line")
        expect(parser, ",")
        source_name = _parse_field(parser, "name")
        expect(parser, ",")
        linkage_name = _parse_field(parser, "linkageName")
        expect(parser, ",")
        compile_unit = _parse_field(parser, "compileUnit")
        scope_line = IntAttr(0)
        if parser.parse_optional_punctuation(","):
            scope_line = _parse_number(parser, "scopeLine")
        expect(parser, ">")
        return file, line, source_name, linkage_name, compile_unit, scope_line

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("file = ")
            printer.print_attribute(self.file)
            printer.print_string(f", line = {self.line.data}, name = ")
            printer.print_attribute(self.source_name)
            printer.print_string(", linkageName = ")
            printer.print_attribute(self.linkage_name)
            printer.print_string(", compileUnit = ")
            printer.print_attribute(self.compile_unit)
            if self.scope_line.data:
                printer.print_string(f", scopeLine = {self.scope_line.data}")


@irdl_attr_definition
class DILexicalBlockAttr(DILocalScopeAttr):
    """`#cuda_tile.di_lexical_block<scope = .., file = .., line = 5[, column = 2]>`."""

    name = "cuda_tile.di_lexical_block"

    scope: Attribute
    file: DIFileAttr
    line: IntAttr
    column: IntAttr

    def __init__(self, scope: DILocalScopeAttr, file: DIFileAttr, line: int, column: int = 0):
        super().__init__(scope, file, IntAttr(line), IntAttr(column))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        expect(parser, "<")
        scope = _parse_field(parser, "scope")
        expect(parser, ",")
        file = _parse_field(parser, "file")
        expect(parser, ",")
        line = _parse_number(parser, "line")
        column = IntAttr(0)
        if parser.parse_optional_punctuation(","):
            column = _parse_number(parser, "column")
        expect(parser, ">")
        return scope, file, line, column

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("scope = ")
            printer.print_attribute(self.scope)
            printer.print_string(", file = ")
            printer.print_attribute(self.file)
            printer.print_string(f", line = {self.line.data}")
            if self.column.data:
                printer.print_string(f", column = {self.column.data}")


def _parse_field(parser: AttrParser, keyword: str) -> Attribute:
    expect_keyword(parser, keyword)
    expect(parser, "=")
    return parser.parse_attribute()


def _parse_number(parser: AttrParser, keyword: str) -> IntAttr:
    expect_keyword(parser, keyword)
    expect(parser, "=")
    return IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))


def location_in_scope(
    file_name: str, line: int, column: int, scope: DILocalScopeAttr
) -> LocationAttr:
    """The location `file_name:line:column` in `scope`, both counted as the front end does."""
    location = FileLineColLoc(StringAttr(file_name), IntAttr(line), IntAttr(column))
    return FusedLoc((location,), scope)


def scoped_location(location: Attribute) -> tuple[FileLineColLoc, DILocalScopeAttr] | None:
    """File location and scope of what `location_in_scope` made; None for other locations."""
    if not isinstance(location, FusedLoc) or not isinstance(location.metadata, DILocalScopeAttr):
        return None
    locations = location.locations
    assert isinstance(locations, ArrayAttr)
    match locations.data:
        case (FileLineColLoc() as inner,):
            return inner, location.metadata
        case _:
            return None
