"""cuTile's own tuner, which measures by the emulator here."""

from typing import Any

import cuda.tile as ct
import numpy as np
import pytest
from cuda.tile.tune import _tune

from tests.unit.cutile.test_launching import add, vectors
from tileir_xdsl.frontends.interpreting import Interpreter
from tileir_xdsl.frontends.serving import serving


def search(kernel: Any, tiles: list[int], arrays: tuple[Any, ...], **options: Any) -> Any:
    tune: Any = ct.tune
    return tune.exhaustive_search(
        tiles,
        0,
        lambda tile: (-(-len(arrays[0]) // tile),),  # pyright: ignore
        kernel,
        lambda tile: (*arrays, tile),  # pyright: ignore
        quiet=True,
        **options,
    )


@pytest.mark.parametrize("options", [{}, {"single_run_timeout_sec": 1.0}])
def test_search(options: dict[str, float]):
    """Small tiles take more waves, and the arrays of the search are worked on."""
    a, b, c = (np.tile(each, 40) for each in vectors())
    before = _tune._benchmark  # pyright: ignore
    with serving(Interpreter()):
        found = search(add, [16, 256], (a, b, c), **options)
    assert found.best.config == 256 and not found.failures
    assert found.best.error_margin_us == 0 and (c == a + b).all()
    assert _tune._benchmark is before  # pyright: ignore


def test_failures():
    a, b, c = vectors()
    with serving(Interpreter()):
        found = search(add, [7, 64], (a, b, c))
        with pytest.raises(ValueError, match="No valid config"):
            search(add, [7], (a, b, c))
    assert found.best.config == 64 and found.failures[0][0] == 7
