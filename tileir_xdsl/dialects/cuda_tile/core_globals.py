"""Core operations on global variables.

Source: Tile IR specification, section 8.3 (core).
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Operation
from xdsl.irdl import opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    Pure,
    SymbolOpInterface,
    SymbolTable,
)

from tileir_xdsl.dialects.cuda_tile.control_flow import ParentOneOf
from tileir_xdsl.dialects.cuda_tile.core import (
    CONSTANT_VALUE,
    DENSE_CONSTANT,
    SYMBOL_NAME,
    parse_symbol_name,
)
from tileir_xdsl.dialects.cuda_tile.enums import SymbolVisibilityAttr
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    NON_NEGATIVE_I64,
    POINTER_SCALAR,
    UNIT,
    CudaTileOperation,
    attribute_of,
    cuda_tile_operation,
    tile_type,
)
from tileir_xdsl.dialects.cuda_tile.literals import DenseConstantAttr
from tileir_xdsl.dialects.cuda_tile.parsing import expect
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ATTRIBUTES,
    COLON,
    Directive,
    Flag,
    ParsedOperation,
    Type,
    parse_integer,
)
from tileir_xdsl.dialects.cuda_tile.types import PointerType, TileType
from tileir_xdsl.dialects.enumerations import Visibility as SymbolVisibility
from tileir_xdsl.walking import ancestors

MOST_ALIGNMENT = 1 << 30
"""The largest alignment in bytes; `ptxas` and `tileiras` fail at the next power of two."""


class _Visibility(Directive):
    """`public` or `private`; public is not printed."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        word = parser.parse_optional_keyword_in(list(SymbolVisibility))
        value = SymbolVisibility(word) if word else SymbolVisibility.PUBLIC
        state.properties["visibility"] = SymbolVisibilityAttr(value)

    def print(self, printer: Printer, operation: Operation) -> None:
        assert isinstance(operation, GlobalOp)
        private = operation.visibility.data is SymbolVisibility.PRIVATE
        printer.print_string(" private " if private else " ")

    def describe(self) -> str:
        return f"({'|'.join(SymbolVisibility)})?"


class _SymbolName(Directive):
    """`@name`."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        state.properties["sym_name"] = parse_symbol_name(parser)

    def print(self, printer: Printer, operation: Operation) -> None:
        symbol = operation.properties["sym_name"]
        assert isinstance(symbol, StringAttr)
        printer.print_string(" ")
        printer.print_symbol_name(symbol.data)

    def describe(self) -> str:
        return "@name"


class _Alignment(Directive):
    """`alignment = N`, in bytes; 0 is not printed."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        value = 0
        if parser.parse_optional_keyword("alignment"):
            expect(parser, "=")
            value = parse_integer(parser)
        state.properties["alignment"] = IntegerAttr(value, i64)

    def print(self, printer: Printer, operation: Operation) -> None:
        assert isinstance(operation, GlobalOp)
        if alignment := operation.alignment.value.data:
            printer.print_string(f" alignment = {alignment}")

    def describe(self) -> str:
        return "(alignment = N)?"


@cuda_tile_operation
class GlobalOp(CudaTileOperation):
    """A variable in global memory, initialised when the module is loaded.

    Section 8.3.11. `alignment` is in bytes (0: natural). Bytecode 13.3 added `constant` and
    `visibility`.
    """

    name = "cuda_tile.global"

    sym_name = prop_def(SYMBOL_NAME)
    value = prop_def(DENSE_CONSTANT)
    alignment = opt_prop_def(NON_NEGATIVE_I64, IntegerAttr(0, i64))
    constant = opt_prop_def(UNIT)
    visibility = opt_prop_def(
        attribute_of("symbol visibility", SymbolVisibilityAttr),
        SymbolVisibilityAttr(SymbolVisibility.PUBLIC),
    )

    traits = traits_def(SymbolOpInterface())
    RELATIONS: ClassVar = (ParentOneOf(("cuda_tile.module",)),)
    SYNTAX: ClassVar = (
        _Visibility(),
        Flag("constant"),
        _SymbolName(),
        _Alignment(),
        ATTRIBUTES,
        CONSTANT_VALUE,
    )

    def __init__(
        self,
        sym_name: str,
        value: DenseConstantAttr,
        *,
        alignment: int = 0,
        constant: bool = False,
        visibility: SymbolVisibility = SymbolVisibility.PUBLIC,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(sym_name),
                "value": value,
                "alignment": IntegerAttr(alignment, i64),
                "constant": UnitAttr() if constant else None,
                "visibility": SymbolVisibilityAttr(visibility),
            }
        )

    def verify_operation(self) -> None:
        if self.value.type.get_num_dims() != 1:
            self.fail("type must have rank 1")
        if self.alignment.value.data > MOST_ALIGNMENT:
            self.fail(
                f"'alignment' must be at most {MOST_ALIGNMENT} bytes, but got "
                f"{self.alignment.value.data}"
            )


class _SymbolReference(Directive):
    """`@name`."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        state.properties["name"] = SymbolRefAttr(parse_symbol_name(parser))

    def print(self, printer: Printer, operation: Operation) -> None:
        printer.print_string(" ")
        printer.print_attribute(operation.properties["name"])

    def describe(self) -> str:
        return "@name"


@cuda_tile_operation
class GetGlobalOp(CudaTileOperation):
    """The address of the first element of a global variable. Section 8.3.8."""

    name = "cuda_tile.get_global"

    symbol = prop_def(
        attribute_of("flat symbol reference attribute", SymbolRefAttr), prop_name="name"
    )
    result = result_def(POINTER_SCALAR)

    traits = traits_def(Pure())
    SYNTAX: ClassVar = (_SymbolReference(), ATTRIBUTES, COLON, Type("result"))

    def __init__(self, symbol: str, result_type: TileType):
        super().__init__(properties={"name": SymbolRefAttr(symbol)}, result_types=[result_type])

    def verify_operation(self) -> None:
        module = next((op for op in ancestors(self) if op.has_trait(SymbolTable)), None)
        if module is None:
            return
        symbol = self.symbol.root_reference.data
        target = SymbolTable.lookup_symbol(module, symbol)
        if not isinstance(target, GlobalOp):
            self.fail(f"'{symbol}' does not reference a valid global")
        pointer = tile_type(self.result).element_type
        element = target.value.type.element_type
        if isinstance(pointer, PointerType) and pointer.pointee_type != element:
            self.fail(
                f"pointee type of result type '{pointer}' does not match type '{element}' of the "
                f"global @{symbol}"
            )
