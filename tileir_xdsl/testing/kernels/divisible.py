"""Twins of kernels with strides that are known to be multiples of 16.

Unless the signature states a divisor of dynamic strides, rows may start at any address, and no
asynchronous copy is legal. A twin is the same kernel with the same reference and problems. The row
stride of its arrays is rounded up to a multiple of `DIVISOR` elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem
from tileir_xdsl.testing.kernels.cutile import ArrayConstraint, ParameterConstraint

DIVISOR = 16
"""The divisor of strides, in elements: at least the 16 bytes that TMA and `cp.async` require."""

FOLDER = Path(__file__).parent / "divisible"
"""The folder of the twins' Tile IR."""


def divisible_twins(cases: Iterable[KernelCase]) -> dict[str, KernelCase]:
    """The twins, by name, of the cases that have a dynamic row stride."""
    return {case.name: _twin(case) for case in cases if any(map(_has_rows, case.parameters))}


def _has_rows(parameter: ParameterConstraint) -> bool:
    """Whether a parameter is an array of contiguous rows with any alignment."""
    if not isinstance(parameter, ArrayConstraint):
        return False
    *outer, last = parameter.stride_constant
    return last == 1 and None in outer


def _twin(case: KernelCase) -> KernelCase:
    rows = [_has_rows(parameter) for parameter in case.parameters]

    def arguments(problem: Problem, rng: np.random.Generator) -> Sequence[Argument]:
        pitched: dict[int, Array] = {}
        return [
            # One array given twice stays one array.
            pitched.setdefault(id(argument), with_pitch(argument))
            if isinstance(argument, np.ndarray) and has_rows
            else argument
            # Constants have parameters, but no arguments; they come last.
            for argument, has_rows in zip(case.arguments(problem, rng), rows, strict=False)
        ]

    parameters = tuple(
        _with_divisor(parameter) if has_rows else parameter
        for parameter, has_rows in zip(case.parameters, rows, strict=True)
    )
    return replace(case, parameters=parameters, arguments=arguments, folder=FOLDER)


def _with_divisor(parameter: ParameterConstraint) -> ParameterConstraint:
    assert isinstance(parameter, ArrayConstraint)
    divisors = [DIVISOR if stride is None else 1 for stride in parameter.stride_constant]
    return replace(parameter, stride_divisible_by=divisors)


def with_pitch(array: Array) -> Array:
    """A copy of the array in which all strides but the last are multiples of `DIVISOR` elements."""
    *outer, columns = array.shape
    pitch = -(-columns // DIVISOR) * DIVISOR
    pitched = np.zeros((*outer, pitch), array.dtype)[..., :columns]
    pitched[...] = array
    return pitched
