"""Searches of configurations: what is tried, how it is ranked, and what is wrong with one of them.

Waves are counted by hand from what `ptxas` reports and the limits of H100, as NVIDIA states them.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tests.unit.cutile.test_launching import add, vectors
from tileir_xdsl import CompileError
from tileir_xdsl.cutile.frontend import FRONTEND
from tileir_xdsl.frontends.interface import Launch, Search
from tileir_xdsl.frontends.searching import (
    combinations,
    configurations_of,
    grid_extents,
    with_constants,
)
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.reader import read_bytecode
from tileir_xdsl.runtime.tuning import Measured, candidates, search

TARGET = "sm_90a"


def ceil_div(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)


def searching(
    space: list[Any],
    arrays: tuple[Any, ...],
    grid: Callable[[Any], Any],
    made: Callable[[Any], Any] = lambda _: add,
) -> Search:
    """A search of a kernel that takes arrays and the size of a tile."""
    return Search(FRONTEND, space, made, grid, lambda tile: (*arrays, tile))


def measured(asked: Search, **options: Any) -> list[Measured]:
    with ThreadPoolExecutor(1) as executor:
        tried = candidates(configurations_of(asked, TARGET), TARGET, **options, is_search=True)
        return search(tried, gpu=TARGET, executor=executor)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("size", [1000, 300_000])
def test_cycles_are_waves_of_what_fits(dtype: type[np.generic], size: int):
    arrays = tuple(np.ones(size, dtype) for _ in range(3))
    found = measured(searching([16, 256, 4096], arrays, lambda tile: ceil_div(size, tile)))
    assert [one.rank for one in found] == sorted(one.rank for one in found)
    for one in found:
        assert one.modelled is not None and one.compiled is not None
        blocks = one.grid[0]
        threads = math.prod(one.compiled.kernel().block or ())
        registers = ceil_div(one.resources.registers, 8) * 8 * threads
        resident = 132 * min(32, 2048 // threads, 65536 // registers)
        assert (one.modelled.resident, one.modelled.waves) == (resident, ceil_div(blocks, resident))
        # Each element is read twice and written once, at 32 bytes a cycle.
        last = blocks - (one.modelled.waves - 1) * resident
        in_turn = (one.modelled.waves - 1) * resident // 132 + ceil_div(last, 132)
        moved = 3 * size * np.dtype(dtype).itemsize / blocks / 32
        least = in_turn * moved + 800 * one.modelled.waves
        assert one.modelled.cycles >= 0.999 * least
        # In smaller tiles several threads read an element.
        is_large = int(str(one.constants["tile"])) * np.dtype(dtype).itemsize >= 16 * threads
        if one.modelled.bound == "global memory" and is_large:
            assert round(one.modelled.cycles - least, 6) == 0
    if size > 1000:
        # So many blocks run in turn, each of which costs its latency.
        assert found[-1].constants == {"tile": 16} and found[-1].modelled
        assert found[-1].modelled.waves > 1


def test_what_fails_is_listed_with_its_reason():
    """In the grid, in arguments, in the kernel and in the emulator; the others are measured."""
    arrays = vectors()

    def grid(tile: int) -> Any:
        return {1: 1 // (tile - 1), 2: 2.5, 4: -1}[tile] if tile < 8 else ceil_div(1000, tile)

    found = measured(searching([1, 2, 4, 7 * 8, 64], arrays, grid))
    best, *rest = found
    assert best.constants == {} and best.configuration == "64" and not best.problem
    problems = {one.configuration: one.problem for one in rest}
    assert problems["1"].endswith("ZeroDivisionError: integer modulo by zero") or problems[
        "1"
    ].endswith("ZeroDivisionError: integer division or modulo by zero")
    assert problems["1"].startswith(f"{__file__}:")
    assert problems["2"] == "grid: error: expected positive whole numbers, got 2.5"
    assert problems["4"] == "grid: error: expected positive whole numbers, got -1"
    assert "not a power of two" in problems["56"]


def test_an_empty_search_space():
    with pytest.raises(CompileError, match="expected at least one configuration, got none"):
        configurations_of(searching([], vectors(), lambda tile: tile), TARGET)


def test_interrupts_are_not_problems():
    def grid(_: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        configurations_of(searching([64], vectors(), grid), TARGET)


@pytest.mark.parametrize(
    ("space", "expected"),
    [
        ([16, 64], [({"tile": 16}, ""), ({"tile": 64}, "")]),
        # A constant that does not differ is not told.
        ([64, 64], [({}, "64"), ({}, "64")]),
    ],
)
def test_names(space: list[int], expected: list[tuple[dict[str, int], str]]):
    found = configurations_of(searching(space, vectors(), lambda _: 8), TARGET)
    assert [(one.constants, one.name) for one in found] == expected


def test_configurations_of_an_author():
    """Entries of a dictionary that are no parameter name a configuration; a kernel has hints."""
    a, b, c = vectors()
    space = [{"tile": tile, "occupancy": wanted} for tile in (16, 64) for wanted in (1, 2)]
    asked = Search(
        FRONTEND,
        space,
        lambda one: add.replace_hints(occupancy=one["occupancy"], opt_level=2),
        lambda one: (1000 // one["tile"],),
        lambda one: (a, b, c, one["tile"]),
    )
    found = configurations_of(asked, TARGET)
    assert [one.constants for one in found] == [{"tile": 16}] * 2 + [{"tile": 64}] * 2
    assert [one.name for one in found] == list(map(str, space))
    assert "occupancy = 2" in str(read_bytecode(found[1].contents, "k")) and found[
        0
    ].options == Options(opt_level=2)


def test_options_beside_constants():
    """Options are left to the compiler, unless they are asked for; then each is tried."""
    found = configurations_of(searching([16, 64], vectors(), lambda _: 8), TARGET)
    assert [options for _, options in candidates(found, TARGET, is_search=True)] == [
        Options(),
        Options(),
    ]
    tried = candidates(found, TARGET, warps=(4,), occupancy=(2,), is_search=True)
    assert [(one.constants["tile"], options.given()) for one, options in tried] == [
        (tile, options)
        for tile in (16, 64)
        for options in (
            {},
            {"warps": 4, "strategy": "warp-specialize", "occupancy": 2},
            {"warps": 4, "strategy": "unspecialize", "occupancy": 2},
        )
    ]
    # Also where one configuration is tried; a launch alone is tried with some of each.
    assert candidates(found[:1], TARGET, is_search=True) == [(found[0], Options())]
    (single, *others) = candidates(found[:1], TARGET, is_search=False)
    assert single == (found[0], Options()) and len(others) == 32


def test_constants_of_a_launch():
    launch = Launch(FRONTEND, add, (8, 1, 1), (*vectors(), 128))
    assert combinations(launch, {"tile": [64, 128]}) == [{"tile": 128}, {"tile": 64}]
    assert with_constants(launch, {"tile": 64}).arguments[-1] == 64
    message = "the kernel has no such parameter, only a, b, c, tile, did you mean 'tile'?"
    with pytest.raises(CompileError, match=message.replace("?", r"\?")):
        with_constants(launch, {"tiles": 64})


@pytest.mark.parametrize("given", [3, (3,), [3, 1, 1], np.int64(3)])
def test_grids(given: Any):
    assert grid_extents(given) == (3, 1, 1)


@pytest.mark.parametrize("given", [0, (2, 0), 2.0, "8", None, (1, 1, 1, 1), ()])
def test_refused_grids(given: Any):
    with pytest.raises(CompileError, match="grid: error: expected"):
        grid_extents(given)
