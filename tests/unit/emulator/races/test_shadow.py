"""The last accesses to cells of memory, and which of them an access is ordered after."""

import numpy as np

from tileir_xdsl.emulator.races.clocks import (
    ORDERED,
    PLANES,
    PROXY_GLOBAL,
    PROXY_SHARED,
    Columns,
)
from tileir_xdsl.emulator.races.shadow import SITE_BITS, Actor, Shadow

COLUMNS = Columns(2)


def actor(
    *threads: int, time: int = 1, knows: int = 0, fenced: int = 0, proxy: bool = False
) -> Actor:
    """Threads that know what both warps did until one time, with fences until another one."""
    rows = np.zeros((1, PLANES, COLUMNS.total), np.int32)
    rows[0, ORDERED, :2], rows[0, PROXY_SHARED, :2] = knows, fenced
    who = np.array(threads)
    zeros = np.zeros_like(who)
    stamp = np.full(who.shape, time << SITE_BITS)
    limit = 0 if proxy else 1 << 40
    return Actor(who, stamp, zeros, rows, zeros, who // 32, who, limit, {}, proxy)


def shadow(granule: int = 4) -> Shadow:
    return Shadow(256, granule, 4, COLUMNS, PROXY_SHARED)


def test_cells_of_vectors():
    positions = np.array([0, 16])
    np.testing.assert_array_equal(shadow().cells(positions, 4), [[0], [4]])
    np.testing.assert_array_equal(shadow().cells(positions, 8), [[0, 1], [4, 5]])
    np.testing.assert_array_equal(shadow(1).cells(positions, 2), [[0, 1], [16, 17]])


def test_a_read_is_ordered_after_a_write_that_is_known():
    memory = shadow()
    cells = np.array([[7]])
    assert memory.write(actor(3, time=5), cells) is None
    assert memory.read(actor(3, time=9), cells) is None
    conflict = memory.read(actor(40, knows=4), cells)
    assert conflict is not None
    assert (conflict.lane, conflict.cell, conflict.earlier, conflict.who) == (0, 7, "write", 3)
    assert conflict.stamp == 5 << SITE_BITS
    assert memory.read(actor(40, knows=5), cells) is None


def test_reads_of_several_warps_are_kept():
    memory = shadow()
    cells = np.array([[7]])
    for thread, time in ((3, 5), (40, 6)):
        assert memory.read(actor(thread, time=time), cells) is None
    conflict = memory.write(actor(20, knows=5), cells)
    assert conflict is not None
    assert (conflict.earlier, conflict.who) == ("read", 40)
    assert memory.write(actor(20, knows=6), cells) is None


def test_threads_may_write_what_is_there():
    memory = shadow()
    cells = np.array([[7], [8]])
    assert memory.write(actor(3, 4), cells) is None
    conflict = memory.write(actor(40, 41), cells, lambda: np.array([True, False]))
    assert conflict is not None
    assert (conflict.lane, conflict.cell) == (1, 8)


def test_atomic_accesses_race_with_others_only():
    memory = shadow()
    cells = np.array([[7]])
    assert memory.atomic(actor(3), cells) is None
    assert memory.atomic(actor(40), cells) is None
    conflict = memory.read(actor(20), cells)
    assert conflict is not None
    assert conflict.earlier == "atomic access"


def test_strong_reads_race_with_plain_writes_only():
    memory = shadow()
    cells = np.array([[7]])
    assert memory.read(actor(3), cells) is None
    assert memory.strong_read(actor(40), cells) is None
    assert memory.read(actor(20), cells) is None
    other = np.array([[8]])
    assert memory.strong_read(actor(40), other) is None
    assert memory.atomic(actor(3), other) is None
    conflict = memory.write(actor(20), np.array([[7]]))
    assert conflict is not None
    assert conflict.earlier == "read"
    memory = shadow()
    assert memory.strong_read(actor(40), cells) is None
    conflict = memory.write(actor(3), cells)
    assert conflict is not None
    assert (conflict.earlier, conflict.who) == ("read", 40)


def test_the_asynchronous_proxy_needs_a_fence():
    memory = shadow()
    cells = np.array([[7]])
    assert memory.write(actor(3, time=5), cells) is None
    conflict = memory.read(actor(3, knows=5, proxy=True), cells)
    assert conflict is not None
    assert conflict.missing == "proxy fence"
    assert memory.read(actor(3, knows=5, fenced=5, proxy=True), cells) is None


def test_a_bulk_copy_over_a_store_needs_a_fence_in_global_memory():
    cells, later = np.array([[7]]), actor(3, knows=5, proxy=True)
    memory = Shadow(256, 4, 4, COLUMNS, PROXY_GLOBAL)
    assert memory.write(actor(3, time=5), cells) is None
    conflict = memory.write(later, cells)
    assert conflict is not None
    assert (conflict.earlier, conflict.missing) == ("write", "proxy fence")
    of_block = shadow()
    assert of_block.write(actor(3, time=5), cells) is None
    assert of_block.write(later, cells) is None
