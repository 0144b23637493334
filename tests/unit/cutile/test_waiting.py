"""Kernels whose blocks wait for each other, as PTX in the emulator: launches and diagnostics."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.unit.interpreters import waiting_kernels
from tests.unit.interpreters.waiting_kernels import WAITING, cycle, stream_k, two_grid_barriers
from tileir_xdsl import cutile
from tileir_xdsl.runtime.errors import CompileError

BLOCKS = 6


@pytest.mark.one_in(6)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_100a"])
@pytest.mark.parametrize("name", WAITING)
def test_waits_end(name: str, gpu: str):
    case = WAITING[name]
    flags, out = case.arrays(BLOCKS)
    cutile.launch((BLOCKS,), case.kernel, (flags, out), level="ptx", gpu=gpu, progress=False)
    assert (out == case.expected(BLOCKS)).all()


def test_resident_blocks_are_those_of_the_target():
    flags, out = WAITING["stream_k"].arrays(BLOCKS)
    run = cutile.launch((BLOCKS,), stream_k, (flags, out), level="ptx", gpu="sm_90a")
    # 16 blocks of 128 threads on each of 132 multiprocessors.
    assert run.resident_blocks == 16 * 132


def test_too_few_resident_blocks():
    case = WAITING["two_grid_barriers"]
    launch = (8,), two_grid_barriers
    with pytest.raises(CompileError) as caught:
        cutile.launch(*launch, case.arrays(8), level="ptx", resident_blocks=7, progress=False)
    message = str(caught.value)
    found = re.search(
        r"waits at PTX line \d+ \(\S+waiting_kernels\.py:(\d+):\d+\) for byte 0 of argument flags",
        message,
    )
    assert found is not None
    source = Path(waiting_kernels.__file__).read_text().splitlines()
    assert "while ct.atomic_cas(flags, 2 * phase, blocks, blocks)" in source[int(found[1]) - 1]
    assert "1 block has not started: more than 7 resident blocks would help" in message
    flags, out = case.arrays(8)
    run = cutile.launch(*launch, (flags, out), level="ptx", resident_blocks=8, progress=False)
    assert run.resident_blocks == 8
    assert (out == case.expected(8)).all()


def test_deadlock():
    arrays = np.zeros(4, np.int32), np.zeros(4, np.int32)
    with pytest.raises(CompileError, match="more resident blocks would not help"):
        cutile.launch((2,), cycle, arrays, level="ptx", progress=False)


@pytest.mark.parametrize(
    ("level", "count", "message"),
    [("cuda_tile", 4, "only the emulator, at level ptx"), ("ptx", 0, "expected at least 1, got 0")],
)
def test_resident_blocks_that_are_refused(level: str, count: int, message: str):
    arrays = WAITING["stream_k"].arrays(2)
    with pytest.raises(CompileError, match=message):
        cutile.launch((2,), stream_k, arrays, level=level, resident_blocks=count)
