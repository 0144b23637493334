"""The state that all parts of a random program share while it is built."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile import (
    ConstantOp,
    DenseConstantAttr,
    GlobalOp,
    MulIOp,
    TileType,
)
from tileir_xdsl.testing.programs.elements import Shape, pointer_tile, tile, type_of
from tileir_xdsl.testing.programs.program import (
    AliasParameter,
    ArrayParameter,
    Parameter,
    PowerArrayParameter,
    ScalarParameter,
    WholeArrayParameter,
)
from tileir_xdsl.testing.programs.scale import Scale
from tileir_xdsl.testing.programs.targets import MISSING_ELEMENTS


@dataclass(eq=False)
class Chain:
    """A chain of memory operations, which tokens order."""


@dataclass(eq=False)
class Buffer(Chain):
    """Memory that only one tile block reads and writes: `size` elements at `base`."""

    element: str
    size: int
    base: SSAValue


PRINTER = Chain()
"""The chain of print operations."""


@dataclass
class Draft:
    """The parts of a program under construction, and its random choices.

    Everything random comes from `random` and `rng`, so that equal seeds give equal programs.
    `steps` is how many more rows of the emitter table the program may use. If `exact`, the program
    has no operations whose results the specification only bounds. `target` supports every element
    type and operation used.
    """

    random: random.Random
    rng: np.random.Generator
    exact: bool
    steps: int
    target: str
    grid: tuple[int, int, int]
    scale: Scale
    shapes: tuple[Shape, ...]
    entry: Block
    parameters: list[Parameter] = field(default_factory=list[Parameter])
    outputs: list[int] = field(default_factory=list[int])
    globals: list[GlobalOp] = field(default_factory=list[GlobalOp])
    block_number: SSAValue | None = None
    ctas: int | None = None
    """How many thread blocks execute a tile block; drawn last if None."""
    _inputs: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    _offsets: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    _numbers: dict[tuple[TileType, str], SSAValue] = field(
        default_factory=dict[tuple[TileType, str], SSAValue]
    )

    @property
    def missing(self) -> frozenset[str]:
        """The names of the element types that the target lacks."""
        return MISSING_ELEMENTS[self.target]

    @property
    def blocks(self) -> int:
        """The number of tile blocks."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    def scalar(self, element: str, choices: Sequence[int | float]) -> SSAValue:
        """A new numeric parameter; a launch passes one of `choices`."""
        return self._parameter(tile(element), ScalarParameter(tuple(choices)))

    def input(self, element: str) -> SSAValue:
        """A pointer to a read-only array."""
        if element not in self._inputs:
            parameter = ArrayParameter(element, self.scale.array)
            self._inputs[element] = self._parameter(pointer_tile(element), parameter)
        return self._inputs[element]

    def whole_input(self, element: str, count: int, magnitude: int) -> SSAValue:
        """A pointer to a new array of integers whose absolute value is at most `magnitude`."""
        parameter = WholeArrayParameter(element, count, magnitude)
        return self._parameter(pointer_tile(element), parameter)

    def power_input(self, element: str, count: int) -> SSAValue:
        """A pointer to a new array of the powers of two 0.5, 1 and 2."""
        return self._parameter(pointer_tile(element), PowerArrayParameter(element, count))

    def zeros(self, element: str, count: int) -> SSAValue:
        """A pointer to a new array of zeros that all tile blocks share."""
        return self.whole_input(element, count, 0)

    def shared_output(self, element: str, count: int) -> SSAValue:
        """A pointer to a new array that all tile blocks share and whose final elements are
        compared.
        """
        self.outputs.append(len(self.parameters))
        return self._parameter(pointer_tile(element), ArrayParameter(element, count))

    def shared_sum(self, element: str, count: int) -> SSAValue:
        """A pointer to a new array of zeros that all tile blocks add to; its final elements are
        compared.
        """
        self.outputs.append(len(self.parameters))
        return self.zeros(element, count)

    def output(self, element: str, count: int) -> SSAValue:
        """A pointer to a new array with `count` elements for every tile block."""
        self.outputs.append(len(self.parameters))
        parameter = ArrayParameter(element, count * self.blocks)
        return self._parameter(pointer_tile(element), parameter)

    def whole_output(self, element: str, count: int) -> SSAValue:
        """Like `output`, for elements that initially are integers from -2 to 2."""
        self.outputs.append(len(self.parameters))
        return self.whole_input(element, count * self.blocks, 2)

    def alias(self, pointer: SSAValue) -> SSAValue:
        """A new parameter that points to the array of another parameter."""
        assert isinstance(pointer, BlockArgument)
        return self._parameter(type_of(pointer), AliasParameter(pointer.index))

    def block_offset(self, count: int) -> SSAValue | None:
        """The offset of the tile block's own `count` elements in an array.

        None if there is only one tile block.
        """
        number = self.block_number
        if number is None:
            return None
        if count not in self._offsets:
            assert isinstance(number.owner, Operation)
            product = MulIOp(number, self.number(count, "i32"))
            self.entry.insert_op_after(product, number.owner)
            self._offsets[count] = product.result
        return self._offsets[count]

    def number(self, value: float, element: str, shape: Shape = ()) -> SSAValue:
        """A tile whose elements are all `value`: a constant at the beginning of the kernel."""
        type_ = tile(element, shape)
        key = (type_, repr(value))
        if key not in self._numbers:
            constant = ConstantOp(DenseConstantAttr.splat(type_, value))
            first = self.entry.first_op
            if first is None:
                self.entry.add_op(constant)
            else:
                self.entry.insert_op_before(constant, first)
            self._numbers[key] = constant.result
        return self._numbers[key]

    def _parameter(self, type_: TileType, parameter: Parameter) -> SSAValue:
        self.parameters.append(parameter)
        return self.entry.insert_arg(type_, len(self.entry.args))
