"""Every subcommand on files and numbers that make no sense: one diagnostic, status 1, and no more."""

import io
import random
import re
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import COMMANDS, main
from tileir_xdsl.testing.tools import parse, run_passes, to_text

KERNEL = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The PTX of the kernel."""
    file = tmp_path_factory.mktemp("compiled") / "kernel.ptx"
    assert main(["compile", str(KERNEL), "-o", str(file)]) == 0
    return file


ARGUMENTS = [f"--arg={fill}:f32:100" for fill in ("random", "random", "zeros")]
READ_TEXT = ("compile", "run", "fmt", "asm", "tune", "check")
READ_PTX = ("emulate", "lint")

FILES: dict[str, bytes] = {
    "empty": b"",
    "blank": b"\n \n",
    "zeros": bytes(100),
    "binary garbage": random.Random(1).randbytes(500),
    "not UTF-8": b"entry \xff\xfe",
    "text": b"hello world",
    "open string": b'"abc',
    "many parentheses": b"(" * 20000,
    "too deep": b"module {" * 3000,
    "huge number": b"cuda_tile.module @m { entry @k() { %0 = constant <i32: " + b"9" * 5000,
    "bytecode cut off": b"\x7fTileIR\x00\x0d\x03",
    "bytecode garbage": b"\x7fTileIR\x00\x0d\x03\0\0" + random.Random(2).randbytes(300),
    "generic module without a block": b'"builtin.module"() ({}) : () -> ()',
    "such a module inside": b'module { "builtin.module"() ({}) : () -> () }',
    "two modules of one name": b"cuda_tile.module @m {} cuda_tile.module @m {}",
}


WITHOUT_FILE = (
    "cache",
    "completion",
    "gui",
    "lsp",
    "new",
    "passes",
    "python",
    "sample",
    "server",
    "view",
)
"""Commands that read no file before they begin: `gui` shows what is wrong, `view` takes a folder,
`lsp` is sent its files. `python` executes its file, in processes (`test_python.py`)."""
WITH_FILE = [command for command in COMMANDS if command not in WITHOUT_FILE]
NEEDED: dict[str, Sequence[str]] = {"explain": ("--json",)}
"""Options without which a command does not read its file."""


@pytest.mark.parametrize("command", WITH_FILE)
@pytest.mark.parametrize("name", FILES)
def test_odd_file(command: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "file"
    file.write_bytes(FILES[name])
    assert error_line(capsys, command, *NEEDED.get(command, ()), str(file)).startswith(str(file))


@pytest.mark.parametrize("command", ["compile", "explain", "opt", "fmt"])
def test_a_byte_order_mark_is_read_over(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file, printed = tmp_path / "file", list[str]()
    for mark in (b"", b"\xef\xbb\xbf"):
        file.write_bytes(mark + b"module {}")
        assert main([command, *NEEDED.get(command, ()), str(file)]) == 0
        printed.append(re.sub(r'"seconds":[^,}]+', "", capsys.readouterr().out))
    without, marked = printed
    assert marked == without


@pytest.mark.parametrize("command", WITH_FILE)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "missing: error: No such file or directory"),
        ("", ".: error: Is a directory"),
        ("/", "/: error: Is a directory"),
        ("/proc/self/mem", "/proc/self/mem: error: Input/output error"),
        ("a" * 5000, f"{'a' * 5000}: error: File name too long"),
        ("a\0b", r"a\x00b: error: embedded null byte"),
    ],
)
def test_file_that_cannot_be_read(
    command: str,
    name: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(tmp_path)
    assert error_line(capsys, command, *NEEDED.get(command, ()), name) == message


@pytest.mark.parametrize("command", READ_TEXT)
def test_a_module_without_a_block(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "file"
    file.write_bytes(FILES["generic module without a block"])
    assert error_line(capsys, command, str(file)) == (
        f"{file}:1:1: error: 'builtin.module' op region #0 ('bodyRegion') failed to verify "
        "constraint: region with 1 blocks"
    )


HUGE, LONG = "9" * 50, "9" * 5000
NUMBERS = ("-1", HUGE, LONG, "three", "")
LAUNCHED = ("run", "check", "tune", "emulate")

BAD_OPTIONS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "--seed": (LAUNCHED, NUMBERS),
    "--grid": (LAUNCHED, ("0", "1,0", *NUMBERS)),
    "--break": (("run",), NUMBERS),
    "--step-limit": (("run", "emulate"), ("-1", "0", LONG, "x")),
    "--timeout": (("run", "emulate"), ("-1", "0", "nan", "x")),
    "--save": (("run",), ("x=y.npy", "/", "/dev/full", "missing/a.npy", "a\0b.npy")),
    "--warp-seed": (("emulate",), NUMBERS),
    "--shared": (("emulate",), NUMBERS),
    "--resident-blocks": (("run", "emulate"), ("-1", "0", LONG, "x")),
    "--block": (("emulate",), ("0", "1,1,1,1", *NUMBERS)),
    "--cluster": (("emulate",), ("0", *NUMBERS)),
    "--tensor-map": (("emulate",), ("a", "a=0", "a=x", f"a={LONG}", f"a=1,{LONG}", "b=1")),
    "--box": (("lint",), ("a=-1", f"a={LONG}", "=1", "a=")),
    "--gpu": (("compile", "run", "check", "tune", "lint"), ("sm_1", "", "a\nb")),
    "--warps": (("tune",), ("3", "5", "33", "64", "0", "4,3", "1" + "0" * 21, *NUMBERS)),
    "--ctas": (("tune",), ("0", "32", HUGE, *NUMBERS)),
    "--stages": (("tune",), ("0", "2,0", *NUMBERS)),
    "--seconds": (("check",), ("0", "-1", "nan", "inf", "x", "")),
    "--jobs": (("tune",), ("0", "-1", LONG, "x")),
    "--version": (("asm",), ("1.0", "", LONG)),
    "-o": (("compile", "asm", "fmt"), ("/", "", "missing/x", "/dev/full", "a" * 300, "a\0b")),
}


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [
        pytest.param(command, option, value, id=f"{command} {option} {value[:20]!r}")
        for option, (commands, values) in BAD_OPTIONS.items()
        for command in commands
        for value in dict.fromkeys(values)
    ],
)
def test_odd_option(
    command: str,
    option: str,
    value: str,
    compiled: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(tmp_path)
    given = [f"{option}={value}"] if option.startswith("--") else [option, value]
    file, arguments = str(KERNEL), ARGUMENTS if command in LAUNCHED else []
    if command in READ_PTX:
        file, arguments = str(compiled), arguments and _spelled_out()
    level = ["--level=cuda_tile"] if command == "run" and option == "--step-limit" else []
    error_line(capsys, command, file, *arguments, *level, *given)


def _spelled_out() -> list[str]:
    """The arguments of the kernel with sizes and strides, as a launch of PTX takes them."""
    names = ("a", "b", "sum")
    return [
        text for name in names for text in (f"--arg={name}:zeros:f32:100", "--arg=100", "--arg=1")
    ]


@pytest.mark.parametrize("command", LAUNCHED)
@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("zeros:f32:1000000000000", "the array needs 4000000000000 bytes, but this machine has "),
        ("random:f32:1000000000000", "the array needs 4000000000000 bytes, but this machine has "),
        (
            f"zeros:f32:{'9' * 18}",
            "the array needs 3999999999999999996 bytes, but this machine has ",
        ),
        (f"zeros:f32:{'9' * 18}x{'9' * 18}", "the array needs 399999999999999999"),
        (f"zeros:f32:{LONG}", "expected a number, FILE.npy, zeros:TYPE:SHAPE"),
        (f"zeros:f32:{'x'.join('1' * 100)}", "maximum supported dimension for an ndarray is"),
        ("zeros:f32:-1", "expected a number, FILE.npy, zeros:TYPE:SHAPE"),
        ("zeros:i9:4", "unknown type 'i9'"),
    ],
)
def test_odd_array(
    command: str, argument: str, message: str, compiled: Path, capsys: pytest.CaptureFixture[str]
):
    source = compiled if command == "emulate" else KERNEL
    tracemalloc.start()
    try:
        line = error_line(capsys, command, str(source), "--arg", argument)
        assert tracemalloc.get_traced_memory()[1] < 2**28
    finally:
        tracemalloc.stop()
    assert line.startswith(f"--arg {argument}: error: {message}")


def _array_file() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.zeros(100, np.float32))
    return stream.getvalue()


def test_odd_array_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Bytes of an array file that changed by chance: numpy reads it, or there is one line."""
    draw = random.Random(3)
    whole = _array_file()
    refused = 0
    for _ in range(150):
        contents = bytearray(whole[: draw.choice((len(whole), draw.randrange(len(whole))))])
        for _ in range(draw.randrange(4)):
            contents[draw.randrange(len(contents)) if contents else 0 :][:1] = b""
            if contents:
                contents[draw.randrange(min(len(contents), 128))] = draw.randrange(256)
        file = tmp_path / "a.npy"
        file.write_bytes(contents)
        arguments = [f"--arg={file}", *ARGUMENTS[1:]]
        try:
            np.lib.format.read_array(io.BytesIO(contents), allow_pickle=False)
        except Exception:
            refused += 1
            line = error_line(capsys, "run", str(KERNEL), "--level=cuda_tile", *arguments)
            assert line.startswith(f"{file}: error: ")
    assert refused > 50


@pytest.mark.parametrize(
    ("number", "accepted"),
    [("1e400", True), ("nan", True), ("-inf", True), ("1" + "0" * 400, False), ("0x1p3", False)],
)
def test_odd_numbers_for_a_float(
    number: str, accepted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "kernel.mlir"
    file.write_text("cuda_tile.module @m { entry @k(%x: tile<f32>) { return } }")
    arguments = ["run", str(file), "--level=cuda_tile", f"--arg={number}"]
    if accepted:
        assert main(arguments) == 0
    else:
        assert "error: " in error_line(capsys, *arguments)


PASSES = {
    "nv_tileaa": "convert-cuda-tile-to-tileaa",
    "nv_tileas": "convert-cuda-tile-to-tileaa,canonicalize,convert-tileaa-to-tileas",
    "ptx": "tileir-pipeline{gpu=sm_90a}",
}
LEVELS = ("cuda_tile", *PASSES)


def lowered(level: str, folder: Path) -> Path:
    """A file with the kernel at a level; `ptx` is that of the `llvm` dialect."""
    file = folder / f"{level}.mlir"
    file.write_text(to_text(run_passes(parse(KERNEL.read_text()), PASSES[level])))
    return file


@pytest.mark.one_in(3)
@pytest.mark.parametrize("level", PASSES)
@pytest.mark.parametrize("wanted", LEVELS)
def test_run_at_a_level_that_the_file_is_below(
    level: str, wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = lowered(level, tmp_path)
    arguments = ["run", str(file), "--level", wanted, *ARGUMENTS]
    if LEVELS.index(wanted) >= LEVELS.index(level):
        assert main(arguments) == 0
    else:
        line = error_line(capsys, *arguments)
        at = "llvm" if level == "ptx" else level
        assert line == f"{file}: error: the program is at level {at}, below {wanted}"


@pytest.mark.parametrize("level", ["nv_tileaa", "nv_tileas"])
def test_check_has_no_rows_for_levels_above_the_file(
    level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["check", str(lowered(level, tmp_path)), *ARGUMENTS]) == 0
    rows = capsys.readouterr().out.splitlines()
    first = next(number for number, row in enumerate(rows) if row.startswith(level))
    assert [row.split()[0] for row in rows[first:]] == list(LEVELS[LEVELS.index(level) :])
    assert not [row for row in rows if row.split()[0] in LEVELS[: LEVELS.index(level)]]


def test_check_has_nothing_to_compare_below_the_last_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = lowered("ptx", tmp_path)
    line = error_line(capsys, "check", str(file), *ARGUMENTS)
    assert line == f"{file}: error: there is no level below ptx to compare with"


@pytest.mark.parametrize("level", PASSES)
def test_only_the_first_level_is_tuned(
    level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    line = error_line(capsys, "tune", str(lowered(level, tmp_path)), *ARGUMENTS)
    assert line.endswith(
        f"error: only a program at level cuda_tile can be tuned, but this is at {level}"
    )


def test_an_argument_of_thousands_of_digits(capsys: pytest.CaptureFixture[str]):
    """No infinity."""
    assert main(["run", str(KERNEL), "--arg", "9" * 5000]) == 1
    message = "expected a number of at most 4300 characters"
    assert capsys.readouterr().err == f"--arg {'9' * 20}...: error: {message}\n"
