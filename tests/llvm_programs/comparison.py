"""Compiles random functions twice, runs both PTX texts on the same arrays, and compares."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing.llvm_programs.arguments import make_argument, module_text
from tileir_xdsl.testing.llvm_programs.generator import DEFAULT_SIZE, Function, generate
from tileir_xdsl.testing.tools import mlir_tool_path, parse

Array = NDArray[Any]

GPUS = ("sm_90a", "sm_80")
"""The older one lacks arithmetic on bf16, so that it is made of other instructions."""


@cache
def _target_machine(gpu: str) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("nvptx64-nvidia-cuda")
    return target.create_target_machine(cpu=gpu, opt=3, features="+ptx86")


def llvm_ptx(text: str, gpu: str) -> str:
    """The PTX that LLVM makes of a module, through upstream's `mlir-translate`."""
    result = subprocess.run(
        [mlir_tool_path("mlir-translate"), "--mlir-to-llvmir"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise AssertionError(result.stderr)
    return _target_machine(gpu).emit_assembly(llvm.parse_assembly(result.stdout))


def our_ptx(text: str, gpu: str) -> str:
    """The PTX that our printer makes of a module."""
    return emit(parse(text, verify=False), gpu)


def results(module: emulator.Module, function: Function) -> list[Array]:
    """The arrays after a function has run."""
    arguments = [make_argument(name) for name in function.parameters]
    module.launch(function.name, (1, 1, 1), arguments)
    return [array for array in arguments if isinstance(array, np.ndarray)]


def agree(ours: Array, theirs: Array) -> bool:
    """Whether two arrays hold the same bits; one NaN is as good as another."""
    if ours.tobytes() == theirs.tobytes():
        return True
    if ours.dtype.kind == "i":
        return False
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    same = (a == b) & (np.signbit(a) == np.signbit(b))
    return bool((same | (np.isnan(a) & np.isnan(b))).all())


def disagreements(seeds: Sequence[int], gpu: str, size: int = DEFAULT_SIZE) -> list[int]:
    """The seeds whose function computes something else through LLVM than through our printer."""
    functions = {seed: generate(seed, size) for seed in seeds}
    text = module_text(list(functions.values()))
    ours, theirs = emulator.load(our_ptx(text, gpu)), emulator.load(llvm_ptx(text, gpu))
    return [
        seed
        for seed, function in functions.items()
        if not all(map(agree, results(ours, function), results(theirs, function)))
    ]


def smallest(seed: int, gpu: str) -> str:
    """The text of the shortest function of a seed, by its size, that still disagrees."""
    sizes = (size for size in range(1, DEFAULT_SIZE) if disagreements([seed], gpu, size))
    return generate(seed, next(sizes, DEFAULT_SIZE)).text
