"""A random program: a module with one kernel, and how to launch it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.options import DEFAULT_OPTIONS, Options
from tileir_xdsl.testing.programs.elements import Array, random_elements, stored

Argument: TypeAlias = Array | int | float
"""A launch argument: an array for a pointer, a number for any other parameter."""


@dataclass(frozen=True)
class ArrayParameter:
    """A pointer to `count` elements."""

    element: str
    count: int

    def make(self, rng: np.random.Generator) -> Argument:
        """A random array."""
        return random_elements(self.element, self.count, rng)


@dataclass(frozen=True)
class WholeArrayParameter:
    """A pointer to `count` integers from `-magnitude` to `magnitude`."""

    element: str
    count: int
    magnitude: int

    def make(self, rng: np.random.Generator) -> Argument:
        """A random array; short sums of products of its elements are exact."""
        numbers = rng.integers(-self.magnitude, self.magnitude + 1, self.count)
        return stored(self.element, numbers)


@dataclass(frozen=True)
class PowerArrayParameter:
    """A pointer to `count` numbers, each of them 0.5, 1 or 2."""

    element: str
    count: int

    def make(self, rng: np.random.Generator) -> Argument:
        """A random array; short products of its elements are exact."""
        numbers = np.exp2(rng.integers(-1, 2, self.count))
        return stored(self.element, numbers)


@dataclass(frozen=True)
class ScalarParameter:
    """A numeric parameter; its argument is one of `choices`."""

    choices: tuple[int | float, ...]

    def make(self, rng: np.random.Generator) -> Argument:
        """Draws one of the choices."""
        return self.choices[rng.integers(len(self.choices))]


@dataclass(frozen=True)
class AliasParameter:
    """A pointer to the array of another parameter, given by that parameter's index."""

    of: int


Parameter: TypeAlias = (
    ArrayParameter | WholeArrayParameter | PowerArrayParameter | ScalarParameter | AliasParameter
)


@dataclass(frozen=True)
class Program:
    """A kernel whose results the Tile IR specification defines for all its arguments.

    `target` supports all features of the kernel; `options` are the compile options. `grid` counts
    tile blocks. `outputs` are the indices of the arrays that the kernel writes. Tile blocks write
    disjoint elements, or their order does not matter for the results.
    """

    seed: int
    size: int
    module: ModuleOp
    kernel: str
    grid: tuple[int, int, int]
    parameters: tuple[Parameter, ...]
    outputs: tuple[int, ...]
    target: str
    options: Options = DEFAULT_OPTIONS

    def arguments(self, rng: np.random.Generator) -> list[Argument]:
        """Random arguments for one launch."""
        made: list[Argument] = []
        for parameter in self.parameters:
            is_alias = isinstance(parameter, AliasParameter)
            made.append(made[parameter.of] if is_alias else parameter.make(rng))
        return made
