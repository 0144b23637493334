"""Kernel arguments on the command line.

    [NAME:]zeros:TYPE:SHAPE    [NAME:]random:TYPE:SHAPE    [NAME:]FILE.npy    INTEGER    FLOAT

TYPE is a Tile IR element type (`f32`, `bf16`, `i64`, ...), SHAPE is `1000` or `64x128`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tileir_xdsl.cli.diagnostics import InputError, errors_in

Array = npt.NDArray[Any]

DTYPES: Mapping[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "tf32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E8M0FNU": np.dtype(ml_dtypes.float8_e8m0fnu),
}
"""How an element type of Tile IR is stored in a numpy array."""


@dataclass(frozen=True)
class Argument:
    """One kernel argument: an array that the kernel reads and writes in place, or a number."""

    name: str | None
    value: Array | int | float


def is_integer(dtype: np.dtype[Any]) -> bool:
    """Whether the elements are integers, booleans included."""
    return dtype.kind in "iub"


def zeros(dtype: np.dtype[Any], shape: tuple[int, ...], _random: np.random.Generator) -> Array:
    """An array of zeros."""
    return np.zeros(shape, dtype)


def random_values(
    dtype: np.dtype[Any], shape: tuple[int, ...], random: np.random.Generator
) -> Array:
    """Floats of the standard normal distribution, small integers of both signs, or booleans."""
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if is_integer(dtype):
        return random.integers(-100, 101, shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


_FILLS: Mapping[str, Callable[[np.dtype[Any], tuple[int, ...], np.random.Generator], Array]] = {
    "zeros": zeros,
    "random": random_values,
}

_NAMED = re.compile(rf"(?!(?:{'|'.join(_FILLS)}):)(?P<name>[A-Za-z_]\w*):(?P<value>.*)", re.DOTALL)
_FILLED = re.compile(
    rf"(?P<fill>{'|'.join(_FILLS)}):(?P<type>\w+):(?P<shape>\d+(?:x\d+)*)", re.DOTALL
)


def _number(text: str) -> int | float | None:
    for read in (lambda: int(text, 0), lambda: float(text)):
        try:
            return read()
        except ValueError:
            pass
    return None


def _array(text: str, random: np.random.Generator) -> Array:
    if filled := _FILLED.fullmatch(text):
        if (dtype := DTYPES.get(filled["type"])) is None:
            raise InputError(
                f"--arg {text}", f"unknown type '{filled['type']}', expected {', '.join(DTYPES)}"
            )
        shape = tuple(int(extent) for extent in filled["shape"].split("x"))
        return _FILLS[filled["fill"]](dtype, shape, random)
    if text.endswith(".npy"):
        with errors_in(text, ValueError, EOFError):
            return np.load(text, allow_pickle=False)
    raise InputError(
        f"--arg {text}",
        "expected a number, FILE.npy, zeros:TYPE:SHAPE or random:TYPE:SHAPE, e.g. random:f32:1000",
    )


def parse_argument(text: str, random: np.random.Generator) -> Argument:
    """Reads one argument; `random` supplies the values of `random:...`.

    Raises InputError for text of another form, an unknown type, or a file that cannot be read.
    """
    named = _NAMED.fullmatch(text)
    name, text = (named["name"], named["value"]) if named else (None, text)
    number = _number(text)
    return Argument(name, _array(text, random) if number is None else number)
