"""Reading IR with locations."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tests.unit.tools import REPOSITORY
from tileir_xdsl import bytecode
from tileir_xdsl.cli.main import main
from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.reader import new_context, read_bytecode, read_file, read_text
from tileir_xdsl.testing.tools import to_text

KERNEL = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir"

MODULE = """\
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    %a, %b, %c = get_tile_block_id : tile<i32>
      %d = addi %a, %x : tile<i32>
  }
}
"""
BARE = """\
entry @f(%x: tile<i32>) {
  return
}
entry @g() {
}
"""


def read(text: str) -> ModuleOp:
    return read_text(new_context(), text, "file.mlir")


def only(module: ModuleOp, op_type: type[Operation]) -> Operation:
    (op,) = (op for op in module.walk() if isinstance(op, op_type))
    return op


@pytest.mark.parametrize(
    ("op_type", "location"),
    [
        (cuda_tile.ModuleOp, "file.mlir:1:1"),
        (cuda_tile.EntryOp, "file.mlir:2:3"),
        (cuda_tile.GetTileBlockIdOp, "file.mlir:3:5"),
        (cuda_tile.AddIOp, "file.mlir:4:7"),
    ],
)
def test_every_op_knows_where_it_starts(op_type: type[Operation], location: str):
    assert location_text(only(read(MODULE), op_type).location) == location


def test_written_locations_win():
    module = read('%a = "test.op"() : () -> i32 loc("kernel.py":7:9)\n"test.op"() : () -> ()')
    first, second = module.body.ops
    assert location_text(first.location) == "kernel.py:7:9"
    assert location_text(second.location) == "file.mlir:2:1"


def test_text_of_a_disassembler_is_wrapped():
    module = read(BARE)
    (wrapper,) = module.body.ops
    assert isinstance(wrapper, cuda_tile.ModuleOp)
    assert wrapper.sym_name.data == "kernels"
    entries = [op for op in module.walk() if isinstance(op, cuda_tile.EntryOp)]
    assert [location_text(entry.location) for entry in entries] == [
        "file.mlir:1:1",
        "file.mlir:4:1",
    ]
    assert to_text(read(f"cuda_tile.module @kernels {{\n{BARE}\n}}")) == to_text(module)


def test_ir_of_other_stages_is_read():
    text = "func.func @f(%x: i32) -> i32 {\n  func.return %x : i32\n}"
    assert to_text(read(text)) == to_text(read(f"builtin.module {{\n{text}\n}}"))


def test_kernel_of_the_zoo_is_read():
    module = read_file(new_context(), str(KERNEL))
    locations = {location_text(op.location) for op in module.walk() if op.results}
    assert all(text is not None and text.startswith(f"{KERNEL}:") for text in locations)


def test_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    file = tmp_path / "stdin"
    file.write_text(BARE.replace("return", "retern"))
    with file.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(InputError, match=r"^<stdin>:2:3: error: .*retern"):
            read_file(new_context(), "-")


def test_undefined_value():
    with pytest.raises(InputError, match=r"^file.mlir:4:17: error: "):
        read(MODULE.replace("addi %a, %x", "addi %y, %x"))


def test_value_used_before_its_definition():
    with pytest.raises(InputError, match=r"^file.mlir:\d:\d: error: .* does not dominate this use"):
        read(MODULE.replace("addi %a, %x", "addi %d, %x"))


def test_undefined_value_of_other_dialects():
    text = 'func.func @f() {\n  "test.op"(%a) : (i32) -> ()\n  func.return\n}\n'
    with pytest.raises(InputError, match=r"^file.mlir:2:13: error: value %a is not defined$"):
        read(text)


def test_string_that_is_not_closed():
    with pytest.raises(InputError, match=r"^file.mlir:1:1: error: .*closing string literal"):
        read('"' + "a" * 10_000)


def test_bad_literal_is_located():
    text = '\n  "test.op"() {a = dense<1.0e40> : tensor<2xf32>} : () -> ()'
    with pytest.raises(InputError, match=r"^file.mlir:2:\d+: error: float too large"):
        read(text)


@pytest.mark.parametrize("attribute", ["array<i320: 8>", "!llvm.void<i32>"])
@pytest.mark.parametrize("text", ["\n#alias = §", '\n"test.op"() {a = §} : () -> ()'])
def test_what_xdsl_fails_at_is_located(attribute: str, text: str):
    with pytest.raises(InputError, match=r"^file.mlir:2:\d+: error: ."):
        read(text.replace("§", attribute))


def test_type_that_does_not_verify_is_located():
    with pytest.raises(InputError, match=r"^file.mlir:2:\d+: error: .*powers of two"):
        read(MODULE.replace("%x: tile<i32>", "%x: tile<3xi32>"))


LONG = "9" * 5000


@pytest.mark.parametrize(
    ("old", "new", "column", "message"),
    [
        ("%d =", "% =", 7, "expected an identifier after '%'"),
        ("@f(", "@f(^", 12, "expected an identifier after '^'"),
        ("tile<i32>)", "tile<#)", 21, "expected an identifier after '#'"),
        ("tile<i32>)", f"tile<{LONG}xi32>)", 21, "an integer of 5000 digits is out of range"),
        ("addi %a", f"addi %a#{LONG}", 19, "an integer of 5000 digits is out of range"),
    ],
)
def test_what_the_lexer_refuses_is_said_at_its_place(old: str, new: str, column: int, message: str):
    with pytest.raises(InputError) as raised:
        read(MODULE.replace(old, new))
    assert (raised.value.column, raised.value.message) == (column, message)


EDGES = [2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -1, -(2**63), -(2**63) - 1]


@pytest.mark.parametrize("number", EDGES)
@pytest.mark.parametrize(
    "place",
    [
        "%c = constant <i64: N> : tile<i64>",
        "%c = constant <i32: [[1, N]]> : tile<1x2xi32>",
        "%c = iota : tile<Nxi32>",
        "%c = constant <f32: N> : tile<f32>",
        '"cuda_tile.assume"(%x) <{predicate = #cuda_tile.div_by<N>}> : '
        "(!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>",
        '"cuda_tile.return"(%x) {operandSegmentSizes = array<i32: N>} : '
        "(!cuda_tile.tile<i32>) -> ()",
    ],
)
def test_integers_at_the_edges_of_64_bits(place: str, number: int):
    """Read, and printed as they were, or refused at their line."""
    text = f"entry @f(%x: tile<i32>) {{\n{place.replace('N', str(number))}\nreturn }}"
    try:
        module = read(text)
    except InputError as error:
        assert error.line == 2
    else:
        assert read(to_text(module)).is_structurally_equivalent(module)


def test_a_byte_order_mark(tmp_path: Path):
    file = tmp_path / "k.mlir"
    file.write_bytes(b"\xef\xbb\xbf" + MODULE.encode())
    assert to_text(read_file(new_context(), str(file))) == to_text(read(MODULE))
    assert main(["fmt", str(file)]) == main(["opt", str(file)]) == 0


FILE = '<"k.py" in "/d">'
SCOPE = (
    f'#cuda_tile.di_subprogram<file = {FILE}, line = 1, name = "f", linkageName = "f", '
    f"compileUnit = <file = {FILE}>, scopeLine = 1>"
)
AT_THE_ENTRY = f'loc(fused<{SCOPE}>["/d/k.py":1:1])'
CONSTANT = f'%e = constant <f16: 1.0> : tile<f16> loc(fused<{SCOPE}>["/d/k.py":7:3])'


def test_a_type_that_bytecode_has_not_is_said_at_the_line_that_uses_it():
    """No line is known of what nothing uses, and of parameters."""
    text = MODULE.replace("%d =", f"{CONSTANT}\n%d =").replace("  }", f"  }} {AT_THE_ENTRY}")
    data = bytecode.write(read(text), "13.5")
    places = set[tuple[str, int | None]]()
    for position in range(len(data)):
        damaged = data[:position] + b"\x7f" + data[position + 1 :]
        try:
            read_bytecode(damaged, "k")
        except InputError as error:
            if error.message.startswith("unknown type tag: 127"):
                places.add((error.file, error.line))
                assert ("Type section" in error.message) == (error.line is None)
    assert places == {("k", None), ("/d/k.py", 7)}
