"""Which kernels wait for other blocks, as their text says."""

import pytest

from tests.unit.emulator.waiting_ptx import EARLIER, ONE_THREAD, PAIRS, READS, kernel, later
from tileir_xdsl import emulator

WAITING = {
    **{f"by {name}": later(name) for name in READS},
    "by one thread": ONE_THREAD,
    "for an earlier one": EARLIER,
    "in pairs": PAIRS,
    "through a select": later("cas", "selp.b32 %old, %old, 0, %is_last;"),
}

NEVER_WAITING = {
    "no loop": kernel("atom.relaxed.gpu.global.add.u32 %old, [%flags], 1;"),
    "a counted loop": kernel("""
    AGAIN:
      atom.relaxed.gpu.global.add.u32 %old, [%flags], 1;
      add.u32 %tries, %tries, 1;
      setp.lt.u32 %p, %tries, 4;
      @%p bra AGAIN;
    """),
    "shared memory": kernel(
        """
    AGAIN:
      atom.relaxed.cta.shared.add.u32 %old, [word], 1;
      setp.lt.u32 %p, %old, 4;
      @%p bra AGAIN;
    """,
        head=".shared .b32 word;",
    ),
    "weak loads": kernel("""
    AGAIN:
      ld.global.u32 %old, [%flags];
      atom.relaxed.gpu.global.add.u32 %n, [%flags], 1;
      setp.ne.u32 %p, %old, 0;
      @%p bra AGAIN;
    """),
}


@pytest.mark.parametrize("name", WAITING)
def test_waits(name: str):
    assert emulator.load(WAITING[name]).needs_of_waiting("k") is not None


@pytest.mark.parametrize("name", NEVER_WAITING)
def test_never_waits(name: str):
    assert emulator.load(NEVER_WAITING[name]).needs_of_waiting("k") is None


def test_needs():
    needs = emulator.load(ONE_THREAD).needs_of_waiting("k", dynamic_shared=100)
    assert needs is not None
    assert (needs.threads, needs.shared) == (64, 104)
    # Two addresses of 64 bits, `%i` and `%next` live on through the loop, in which `%old` is made.
    assert 6 <= needs.registers <= 16
    limited = ONE_THREAD.replace(".reqntid 64", ".maxnreg 40 .reqntid 64")
    needs = emulator.load(limited).needs_of_waiting("k")
    assert needs is not None and needs.registers == 40
