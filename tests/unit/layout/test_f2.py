"""F2 linear algebra against enumeration of all vectors."""

from hypothesis import given
from hypothesis import strategies as st
from pytest import raises

from tileir_xdsl.layout import f2

VECTORS = st.lists(st.integers(0, 255), max_size=8)


@given(VECTORS, st.integers(0, 255))
def test_apply_is_the_sum_of_the_chosen_vectors(basis: list[int], vector: int):
    vector &= (1 << len(basis)) - 1
    expected = 0
    for bit, image in enumerate(basis):
        expected ^= image * (vector >> bit & 1)
    assert f2.apply(basis, vector) == expected
    assert f2.table(basis)[vector] == expected


@given(VECTORS, VECTORS)
def test_compose_applies_one_map_after_the_other(outer: list[int], inner: list[int]):
    inner = [image & ((1 << len(outer)) - 1) for image in inner]
    composed = f2.table(f2.compose(outer, inner))
    assert composed == [f2.apply(outer, image) for image in f2.table(inner)]


@given(VECTORS)
def test_rank_counts_the_distinct_sums(vectors: list[int]):
    assert 1 << f2.rank(vectors) == len(set(f2.table(vectors)))


@given(VECTORS, st.integers(0, 255))
def test_solve_finds_a_combination_exactly_when_there_is_one(vectors: list[int], target: int):
    combination = f2.solve(vectors, target)
    if combination is None:
        assert target not in f2.table(vectors)
    else:
        assert f2.apply(vectors, combination) == target


@given(VECTORS)
def test_kernel_spans_every_relation(vectors: list[int]):
    relations = f2.table(f2.kernel(vectors))
    zeros = [index for index, image in enumerate(f2.table(vectors)) if image == 0]
    assert sorted(relations) == zeros


@given(VECTORS, VECTORS)
def test_independent_completes_the_modulus(vectors: list[int], modulo: list[int]):
    extras = f2.independent(vectors, modulo)
    assert set(f2.table([*modulo, *extras])) == set(f2.table([*modulo, *vectors]))
    assert f2.rank([*modulo, *extras]) == f2.rank(modulo) + len(extras)


@given(VECTORS)
def test_invert_is_a_right_inverse_or_an_error(basis: list[int]):
    if f2.rank([image & 15 for image in basis]) < 4:
        with raises(ValueError, match="is not in the image of the map"):
            f2.invert([image & 15 for image in basis], 4)
        return
    basis = [image & 15 for image in basis]
    inverse = f2.invert(basis, 4)
    assert tuple(f2.apply(basis, vector) for vector in inverse) == f2.unit_vectors(4)
