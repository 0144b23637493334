"""Builds a random program at an insertion point: the end of one block.

A `Builder` adds operations, and knows the values that may be used in its block. For every chain of
memory operations it holds the last token. A `Row` of the table of emitters decides which operations
it adds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.types import element_name
from tileir_xdsl.testing.programs.draft import Buffer, Chain, Draft
from tileir_xdsl.testing.programs.elements import (
    MEMORY_ELEMENTS,
    Shape,
    dense_constant,
    is_legal,
    random_elements,
    shape_of,
    tile,
    type_of,
)

T = TypeVar("T")
OperationT = TypeVar("OperationT", bound=Operation)
ShapeRule = Callable[[Shape], bool]

BOOLEAN = tile("i1")
TOKEN = cuda_tile.TokenType()

FRESH_SCALARS: dict[str, tuple[int | float, ...]] = {
    "i1": (0, 1),
    "i8": (0, 1, 5, -3, 127, -128),
    "i16": (0, 2, 1000, -7, 2**15 - 1),
    "i32": (0, 3, 100, -40, 2**31 - 1, -(2**31)),
    "i64": (0, 4, 10**6, -9, 2**63 - 1),
    "f16": (0.5, -2.0, 3.25, 0.0),
    "bf16": (1.5, -2.5, 4.0, -0.0),
    "f32": (0.1, -3.5, 1e10, 1.0),
    "f64": (0.3, -1e-5, 7.25, 1e100),
}
"""Values of scalar parameters, by element type."""


def any_shape(_shape: Shape) -> bool:
    """The rule that holds for all shapes."""
    return True


@dataclass(frozen=True)
class Row:
    """How an operation gets into a random program.

    `emit` adds the operation with its operands, and makes its results usable by later operations. A
    row whose condition `applies` is drawn with a probability proportional to its `weight`. If a row
    is not `exact`, the specification only bounds the error of its results.
    """

    weight: float
    emit: Callable[[Builder], None]
    applies: Callable[[Builder], bool] = lambda builder: True
    exact: bool = True


Rows = dict[type[Operation], Row]
"""The rows of a family, by operation."""


@dataclass(frozen=True)
class LoopFrame:
    """The innermost enclosing loop: the values that its terminators forward.

    `continue` forwards `counter` (of a `loop`; None in a `for`), values of `continue_types` and the
    tokens of `captured`. `break` forwards values of `break_types` (None in a `for`) and the same
    tokens.
    """

    counter: SSAValue | None
    continue_types: Sequence[cuda_tile.TileType]
    break_types: Sequence[cuda_tile.TileType] | None
    captured: Sequence[Chain]


@dataclass
class Builder:
    """Adds operations to the end of `block`.

    `rows` are the operations that may be added. `values` are the tiles of numbers defined in the
    block, by type; those of `parent` are usable too. `tokens` are the last tokens of the chains
    that are usable here. A `repeated` block may run more than once, so it writes only the memory of
    its chains.
    """

    draft: Draft
    rows: Sequence[Row]
    block: Block
    parent: Builder | None = None
    frame: LoopFrame | None = None
    repeated: bool = False
    can_return: bool = True
    values: dict[cuda_tile.TileType, list[SSAValue]] = field(
        default_factory=dict[cuda_tile.TileType, list[SSAValue]]
    )
    tokens: dict[Chain, SSAValue] = field(default_factory=dict[Chain, SSAValue])

    @property
    def depth(self) -> int:
        """The number of blocks around this one."""
        return 0 if self.parent is None else self.parent.depth + 1

    @property
    def array(self) -> int:
        """The number of elements of every read-only array."""
        return self.draft.scale.array

    # Choices.

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.draft.random.random() < probability

    def choose(self, choices: Sequence[T]) -> T:
        """A random one of `choices`, without element types that the target lacks, if any remain."""
        missing = self.draft.missing
        allowed = [c for c in choices if not (isinstance(c, str) and c in missing)]
        return self.draft.random.choice(allowed or choices)

    def sample(self, choices: Sequence[T], probability: float) -> list[T]:
        """Includes each of `choices` with this probability; the order stays."""
        return [choice for choice in choices if self.chance(probability)]

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return self.draft.random.randint(low, high)

    def permutation(self, count: int) -> list[int]:
        """The numbers below `count` in random order."""
        return self.draft.random.sample(range(count), count)

    def shape(self, holds: ShapeRule = any_shape) -> Shape:
        """A tile shape for which `holds`; mostly one of the program's `shapes`."""
        own = [shape for shape in self.draft.shapes if holds(shape)]
        if own and self.chance(0.85):
            return self.choose(own)
        return self.choose([shape for shape in self.draft.scale.shapes if holds(shape)])

    def some_type(
        self, elements: Sequence[str], holds: ShapeRule = any_shape
    ) -> cuda_tile.TileType:
        """A tile type with one of `elements` and a shape for which `holds`; often a value's
        type.
        """
        known = [
            type_
            for type_ in self.known_types()
            if element_name(type_.element_type) in elements and holds(type_.get_shape())
        ]
        if known and self.chance(0.6):
            return self.choose(known)
        element = self.choose(elements)
        return tile(element, self.shape(lambda s: is_legal(element, s) and holds(s)))

    # Blocks and operations.

    def add(self, operation: OperationT) -> OperationT:
        """Adds an operation."""
        self.block.add_op(operation)
        return operation

    def step(self) -> None:
        """Adds the operations of one random row, unless the program has its full size."""
        if self.draft.steps <= 0:
            return
        self.draft.steps -= 1
        rows = [row for row in self.rows if row.applies(self)]
        self.draft.random.choices(rows, [row.weight for row in rows])[0].emit(self)

    def keep(self, *values: SSAValue) -> None:
        """Makes tiles of numbers usable by later operations."""
        for value in values:
            self.values.setdefault(type_of(value), []).append(value)

    def child(
        self,
        argument_types: Sequence[Attribute] = (),
        *,
        frame: LoopFrame | None = None,
        repeated: bool = False,
        can_return: bool = False,
    ) -> Builder:
        """A builder of a nested block, in an operation that will be added to this block."""
        return Builder(
            self.draft,
            self.rows,
            Block(arg_types=argument_types),
            self,
            frame,
            repeated or self.repeated,
            can_return and self.can_return,
        )

    def region(self) -> Region:
        """A new region with this block alone."""
        return Region(self.block)

    # Values.

    def known_types(self) -> list[cuda_tile.TileType]:
        """The types of all tiles of numbers that are usable here."""
        types: dict[cuda_tile.TileType, None] = {}
        builder: Builder | None = self
        while builder is not None:
            types.update(dict.fromkeys(builder.values))
            builder = builder.parent
        return list(types)

    def visible(self, type_: cuda_tile.TileType) -> list[SSAValue]:
        """The values of this type that are usable here."""
        outer = [] if self.parent is None else self.parent.visible(type_)
        return outer + self.values.get(type_, [])

    def value(self, type_: cuda_tile.TileType) -> SSAValue:
        """A value of this type: mostly an existing one, preferably one without uses."""
        known = self.visible(type_)
        if not known or self.chance(0.1):
            fresh = self.fresh(type_)
            self.keep(fresh)
            return fresh
        unused = [value for value in known if value.first_use is None]
        return self.choose(unused if unused and self.chance(0.7) else known)

    def some_value(self, elements: Sequence[str], holds: ShapeRule = any_shape) -> SSAValue:
        """A tile with one of `elements` and a shape for which `holds`."""
        return self.value(self.some_type(elements, holds))

    def fresh(self, type_: cuda_tile.TileType) -> SSAValue:
        """A new value of this type: a constant, a parameter, an iota, or a load from an array."""
        element, shape = element_name(type_.element_type) or "", type_.get_shape()
        if element == "i4":
            return self.add(cuda_tile.TruncIOp(self.fresh(tile("i8", shape)), type_)).result
        kind = self.draft.random.random()
        if kind < 0.2 and element in FRESH_SCALARS:
            return self.spread(self.draft.scalar(element, FRESH_SCALARS[element]), shape)
        if kind < 0.3 and len(shape) == 1 and element in ("i16", "i32", "i64"):
            return self.add(cuda_tile.IotaOp(type_)).result
        if kind < 0.45 and element in MEMORY_ELEMENTS:
            numbers = self.linear(shape)
            if math.prod(shape) > self.array:
                last = self.number(self.array - 1, "i32", shape)
                numbers = self.add(cuda_tile.AndIOp(numbers, last)).result
            return self.load(self.offset(self.draft.input(element), numbers))
        return self.constant(element, shape, splat=self.chance(0.4))

    def constant(self, element: str, shape: Shape, *, splat: bool = False) -> SSAValue:
        """A random constant."""
        count = math.prod(shape)
        values = random_elements(element, 1 if splat else count, self.draft.rng)
        if splat:
            values = values.repeat(count)
        return self.add(cuda_tile.ConstantOp(dense_constant(element, shape, values))).result

    def number(self, value: float, element: str, shape: Shape = ()) -> SSAValue:
        """A tile whose elements are all `value`."""
        return self.draft.number(value, element, shape)

    def spread(self, scalar: SSAValue, shape: Shape) -> SSAValue:
        """A tile whose elements are all one scalar: a number or a pointer."""
        if not shape:
            return scalar
        element_type = type_of(scalar).element_type
        ones = self.add(
            cuda_tile.ReshapeOp(scalar, cuda_tile.TileType((1,) * len(shape), element_type))
        ).result
        if all(extent == 1 for extent in shape):
            return ones
        return self.add(cuda_tile.BroadcastOp(ones, cuda_tile.TileType(shape, element_type))).result

    def linear(self, shape: Shape, element: str = "i32") -> SSAValue:
        """A tile whose elements are their row-major indices."""
        if not shape:
            return self.number(0, element)
        numbers = self.add(cuda_tile.IotaOp(tile(element, (math.prod(shape),)))).result
        if len(shape) == 1:
            return numbers
        return self.add(cuda_tile.ReshapeOp(numbers, tile(element, shape))).result

    # Memory.

    def offset(self, pointer: SSAValue, offsets: SSAValue) -> SSAValue:
        """A tile of pointers, `offsets` elements after a scalar pointer."""
        pointers = self.spread(pointer, shape_of(offsets))
        return self.add(cuda_tile.OffsetOp(pointers, offsets)).result

    def load(self, pointers: SSAValue) -> SSAValue:
        """Loads a tile through pointers to memory that nothing writes."""
        return self.add(cuda_tile.LoadPtrTkoOp(pointers)).result

    def block_pointer(self, array: SSAValue, count: int) -> SSAValue:
        """A pointer to the tile block's own part of an array: `count` elements."""
        offset = self.draft.block_offset(count)
        return array if offset is None else self.add(cuda_tile.OffsetOp(array, offset)).result

    def output(self, element: str, count: int) -> SSAValue:
        """A pointer to `count` elements of a new array, which the caller may write once."""
        assert not self.repeated
        return self.block_pointer(self.draft.output(element, count), count)

    def token(self, chain: Chain) -> SSAValue:
        """The last token of a chain, even of a chain that is not usable in this block."""
        if chain in self.tokens:
            return self.tokens[chain]
        assert self.parent is not None
        return self.parent.token(chain)

    def buffers(self, elements: Sequence[str] = MEMORY_ELEMENTS) -> list[Buffer]:
        """The buffers usable here whose element type is one of `elements`."""
        return [c for c in self.tokens if isinstance(c, Buffer) and c.element in elements]
