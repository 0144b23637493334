"""Core operations: modules, kernels, global variables and the sources of values.

Source: Tile IR specification, section 8.3 (core). The other core operations are in
`core_globals`, `core_elementwise`, `core_shapes`, `core_matrix` and `core_reductions`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    StringAttr,
    i32,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import opt_prop_def, prop_def, region_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    ConstantLike,
    IsolatedFromAbove,
    NoTerminator,
    Pure,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileir_xdsl.dialects.cuda_tile.control_flow import (
    ParentOneOf,
    ReturnOp,
    ensure_terminator,
)
from tileir_xdsl.dialects.cuda_tile.debug_info import verify_function_scopes, verify_no_scope
from tileir_xdsl.dialects.cuda_tile.dominance import verify_dominance
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    I32_SCALAR,
    INTEGER_TILE,
    NUMBER_TILE,
    CudaTileOperation,
    attribute_of,
    cuda_tile_operation,
)
from tileir_xdsl.dialects.cuda_tile.literals import DenseConstantAttr, parse_literal
from tileir_xdsl.dialects.cuda_tile.parsing import expect
from tileir_xdsl.dialects.cuda_tile.regions import (
    parse_function_arguments,
    parse_isolated_region,
    print_function_arguments,
    print_region,
)
from tileir_xdsl.dialects.cuda_tile.reporting import fail_at
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ATTRIBUTES,
    COLON,
    Directive,
    ParsedOperation,
    Type,
    parse_attribute_dictionary,
    print_attribute_dictionary,
)
from tileir_xdsl.dialects.cuda_tile.types import TileType, element_name, parse_type, print_type

SYMBOL_NAME = attribute_of("string attribute", StringAttr)
_PUBLIC = StringAttr("public")


class IsolatedRegion(IsolatedFromAbove):
    """Trait of ops that use no values from above; the dominance check of the op reports uses."""

    def verify(self, op: Operation) -> None:
        pass


class UniqueSymbols(SymbolTable):
    """A symbol table that reports two symbols of one name as MLIR does."""

    def verify(self, op: Operation) -> None:
        names: set[str] = set()
        for item in op.regions[0].block.ops:
            symbol = item.properties.get("sym_name")
            if isinstance(symbol, StringAttr):
                if symbol.data in names:
                    raise VerifyException(
                        f"'{item.name}' op redefinition of symbol named '{symbol.data}'"
                    )
                names.add(symbol.data)


def parse_symbol_name(parser: Parser) -> StringAttr:
    """Parses `@name`."""
    symbol = parser.parse_optional_symbol_name()
    if symbol is None:
        parser.raise_error("expected valid '@'-identifier for symbol name")
    return symbol


@cuda_tile_operation
class ModuleOp(CudaTileOperation):
    """A compilation unit: kernels and global variables. Section 8.3.15."""

    name = "cuda_tile.module"
    FORM: ClassVar = "@name (attributes {..})? { .. }"

    sym_name = prop_def(SYMBOL_NAME)
    body = region_def("single_block")

    traits = traits_def(IsolatedRegion(), NoTerminator(), SymbolOpInterface(), UniqueSymbols())
    RELATIONS: ClassVar = (ParentOneOf(("builtin.module",)),)

    def __init__(self, sym_name: str, body: Region | Sequence[Operation] = ()):
        region = body if isinstance(body, Region) else Region(Block(body))
        super().__init__(properties={"sym_name": StringAttr(sym_name)}, regions=[region])

    @classmethod
    def parse(cls, parser: Parser) -> ModuleOp:
        sym_name = parse_symbol_name(parser)
        attributes: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("attributes"):
            attributes = parse_attribute_dictionary(parser)
        module = cls(sym_name.data, parse_isolated_region(parser))
        module.attributes.update(attributes)
        return module

    def verify_regions(self) -> None:
        for item in self.body.block.ops:
            # All items are symbols, and nothing else is.
            if not item.has_trait(SymbolOpInterface):
                fail_at(
                    item,
                    f"'{item.name}' op only function and global ops are allowed in the body of "
                    f"'{self.name}'",
                )
            if not isinstance(item, FunctionOperation):
                verify_no_scope(item)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        print_attribute_dictionary(printer, self.attributes, keyword=True)
        print_region(printer, self.body)


class FunctionOperation(CudaTileOperation):
    """A function: a symbol whose isolated body takes the arguments of `function_type`."""

    sym_name = prop_def(SYMBOL_NAME)
    function_type = prop_def(attribute_of("type attribute of function type", FunctionType))
    arg_attrs = opt_prop_def(attribute_of("Array of dictionary attributes", ArrayAttr))
    res_attrs = opt_prop_def(attribute_of("Array of dictionary attributes", ArrayAttr))
    body = region_def("single_block")

    traits = traits_def(IsolatedRegion(), SymbolOpInterface())
    RELATIONS: ClassVar = (ParentOneOf(("cuda_tile.module",)),)

    def verify_operation(self) -> None:
        expected, given = len(self.function_type.inputs), self.arg_attrs
        if given is not None and len(given) != expected:
            self.fail(
                "expects argument attribute array to have the same number of elements as the "
                f"number of function arguments, got {len(given)}, but expected {expected}"
            )
        for attributes in () if given is None else given.data:
            if isinstance(attributes, DictionaryAttr) and not all(
                "." in n for n in attributes.data
            ):
                self.fail("arguments may only have dialect attributes")

    def verify_regions(self) -> None:
        verify_dominance(self.body)
        verify_function_scopes(self, self.sym_name.data)


@cuda_tile_operation
class EntryOp(FunctionOperation):
    """A kernel; every tile block of the grid runs it once. Section 8.3.6.

    Arguments are scalars: pointers, sizes and strides.
    """

    name = "cuda_tile.entry"
    FORM: ClassVar = "@name(%argument: TYPE ({..})?, ..) (optimization_hints=<..>)? { .. } ({..})?"

    optimization_hints = opt_prop_def(attribute_of("optimization hints", OptimizationHintsAttr))

    def __init__(
        self,
        sym_name: str,
        body: Region,
        optimization_hints: OptimizationHintsAttr | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(sym_name),
                "function_type": FunctionType.from_lists(body.block.arg_types, ()),
                "optimization_hints": optimization_hints,
            },
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> EntryOp:
        sym_name = parse_symbol_name(parser)
        arguments, argument_attributes = parse_function_arguments(parser)
        results = [parse_type(parser)] if parser.parse_optional_punctuation("->") else []
        properties: dict[str, Attribute] = {
            "sym_name": sym_name,
            "function_type": FunctionType.from_lists([a.type for a in arguments], results),
        }
        if parser.parse_optional_keyword("optimization_hints"):
            expect(parser, "=")
            properties["optimization_hints"] = OptimizationHintsAttr.new(
                OptimizationHintsAttr.parse_parameters(parser)
            )
        if argument_attributes is not None:
            properties["arg_attrs"] = argument_attributes
        body = parse_isolated_region(parser, arguments)
        ensure_terminator(body, ReturnOp)
        attributes = parse_attribute_dictionary(parser)
        return cls.create(
            properties=dict(sorted(properties.items())), regions=[body], attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        print_function_arguments(printer, self.body.block.args, self.arg_attrs)
        if results := self.function_type.outputs.data:
            printer.print_string(" -> ")
            print_type(printer, results[0])
        if self.optimization_hints is not None and self.optimization_hints.value.data:
            printer.print_string(" optimization_hints=")
            self.optimization_hints.print_parameters(printer)
        print_region(printer, self.body)
        print_attribute_dictionary(printer, self.attributes)

    def verify_regions(self) -> None:
        if self.attributes.get("sym_visibility", _PUBLIC) != _PUBLIC:
            self.fail("entry op must have public symbol visibility")
        for argument in self.body.block.args:
            if isinstance(argument.type, TileType) and argument.type.get_shape():
                self.fail("entry op must have scalar types (rank 0 !cuda_tile.tile)")
        if self.function_type.outputs.data:
            self.fail("entry op must not return values")
        super().verify_regions()


class _ConstantValue(Directive):
    """The value and the type of a constant.

    <ELT: V> : T
    """

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        expect(parser, "<")
        literal = parse_literal(parser)
        expect(parser, ">")
        expect(parser, ":")
        constant = literal.to_attribute(parser, parse_type(parser))
        state.properties["value"] = constant
        state.types["result"] = (constant.type,)

    def print(self, printer: Printer, operation: Operation) -> None:
        constant = operation.properties["value"]
        assert isinstance(constant, DenseConstantAttr)
        printer.print_string(" <")
        constant.print_literal(printer)
        printer.print_string("> : ")
        print_type(printer, constant.type)

    def describe(self) -> str:
        return "<ELEMENT: VALUE> : TYPE"


CONSTANT_VALUE = _ConstantValue()
DENSE_CONSTANT = attribute_of("dense constant", DenseConstantAttr)


@cuda_tile_operation
class ConstantOp(CudaTileOperation, HasFolderInterface):
    """A tile whose elements are known at compile time. Section 8.3.5.

    A single number fills the whole tile: `constant <i32: 0> : tile<2xi32>`.
    """

    name = "cuda_tile.constant"

    value = prop_def(DENSE_CONSTANT)
    result = result_def(NUMBER_TILE)

    traits = traits_def(Pure(), ConstantLike())
    SYNTAX: ClassVar = (CONSTANT_VALUE, ATTRIBUTES)

    def __init__(self, value: DenseConstantAttr):
        super().__init__(properties={"value": value}, result_types=[value.type])

    def verify_operation(self) -> None:
        if self.value.type != self.result.type:
            self.fail("failed to verify that all of {value, result} have same type")

    def fold(self) -> Sequence[SSAValue | Attribute]:
        return (self.value,)

    def result_names(self) -> Sequence[str]:
        name = element_name(self.value.type.element_type) or ""
        if not self.value.is_splat:
            return (f"cst_{name}",)
        value = self.value.splat_value
        if isinstance(value, bool):
            return ("true" if value else "false",)
        if math.isnan(value):
            return (f"cst_NaN_{name}",)
        if isinstance(value, float) and not _is_unsigned_integer(value):
            return (f"cst_{name}",)
        return (f"cst_{int(value)}_{name}",)


def _is_unsigned_integer(value: float) -> bool:
    """Whether `value` is exactly an unsigned 64-bit integer; -0.0 is not."""
    return math.copysign(1.0, value) > 0 and value < 1 << 64 and value.is_integer()


@cuda_tile_operation
class IotaOp(CudaTileOperation):
    """The numbers 0, 1, .., n - 1 as a tile of rank 1, read as unsigned. Section 8.3.12."""

    name = "cuda_tile.iota"

    result = result_def(INTEGER_TILE)

    traits = traits_def(Pure())
    SYNTAX: ClassVar = (ATTRIBUTES, COLON, Type("result"))

    def __init__(self, result_type: TileType):
        super().__init__(result_types=[result_type])

    def verify_operation(self) -> None:
        type_ = self.result.type
        assert isinstance(type_, TileType)
        shape = type_.get_shape()
        if len(shape) != 1:
            self.fail("expects result type to be 1-d tile")
        name = element_name(type_.element_type) or ""
        if shape[0] > 1 << int(name[1:]):
            self.fail(
                f"the number of elements {shape[0]} exceeds the maximum value of element type "
                f"'{name}'"
            )


@cuda_tile_operation
class GetTileBlockIdOp(CudaTileOperation):
    """Coordinates of the running tile block in the grid, read as unsigned. Section 8.3.10."""

    name = "cuda_tile.get_tile_block_id"

    block_id_x = result_def(I32_SCALAR)
    block_id_y = result_def(I32_SCALAR)
    block_id_z = result_def(I32_SCALAR)

    traits = traits_def(Pure())
    SYNTAX: ClassVar = (ATTRIBUTES, COLON, Type("block_id_x", "block_id_y", "block_id_z"))
    RESULT_NAMES: ClassVar = ("blockId_x", "blockId_y", "blockId_z")

    def __init__(self):
        super().__init__(result_types=[TileType([], i32)] * 3)


@cuda_tile_operation
class GetNumTileBlocksOp(CudaTileOperation):
    """Extents of the grid in tile blocks; 1 in dimensions that the launch omits. Section 8.3.9."""

    name = "cuda_tile.get_num_tile_blocks"

    grid_size_x = result_def(I32_SCALAR)
    grid_size_y = result_def(I32_SCALAR)
    grid_size_z = result_def(I32_SCALAR)

    traits = traits_def(Pure())
    SYNTAX: ClassVar = (ATTRIBUTES, COLON, Type("grid_size_x", "grid_size_y", "grid_size_z"))
    RESULT_NAMES: ClassVar = ("gridSize_x", "gridSize_y", "gridSize_z")

    def __init__(self):
        super().__init__(result_types=[TileType([], i32)] * 3)
