"""Twins of kernels whose strides are known to be multiples of 16.

cuTile exports dynamic strides without a divisor unless the signature states one, and without one no
asynchronous copy is legal: rows start at any address. A twin is the same kernel with the same
meaning and problems. The rows of its arrays are apart by the next multiple of `DIVISOR` elements.
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
"""Elements: of one byte they are the 16 bytes that TMA and `cp.async` want of a stride."""

FOLDER = Path(__file__).parent / "divisible"
"""Where the Tile IR of the twins is."""


def divisible_twins(cases: Iterable[KernelCase]) -> dict[str, KernelCase]:
    """The twins of those cases that have a dynamic stride between rows, by name."""
    return {case.name: _twin(case) for case in cases if any(map(_has_rows, case.parameters))}


def _has_rows(parameter: ParameterConstraint) -> bool:
    """Whether a parameter is an array of contiguous rows, which start anywhere."""
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
    """The same elements with all strides but the last a multiple of `DIVISOR` elements."""
    *outer, columns = array.shape
    pitch = -(-columns // DIVISOR) * DIVISOR
    pitched = np.zeros((*outer, pitch), array.dtype)[..., :columns]
    pitched[...] = array
    return pitched
