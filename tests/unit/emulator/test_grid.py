"""Which blocks of a grid start, and which others take over."""

from random import Random

import numpy as np
import pytest

from tileir_xdsl.emulator.grid import Grid
from tileir_xdsl.emulator.registers import Extent, Geometry

Place = tuple[int, ...]


def grid(
    extent: Extent,
    *,
    cluster: Extent | None = None,
    resident: int | None = None,
    seed: int | None = None,
    cancels: bool = False,
    waits: bool = False,
    threads: int = 128,
) -> Grid:
    geometry = Geometry(extent, (threads, 1, 1), np.zeros((0, 3), np.int64), cluster=cluster)
    random = None if seed is None else Random(seed)
    return Grid(geometry, resident, random, cancels=cancels, waits=waits)


def batches(found: Grid) -> list[list[Place]]:
    """What starts together, to the end."""
    started: list[list[Place]] = []
    while (blocks := found.start()) is not None:
        started.append([tuple(place) for place in blocks.tolist()])
        assert found.refused.shape == (len(blocks),) and not found.refused.any()
    return started


def test_blocks_start_in_order():
    started = batches(grid((3, 2, 2)))
    assert started == [[(x, y, z) for z in range(2) for y in range(2) for x in range(3)]]
    assert batches(grid((5, 0, 1))) == []


@pytest.mark.parametrize(
    ("threads", "resident", "expected"),
    [(1024, None, 8), (1, None, 256), (128, 7, 7), (128, 1, 1)],
)
def test_so_many_run_at_once(threads: int, resident: int | None, expected: int):
    started = batches(grid((300, 1, 1), threads=threads, resident=resident))
    assert [len(blocks) for blocks in started[:-1]] == [expected] * (len(started) - 1)
    assert [place for blocks in started for place in blocks] == [(x, 0, 0) for x in range(300)]


@pytest.mark.parametrize(("resident", "expected"), [(None, 2048), (7, 7), (4000, 3000)])
def test_blocks_that_wait_are_in_larger_batches(resident: int | None, expected: int):
    """Of 262,144 threads, of which fewer blocks may be resident at once."""
    found = grid((3000, 1, 1), resident=resident, waits=True)
    assert found.resident == expected
    assert [len(blocks) for blocks in batches(found)] == (
        [3000] if resident == 4000 else [2048, 952]
    )


@pytest.mark.parametrize("resident", [1, 5, 1000])
def test_clusters_stay_together(resident: int):
    started = batches(grid((4, 4, 1), cluster=(2, 2, 1), resident=resident))
    assert [len(blocks) for blocks in started] == {1: [4] * 4, 5: [4] * 4, 1000: [16]}[resident]
    assert started[0][:4] == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]


def test_what_is_canceled_does_not_start():
    found = grid((9, 1, 1), cancels=True)
    first = found.start()
    assert first is not None and first[:, 0].tolist() == [0, 1]
    assert [found.cancel() for _ in range(3)] == [(2, 0, 0), (3, 0, 0), (4, 0, 0)]
    assert batches(found) == [[(5, 0, 0), (6, 0, 0)], [(7, 0, 0), (8, 0, 0)]]
    assert found.cancel() is None and found.canceled == 3


def test_any_cluster_is_canceled_or_none_in_random_orders():
    found = grid((1000, 1, 1), cluster=(2, 1, 1), resident=2, seed=0)
    answers = [found.cancel() for _ in range(160)]
    places = [answer[0] for answer in answers if answer is not None]
    assert len(set(places)) == len(places) and sorted(places) != places
    assert 5 < answers.count(None) < 40 and found.canceled == 2 * len(places)
    assert not {x for blocks in batches(found) for x, _, _ in blocks} & set(places)
