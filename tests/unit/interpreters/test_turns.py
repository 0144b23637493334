"""Tile blocks that wait for each other: the class of such kernels at every level, against numpy."""

import io
from itertools import product
from typing import Any

import cuda.tile as ct
import numpy as np
import pytest

from tests.unit.interpreters.waiting_kernels import (
    WAITING,
    cycle,
    later_by_swap,
    never_stops_counting,
)
from tileir_xdsl import cutile
from tileir_xdsl.interpreters import InterpreterError, agents, launch
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.case import kernel

BLOCKS = 6
LEVELS = ("cuda_tile", "nv_tileaa", "nv_tileas")


def few_zeros() -> tuple[Array, Array]:
    """Flags and results."""
    return np.zeros(4, np.int32), np.zeros(4, np.int32)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", WAITING)
def test_waits_end(name: str, level: str):
    case = WAITING[name]
    flags, out = case.arrays(BLOCKS)
    cutile.launch((BLOCKS,), case.kernel, (flags, out), level=level, time_limit=60, progress=False)
    assert (out == case.expected(BLOCKS)).all()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileas"])
@pytest.mark.parametrize("name", WAITING)
def test_random_orders(name: str, level: str):
    case = WAITING[name]
    arrays = case.arrays(BLOCKS)
    program = cutile.load(case.kernel, arrays)
    for seed in (1, 2):
        flags, out = case.arrays(BLOCKS)
        program.run(BLOCKS, flags, out, level=level, random_order=seed, time_limit=60)
        assert (out == case.expected(BLOCKS)).all()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileas"])
@pytest.mark.parametrize("name", WAITING)
def test_no_races(name: str, level: str):
    case = WAITING[name]
    flags, out = case.arrays(BLOCKS)
    program = cutile.load(case.kernel, (flags, out))
    found = program.run(BLOCKS, flags, out, level=level, races=True, time_limit=60)
    assert found.races == ()
    assert (out == case.expected(BLOCKS)).all()


@kernel
def relaxed_stream_k(flags: Any, out: Any) -> None:
    block = ct.bid(0)
    if block == 1:
        ct.scatter(flags, 1, 7)
        ct.atomic_xchg(flags, 0, 1, memory_order=ct.MemoryOrder.RELAXED)
    else:
        while ct.atomic_cas(flags, 0, 1, 1) != 1:
            pass
        ct.scatter(out, 0, ct.gather(flags, 1))


@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileas"])
def test_a_race_of_blocks_that_take_turns(level: str):
    flags, out = np.zeros((2, 2), np.int32)
    program = cutile.load(relaxed_stream_k, (flags, out))
    (race,) = program.run(2, flags, out, level=level, races=True, time_limit=60).races
    assert "in tile block (1, 0, 0)" in race
    assert "in tile block (0, 0, 0) both access byte 4" in race


FLAGS = 3


@kernel
def waits_for_some(flags: Any, out: Any) -> None:
    # Block 0 waits until so many flags are set as `out` begins with; each of the others has one.
    block = ct.bid(0)
    if block == 0:
        wanted, found = ct.gather(out, 0), 0
        while found < wanted:
            found = 0
            for flag in range(FLAGS):
                found += ct.atomic_cas(flags, flag, 2, 2)
        ct.scatter(out, 0, -found)
    else:
        ct.atomic_xchg(flags, block - 1, ct.gather(out, block))


def test_waits_for_any_number_of_flags():
    """The values that are written, of which zero changes nothing, decide whether the wait ends."""
    flags, out = np.zeros(FLAGS, np.int32), np.zeros(1 + FLAGS, np.int32)
    program = cutile.load(waits_for_some, (flags, out))
    for wanted, *written in product((1, 2, 3), *[(0, 1)] * FLAGS):
        flags[:], out[:] = 0, (wanted, *written)
        ends = sum(written) >= wanted
        try:
            program.run(1 + FLAGS, flags, out, level="nv_tileaa", time_limit=60)
        except CompileError as error:
            assert not ends and "deadlock: no tile block can go on" in str(error)
        else:
            assert ends and wanted <= -out[0] <= sum(written)


@pytest.mark.parametrize("level", LEVELS)
def test_deadlock(level: str):
    loop = "cuda_tile.loop" if level == "cuda_tile" else "scf.while"
    with pytest.raises(CompileError) as caught:
        cutile.launch((2,), cycle, few_zeros(), level=level, progress=False)
    message = str(caught.value)
    assert "deadlock: no tile block can go on" in message
    assert "more at once would not help" in message
    for block, byte in ((0, 4), (1, 0)):
        where = f"tile block ({block}, 0, 0) waits in '{loop}' at "
        assert f"for byte {byte} of argument flags" in message.split(where)[1].split(";")[0]


@pytest.mark.parametrize("level", LEVELS)
def test_livelock_ends_at_the_step_limit(level: str):
    with pytest.raises(CompileError, match="the tile block exceeds 500 loop iterations"):
        cutile.launch((2,), never_stops_counting, few_zeros(), level=level, step_limit=500)


def test_time_limit():
    with pytest.raises(CompileError, match=r"the time limit of 0\.2 s is reached"):
        cutile.launch((2,), never_stops_counting, few_zeros(), time_limit=0.2, progress=False)


def test_more_blocks_than_begin_at_once(monkeypatch: pytest.MonkeyPatch):
    """Every block waits for the next one, so that all must begin."""
    monkeypatch.setattr(agents, "_MOST_BEGUN", 2)
    flags, out = np.zeros(24, np.int32), np.zeros(10, np.int32)
    cutile.launch((10,), later_by_swap, (flags, out), time_limit=60, progress=False)
    assert (out == np.arange(1, 11)).all()


def test_trace_says_which_block_goes_on():
    trace = io.StringIO()
    flags, out = np.zeros(4, np.int32), np.zeros(2, np.int32)
    cutile.launch((2,), later_by_swap, (flags, out), trace=trace)
    headers = [line for line in trace.getvalue().splitlines() if line.startswith("tile block")]
    assert headers == [
        "tile block (0, 0, 0)",
        "tile block (1, 0, 0)",
        "tile block (0, 0, 0) goes on",
    ]


IN_A_FUNCTION = """
nv_tileaa.func @wait(%p: !nv_tileaa.ptr<i32>, %n: i32) {
  scf.while () : () -> () {
    %v, %t = nv_tileaa.load ORDER %p : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
    %c = arith.cmpi ne, %v, %n : i32
    scf.condition(%c)
  } do { scf.yield }
  nv_tileaa.return
}
nv_tileaa.func @k(%p: !nv_tileaa.ptr<i32>) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %one = arith.constant 1 : i32
  %x = nv_tileaa.get_program_id 0 : i32
  %n = nv_tileaa.get_num_programs 0 : i32
  %y = arith.subi %n, %x : i32
  %z = arith.subi %y, %one : i32
  nv_tileaa.call @wait(%p, %z) : (!nv_tileaa.ptr<i32>, i32) -> ()
  %t = nv_tileaa.store weak %p, %y : !nv_tileaa.ptr<i32>, i32 -> !nv_tileaa.mem_token
  nv_tileaa.return
}
"""
"""The last block goes first."""


@pytest.mark.parametrize("order", ["weak", "relaxed gpu", "acquire gpu"])
def test_wait_in_a_function(order: str):
    count = np.zeros(1, np.int32)
    launch(
        tools.parse(IN_A_FUNCTION.replace("ORDER", order)), "k", (4, 1, 1), [count], time_limit=60
    )
    assert count == 4


def test_deadlock_in_a_function():
    count = np.full(1, 7, np.int32)
    with pytest.raises(InterpreterError, match="deadlock: no tile block can go on"):
        launch(
            tools.parse(IN_A_FUNCTION.replace("ORDER", "relaxed gpu")),
            "k",
            (4, 1, 1),
            [count],
            time_limit=60,
        )
