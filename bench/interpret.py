"""The executors against plain numpy: row softmax, matrix products, and the cost of an op.

`python -m bench.interpret [RUNS]` runs the kernels at level `cuda_tile` and the same computation
by numpy alternately, and prints the medians; then, the same tile blocks one by one, and the large
product at level `ptx`, in the emulator. The goals are at most 15 times numpy's time, at most 3 for
the large product, less than 60 microseconds per op on tiles of one element, and 60 s at level
`ptx`.
"""

import math
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

import tileir_xdsl
from bench.framework.results import Recorder, parse_runs
from bench.framework.timing import medians, seconds_of
from tileir_xdsl.interpreters import launch
from tileir_xdsl.runtime import load

Array = npt.NDArray[Any]

KERNELS = Path(__file__).parent / "kernels"

GOAL = 15.0
LARGE_GOAL = 3.0
PTX_SECONDS = 60.0
MICROSECONDS_PER_OP = 60.0

ROWS, COLUMNS, TILE_ROWS = 4096, 1024, 32
"""Sizes of `row_softmax`."""

SIZE, TILE = 512, 128
"""Sizes of `matmul_f16`."""

LARGE_SIZE = 1024
"""Size of `matmul_f16_1024`, with the same tiles."""

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
    goal: float = GOAL


def kernels() -> list[Kernel]:
    """What is measured, with random arguments."""
    random = np.random.default_rng(0)
    x = random.standard_normal((ROWS, COLUMNS)).astype(np.float32)
    return [
        Kernel(
            f"row softmax {ROWS}x{COLUMNS} f32",
            "row_softmax",
            (ROWS // TILE_ROWS, 1, 1),
            (x, np.zeros_like(x)),
            softmax,
        ),
        matmul_kernel("matmul_f16", SIZE, GOAL),
        matmul_kernel("matmul_f16_1024", LARGE_SIZE, LARGE_GOAL),
    ]


def matmul_kernel(file: str, size: int, goal: float) -> Kernel:
    """A product of random square matrices."""
    a, b = np.random.default_rng(0).standard_normal((2, size, size)).astype(np.float16)
    arguments = a, b, np.zeros((size, size), np.float32)
    grid = size // TILE, size // TILE, 1
    return Kernel(f"matmul {size}^3 f16", file, grid, arguments, matmul, goal)


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
    run = partial(launch, module, None, kernel.grid, kernel.arguments)
    one_by_one = range(math.prod(kernel.grid))
    mine, theirs, single = medians(
        {
            "ours": lambda: seconds(run),
            "numpy": lambda: seconds(lambda: kernel.reference(*inputs)),
            "one by one": lambda: seconds(lambda: run(order=one_by_one)),
        },
        runs,
    ).values()
    recorder.add(kernel.name, [mine, theirs, mine / theirs])
    expected = kernel.reference(*inputs)
    error = float(np.max(np.abs(result - expected)))
    assert error <= 1e-4 * float(np.max(np.abs(expected))), error
    print(
        f"{kernel.name:<32} {1e3 * mine:>10.1f} ms {1e3 * theirs:>10.1f} ms {mine / theirs:>7.1f}x"
        f" {single / theirs:>9.1f}x"
    )
    return mine <= kernel.goal * theirs


def at_ptx(recorder: Recorder) -> bool:
    """Prints what the large product takes in the emulator, once; whether the goal is reached."""
    kernel = matmul_kernel("matmul_f16_1024", LARGE_SIZE, LARGE_GOAL)
    program = tileir_xdsl.load(KERNELS / f"{kernel.file}.mlir", "sm_90a")
    taken = seconds(lambda: program.run(kernel.grid, *kernel.arguments, level="ptx"))
    *inputs, result = kernel.arguments
    np.testing.assert_allclose(result, kernel.reference(*inputs), atol=1e-2)
    recorder.add("emulator", [taken, None, None])
    print(f"{kernel.name + ', ptx':<32} {taken:>10.1f} s")
    return taken <= PTX_SECONDS


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
    print(f"{title:<32} {'interpreter':>13} {'numpy':>13} {'ratio':>8} {'one by one':>10}")
    reached = [compare(kernel, args.runs, recorder) for kernel in kernels()]
    reached.append(per_op(args.runs, recorder))
    reached.append(at_ptx(recorder))
    print(f"goals: {GOAL:g}x, {LARGE_GOAL:g}x, {MICROSECONDS_PER_OP:g} us, {PTX_SECONDS:g} s")
    recorder.write(args.json)
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
