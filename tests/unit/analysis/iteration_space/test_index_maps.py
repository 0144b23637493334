"""Index maps say where numpy finds the elements."""

import itertools

import numpy as np
import pytest

from tileir_xdsl.analysis.iteration_space.affine_maps import affine_map, index_map
from tileir_xdsl.analysis.iteration_space.index_maps import (
    Index,
    IndexMap,
    NotRepresentableError,
    Shape,
    Term,
    broadcast,
    compose,
    identity,
    linearize,
    offset,
    permute,
    reshape,
    strides_of,
)

SHAPES = [(64,), (4, 16), (16, 4), (2, 1, 32), (8, 8), (2, 2, 2, 8), (1, 64)]
PAIRS = [*itertools.product(SHAPES, SHAPES)]


def value(index: Index, indices: tuple[int, ...]) -> int:
    return index.constant + sum(
        term.factor * (indices[term.dim] // term.divisor % term.modulus) for term in index.terms
    )


def taken(index_map: IndexMap, source: np.ndarray) -> np.ndarray:
    result = np.empty(index_map.extents, source.dtype)
    for indices in np.ndindex(*index_map.extents):
        result[indices] = source[tuple(value(each, indices) for each in index_map.results)]
    return result


def numbers(shape: Shape) -> np.ndarray:
    return np.arange(np.prod(shape)).reshape(shape)


@pytest.mark.parametrize(("source", "result"), PAIRS)
def test_reshape(source: Shape, result: Shape):
    tile, at = numbers(source), reshape(source, result)
    assert (taken(at, tile) == tile.reshape(result)).all()
    assert compose(reshape(result, source), at).is_identity()
    row_major = linearize(at, strides_of(source))
    assert all(
        value(row_major, indices) == tile.reshape(result)[indices]
        for indices in np.ndindex(*result)
    )


@pytest.mark.parametrize("permutation", [*itertools.permutations(range(3))])
def test_permute(permutation: tuple[int, ...]):
    tile = numbers((2, 4, 8))
    moved = tile.transpose(permutation)
    at = permute(moved.shape, permutation)
    assert (taken(at, tile) == moved).all()
    flat = compose(at, reshape(moved.shape, (64,)))
    assert (taken(flat, tile) == moved.reshape(64)).all()
    assert at.is_identity() == (permutation == (0, 1, 2))


def test_broadcast_and_offset():
    tile = numbers((4, 1))
    assert (taken(broadcast((4, 1), (4, 8)), tile) == np.broadcast_to(tile, (4, 8))).all()
    whole = numbers((8, 8))
    assert (taken(offset((4, 2), (4, 6)), whole) == whole[4:, 6:]).all()


def test_shapes_without_common_digits_are_refused():
    with pytest.raises(NotRepresentableError):
        compose(reshape((3, 8), (24,)), reshape((24,), (4, 6)))
    with pytest.raises(NotRepresentableError):
        reshape((3, 8), (4, 6))


@pytest.mark.parametrize(("source", "result"), PAIRS)
def test_affine_maps_are_the_same_maps(source: Shape, result: Shape):
    at = reshape(source, result)
    assert index_map(affine_map(at), result) == at


def test_dimensions_of_one_do_not_count_in_the_identity():
    assert identity((4, 1, 8)).is_identity()
    assert IndexMap((4, 8), (Index((Term(0, 1, 4, 1),)), Index((Term(1, 1, 8, 1),)))).is_identity()
    assert not IndexMap((4, 4), (Index((Term(1, 1, 4, 1),)),)).is_identity()
