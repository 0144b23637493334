"""Floating-point ops with modifiers, as attributes that `cuda_tile` and `nv_tileaa` share.

Each wrapper adapts a function of operands and modifiers to a function of op and operands. `approx`
and `full` results are exact ones, rounded: within every bound of the specification.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tileir_xdsl.dialects.enumerations import Signedness
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters.element_types import element_of, float_format_of
from tileir_xdsl.interpreters.integer_operations import as_signed, from_float
from tileir_xdsl.interpreters.numerics import Array, ieee_mode, to_double


def rounded(function: Callable[..., Array]) -> Callable[..., Array]:
    """Adapts an operation with a rounding mode and flush-to-zero."""

    def run(op: Any, *operands: Array) -> Array:
        return function(
            *operands,
            float_format_of(op.result.type),
            ieee_mode(op.rounding_mode.data.value),
            op.flush_to_zero is not None,
        )

    return run


def extremum(function: Callable[..., Array]) -> Callable[..., Array]:
    """Adapts a maximum or minimum with NaN propagation and flush-to-zero."""

    def run(op: Any, lhs: Array, rhs: Array) -> Array:
        return function(
            lhs,
            rhs,
            float_format_of(op.result.type),
            op.propagate_nan is not None,
            op.flush_to_zero is not None,
        )

    return run


def flushable(function: Callable[..., Array]) -> Callable[..., Array]:
    """Adapts a function of the reals with flush-to-zero."""

    def run(op: Any, source: Array) -> Array:
        fmt = float_format_of(op.result.type)
        return floats.elementary(function, source, fmt=fmt, flush=op.flush_to_zero is not None)

    return run


def divide(op: Any, lhs: Array, rhs: Array) -> Array:
    """Divides in the rounding mode of the op."""
    quotient = rounded(floats.divide)(op, lhs, rhs)
    if op.rounding_mode.data.value != "approx":
        return quotient
    return floats.approximate_division(lhs, rhs, quotient)


def integer_power(op: Any, source: Array, exponent: Array) -> Array:
    """Raises `source` to the power of signed integers."""
    fmt = float_format_of(op.result.type)
    return floats.elementary(floats.power, source, as_signed(exponent).astype(np.float64), fmt=fmt)


def convert_float(op: Any, source: Array) -> Array:
    """Converts the float format, in the rounding mode of the op."""
    from_format, to_format = float_format_of(op.source.type), float_format_of(op.result.type)
    return floats.convert(source, from_format, to_format, ieee_mode(op.rounding_mode.data.value))


def float_to_integer(op: Any, source: Array) -> Array:
    """Rounds floats toward zero, saturating, NaN to 0; as i1: whether they are nonzero or NaN."""
    values, dtype = to_double(source), element_of(op.result.type).dtype
    # The specification's nearest number of an i1 would make 0.5 false (docs/open_readings.md).
    if dtype == np.bool_:
        return values != 0
    return from_float(values, dtype, op.signedness.data is Signedness.SIGNED)
