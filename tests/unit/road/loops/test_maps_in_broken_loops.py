"""Kernels that make their tensor maps, and load by them in loops that may break: right, no race."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cuda.tile as ct
import numpy as np
import pytest

from tileir_xdsl import cutile
from tileir_xdsl.options import Options
from tileir_xdsl.testing.kernels.case import kernel

ROWS, DEPTH, TILES, STEPS = 32, 16, 6, 5
NEVER = 10_000
"""A bound that nothing reaches."""


@kernel
def dots(a: Any, b: Any, o: Any, inner: Any, outer: Any) -> None:
    for i in range(ct.bid(0), TILES, ct.num_blocks(0)):
        total = ct.zeros((ROWS, ROWS), ct.float32)
        for k in range(STEPS):
            left = ct.load(a, index=(i, k), shape=(ROWS, DEPTH))
            right = ct.load(b, index=(k, 0), shape=(DEPTH, ROWS))
            total = ct.mma(left, right, total)
            if ct.max(total).item() > inner:
                break
        ct.store(o, index=(i, 0), tile=total)
        if ct.max(total).item() > outer:
            break


@kernel
def counted(a: Any, b: Any, o: Any, inner: Any, outer: Any) -> None:
    for i in range(ct.bid(0), TILES, ct.num_blocks(0)):
        total = ct.zeros((ROWS, ROWS), ct.float32)
        for k in range(STEPS):
            if k > inner:
                break
            left = ct.load(a, index=(i, k), shape=(ROWS, DEPTH))
            right = ct.load(b, index=(k, 0), shape=(DEPTH, ROWS))
            total = ct.mma(left, right, total)
        ct.store(o, index=(i, 0), tile=total)
        if i > outer:
            break


def reference(a: Any, b: Any, bounds: tuple[int, int], blocks: int, *, by_sums: bool) -> Any:
    """What numpy leaves. Loops break `by_sums` that exceed bounds, or by their counters."""
    inner, outer = bounds
    found = np.zeros((ROWS * TILES, ROWS), np.float32)
    for block in range(blocks):
        for i in range(block, TILES, blocks):
            total = np.zeros((ROWS, ROWS), np.float32)
            for k in range(STEPS):
                if not by_sums and k > inner:
                    break
                part = slice(DEPTH * k, DEPTH * (k + 1))
                tile = a[ROWS * i : ROWS * (i + 1), part].astype(np.float32)
                total += tile @ b[part].astype(np.float32)
                if by_sums and total.max() > inner:
                    break
            found[ROWS * i : ROWS * (i + 1)] = total
            if (total.max() if by_sums else i) > outer:
                break
    return found


BREAKS: list[tuple[Callable[..., object], tuple[int, int]]] = [
    (dots, (14, 16)),
    (dots, (14, NEVER)),
    (counted, (2, 3)),
    (dots, (NEVER, 25)),
    (dots, (-NEVER, NEVER)),
    (counted, (-1, NEVER)),
    (dots, (NEVER, NEVER)),
]
"""After which sum, or which step and tile, the loop over steps and the one over tiles break."""

CASES = [
    (body, bounds, blocks, gpu)
    for blocks, gpu in ((3, "sm_90a"), (2, "sm_100a"), (2, "sm_90a"), (3, "sm_100a"))
    for body, bounds in BREAKS
]


@pytest.mark.one_in(14)
@pytest.mark.parametrize(("body", "bounds", "blocks", "gpu"), CASES)
def test_loops_that_may_break(
    body: Callable[..., object], bounds: tuple[int, int], blocks: int, gpu: str
):
    rng = np.random.default_rng(1)
    a = rng.integers(-2, 3, (ROWS * TILES, DEPTH * STEPS)).astype(np.float16)
    b = rng.integers(-2, 3, (DEPTH * STEPS, ROWS)).astype(np.float16)
    found = np.zeros((ROWS * TILES, ROWS), np.float32)
    run = cutile.launch(
        (blocks,),
        body,
        (a, b, found, *bounds),
        gpu=gpu,
        level="ptx",
        races=True,
        options=Options(abi="tile", device_tensor_maps=True),
    )
    assert not run.races
    wanted = reference(a, b, bounds, blocks, by_sums=body is dots)
    np.testing.assert_array_equal(found, wanted)
