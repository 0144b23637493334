"""A vector addition from Tile IR to PTX, assembled by ptxas, and run in the PTX emulator.

`python -m bench.demo` prints the size of every stage, what ptxas says about the result, and the
largest difference from numpy.  The exit status is 1 if there is any difference, or a spill.
"""

import math
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl import emulator
from tileir_xdsl.cli.compile_log import count_operations
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.runtime.reader import new_context, read_file
from tileir_xdsl.targets import DEFAULT_TARGET as DEFAULT_GPU

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCE = Path("tileir_xdsl", "testing", "kernels", "vector_add.mlir")
KERNEL = "vector_add"
TILE = 1024
"""Elements per tile block of the kernel."""
SIZE = 100_000
"""Elements added; the last of the blocks is partial."""


def row(stage: str, size: str, seconds: float) -> None:
    """One line of the table."""
    print(f"  {stage:<40} {size:>10} {1000 * seconds:>8.1f} ms")


def operations(module: ModuleOp) -> str:
    """The size of a module."""
    return f"{count_operations(module)} ops"


def compile_kernel() -> str:
    """Takes the kernel down the road, with one row for each stage; returns the PTX."""
    start = time.perf_counter()
    context = new_context()
    module = read_file(context, str(REPOSITORY / SOURCE))
    row("read (cuda_tile)", operations(module), time.perf_counter() - start)

    start = time.perf_counter()

    def observe(step: ModulePass, module: ModuleOp) -> None:
        nonlocal start
        row(step.name, operations(module), time.perf_counter() - start)
        start = time.perf_counter()

    program = lower(
        context, module, "ptx", gpu=DEFAULT_GPU, file=str(REPOSITORY / SOURCE), observe=observe
    )
    assert program.ptx is not None
    row("ptx", f"{len(program.ptx.splitlines())} lines", time.perf_counter() - start)
    return program.ptx


def maximum_error(ptx: str) -> float:
    """Runs the PTX in the emulator; the largest absolute difference from numpy's sum."""
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(SIZE, dtype=np.float32) for _ in range(2))
    result = np.full(SIZE, np.nan, np.float32)
    arguments: list[npt.NDArray[np.float32] | np.int32] = []
    for array in (a, b, result):
        arguments += [array, np.int32(SIZE), np.int32(1)]
    emulator.load(ptx).launch(KERNEL, (math.ceil(SIZE / TILE), 1, 1), arguments)
    return float(np.max(np.abs(result - (a + b))))


def main() -> int:
    """Prints the table; returns the exit status."""
    print(f"{SOURCE} for {DEFAULT_GPU}")
    ptx = compile_kernel()

    start = time.perf_counter()
    assembly = assemble(ptx, DEFAULT_GPU)
    row("cubin (ptxas)", f"{len(assembly.cubin)} bytes", time.perf_counter() - start)
    resources = assembly.kernels[KERNEL]
    spills = resources.spill_stores + resources.spill_loads

    start = time.perf_counter()
    error = maximum_error(ptx)
    seconds = time.perf_counter() - start
    print(f"registers per thread: {resources.registers}, bytes spilled: {spills}")
    print(f"emulated {SIZE} elements in {seconds:.2f} s, maximum error against numpy: {error:g}")
    return 0 if error == 0 and spills == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
