"""Facts that a kernel assumes: the conversion keeps them, and adds none."""

from itertools import product

import numpy as np
import pytest

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.attributes import convert_predicate

SHAPE = (4, 2)


def divides(divisor: int, every: int | None, along: int | None, tile: np.ndarray) -> bool:
    """Whether the first of each group is a multiple, and others are one more than those before.

    Source: the specification of Tile IR, "div_by". A group of no elements has no first one.
    """
    if every is None or along is None:
        return not (tile % divisor).any()
    if every == 0:
        return True
    rows = np.moveaxis(tile, along, 0)
    starts = np.arange(len(rows)) // every * every
    steps = (np.arange(len(rows)) - starts).reshape(-1, 1)
    return not (rows[starts] % divisor).any() and bool((rows == rows[starts] + steps).all())


def tiles() -> list[np.ndarray]:
    """Tiles of which each fact holds for some: groups of each size, at multiples and next to them."""
    found: list[np.ndarray] = []
    for every, along, start in product((1, 2, 4), (0, 1), (0, 1, 2, 8)):
        index = np.indices(SHAPE)[along]
        found.append(start + 16 * (index // every) + index % every)
    return found


@pytest.mark.parametrize("divisor", (1, 2, 8))
@pytest.mark.parametrize("along", (None, 0, 1))
def test_a_divisor_says_the_same_of_every_tile(divisor: int, along: int | None):
    for every in (None,) if along is None else range(SHAPE[along] + 1):
        new = convert_predicate(cuda_tile.DivByAttr(divisor, every, along))
        assert isinstance(new, nv_tileaa.DivByAttr)
        ends = [getattr(new, name) for name in ("every", "along")]
        new_every, new_along = (getattr(end, "data", None) for end in ends)
        for tile in tiles():
            assert divides(new.divisor.data, new_every, new_along, tile) == divides(
                divisor, every, along, tile
            ), (every, tile)
