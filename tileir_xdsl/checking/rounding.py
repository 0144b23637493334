"""The allowed errors of results of a kernel, from the roundings of all ops before them.

The program runs again at its first level, each time with other random errors. Each inexact op's
result is changed within the error of its instructions. The changes of the outputs show how the
chain of ops amplifies these errors: long sums, narrow intermediates, cancellation, sensitive
functions. See docs/numerics.md, "What check allows".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.levels import EXTENSION_OPS
from tileir_xdsl.walking import ops_in

Doubles = NDArray[np.float64]

SAMPLES = 4
"""The number of runs with errors."""

MARGIN = 3.0
"""The factor by which allowed errors exceed those of these runs."""

UNITS: Mapping[str, float] = {
    "addf": 1,
    "subf": 1,
    "mulf": 1,
    "fma": 1,
    "divf": 2,
    "remf": 1,
    "ftof": 1,
    "fp_to_fp": 1,
    "truncf": 1,
    "itof": 1,
    "exp": 2,
    "exp2": 2,
    "log": 1,
    "log2": 1,
    "sqrt": 1,
    "rsqrt": 2,
    "sin": 2,
    "cos": 2,
    "tan": 4,
    "sinh": 3,
    "cosh": 2,
    "tanh": 2,
    "pow": 1,
    "powf": 1,
    "fpowf": 1,
    "fpowi": 4,
    "atan2": 3,
}
"""The error of an op in units in the last place of its result, by the last part of its name.

An op that rounds once has one unit, because contraction and reordering may move the rounding.
Functions have the f32 bounds of docs/numerics.md.
"""

APPROXIMATE_UNITS: Mapping[str, float] = {"exp": 8, "tanh": 8192}
"""The errors with `rounding<approx>`, where larger."""

ROOT_OF_ROUNDINGS = 0.5
"""The error of a sum of `n` terms in units in the last place, divided by the root of `n`.

One rounding has an error of at most half a unit, and errors of random sign partly cancel.
"""

MMA_OPS = ("mmaf", "mmaf_scaled", "dot")
AGGREGATIONS = ("reduce", "scan")


def _kind(op: Operation) -> str:
    return op.name.rpartition(".")[2]


def units_of(op: Operation) -> float:
    """The error of an elementwise op, 0 for an exact one."""
    if (known := EXTENSION_OPS.get(type(op))) is not None:
        return known.parts.bound
    kind = _kind(op)
    mode = op.properties.get("rounding_mode") or op.properties.get("rounding")
    is_approximate = mode is not None and "approx" in str(mode).lower()
    units = UNITS.get(kind, 0.0)
    return APPROXIMATE_UNITS.get(kind, units) if is_approximate else units


def _unit_in_last_position(magnitude: Doubles, dtype: np.dtype[np.generic]) -> Doubles:
    """The distance of neighbouring numbers of a format around magnitudes."""
    info = ml_dtypes.finfo(dtype)
    smallest = float(info.smallest_normal)
    exponent = np.floor(np.log2(np.maximum(magnitude, smallest)))
    return 2.0 ** (exponent - info.nmant)


def is_changeable(value: object) -> bool:
    """Whether the result of an op is an array of floats to which errors can be added."""
    return _is_float(value) and isinstance(value, np.ndarray) and value.flags.writeable


def _is_float(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind not in "biuO" and value.size > 0


def _of_sum(length: int, magnitude: Doubles, dtype: np.dtype[np.generic]) -> Doubles:
    """The error of a sum with partial sums of this magnitude, in any order of terms."""
    return ROOT_OF_ROUNDINGS * np.sqrt(length) * _unit_in_last_position(magnitude, dtype)


def _of_product(operands: Sequence[Array], result: Doubles, dtype: np.dtype[np.generic]) -> Doubles:
    """The error of a dot, whose partial sums are estimated for terms of random signs."""
    a, b = (np.asarray(operand).astype(np.float64) for operand in operands[:2])
    partial = np.sqrt(np.square(a) @ np.square(b))
    return _of_sum(a.shape[-1], np.maximum(np.abs(result), partial), dtype)


def _of_aggregation(
    op: Operation, operand: Array, result: Doubles, dtype: np.dtype[np.generic]
) -> Doubles:
    """The error of a reduction or a scan, if its body rounds."""
    if not any(units_of(inner) for region in op.regions for inner in ops_in(region)):
        return np.zeros_like(result)
    terms = operand.astype(np.float64)
    length = (
        max(1, operand.size // max(1, result.size))
        if _kind(op) == "reduce"
        else max(operand.shape, default=1)
    )
    partial = np.sqrt(length * np.mean(np.square(terms)))
    return _of_sum(length, np.maximum(np.abs(result), partial), dtype)


class RoundingErrors(LaunchListener):
    """Moves the results of inexact ops by random errors within their bounds."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.operands: dict[Operation, PythonValues] = {}

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        if _kind(op) in (*MMA_OPS, *AGGREGATIONS):
            self.operands[op] = args

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        operands = self.operands.pop(op, ())
        for position, result in enumerate(results):
            if not is_changeable(result):
                continue
            values = result.astype(np.float64)
            with np.errstate(all="ignore"):
                error = self._error(op, operands, position, values, result.dtype)
                if error is not None:
                    result[...] = (values + error).astype(result.dtype)

    def _error(
        self,
        op: Operation,
        operands: PythonValues,
        position: int,
        values: Doubles,
        dtype: np.dtype[np.generic],
    ) -> Doubles | None:
        """The error to add to a result; None if exact."""
        kind, size = _kind(op), units_of(op)
        if kind in MMA_OPS:
            scale = _of_product(operands, values, dtype)
        elif kind in AGGREGATIONS and position < len(operands):
            scale = _of_aggregation(op, operands[position], values, dtype)
        elif size:
            scale = size * _unit_in_last_position(np.abs(values), dtype)
        else:
            return None
        noise = self.random.uniform(-1.0, 1.0, values.shape)
        return np.where(np.isfinite(values) & np.isfinite(scale), noise * scale, 0.0)


def allowed_errors(
    run: Callable[[RoundingErrors], Sequence[Array]], expected: Sequence[Array]
) -> list[Doubles]:
    """The allowed error of each element of each result array.

    `run` returns the arrays of a launch at the first level with a listener; `expected` are the
    arrays without errors. The error is `MARGIN` times the largest change of the element, but at
    least the root mean square of the changes in its array.
    """
    moved = [np.zeros(array.shape, np.float64) for array in expected]
    for seed in range(SAMPLES):
        for number, (array, exact) in enumerate(
            zip(run(RoundingErrors(seed)), expected, strict=True)
        ):
            if _is_float(exact):
                with np.errstate(all="ignore"):
                    distance = np.abs(array.astype(np.float64) - exact.astype(np.float64))
                moved[number] = np.fmax(moved[number], np.nan_to_num(distance, posinf=np.inf))
    return [MARGIN * np.maximum(each, _average(each)) for each in moved]


def _average(moved: Doubles) -> float:
    finite = moved[np.isfinite(moved)]
    return float(np.sqrt(np.mean(np.square(finite)))) if finite.size else 0.0
