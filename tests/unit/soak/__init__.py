"""What `make soak` runs beyond `make test`."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest


def sampled(values: Iterable[Any], tested: int) -> Sequence[Any]:
    """Values of a parameter: the first `tested` are for `make test`, the others for `make soak`."""
    return [
        value if number < tested else pytest.param(*_as_tuple(value), marks=pytest.mark.soak)
        for number, value in enumerate(values)
    ]


def spread(values: Iterable[Any], *, every: int, offset: int = 0) -> Sequence[Any]:
    """Values of a parameter: one of `every` so many is for `make test`, the others for `make soak`.

    Tests that follow the same kernels through different levels take them by different offsets.
    """
    return [
        value
        if number % every == offset
        else pytest.param(*_as_tuple(value), marks=pytest.mark.soak)
        for number, value in enumerate(values)
    ]


def rotated(*axes: Sequence[Any]) -> Sequence[Any]:
    """Values of several parameters: all combinations, of which `make test` takes one in so many.

    Each combination of values of all axes but the last one meets one value of the last one, another
    for each neighbour; so every value of an axis meets every value of any other one.
    """
    last = len(axes[-1])
    return [
        pytest.param(*values, marks=() if sum(places) % last == 0 else pytest.mark.soak)
        for places, values in zip(
            product(*(range(len(axis)) for axis in axes)), product(*axes), strict=True
        )
    ]


def _as_tuple(value: Any) -> tuple[Any, ...]:
    """The values of several parameters are a tuple already."""
    return value if isinstance(value, tuple) else (value,)
