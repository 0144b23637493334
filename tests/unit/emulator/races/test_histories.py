"""Old values that strong loads may return (`weak=True`), and those that they may not."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from tests.unit.emulator.races.test_locks import BLOCKS, THREADS, lock, variant
from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError

_HEADER = """.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 memory, .param .u64 results) {
  .reg .pred %p, %q;
  .reg .b16 %h;
  .reg .b32 %t, %w, %a, %b;
  .reg .b64 %m, %r, %v, %u;
  ld.param.u64 %m, [memory];
  ld.param.u64 %r, [results];
  mov.u32 %t, %tid.x;
  and.b32 %w, %t, 31;
  setp.ne.u32 %p, %w, 0;
  @%p bra END;
  setp.ge.u32 %q, %t, 32;
  @%q bra SECOND;
"""


def two_warps(first: str, second: str) -> str:
    """A kernel of two warps, the first lane of each of which does something."""
    return f"{_HEADER}{first}\nbra END;\nSECOND:\n{second}\nEND:\nret;\n}}\n"


def outcomes(text: str, limit: int = 200, *, words: int = 2) -> set[tuple[int, ...]]:
    """The results of all launches, which end with the first words of memory."""
    module = emulator.load(text)
    found: set[tuple[int, ...]] = set()
    for choices in emulator.explore(limit):
        memory, results = np.zeros(4, np.uint32), np.zeros(words, np.uint32)
        module.launch(
            "k", (1, 1, 1), [memory, results], block=(64, 1, 1), choices=choices, weak=True
        )
        found.add(tuple(results.tolist()))
    return found


_STORE = "st.{order}.gpu.global.u32 [%m{at}], 1;\n"
_PASS = f"{_STORE.format(order='relaxed', at='')}NEXT: {{flag}}"
_LOOK = """
  ld.{order}.gpu.global.u32 %a, [%m+4];
THEN:
  ld.relaxed.gpu.global.u32 %b, [%m];
  st.global.v2.u32 [%r], {{%a, %b}};
"""


@pytest.mark.parametrize(
    ("release", "acquire", "is_old_data_seen"),
    [("relaxed", "acquire", True), ("release", "relaxed", True), ("release", "acquire", False)],
)
def test_data_before_a_flag_may_be_old(release: str, acquire: str, is_old_data_seen: bool):
    flag = _STORE.format(order=release, at="+4")
    text = two_warps(_PASS.format(flag=flag), _LOOK.format(order=acquire))
    assert outcomes(text) == {(0, 0), (0, 1), (1, 1)} | ({(1, 0)} if is_old_data_seen else set())


def test_what_a_thread_stored_itself_is_not_old():
    side = """
  st.relaxed.gpu.global.u32 [%m], {value};
OWN{value}:
  ld.relaxed.gpu.global.u32 %a, [%m];
  st.global.u32 [%r+{at}], %a;
"""
    text = two_warps(side.format(value=1, at=0), side.format(value=2, at=4))
    # Both see their own store, or one the other's, which then is the later one.
    assert outcomes(text) == {(1, 2), (2, 2), (1, 1)}


def test_no_update_is_lost():
    side = """
  atom.relaxed.gpu.global.add.u32 %a, [%m], 1;
AGAIN{at}:
  atom.relaxed.gpu.global.add.u32 %a, [%m], 1;
  st.global.u32 [%r+{at}], %a;
"""
    text = two_warps(side.format(at=0), side.format(at=4))
    assert outcomes(text) == {(1, 3), (3, 1), (2, 3), (3, 2)}


@pytest.mark.parametrize("fence", ["fence.sc.gpu", "fence.acq_rel.gpu"])
def test_only_sequentially_consistent_fences_order_a_store_and_a_load(fence: str):
    side = """
  st.relaxed.gpu.global.u32 [%m+{own}], 1;
  {fence};
LATER{own}:
  ld.relaxed.gpu.global.u32 %a, [%m+{other}];
  st.global.u32 [%r+{own}], %a;
"""
    first, second = (side.format(own=own, other=4 - own, fence=fence) for own in (0, 4))
    found = outcomes(two_warps(first, second))
    assert found == {(0, 1), (1, 0), (1, 1)} | (set() if "sc" in fence else {(0, 0)})


def test_vectors_and_accesses_of_other_sizes():
    first = """
  mov.u32 %a, 7;
  st.relaxed.gpu.global.v2.u32 [%m], {%a, %a};
AFTER:
  st.relaxed.gpu.global.u16 [%m], 9;
"""
    second = """
  ld.relaxed.gpu.global.v2.u32 {%a, %b}, [%m];
  st.global.v2.u32 [%r], {%a, %b};
"""
    assert outcomes(two_warps(first, second)) == {(0, 0), (7, 7), (9, 7)}


def test_updates_of_packed_floats_and_compare_and_swap():
    first = """
  mov.u32 %a, 0x3c003c00;
  atom.relaxed.gpu.global.add.noftz.f16x2 %b, [%m], %a;
SWAP:
  atom.relaxed.gpu.global.cas.b32 %b, [%m+4], 0, 5;
"""
    second = """
  ld.relaxed.gpu.global.u32 %a, [%m];
SWAP_TOO:
  atom.relaxed.gpu.global.cas.b32 %b, [%m+4], 0, 6;
  st.global.v2.u32 [%r], {%a, %b};
"""
    found = outcomes(two_warps(first, second))
    assert found == {(0, 0), (0, 5), (0x3C003C00, 0), (0x3C003C00, 5)}


def test_after_a_barrier_nothing_is_old():
    first = "st.relaxed.gpu.global.u32 [%m], 1;\nMEET: bar.sync 1, 64;"
    second = """
  ld.relaxed.gpu.global.u32 %a, [%m];
MEET_TOO:
  bar.sync 1, 64;
  ld.relaxed.gpu.global.u32 %b, [%m];
  st.global.v2.u32 [%r], {%a, %b};
"""
    text = two_warps(first, second).replace("@%p bra END;", "")
    text = text.replace("st.relaxed", "@!%p st.relaxed").replace("st.global", "@!%p st.global")
    assert outcomes(text) == {(0, 1), (1, 1)}


def test_a_weak_store_takes_the_place_of_what_was_stored_before():
    first = """
  st.relaxed.gpu.global.u32 [%m], 1;
  st.global.u32 [%m], 2;
  st.release.gpu.global.u32 [%m+4], 1;
"""
    second = """
  ld.acquire.gpu.global.u32 %b, [%m+4];
  setp.eq.u32 %q, %b, 1;
  mov.u32 %a, 2;
  @%q ld.relaxed.gpu.global.u32 %a, [%m];
  st.global.v2.u32 [%r], {%a, %b};
"""
    assert outcomes(two_warps(first, second)) == {(2, 0), (2, 1)}


def _launches(text: str, seeds: range) -> Iterator[np.ndarray]:
    module = emulator.load(text)
    for seed in seeds:
        counters = np.zeros(THREADS, np.uint32)
        resident = Random(seed).choice((2, BLOCKS))
        memory = [np.zeros(1, np.uint32), counters]
        module.launch(
            "k", (BLOCKS, 1, 1), memory, weak=True, warp_seed=seed, resident_blocks=resident
        )
        yield counters


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("acquire", "release"), [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("give", ["exch", "store"])
def test_locks_hold(give: str, acquire: bool, release: bool):
    text = variant("exch", give, "gpu", acquire=acquire, release=release)
    assert all((counters == BLOCKS).all() for counters in _launches(text, range(6)))


def test_a_lock_without_order_does_not():
    taken = "atom.relaxed.gpu.global.exch.b32 %old, [%lock], 1;"
    given = "atom.relaxed.gpu.global.exch.b32 %old, [%lock], 0;"
    with pytest.raises(EmulatorError, match="race"):
        list(_launches(lock(taken, given), range(6)))


# Whoever sees the other absent stores to the same place.
_DEKKER = """
  st.relaxed.gpu.global.u32 [%m+{own}], 1;
  {fence}
LOOK{own}:
  ld.relaxed.gpu.global.u32 %a, [%m+{other}];
  setp.eq.u32 %q, %a, 0;
  @%q st.global.u32 [%r], {own};
"""


def _dekker(fence: str, *, weak: bool) -> set[tuple[int, ...]]:
    first, second = (_DEKKER.format(own=own, other=4 - own, fence=fence) for own in (0, 4))
    if weak:
        return outcomes(two_warps(first, second))
    module = emulator.load(two_warps(first, second))
    for choices in emulator.explore(200):
        memory = [np.zeros(4, np.uint32), np.zeros(2, np.uint32)]
        module.launch("k", (1, 1, 1), memory, block=(64, 1, 1), choices=choices, races=True)
    return set()


def test_a_race_that_no_interleaving_has_is_found():
    assert _dekker("", weak=False) == set()
    with pytest.raises(EmulatorError, match="race"):
        _dekker("", weak=True)
    assert _dekker("fence.sc.gpu;", weak=True) == {(0, 0), (4, 0)}


def test_something_has_to_choose():
    module = emulator.load(two_warps("", ""))
    memory = [np.zeros(4, np.uint32), np.zeros(2, np.uint32)]
    with pytest.raises(EmulatorError, match="`weak` needs `choices` or a `warp_seed`"):
        module.launch("k", (1, 1, 1), memory, block=(64, 1, 1), weak=True)
