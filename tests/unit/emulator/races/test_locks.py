"""Spin locks among blocks that run at the same time, and among those that start after others end."""

import itertools

import numpy as np
import pytest

from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError

BLOCKS, THREADS = 6, 64

TAKE = {
    "exch": "atom{acquire}.{scope}.global.exch.b32 %old, [%lock], 1;",
    "cas": "atom{acquire}.{scope}.global.cas.b32 %old, [%lock], 0, 1;",
}
GIVE = {
    "exch": "atom{release}.{scope}.global.exch.b32 %old, [%lock], 0;",
    "store": "st{release}.{scope}.global.u32 [%lock], 0;",
}


def lock(take: str, give: str, before: str = "bar.sync 0;", after: str = "bar.sync 0;") -> str:
    """Each block adds 1 to all counters, while its first thread holds the lock."""
    return f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 lock, .param .u64 counters) .reqntid {THREADS}, 1, 1 {{
  .reg .b32 %old, %i, %value;
  .reg .b64 %lock, %counters, %offset;
  .reg .pred %others, %held;
  ld.param.u64 %lock, [lock];
  ld.param.u64 %counters, [counters];
  mov.u32 %i, %tid.x;
  setp.ne.u32 %others, %i, 0;
  @%others bra HELD;
TAKE:
  {take}
  setp.ne.u32 %held, %old, 0;
  @%held bra TAKE;
HELD:
  {before}
  mad.wide.u32 %counters, %i, 4, %counters;
  ld.global.u32 %value, [%counters];
  add.u32 %value, %value, 1;
  st.global.u32 [%counters], %value;
  {after}
  @%others bra END;
  {give}
END:
  ret;
}}
"""


def count(text: str, resident: int) -> np.ndarray:
    counters = np.zeros(THREADS, np.uint32)
    values = [np.zeros(1, np.uint32), counters]
    loaded = emulator.load(text)
    loaded.launch("k", (BLOCKS, 1, 1), values, races=True, resident_blocks=resident)
    return counters


def variant(take: str, give: str, scope: str, *, acquire: bool = True, release: bool = True) -> str:
    """A lock whose accesses acquire and release by themselves, or else by fences."""
    fence = f"fence.acq_rel.{scope};"
    taken = TAKE[take].format(acquire=".acquire" if acquire else ".relaxed", scope=scope)
    given = GIVE[give].format(release=".release" if release else ".relaxed", scope=scope)
    return lock(
        taken, given if release else f"{fence} {given}", ("" if acquire else fence) + "bar.sync 0;"
    )


@pytest.mark.one_in(5)
@pytest.mark.parametrize("resident", [1, 2, BLOCKS])
@pytest.mark.parametrize(
    ("take", "give", "scope", "acquire", "release"),
    [*itertools.product(TAKE, GIVE, ("gpu", "sys"), (True, False), (True, False))],
)
def test_locks(take: str, give: str, scope: str, acquire: bool, release: bool, resident: int):
    text = variant(take, give, scope, acquire=acquire, release=release)
    assert (count(text, resident) == BLOCKS).all()


WRONG = {
    "no acquire": lock(
        TAKE["exch"].format(acquire=".relaxed", scope="gpu"),
        GIVE["exch"].format(release=".release", scope="gpu"),
        "bar.warp.sync -1;",
    ),
    "no release": lock(
        TAKE["exch"].format(acquire=".acquire", scope="gpu"),
        GIVE["store"].format(release=".relaxed", scope="gpu"),
    ),
    "the scope of the block": variant("exch", "exch", "cta"),
    "no barrier before": lock(
        TAKE["cas"].format(acquire=".acquire", scope="gpu"),
        GIVE["store"].format(release=".release", scope="gpu"),
        before="",
    ),
    "no barrier after": lock(
        TAKE["cas"].format(acquire=".acquire", scope="gpu"),
        GIVE["store"].format(release=".release", scope="gpu"),
        after="",
    ),
}


@pytest.mark.parametrize("resident", [1, 2, BLOCKS])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_locks(name: str, resident: int):
    with pytest.raises(EmulatorError, match="race: "):
        count(WRONG[name], resident)
