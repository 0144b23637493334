"""Kernel arguments on the command line.

    [NAME:]zeros:TYPE:SHAPE    [NAME:]random:TYPE:SHAPE    [NAME:]FILE.npy    INTEGER    FLOAT

TYPE is a Tile IR element type (`f32`, `bf16`, `i64`, ...), SHAPE is `1000` or `64x128`.
"""

import argparse
import math
import os
import re
import sys
import tokenize
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tileir_xdsl.runtime.arrays import DTYPES, Argument, Array, random_values
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.launching import Grid


def zeros(dtype: np.dtype[Any], shape: tuple[int, ...], _random: np.random.Generator) -> Array:
    """An array of zeros."""
    return np.zeros(shape, dtype)


_FILLS: Mapping[str, Callable[[np.dtype[Any], tuple[int, ...], np.random.Generator], Array]] = {
    "zeros": zeros,
    "random": random_values,
}

_NAMED = re.compile(rf"(?!(?:{'|'.join(_FILLS)}):)(?P<name>[A-Za-z_]\w*):(?P<value>.*)", re.DOTALL)
EXTENTS = r"[0-9]{1,18}(?:x[0-9]{1,18})*"
"""The pattern of a shape; extents of more digits are beyond 64 bits."""

_FILLED = re.compile(rf"(?P<fill>{'|'.join(_FILLS)}):(?P<type>\w+):(?P<shape>{EXTENTS})", re.DOTALL)
_GRID = re.compile(r" *[0-9]{1,18} *(?:, *[0-9]{1,18} *){,2}")


_MOST_DIGITS = sys.int_info.default_max_str_digits


def _number(text: str) -> int | float | None:
    if len(text) > _MOST_DIGITS and re.fullmatch(r"[+-]?[0-9_]+", text):
        # Python reads it as an infinity, or not at all.
        raise InputError(
            f"--arg {text[:20]}...", f"expected a number of at most {_MOST_DIGITS} characters"
        )
    for read in (lambda: int(text, 0), lambda: float(text)):
        try:
            return read()
        except ValueError:
            pass
    return None


def _array(text: str, random: np.random.Generator, option: str) -> Array:
    if filled := _FILLED.fullmatch(text):
        if (dtype := DTYPES.get(filled["type"])) is None:
            raise InputError(
                f"{option} {text}", f"unknown type '{filled['type']}', expected {', '.join(DTYPES)}"
            )
        shape = tuple(int(extent) for extent in filled["shape"].split("x"))
        _check_memory(f"{option} {text}", dtype, shape)
        # Numpy rejects too many dimensions, and arrays too large for memory.
        with errors_in(f"{option} {text}", ValueError, MemoryError):
            return _FILLS[filled["fill"]](dtype, shape, random)
    if text.endswith(".npy"):
        failures = (ValueError, EOFError, MemoryError, tokenize.TokenError)
        with errors_in(text, *failures), open(text, "rb") as stream:
            return np.lib.format.read_array(stream, allow_pickle=False)
    raise InputError(
        f"{option} {text}",
        "expected a number, FILE.npy, zeros:TYPE:SHAPE or random:TYPE:SHAPE, e.g. random:f32:1000",
    )


def _check_memory(where: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    """Raises InputError for an array that is larger than the memory of this machine.

    Where the system overcommits memory, numpy does not notice.
    """
    size = math.prod(shape) * dtype.itemsize
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if size > memory:
        raise InputError(
            where, f"the array needs {size} bytes, but this machine has {memory} bytes of memory"
        )


def parse_argument(
    given: str | Argument, random: np.random.Generator, option: str = "--arg"
) -> Argument:
    """Reads one argument, unless a launch of Python has given it; `random` is for `random:...`.

    Raises InputError for malformed text, an unknown type, or a file that cannot be read.
    """
    if isinstance(given, Argument):
        return given
    named = _NAMED.fullmatch(given)
    name, text = (named["name"], named["value"]) if named else (None, given)
    number = _number(text)
    return Argument(name, _array(text, random, option) if number is None else number)


def add_launch(add: Callable[..., object], grid: str = "1", blocks: str = "tile blocks") -> None:
    """Declares by `add_argument` the kernel of a file, the grid and the arguments of a launch."""
    add("--kernel", metavar="NAME", help="default: the only kernel in the file")
    add("--grid", metavar="X,Y,Z", default=grid, help=f"number of {blocks}, default {grid}")
    add(
        "--arg",
        action="append",
        default=[],
        metavar="ARG",
        help="one kernel argument, in order: a number, or [NAME:] and FILE.npy, zeros:TYPE:SHAPE "
        "or random:TYPE:SHAPE, such as out:zeros:f32:64x128. The sizes and strides of an array of "
        "Tile IR may be left out",
    )
    add("--seed", type=natural, default=0, help="of all that is random, default 0")


DEFAULT_GRID = "8"
"""The default grid of a check."""


def parse_grid(text: str, option: str = "--grid") -> Grid:
    """Reads `X`, `X,Y` or `X,Y,Z`; extents that are not given are 1.  Raises InputError."""
    if not _GRID.fullmatch(text):
        raise InputError(f"{option} {text}", "expected X, X,Y or X,Y,Z")
    x, y, z = (int(extent) for extent in [*text.split(","), "1", "1"][:3])
    if not min(x, y, z):
        raise InputError(f"{option} {text}", "expected extents of at least 1")
    return x, y, z


def natural(text: str) -> int:
    """The value of an option that is a number, zero or more, such as a seed.

    Raises ArgumentTypeError, which argparse reports.
    """
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(
            f"expected a whole number of at most 18 digits, got '{text}'"
        )
    return int(text)
