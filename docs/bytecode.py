"""Writes `docs/bytecode.md`, the format of Tile IR bytecode.

`python -m docs.bytecode` puts the tables that the reader and the writer share into the text below.
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path

from docs.cuda_tile import FAMILIES, family
from tileir_xdsl.bytecode.attributes import MAX_ATTRIBUTE_DEPTH, TAGGED
from tileir_xdsl.bytecode.container import ALIGNMENT, MANDATORY, Section
from tileir_xdsl.bytecode.debug_info import DEBUG_FIELDS, MAX_CALL_SITES
from tileir_xdsl.bytecode.operation_encoding import counts_results, flag_bits
from tileir_xdsl.bytecode.operations import OPERATIONS, OperationRow
from tileir_xdsl.bytecode.slots import EnumKind, Slot
from tileir_xdsl.bytecode.types import MAX_TYPE_DEPTH, TYPES, SimpleType
from tileir_xdsl.bytecode.version import V13_1, VERSIONS, Version
from tileir_xdsl.dialects.cuda_tile import PaddingValue, PointerKind, SymbolVisibility
from tileir_xdsl.dialects.cuda_tile.definition import Arity, ValueDefinition
from tileir_xdsl.nesting import MAX_NESTING

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "bytecode.md"

TEXT = """# Tile IR bytecode

`tileir_xdsl.bytecode` reads and writes the binary form of `cuda_tile`, in versions {versions}.
Written by `python -m docs.bytecode` from the tables of reader and writer.

    tileir disasm kernel.tileirbc | xdsl-opt
    tileir disasm kernel.tileirbc --items       # as NVIDIA's has it, without the line of the module
    tileir disasm kernel.tileirbc -g            # the same with locations
    tileir asm kernel.mlir --version 13.2       # bytecode from text, or from bytecode

    from tileir_xdsl import bytecode

    module = bytecode.read(data)                # a builtin module with one cuda_tile.module
    data = bytecode.write(module, "13.2")

All commands accept bytecode files. Equal modules give equal bytes: strings, types and constants are
numbered in the order of their first use. `read` and `write` raise only `BytecodeError`, with the
section and offset, or the operation that the version cannot express.

## Primitives

Numbers are little endian. A *varint* has 7 bits to a byte, low ones first, and bit 7 set in all but
the last of at most 10 bytes; a *signed varint* is the varint of `(v << 1) ^ (v >> 63)`. Numbers,
counts and table indices are varints unless stated otherwise. Padding bytes are CB.

A table of strings, types, constants or debug information has a count, padding up to a multiple of W
from its start, an offset of W bytes for each entry, and the entries. W is 8 bytes for constants,
otherwise 4 bytes. An entry ends where the next entry starts.

## The file

A file has the magic `7F "TileIR" 00`, one byte each for the major and minor version, two zero
bytes, sections in any order, and a zero byte at its end. A section has a byte with its number, the
length of its payload, and the payload. If bit 7 of a section's first byte is set, the alignment and
padding precede the payload.

| section | number | alignment | present |
|---|---|---|---|
{sections}
- String: a table of UTF-8 strings. Type: a table of the entries below.
- Constant: a table. An entry has the number of bytes and the elements; the op that uses it gives
  their type. If an entry has one element, all elements of the tile are equal (a splat). Elements of
  type i1 are packed, the first in the lowest bit. The byte FF is a splat of true, 00 a splat of
  false. For more than eight elements a single byte is a splat of its lowest bit. An element of 4
  bits takes one byte, an element of tf32 three.
- Global: a count, then each global's name, type, constant and alignment; since 13.3 also its
  visibility ({visibility}) and whether it is constant.
- Func: a count, then each function's name, type, flags, location, hints, argument attributes (an
  array, since 13.5), length of the body, and body. The byte of flags is the sum of 2 for a kernel
  (required) and, before 13.5, 4 for hints; 1 for private is an error. Hints are a self-contained
  attribute, always present since 13.5. The location is 0 for none, otherwise 1 plus the function's
  number in the section Debug.
- Producer (13.3): a string.

The name of the module is not stored. A module read from bytecode is named `@kernels`.

## Types

An entry for a type has a tag and a payload. Dynamic sizes and strides are stored as -2^63. Optional
parts, in brackets, follow only if the flags are 1. Before 13.3 a byte of 0 or 1 tells whether a
padding value follows.

- Padding values: {padding}.
- Pointer attributes: {pointer_kinds}.

| tag | type | since | payload |
|---|---|---|---|
{types}
## Self-contained attributes

Each attribute has a tag and a payload.

| tag | attribute | payload |
|---|---|---|
{attributes} cuTile Python writes a negative f64 as the 65-bit number `bits << 1`. NVIDIA's reader
drops the highest bit and so reads a positive number, as in the kernel `cube_roots_f64`. Our reader
reads the negative number.

## Operations

    operation: opcode, [number of results], result types, [flags], attributes, operands, [regions]
    regions:   count, regions      region: 0, or 1 and a block
    block:     count, argument types, count, operations

- `n` before the results means that their number is stored, since an operand or result is variadic.
  `*` marks variadic members, `?` optional ones, `@13.3` those added in version 13.3.
- Flags are stored if the column "flags" names any, from the lowest bit on. Members that a version
  does not have get no bit in that version. A `flag` attribute is its bit alone, without further
  bytes.
- Attributes are stored in the order of the column "attributes". An attribute with a flag is stored
  only if the flag is set.
- With `segments`, each variadic operand is preceded by its count. Otherwise one count precedes all
  operands, unless their number is fixed.
- Values are numbered: first the function's arguments, then results in program order. Arguments of a
  nested block get the next numbers. After a nested block its numbers are reused, first for the
  results of the operation around it.
- A required attribute that was added after its operation has a default in older versions: `full`
  rounding, `none` overflow, `inbounds` false. Writing another value to an older version is an
  error.

{operations}
Values of enumerations are numbered from 0:

| enumeration | values |
|---|---|
{enumerations}
## Debug information

The section Debug has the number of functions, padding to 4, and for each function the position of
its first index (4 bytes). The section Debug continues with the number of indices, padding to 8, the
indices (8 bytes), and a table of entries. Index 0 is the unknown location, index k + 1 is entry k.
A function has one index for itself, and one for each operation in program order, an operation
before those nested in it.

| tag | entry | payload |
|---|---|---|
{debug} Locations are read as MLIR locations; a location in a scope becomes a fused location with
the scope as metadata. With `--lineinfo` the PTX has `.loc` lines. The format cannot store a file
location without a scope.

## What is refused

The preview flag of the header, and functions that are not kernels, are errors.

Every length, count, index and flag is checked before use. Types and debug entries must not contain
themselves. Nesting is limited: types to {types_depth} levels, attributes to {attributes_depth},
regions to {regions_depth}, and a location to {call_sites} call sites.
`tests/unit/bytecode/test_corruption.py` damages files. A damaged file is read, or raises
`BytecodeError`, within a second and 200 MB.

## Checked against NVIDIA's tools

The tests use every kernel of `testing/kernels`, and a file for each operation
(`tests/unit/bytecode/operations`), at every version. Our text equals that of `tileirdisasm -g`, and
a module that is written and read is unchanged. `tileiras -O3` makes the same cubin from the
bytecode of cuTile and from ours (`python -m tests.unit.bytecode.same_code`).
"""


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |\n"


def _since(version: Version) -> str:
    return f"@{version}" if version > V13_1 else ""


def _numbered(values: Iterable[Enum]) -> str:
    return ", ".join(f"{number} {value.value}" for number, value in enumerate(values))


def _sections() -> Iterator[str]:
    for section in Section:
        present = "always" if section in MANDATORY else "if there is anything in it"
        yield _row(section.name.capitalize(), section.value, ALIGNMENT.get(section, ""), present)


def _types() -> Iterator[str]:
    for tag, row in TYPES.items():
        payload = "" if isinstance(row, SimpleType) else row.fields
        yield _row(tag, row.name, row.since, payload)


def _attribute(slot: Slot) -> str:
    kind = slot.kind.enum.__name__ if isinstance(slot.kind, EnumKind) else slot.kind.description
    return f"{slot.name}{_since(slot.since)}: {kind}"


_MARKS = {Arity.SINGLE: "", Arity.OPTIONAL: "?", Arity.VARIADIC: "*"}


def _values(row: OperationRow, values: Iterable[ValueDefinition]) -> str:
    return ", ".join(
        f"{value.name}{_MARKS[value.arity]}{_since(row.younger.get(value.name, V13_1))}"
        for value in values
    )


HEADER = (
    "| opcode | operation | since | results | flags | attributes | operands | regions |\n"
    "|---|---|---|---|---|---|---|---|\n"
)


def _operations() -> Iterator[str]:
    for wanted in FAMILIES.values():
        rows = [row for row in OPERATIONS if family(row.operation) == wanted]
        if rows:
            yield f"### {wanted}\n\n{HEADER}"
            yield from _rows(rows)
            yield "\n"


def _rows(rows: Iterable[OperationRow]) -> Iterator[str]:
    for row in rows:
        definition = row.operation.DEFINITION
        results = _values(row, definition.results)
        operands = _values(row, definition.operands)
        yield _row(
            f"{row.opcode:02X}",
            f"`{row.operation.name.partition('.')[2]}`",
            row.since,
            f"n {results}".strip() if counts_results(row) else results,
            ", ".join(flag_bits(row)),
            ", ".join(_attribute(slot) for slot in row.slots),
            f"segments: {operands}" if definition.segmented else operands,
            len(definition.regions) or "",
        )


def _enumerations() -> Iterator[str]:
    kinds = [slot.kind for row in OPERATIONS for slot in row.slots]
    for kind in {kind.enum: kind for kind in kinds if isinstance(kind, EnumKind)}.values():
        values = ", ".join(
            f"{number} {value}{_since(kind.younger.get(value, V13_1))}"
            for number, value in enumerate(kind.enum)
        )
        yield _row(kind.enum.__name__, values)


def page() -> str:
    """The text of the page."""
    return TEXT.format(
        versions=f"{VERSIONS[0]} to {VERSIONS[-1]}",
        sections="".join(_sections()),
        visibility=_numbered(SymbolVisibility),
        padding=_numbered(PaddingValue),
        pointer_kinds=_numbered(PointerKind),
        types="".join(_types()),
        types_depth=MAX_TYPE_DEPTH,
        attributes_depth=MAX_ATTRIBUTE_DEPTH,
        regions_depth=MAX_NESTING,
        call_sites=MAX_CALL_SITES,
        attributes="".join(
            _row(kind.tag, kind.name, kind.fields)
            for kind in sorted(TAGGED, key=lambda kind: kind.tag)
        ),
        operations="".join(_operations()),
        enumerations="".join(_enumerations()),
        debug="".join(
            _row(tag.value, tag.name.lower().replace("_", " "), fields)
            for tag, fields in DEBUG_FIELDS.items()
        ),
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
