"""Programs that run: at every level, watched, and with arguments that are checked before."""

import io
import sys
from typing import Any

import numpy as np
import pytest

import tileir_xdsl as tileir
from tests.unit.cli.test_run import RACE, Terminal
from tileir_xdsl.runtime import tracing
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS

ADD = KERNELS["vector_add"]

ENDLESS = """entry @endless(%p: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %r = loop iter_values(%i = %one) : tile<i32> -> tile<i32> {
    %stop = cmpi less_than %i, %zero, signed : tile<i32> -> tile<i1>
    if %stop {
      break %i : tile<i32>
    }
    continue %one : tile<i32>
  }
  %t = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""


def arrays() -> list[np.ndarray]:
    return [
        np.arange(1000, dtype=np.float32),
        np.ones(1000, np.float32),
        np.zeros(1000, np.float32),
    ]


@pytest.fixture(scope="module")
def program() -> tileir.Program:
    return tileir.load(ADD.text_path, "sm_90a")


@pytest.mark.parametrize("level", [None, "cuda_tile", "nv_tileaa", "nv_tileas", "ptx"])
def test_every_level_writes_into_the_arrays(program: tileir.Program, level: str | None):
    a, b, c = arrays()
    ran = program.run(1, a, b, c, level=level)
    assert (c[:1000] == a + b).all()
    assert (ran.kernel, ran.level, ran.grid, ran.races) == (
        "vector_add",
        level or "cuda_tile",
        (1, 1, 1),
        (),
    )


def test_where_the_program_is(program: tileir.Program):
    a, b, c = arrays()
    assert program.lower("tileas-materialize-async").run((1,), a, b, c).level == "nv_tileas"
    assert program.lower("llvm").run((1, 1), a, b, c).level == "ptx"
    with pytest.raises(tileir.CompileError, match="the program is at level nv_tileas, below cuda_"):
        program.lower("nv_tileas").run(1, a, b, c, level="cuda_tile")


@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_races(level: str):
    program = tileir.load(RACE, "sm_80")
    count = np.zeros(1, np.int32)
    (race, *_) = program.run(2, count, level=level, races=True).races
    assert ("race" in race or "conflict" in race or "load" in race) and race
    assert program.run(1, count, level=level, races=True).races == ()


def test_traces(program: tileir.Program):
    tile, instructions = io.StringIO(), io.StringIO()
    program.run(1, *arrays(), trace=tile)
    assert "cuda_tile.addf: float32[1024] = [1, 2, 3, ..." in tile.getvalue()
    program.run(1, *arrays(), trace=instructions, level="ptx")
    line = next(line for line in instructions.getvalue().splitlines() if "add.rn.f32" in line)
    assert "PTX line " in line and "block (0, 0, 0), warp 0, lane 0, 128 threads: add" in line
    assert line.rpartition(" = ")[2] == "1.0"


@pytest.mark.parametrize(
    ("level", "message"),
    [
        (
            "cuda_tile",
            "<text>:4:3: error: 'cuda_tile.loop' in tile block (0, 0, 0): the time limit",
        ),
        ("ptx", "the time limit of 0.05 s is reached (block (0, 0, 0), warp 0, lane 0)"),
    ],
)
def test_the_watchdog(level: str, message: str):
    program = tileir.load(ENDLESS, "sm_80")
    out = np.zeros(1, np.int32)
    with pytest.raises(tileir.CompileError) as raised:
        program.run(1, out, level=level, time_limit=0.05)
    assert message in str(raised.value)
    with pytest.raises(tileir.CompileError, match=r"exceeds 7 loop iterations|limit of 7 instr"):
        program.run(1, out, level=level, step_limit=7)


@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_progress(level: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tracing.Progress, "DELAY", 0)
    monkeypatch.setattr(tracing.Progress, "PERIOD", 0)
    program = tileir.load(RACE, "sm_80")
    seen: list[tuple[int, int]] = []
    program.run(
        300, np.zeros(1, np.int32), level=level, progress=lambda done, all: seen.append((done, all))
    )
    done = [state[0] for state in seen]
    assert done == sorted(done) and {state[1] for state in seen} == {300}
    assert done[0] == 0 and 0 < done[-1] <= 300
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    program.run(300, np.zeros(1, np.int32), level=level, progress=False)
    assert terminal.getvalue() == ""
    program.run(300, np.zeros(1, np.int32), level=level)
    assert "/300 tile blocks" in terminal.getvalue()


def test_what_takes_no_time_shows_no_progress(program: tileir.Program):
    seen: list[tuple[int, int]] = []
    program.run(1, *arrays(), progress=lambda done, all: seen.append((done, all)))
    assert seen == []


def refused(program: tileir.Program, *arguments: Any, **options: Any) -> str:
    with pytest.raises(tileir.CompileError) as raised:
        program.run(1, *arguments, **options)
    return str(raised.value)


def test_arguments_that_do_not_fit(program: tileir.Program):
    a, b, c = arrays()
    assert "takes 9 arguments, 2 given" in refused(program, a, b)
    assert "argument 0 of 'vector_add': an array of float32" in refused(
        program, a.astype(int), b, c
    )
    assert "expected a number or an array that supports DLPack, got str" in refused(
        program, "a", b, c
    )
    with_two_axes = a.reshape(10, 100)
    assert "takes 9 arguments" in refused(program, with_two_axes, b, c)
    strided = np.zeros(2000, np.float32)[::2]
    assert "has stride 2 in dimension 0, but the kernel is compiled for 1" in refused(
        program, strided, b, c
    )
    with pytest.raises(tileir.CompileError, match="grid: error: expected one to three extents"):
        program.run((1, 1, 1, 1), a, b, c)


def test_alignment_is_checked(program: tileir.Program):
    _, b, c = arrays()
    odd = np.zeros(1001, np.float32)[1:]
    assert refused(program, odd, b, c).endswith(
        "argument 0 of 'vector_add' is not aligned to 16 bytes, as the kernel assumes"
    )
    case = DIVISIBLE["rms_norm"]
    arguments = case.make_arguments(case.typical)
    assert isinstance(arguments[0], np.ndarray)
    arguments[0] = arguments[0][:, :7].copy()
    divisible = tileir.load(case.text_path, "sm_90a")
    assert "is 7, where the kernel assumes a multiple of " in refused(divisible, *arguments)


@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_read_only_arrays(program: tileir.Program, level: str):
    a, b, c = arrays()
    a.flags.writeable = False
    program.run(1, a, b, c, level=level)
    assert (c == a + b).all()
    c[:] = 0
    c.flags.writeable = False
    assert refused(program, a, b, c, level=level).endswith(
        "argument 6 of 'vector_add' is read-only, but the kernel writes it"
    )


def test_options_that_a_level_has_not(program: tileir.Program):
    for message, options in {
        "only level ptx runs on a GPU": {"device": "gpu"},
        "only level cuda_tile has a strict mode": {"strict": True, "level": "nv_tileas"},
        "races are found in program order": {"races": True, "random_order": 1},
        "level sass: error: expected one of cuda_tile, nv_tileaa": {"level": "sass"},
        "race detection and traces need the emulator": {
            "device": "gpu",
            "level": "ptx",
            "races": True,
        },
        "need a level of the interpreter": {"random_order": 1, "level": "ptx"},
    }.items():
        assert message in refused(program, *arrays(), **options)


ASSUMING = """entry @k(%p: tile<ptr<i32>>, %by: tile<i32>) {
  %one = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %aligned = assume div_by<64>, %one : tile<1xptr<i32>>
  %there = offset %aligned, %by1 : tile<1xptr<i32>>, tile<1xi32> -> tile<1xptr<i32>>
  %seven = constant <i32: 7> : tile<1xi32>
  %t = store_ptr_tko weak %there, %seven : tile<1xptr<i32>>, tile<1xi32> -> token
  return
}
""".replace("  %there", "  %by1 = reshape %by : tile<i32> -> tile<1xi32>\n  %there")


def words_at(residue: int) -> np.ndarray:
    """Sixteen words whose address is that modulo 64."""
    memory = np.zeros(64, np.int32)
    first = (residue - memory.ctypes.data) % 64 // 4
    return memory[first : first + 16]


def test_strict_mode_knows_the_addresses_of_arrays():
    program = tileir.load(ASSUMING)
    for residue in (0, 4):
        words = words_at(residue)
        program.run(1, words, 1, level="cuda_tile")
        assert words[1] == 7
    program.run(1, words_at(0), 1, level="cuda_tile", strict=True)
    with pytest.raises(tileir.CompileError, match="is not divisible by 64, as assumed"):
        program.run(1, words_at(4), 1, level="cuda_tile", strict=True)


@pytest.mark.parametrize("by", [-1, 16])
def test_strict_mode_keeps_within_arrays(by: int):
    text = ASSUMING.replace("div_by<64>", "div_by<4>")
    with pytest.raises(tileir.CompileError, match="argument 0"):
        tileir.load(text).run(1, words_at(8), by, level="cuda_tile", strict=True)


def test_a_second_run_lowers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    program = tileir.load(ADD.text_path, "sm_90a")
    program.run(1, *arrays(), level="ptx")

    def refuse(level: str) -> None:
        pytest.fail(f"lowered to {level} again")

    monkeypatch.setattr(program, "lower", refuse)
    a, b, c = arrays()
    program.run(1, a, b, c, level="ptx")
    assert (c == a + b).all()
