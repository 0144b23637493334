"""`tileir run`: random orders, races, traces, stops, strict mode, arrays with their strides."""

import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.testing.kernels.generate import bytecode

VECTOR_ADD = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")
ARRAYS = ["--arg", "random:f32:1000", "--arg", "random:f32:1000", "--arg", "sum:zeros:f32:1000"]

DIVIDE = """entry @divide(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %one = constant <i32: 1> : tile<i32>
  %q = divi %one, %n signed : tile<i32>
  %r = loop iter_values(%i = %n) : tile<i32> -> tile<i32> {
    %stop = cmpi greater_than %i, %one, signed : tile<i32> -> tile<i1>
    if %stop {
      break %i : tile<i32>
    }
    %next = addi %i, %one : tile<i32>
    continue %next : tile<i32>
  }
  %s = addi %q, %r : tile<i32>
  %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""

RACE = """entry @count(%p: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %w = addi %v, %one : tile<i32>
  %u = store_ptr_tko weak %p, %w token=%t : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""


@pytest.fixture
def divide(tmp_path: Path) -> str:
    file = tmp_path / "divide.mlir"
    file.write_text(DIVIDE)
    return str(file)


@pytest.fixture
def race(tmp_path: Path) -> str:
    file = tmp_path / "race.mlir"
    file.write_text(RACE)
    return str(file)


def output(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """What `tileir` prints, which must end with `status` and print no error."""
    assert main(arguments) == status
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


@pytest.mark.parametrize("source", ["text", "bytecode"])
def test_arrays_bring_their_sizes_and_strides(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    case = KERNELS["transpose"]
    x, out, *_ = case.make_arguments(case.typical)
    assert isinstance(x, np.ndarray)
    assert isinstance(out, np.ndarray)
    file = tmp_path / "transpose.tileirbc"
    file.write_bytes(bytecode(case, "13.3"))
    path = str(file) if source == "bytecode" else str(case.text_path)
    np.save(tmp_path / "x.npy", x)
    rows, columns = out.shape
    grid = ",".join(map(str, case.grid(case.typical)))
    arguments = ["--arg", f"{tmp_path}/x.npy", "--arg", f"out:zeros:f16:{rows}x{columns}"]
    saved = ["--save", f"{tmp_path}/out.npy"]
    text = output(capsys, "run", path, "--level=cuda_tile", "--grid", grid, *arguments, *saved)
    assert np.array_equal(np.load(tmp_path / "out.npy"), x.T)
    assert text.startswith("transpose: ")
    assert f"\nout: float16[{rows}x{columns}] = [" in text


@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileaa", "nv_tileas"])
def test_random_order(level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    options = ["--level", level, "--order", "random", "--grid", "3", "--seed", "5"]
    output(capsys, "run", VECTOR_ADD, *options, *ARRAYS, "--save", f"{tmp_path}/r.npy")
    plain = ["--level", "cuda_tile", "--grid", "3", "--seed", "5"]
    output(capsys, "run", VECTOR_ADD, *plain, *ARRAYS, "--save", f"{tmp_path}/p.npy")
    assert np.array_equal(np.load(tmp_path / "r.npy"), np.load(tmp_path / "p.npy"))


def test_no_races(capsys: pytest.CaptureFixture[str]):
    text = output(capsys, "run", VECTOR_ADD, "--races", *ARRAYS)
    assert "race" not in text
    assert "(cuda_tile)\n" in text


def test_races_are_reported_with_both_lines(race: str, capsys: pytest.CaptureFixture[str]):
    arguments = ["run", race, "--races", "--grid", "2", "--arg", "zeros:i32:1"]
    lines = output(capsys, *arguments, status=1).splitlines()
    assert lines[-1] == (
        f"race: 'cuda_tile.store_ptr_tko' at {race}:5:3 in tile block (0, 0, 0) and "
        f"'cuda_tile.store_ptr_tko' at {race}:5:3 in tile block (1, 0, 0) both access byte 0 of "
        "argument 0, and nothing orders them"
    )
    assert f"'cuda_tile.load_ptr_tko' at {race}:3:3" in lines[-2]


BUFFER = "tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>"
ROWS = "tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>"
COLUMNS = "tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>"
MEMREF = "!nv_tileaa.memref<128xf32, strides = [1]>"
VIEW = f"!nv_tileaa.tiled_view<128xf32, {MEMREF}>"
NO_BARRIER = f"""
builtin.module attributes {{nv_tileaa.target_spec = "sm_90a"}} {{
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f32>) attributes {{nv_tileas.synchronized, nv_tileas.smem_bytes = 512 : i32,
    nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32,
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
  %x = arith.constant dense<1.0> : {ROWS}
  %a = nv_tileas.alloc_tensor {{nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>}}
    : {BUFFER}
  %w = nv_tileas.copy %x into %a : {ROWS} into {BUFFER} -> {BUFFER}
  %r = nv_tileas.convert_layout %w : {BUFFER} -> {COLUMNS}
  %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> {MEMREF}
  %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]}}
    : {MEMREF} -> {VIEW}
  %zero = arith.constant 0 : index
  nv_tileas.tiled_store weak %r, %v[%zero] {{atom = #nv_tileas<atom stg_32>,
    nv_tileas.layout = <(1, 32, 4, 1), (0, 4, 1, 0)>}} : {COLUMNS}, {VIEW}[index]
  nv_tileaa.return
}}
}}
"""


@pytest.mark.parametrize(
    "command", [["run", "--level=nv_tileas", "--races"], ["check", "--no-races"], ["check"]]
)
def test_a_missing_barrier_is_a_race(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "no_barrier.mlir"
    file.write_text(NO_BARRIER)
    finds = "--no-races" not in command
    text = output(
        capsys,
        *command,
        str(file),
        "--grid=1",
        "--gpu=sm_90a",
        "--arg=zeros:f32:128",
        status=int(finds),
    )
    found = (
        f"#2 nv_tileas.copy %w at {file}:9:3 writes and #3 nv_tileas.convert_layout %r at "
        f"{file}:10:3 reads bytes 0 to 511 of shared memory in tile block (0, 0, 0), and no "
        "barrier is between them\n"
    )
    assert (found in text) is finds


def test_trace(divide: str, capsys: pytest.CaptureFixture[str]):
    lines = output(
        capsys, "run", divide, "--trace", "--grid=2", "--arg", "q:zeros:i32:1", "--arg", "1"
    ).splitlines()
    assert lines[:10] == [
        "tile block (0, 0, 0)",
        f"{divide}:2:3: %one = cuda_tile.constant: 1",
        f"{divide}:3:3: %q = cuda_tile.divi: 1",
        f"{divide}:5:5:   %stop = cuda_tile.cmpi: False",
        f"{divide}:6:5:   cuda_tile.if",
        f"{divide}:9:5:   %next = cuda_tile.addi: 2",
        f"{divide}:5:5:   %stop = cuda_tile.cmpi: True",
        f"{divide}:4:3: %r = cuda_tile.loop: 2",
        f"{divide}:12:3: %s = cuda_tile.addi: 3",
        f"{divide}:13:3: %t = cuda_tile.store_ptr_tko: token",
    ]
    assert "tile block (1, 0, 0)" in lines
    assert lines[-1] == "q: int32[1] = [3]"


def test_stop_and_look(
    divide: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    commands = "l\np stop\nprint %nothing\nhop\n\nstep\np %stop\nc\nhelp\nquit\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(commands))
    text = output(
        capsys, "run", divide, "--break", "5", "--arg", "zeros:i32:1", "--arg", "1", status=1
    )
    assert f"{divide}:5:5: tile block (0, 0, 0): %stop = cuda_tile.cmpi %i, %one\n" in text
    assert "> %one: 1\n%n: 1\n%q: 1\n%i: 1\n" in text
    assert "> no value %stop so far, try list\n" in text
    assert "> no value %nothing so far, try list\n" in text
    assert "> no command 'hop', try help\n" in text
    assert f"{divide}:6:5: tile block (0, 0, 0): cuda_tile.if %stop\n" in text
    assert "> %stop: !cuda_tile.tile<i1>\nFalse\n" in text
    assert text.count(f"{divide}:5:5: tile block") == 2
    assert "> step        run this op" in text
    assert text.endswith("divide: stopped\n")


def test_end_of_commands_ends_the_launch(
    divide: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "stdin", io.StringIO("continue\n"))
    arguments = ["run", divide, "--break=2", "--grid=2", "--arg", "zeros:i32:1", "--arg", "1"]
    text = output(capsys, *arguments, status=1)
    assert [m[1] for m in re.finditer(r"block \((\d), 0, 0\)", text)] == ["0", "1"]


def test_strict_mode(divide: str, capsys: pytest.CaptureFixture[str]):
    arguments = ["run", divide, "--arg", "q:zeros:i32:1", "--arg", "0"]
    assert "q: int32[1] = [1]" in output(capsys, *arguments, "--level", "cuda_tile")
    assert error_line(capsys, *arguments, "--strict") == (
        f"{divide}:3:3: error: 'cuda_tile.divi' in tile block (0, 0, 0): undefined behaviour: "
        "is divided by zero"
    )


@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileaa"])
def test_step_limit(level: str, divide: str, capsys: pytest.CaptureFixture[str]):
    arguments = ["run", divide, "--level", level, "--arg", "zeros:i32:1", "--arg=-99"]
    output(capsys, *arguments)
    line = error_line(capsys, *arguments, "--step-limit", "50")
    assert line.startswith(f"{divide}:4:3: error: ")
    assert "the tile block exceeds 50 loop iterations; step_limit (--step-limit)" in line


def test_step_limit_of_ptx(capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "run", VECTOR_ADD, "--step-limit", "10", *ARRAYS)
    assert "the step limit of 10 instructions is reached" in line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress(race: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tileir_xdsl.runtime.tracing.Progress.DELAY", 0)
    monkeypatch.setattr("tileir_xdsl.runtime.tracing.Progress.PERIOD", 0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["run", race, "--level=cuda_tile", "--grid", "4", "--arg", "zeros:i32:1"]) == 0
    states = terminal.getvalue().split("\r")
    assert states[1] == f"[{'.' * 40}] 0/4 tile blocks"
    assert states[4] == f"[{'#' * 30}{'.' * 10}] 3/4 tile blocks"
    assert states[-1] == "\x1b[K"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--level=ptx", "--order=random"], "level ptx: error: random orders and breakpoints "),
        (["--level=ptx", "--break=3"], "level ptx: error: random orders and breakpoints need"),
        (
            ["--level=ptx", "--trace", "--device=gpu"],
            "device gpu: error: race detection and traces",
        ),
        (
            ["--level=nv_tileaa", "--strict"],
            "level nv_tileaa: error: only level cuda_tile has a strict",
        ),
        (
            ["--races", "--order=random"],
            "--races: error: races are detected only in program order, not",
        ),
        (["--break=9999"], "--break 9999: error: there is no op on this line"),
        (["--break=x"], "tileir run: error: argument --break: invalid int value: 'x'"),
        (["--step-limit=0"], "--step-limit 0: error: expected a positive number"),
        (["--order=some"], "tileir run: error: argument --order: invalid choice: 'some'"),
        (
            ["--level=cuda_tile", "--grid=16777216"],
            f"{VECTOR_ADD}: error: the grid must be three sizes from 1 to 16777215, but got "
            "(16777216, 1, 1)",
        ),
        (["--grid=0"], "--grid 0: error: expected extents of at least 1"),
    ],
)
def test_wrong_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert error_line(capsys, "run", VECTOR_ADD, *options, *ARRAYS).startswith(message)


def test_break_and_standard_input(capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "run", "-", "--break", "3")
    assert (
        line == "--break: error: the standard input holds the kernel, not commands of the debugger"
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a"])
def test_the_llvm_level_runs_as_ptx(gpu: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = (
        REPOSITORY
        / "tileir_xdsl"
        / "testing"
        / "kernels"
        / "divisible"
        / "matmul_f16_warpgroup.mlir"
    )
    low = tmp_path / "kernel.mlir"
    assert main(["compile", str(source), "--gpu", gpu, "--emit", "llvm", "-o", str(low)]) == 0
    inputs = ["--arg", "random:f16:64x64", "--arg", "random:f16:64x64"]
    options = [*inputs, "--arg", "c:zeros:f16:64x64", "--gpu", gpu]
    printed: list[str] = []
    for file, level in ((source, "ptx"), (source, "llvm"), (low, "llvm"), (low, "ptx")):
        assert main(["run", str(file), "--level", level, *options]) == 0
        printed.append(capsys.readouterr().out.partition("\n")[2])
    assert len(set(printed)) == 1
    # Without --gpu the target is that of the program.
    assert main(["run", str(low), *options[:-2]]) == 0
    assert capsys.readouterr().out.partition("\n")[2] == printed[0]
