"""Shape:stride layouts and swizzles against their definitions."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytest import mark, raises

from tileir_xdsl.layout.cute import (
    ELEMENT_BITS,
    SWIZZLE_32B,
    SWIZZLE_64B,
    SWIZZLE_128B,
    SWIZZLE_128B_ATOM_32B,
    SWIZZLES,
    IntTuple,
    Layout,
    LayoutError,
    Swizzle,
    element_bits,
    flatten,
    layout_of_bases,
    linear_bases,
    listed_swizzle,
)
from tileir_xdsl.runtime.arrays import DTYPES


def test_evaluation_follows_the_worked_example():
    layout = Layout((16, (8, 2)), (1, (16, 8)))
    assert layout((3, (5, 1))) == 3 + 5 * 16 + 8
    assert layout(3 + 16 * (5 + 8)) == layout((3, (5, 1)))
    assert (layout.size, layout.rank, layout.cosize) == (256, 2, 1 + 15 + 112 + 8)
    assert str(layout) == "(16, (8, 2)):(1, (16, 8))"


@mark.parametrize(
    ("shape", "stride", "message"),
    [
        ((16, 16), (1,), "must have the same nesting"),
        ((16, (8, 2)), (1, 16), "must have the same nesting"),
        ((16, 0), (1, 16), "layout extents must be positive, got 0"),
        ((16, 16), (1, -16), "layout strides must not be negative, got -16"),
    ],
)
def test_malformed_layouts_are_refused(shape: IntTuple, stride: IntTuple, message: str):
    with raises(LayoutError, match=message):
        Layout(shape, stride)


@mark.parametrize("coordinate", [256, -1, (1, 2, 3), (16, 0)])
def test_coordinates_out_of_bounds_are_refused(coordinate: IntTuple):
    with raises(LayoutError, match="coordinate"):
        Layout((16, 16), (1, 16))(coordinate)


MODES = st.lists(st.tuples(st.integers(1, 6), st.integers(0, 20)), min_size=1, max_size=4)


@given(MODES)
def test_coalesce_keeps_the_function_and_drops_modes(modes: list[tuple[int, int]]):
    layout = Layout(tuple(s for s, _ in modes), tuple(d for _, d in modes))
    coalesced = layout.coalesce()
    assert [layout(i) for i in range(layout.size)] == [coalesced(i) for i in range(layout.size)]
    assert coalesced.coalesce() == coalesced
    assert 1 not in flatten(coalesced.shape) or coalesced.size == 1


def test_coalesce_joins_contiguous_modes():
    assert Layout((2, (1, 6)), (1, (6, 2))).coalesce() == Layout(12, 1)


def test_compose_follows_the_worked_example():
    composed = Layout((6, 2), (8, 2)).compose(Layout((4, 3), (3, 1)))
    assert composed == Layout(((2, 2), 3), ((24, 2), 8))


POWERS = st.integers(0, 3).map(lambda bit: 1 << bit)
POWER_MODES = st.lists(st.tuples(POWERS, POWERS), min_size=1, max_size=3)


@given(POWER_MODES, POWER_MODES)
def test_compose_is_function_composition(
    outer_modes: list[tuple[int, int]], inner_modes: list[tuple[int, int]]
):
    outer = Layout(tuple(s for s, _ in outer_modes), tuple(d for _, d in outer_modes))
    inner = Layout(tuple(s for s, _ in inner_modes), tuple(d for _, d in inner_modes))
    if inner.cosize > outer.size:
        return
    try:
        composed = outer.compose(inner)
    except LayoutError:
        # Powers of two always divide each other, so only overlapping modes may be refused.
        sums = [inner(i) for i in range(inner.size)]
        assert 0 in sums[1:] or len(set(sums)) < len(sums)
        return
    assert [composed(i) for i in range(inner.size)] == [outer(inner(i)) for i in range(inner.size)]
    assert composed.rank == inner.rank


def test_compose_refuses_what_has_no_shape_stride_form():
    with raises(LayoutError, match="whose modes overlap"):
        Layout((2, 2), (1, 1)).compose(Layout((2, 2), (1, 1)))
    with raises(LayoutError, match="neither of stride 4 and extent 6 divides the other"):
        Layout((6, 2), (1, 7)).compose(Layout(2, 4))
    with raises(LayoutError, match="extent 4 is not a multiple of 3"):
        Layout((6, 2), (1, 7)).compose(Layout(4, 2))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4).flatmap(st.permutations), st.randoms())
def test_inverse_undoes_a_bijection(extents: list[int], random: Random):
    order = list(range(len(extents)))
    random.shuffle(order)
    strides, stride = [0] * len(extents), 1
    for mode in order:
        strides[mode] = stride
        stride *= extents[mode]
    layout = Layout(tuple(extents), tuple(strides))
    inverse = layout.inverse()
    assert inverse.size == layout.size
    assert [layout(inverse(value)) for value in range(layout.size)] == list(range(layout.size))


def test_layouts_with_gaps_or_copies_have_no_inverse():
    for layout in (Layout((4, 4), (1, 8)), Layout((4, 4), (1, 0)), Layout((2, 2), (1, 1))):
        with raises(LayoutError, match="is not a bijection"):
            layout.inverse()


@mark.parametrize(
    ("swizzle", "mask", "shift", "span"),
    [
        (SWIZZLE_128B, 0x70, 3, 128),
        (SWIZZLE_64B, 0x30, 3, 64),
        (SWIZZLE_32B, 0x10, 3, 32),
        (SWIZZLE_128B_ATOM_32B, 0x60, 2, 128),
    ],
)
def test_swizzles_are_the_hardware_formulas(swizzle: Swizzle, mask: int, shift: int, span: int):
    address = np.arange(4096)
    expected = address ^ ((address >> shift) & mask)
    assert [swizzle(int(offset)) for offset in address] == expected.tolist()
    assert swizzle.span == span


@mark.parametrize("swizzle", SWIZZLES, ids=str)
def test_swizzles_permute_each_period(swizzle: Swizzle):
    period = swizzle.period
    assert sorted(map(swizzle, range(period))) == list(range(period))
    assert all(swizzle(offset + period) == swizzle(offset) + period for offset in range(period))
    assert all(swizzle(swizzle(offset)) == offset for offset in range(period))
    assert listed_swizzle(swizzle.bits, swizzle.base, swizzle.shift) is swizzle


def test_only_listed_swizzles_and_elements_are_accepted():
    with raises(LayoutError, match=r"unsupported swizzle, got <4, 4, 3>"):
        listed_swizzle(4, 4, 3)
    with raises(LayoutError, match="whose shift is at least its number of bits"):
        Swizzle(4, 4, 3)
    with raises(LayoutError, match="must not be negative"):
        Swizzle(1, -1, 3)
    with raises(LayoutError, match="unknown element type 'fp4' in layout"):
        element_bits("fp4")
    assert element_bits("nvfp4") == 4
    assert all(element_bits(name) == bits for name, bits in ELEMENT_BITS.items())


def test_elements_take_the_bits_that_numpy_gives_them():
    """A truth value takes a byte; only formats of four bits share one."""
    shared = {name for name, bits in ELEMENT_BITS.items() if bits < 8}
    assert shared == {"f4E2M1FN", "mxf4", "nvfp4"}
    for name in ELEMENT_BITS.keys() - shared - {"tf32"}:
        assert element_bits(name) == 8 * DTYPES[name].itemsize, name


def test_the_wgmma_accumulator_in_both_forms():
    columns = 128
    layout = Layout(
        ((2, 2, columns // 8), (4, 8), 4),
        ((1, 8 * columns, 8), (2, columns), 16 * columns),
    )
    bases = linear_bases(layout)
    assert bases[:6] == (1, 8 * columns, 8, 16, 32, 64)
    assert layout_of_bases(bases)(777) == layout(777)


@given(st.permutations(list(range(8))), st.lists(st.integers(0, 7), max_size=3))
def test_bases_survive_the_shape_stride_form(bits: list[int], zeros: list[int]):
    bases = [1 << bit for bit in bits]
    for position in zeros:
        bases.insert(position, 0)
    layout = layout_of_bases(bases)
    assert list(linear_bases(layout)) == bases
    value = 0b1011011 & (layout.size - 1)
    expected = 0
    for index, base in enumerate(bases):
        expected ^= base * (value >> index & 1)
    assert layout(value) == expected


def test_layouts_that_carry_have_no_linear_form():
    with raises(LayoutError, match="sums of its strides carry"):
        linear_bases(Layout((16, (8, 2)), (1, (16, 8))))
    with raises(LayoutError, match="expected a power of two, got 3"):
        linear_bases(Layout((3, 4), (1, 4)))
    with raises(LayoutError, match="no shape:stride form"):
        layout_of_bases((1, 3))
