"""The interpreter against plain numpy: row softmax, matrix product, and the cost of an op.

`python -m bench.interpret [RUNS]` runs both kernels at level `cuda_tile` and the same computation
by numpy alternately, and prints the medians. The goal is at most 15 times numpy's time, and less
than 60 microseconds per op on tiles of one element.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from bench.framework.results import Recorder, parse_runs
from bench.framework.timing import medians, seconds_of
from tileir_xdsl.interpreters import launch
from tileir_xdsl.runtime import load

Array = npt.NDArray[Any]

KERNELS = Path(__file__).parent / "kernels"

GOAL = 15.0
MICROSECONDS_PER_OP = 60.0

ROWS, COLUMNS, TILE_ROWS = 4096, 1024, 32
"""Sizes of `row_softmax`."""

SIZE, TILE = 512, 128
"""Sizes of `matmul_f16`."""

ITERATIONS, OPS_PER_ITERATION = 2000, 11
"""Sizes of `scalar_loop`."""


def softmax(x: Array) -> Array:
    """The same by numpy."""
    numerator = np.exp(x - x.max(axis=1, keepdims=True))
    return numerator / numerator.sum(axis=1, keepdims=True)


def matmul(a: Array, b: Array) -> Array:
    """The same by numpy, which multiplies f16 matrices without BLAS, and so much slower."""
    return a.astype(np.float32) @ b.astype(np.float32)


@dataclass(frozen=True)
class Kernel:
    """A kernel and the numpy function that computes its last argument from the others."""

    name: str
    file: str
    grid: tuple[int, int, int]
    arguments: tuple[Array, ...]
    reference: Callable[..., Array]


def kernels() -> list[Kernel]:
    """What is measured, with random arguments."""
    random = np.random.default_rng(0)
    x = random.standard_normal((ROWS, COLUMNS)).astype(np.float32)
    a, b = random.standard_normal((2, SIZE, SIZE)).astype(np.float16)
    blocks = SIZE // TILE
    product = np.zeros((SIZE, SIZE), np.float32)
    return [
        Kernel(
            f"row softmax {ROWS}x{COLUMNS} f32",
            "row_softmax",
            (ROWS // TILE_ROWS, 1, 1),
            (x, np.zeros_like(x)),
            softmax,
        ),
        Kernel(
            f"matrix product {SIZE}^3 f16",
            "matmul_f16",
            (blocks, blocks, 1),
            (a, b, product),
            matmul,
        ),
    ]


def module_of(name: str) -> ModuleOp:
    """The module of a kernel in the folder `kernels`."""
    return load(KERNELS / f"{name}.mlir")


def seconds(function: Callable[[], object]) -> float:
    """The time of one call."""
    return seconds_of(function, clock=time.perf_counter)


def compare(kernel: Kernel, runs: int, recorder: Recorder) -> bool:
    """Prints one row; whether the goal is reached. Raises AssertionError for a wrong result."""
    module = module_of(kernel.file)
    *inputs, result = kernel.arguments
    mine, theirs = medians(
        {
            "ours": lambda: seconds(lambda: launch(module, None, kernel.grid, kernel.arguments)),
            "numpy": lambda: seconds(lambda: kernel.reference(*inputs)),
        },
        runs,
    ).values()
    recorder.add(kernel.name, [mine, theirs, mine / theirs])
    expected = kernel.reference(*inputs)
    error = float(np.max(np.abs(result - expected)))
    assert error <= 1e-4 * float(np.max(np.abs(expected))), error
    print(
        f"{kernel.name:<32} {1e3 * mine:>10.1f} ms {1e3 * theirs:>10.1f} ms {mine / theirs:>7.1f}x"
    )
    return mine <= GOAL * theirs


def per_op(runs: int, recorder: Recorder) -> bool:
    """Prints what an op costs whose tile has one element; whether the goal is reached."""
    module = module_of("scalar_loop")
    run = partial(launch, module, None, (1, 1, 1), [np.int32(ITERATIONS)])
    (taken,) = medians({"one op": lambda: seconds(run)}, runs).values()
    cost = 1e6 * taken / (ITERATIONS * OPS_PER_ITERATION)
    recorder.add("one op", [cost / 1e6, None, None])
    print(f"{'one op':<30} {cost:>10.1f} us")
    return cost < MICROSECONDS_PER_OP


def main() -> int:
    """Measures and prints the table; 1 if a goal is missed."""
    args = parse_runs(__doc__, 5)
    recorder = Recorder("interpret", {"interpreter": "time", "numpy": "time", "ratio": "time"})
    title = f"median of {args.runs} runs"
    print(f"{title:<32} {'interpreter':>13} {'numpy':>13} {'ratio':>8}")
    reached = [compare(kernel, args.runs, recorder) for kernel in kernels()]
    reached.append(per_op(args.runs, recorder))
    print(f"goals: {GOAL:g}x, {MICROSECONDS_PER_OP:g} us")
    recorder.write(args.json)
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
