"""Modules of random functions in the `llvm` dialect, and arguments for their launches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tileir_xdsl.runtime.arrays import DTYPES, Array
from tileir_xdsl.testing.llvm_programs.draft import (
    INPUT_ELEMENTS,
    OUTPUTS_PER_THREAD,
    SLOTS_PER_THREAD,
)
from tileir_xdsl.testing.llvm_programs.generator import SHARED_ARRAY, THREADS, Function

SCALARS: dict[str, int | float] = {
    "scalar_i32": -77,
    "scalar_i64": -(1 << 40) + 5,
    "scalar_f32": 1.5,
}
CORNERS = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-7, 60000.0)


def module_text(functions: Sequence[Function]) -> str:
    """The text of a module with functions and the shared-memory array that they use."""
    return "\n".join((SHARED_ARRAY, *(function.text for function in functions)))


def _input(rng: np.random.Generator, type: str) -> Array:
    dtype = DTYPES[type]
    if type.startswith("i"):
        words = rng.integers(0, 1 << 63, INPUT_ELEMENTS, np.uint64)
        return (words >> rng.integers(0, 60, INPUT_ELEMENTS, np.uint64)).astype(dtype)
    array = (rng.standard_normal(INPUT_ELEMENTS) * 8).astype(dtype)
    array[rng.integers(0, INPUT_ELEMENTS, len(CORNERS))] = np.array(CORNERS).astype(dtype)
    return array


def make_argument(name: str) -> Array | int | float:
    """The value of a parameter: inputs have corner values, outputs and scratch memory are zero."""
    use, type = name.split("_")
    rng = np.random.default_rng(list(name.encode()))
    match use:
        case "in":
            return _input(rng, type)
        case "out":
            return np.zeros(THREADS * OUTPUTS_PER_THREAD, DTYPES[type])
        case "scratch":
            return np.zeros(THREADS * SLOTS_PER_THREAD, DTYPES[type])
        case _:
            return SCALARS[name]
