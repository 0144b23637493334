"""What a block may rely on of a tensor map that a kernel has changed."""

import pytest

from tileir_xdsl.emulator.map_proxy import MapProxy

OWN, OTHER = (1, 0), (1, 1)
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
    assert proxy.problem(OWN, 128, MAP) == ""


def test_bytes_that_were_changed_otherwise():
    proxy = MapProxy()
    proxy.change(OWN, 128, MAP, "gpu")
    proxy.acquire(OWN, 128, "gpu")
    assert "by other accesses" in proxy.problem(OWN, 128, b"pam")


@pytest.mark.parametrize(("released", "acquired"), [("cta", "gpu"), ("gpu", "cta")])
def test_scopes(released: str, acquired: str):
    proxy = MapProxy()
    proxy.change(OTHER, 128, MAP, released)
    proxy.acquire(OWN, 128, acquired)
    proxy.acquire(OTHER, 128, acquired)
    assert proxy.problem(OTHER, 128, MAP) == ""
    assert "the scope of a fence is .cta" in proxy.problem(OWN, 128, MAP)
