"""How one version stores an operation: the rules of the format applied to a row of the table.

Source: Tile IR specification, bytecode. An operation consists of these bytes:

    opcode, [number of results], result types, [flags], attributes, operands, regions

The number of results is stored if any operand or result is variadic. Flags are stored if any
attribute is optional, or any operand of an operation whose operands come in segments. Bits of flags
are assigned to members by version, attributes before operands. Operands in segments are stored
segment by segment; other operands are stored after their number, unless it is fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.ir import Attribute, Operation

from tileir_xdsl.bytecode.operations import OPERATIONS, OperationRow
from tileir_xdsl.bytecode.slots import Always, Slot
from tileir_xdsl.bytecode.version import V13_1, Version
from tileir_xdsl.dialects.cuda_tile.definition import Arity, ValueDefinition
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation


@dataclass(frozen=True, slots=True)
class SlotEncoding:
    """An attribute in one version: the bit of its flag (0 if required), and whether it is stored.

    `missing` is the attribute that a reader adds if the version does not store it.
    """

    slot: Slot
    flag: int
    stored: bool
    missing: Attribute | None


@dataclass(frozen=True, slots=True)
class SegmentEncoding:
    """An operand definition in one version: the bit of its flag (0: none), whether it is stored."""

    name: str
    arity: Arity
    flag: int
    stored: bool
    since: Version


@dataclass(frozen=True, slots=True)
class OperationEncoding:
    """An operation in one version.

    `result_count` and `operand_count` are None where the number is not fixed. `missing_results`
    counts the results that the version does not have: all are tokens and come last. `segments` is
    None for an operation whose operands do not come in segments.
    """

    row: OperationRow
    operation: type[CudaTileOperation]
    counts_results: bool
    result_count: int | None
    missing_results: int
    known_flags: int
    slots: tuple[SlotEncoding, ...]
    segments: tuple[SegmentEncoding, ...] | None
    operand_count: int | None
    region_count: int


@cache
def encodings(version: Version) -> Mapping[int, OperationEncoding]:
    """The operations of a version by opcode."""
    return {row.opcode: _encoding(row, version) for row in OPERATIONS if row.since <= version}


@cache
def encodings_by_class(
    version: Version,
) -> Mapping[type[Operation], OperationEncoding]:
    """The operations of a version by their class."""
    return {encoding.operation: encoding for encoding in encodings(version).values()}


def flag_bits(row: OperationRow) -> Mapping[str, int]:
    """The bit of every optional member of an operation, by name."""
    definition = row.operation.DEFINITION
    members = [(slot.since, slot.name) for slot in row.slots if slot.optional]
    if definition.segmented:
        members += [
            (row.younger.get(operand.name, V13_1), operand.name)
            for operand in definition.operands
            if operand.arity is Arity.OPTIONAL
        ]
    ordered = sorted(members, key=lambda member: member[0])
    return {name: 1 << bit for bit, (_, name) in enumerate(ordered)}


def counts_results(row: OperationRow) -> bool:
    """Whether the number of results is stored."""
    definition = row.operation.DEFINITION
    return any(value.is_variadic for value in (*definition.operands, *definition.results))


def fixed_count(values: Sequence[ValueDefinition]) -> int | None:
    """The number of values of the definitions; None if it is not fixed."""
    return len(values) if all(value.arity is Arity.SINGLE for value in values) else None


def _encoding(row: OperationRow, version: Version) -> OperationEncoding:
    definition = row.operation.DEFINITION
    bits = flag_bits(row)
    slots = tuple(_slot(slot, bits, version) for slot in row.slots)
    segments: tuple[SegmentEncoding, ...] | None = None
    if definition.segmented:
        segments = tuple(_segment(row, operand, bits, version) for operand in definition.operands)
    return OperationEncoding(
        row=row,
        operation=row.operation,
        counts_results=counts_results(row),
        result_count=fixed_count(definition.results),
        missing_results=sum(
            row.younger.get(result.name, V13_1) > version for result in definition.results
        ),
        known_flags=sum(member.flag for member in (*slots, *(segments or ())) if member.stored),
        slots=slots,
        segments=segments,
        operand_count=fixed_count(definition.operands),
        region_count=len(definition.regions),
    )


def _slot(slot: Slot, bits: Mapping[str, int], version: Version) -> SlotEncoding:
    stored = slot.since <= version
    missing = slot.default.attribute if isinstance(slot.default, Always) and not stored else None
    return SlotEncoding(slot, bits.get(slot.name, 0), stored, missing)


def _segment(
    row: OperationRow, operand: ValueDefinition, bits: Mapping[str, int], version: Version
) -> SegmentEncoding:
    since = row.younger.get(operand.name, V13_1)
    return SegmentEncoding(
        operand.name, operand.arity, bits.get(operand.name, 0), since <= version, since
    )
