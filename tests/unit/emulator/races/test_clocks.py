"""Vector clocks: what threads know of each other after releases, acquires and meetings."""

import numpy as np

from tileir_xdsl.emulator.races.clocks import (
    DEVICE,
    ORDERED,
    PROXY_SHARED,
    Clocks,
    Columns,
    Knowledge,
)

THREADS = 64
ALL = np.arange(THREADS)
FIRST, SECOND = ALL[:32], ALL[32:]


def clocks(blocks: int = 1) -> Clocks:
    live = np.ones((blocks, THREADS), np.bool_)
    return Clocks(np.arange(blocks) + 5, Columns(2), live)


def known(found: Clocks, thread: int, warp: int, plane: int = ORDERED) -> int:
    """Until when a thread of the first block knows what a warp did."""
    return int(found.rows[found.row[0, thread], plane, warp])


def test_columns_follow_each_other():
    columns = Columns(6)
    starts = [columns.copies, columns.bulk_reads, columns.bulk_writes, columns.mmas]
    assert starts == [6, 12, 18, 24]
    # One for each of two warpgroups, and one for each warp.
    assert (columns.tensor_work, columns.counted) == (26, 32)
    assert columns.total == 32 + columns.objects


def test_a_warp_hands_on_what_it_did_until_now():
    found = clocks()
    released = found.release(0, FIRST)
    assert released.row[ORDERED, 0] == 1
    assert found.now[0, 0] == 2
    found.acquire(0, SECOND, released)
    assert known(found, 40, 0) == 1
    assert known(found, 0, 1) == 0


def test_a_lane_hands_on_only_what_it_did_itself():
    found = clocks()
    released = found.release(0, np.array([3]))
    assert released.row[ORDERED, 0] == 0
    assert released.elsewhere.threads == {int(found.who[0, 3]): 1}
    found.acquire(0, np.array([40]), released)
    number = int(found.row[0, 40])
    assert found.elsewhere[number].threads == released.elsewhere.threads
    # The other lanes of the warp know nothing of it until they meet.
    assert int(found.row[0, 41]) not in found.elsewhere
    found.meet(0, SECOND, found.release(0, SECOND))
    assert len(set(found.row[0, 32:].tolist())) == 1
    assert found.elsewhere[int(found.row[0, 41])].threads == released.elsewhere.threads
    assert not found.divided[0]


def test_all_meet_in_one_step_as_they_do_by_release_and_acquire():
    quick, slow = clocks(2), clocks(2)
    for each in (quick, slow):
        each.acquire(0, SECOND, each.release(0, FIRST))
        each.fence(0, FIRST, (PROXY_SHARED, DEVICE))
    assert quick.meet_all(0, 2)
    for block in range(2):
        slow.meet(block, ALL, slow.release(block, ALL))
    np.testing.assert_array_equal(quick.by_block[:, :2], slow.by_block[:, :2])
    np.testing.assert_array_equal(quick.now, slow.now)


def test_a_fence_covers_what_threads_know_and_did():
    found = clocks()
    found.acquire(0, SECOND, found.release(0, FIRST))
    found.fence(0, SECOND, (PROXY_SHARED,))
    assert known(found, 40, 0, PROXY_SHARED) == 1
    assert known(found, 40, 1, PROXY_SHARED) == 1
    assert known(found, 40, 1, DEVICE) == 0
    assert found.now[0, 40] == 2


def test_what_another_block_did_is_beside_the_rows():
    found = clocks(2)
    found.acquire(1, FIRST, found.release(0, ALL))
    number = int(found.row[1, 0])
    assert not found.rows[number].any()
    assert found.elsewhere[number].blocks[5][ORDERED, 0] == 1
    # It comes home again as part of the rows.
    released = found.release(1, FIRST)
    assert isinstance(released, Knowledge)
    found.acquire(0, SECOND, released)
    assert known(found, 40, 0) == 1


def test_work_is_known_by_those_who_waited():
    found = clocks()
    column = found.columns.copies
    assert found.issue(0, column) == 1
    found.finish(0, np.array([3]), column, 1)
    assert known(found, 3, column) == 1
    assert known(found, 4, column) == 0
