"""What a reader makes of functions, bodies and globals that are wrong in one place."""

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr

from tests.unit.bytecode import reference
from tests.unit.bytecode.building import error_of, parse, with_section, written
from tileir_xdsl.bytecode import read, write
from tileir_xdsl.bytecode.container import Section
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.bytecode.encoding import write_varint
from tileir_xdsl.dialects.cuda_tile import DivByAttr, EntryOp, GlobalOp, IfOp, ModuleOp
from tileir_xdsl.nesting import MAX_NESTING, room_for
from tileir_xdsl.testing import tools

RETURN = b"\x5c\0\0"
"""Opcode, number of results, number of operands."""

BODY = "%0 = constant <i32: 1> : tile<i32> %1 = constant <i1: true> : tile<i1>"
SIGNATURE, I32, TILE_I32, TILE_I1 = 0, 1, 2, 4
"""Types of a file with `BODY`; string 0 is the name of the kernel, constant 0 is the i32 1."""

YIELD = b"\x6d\0\0"

ONE = bytes((0x10, TILE_I32, 0))
TRUE = bytes((0x10, TILE_I1, 1))


def file(body: bytes) -> bytes:
    """A file with one kernel that has this body."""
    length = bytearray()
    write_varint(length, len(body))
    return with_function(bytes((0, SIGNATURE, 2, 0)) + length + body)


def with_function(function: bytes, version: str = "13.3") -> bytes:
    """A file with one function, given by its bytes."""
    return with_section(written(BODY, version=version), Section.FUNC, lambda _: b"\1" + function)


def test_the_name_of_the_module():
    for module, name in ((read(written("")), "kernels"), (read(written(""), "other"), "other")):
        (tile_module,) = module.body.ops
        assert isinstance(tile_module, ModuleOp)
        assert tile_module.sym_name.data == name


def test_a_body_by_hand():
    module = read(file(ONE + b"\x03" + bytes((TILE_I32, 0, 0, 0)) + RETURN))
    module.verify()
    assert [op.name.partition(".")[2] for op in module.walk()][2:] == [
        "entry",
        "constant",
        "addi",
        "return",
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "invalid block structure: block is expected to have a terminator operation, but it is empty"),
        (ONE, "invalid block structure: block is expected to have a terminator operation, but the last operation 'cuda_tile.constant' is not a terminator."),
        (b"\x19" + RETURN, "unknown or unimplemented opcode: 25"),
        (b"\x16" + RETURN, "unknown or unimplemented opcode: 22"),
        (
            b"\x82\x80\x01" + RETURN,
            "opcode 16386, PreviewCall, is not supported: Tile libraries are not linked",
        ),
        (b"\x76" + RETURN, "unsupported opcode 118 for bytecode version 13.3"),
        (b"\x10\x63\0" + RETURN, "type index 99 out of bounds"),
        (bytes((0x10, TILE_I32, 9)) + RETURN, "constant index 9 out of bounds"),
        (bytes((0x10, TILE_I32, 1)) + RETURN, "failed to validate buffer size and format"),
        (bytes((0x10, I32, 0)) + RETURN, "a constant must be a tile, but got 'i32'"),
        (b"\x50" + bytes((TILE_I32, 0, 0)) + RETURN, "operand index 0 out of bounds (size=0) for operand 0"),
        (ONE + b"\x03" + bytes((TILE_I32, 0, 0, 1)) + RETURN, "operand index 1 out of bounds (size=1) for operand 1"),
        (ONE + b"\x03" + bytes((TILE_I32, 4, 0, 0)) + RETURN, "invalid integer value for enum type: 4"),
        (ONE + b"\x2a" + bytes((TILE_I32, 7, 0)) + RETURN, "enum value 7 is not available in bytecode version 13.3"),
        (ONE + b"\x02" + bytes((TILE_I32, 2, 0, 0, 0)) + RETURN, "unknown flags 0x2"),
        (b"\x5c\1", "number of results (1) exceeds the remaining data size 0"),
        (b"\x5c\1\1\0", "cuda_tile.return op expected 0 results, got 1"),
        (b"\x5c\0\x09", "number of operands (9) exceeds the remaining data size 0"),
        (TRUE + b"\x32\0\0\1\1\0\0" + RETURN, "cuda_tile.if op expected 2 regions, got 1"),
        (TRUE + b"\x32\0\0\2\2\0\0" + RETURN, "expected a region of at most one block, got 2 blocks"),
        (TRUE + b"\x32\0\0\2\1\0\0\0" + RETURN, "invalid block structure: block is expected to have a terminator operation, but it is empty"),
        (TRUE + b"\x32\0\0\2\1\0\x09" + RETURN, "number of operations (9) exceeds the remaining data size 3"),
        (ONE + b"\x53" + bytes((TILE_I32, 1, 255, 255, 255, 127, 0)) + RETURN, "array contains unsupported value 2147483647"),
        (ONE + b"\x53" + bytes((TILE_I32, 1, 0, 0, 0, 128, 0)) + RETURN, "array contains unsupported value -2147483648"),
        (ONE + b"\x06" + bytes((TILE_I32, 3, 1, 0)) + RETURN, "'cuda_tile.assume': expected assume predicate attribute"),
        (b"\x05\x07\0" + RETURN, "string index 7 out of bounds"),
    ],
)  # fmt: skip
def test_bad_bodies(body: bytes, message: str):
    error = error_of(lambda: read(file(body)))
    assert error.message == message
    assert error.section in ("Func section, body of 'kernel'", "Constant section")


@pytest.mark.parametrize(
    ("function", "version", "message"),
    [
        ((9, SIGNATURE, 2, 0), "13.3", "string index 9 out of bounds"),
        ((0, I32, 2, 0), "13.3", "function signature does not refer to a function type for function 'kernel', got type: i32"),
        ((0, 99, 2, 0), "13.3", "type index 99 out of bounds"),
        ((0, SIGNATURE, 0, 0), "13.3", "un-expected non-entry function 'kernel'"),
        ((0, SIGNATURE, 3, 0), "13.3", "entry op must have public symbol visibility"),
        ((0, SIGNATURE, 10, 0), "13.3", "unsupported flags 0xa of function 'kernel'"),
        ((0, SIGNATURE, 6, 0), "13.5", "unsupported flags 0x6 of function 'kernel'"),
        ((0, SIGNATURE, 2, 1), "13.3", "debug info index 1 of a function out of bounds"),
        ((0, SIGNATURE, 6, 0, 3, 1), "13.3", "invalid optimization hints attribute for function 'kernel'"),
        ((0, SIGNATURE, 2, 0, 11, 0, 3, 1), "13.5", "invalid argument attributes for function 'kernel'"),
        ((0, SIGNATURE, 2, 0, 44), "13.3", "function body length 44 exceeds remaining bytecode data (0 bytes)"),
    ],
)  # fmt: skip
def test_bad_functions(function: Sequence[int], version: str, message: str):
    error = error_of(lambda: read(with_function(bytes(function), version)))
    assert (error.message, error.section) == (message, "Func section")


def test_number_of_functions():
    data = with_section(written(""), Section.FUNC, lambda _: b"\x05\0")
    error = error_of(lambda: read(data))
    assert error.message == "number of functions (5) exceeds payload size (1)"


@pytest.mark.parametrize("argument", ["tile<2xi32>", "tensor_view<4xf32, strides=[1]>"])
def test_arguments_are_scalars(argument: str):
    module = tools.parse(
        f"cuda_tile.module @m {{ entry @kernel(%a: {argument}) {{}} }}", verify=False
    )
    error = error_of(lambda: read(write(module, "13.3")))
    assert error.message == (
        f"unsupported type in bytecode for entry argument #0: '!cuda_tile.{argument}'; "
        "expected a rank-0 !cuda_tile.tile type"
    )


@pytest.mark.parametrize("name", ["", "kernel"])
def test_names(name: str):
    module = parse("")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    entry.properties["sym_name"] = StringAttr(name)
    data = write(module, "13.3")
    if name:
        assert str(read(data)) == str(module)
    else:
        assert error_of(lambda: read(data)).message == "function name is empty"


def nested(depth: int) -> bytes:
    """The bytes of `if` operations inside each other, all with the value 0 as condition."""
    operations, count = YIELD, 1
    for _ in range(depth):
        operations, count = b"\x32\0\0\2\1\0" + bytes([count]) + operations + b"\0" + YIELD, 2
    return operations.removesuffix(YIELD)


# The module and the function are two levels.
@pytest.mark.parametrize("depth", [1, MAX_NESTING - 2])
def test_nested_regions(depth: int):
    data = file(TRUE + nested(depth) + RETURN)
    module = read(data)
    with room_for(depth):
        module.verify()
    assert disassemble(module) == reference.disassemble(data)
    assert disassemble(read(write(module, "13.3"))) == disassemble(module)


def test_regions_one_after_the_other_are_not_nested():
    module = read(file(TRUE + MAX_NESTING * nested(1) + RETURN))
    assert sum(isinstance(op, IfOp) for op in module.walk()) == MAX_NESTING


@pytest.mark.parametrize("depth", [MAX_NESTING - 1, 20_000])
def test_deep_regions(depth: int):
    error = error_of(lambda: read(file(TRUE + nested(depth) + RETURN)))
    assert error.message == f"regions are nested deeper than {MAX_NESTING}"


def test_globals_come_first():
    module = tools.parse(
        "cuda_tile.module @kernels {\n"
        "  entry @kernel() {}\n"
        "  global private constant @table alignment = 64 <i8: [1, 2]> : tile<2xi8>\n"
        "}"
    )
    again = read(write(module, "13.3"))
    (tile_module,) = again.body.ops
    assert isinstance(tile_module, ModuleOp)
    entry, table = next(iter(module.body.ops)).regions[0].block.ops
    assert list(map(str, tile_module.body.block.ops)) == [str(table), str(entry)]


GLOBAL = "global @table <i8: [1, 2]> : tile<2xi8>"


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"", "unexpected end of data"),
        (b"\x09", "number of globals (9) exceeds the remaining data size 0"),
        (b"\1\x09\1\0\0\0\0", "string index 9 out of bounds"),
        (b"\1\0\x09\0\0\0\0", "type index 9 out of bounds"),
        (b"\1\0\1\x09\0\0\0", "constant index 9 out of bounds"),
        (b"\1\0\0\0\0\0\0", "a constant must be a tile, but got 'i8'"),
        (b"\1\0\1\0\0\2\0", "invalid integer value for enum type: 2"),
        (
            b"\1\0\1\0\x80\x80\x80\x80\x80\x80\x80\x80\x80\1\0\0",
            "alignment 9223372036854775808 does not fit in 63 bits",
        ),
    ],
)
def test_bad_globals(payload: bytes, message: str):
    data = write(tools.parse(f"cuda_tile.module @kernels {{ {GLOBAL} }}"), "13.3")
    error = error_of(lambda: read(with_section(data, Section.GLOBAL, lambda _: payload)))
    assert error.message == message


def test_a_global_without_name():
    module = tools.parse(f"cuda_tile.module @kernels {{ {GLOBAL} }}")
    (operation,) = (op for op in module.walk() if isinstance(op, GlobalOp))
    operation.properties["sym_name"] = StringAttr("")
    error = error_of(lambda: read(write(module, "13.3")))
    assert error.message == "global symbol name at index 0 is empty"


def test_strings_are_utf8():
    data = written("").replace(b"kernel", b"kern\xffl")
    error = error_of(lambda: read(data))
    assert (error.message, error.section) == ("string 0 is not UTF-8", "String section")
    assert error.offset == data.index(b"\xff")


def test_the_producer():
    module = parse("return")
    next(iter(module.body.ops)).attributes["producer"] = StringAttr("a front end")
    data = write(module, "13.3")
    assert str(read(data)) == str(module)
    assert reference.disassemble(data) == disassemble(module)
    assert "producer" not in str(read(write(module, "13.2")))
    error = error_of(lambda: read(with_section(data, Section.PRODUCER, lambda _: b"\x09")))
    assert (error.message, error.section) == ("string index 9 out of bounds", "Producer section")


def test_argument_attributes():
    module = parse(
        "return", "%n: tile<i32> {cuda_tile.div_by = #cuda_tile.div_by<16>}, %m: tile<i32>"
    )
    attributes = ArrayAttr(
        [DictionaryAttr({"cuda_tile.div_by": DivByAttr(16)}), DictionaryAttr({})]
    )
    data = write(module, "13.5")
    text = reference.disassemble(data)
    assert "%arg0: tile<i32> {cuda_tile.div_by = #cuda_tile.div_by<16>}, %arg1: tile<i32>)" in text
    assert text == disassemble(module)
    (again,) = (op for op in read(data).walk() if isinstance(op, EntryOp))
    assert again.arg_attrs == attributes
    assert error_of(lambda: write(module, "13.4")).message == (
        "argument attributes require bytecode version 13.5+, targeting 13.4"
    )
