"""The tile blocks of a launch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

Coordinates: TypeAlias = tuple[int, int, int]
"""x, y, z."""

MAX_GRID_SIZE = 2**24 - 1
"""Largest number of tile blocks along an axis (Tile IR specification, `get_num_tile_blocks`)."""


def check_grid(grid: Sequence[int], error: type[Exception]) -> None:
    """Raises an `error` for a grid that no kernel can be launched on."""
    if len(grid) != 3 or not all(1 <= size <= MAX_GRID_SIZE for size in grid):
        raise error(
            f"the grid must be three sizes from 1 to {MAX_GRID_SIZE}, but got {tuple(grid)}"
        )


def tile_blocks(grid: Coordinates, order: Iterable[int] | None = None) -> Iterator[Coordinates]:
    """Every tile block, x fastest, or those with the linear numbers `order`."""
    for number in range(math.prod(grid)) if order is None else order:
        x, rest = number % grid[0], number // grid[0]
        yield x, rest % grid[1], rest // grid[1]
