"""Sizes of the tiles and arrays of a random program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tileir_xdsl.testing.programs.elements import Shape


@dataclass(frozen=True, eq=False)
class Scale:
    """A set of matching extents; every program has one of a few scales.

    `shapes` are the shapes of the first tiles; computed tiles may have other shapes of at most
    `elements` elements. Read-only arrays have `array` elements, written arrays `buffer`. `sizes`
    are the largest tensor sizes by rank; they fit into a buffer. By rank, a tile of a view has at
    most `2**tile_bits` elements along each dimension. The extents M, N and K of a dot are from
    `rows`, `columns` and `depths`. A row of the emitter table counts as `step_cost` steps.
    """

    shapes: tuple[Shape, ...]
    elements: int
    array: int
    buffer: int
    sizes: Mapping[int, Shape]
    tile_bits: Mapping[int, int]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    depths: tuple[int, ...]
    step_cost: int = 1
    mma_loops: bool = False
    """Whether programs have loops around dots that can be pipelined."""
    async_loops: bool = False
    """Whether programs have loops around asynchronous work, as real kernels do."""


SMALL = Scale(
    shapes=(
        (),
        (1,),
        (2,),
        (8,),
        (16,),
        (64,),
        (1, 8),
        (4, 1),
        (4, 8),
        (2, 16),
        (8, 8),
        (2, 4, 4),
        (4, 1, 8),
        (2, 2, 2, 2),
    ),
    elements=128,
    array=128,
    buffer=64,
    sizes={1: (40,), 2: (10, 6), 3: (5, 4, 3)},
    tile_bits={1: 3, 2: 2, 3: 1},
    rows=(4, 8, 16),
    columns=(2, 8, 16),
    depths=(4, 16),
)
"""Tiles with at most one element for each thread, so that an i8 can index all elements."""

LARGE = Scale(
    shapes=(
        (),
        (1,),
        (256,),
        (512,),
        (1024,),
        (2048,),
        (4096,),
        (1, 4096),
        (4096, 1),
        (2, 1024),
        (128, 32),
        (64, 64),
        (16, 16, 16),
        (4, 1, 512),
        (8, 8, 8, 8),
    ),
    elements=4096,
    array=4096,
    buffer=4096,
    sizes={1: (4000,), 2: (70, 50), 3: (20, 15, 12)},
    tile_bits={1: 12, 2: 6, 3: 4},
    rows=(16, 64, 128),
    columns=(8, 32, 64),
    depths=(32, 64),
)
"""Tiles with many elements for each thread, up to 4096 along one dimension."""

PIPELINED = Scale(
    shapes=((), (1,), (64,), (128,), (1, 64), (64, 1), (16, 64), (64, 64), (128, 32)),
    elements=8192,
    array=4096,
    buffer=4096,
    sizes={1: (4000,), 2: (70, 50), 3: (20, 15, 12)},
    tile_bits={1: 12, 2: 6, 3: 4},
    rows=(16, 32, 64, 64, 128),
    columns=(8, 16, 32, 64, 64, 128),
    depths=(16, 32, 64),
    step_cost=2,
    mma_loops=True,
)
"""Tiles for tensor cores: a warpgroup computes 64 or 128 rows of a dot."""

ASYNCHRONOUS = replace(
    PIPELINED,
    rows=(16, 64, 64, 64, 128),
    columns=(16, 32, 64, 64, 128),
    depths=(16, 32, 64, 64),
    step_cost=3,
    mma_loops=False,
    async_loops=True,
)
"""The tiles of `PIPELINED`, in programs of `async_loops`."""

CLUSTERED = replace(ASYNCHRONOUS, rows=(64, 64, 128), columns=(64, 64, 128), depths=(32, 64))
"""Tiles that are large enough to divide among the thread blocks of a cluster."""

HUGE = Scale(
    shapes=((), (1,), (16384,), (65536,), (256, 256), (1, 32768), (4, 64, 128)),
    elements=65536,
    array=65536,
    buffer=65536,
    sizes={1: (65000,), 2: (300, 200), 3: (60, 35, 30)},
    tile_bits={1: 16, 2: 8, 3: 5},
    rows=(64, 128),
    columns=(32, 64),
    depths=(32, 64),
    step_cost=4,
)
"""Tiles that exceed the registers of a thread block: up to 65,536 elements."""
