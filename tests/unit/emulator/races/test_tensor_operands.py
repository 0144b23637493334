"""Races in shared memory that `tcgen05.mma` and `tcgen05.cp` read, by descriptors and asynchronously."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.matrix_kernels import CASES, SCALED_CASES
from tests.unit.emulator.instructions.test_tcgen05_mma import Dot
from tests.unit.road.seeded import MODES, SeededKernel
from tests.unit.road.zoo import lower
from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase, Problem

DOT = Dot("f16", 128, 16, "f32 f16 f16")
COPY = "tcgen05.cp.cta_group::1.32x128b.warpx4 [%t+256], %b;"
"""A copy of what is the operand B of the dot."""

B = 32768
"""Where B begins in shared memory."""

FENCE = "  fence.proxy.async.shared::cta;\n"
BARRIER = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
ISSUE = "  @!%issues bra OVER;\n"
WAIT = "  mbarrier.try_wait.parity.shared::cta.b64 %p, [object], 0; @!%p bra OVER;\n"
COMMITTED = "OVER:\n"

READ = "this read of shared address 0x[0-9a-f]+ and the write at PTX line"
WRITE = "this write of shared address 0x[0-9a-f]+ and the read at PTX line"


def refill(thread: int, byte: int) -> str:
    """One thread stores to a byte of shared memory."""
    return f"  setp.eq.u32 %p, %i, {thread}; @%p st.shared.b32 [%s+{byte}], %i;\n"


def launch(ptx: str, *, late: bool) -> None:
    """Runs the kernel of one dot."""
    image = np.zeros((1, 65536), np.uint8)
    words, sums = np.zeros((1, 128, 8), np.uint32), np.zeros((1, 128, DOT.n), np.uint32)
    emulator.load(ptx).launch(
        "k", (1, 1, 1), [image, words, sums, np.zeros_like(sums)], races=True, late=late
    )


def changed(ptx: str, old: str, new: str) -> str:
    assert old in ptx
    return ptx.replace(old, new, 1)


def refilled(text: str, where: str) -> str:
    """The kernel with a store before the wait for the commit, or after it."""
    ptx = DOT.kernel()
    if where == "after":
        return changed(ptx, WAIT, WAIT + text)
    # The threads that issue nothing store, too.
    ptx = changed(ptx, ISSUE, ISSUE.replace("OVER", "REFILL"))
    return changed(ptx, COMMITTED, "REFILL:\n" + text + COMMITTED)


LATE = pytest.mark.parametrize("late", [False, True])


@LATE
def test_the_kernel_is_right(late: bool):
    launch(DOT.kernel(), late=late)


@pytest.mark.one_in(3)
@LATE
@pytest.mark.parametrize("thread", [0, 1, 100])
@pytest.mark.parametrize("byte", [0, 4092, B, B + 508])
def test_an_operand_is_refilled_before_the_commit_is_waited_for(thread: int, byte: int, late: bool):
    launch(refilled(refill(thread, byte), "after"), late=late)
    # Whoever comes second sees the race: with late work that is the dot.
    expected = READ if late else f"{WRITE}.*nothing waited for the mbarrier of a tcgen05.commit"
    with pytest.raises(EmulatorError, match=f"race: {expected}"):
        launch(refilled(refill(thread, byte), "before"), late=late)


@LATE
@pytest.mark.parametrize("byte", [4096, B + 512])
def test_what_is_after_an_operand_is_no_race(byte: int, late: bool):
    launch(refilled(refill(100, byte), "before"), late=late)


@LATE
def test_a_missing_proxy_fence(late: bool):
    ptx = changed(DOT.kernel(), FENCE, "")
    with pytest.raises(EmulatorError, match=rf"race: {READ}.*fence\.proxy\.async is missing"):
        launch(ptx, late=late)


@LATE
def test_a_missing_barrier(late: bool):
    ptx = changed(DOT.kernel(), f"{FENCE}  {BARRIER}", FENCE)
    # The address of tensor memory is read after the same barrier, and the next one has no fence.
    ptx = changed(ptx, "[image];", "[image]; bar.sync 0;")
    ptx = changed(ptx, f"  tcgen05.fence::before_thread_sync;\n  {BARRIER}", "")
    with pytest.raises(EmulatorError, match=f"race: {READ}.*no barrier or wait is between the two"):
        launch(ptx, late=late)


@LATE
def test_a_copy_reads_what_is_refilled(late: bool):
    ptx = changed(refilled(refill(100, B), "before"), DOT.instruction, COPY)
    launch(changed(DOT.kernel(), DOT.instruction, COPY), late=late)
    with pytest.raises(EmulatorError, match=f"race: {READ if late else WRITE}"):
        launch(ptx, late=late)
    ptx = changed(changed(DOT.kernel(), DOT.instruction, COPY), FENCE, "")
    with pytest.raises(EmulatorError, match=r"fence\.proxy\.async is missing"):
        launch(ptx, late=late)


COMMIT = f"  {DOT.kernel().partition(DOT.instruction)[2].split(chr(10))[1].strip()}\n"
"""The commit of the dot, by the thread that issues it."""

CELL = 60000
"""A byte of shared memory that no operand is in."""

STORE, LOAD = f"  st.shared.b32 [%s+{CELL}], %i;\n", f"  ld.shared.b32 %x, [%s+{CELL}];\n"


@LATE
@pytest.mark.parametrize("place", ["before the dot", "before the commit", "after the commit"])
def test_a_commit_releases_what_was_before_the_work_and_nothing_else(place: str, late: bool):
    """A thread stores, and all who have waited for its commit load."""
    first, second = f"  {DOT.instruction}\n", COMMIT
    issued = {
        "before the dot": STORE + first + second,
        "before the commit": first + STORE + second,
        "after the commit": first + second + STORE,
    }[place]
    ptx = changed(changed(DOT.kernel(), first + second, issued), WAIT, WAIT + LOAD)
    if place == "before the dot":
        launch(ptx, late=late)
        return
    with pytest.raises(EmulatorError, match=r"race: this read of shared address.*are not ordered"):
        launch(ptx, late=late)


def test_a_commit_is_of_what_its_own_thread_has_issued():
    def committed_by(thread: int) -> str:
        ptx = changed(DOT.kernel(), COMMIT, "")
        ptx = changed(ptx, ISSUE, ISSUE.replace("OVER", "COMMIT"))
        commit = f"COMMIT:\n  setp.eq.u32 %p, %i, {thread};\n  @%p {COMMIT.lstrip()}"
        return changed(ptx, COMMITTED, commit + COMMITTED)

    launch(committed_by(0), late=False)
    for thread in (32, 127):
        with pytest.raises(EmulatorError, match=r"race: .*tensor memory.*nothing waited for"):
            launch(committed_by(thread), late=False)


def test_a_barrier_after_a_commit_is_no_wait_for_it():
    ptx = changed(DOT.kernel(), COMMITTED + WAIT, COMMITTED + "  bar.sync 0;\n")
    with pytest.raises(EmulatorError, match=r"race: .*tensor memory.*nothing waited for"):
        launch(ptx, late=False)


# Compiled kernels: one block, and more steps than stages.
KERNELS: dict[str, tuple[KernelCase, Problem]] = {
    "product_128x128x64": (CASES["product_128x128x64"], (128, 128, 1088)),
    "mxfp8_ordered_128x128x128": (SCALED_CASES["mxfp8_ordered_128x128x128"], (128, 128, 1152)),
}
RELEASE = r"tcgen05\.commit[^\n]*shared::cluster\.b64 (\[%r\d+\+\d+\]);"
"""The commit of the MMAs that read a stage, which releases it."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mode", [*MODES, {"late": False, "races": True}], ids=str)
@pytest.mark.parametrize("name", KERNELS)
def test_a_copy_refills_a_stage_that_is_read(name: str, mode: dict[str, Any], tmp_path: Path):
    case, problem = KERNELS[name]
    program = case.text_path.read_text()
    kernel = lower(tools.parse(program), "sm_100a")
    seeded = SeededKernel(case, program, kernel, problem, (1, 1, 1))
    seeded.launch(kernel.ptx, tmp_path, mode)
    # The thread arrives itself, and not when the MMAs are complete.
    ptx, count = re.subn(RELEASE, r"mbarrier.arrive.shared::cta.b64 _, \1;", kernel.ptx)
    assert count == 1
    with pytest.raises(EmulatorError, match=r"race: this (read|write) of shared address") as error:
        seeded.launch(ptx, tmp_path, mode)
    assert "cp.async.bulk" in str(error.value) and "tcgen05." in str(error.value)
