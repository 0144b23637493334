"""Whatever is wrong with the input of `tileir`: one line, exit status 1, no traceback."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main

KERNEL = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir"
TEXT = KERNEL.read_text(encoding="utf-8")

ARRAY = ["--arg", "random:f32:1000", "--arg", "1000", "--arg", "1"]
ARGUMENTS = [*ARRAY, *ARRAY, *ARRAY]


def error_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Runs `tileir`, which must fail with exactly one line; returns the line."""
    capsys.readouterr()
    try:
        status = main(arguments)
    except SystemExit as exit:
        status = exit.code
    captured = capsys.readouterr()
    assert status == 1
    assert captured.err.count("\n") == 1
    assert captured.err.endswith("\n")
    return captured.err[:-1]


def place(text: str, marker: str) -> str:
    """`LINE:COL` of the first occurrence of `marker` in `text`."""
    position = text.index(marker)
    line_start = text.rfind("\n", 0, position) + 1
    return f"{text.count(chr(10), 0, position) + 1}:{position - line_start + 1}"


def statement(text: str, marker: str) -> str:
    """`LINE:COL` of the first letter of the line that holds `marker`."""
    line, _ = place(text, marker).split(":")
    content = text.splitlines()[int(line) - 1]
    return f"{line}:{len(content) - len(content.lstrip()) + 1}"


@dataclass(frozen=True)
class BadText:
    """`old` replaced by `new`, where the error then is, and how its message starts."""

    old: str
    new: str
    where: Callable[[str], str]
    message: str


BAD_TEXT = {
    "syntax error": BadText(
        "= make_token : token",
        "= make_token ) token",
        lambda text: place(text, ") token"),
        "",
    ),
    "unknown op": BadText(
        "= addf ",
        "= addg ",
        lambda text: statement(text, "= addg"),
        "Operation addg is not registered",
    ),
    "unknown value": BadText(
        "addf %tile,",
        "addf %tail,",
        lambda text: place(text, "%tail"),
        "use of undeclared SSA value name",
    ),
    "wrong type": BadText(
        "addf %tile, %tile_10  : tile<1024xf32>",
        "addf %tile, %tile_10  : tile<512xf32>",
        lambda text: place(text, "%tile, %tile_10  :"),
        "use of value '%tile' expects different type than prior uses: ",
    ),
}


@pytest.mark.parametrize("case", BAD_TEXT)
@pytest.mark.parametrize("command", ["compile", "run", "check"])
def test_bad_text(case: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    bad = BAD_TEXT[case]
    assert bad.old in TEXT
    text = TEXT.replace(bad.old, bad.new, 1)
    file = tmp_path / "kernel.mlir"
    file.write_text(text)
    line = error_line(capsys, command, str(file))
    assert line.startswith(f"{file}:{bad.where(text)}: error: {bad.message}")


@pytest.mark.parametrize("command", ["compile", "run", "check"])
@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (None, "No such file or directory"),
        (b"\x7fTileIR\x00\x0d\x03", "unexpected end of data (header, offset 10)"),
        (b"entry \xff", "the file is not UTF-8 text"),
    ],
)
def test_bad_file(
    command: str,
    contents: bytes | None,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    file = tmp_path / "kernel.mlir"
    if contents is not None:
        file.write_bytes(contents)
    assert error_line(capsys, command, str(file)) == f"{file}: error: {message}"


def test_empty_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "kernel.mlir"
    file.write_text("")
    expected = f"{file}:1:1: error: expected an operation"
    assert error_line(capsys, "compile", str(file)) == expected


def test_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert error_line(capsys, "compile", str(tmp_path)) == f"{tmp_path}: error: Is a directory"


@pytest.mark.parametrize("command", ["compile", "run", "check"])
@pytest.mark.parametrize("gpu", ["sm_1", "90b", "", "gfx90a"])
def test_unknown_target(command: str, gpu: str, capsys: pytest.CaptureFixture[str]):
    options = ARGUMENTS if command == "run" else []
    line = error_line(capsys, command, str(KERNEL), "--gpu", gpu, *options)
    assert line.startswith(f"{KERNEL}: error: ")
    assert f"'{gpu}'" in line


@pytest.mark.parametrize("command", ["run", "check"])
def test_unknown_kernel(command: str, capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, command, str(KERNEL), "--kernel", "vector_sub", *ARGUMENTS)
    assert line == f"{KERNEL}: error: there is no kernel 'vector_sub', only 'vector_add'"


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize("count", [1, 8, 10])
def test_wrong_argument_count(command: str, count: int, capsys: pytest.CaptureFixture[str]):
    values = itertools.islice(itertools.cycle(ARGUMENTS[1::2]), count)
    options = [option for value in values for option in ("--arg", value)]
    line = error_line(capsys, command, str(KERNEL), *options)
    entry = statement(TEXT, "entry @")
    assert line == (
        f"{KERNEL}:{entry}: error: vector_add(ptr<f32>, i32, i32, ptr<f32>, i32, i32, ptr<f32>, "
        f"i32, i32) takes 9 arguments, {count} given"
    )


@pytest.mark.parametrize(
    ("index", "value", "message"),
    [
        (0, "random:f64:1000", "an array of float32 (ptr<f32>) is expected, an array of float64"),
        (3, "random:i32:1000", "an array of float32 (ptr<f32>) is expected, an array of int32"),
        (6, "1000", "an array (ptr<f32>) is expected, the number 1000 is given"),
        (1, "random:i32:4", "a number of type i32 is expected, an array of int32 is given"),
        (1, "1.5", "1.5 is not a number of type i32"),
        (2, "0x100000000", "4294967296 is not a number of type i32"),
        (2, "-2147483649", "-2147483649 is not a number of type i32"),
    ],
)
def test_wrong_argument_type(
    index: int, value: str, message: str, capsys: pytest.CaptureFixture[str]
):
    options = [*ARGUMENTS]
    options[2 * index + 1] = value
    line = error_line(capsys, "run", str(KERNEL), *options)
    entry = statement(TEXT, "entry @")
    start = f"{KERNEL}:{entry}: error: argument {index} of 'vector_add': {message}"
    assert line.startswith(start)


def test_wrong_array_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "a.npy"
    np.save(file, np.zeros(1000))
    line = error_line(capsys, "run", str(KERNEL), *ARGUMENTS[:-6], "--arg", str(file), *ARRAY[2:])
    assert "an array of float32 (ptr<f32>) is expected, an array of float64 is given" in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--grid", "8,x"], "--grid 8,x: error: expected X, X,Y or X,Y,Z"),
        (["--grid", "1,2,3,4"], "--grid 1,2,3,4: error: expected X, X,Y or X,Y,Z"),
        (["--grid", "-1"], "--grid -1: error: expected X, X,Y or X,Y,Z"),
        (["--save", "b=x.npy"], "--save b=x.npy: error: there is no array argument called 'b'"),
        (["--save", "no/x.npy"], "no/x.npy: error: No such file or directory"),
    ],
)
def test_wrong_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    flag, value = options
    arguments = ["run", str(KERNEL), "--level", "cuda_tile", *ARGUMENTS, f"{flag}={value}"]
    assert error_line(capsys, *arguments) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["link"], "tileir: error: argument COMMAND: invalid choice: 'link'"),
        (["compile"], "tileir compile: error: the following arguments are required: FILE"),
        (["compile", "x", "--fast"], "tileir: error: unrecognized arguments: --fast"),
        (["run", "x", "--level", "sass"], "tileir run: error: argument --level: invalid choice"),
    ],
)
def test_wrong_command_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert error_line(capsys, *arguments).startswith(message)


def test_without_a_command_there_is_the_help(capsys: pytest.CaptureFixture[str]):
    assert main([]) == 2
    printed, said = capsys.readouterr()
    assert printed == "" and said.startswith("usage: tileir ")
    assert "compile" in said and "Compile Tile IR to PTX" in said


def test_output_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    output = tmp_path / "missing" / "out.ptx"
    line = error_line(capsys, "compile", str(KERNEL), "-o", str(output))
    assert line == f"{output}: error: No such file or directory"
