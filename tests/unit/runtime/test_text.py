"""Text that is not ASCII, in names, prints and asserts, is the same at every level."""

import pytest

import tileir_xdsl as tileir
from tileir_xdsl import bytecode
from tileir_xdsl.targets.symbols import ptx_name
from tileir_xdsl.testing import tools

NAME = "größe_🙂.a"
PRINTED = ["größe → 7 漢字 %", "2\t€"]
FAILURE = 'нет: "€"\\'
SOURCE = f"""// комментарий
cuda_tile.module @"möd" {{
  global @"zähler-1" <i32: [2, 3]> : tile<2xi32>
  entry @"{NAME}"(%n: tile<i32>) {{
    print_tko "größe → %d 漢字 %%\\n", %n : tile<i32> -> token
    %g = get_global @"zähler-1" : tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token
    print_tko "%d\\09€\\n", %v : tile<i32> -> token
    %c = cmpi equal %n, %v, signed : tile<i32> -> tile<i1>
    assert %c, "нет: \\"€\\"\\5C" : tile<i1>
    return
  }}
}}
"""
LEVELS = ("cuda_tile", "nv_tileaa", "nv_tileas", "llvm")


def check(program: tileir.Program, level: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(tileir.CompileError) as raised:
        program.run(1, 7, kernel=NAME, level=level)
    assert capsys.readouterr().out.splitlines() == PRINTED
    assert FAILURE in str(raised.value)


@pytest.mark.parametrize("level", LEVELS)
def test_prints_and_asserts(level: str, capsys: pytest.CaptureFixture[str]):
    check(tileir.load(SOURCE, "sm_90a"), level, capsys)


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_printed_is_read_again(level: str, capsys: pytest.CaptureFixture[str]):
    """The text of a level is a program with the same text."""
    text = tileir.load(SOURCE, "sm_90a").lower(level).text
    check(tileir.load(text, "sm_90a"), level, capsys)


def test_bytecode(capsys: pytest.CaptureFixture[str]):
    data = bytecode.write(tileir.load(SOURCE, "sm_90a").module, "13.3")
    check(tileir.load(data, "sm_90a"), "llvm", capsys)


def test_another_reader_of_the_op():
    """xDSL takes text with escapes for bytes where it is not ASCII; the ops do not."""
    assert str(tools.parse(SOURCE)) == str(tools.parse(str(tools.parse(SOURCE))))


def test_what_is_no_text_is_refused():
    with pytest.raises(tileir.CompileError, match="expected string"):
        tileir.load(SOURCE.replace("\\09€", "\\FF"), "sm_90a")


def test_kernels_note_the_name_in_ptx():
    program = tileir.load(SOURCE, "sm_90a")
    compiled = program.compile()
    (kernel,) = compiled.kernels
    assert (kernel.name, kernel.symbol) == (NAME, ptx_name(NAME))
    assert f".visible .entry {kernel.symbol}(" in compiled.text
    assert f"'{kernel.symbol}' in PTX" in repr(compiled)
