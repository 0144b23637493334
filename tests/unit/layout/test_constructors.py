"""Every constructor against the formula that defines it, for all registers, lanes and warps."""

import itertools

from hypothesis import given
from hypothesis import strategies as st
from pytest import mark, raises

from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.cute import LayoutError


@mark.parametrize(
    ("shape", "vector", "warps", "lanes", "cute"),
    [
        ((1024,), 4, 4, 32, "((4, 2), 32, 4, 1):((1, 512), 4, 128, 0)"),
        ((64, 128), 8, 4, 32, "((8, 8), 32, 4, 1):((1, 1024), 8, 256, 0)"),
        ((256,), 4, 4, 32, "(4, 32, (2, 2), 1):(1, 4, (128, 0), 0)"),
        ((16,), 4, 1, 32, "(4, (4, 8), 1, 1):(1, (4, 0), 0, 0)"),
        ((128, 2), 4, 2, 32, "((2, 2), 32, 2, 1):((1, 128), 2, 64, 0)"),
        ((), 4, 2, 32, "(1, 32, 2, 1):(0, 0, 0, 0)"),
        ((64,), 2, 1, 16, "((2, 2), 16, 1, 1):((1, 32), 2, 0, 0)"),
    ],
)
def test_blocked_deals_vectors_to_lanes_then_warps(
    shape: tuple[int, ...], vector: int, warps: int, lanes: int, cute: str
):
    assert str(blocked(shape, vector, warps, lanes).to_cute()) == cute


EXTENTS = st.lists(st.integers(0, 4).map(lambda bit: 1 << bit), min_size=1, max_size=3)


@given(
    EXTENTS.flatmap(lambda shape: st.tuples(st.just(shape), st.permutations(range(len(shape))))),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4, 8]),
)
def test_blocked_is_a_deal_in_memory_order(
    shape_and_order: tuple[list[int], list[int]], vector: int, warps: int
):
    shape, order = shape_and_order
    layout = blocked(shape, vector, warps, order=order)
    vector = min(vector, shape[order[0]])
    coordinates = [
        tuple(item[order.index(dimension)] for dimension in range(len(shape)))
        for item in (
            tuple(reversed(ranges))
            for ranges in itertools.product(*(range(shape[d]) for d in reversed(order)))
        )
    ]
    threads = 32 * warps
    assert layout.is_surjective
    for register, lane, warp in itertools.product(range(layout.registers), range(32), range(warps)):
        chunk, position = divmod(register, vector)
        place = (chunk * threads + warp * 32 + lane) * vector + position
        # Threads beyond the tile repeat it.
        assert layout.coordinate(register, lane, warp) == coordinates[place % len(coordinates)]


def test_blocked_refuses_what_it_cannot_deal():
    with raises(LayoutError, match="expected a power of two, got 100"):
        blocked((100,), 4, 4)
    with raises(LayoutError, match="expected a power of two, got 3"):
        blocked((128,), 4, 3)
    with raises(LayoutError, match="is not a permutation of 2 dimensions"):
        blocked((16, 16), 4, 4, order=(0, 0))
