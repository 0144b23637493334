"""Processes that say nothing, end, or are late, on both clocks."""

import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from bench.pack.runner.clock import Clock, SimulatedClock, WallClock
from bench.pack.runner.processes import Worker, WorkerLost

LINE = 'import os; os.write({fd}, b\'{{"ready": 1, "spent": {spent}}}\\n\');'
LONG = "import time; time.sleep(60)"


@contextmanager
def worker(clock: Clock, script: str) -> Generator[Worker]:
    """A process that runs a script with the descriptor `fd` for its lines."""
    ours, theirs = os.pipe()
    command = [sys.executable, "-c", script.format(fd=theirs, spent=4)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(theirs,))
    os.close(theirs)
    found = Worker(process, ours, clock, False, clock.now())
    try:
        yield found
    finally:
        found.stop()


def test_silence_ends_in_time() -> None:
    begun = time.monotonic()
    with worker(WallClock(), LONG) as silent:
        with pytest.raises(WorkerLost, match=r"no answer after 0\.5 s") as lost:
            silent.line(0.5)
        assert lost.value.status == "hung"
    assert time.monotonic() - begun < 20


def test_silence_after_lines_ends_in_time() -> None:
    with worker(WallClock(), (LINE + LONG)) as silent:
        assert silent.line(30) == {"ready": 1}
        answer = silent.ask({"item": "d/x"}, 0.3, WallClock().now() + 60)
        assert (answer.lost, answer.who, answer.result["status"]) == (True, None, "hung")


@pytest.mark.parametrize("clock", [WallClock(), SimulatedClock()], ids=["wall", "simulated"])
def test_an_end_is_a_crash(clock: Clock) -> None:
    with worker(clock, LINE + "raise SystemExit(3)") as ended:
        ended.line(30)
        with pytest.raises(WorkerLost, match="ended with 3") as lost:
            ended.line(30)
        assert lost.value.status == "crash"
        with pytest.raises(WorkerLost, match="was gone"):
            ended.send({"item": "d/x"})


def test_what_is_charged_is_when_a_line_arrives() -> None:
    clock = SimulatedClock(at=100.0)
    with worker(clock, LINE + LINE + LONG) as charged:
        clock.charge(1.0)
        assert charged.line(30) == {"ready": 1}
        # The process has worked meanwhile.
        assert clock.now() == 104.0
        with pytest.raises(WorkerLost, match="no answer after 3 s"):
            charged.line(3)
        assert clock.now() == 107.0
