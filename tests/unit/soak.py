"""What `make soak` runs beyond `make test`."""

from collections.abc import Iterable, Sequence
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


def _as_tuple(value: Any) -> tuple[Any, ...]:
    """The values of several parameters are a tuple already."""
    return value if isinstance(value, tuple) else (value,)
