"""`setmaxnreg`: what warpgroups give back and take, and waits for registers that never come."""

import pytest

from tests.unit.emulator.kernels import HOPPER_HEADER
from tileir_xdsl import emulator


def kernel(first: str, second: str, *, registers: str = ".maxnreg 168", threads: int = 256) -> str:
    """The first warpgroup runs `first`, from line 10 on, the second one `second`, three lines below."""
    return (
        f"{HOPPER_HEADER}.visible .entry k() .reqntid {threads} {registers}\n{{\n"
        ".reg .pred %p; .reg .b32 %i;\nmov.u32 %i, %tid.x; setp.ge.u32 %p, %i, 128;\n"
        f"@%p bra SECOND;\n{first}\nret;\nSECOND:\n{second}\nret;\n}}\n"
    )


def take(count: int) -> str:
    return f"setmaxnreg.inc.sync.aligned.u32 {count};"


def give(count: int) -> str:
    return f"setmaxnreg.dec.sync.aligned.u32 {count};"


def launch(text: str, warp_seed: int | None = None) -> None:
    emulator.load(text).launch("k", (2, 1, 1), [], warp_seed=warp_seed)


def error(text: str) -> emulator.EmulatorError:
    with pytest.raises(emulator.EmulatorError) as caught:
        launch(text)
    return caught.value


@pytest.mark.parametrize("warp_seed", [None, 0, 1])
def test_one_warpgroup_takes_what_the_other_gives_back(warp_seed: int | None):
    launch(kernel(take(240), give(96)), warp_seed)
    launch(kernel(give(40), f"{take(232)} {give(168)}"), warp_seed)
    meet = "bar.sync 1, 256;"
    launch(kernel(f"{give(96)} {meet} {take(168)}", f"{take(240)} {give(168)} {meet}"), warp_seed)


def test_registers_that_nobody_gives_back():
    found = error(kernel(take(240), give(104)))
    assert found.message == (
        "deadlock: waits for ever for the 9216 registers of the block; 8192 are free"
    )
    assert found.line == 10
    assert found.location == emulator.ThreadLocation((0, 0, 0), 0, 0)


def test_a_block_begins_with_whole_steps_of_registers():
    launch(kernel(take(240), give(96), registers=".maxnreg 161"))


def test_without_a_limit_there_is_no_pool():
    launch(kernel(take(256), take(256), registers=""))


@pytest.mark.parametrize("count", [16, 100, 264])
def test_numbers_that_no_thread_can_have(count: int):
    found = error(kernel(give(count), ""))
    assert found.message == "the number of registers must be a multiple of 8, from 24 to 256"
    assert found.line == 10


@pytest.mark.parametrize(("change", "other"), [(give(176), "inc"), (take(160), "dec")])
def test_the_wrong_direction(change: str, other: str):
    number = change.split()[1].rstrip(";")
    found = error(kernel("", change))
    assert (
        found.message
        == f"each thread has 168 registers, so setting {number} needs setmaxnreg.{other}"
    )
    assert found.location == emulator.ThreadLocation((0, 0, 0), 4, 0)


def test_part_of_a_warpgroup():
    found = error(
        kernel(f"setp.ge.u32 %p, %i, 96; @%p bra OUT; {give(40)}\nOUT: bar.sync 1, 128;", "")
    )
    assert "warp 3 of the warpgroup never arrives" in found.message
    found = error(kernel(f"setp.ge.u32 %p, %i, 96; @%p exit; {give(40)}", ""))
    assert found.message == "only some threads of a warpgroup have ended"
    found = error(kernel(give(40), give(40), threads=192))
    assert found.message == "the instruction needs 128 threads, from a multiple of 128 on"
