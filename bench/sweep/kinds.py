"""What every kind of kernel of the sweep says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import cuda.tile as ct
import ml_dtypes
import numpy as np
from cuda.tile.compilation import ArrayConstraint, ParameterConstraint
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array
from tileir_xdsl.testing.kernels.generate import text

Value: TypeAlias = str | int
Values: TypeAlias = Mapping[str, Value]
"""The value of each axis, flags as 0 and 1."""
Axes: TypeAlias = Mapping[str, Sequence[Value]]

FLAG: Sequence[Value] = (0, 1)
DIVISOR = 16
"""What divides rows and strides of arrays that are aligned."""

MMA = 16 * 8 * 16
"""Multiplications of one `mma.m16n8k16`, the unit of work of dots."""

WITH_EIGHT_BIT_FLOATS = ("sm_89", "sm_90a", "sm_100a", "sm_120a")
WITH_CLUSTERS = ("sm_90a", "sm_100a", "sm_120a")


@dataclass(frozen=True)
class Element:
    """An element type for the kernel and for numpy."""

    tile: ct.DType
    numpy: DTypeLike


ELEMENTS: Mapping[str, Element] = {
    "f16": Element(ct.float16, np.float16),
    "bf16": Element(ct.bfloat16, ml_dtypes.bfloat16),
    "f32": Element(ct.float32, np.float32),
    "f64": Element(ct.float64, np.float64),
    "i8": Element(ct.int8, np.int8),
    "u8": Element(ct.uint8, np.uint8),
    "i32": Element(ct.int32, np.int32),
    "e4m3": Element(ct.float8_e4m3fn, ml_dtypes.float8_e4m3fn),
    "e5m2": Element(ct.float8_e5m2, ml_dtypes.float8_e5m2),
}


@dataclass(frozen=True)
class Generated:
    """A kernel of the sweep, and the work of one iteration of its innermost loop."""

    case: KernelCase
    work: float
    """In units of `unit`, of a tile block; of the whole kernel where it has no loop."""
    unit: str
    loops: int = 0
    """Loops around the work."""
    ctas: int = 1

    def text(self) -> str:
        """The Tile IR."""
        hint = f"num_cta_in_cga = {self.ctas}" if self.ctas > 1 else ""
        return text(self.case).replace("default = {}", f"default = {{{hint}}}")


def _always(_values: Values) -> bool:
    return True


@dataclass(frozen=True)
class Kind:
    """Kernels that one function makes from the values of its axes."""

    name: str
    weight: int
    """Its share of a sample."""
    axes: Callable[[str], Axes]
    """By target."""
    make: Callable[[Values], Generated]
    allowed: Callable[[Values], bool] = _always


def argument(element: Element, rank: int, divisible: int = DIVISOR) -> ArrayConstraint:
    """An array whose rows are contiguous; strides and the length of rows are multiples."""
    return array(element.tile, rank, divisible=divisible, any_size=rank - 1)


def flag(values: Values, name: str) -> bool:
    """The value of an axis that is `FLAG`."""
    return bool(values[name])


def number(values: Values, name: str) -> int:
    """The value of an axis of numbers."""
    return int(values[name])


def case(
    name: str,
    function: Any,
    parameters: Sequence[ParameterConstraint],
    arguments: Callable[[np.random.Generator], Sequence[Argument]],
    grid: tuple[int, int, int],
    reference: Callable[..., Sequence[Expected]],
    outputs: Sequence[int],
) -> KernelCase:
    """A kernel with one problem."""

    def make(_problem: Problem, rng: np.random.Generator) -> Sequence[Argument]:
        return arguments(rng)

    return KernelCase(
        name, function, tuple(parameters), ((1,),), make, lambda _: grid, reference, tuple(outputs)
    )


def random_array(shape: Sequence[int], element: Element, rng: np.random.Generator) -> Array:
    """Normal numbers, or all that an integer type has."""
    dtype = np.dtype(element.numpy)
    if dtype.kind in "iu":
        info = np.iinfo(dtype.type)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    return rng.standard_normal(shape).astype(dtype)
