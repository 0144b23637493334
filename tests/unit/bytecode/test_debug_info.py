"""Locations and scopes."""

import pytest
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation

from tests.unit.bytecode import reference
from tests.unit.bytecode.building import error_of, parse, with_section
from tileir_xdsl.bytecode import VERSIONS, read, write
from tileir_xdsl.bytecode.container import Section, write_table
from tileir_xdsl.bytecode.debug_info import MAX_CALL_SITES
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.bytecode.encoding import write_integers, write_padding, write_varint
from tileir_xdsl.bytecode.version import Version
from tileir_xdsl.dialects.cuda_tile import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DILocalScopeAttr,
    DISubprogramAttr,
    EntryOp,
    location_in_scope,
)

FILE = DIFileAttr("kernel.py", "/home/user")
SUBPROGRAM = DISubprogramAttr(FILE, 4, "source_name", "kernel", DICompileUnitAttr(FILE), 5)
BLOCK = DILexicalBlockAttr(SUBPROGRAM, FILE, 6, 3)
INNER_BLOCK = DILexicalBlockAttr(BLOCK, DIFileAttr("other.py", "/"), 7)
HERE = location_in_scope("kernel.py", 5, 0, SUBPROGRAM)
THERE = location_in_scope("other.py", 70, 12, INNER_BLOCK)
INLINED = CallSiteLoc(THERE, HERE)
TWICE_INLINED = CallSiteLoc(HERE, CallSiteLoc(INLINED, HERE))
PLAIN = FileLineColLoc(StringAttr("kernel.py"), IntAttr(1), IntAttr(2))

BODY = """
  %0 = make_token : token
  if %c {
    %1 = make_token : token
  }
  return
"""


def located(*locations: LocationAttr, kernel: LocationAttr = HERE) -> ModuleOp:
    """A kernel whose operations have these locations, in program order."""
    module = parse(BODY, "%c: tile<i1>")
    entry = entry_of(module)
    entry.location = kernel
    operations = operations_of(entry)
    for operation, location in zip(operations, locations, strict=True):
        operation.location = location
    return module


def entry_of(module: ModuleOp) -> EntryOp:
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    return entry


def operations_of(entry: EntryOp) -> list[Operation]:
    return [op for op in entry.walk() if op is not entry]


def locations_of(module: ModuleOp) -> list[LocationAttr]:
    entry = entry_of(module)
    return [entry.location, *(op.location for op in operations_of(entry))]


LOCATIONS = (HERE, THERE, INLINED, TWICE_INLINED, UNKNOWN_LOC)


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_locations_come_back(version: Version):
    module = located(*LOCATIONS)
    data = write(module, str(version))
    again = read(data)
    assert locations_of(again) == [HERE, *LOCATIONS]
    assert disassemble(again, debug_info=True) == reference.disassemble(data, debug_info=True)


OTHER_FILE = DIFileAttr("other.py", "/home/user")
UNIT = DICompileUnitAttr(FILE)
TOLD_APART: dict[str, DILocalScopeAttr] = {
    "another file": DISubprogramAttr(OTHER_FILE, 4, "source_name", "kernel", UNIT, 5),
    "another line": DISubprogramAttr(FILE, 3, "source_name", "kernel", UNIT, 5),
    "another name": DISubprogramAttr(FILE, 4, "name", "kernel", UNIT, 5),
    "another symbol": DISubprogramAttr(FILE, 4, "source_name", "k", UNIT, 5),
    "another unit": DISubprogramAttr(
        FILE, 4, "source_name", "kernel", DICompileUnitAttr(OTHER_FILE), 5
    ),
    "another line of the scope": DISubprogramAttr(FILE, 4, "source_name", "kernel", UNIT, 6),
    "a block": BLOCK,
    "a block in another scope": DILexicalBlockAttr(BLOCK, FILE, 6, 3),
    "a block in another file": DILexicalBlockAttr(SUBPROGRAM, OTHER_FILE, 6, 3),
    "a block on another line": DILexicalBlockAttr(SUBPROGRAM, FILE, 7, 3),
    "a block at another column": DILexicalBlockAttr(SUBPROGRAM, FILE, 6, 4),
}
"""Scopes that differ from `SUBPROGRAM` or from `BLOCK` in one thing."""


@pytest.mark.parametrize("scope", TOLD_APART.values(), ids=TOLD_APART)
def test_scopes_that_differ_in_one_thing_are_told_apart(scope: DILocalScopeAttr):
    here, block, there = (
        location_in_scope("kernel.py", 9, 1, each) for each in (SUBPROGRAM, BLOCK, scope)
    )
    # A function has locations of its own scope, and of what is inlined into it.
    inlined, other = CallSiteLoc(there, here), CallSiteLoc(block, here)
    data = write(located(here, inlined, other, inlined, here), "13.3")
    text = disassemble(read(data), debug_info=True)
    assert text == reference.disassemble(data, debug_info=True)


def test_locations_without_scope_are_left_out():
    assert locations_of(read(write(located(HERE, PLAIN, HERE, HERE, PLAIN), "13.3"))) == [
        HERE,
        HERE,
        UNKNOWN_LOC,
        HERE,
        HERE,
        UNKNOWN_LOC,
    ]


@pytest.mark.parametrize("kernel", [UNKNOWN_LOC, PLAIN], ids=str)
def test_a_kernel_without_location_keeps_none_of_its_operations(kernel: LocationAttr):
    again = read(write(located(*LOCATIONS, kernel=kernel), "13.3"))
    assert set(locations_of(again)) == {UNKNOWN_LOC}


@pytest.mark.parametrize(
    "location",
    [
        FusedLoc((HERE, THERE), NoneAttr()),
        FusedLoc((PLAIN,), NoneAttr()),
        NameLoc(StringAttr("x"), HERE),
    ],
    ids=str,
)
def test_other_locations_are_refused(location: LocationAttr):
    error = error_of(lambda: write(located(HERE, HERE, location, HERE, HERE), "13.3"))
    name = type(location).__name__
    assert error.message == f"unsupported location, got {name}, expected DILocAttr or CallSiteLoc"
    assert error.operation is not None
    assert error.operation.location == location


def section(*entries: bytes, indices: tuple[int, ...] = (1, 1, 1, 1, 1, 1)) -> bytes:
    """The payload of a section with one function."""
    buffer = bytearray(b"\1")
    write_padding(buffer, 4)
    write_integers(buffer, 4, [0])
    write_varint(buffer, len(indices))
    write_padding(buffer, 8)
    write_integers(buffer, 8, indices)
    write_table(buffer, 4, entries)
    return bytes(buffer)


UNKNOWN = b"\0"
FILE_ENTRY = b"\2\0\0"


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"", "unexpected end of data"),
        (b"\7", "number of functions with debug info (7) exceeds the remaining data size 0"),
        (
            section(UNKNOWN, indices=(1, 1)),
            "an operation has no debug info index",
        ),
        (section(UNKNOWN, indices=(2,) * 6), "debug info index 2 out of bounds"),
        (section(UNKNOWN, indices=(-1,) * 6), "debug info index -1 out of bounds"),
        (section(FILE_ENTRY), "debug info index 1 is not a location"),
        (section(b"\7"), "unknown debug info tag: 7"),
        (section(b"\4\1\0\1\1"), "debug info attribute 1 contains itself"),
        (section(b"\6\2\0", b"\6\1\0"), "debug info attribute 1 contains itself"),
        (section(b"\4\x09\0\1\1"), "debug info index 9 out of bounds"),
        (section(b"\4\x02\x63\1\1", b"\5\3\1\0\0\4\1", FILE_ENTRY, b"\1\3"), "string index 99 out of bounds"),
        (
            section(b"\4\2\0\1\1", FILE_ENTRY),
            "debug info index 2 is cuda_tile.di_file, expected cuda_tile.di_subprogram or "
            "cuda_tile.di_lexical_block",
        ),
        (section(b"\4\2\0\1", b"\5\3\1\0\0\4\1", FILE_ENTRY, b"\1\3"), "unexpected end of data"),
        (b"\1\0\0\0\5\0\0\0\0" + bytes(7) + b"\0", "invalid debug info indices of function 0: from 5 to 0"),
    ],
)  # fmt: skip
def test_bad_sections(payload: bytes, message: str):
    data = write(located(*LOCATIONS), "13.3")
    error = error_of(lambda: read(with_section(data, Section.DEBUG, lambda _: payload)))
    assert error.message == message
    assert error.section is not None


def test_missing_section():
    data = write(located(*LOCATIONS), "13.3")
    error = error_of(lambda: read(with_section(data, Section.DEBUG, lambda _: None)))
    assert error.message == "debug info index 1 of a function out of bounds"
    assert error.section == "Func section"


def blocks(depth: int) -> DILexicalBlockAttr:
    """Lexical blocks inside of each other."""
    block = DILexicalBlockAttr(SUBPROGRAM, FILE, 1)
    for line in range(1, depth):
        block = DILexicalBlockAttr(block, FILE, line % 90)
    return block


def calls(depth: int) -> LocationAttr:
    """Calls inlined into each other."""
    location = HERE
    for line in range(depth):
        location = CallSiteLoc(location_in_scope("kernel.py", line % 90, 1, SUBPROGRAM), location)
    return location


def spine(attribute: Attribute) -> list[Attribute]:
    """What is inside of each other: scopes outwards, callers of calls."""
    found = [attribute]
    while True:
        match found[-1]:
            case FusedLoc(metadata=inner) | DILexicalBlockAttr(scope=inner):
                found.append(inner)
            case CallSiteLoc(callee=callee, caller=caller):
                found += [callee, caller]
            case _:
                return found


@pytest.mark.parametrize("depth", [64, 65, 800, 5_000])
def test_deep_scopes_and_calls(depth: int):
    deep = location_in_scope("kernel.py", 7, 1, blocks(depth))
    called = calls(min(depth, MAX_CALL_SITES))
    data = write(located(deep, called, HERE, deep, HERE), "13.3")
    module = read(data)
    again = locations_of(module)
    assert disassemble(module, debug_info=True) == reference.disassemble(data, debug_info=True)
    assert again[1] is again[4]
    for wanted, found in ((deep, again[1]), (called, again[2])):
        lines = [[type(part) for part in spine(location)] for location in (wanted, found)]
        assert lines[0] == lines[1]
        assert len(lines[0]) > min(depth, MAX_CALL_SITES)


def test_locations_that_share_what_is_inside():
    def doubled(depth: int) -> bytes:
        calls = [b"\6" + varint(index + 2) + varint(index + 2) for index in range(depth)]
        return section(*calls, UNKNOWN)

    data = write(located(*LOCATIONS), "13.3")
    module = read(with_section(data, Section.DEBUG, lambda _: doubled(9)))
    assert locations_of(read(write(module, "13.3"))) == locations_of(module)
    error = error_of(lambda: read(with_section(data, Section.DEBUG, lambda _: doubled(10))))
    assert error.message == f"a location consists of more than {MAX_CALL_SITES} call sites"


def varint(value: int) -> bytes:
    buffer = bytearray()
    write_varint(buffer, value)
    return bytes(buffer)
