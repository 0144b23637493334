"""External functions that `nv_tileaa` applies element by element.

Mathematical functions of libdevice and LLVM are computed here: in double precision, rounded once.
PTX, LLVM IR and plug-ins are not interpreted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.interpreters import bit_operations as bits
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import Array, Element, FloatFormat
from tileir_xdsl.interpreters.registration import StatefulTable

_Function: TypeAlias = Callable[..., Array]


def _by_element(function: Callable[[float], float]) -> _Function:
    return np.vectorize(function, otypes=[np.float64])


def _gamma(function: Callable[[float], float], pole: float) -> Callable[[float], float]:
    def run(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return pole
        except OverflowError:
            return math.inf

    return run


def _round_half_away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x)) + (np.abs(x) % 1 >= 0.5), x)


def _exp10(x: Array) -> Array:
    return np.power(10.0, x)


def _cospi(x: Array) -> Array:
    return np.cos(np.pi * np.fmod(x, 2.0))


def _sinpi(x: Array) -> Array:
    return np.sin(np.pi * np.fmod(x, 2.0))


def _positive_difference(x: Array, y: Array) -> Array:
    return np.where(x > y, x - y, np.where(np.isnan(x + y), np.nan, 0.0))


_COMMON: dict[str, _Function] = {
    "ceil": np.ceil,
    "copysign": np.copysign,
    "cos": np.cos,
    "exp": np.exp,
    "exp10": _exp10,
    "exp2": np.exp2,
    "fabs": np.abs,
    "floor": np.floor,
    "log": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "nearbyint": np.rint,
    "pow": floats.power,
    "rint": np.rint,
    "round": _round_half_away,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "trunc": np.trunc,
}

LIBDEVICE: dict[str, _Function] = _COMMON | {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "cosh": np.cosh,
    "cospi": _cospi,
    "erf": _by_element(math.erf),
    "erfc": _by_element(math.erfc),
    "expm1": np.expm1,
    "fdim": _positive_difference,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod": np.fmod,
    "hypot": np.hypot,
    "lgamma": _by_element(_gamma(math.lgamma, math.inf)),
    "log1p": np.log1p,
    "rsqrt": floats.reciprocal_square_root,
    "sinh": np.sinh,
    "sinpi": _sinpi,
    "tanh": np.tanh,
    "tgamma": _by_element(_gamma(math.gamma, math.nan)),
}
"""Functions of libdevice on doubles, by name without `__nv_`, and without `f` for f32."""

FLOAT_INTRINSICS: dict[str, _Function] = _COMMON | {
    "maxnum": np.fmax,
    "minnum": np.fmin,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "roundeven": np.rint,
}
"""LLVM intrinsics on doubles, by name without `llvm.` and type."""


def _leading_zeros(source: Array, _zero_is_poison: Array) -> Array:
    return bits.leading_zeros(source)


def _trailing_zeros(source: Array, _zero_is_poison: Array) -> Array:
    return bits.trailing_zeros(source)


def _swap_bytes(source: Array) -> Array:
    return source.byteswap()


def _absolute(source: Array, _minimum_is_poison: Array) -> Array:
    return integers.absolute(source)


def _funnel_shift_left(high: Array, low: Array, amount: Array) -> Array:
    width = integers.width_of(high)
    shift = integers.as_unsigned(amount).astype(np.int64) % width
    return np.where(
        shift == 0,
        high,
        integers.shift_left(high, shift) | integers.shift_right(low, width - shift, signed=False),
    )


def _funnel_shift_right(high: Array, low: Array, amount: Array) -> Array:
    width = integers.width_of(high)
    shift = integers.as_unsigned(amount).astype(np.int64) % width
    return np.where(
        shift == 0,
        low,
        integers.shift_left(high, width - shift) | integers.shift_right(low, shift, signed=False),
    )


INTEGER_INTRINSICS: dict[str, _Function] = {
    "abs": _absolute,
    "bitreverse": bits.reverse_bits,
    "bswap": _swap_bytes,
    "ctlz": _leading_zeros,
    "ctpop": bits.count_ones,
    "cttz": _trailing_zeros,
    "fshl": _funnel_shift_left,
    "fshr": _funnel_shift_right,
    "smax": partial(integers.maximum, signed=True),
    "smin": partial(integers.minimum, signed=True),
    "umax": partial(integers.maximum, signed=False),
    "umin": partial(integers.minimum, signed=False),
}
"""LLVM intrinsics on integers, by name without `llvm.` and type."""


def _apply(name: str, function: _Function | None, fmt: FloatFormat, *args: Array) -> PythonValues:
    if name == "fma":
        x, y, z = args
        return (floats.fused_multiply_add(x, y, z, fmt),)
    if function is None:
        raise ExecutionError(f"the interpreter does not support the function '{name}'")
    return (floats.elementary(function, *args, fmt=fmt),)


def _library_function(name: str, element: Element) -> str | None:
    """The name in `LIBDEVICE` of a symbol for elements of a type, None if there is none."""
    bare = name.removeprefix("__nv_")
    if bare == name or element.name not in ("f32", "f64"):
        return None
    if element.name == "f64":
        return bare
    return bare.removesuffix("f") if bare.endswith("f") else None


def _call_library(
    _execution: Execution, op: dialect.ExternElementwiseOp, *args: Array
) -> PythonValues:
    element = element_of(op.results[0].type)
    name = _library_function(op.symbol.data, element)
    if name is None or element.float_format is None or len(op.results) != 1:
        raise ExecutionError(f"the interpreter does not support the function '{op.symbol.data}'")
    return _apply(name, LIBDEVICE.get(name), element.float_format, *args)


def _call_intrinsic(
    _execution: Execution, op: dialect.CallElementwiseIntrinsicOp, *args: Array
) -> PythonValues:
    fmt = element_of(op.results[0].type).float_format
    name = op.intrinsic.data.removeprefix("llvm.").split(".")[0]
    if fmt is not None:
        return _apply(name, FLOAT_INTRINSICS.get(name), fmt, *args)
    function = INTEGER_INTRINSICS.get(name)
    if function is None:
        raise ExecutionError(
            f"the interpreter does not support the intrinsic '{op.intrinsic.data}'"
        )
    return (np.asarray(function(*args)),)


def _opaque(_execution: Execution, _op: Operation, *_args: object) -> PythonValues:
    raise ExecutionError("the interpreter does not execute external code")


EXTERNAL: StatefulTable = {
    dialect.CallElementwiseIntrinsicOp: _call_intrinsic,
    dialect.ElementwiseInlineAsmOp: _opaque,
    dialect.ExternElementwiseOp: _call_library,
    dialect.InjectIROp: _opaque,
    dialect.PluginOp: _opaque,
}
