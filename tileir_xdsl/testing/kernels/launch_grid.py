"""The grid of a launch: coordinates and counts of tile blocks, and the tile counts of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ct
from tileir_xdsl.testing.kernels.problems import cdiv

GRID = (3, 2, 2)


@kernel
def grid_coordinates(out: Any) -> None:
    x, y, z = ct.bid(0), ct.bid(1), ct.bid(2)
    width, height, depth = ct.num_blocks(0), ct.num_blocks(1), ct.num_blocks(2)
    number = (z * height + y) * width + x
    ct.store(out, index=(number, 0), tile=x)
    ct.store(out, index=(number, 1), tile=y)
    ct.store(out, index=(number, 2), tile=z)
    ct.store(out, index=(number, 3), tile=width)
    ct.store(out, index=(number, 4), tile=height)
    ct.store(out, index=(number, 5), tile=depth)


def coordinates_reference(out: Array) -> list[Expected]:
    width, height, depth = GRID
    number = np.arange(width * height * depth)
    x, y, z = number % width, number // width % height, number // (width * height)
    sizes = [np.full_like(number, size) for size in GRID]
    return [Expected(np.stack([x, y, z, *sizes], axis=1).astype(out.dtype))]


def coordinates_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [np.zeros((int(np.prod(problem)), 6), np.int32)]


@kernel
def tile_counts(x: Any, out: Any) -> None:
    ct.store(out, index=(0,), tile=ct.num_tiles(x, axis=0, shape=(4, 8)))
    ct.store(out, index=(1,), tile=ct.num_tiles(x, axis=1, shape=(4, 8)))
    # The tile's first axis is the array's second.
    ct.store(out, index=(2,), tile=ct.num_tiles(x, axis=0, shape=(16, 2), order="F"))
    ct.store(out, index=(3,), tile=ct.num_tiles(x, axis=1, shape=(16, 2), order="F"))
    ct.store(out, index=(4,), tile=x.tiled_view((1, 32)).num_tiles(1))


def counts_reference(x: Array, out: Array) -> list[Expected]:
    rows, columns = x.shape
    counts = [cdiv(rows, 4), cdiv(columns, 8), cdiv(columns, 16), cdiv(rows, 2), cdiv(columns, 32)]
    return [Expected(np.array(counts, out.dtype))]


def counts_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [np.zeros(problem, np.float32), np.zeros(5, np.int32)]


CASES = (
    KernelCase(
        name="grid_coordinates",
        kernel=grid_coordinates,
        parameters=(array(ct.int32, 2),),
        problems=(GRID,),
        arguments=coordinates_arguments,
        grid=lambda problem: GRID,
        reference=coordinates_reference,
        outputs=(0,),
    ),
    KernelCase(
        name="tile_counts",
        kernel=tile_counts,
        parameters=(array(ct.float32, 2), array(ct.int32)),
        problems=((4, 32), (13, 50)),
        arguments=counts_arguments,
        grid=lambda problem: (1, 1, 1),
        reference=counts_reference,
        outputs=(1,),
    ),
)
