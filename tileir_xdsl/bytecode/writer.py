"""From IR to bytecode.

Tables list entries in the order of their first use, so equal modules give equal bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from tileir_xdsl.bytecode.attributes import write_attribute
from tileir_xdsl.bytecode.container import Section, write_container
from tileir_xdsl.bytecode.debug_info import DebugInfoWriter
from tileir_xdsl.bytecode.encoding import write_varint
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.bytecode.operation_encoding import (
    OperationEncoding,
    SegmentEncoding,
    SlotEncoding,
    encodings_by_class,
)
from tileir_xdsl.bytecode.operations import OPERATIONS
from tileir_xdsl.bytecode.reader import FunctionFlag
from tileir_xdsl.bytecode.slots import Kind
from tileir_xdsl.bytecode.tables import WriteTables
from tileir_xdsl.bytecode.version import V13_3, V13_5, Version
from tileir_xdsl.dialects.cuda_tile import (
    EntryOp,
    GlobalOp,
    ModuleOp,
    OptimizationHintsAttr,
    SymbolVisibility,
)
from tileir_xdsl.dialects.cuda_tile.definition import SEGMENT_SIZES, Arity, segment_lengths
from tileir_xdsl.nesting import levels_in, room_for

_SINCE: Mapping[type[Operation], Version] = {row.operation: row.since for row in OPERATIONS}


def write(module: BuiltinModuleOp, version: str) -> bytes:
    """The bytecode of the one `cuda_tile.module` in a verified module, for example at `"13.2"`.

    The result has globals and kernels with all that Tile IR defines for them, locations with
    scopes, and, since 13.3, the producer. The format cannot store the name of the module, locations
    without a scope, and discardable attributes.

    Raises `BytecodeError` for a version other than `VERSIONS`, and for ops that the version cannot
    express.
    """
    target = Version.parse(version)
    match list(module.body.ops):
        case [ModuleOp() as tile_module]:
            with room_for(levels_in(module)):
                return _write_module(tile_module, target)
        case _:
            raise BytecodeError("expected a single CUDA Tile IR module in the MLIR module")


def _write_module(module: ModuleOp, version: Version) -> bytes:
    tables = WriteTables(version)
    debug_info = DebugInfoWriter(tables)
    globals_, entries = list[GlobalOp](), list[EntryOp]()
    for operation in module.body.block.ops:
        match operation:
            case GlobalOp():
                globals_.append(operation)
            case EntryOp():
                entries.append(operation)
            case _:
                raise BytecodeError(
                    "only function and global ops are allowed in the body", operation=operation
                )
    payloads: dict[Section, bytes | None] = {
        Section.GLOBAL: _write_globals(globals_, tables),
        Section.FUNC: _write_functions(entries, tables, debug_info),
        Section.CONSTANT: tables.constant_section(),
        Section.DEBUG: debug_info.section(),
        Section.TYPE: tables.type_section(),
        Section.PRODUCER: _write_producer(module, tables),
        Section.STRING: tables.string_section(),
    }
    return write_container(version, {s: p for s, p in payloads.items() if p is not None})


def _write_producer(module: ModuleOp, tables: WriteTables) -> bytes | None:
    producer = module.attributes.get("producer")
    if tables.version < V13_3 or not isinstance(producer, StringAttr):
        return None
    buffer = bytearray()
    write_varint(buffer, tables.string(producer.data))
    return bytes(buffer)


def _write_globals(globals_: Sequence[GlobalOp], tables: WriteTables) -> bytes | None:
    if not globals_:
        return None
    buffer = bytearray()
    write_varint(buffer, len(globals_))
    for operation in globals_:
        try:
            _write_global(buffer, operation, tables)
        except BytecodeError as error:
            raise error.about(operation) from None
    return bytes(buffer)


def _write_global(buffer: bytearray, operation: GlobalOp, tables: WriteTables) -> None:
    version, name = tables.version, operation.sym_name.data
    is_constant = operation.constant is not None
    visibility = operation.visibility.data
    write_varint(buffer, tables.string(name))
    write_varint(buffer, tables.type(operation.value.type))
    write_varint(buffer, tables.constant(operation.value))
    write_varint(buffer, operation.alignment.value.data)
    if version >= V13_3:
        buffer.append(list(SymbolVisibility).index(visibility))
        buffer.append(is_constant)
    elif is_constant:
        raise BytecodeError(
            f"constant global `{name}` cannot be encoded in bytecode version {version} "
            f"(the `constant` attribute requires bytecode {V13_3}+)"
        )
    elif visibility is not SymbolVisibility.PUBLIC:
        raise BytecodeError(
            f"global `{name}` uses non-public symbol visibility, which cannot be encoded in "
            f"bytecode version {version} (requires bytecode {V13_3}+)"
        )


def _write_functions(
    entries: Sequence[EntryOp], tables: WriteTables, debug_info: DebugInfoWriter
) -> bytes:
    buffer = bytearray()
    write_varint(buffer, len(entries))
    for entry in entries:
        try:
            _write_function(buffer, entry, tables, debug_info)
        except BytecodeError as error:
            raise error.about(entry) from None
    return bytes(buffer)


def _write_function(
    buffer: bytearray, entry: EntryOp, tables: WriteTables, debug_info: DebugInfoWriter
) -> None:
    is_newest = tables.version >= V13_5
    hints = entry.optimization_hints or OptimizationHintsAttr({})
    argument_attributes = entry.arg_attrs or ArrayAttr(())
    flags = FunctionFlag.ENTRY
    if hints.value.data and not is_newest:
        flags |= FunctionFlag.HINTS
    location, locations = debug_info.start_function(entry.location)
    write_varint(buffer, tables.string(entry.sym_name.data))
    write_varint(buffer, tables.type(entry.function_type))
    buffer.append(flags)
    write_varint(buffer, location)
    if hints.value.data or is_newest:
        write_attribute(buffer, tables, hints)
    if is_newest:
        write_attribute(buffer, tables, argument_attributes)
    elif argument_attributes.data:
        raise BytecodeError(
            f"argument attributes require bytecode version {V13_5}+, targeting {tables.version}"
        )
    body = _BodyWriter(tables, debug_info, locations)
    body.number(entry.body.block.args)
    body.write_operations(entry.body.block)
    write_varint(buffer, len(body.buffer))
    buffer += body.buffer


class _BodyWriter:
    """Writes the operations of one function.

    Values are numbered in order; the numbers of a block's values are reused after its end.
    """

    def __init__(
        self, tables: WriteTables, debug_info: DebugInfoWriter, locations: list[int] | None
    ):
        self.buffer = bytearray()
        self.tables = tables
        self.debug_info = debug_info
        self.locations = locations
        self.encodings = encodings_by_class(tables.version)
        self.numbers: dict[SSAValue, int] = {}
        self.next_number = 0

    def number(self, values: Sequence[SSAValue]) -> None:
        """Gives the next numbers to `values`."""
        for value in values:
            self.numbers[value] = self.next_number
            self.next_number += 1

    def write_operations(self, block: Block) -> None:
        """Writes the operations of a block; raises `BytecodeError` that names the operation."""
        for operation in block.ops:
            try:
                self.write_operation(operation)
            except BytecodeError as error:
                raise error.about(operation) from None

    def write_operation(self, operation: Operation) -> None:
        """Writes an operation with its regions."""
        encoding = self.encodings.get(type(operation))
        if encoding is None:
            self.fail_operation(operation)
        buffer, tables = self.buffer, self.tables
        if self.locations is not None:
            self.locations.append(self.debug_info.location(operation.location))
        write_varint(buffer, encoding.row.opcode)
        results = operation.results
        if encoding.missing_results:
            results = self.known_results(operation, encoding)
        if encoding.counts_results:
            write_varint(buffer, len(results))
        for result in results:
            write_varint(buffer, tables.type(result.type))

        flags = 0
        attributes: list[tuple[Kind, Attribute]] = []
        for member in encoding.slots:
            attribute = self.attribute(operation, member)
            if attribute is not None:
                flags |= member.flag
                attributes.append((member.slot.kind, attribute))
        operands = self.operands(operation)
        segments: list[tuple[SegmentEncoding, Sequence[int]]] = []
        if encoding.segments is not None:
            segments = self.segments(operation, encoding, encoding.segments, operands)
            for segment, values in segments:
                if values:
                    flags |= segment.flag
        if encoding.known_flags:
            write_varint(buffer, flags)
        for kind, attribute in attributes:
            kind.write(buffer, tables, attribute)
        if encoding.segments is None:
            if encoding.operand_count is None:
                write_varint(buffer, len(operands))
            for number in operands:
                write_varint(buffer, number)
        for segment, values in segments:
            if segment.arity is Arity.VARIADIC:
                write_varint(buffer, len(values))
            for number in values:
                write_varint(buffer, number)
        if encoding.region_count:
            write_varint(buffer, len(operation.regions))
            for region in operation.regions:
                self.write_region(region)
        self.number(results)

    def fail_operation(self, operation: Operation) -> NoReturn:
        """Raises `BytecodeError` for an operation that the version does not have."""
        since = _SINCE.get(type(operation))
        if since is None:
            raise BytecodeError("only ops from the 'cuda_tile' dialect are allowed")
        raise BytecodeError(f"requires bytecode version {since}+, targeting {self.tables.version}")

    def known_results(
        self, operation: Operation, encoding: OperationEncoding
    ) -> Sequence[OpResult]:
        """The results that the version has; raises `BytecodeError` if other results are used."""
        known = len(operation.results) - encoding.missing_results
        for result in operation.results[known:]:
            if result.first_use is not None:
                name = encoding.operation.DEFINITION.results[result.index].name
                raise BytecodeError(
                    f"result '{name}' is used but requires bytecode version "
                    f"{encoding.row.younger[name]}+, targeting {self.tables.version}"
                )
        return operation.results[:known]

    def attribute(self, operation: Operation, member: SlotEncoding) -> Attribute | None:
        """The attribute to store or None; raises `BytecodeError` if the version cannot store it."""
        slot = member.slot
        attribute = operation.properties.get(slot.name)
        if not member.stored:
            if attribute is None or (slot.default is not None and slot.default.holds(attribute)):
                return None
            raise BytecodeError(
                f"attribute '{slot.name}' requires bytecode version {slot.since}+, "
                f"but targeting {self.tables.version}"
            )
        if attribute is None and not slot.optional:
            if slot.default is None:
                raise BytecodeError(f"requires attribute '{slot.name}'")
            return slot.default.value(operation)
        return attribute

    def operands(self, operation: Operation) -> list[int]:
        """The numbers of the operands; raises `BytecodeError` if an operand has no number yet."""
        try:
            return [self.numbers[operand] for operand in operation.operands]
        except KeyError:
            raise BytecodeError("an operand does not dominate this use") from None

    def segments(
        self,
        operation: Operation,
        encoding: OperationEncoding,
        segments: Sequence[SegmentEncoding],
        operands: Sequence[int],
    ) -> list[tuple[SegmentEncoding, Sequence[int]]]:
        """The operands of each segment; raises `BytecodeError` if the version lacks one."""
        sizes = operation.properties.get(SEGMENT_SIZES)
        lengths = segment_lengths(encoding.operation.DEFINITION, sizes, len(operands))
        start = 0
        stored: list[tuple[SegmentEncoding, Sequence[int]]] = []
        for segment, length in zip(segments, lengths, strict=True):
            if segment.stored:
                stored.append((segment, operands[start : start + length]))
            elif length:
                raise BytecodeError(
                    f"optional operand '{segment.name}' is provided but requires bytecode version "
                    f"{segment.since}, targeting {self.tables.version}"
                )
            start += length
        return stored

    def write_region(self, region: Region) -> None:
        """Writes a region of at most one block."""
        buffer, blocks = self.buffer, region.blocks
        write_varint(buffer, len(blocks))
        for block in blocks:
            first = self.next_number
            write_varint(buffer, len(block.args))
            for argument in block.args:
                write_varint(buffer, self.tables.type(argument.type))
            self.number(block.args)
            write_varint(buffer, len(block.ops))
            self.write_operations(block)
            self.next_number = first
