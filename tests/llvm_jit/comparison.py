"""Runs random functions on the CPU and in the emulator, and compares what they store."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from bench.framework.jit import engine
from tests.llvm_jit.generator import (
    DEFAULT_SIZE,
    INPUTS,
    INTEGER_RESULTS,
    RESULTS,
    Function,
    generate,
)
from tileir_xdsl import emulator

Array = NDArray[Any]

THREADS = 64
_INTEGERS = (0, 1, -1, 2, 127, -128, 255, 32767, -32768, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
_FLOATS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 1e-3, 3.4e38, -3.5e38, 1e300, 5e-324, 1e-40),
    *(float("inf"), float("-inf"), float("nan"), 2147483647.5, -9.3e18, 1.8446744073709552e19),
)


@cache
def _device(gpu: str) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("nvptx64-nvidia-cuda")
    return target.create_target_machine(cpu=gpu, opt=3, features="+ptx86")


def _kernel(function: Function) -> str:
    """A kernel whose threads call a function, each for its number."""
    places = "ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c"
    return f"""
define ptx_kernel void @k{function.name}({places}) {{
  %index = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %integers = addrspacecast ptr addrspace(1) %a to ptr
  %floats = addrspacecast ptr addrspace(1) %b to ptr
  %all = addrspacecast ptr addrspace(1) %c to ptr
  %offset = mul i32 %index, {RESULTS}
  %results = getelementptr i64, ptr %all, i32 %offset
  call void @{function.name}(ptr %integers, ptr %floats, ptr %results, i32 %index)
  ret void
}}
"""


def _module(functions: Sequence[Function], extra: str = "") -> str:
    declared = sorted(set[str]().union(*(function.intrinsics for function in functions)))
    return "\n".join((*declared, *(function.text for function in functions), extra))


def inputs() -> tuple[Array, Array]:
    """Corner cases and random numbers, the same for every function."""
    rng = np.random.default_rng(26)
    integers = rng.integers(-(2**63), 2**63, INPUTS, np.int64, endpoint=False)
    integers >>= rng.integers(0, 60, INPUTS)
    integers[: len(_INTEGERS)] = _INTEGERS
    floats = rng.standard_normal(INPUTS) * 10.0 ** rng.integers(-5, 12, INPUTS)
    floats[: len(_FLOATS)] = _FLOATS
    return integers, floats


def on_cpu(functions: Sequence[Function]) -> list[Array]:
    """What the functions store, `[THREADS, RESULTS]` words each."""
    compiled = engine(_module(functions))
    integers, floats = inputs()
    found: list[Array] = []
    prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int32)
    for function in functions:
        call = prototype(compiled.get_function_address(function.name))
        results = np.zeros((THREADS, RESULTS), np.uint64)
        for index in range(THREADS):
            call(integers.ctypes.data, floats.ctypes.data, results[index:].ctypes.data, index)
        found.append(results)
    return found


def in_emulator(functions: Sequence[Function], gpu: str) -> list[Array]:
    """The same, through LLVM's PTX."""
    declared = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()"
    extra = "\n".join((declared, *map(_kernel, functions)))
    module = emulator.load(
        _device(gpu).emit_assembly(llvm.parse_assembly(_module(functions, extra)))
    )
    found: list[Array] = []
    for function in functions:
        results = np.zeros((THREADS, RESULTS), np.uint64)
        arguments = [*inputs(), results]
        module.launch(f"k{function.name}", (1, 1, 1), arguments, block=(THREADS, 1, 1))
        found.append(results)
    return found


def agree(first: Array, second: Array) -> bool:
    """Whether integers have the same bits, and floats too, where they are numbers."""
    if (first[:, :INTEGER_RESULTS] != second[:, :INTEGER_RESULTS]).any():
        return False
    a, b = (x[:, INTEGER_RESULTS:].copy() for x in (first, second))
    both_nan = np.isnan(a.view(np.float64)) & np.isnan(b.view(np.float64))
    return bool(((a == b) | both_nan).all())


def disagreements(seeds: Sequence[int], gpu: str, size: int = DEFAULT_SIZE) -> list[int]:
    """The seeds of functions that store something else on the CPU than in the emulator."""
    functions = [generate(seed, size) for seed in seeds]
    pairs = zip(seeds, on_cpu(functions), in_emulator(functions, gpu), strict=True)
    return [seed for seed, cpu, ptx in pairs if not agree(cpu, ptx)]


def smallest(seed: int, gpu: str) -> str:
    """The text of the shortest function of a seed, by its size, that still disagrees."""
    sizes = (size for size in range(1, DEFAULT_SIZE) if disagreements([seed], gpu, size))
    return generate(seed, next(sizes, DEFAULT_SIZE)).text
