"""Inputs of a kernel, generated from its signature alone.

A pointer and the 2k integers after it are read as a row-major array of rank k, with its sizes and
strides, as in cuTile. Any other pointer gets one large array, and any other number is small. Only a
run shows whether a kernel can use these inputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, cast

import numpy as np
from xdsl.ir import Attribute

from tileir_xdsl.interpreters.element_types import element_of, pointee_of
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.numerics import POINTER, Array, Element
from tileir_xdsl.runtime.memory_views import copies

GRIDS: tuple[Coordinates, ...] = ((3, 1, 1), (2, 2, 1), (1, 1, 1), (1, 2, 2))

EXTENTS: tuple[dict[int, int], ...] = (
    {1: 2500, 2: 33, 3: 10, 4: 6},
    {1: 1024, 2: 64, 3: 16, 4: 16},
    {1: 2048, 2: 128, 3: 16, 4: 8},
    {1: 7, 2: 16, 3: 4, 4: 2},
    {1: 1, 2: 1, 3: 1, 4: 1},
)
"""The extents of arrays, by rank: equal for all arrays of a launch, so that matrices can be
multiplied.
"""

LARGEST_RANK = max(EXTENTS[0])

PLAIN_ELEMENTS = 1 << 14
"""The number of elements of an array whose sizes are not in the signature."""

PLAIN_INTEGERS = (0, 1, 2, 3, 8, 16, 64)


class Numbers(Enum):
    """The kind of numbers in arrays."""

    SMALL = auto()
    OF_ALL_SIZES = auto()
    """Integers so large that some sums and casts wrap around; floats are not negative."""
    NOT_NEGATIVE = auto()


_NUMBERS = (Numbers.SMALL, Numbers.OF_ALL_SIZES, Numbers.SMALL, Numbers.NOT_NEGATIVE)
"""The kinds of numbers for successive launches."""


Argument = Array | np.generic | int | float
"""An array for a pointer, a number for anything else."""


@dataclass(frozen=True)
class LaunchInput:
    """One launch: tile blocks, and an array for a pointer, a number for anything else."""

    grid: Coordinates
    arguments: tuple[Argument, ...]

    def copy_arguments(self) -> list[Argument]:
        """The arguments for a launch that may change them; copies overlap as the arrays do."""
        copied: list[Any] = copies(cast("Sequence[Any]", self.arguments))
        return copied


def integers_of_all_sizes(dtype: np.dtype[Any], count: int, rng: np.random.Generator) -> Array:
    """Small, arbitrary and extreme integers of a type, for which some sums and casts wrap."""
    limits = np.iinfo(dtype)
    low = max(limits.min, -100)
    extremes = np.array([limits.min, limits.max, limits.min + 1, limits.max - 1, 0, 1], dtype)
    kinds = [
        rng.integers(low, min(limits.max, 100) + 1, count).astype(dtype),
        rng.integers(limits.min, limits.max, count, dtype, endpoint=True),
        rng.choice(extremes, count),
    ]
    return np.choose(rng.choice(3, count, p=[0.4, 0.4, 0.2]), kinds)


def launch_inputs(types: Sequence[Attribute], count: int, seed: int = 0) -> Iterator[LaunchInput]:
    """`count` launches of a kernel with parameters of these types; the same seed gives the same
    launches.

    Each launch draws its integers from the next kind of `Numbers`. A kernel that uses these
    integers as indices can run only with small ones.
    """
    for number in range(count):
        rng = np.random.default_rng((seed, number))
        extents = EXTENTS[number % len(EXTENTS)]
        arguments = _arguments(types, extents, rng, _NUMBERS[number % len(_NUMBERS)])
        yield LaunchInput(GRIDS[number % len(GRIDS)], tuple(arguments))


def _arguments(
    types: Sequence[Attribute], extents: dict[int, int], rng: np.random.Generator, numbers: Numbers
) -> list[Argument]:
    elements = [element_of(type_) for type_ in types]
    arguments: list[Argument] = []
    while len(arguments) < len(types):
        position = len(arguments)
        if elements[position] is not POINTER:
            arguments.append(_number(elements[position], rng))
            continue
        integers = _integers_after(elements, position)
        rank, odd = divmod(integers, 2)
        described = not odd and 0 < rank <= LARGEST_RANK
        shape = (extents[rank],) * rank if described else (PLAIN_ELEMENTS,)
        arguments.append(_array(pointee_of(types[position]), math.prod(shape), rng, numbers))
        if described:
            arguments += [*shape, *(math.prod(shape[axis + 1 :]) for axis in range(rank))]
    return arguments


def _integers_after(elements: Sequence[Element], position: int) -> int:
    """How many of the next parameters are integers of at least 32 bits."""
    following = elements[position + 1 :]
    return next(
        (i for i, element in enumerate(following) if element.name not in ("i32", "i64")),
        len(following),
    )


def _number(element: Element, rng: np.random.Generator) -> np.generic | int:
    if element.float_format is not None:
        # PTX has the narrow ones as bits, so that a launch needs to know their type.
        return _rounded(rng.standard_normal(1), element)[0]
    if element.dtype == np.bool_:
        return int(rng.integers(2))
    return PLAIN_INTEGERS[rng.integers(len(PLAIN_INTEGERS))]


def _array(element: Element, count: int, rng: np.random.Generator, numbers: Numbers) -> Array:
    """Random elements; 4-bit elements are drawn as bytes that hold two."""
    if element.bits < 8 and element.dtype != np.bool_:
        return rng.integers(0, 256, -(-count * element.bits // 8), dtype=np.uint8)
    if element.float_format is None:
        if element.dtype == np.bool_:
            return rng.integers(0, 2, count).astype(element.dtype)
        if numbers is Numbers.OF_ALL_SIZES:
            return integers_of_all_sizes(element.dtype, count, rng)
        low = 0 if numbers is Numbers.NOT_NEGATIVE else -100
        return rng.integers(low, 101, count).astype(element.dtype)
    floats = rng.standard_normal(count).astype(np.float32)
    return _rounded(floats if numbers is Numbers.SMALL else np.abs(floats), element)


def _rounded(numbers: Array, element: Element) -> Array:
    """Numbers converted to a float type; for tf32 the excess bits are truncated."""
    elements = numbers.astype(element.dtype)
    if element.name == "tf32":
        return (elements.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return elements
