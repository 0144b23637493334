"""Wavefronts of shared memory: counted from addresses as the definition says, and by instruction."""

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator import SharedTraffic
from tileir_xdsl.emulator.banks import count_traffic


def by_definition(index: list[int], active: list[bool], size: int) -> int:
    """The wavefronts of one warp: per phase the largest number of words that one bank delivers."""
    unit = max(4, size)
    lanes, total = 128 // unit, 0
    for first in range(0, 32, lanes):
        banks: dict[int, set[int]] = {}
        for lane in range(first, first + lanes):
            if active[lane]:
                for byte in range(index[lane] * size, (index[lane] + 1) * size):
                    banks.setdefault(byte // 4 % 32, set()).add(byte // 4)
        total += max((len(words) for words in banks.values()), default=0)
    return total


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("seed", range(8))
def test_counts_follow_the_definition(size: int, seed: int):
    rng = np.random.default_rng(seed)
    index = rng.integers(0, (64 << seed) // size, (2, 64))
    active = rng.random((2, 64)) < (1, 0.7, 0.1)[seed % 3]
    active[0, :32] = False
    warps = list(zip(index.reshape(-1, 32).tolist(), active.reshape(-1, 32).tolist(), strict=True))
    assert count_traffic(index, active, size) == SharedTraffic(
        sum(any(lanes) for _, lanes in warps),
        sum(by_definition(places, lanes, size) for places, lanes in warps),
    )
    blocks = [count_traffic(index[[n]], active[[n]], size) for n in range(2)]
    assert blocks[0] + blocks[1] == count_traffic(index, active, size)


def traffic(stride: int, access: str, guard: str = "") -> SharedTraffic:
    """The traffic of an access of 64 threads at multiples of a stride in bytes."""
    text = f"""{HEADER}
.shared .align 16 .b8 data[8192];
.visible .entry k() .reqntid 64
{{
  .reg .b32 %i, %a, %x<4>; .reg .pred %p;
  mov.u32 %i, %tid.x; setp.lt.u32 %p, %i, 40;
  mad.lo.u32 %a, %i, {stride}, data;
  {guard} {access}
  ret;
}}
"""
    statistics = emulator.load(text).launch("k", (3, 1, 1), [], races=True)
    (line,) = statistics.shared_traffic
    assert access in text.splitlines()[line - 1]
    return statistics.shared_traffic[line]


STORE = "st.shared.u32 [%a], %i;"
WIDE_STORE = "st.shared.v4.u32 [%a], {%i, %i, %i, %i};"


@pytest.mark.parametrize(
    ("stride", "access", "guard", "each"),
    [
        (4, STORE, "", 1),
        (8, STORE, "", 2),
        (128, STORE, "", 32),
        (0, "ld.shared.u32 %x0, [%a];", "", 1),
        (16, WIDE_STORE, "", 4),
        (32, WIDE_STORE, "", 8),
    ],
)
def test_every_warp_counts(stride: int, access: str, guard: str, each: int):
    assert traffic(stride, access, guard) == SharedTraffic(6, 6 * each)


def test_lanes_that_a_guard_excludes_want_nothing():
    # Of the second warp eight lanes are left, of 16 bytes one phase.
    assert traffic(16, WIDE_STORE, "@%p") == SharedTraffic(6, 3 * (4 + 1))


def test_matrices_are_phases_of_eight_rows():
    access = "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%x0, %x1}, [%a];"
    assert traffic(16, access) == SharedTraffic(6, 6 * 2)
    assert traffic(128, access) == SharedTraffic(6, 6 * 16)


def test_nothing_is_counted_unless_races_are_looked_for():
    text = f"{HEADER}\n.visible .entry k() .reqntid 32\n{{ ret; }}\n"
    assert not emulator.load(text).launch("k", (1, 1, 1), []).shared_traffic
