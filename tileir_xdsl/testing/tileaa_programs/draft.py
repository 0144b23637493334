"""The state shared by all parts of a program under construction: parameters, constants, views."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, TensorType, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.dialects.nv_tileaa import (
    AddPtrOp,
    BlockTileOp,
    GetProgramIdOp,
    PointerType,
)
from tileir_xdsl.testing.programs.elements import ELEMENT_TYPES
from tileir_xdsl.testing.programs.program import (
    ArrayParameter,
    Parameter,
    ScalarParameter,
    WholeArrayParameter,
)

Shape = tuple[int, ...]

ARRAY = 512
"""The elements of a read-only array, and of each tile block's part of any other array."""

MAGNITUDE = 2
"""Of whole numbers."""


@dataclass(eq=False)
class Buffer:
    """Memory that one tile block alone reads and writes: `ARRAY` elements at `base`."""

    element: str
    base: SSAValue


@dataclass
class Draft:
    """The parts of a program under construction, and its random choices.

    Everything random comes from `random`, so that equal seeds give equal programs. `steps` is how
    many more rows the program may use. Most tiles have one of `shapes`. The grid has `blocks` tile
    blocks along x.
    """

    random: random.Random
    steps: int
    entry: Block
    target: str
    shapes: tuple[Shape, ...]
    blocks: int
    parameters: list[Parameter] = field(default_factory=list[Parameter])
    outputs: list[int] = field(default_factory=list[int])
    has_agents: bool = False
    _inputs: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    _numbers: dict[tuple[float, Attribute], SSAValue] = field(
        default_factory=dict[tuple[float, Attribute], SSAValue]
    )
    _number_of_block: SSAValue | None = None

    # Parameters.

    def scalar(self, choices: tuple[int, ...]) -> SSAValue:
        """A new parameter of type i32; a launch passes one of `choices`."""
        return self._parameter(i32, ScalarParameter(choices))

    def input(self, element: str) -> SSAValue:
        """A pointer to `ARRAY` read-only elements."""
        if element not in self._inputs:
            pointer = PointerType(ELEMENT_TYPES[element])
            self._inputs[element] = self._parameter(pointer, ArrayParameter(element, ARRAY))
        return self._inputs[element]

    def whole_input(self, element: str, count: int) -> SSAValue:
        """A pointer to a new array of small integers."""
        pointer = PointerType(ELEMENT_TYPES[element])
        return self._parameter(pointer, WholeArrayParameter(element, count, MAGNITUDE))

    def output(self, element: str) -> SSAValue:
        """A pointer to this tile block's `ARRAY` elements of a new array."""
        self.outputs.append(len(self.parameters))
        pointer = PointerType(ELEMENT_TYPES[element])
        base = self._parameter(pointer, ArrayParameter(element, ARRAY * self.blocks))
        if self.blocks == 1:
            return base
        if self._number_of_block is None:
            number = GetProgramIdOp(0)
            scaled = arith.MuliOp(number.result, self.number(ARRAY, i32))
            self._after_numbers(number, scaled)
            self._number_of_block = scaled.result
        owner = self._number_of_block.owner
        assert isinstance(owner, Operation)
        moved = AddPtrOp(base, self._number_of_block)
        self.entry.insert_op_after(moved, owner)
        return moved.result

    def _parameter(self, type_: Attribute, parameter: Parameter) -> SSAValue:
        self.parameters.append(parameter)
        return self.entry.insert_arg(type_, len(self.entry.args))

    # Values of the entry block.

    def number(self, value: float, type_: Attribute) -> SSAValue:
        """A scalar constant at the beginning of the kernel."""
        if (value, type_) not in self._numbers:
            constant = arith.ConstantOp(number_attr(value, type_))
            first = self.entry.first_op
            if first is None:
                self.entry.add_op(constant)
            else:
                self.entry.insert_op_before(constant, first)
            self._numbers[value, type_] = constant.result
        return self._numbers[value, type_]

    def _after_numbers(self, *ops: Operation) -> None:
        last = self.number(ARRAY, i32).owner
        assert isinstance(last, Operation)
        self.entry.insert_ops_after(ops, last)


def number_attr(value: float, type_: Attribute) -> IntegerAttr | FloatAttr:
    """A number as an attribute of a scalar type."""
    if isinstance(type_, IntegerType):
        return IntegerAttr(int(value), type_)
    return FloatAttr(value, type_)  # pyright: ignore[reportArgumentType, reportCallIssue]


def tile(element: str, shape: Shape = ()) -> Attribute:
    """The type of a tile; a scalar type for an empty shape."""
    type_ = ELEMENT_TYPES[element]
    return TensorType(type_, shape) if shape else type_


def block_tile(
    memref: SSAValue, shape: Shape, groups: list[list[int]] | None = None
) -> BlockTileOp:
    """A view of a memory object as tiles."""
    return BlockTileOp(memref, shape, groups or [[dim] for dim in range(len(shape))])


def row_major(sizes: Shape) -> Shape:
    """Row-major strides without gaps."""
    return tuple(math.prod(sizes[dim + 1 :]) for dim in range(len(sizes)))
