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

The binary form of `cuda_tile`, versions {versions}, as `tileir_xdsl.bytecode` reads and writes it.
Written by `python -m docs.bytecode` from the tables that reader and writer share.

    tileir disasm kernel.tileirbc | xdsl-opt
    tileir disasm kernel.tileirbc --items       # as NVIDIA's has it, without the line of the module
    tileir disasm kernel.tileirbc -g            # the same with locations
    tileir asm kernel.mlir --version 13.2       # bytecode from text, or from bytecode

    from tileir_xdsl import bytecode

    module = bytecode.read(data)                # a builtin module with one cuda_tile.module
    data = bytecode.write(module, "13.2")

All commands read the file too. Equal modules give equal bytes: strings, types and constants have
numbers in the order of their first use. `read` and `write` raise `BytecodeError` alone, with
section and offset, or with the operation that a version cannot express.

## Primitives

Numbers are little endian. A *varint* has 7 bits to a byte, low ones first, and bit 7 set in all but
the last of at most 10 bytes; a *signed varint* is the varint of `(v << 1) ^ (v >> 63)`. Without
another word a number, a count, or an index into a table is a varint. Padding is bytes CB.

A table, of strings, types, constants or debug information, is a count, padding up to a multiple
of W from its start, as many offsets of W bytes, and the entries back to back: W is 8 for constants,
else 4. An entry ends where the next one starts.

## The file

The magic `7F "TileIR" 00`, a byte each for the major and minor version, two zero bytes, then
sections in any order and a zero byte at the very end. A section is a byte with its number, with bit
7 if it is aligned, the length of its payload, and if aligned, the alignment and padding up to it.

| section | number | alignment | present |
|---|---|---|---|
{sections}
- String: a table of UTF-8. Type: a table of the entries below.
- Constant: a table; each entry is a length and as many bytes of elements, whose type comes from
  the user. A single element stands for all elements of the tile (a splat). i1 is packed, the first
  element in the lowest bit. The byte FF is a splat of true, 00 one of false; for more than eight
  elements a single byte is a splat of its lowest bit. Elements of 4 bits take a byte each, tf32
  takes three.
- Global: a count, then for each name, type, constant, alignment; since 13.3 whether it is visible
  ({visibility}) and whether it is constant.
- Func: a count, then for each name, function type, a byte of flags (1 private, which is refused; 2
  kernel, which is demanded; 4 hints follow, before 13.5), location, hints as a self-contained
  attribute (always since 13.5), argument attributes (an array, since 13.5), the length of the body,
  the body. The location is 0, or 1 and the function's number in the section Debug.
- Producer (13.3): a string.

The name of the module is not stored. What is read is called `@kernels`.

## Types

An entry is a tag and a payload. Sizes and strides that are not static are -2^63. Optional parts, in
brackets, follow if the flags are 1; before 13.3 a byte that is 0 or 1 stands before the padding
value.

- Padding values: {padding}.
- Pointer attributes: {pointer_kinds}.

| tag | type | since | payload |
|---|---|---|---|
{types}
## Self-contained attributes

A tag and a payload.

| tag | attribute | payload |
|---|---|---|
{attributes}
cuTile Python writes a negative f64 as the 65-bit number `bits << 1`. NVIDIA's reader drops the
highest bit and sees a positive number, as in `cube_roots_f64`; ours reads what was meant.

## Operations

    operation: opcode, [number of results], result types, [flags], attributes, operands, [regions]
    regions:   count, regions      region: 0, or 1 and a block
    block:     count, argument types, count, operations

- `n` before the results: their number is stored, since an operand or result is variadic. `*` is
  variadic, `?` is optional, `@13.3` came in that version.
- Flags are there if the column names any, from the lowest bit on; members that a version does not
  know have no bit in it, and without any bit there are no flags. A `flag` attribute has no bytes.
- Attributes stand in the order of the column; one that has a flag only if that is set.
- Operands in segments (`segments`) follow each other, a variadic one after its count; others follow
  one count, if the number is not fixed.
- Values are numbered: arguments, then results in program order. A block's arguments go on counting;
  after the block its numbers are free again, and the results of the operation around it come next.
- A required attribute that is younger than its operation has a default: `full` rounding, `none`
  overflow, all indices `inbounds` false. A writer refuses another value in an older version.

{operations}
Enumerations count from 0:

| enumeration | values |
|---|---|
{enumerations}
## Debug information

The number of functions, padding to 4, for each the start of its run (4 bytes); the number of
indices, padding to 8, the indices (8 bytes); a table. Index 0 is the unknown location, index k + 1
the entry k. A run holds the index of the function and then one per operation in program order, an
operation before those inside of it.

| tag | entry | payload |
|---|---|---|
{debug}
Locations become MLIR's: a location in a scope is a fused location with the scope as metadata. With
`--lineinfo` the PTX has `.loc` lines. A file location without scope has no place in the format.

## What is refused

Preview content is refused: the header's flag for it, and functions that are no kernels. The type
with the tag 130, an unsigned float of 8 bits that version 13.4 brought for sm_107, is not known.

Every length, count, index and flag is checked before use. Types and debug entries may not contain
themselves, and nesting is limited: types to {types_depth} levels, attributes to {attributes_depth},
regions to {regions_depth}, and a location to {call_sites} call sites.
`tests/unit/bytecode/test_corruption.py` damages files: what is not read raises `BytecodeError`,
within a second and 200 MB.

## Checked against NVIDIA's tools

Every kernel of `testing/kernels`, and a file for each operation (`tests/unit/bytecode/operations`),
at every version: our text is that of `tileirdisasm -g`, and what is written is read back equal.
`tileiras -O3` makes the same cubin from the front end's bytes and from ours
(`python -m tests.unit.bytecode.same_code`).
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
