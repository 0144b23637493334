"""Distributed layouts: evaluation, queries, and the CuTe form."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytest import raises

from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.cute import Layout, LayoutError
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases, element_coordinate

EXAMPLE = LinearLayout((1, 2, 512), (4, 8, 16, 32, 64), (128, 256), (), (1024,))


def random_layout(bases: list[int], cuts: tuple[int, int, int], size: int) -> LinearLayout:
    first, second, third = sorted(cuts)
    return LinearLayout(
        tuple(bases[:first]),
        tuple(bases[first:second]),
        tuple(bases[second:third]),
        tuple(bases[third:]),
        (size,),
    )


LAYOUTS = st.builds(
    random_layout,
    st.lists(st.integers(0, 255), min_size=8, max_size=10),
    st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 8)),
    st.just(256),
)


@given(LAYOUTS)
def test_the_table_of_elements_is_element_by_element(layout: LinearLayout):
    expected = [
        layout.element(register, lane, warp, block)
        for block, warp, lane, register in itertools.product(
            range(layout.blocks), range(layout.warps), range(layout.lanes), range(layout.registers)
        )
    ]
    assert layout.elements() == expected
    held, counts = np.unique(expected, return_counts=True)
    assert layout.is_surjective == (len(held) == layout.size)
    assert set(counts.tolist()) == {layout.replication}
    assert layout.register_elements() == expected[: layout.registers]


@given(LAYOUTS)
def test_place_finds_what_is_held(layout: LinearLayout):
    held = set(layout.elements())
    for element in range(layout.size):
        holder = layout.holder(element)
        assert (holder is not None) == (element in held)
        assert holder is None or layout.element(*holder) == element


def test_the_worked_example_in_both_forms():
    cute = Layout(((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0))
    assert EXAMPLE.to_cute() == cute
    assert LinearLayout.from_cute(cute, (1024,)) == EXAMPLE
    values = [cute(((r % 4, r // 4), 3, 2, 0)) for r in range(8)]
    assert values == [EXAMPLE.element(register=r, lane=3, warp=2) for r in range(8)]


def test_replicated_threads_survive_the_cute_form():
    layout = blocked((16,), vector=4, warps=4)
    assert str(layout.to_cute()) == "(4, (4, 8), 4, 1):(1, (4, 0), 0, 0)"
    assert LinearLayout.from_cute(layout.to_cute(), (16,)) == layout


@given(LAYOUTS)
def test_the_cute_form_is_exact_or_refused(layout: LinearLayout):
    used, shared = 0, False
    for base in layout.bases():
        shared = shared or bool(used & base)
        used |= base
    if shared:
        with raises(LayoutError, match="no shape:stride form"):
            layout.to_cute()
    else:
        assert LinearLayout.from_cute(layout.to_cute(), layout.shape) == layout


def test_from_cute_refuses_what_is_no_distributed_layout():
    with raises(LayoutError, match="expected four modes"):
        LinearLayout.from_cute(Layout((4, 32), (1, 4)), (128,))
    with raises(LayoutError, match="expected a power of two, got 3"):
        LinearLayout.from_cute(Layout((3, 32, 1, 1), (1, 4, 0, 0)), (128,))
    with raises(LayoutError, match="sums of its strides carry"):
        LinearLayout.from_cute(Layout((4, 32, 1, 1), (1, 1, 0, 0)), (128,))
    with raises(LayoutError, match="base 128 is outside a tile of 128 elements"):
        LinearLayout.from_cute(Layout((8, 32, 1, 1), (1, 8, 0, 0)), (128,))
    with raises(LayoutError, match="expected a power of two, got 12"):
        LinearLayout((), (), (), (), (12,))


def test_counts_masks_and_coordinates():
    layout = LinearLayout((1, 0), (2, 4, 0), (8, 0), (16,), (4, 8))
    assert (layout.registers, layout.lanes, layout.warps, layout.blocks) == (4, 8, 4, 2)
    assert layout.replicated_registers == 0b10
    assert layout.replicated_lanes == 0b100
    assert layout.replicated_warps == 0b10
    assert layout.thread_bases() == (2, 4, 0, 8, 0)
    assert layout.coordinate(register=1, lane=3, warp=1, block=1) == (3, 7)
    assert layout.size == 32


def test_vector_width_stops_at_the_row_end():
    assert EXAMPLE.vector_width() == 4
    assert LinearLayout((1, 2, 4), (), (), (), (4, 2)).vector_width() == 2
    assert LinearLayout((2, 1), (), (), (), (4,)).vector_width() == 1
    assert LinearLayout((), (), (), (), ()).vector_width() == 1
    columns = LinearLayout((4, 8, 1), (2,), (), (), (4, 4))
    assert [columns.vector_width(dimension) for dimension in (0, 1)] == [4, 1]


def test_dimension_bases_and_coordinates():
    assert dimension_bases((4, 2, 8), 0) == (16, 32)
    assert dimension_bases((4, 2, 8), 1) == (8,)
    index = np.arange(64).reshape(4, 2, 8)
    for coordinate in np.ndindex(4, 2, 8):
        assert element_coordinate(int(index[coordinate]), (4, 2, 8)) == coordinate
