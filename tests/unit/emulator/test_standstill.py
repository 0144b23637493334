"""Blocks that wait for others: which end, and what is said of those that never do."""

from typing import Any

import numpy as np
import pytest

from tests.unit.emulator.waiting_ptx import EARLIER, ONE_THREAD, PAIRS, READS, kernel, later
from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError, standstill

BLOCKS = 6


def launch(text: str, blocks: int = BLOCKS, **modes: Any) -> emulator.LaunchStatistics:
    """Runs a kernel, and checks what it stores."""
    flags, out = np.zeros(blocks + 1, np.uint32), np.zeros(blocks, np.uint32)
    statistics = emulator.load(text).launch("k", (blocks,), [flags, out], **modes)
    assert (out == np.arange(1, blocks + 1)).all()
    return statistics


@pytest.mark.parametrize("mode", [{}, {"races": True}, {"warp_seed": 1}, {"late": True}])
@pytest.mark.parametrize("text", [*map(later, READS), ONE_THREAD, EARLIER, PAIRS])
def test_waits_end(text: str, mode: dict[str, Any]):
    launch(text, **mode)


@pytest.mark.parametrize(("text", "resident"), [(EARLIER, 1), (EARLIER, 4), (PAIRS, 2), (PAIRS, 3)])
def test_blocks_start_as_others_end(text: str, resident: int):
    statistics = launch(text, 24, resident_blocks=resident)
    assert statistics.resident_blocks == resident


def test_many_blocks_are_resident_where_they_wait():
    """More than are quick to run: 8,192 threads."""
    assert launch(later("load"), 150).resident_blocks == 150


def test_clusters_start_together():
    text = PAIRS.replace(".reqntid", ".reqnctapercluster 2 .reqntid")
    assert launch(text, 24, resident_blocks=5).resident_blocks == 4


def deadlock(text: str, blocks: int, **modes: Any) -> EmulatorError:
    with pytest.raises(EmulatorError, match="deadlock: no block can go on") as caught:
        launch(text, blocks, **modes)
    return caught.value


@pytest.mark.parametrize("text", [*map(later, READS), ONE_THREAD])
def test_more_resident_blocks_would_help(text: str):
    error = deadlock(text, 8, resident_blocks=5)
    assert error.line == 1 + text[: text.index("%own+4")].count("\n")
    assert error.location is not None and error.location.block == (0, 0, 0)
    assert f"waits at PTX line {error.line} for byte 4 of argument 0" in error.message
    assert "block (1, 0, 0), warp 0, lane 0 waits at PTX line" in error.message
    assert "; 2 more wait; 3 blocks have not started: more than 5" in error.message
    launch(text, 8, resident_blocks=8)


CYCLE = later("cas").replace(
    "@%is_last bra GO;", "@%is_last mov.b64 %own, %flags;\n@%is_last sub.u64 %own, %own, 4;"
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mode", [{}, {"races": True}])
def test_more_resident_blocks_would_not_help(mode: dict[str, Any]):
    """The last block waits for the first one."""
    message = deadlock(CYCLE, 2, **mode).message
    assert "block (1, 0, 0), warp 0, lane 0 waits at PTX line" in message
    assert "for byte 0 of argument 0" in message
    assert message.endswith("all blocks have started, so that more resident blocks would not help")


LIVELOCKS = {
    "counts": later("cas", "add.u32 %tries, %tries, 1;"),
    "looks at the clock": later("cas", "mov.u32 %tries, %clock;"),
    "changes memory": later("cas", "atom.relaxed.gpu.global.add.u32 %tries, [%out], 1;"),
}


@pytest.mark.parametrize("name", LIVELOCKS)
def test_livelocks_end_at_the_step_limit(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(standstill, "_FIRST_PERIOD", 32)
    with pytest.raises(EmulatorError, match="the step limit of 4000 instructions is reached"):
        launch(LIVELOCKS[name], 3, resident_blocks=1, step_limit=4000)


SLOW = kernel(f"""
      @%is_last bra WORK;
    WAIT:
      {READS["load"]}
      setp.ne.u32 %p, %old, 1;
      @%p bra WAIT;
      bra GO;
    WORK:
      add.u32 %tries, %tries, 1;
      setp.lt.u32 %p, %tries, 5000;
      @%p bra WORK;
    GO:
      bar.sync 0;
      @!%others st.release.gpu.global.u32 [%own], 1;
    """)


def test_who_computes_for_long_is_waited_for():
    launch(SLOW, 3)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("stored", ["0", "%tries"])
def test_stores_of_what_memory_holds_are_no_progress(stored: str):
    """Every waiting thread stores again what it has stored."""
    text = later("cas", f"st.global.u32 [%out], {stored};")
    assert "3 blocks have not started" in deadlock(text, 4, resident_blocks=1).message


def test_time_limit():
    watch = emulator.Watch(0.2)
    with pytest.raises(EmulatorError, match=r"the time limit of 0\.2 s is reached"):
        launch(LIVELOCKS["counts"], 3, resident_blocks=1, watch=watch)
