"""A timed problem: its arrays, the kernels that compute it, and how its result is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cuda.tile as ct
from cuda.tile.compilation import ConstantConstraint, ParameterConstraint

from tileir_xdsl.testing.kernels.case import KernelCase, array
from tileir_xdsl.testing.kernels.generate import text as generated

DIVISOR = 16

NORMAL: Mapping[str, Any] = {"normal": 1.0}

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """A kernel of a problem: it takes some arrays, by their numbers, and then scalars."""

    case: KernelCase
    grid: tuple[int, int, int]
    arrays: Sequence[int]
    scalars: tuple[float, ...] = ()

    def text(self) -> str:
        """The Tile IR."""
        return generated(self.case)


@dataclass(frozen=True)
class Problem:
    """A computation at one size. Arrays are (element type, shape, recipe), outputs among them.

    `scalars` follow the arrays. `work` counts floating-point operations, or bytes moved once.
    """

    name: str
    family: str
    case: KernelCase
    arrays: Sequence[tuple[str, Shape, Mapping[str, Any]]]
    outputs: Sequence[int]
    grid: tuple[int, int, int]
    work: float
    unit: str
    reference: str
    tolerance: float
    settings: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    scalars: tuple[float, ...] = ()
    tile: Shape = ()
    """Of dots: rows, columns and depth of a step."""
    second_half: bool = False
    takes: Sequence[int] | None = None
    """The arrays that the kernel takes, where that is not all of them."""
    then: Sequence[Step] = ()
    """The kernels that run after it."""

    @property
    def steps(self) -> list[Step]:
        """All kernels, in order."""
        taken = range(len(self.arrays)) if self.takes is None else self.takes
        return [Step(self.case, self.grid, taken, self.scalars), *self.then]

    def text(self) -> str:
        """The Tile IR of the first kernel."""
        return generated(self.case)


def _unused(*_: Any) -> Any:
    """Fails: a case of the zoo has tests of its own, which a timed problem does not use."""
    raise NotImplementedError


def case_of(name: str, function: Any, parameters: Sequence[ParameterConstraint]) -> KernelCase:
    """A kernel without the tests of the zoo."""
    return KernelCase(name, function, tuple(parameters), ((1,),), _unused, _unused, _unused, ())


def array_of(dtype: ct.DType, rank: int) -> ParameterConstraint:
    """An array whose sizes and strides are multiples of 16."""
    return array(dtype, rank, divisible=DIVISOR, any_size=rank - 1)


def constants(*values: int) -> list[ParameterConstraint]:
    """The last parameters of a kernel."""
    return [ConstantConstraint(value) for value in values]
