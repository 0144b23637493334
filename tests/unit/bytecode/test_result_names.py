"""Names of assumed values, which repeat those of the results that they are about."""

import pytest

from tests.unit.bytecode import reference
from tileir_xdsl.bytecode import read, write
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.testing import tools

T = "tile<i32>"
TWO, THREE = f"{T}, {T}", f"{T}, {T}, {T}"

PRODUCERS = {
    "for": (3, f"for %i in (%c to %c, step %c) : {T} iter_values(%a = %c, %b = %c, %d = %c) "
            f"-> ({THREE}) {{ continue %b, %a, %d : {THREE} }}"),
    "if": (2, f"if %true -> ({TWO}) {{ yield %c, %c : {TWO} }} else {{ yield %c, %c : {TWO} }}"),
    "loop": (2, f"loop iter_values(%a = %c, %b = %c) : {TWO} -> {TWO} {{ break %a, %b : {TWO} }}"),
    "reduce": (2, "reduce %t, %t dim=0 identities=[0 : i32, 0 : i32] : tile<8xi32>, tile<8xi32> "
               f"-> {TWO} (%a: {T}, %b: {T}, %d: {T}, %e: {T}) {{ yield %a, %d : {TWO} }}"),
    "block": (3, f"get_tile_block_id : {T}"),
    "grid": (3, f"get_num_tile_blocks : {T}"),
    "constant": (1, f"constant <i32: 7> : {T}"),
    "sum": (1, f"addi %c, %c : {T}"),
}  # fmt: skip


@pytest.mark.parametrize("name", PRODUCERS)
def test_assumed_results(name: str):
    count, operation = PRODUCERS[name]
    results = ", ".join(f"%r{n}" for n in range(count))
    assumed = "".join(
        f"%s{n} = assume div_by<4>, %r{n} : {T}\n%u{n} = assume div_by<2>, %s{n} : {T}\n"
        for n in range(count)
    )
    text = (
        f"cuda_tile.module @m {{ entry @k() {{ %c = constant <i32: 1> : {T}\n"
        "%true = constant <i1: true> : tile<i1>\n%t = iota : tile<8xi32>\n"
        f"{results} = {operation}\n{assumed}return }} }}"
    )
    data = write(tools.parse(text), "13.3")
    assert disassemble(read(data)) == reference.disassemble(data)


CONSTANTS = (
    *(f"f32: {value}" for value in ("2.0", "0.0", "-0.0", "-3.0", "0.5", "1.0e19", "2.0e19")),
    *(f"{type}: 4.0" for type in ("f16", "bf16", "f64")),
    "f64: 18446744073709549568.0",
    "f32: 0x7FC00000",
    "f32: 0x7F800000",
    "i1: true",
    "i1: false",
    "i32: -7",
)


def test_constants():
    """Their names tell their values, where these are integers."""
    lines = [
        f"%r{n} = constant <{value}> : tile<{value.split(':')[0]}>"
        for n, value in enumerate(CONSTANTS)
    ]
    text = "cuda_tile.module @m { entry @k() { " + "\n".join(lines) + "\nreturn } }"
    data = write(tools.parse(text), "13.3")
    assert disassemble(read(data)) == reference.disassemble(data)
