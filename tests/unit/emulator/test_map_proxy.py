"""What a block may rely on of a tensor map that a kernel has changed."""

from collections.abc import Mapping
from functools import partial

import pytest

from tileir_xdsl.emulator.map_proxy import MapProxy, MapUser

OWN, NEIGHBOUR, OTHER = (MapUser((1, block), (1, block // 2)) for block in range(3))
MAP = b"map"


def test_a_map_that_the_launch_made():
    assert MapProxy().problem(OWN, 128, MAP) == ""


def test_published_and_acquired():
    proxy = MapProxy()
    proxy.change(OWN, 128, MAP, "gpu")
    proxy.acquire(OWN, 128, "gpu")
    assert proxy.problem(OWN, 128, MAP) == ""
    # The next one that uses the place has to acquire it anew.
    proxy.change(OTHER, 128, MAP, "gpu")
    assert "acquires it" in proxy.problem(OWN, 128, MAP)


def test_released_by_a_fence():
    proxy = MapProxy()
    proxy.change(OWN, 128, MAP)
    proxy.acquire(OWN, 128, "gpu")
    assert "no fence.proxy.tensormap releases it" in proxy.problem(OWN, 128, MAP)
    proxy.release(OTHER, "gpu")
    assert "no fence.proxy.tensormap releases it" in proxy.problem(OWN, 128, MAP)
    proxy.release(OWN, "gpu")
    # What was acquired before is not what was released.
    assert "acquires it" in proxy.problem(OWN, 128, MAP)
    proxy.acquire(OWN, 128, "gpu")
    assert proxy.problem(OWN, 128, MAP) == ""


def test_bytes_that_were_changed_otherwise():
    proxy = MapProxy()
    proxy.change(OWN, 128, MAP, "gpu")
    proxy.acquire(OWN, 128, "gpu")
    assert "by other accesses" in proxy.problem(OWN, 128, b"pam")


@pytest.mark.parametrize(
    ("user", "reach"),
    [(OWN, ("cta", "cluster", "gpu")), (NEIGHBOUR, ("cluster", "gpu")), (OTHER, ("gpu",))],
)
@pytest.mark.parametrize("released", ["cta", "cluster", "gpu"])
@pytest.mark.parametrize("acquired", ["cta", "cluster", "gpu"])
def test_scopes(user: MapUser, reach: tuple[str, ...], released: str, acquired: str):
    proxy = MapProxy()
    proxy.change(OWN, 128, MAP, released)
    proxy.acquire(user, 128, acquired)
    problem = proxy.problem(user, 128, MAP)
    assert bool(problem) == (released not in reach or acquired not in reach)
    assert not problem or "the scope of a fence is .c" in problem


def _knows(known: set[int], moment: Mapping[int, int]) -> bool:
    return not known.isdisjoint(moment)


def agent(thread: int, *known: int) -> MapUser:
    """A thread of one block that knows what some threads have done."""
    return MapUser((1, 0), (1, 0), {thread: 1}, partial(_knows, {thread, *known}))


def test_the_order_of_threads():
    proxy = MapProxy()
    proxy.change(agent(0), 128, MAP, "gpu")
    # A barrier must be between the release and the acquire, and between the acquire and the use.
    proxy.acquire(agent(1), 128, "gpu")
    assert "acquires it" in proxy.problem(agent(1), 128, MAP)
    proxy.acquire(agent(1, 0), 128, "gpu")
    assert "acquires it" in proxy.problem(agent(2, 0), 128, MAP)
    assert proxy.problem(agent(2, 1), 128, MAP) == ""


def test_a_fence_releases_what_its_thread_knows():
    proxy = MapProxy()
    proxy.change(agent(0), 128, MAP)
    proxy.release(agent(1), "gpu")
    assert "releases it" in proxy.problem(agent(1), 128, MAP)
    proxy.release(agent(1, 0), "gpu")
    proxy.acquire(agent(1), 128, "gpu")
    assert proxy.problem(agent(1), 128, MAP) == ""
