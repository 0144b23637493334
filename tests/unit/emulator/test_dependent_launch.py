"""Pairs of grids of which the second one may start before the first one has ended."""

from typing import Any

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

PAIR = (
    HEADER
    + """
// Numbers
.visible .entry first(.param .u64 x) .reqntid 64
{
  .reg .b32 %i, %b, %v; .reg .b64 %x;
  mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 64, %i;
  ld.param.u64 %x, [x]; mad.wide.u32 %x, %i, 4, %x;
  griddepcontrol.launch_dependents;
  mul.lo.u32 %v, %i, 3;
  st.global.u32 [%x], %v;
  ret;
}
// Weights that no grid before stores, times the numbers of another thread
.visible .entry second(.param .u64 weight, .param .u64 x, .param .u64 out) .reqntid 64
{
  .reg .b32 %i, %b, %v, %w; .reg .b64 %x, %o; .reg .pred %p;
  mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 64, %i;
  ld.param.u64 %x, [weight]; mad.wide.u32 %x, %i, 4, %x; ld.global.u32 %w, [%x];
  ld.param.u64 %o, [out]; mad.wide.u32 %o, %i, 4, %o;
  ld.param.u64 %x, [x]; xor.b32 %i, %i, 1; mad.wide.u32 %x, %i, 4, %x;
  griddepcontrol.wait;
  ld.global.u32 %v, [%x];
  mul.lo.u32 %v, %v, %w;
  st.global.u32 [%o], %v;
  ret;
}
"""
)
WAIT, READ = "  griddepcontrol.wait;\n", "  ld.global.u32 %v, [%x];\n"
BY_ONE = "  setp.eq.u32 %p, %tid.x, 0; @%p griddepcontrol.wait;\n"
BLOCKS = 3


def solves(text: str, **modes: Any) -> bool:
    """Whether the pair computes what it should. Raises `EmulatorError` where a launch fails."""
    count = 64 * BLOCKS
    weight = np.arange(count, dtype=np.uint32) + 5
    x, out = (np.zeros(count, np.uint32) for _ in range(2))
    first = emulator.Launch("first", (BLOCKS,), [x])
    second = emulator.Launch("second", (BLOCKS,), [weight, x, out])
    statistics = emulator.load(text).launch_pair(first, second, **modes)
    assert [each.blocks for each in statistics] == [BLOCKS, BLOCKS]
    numbers = 3 * np.arange(count, dtype=np.uint32)
    assert (x == numbers).all()
    return np.array_equal(out, numbers[np.arange(count) ^ 1] * weight)


MODES: list[dict[str, Any]] = [
    {},
    {"races": True},
    {"races": True, "late": True, "warp_seed": 2},
    {"races": True, "resident_blocks": 1},
]


@pytest.mark.parametrize("modes", MODES, ids=str)
@pytest.mark.parametrize(
    "wait", [WAIT, BY_ONE + "  bar.sync 0;\n", WAIT + WAIT], ids=["all", "one", "twice"]
)
def test_the_second_grid_waits(wait: str, modes: dict[str, Any]):
    assert solves(PAIR.replace(WAIT, wait), **modes)


BUGS: dict[str, tuple[str, str]] = {
    "nobody waits": (WAIT, ""),
    "the wait comes after the read": (WAIT + READ, READ + WAIT),
    "one thread waits, and no barrier follows": (WAIT, BY_ONE),
    "dependents are launched instead": (WAIT, "  griddepcontrol.launch_dependents;\n"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_missing_wait_is_a_race(bug: str):
    old, new = BUGS[bug]
    text = PAIR.replace(old, new)
    assert text != PAIR
    with pytest.raises(emulator.EmulatorError) as raised:
        solves(text, races=True)
    assert "race: this" in raised.value.message
    assert "no griddepcontrol.wait of 'second' waits for 'first'" in raised.value.message


@pytest.mark.parametrize("bug", ["nobody waits", "the wait comes after the read"])
def test_a_missing_wait_shows_in_the_values(bug: str):
    assert not solves(PAIR.replace(*BUGS[bug]))


def test_what_the_second_grid_stores_before_the_wait():
    """The first one may store it later, or read it."""
    text = PAIR.replace(WAIT, "  st.global.u32 [%x], %w;\n" + WAIT)
    with pytest.raises(emulator.EmulatorError, match=r"race: this write of .* waits for 'first'"):
        solves(text, races=True)


def test_a_wait_without_a_grid_before():
    x, out = np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)
    emulator.load(PAIR).launch("second", (1,), [x, x, out], races=True)
    assert (out == x * (np.arange(64) ^ 1)).all()


def test_arrays_that_one_grid_alone_has():
    text = PAIR.replace(WAIT, "")
    arrays = [np.zeros(64, np.uint32) for _ in range(4)]
    first = emulator.Launch("first", (1,), arrays[:1])
    second = emulator.Launch("second", (1,), arrays[1:])
    emulator.load(text).launch_pair(first, second, races=True)
    assert (arrays[0] == 3 * np.arange(64)).all()


def test_arguments_of_both():
    first = emulator.Launch("first", (1,), [])
    with pytest.raises(emulator.EmulatorError, match="'first' takes 1 arguments, not 0"):
        emulator.load(PAIR).launch_pair(first, first)
