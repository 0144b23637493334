"""From bytecode to IR.

Operations, values and blocks are built while they are read, without text in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    LocationAttr,
    StringAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.bytecode.attributes import read_attribute
from tileir_xdsl.bytecode.container import DEFAULT_MODULE_NAME, Section, read_container
from tileir_xdsl.bytecode.debug_info import DebugInfoReader, FunctionLocations
from tileir_xdsl.bytecode.encoding import Cursor
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.bytecode.operation_encoding import (
    OperationEncoding,
    SegmentEncoding,
    encodings,
)
from tileir_xdsl.bytecode.operations import OPERATIONS
from tileir_xdsl.bytecode.slots import AllFalse
from tileir_xdsl.bytecode.tables import ReadTables
from tileir_xdsl.bytecode.types import read_enumerated
from tileir_xdsl.bytecode.version import V13_3, V13_5
from tileir_xdsl.dialects.cuda_tile import (
    EntryOp,
    GlobalOp,
    ModuleOp,
    OptimizationHintsAttr,
    SymbolVisibility,
    SymbolVisibilityAttr,
    TileType,
)
from tileir_xdsl.dialects.cuda_tile.definition import SEGMENT_SIZES, Arity
from tileir_xdsl.dialects.cuda_tile.pointer_accesses import TOKEN_TYPE
from tileir_xdsl.nesting import MAX_NESTING, TOO_DEEP, room_for

_OPCODES = {row.opcode: row for row in OPERATIONS}
PREVIEW_CALL = 16386
"""The opcode of a call of a function of a Tile library, a preview feature of `tileiras`."""
_TERMINATORS = frozenset(
    row.operation for row in OPERATIONS if row.operation.has_trait(IsTerminator)
)


class FunctionFlag:
    """Bits of the flags of a function."""

    PRIVATE = 1
    ENTRY = 2
    HINTS = 4
    """Before 13.5: optimization hints follow; since 13.5: the function is defined elsewhere."""


def read(data: bytes, name: str = DEFAULT_MODULE_NAME) -> BuiltinModuleOp:
    """The module in `data`: a `cuda_tile.module @name` in a builtin module.

    Reads every version of `VERSIONS`. The module is well formed, but, as after parsing text, not
    verified yet. Raises `BytecodeError` for bytes that are not bytecode of these versions.
    """
    container = read_container(data)
    tables = ReadTables(container)
    debug_info = DebugInfoReader(container, tables)
    block = Block()
    if (cursor := container.cursor(Section.GLOBAL)) is not None:
        block.add_ops(
            [_read_global(cursor, tables, index) for index in range(cursor.count("globals"))]
        )
    cursor = container.cursor(Section.FUNC)
    assert cursor is not None
    for header in _read_functions(cursor, tables, debug_info):
        block.add_op(_read_entry(header, tables))
    tables.check_types()
    module = ModuleOp(name, Region(block))
    if (cursor := container.cursor(Section.PRODUCER)) is not None:
        module.attributes["producer"] = StringAttr(tables.string(cursor))
    return BuiltinModuleOp([module])


def _read_global(cursor: Cursor, tables: ReadTables, index: int) -> GlobalOp:
    start = cursor.position
    name = tables.string(cursor)
    if not name:
        cursor.fail(f"global symbol name at index {index} is empty", start)
    type_ = tables.type(cursor)
    value = tables.constant(cursor, type_)
    start = cursor.position
    alignment = cursor.varint()
    if alignment >> 63:
        cursor.fail(f"alignment {alignment} does not fit in 63 bits", start)
    visibility, constant = SymbolVisibility.PUBLIC, False
    if tables.version >= V13_3:
        start = cursor.position
        visibility = read_enumerated(cursor, list(SymbolVisibility))
        constant = cursor.varint() != 0
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "value": value,
        "alignment": IntegerAttr(alignment, i64),
        "visibility": SymbolVisibilityAttr(visibility),
    }
    if constant:
        properties["constant"] = UnitAttr()
    return GlobalOp.create(properties=properties)


@dataclass(frozen=True)
class _Function:
    """A function whose body has not been read yet: `body` covers its bytes."""

    properties: dict[str, Attribute]
    locations: FunctionLocations
    body: Cursor


def _read_functions(
    cursor: Cursor, tables: ReadTables, debug_info: DebugInfoReader
) -> list[_Function]:
    start = cursor.position
    count = cursor.varint()
    if count > cursor.remaining:
        cursor.fail(
            f"number of functions ({count}) exceeds payload size ({cursor.remaining})", start
        )
    return [_read_function(cursor, tables, debug_info) for _ in range(count)]


def _read_function(cursor: Cursor, tables: ReadTables, debug_info: DebugInfoReader) -> _Function:
    start = cursor.position
    name = tables.string(cursor)
    if not name:
        cursor.fail("function name is empty", start)
    signature = _read_signature(cursor, tables, name)
    start = cursor.position
    flags = cursor.byte()
    if not flags & FunctionFlag.ENTRY:
        cursor.fail(f"un-expected non-entry function '{name}'", start)
    if flags & FunctionFlag.PRIVATE:
        cursor.fail("entry op must have public symbol visibility", start)
    is_newest = tables.version >= V13_5
    allowed = FunctionFlag.ENTRY if is_newest else FunctionFlag.ENTRY | FunctionFlag.HINTS
    if flags & ~allowed:
        cursor.fail(f"unsupported flags {flags:#x} of function '{name}'", start)
    locations = debug_info.function(cursor)
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "function_type": signature,
    }
    if is_newest or flags & FunctionFlag.HINTS:
        start = cursor.position
        hints = read_attribute(cursor, tables)
        if not isinstance(hints, OptimizationHintsAttr):
            cursor.fail(f"invalid optimization hints attribute for function '{name}'", start)
        if hints.value.data:
            properties["optimization_hints"] = hints
    if is_newest:
        start = cursor.position
        argument_attributes = read_attribute(cursor, tables)
        if not isinstance(argument_attributes, ArrayAttr):
            cursor.fail(f"invalid argument attributes for function '{name}'", start)
        if argument_attributes.data:
            properties["arg_attrs"] = argument_attributes
    start = cursor.position
    length = cursor.varint()
    if length > cursor.remaining:
        cursor.fail(
            f"function body length {length} exceeds remaining bytecode data "
            f"({cursor.remaining} bytes)",
            start,
        )
    position = cursor.position
    cursor.position += length
    body = Cursor(cursor.data, position, cursor.position, f"{cursor.section}, body of '{name}'")
    return _Function(properties, locations, body)


def _read_signature(cursor: Cursor, tables: ReadTables, name: str) -> FunctionType:
    start = cursor.position
    signature = tables.type(cursor)
    if not isinstance(signature, FunctionType):
        cursor.fail(
            f"function signature does not refer to a function type for function '{name}', "
            f"got type: {signature}",
            start,
        )
    if signature.outputs.data:
        cursor.fail("entry op must not return values", start)
    for index, type_ in enumerate(signature.inputs.data):
        if not isinstance(type_, TileType) or type_.get_shape():
            cursor.fail(
                f"unsupported type in bytecode for entry argument #{index}: '{type_}'; "
                "expected a rank-0 !cuda_tile.tile type",
                start,
            )
    return signature


def _read_entry(function: _Function, tables: ReadTables) -> EntryOp:
    location = function.locations.next(function.body)
    signature = function.properties["function_type"]
    assert isinstance(signature, FunctionType)
    block = Block(arg_types=signature.inputs.data)
    body = _BodyReader(function.body, tables, function.locations)
    body.values.extend(block.args)
    body.read_operations(block, None)
    return EntryOp.create(
        properties=function.properties, regions=[Region(block)], location=location
    )


class _BodyReader:
    """Reads the operations of one function.

    Values are numbered in order; the values of a block lose their numbers at its end.
    """

    def __init__(self, cursor: Cursor, tables: ReadTables, locations: FunctionLocations):
        self.cursor = cursor
        self.tables = tables
        self.locations = locations
        self.encodings = encodings(tables.version)
        self.values: list[SSAValue] = []
        # The regions of the module and of the function.
        self.depth = 2

    def read_operations(self, block: Block, count: int | None) -> None:
        """Reads `count` operations, or those up to the end of the cursor, into `block`."""
        cursor = self.cursor
        operation: Operation | None = None
        if count is None:
            while cursor.position < cursor.end:
                operation = self.read_operation()
                block.add_op(operation)
        else:
            for _ in range(count):
                operation = self.read_operation()
                block.add_op(operation)
        if type(operation) not in _TERMINATORS:
            what = (
                "it is empty"
                if operation is None
                else f"the last operation '{operation.name}' is not a terminator."
            )
            cursor.fail(
                "invalid block structure: block is expected to have a terminator operation, "
                f"but {what}"
            )

    def read_operation(self) -> Operation:
        """Reads an operation with its regions."""
        cursor = self.cursor
        start = cursor.position
        opcode = cursor.varint()
        encoding = self.encodings.get(opcode)
        if encoding is None:
            self.fail_opcode(opcode, start)
        location = self.locations.next(cursor)
        try:
            return self.read_members(encoding, location)
        except VerifyException as error:
            failure = BytecodeError(
                f"'{encoding.operation.name}': {error}", section=cursor.section, offset=start
            )
            failure.location = location
            raise failure from error
        except BytecodeError as error:
            error.location = error.location or location
            raise

    def fail_opcode(self, opcode: int, start: int) -> NoReturn:
        """Raises `BytecodeError` for an opcode that the version does not have."""
        if opcode in _OPCODES:
            message = f"unsupported opcode {opcode} for bytecode version {self.tables.version}"
        elif opcode == PREVIEW_CALL:
            message = (
                f"opcode {opcode}, PreviewCall, is not supported: Tile libraries are not linked"
            )
        else:
            message = f"unknown or unimplemented opcode: {opcode}"
        self.cursor.fail(message, start)

    def read_members(self, encoding: OperationEncoding, location: LocationAttr) -> Operation:
        """Reads everything after the opcode; may raise `VerifyException`."""
        cursor, tables = self.cursor, self.tables
        types = self.read_result_types(encoding)
        flags = self.read_flags(encoding) if encoding.known_flags else 0
        properties: dict[str, Attribute] = {}
        for member in encoding.slots:
            slot = member.slot
            if not member.stored:
                if member.missing is not None:
                    properties[slot.name] = member.missing
            elif not member.flag or flags & member.flag:
                attribute = slot.kind.read(cursor, tables, types)
                if not (isinstance(slot.default, AllFalse) and slot.default.holds(attribute)):
                    properties[slot.name] = attribute
        if encoding.segments is None:
            count = encoding.operand_count
            operands = self.read_values(cursor.count("operands") if count is None else count)
        else:
            operands, lengths = self.read_segments(encoding.segments, flags)
            properties[SEGMENT_SIZES] = DenseArrayBase.from_list(i32, lengths)
        regions = self.read_regions(encoding) if encoding.region_count else ()
        operation = encoding.operation.create(
            operands=operands,
            result_types=types,
            properties=properties,
            location=location,
            regions=regions,
        )
        results = operation.results
        self.values.extend(results[: len(results) - encoding.missing_results])
        return operation

    def read_result_types(self, encoding: OperationEncoding) -> list[Attribute]:
        """Reads the result types, and adds those of results that the version does not have."""
        cursor = self.cursor
        start = cursor.position
        count = cursor.count("results") if encoding.counts_results else encoding.result_count
        expected = encoding.result_count
        if expected is not None:
            expected -= encoding.missing_results
            if count != expected:
                cursor.fail(
                    f"{encoding.operation.name} op expected {expected} results, got {count}", start
                )
        assert count is not None
        types = [self.tables.type(cursor) for _ in range(count)]
        return types + [TOKEN_TYPE] * encoding.missing_results

    def read_flags(self, encoding: OperationEncoding) -> int:
        """Reads the flags; raises `BytecodeError` for a flag that the operation does not have."""
        start = self.cursor.position
        flags = self.cursor.varint()
        if flags & ~encoding.known_flags:
            self.cursor.fail(f"unknown flags {flags:#x}", start)
        return flags

    def read_values(self, count: int) -> list[SSAValue]:
        """Reads `count` operands."""
        cursor, values = self.cursor, self.values
        operands: list[SSAValue] = []
        for number in range(count):
            start = cursor.position
            index = cursor.varint()
            if index >= len(values):
                cursor.fail(
                    f"operand index {index} out of bounds (size={len(values)}) "
                    f"for operand {number}",
                    start,
                )
            operands.append(values[index])
        return operands

    def read_segments(
        self, segments: Sequence[SegmentEncoding], flags: int
    ) -> tuple[list[SSAValue], list[int]]:
        """Reads the operands of every segment; returns them and the length of each segment."""
        operands: list[SSAValue] = []
        lengths: list[int] = []
        for segment in segments:
            if segment.arity is Arity.VARIADIC:
                length = self.cursor.count("operands")
            else:
                length = int(segment.arity is Arity.SINGLE or bool(flags & segment.flag))
            operands += self.read_values(length)
            lengths.append(length)
        return operands, lengths

    def read_regions(self, encoding: OperationEncoding) -> list[Region]:
        """Reads the regions of an operation."""
        cursor = self.cursor
        start = cursor.position
        count = cursor.varint()
        if count != encoding.region_count:
            cursor.fail(
                f"{encoding.operation.name} op expected {encoding.region_count} regions, "
                f"got {count}",
                start,
            )
        if self.depth == MAX_NESTING:
            cursor.fail(TOO_DEEP, start)
        self.depth += 1
        with room_for(self.depth):
            regions = [self.read_region() for _ in range(count)]
        self.depth -= 1
        return regions

    def read_region(self) -> Region:
        """Reads a region of at most one block."""
        cursor, values = self.cursor, self.values
        start = cursor.position
        count = cursor.varint()
        if count > 1:
            cursor.fail(f"expected a region of at most one block, got {count} blocks", start)
        if count == 0:
            return Region()
        first = len(values)
        types = [self.tables.type(cursor) for _ in range(cursor.count("block arguments"))]
        block = Block(arg_types=types)
        values.extend(block.args)
        self.read_operations(block, cursor.count("operations"))
        del values[first:]
        return Region(block)
