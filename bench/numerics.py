"""The errors of the elementary functions of generated PTX, in units in the last place.

`python -m bench.numerics [WORD ..]` prints the table of docs/numerics.md, or the rows of operations
with one of the words. Functions of one 16-bit number run on all of them, others on drawn numbers
and corners, in the emulator; numpy says in a wider format what they should be.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from bench.framework.results import Recorder, add_arguments
from tests.unit.transforms.convert_tileas_to_llvm.elementwise import TILE, Operation, ptx
from tileir_xdsl import emulator
from tileir_xdsl.testing.kernels.agreement import max_ulps

Array: TypeAlias = NDArray[Any]

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
DRAWN = {"f16": 1 << 16, "bf16": 1 << 16, "f32": 1 << 20, "f64": 1 << 17}
"""How many numbers of each format are drawn."""


@dataclass(frozen=True)
class Function:
    """An operation, what it computes, and where most of its drawn operands lie."""

    operation: str
    reference: Callable[..., Array]
    intervals: Sequence[tuple[float, float]]
    elements: Sequence[str] = tuple(DTYPES)
    largest: float = np.inf
    """Larger operands are not looked at."""

    def text(self) -> str:
        name, _, modifier = self.operation.partition(" ")
        operands = ", ".join(f"%in{number}" for number in range(len(self.intervals)))
        return f"{name} {operands} {modifier} : T"


def _reciprocal_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


SINGLE = ("f32",)
FUNCTIONS = (
    Function("exp", np.exp, [(-100, 100)]),
    Function("exp rounding<approx>", np.exp, [(-4, 4)], SINGLE, 4.0),
    Function("exp2", np.exp2, [(-150, 130)]),
    Function("log", np.log, [(0, 4)]),
    Function("log2", np.log2, [(0, 4)]),
    Function("rsqrt", _reciprocal_root, [(0, 100)]),
    Function("tanh", np.tanh, [(-3, 3)]),
    Function("tanh rounding<approx>", np.tanh, [(-3, 3)], SINGLE),
    Function("sinh", np.sinh, [(-3, 3)]),
    Function("cosh", np.cosh, [(-3, 3)]),
    Function("sin", np.sin, [(-100, 100)]),
    Function("cos", np.cos, [(-100, 100)]),
    Function("tan", np.tan, [(-100, 100)]),
    Function("pow", np.power, [(0, 20), (-30, 30)]),
    Function("atan2", np.arctan2, [(-2, 2), (-2, 2)]),
)
"""The functions of the table."""

CORNERS = (
    *(0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5),
    *(88.72284, 89.41599, -87.33655, -103.972, 127.99999, 128.0, -126.0, -149.0, -149.5),
    *(709.782712893384, 710.4758600739439, -708.3964185322641, -745.1332191019411, 1024.0, -1074.0),
    *(np.inf, -np.inf, np.nan, 1e-45, 1e-40, 2.0**-126, 2.0**127, 5e-324, 1e-310, 2.0**1023),
)


def operands(function: Function, element: str, count: int) -> list[Array]:
    """Drawn operands: a third in their interval, the rest any bits, with corners in front."""
    dtype = np.dtype(DTYPES[element])
    bits, width = np.dtype(f"u{dtype.itemsize}"), 8 * dtype.itemsize
    if width == 16 and len(function.intervals) == 1:
        return [np.arange(1 << 16).astype(bits).view(dtype)]
    rng = np.random.default_rng(count)
    with np.errstate(over="ignore"):
        corners = np.array(CORNERS).astype(dtype)
    corners = np.unique(corners.view(bits)).view(dtype)
    columns: list[Array] = []
    for low, high in function.intervals:
        column = rng.integers(0, 1 << width, count, bits).view(dtype)
        inside = rng.uniform(low, high, count // 3).astype(dtype)
        column[: len(inside)] = inside
        columns.append(column)
    grid = np.meshgrid(*[corners] * len(columns))
    for column, values in zip(columns, grid, strict=True):
        column[-values.size :] = values.ravel()
    return columns


def run(function: Function, element: str, columns: Sequence[Array], gpu: str) -> Array:
    """The results of a function in the emulator."""
    arity = len(columns)
    operation = Operation(function.text(), (element,) * arity, element)
    size = -(-len(columns[0]) // TILE) * TILE
    padded = [np.resize(columns[min(n, arity - 1)], size) for n in range(3)]
    result = np.zeros(size, padded[0].dtype)
    program = emulator.load(ptx([operation], gpu))
    program.launch("k", (size // TILE, 1, 1), [*padded, result])
    return result[: len(columns[0])]


def errors(function: Function, columns: Sequence[Array], got: Array) -> Array:
    """How far each result is from the exact one, in units in its last place.

    Infinity counts as the first power of two that is too large, a NaN for a number and the reverse
    as infinitely far, and so does a zero of the wrong sign.
    """
    info = ml_dtypes.finfo(got.dtype)
    wide = np.longdouble if got.dtype == np.float64 else np.float64
    with np.errstate(all="ignore"):
        exact = function.reference(*(column.astype(wide) for column in columns))
        beyond = wide(2.0) ** wide(info.maxexp)
        number = np.clip(got.astype(wide), -beyond, beyond)
        wanted = np.clip(exact, -beyond, beyond)
        exponent = np.floor(np.log2(np.abs(wanted)))
        exponent = np.clip(exponent, info.minexp, info.maxexp - 1)
        error = np.abs(number - wanted) / wide(2.0) ** (exponent - info.nmant)
        both = np.isnan(got) & np.isnan(exact)
        error = np.where(np.isnan(got) ^ np.isnan(exact), np.inf, np.where(both, 0, error))
        is_zero = (exact == 0) & (got == 0)
        return np.where(is_zero & (np.signbit(exact) != np.signbit(got)), np.inf, error)


@dataclass(frozen=True)
class Row:
    """The largest error of a function in one format, where it is, and what is allowed."""

    operation: str
    element: str
    samples: int
    error: float
    bound: float
    at: tuple[float, ...]


def measure(function: Function, element: str, count: int, gpu: str = "sm_90a") -> Row:
    """Measures one function in one format."""
    columns = operands(function, element, count)
    got = run(function, element, columns, gpu)
    error = errors(function, columns, got)
    error[np.abs(columns[0]) > function.largest] = 0.0
    place = int(np.argmax(error))
    at = tuple(float(column[place]) for column in columns)
    bound = max_ulps(function.operation, DTYPES[element])
    return Row(function.operation, element, len(got), float(error[place]), bound, at)


def rows(words: Sequence[str], divisor: int = 1) -> Iterator[Row]:
    """The rows of the table, by one part of the samples."""
    for function in FUNCTIONS:
        if not words or any(word in function.operation.split() for word in words):
            for element in function.elements:
                yield measure(function, element, DRAWN[element] // divisor)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="The errors of elementary functions.")
    parser.add_argument("words", nargs="*", metavar="OPERATION", help="default: all")
    add_arguments(parser)
    args = parser.parse_args()
    recorder = Recorder("numerics", {"largest error": "count", "bound": "count"})
    print("| operation | format | numbers | largest error | bound | at |")
    print("|---|---|---:|---:|---:|---|")
    for row in rows(args.words):
        recorder.add(f"{row.operation} {row.element}", [row.error, row.bound])
        at = ", ".join(f"{x:.9g}" for x in row.at)
        print(
            f"| `{row.operation}` | {row.element} | {row.samples:,} | {row.error:.3f} "
            f"| {row.bound:g} | {at} |",
            flush=True,
        )
    recorder.write(args.json)


if __name__ == "__main__":
    main()
