"""Builds a random program at an insertion point: the end of one block.

A `Scope` adds operations, and holds the values usable in its block and the last token of every
buffer. A `Row` of the families decides which operations it adds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, TensorType, i1, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.arith import CmpIOp
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import memory_order_properties
from tileir_xdsl.testing.programs.elements import ELEMENT_TYPES, NARROW_FLOATS
from tileir_xdsl.testing.tileaa_programs.draft import ARRAY, Buffer, Draft, Shape, tile

T = TypeVar("T")
OperationT = TypeVar("OperationT", bound=Operation)

TOKEN = nv_tileaa.MemTokenType()
INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
ELEMENTS = (*INTEGERS, "i32", "i32", *FLOATS, "f32")
"""Element types of tiles that ops compute with, common types repeated."""
NARROW = tuple(name for name in NARROW_FLOATS if name != "fnv8E5M3FNU")
"""Narrow float types at this level; fnv8E5M3FNU numbers are integer codes here."""
TILE_ELEMENTS = (*ELEMENTS, *ELEMENTS, *NARROW)
"""Element types of tiles that ops load and store, common types repeated."""

_NUMBERS = {
    "f8E8M0FNU": (0.5, 1.0, 2.0, 4.0, 0.125),
    "f4E2M1FN": (0.0, 0.5, -0.5, 1.0, 1.5, -2.0, 3.0, -4.0, 6.0),
}
"""Constants of float types that lack some small integers."""


@dataclass(frozen=True)
class Row:
    """Adds ops to a program, with a probability proportional to `weight`, where it applies."""

    weight: float
    emit: Callable[[Scope], None]
    applies: Callable[[Scope], bool] = lambda scope: True


@dataclass
class Scope:
    """Adds operations to the end of `block`.

    `values` are the tiles and scalars defined in the block, by type; those of `parent` are usable
    too. `tokens` are the last tokens of the buffers usable here. A `repeated` block may run more
    than once.
    """

    draft: Draft
    rows: Sequence[Row]
    block: Block
    parent: Scope | None = None
    repeated: bool = False
    values: dict[Attribute, list[SSAValue]] = field(default_factory=dict[Attribute, list[SSAValue]])
    tokens: dict[Buffer, SSAValue] = field(default_factory=dict[Buffer, SSAValue])

    # Choices.

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.draft.random.random() < probability

    def choose(self, choices: Sequence[T]) -> T:
        """One of `choices`."""
        return self.draft.random.choice(choices)

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return self.draft.random.randint(low, high)

    def shape(self, holds: Callable[[Shape], bool] = lambda shape: True) -> Shape:
        """One of the program's shapes for which `holds`; a default shape if there is none."""
        fitting = [shape for shape in self.draft.shapes if holds(shape)]
        return self.choose(fitting) if fitting else (16,)

    # Blocks and operations.

    @property
    def depth(self) -> int:
        """The number of blocks around this one."""
        return 0 if self.parent is None else self.parent.depth + 1

    def add(self, operation: OperationT) -> OperationT:
        """Adds an operation."""
        self.block.add_op(operation)
        return operation

    def keep(self, *values: SSAValue) -> None:
        """Makes tiles and scalars usable by later operations."""
        for value in values:
            self.values.setdefault(value.type, []).append(value)

    def step(self) -> None:
        """Adds the operations of one random row, unless the program has its full size."""
        if self.draft.steps <= 0:
            return
        self.draft.steps -= 1
        rows = [row for row in self.rows if row.applies(self)]
        self.draft.random.choices(rows, [row.weight for row in rows])[0].emit(self)

    def child(self, types: Sequence[Attribute] = (), *, repeated: bool = False) -> Scope:
        """The scope of a nested block, in an operation that will be added to this block."""
        block = Block(arg_types=types)
        return Scope(self.draft, self.rows, block, self, repeated or self.repeated)

    # Values.

    def visible(self, type_: Attribute) -> list[SSAValue]:
        """The values of a type that are usable here."""
        outer = [] if self.parent is None else self.parent.visible(type_)
        return outer + self.values.get(type_, [])

    def number(self, value: float, type_: Attribute = i32) -> SSAValue:
        """A scalar constant."""
        return self.draft.number(value, type_)

    def filled(self, value: float, element: str, shape: Shape) -> SSAValue:
        """A tile whose elements are one number; the scalar for an empty shape."""
        scalar = self.number(value, ELEMENT_TYPES[element])
        return self.add(nv_tileaa.SplatOp(scalar, tile(element, shape))).result if shape else scalar

    def value(self, element: str, shape: Shape) -> SSAValue:
        """A value of this type: mostly an existing one, preferably one without uses."""
        known = self.visible(tile(element, shape))
        if not known or self.chance(0.15):
            made = self.fresh(element, shape)
            self.keep(made)
            return made
        unused = [value for value in known if value.first_use is None]
        return self.choose(unused if unused and self.chance(0.7) else known)

    def some(self, elements: Sequence[str] = ELEMENTS) -> tuple[SSAValue, str, Shape]:
        """A value with one of some element types, the element type and the shape."""
        element, shape = self.choose(elements), self.shape()
        return self.value(element, shape), element, shape

    def fresh(self, element: str, shape: Shape) -> SSAValue:
        """A new value: a constant, an iota, a parameter, or a load from an array."""
        kind = self.draft.random.random()
        if element == "f4E2M1FN":
            # No array has elements of half a byte.
            return self._constant(element, shape)
        if element == "i1":
            left, right = (self.value("i32", shape) for _ in range(2))
            return self.add(CmpIOp(left, right, self.choose(("slt", "uge", "eq")))).result
        if kind < 0.2 and shape:
            return self._constant(element, shape)
        if kind < 0.3 and element == "i32":
            return self.spread(self.draft.scalar((0, 3, -7, 100)), shape)
        if kind < 0.4 and element == "i32" and shape:
            return self.numbers(shape)
        if not shape:
            at = self.number(self.integer(0, ARRAY - 1))
            return self.load(self.add(nv_tileaa.AddPtrOp(self.draft.input(element), at)).result)
        return self.load(self.pointers(self.draft.input(element), self.numbers(shape)))

    def _constant(self, element: str, shape: Shape) -> SSAValue:
        type_ = tile(element, shape)
        if not isinstance(type_, TensorType):
            return self.number(self.choose(_NUMBERS[element]), type_)
        count = 1 if self.chance(0.5) else math.prod(shape)
        if element in _NUMBERS:
            chosen = [self.choose(_NUMBERS[element]) for _ in range(count)]
            attr = DenseIntOrFPElementsAttr.from_list(type_, chosen)  # pyright: ignore
            return self.add(arith.ConstantOp(attr)).result
        numbers = [self.integer(-9, 9) for _ in range(count)]
        if isinstance(type_.element_type, IntegerType):
            attr = DenseIntOrFPElementsAttr.from_list(type_, numbers)  # pyright: ignore
        else:
            attr = DenseIntOrFPElementsAttr.from_list(type_, [n / 2 for n in numbers])  # pyright: ignore
        return self.add(arith.ConstantOp(attr)).result

    def spread(self, scalar: SSAValue, shape: Shape) -> SSAValue:
        """A tile whose elements are one scalar."""
        if not shape:
            return scalar
        return self.add(nv_tileaa.SplatOp(scalar, TensorType(scalar.type, shape))).result

    def numbers(self, shape: Shape) -> SSAValue:
        """A tile of i32 whose elements are their row-major indices."""
        if not shape:
            return self.number(0)
        if self.chance(0.5):
            return self._generated(shape)
        count = math.prod(shape)
        line = nv_tileaa.MakeRangeOp(self.number(0), self.number(count), TensorType(i32, (count,)))
        numbers = self.add(line).result
        return (
            numbers
            if len(shape) == 1
            else self.add(nv_tileaa.ViewOp(numbers, tile("i32", shape))).result
        )

    def _generated(self, shape: Shape) -> SSAValue:
        body = Block(arg_types=[i32] * len(shape))
        number: SSAValue = body.args[0]
        for index, extent in zip(body.args[1:], shape[1:], strict=True):
            extent_op = arith.ConstantOp.from_int_and_width(extent, 32)
            scaled = arith.MuliOp(number, extent_op.result)
            total = arith.AddiOp(scaled.result, index)
            body.add_ops([extent_op, scaled, total])
            number = total.result
        body.add_op(nv_tileaa.YieldOp([number]))
        return self.add(nv_tileaa.GenerateOp(tile("i32", shape), Region(body))).result

    # Memory.

    def pointers(self, base: SSAValue, offsets: SSAValue) -> SSAValue:
        """A tile of pointers, `offsets` elements after a scalar pointer."""
        type_ = offsets.type
        shape = type_.get_shape() if isinstance(type_, TensorType) else ()
        return self.add(nv_tileaa.AddPtrOp(self.spread(base, shape), offsets)).result

    def load(
        self,
        pointers: SSAValue,
        token: SSAValue | None = None,
        mask: SSAValue | None = None,
        other: SSAValue | None = None,
    ) -> SSAValue:
        """Loads a tile through pointers."""
        return self.add(load_op(pointers, token, mask, other)).value

    def token(self, buffer: Buffer) -> SSAValue:
        """The last token of a buffer, even of one that is not usable in this block."""
        if buffer in self.tokens:
            return self.tokens[buffer]
        assert self.parent is not None
        return self.parent.token(buffer)

    def fresh_token(self) -> SSAValue:
        """A new token, which waits for nothing."""
        return self.add(nv_tileaa.CreateMemTokenOp()).result

    def flag(self) -> SSAValue:
        """A condition."""
        known = self.visible(i1)
        if known and self.chance(0.5):
            return self.choose(known)
        made = self.fresh("i1", ())
        self.keep(made)
        return made


def load_op(
    pointers: SSAValue,
    token: SSAValue | None = None,
    mask: SSAValue | None = None,
    other: SSAValue | None = None,
) -> nv_tileaa.LoadOp:
    """A weak load through pointers."""
    return nv_tileaa.LoadOp(
        operands=[pointers, mask, other, token],
        properties=memory_order_properties(MemoryOrdering.WEAK, None),
        result_types=[pointee_type(pointers.type), TOKEN],
    )


def pointee_type(type_: Attribute) -> Attribute:
    """The pointee type of a pointer, or the tile type of the pointees of a tile of pointers."""
    if isinstance(type_, TensorType):
        assert isinstance(type_.element_type, nv_tileaa.PointerType)
        return TensorType(type_.element_type.pointee, type_.get_shape())
    assert isinstance(type_, nv_tileaa.PointerType)
    return type_.pointee


def shape_of(value: SSAValue) -> Shape:
    """The shape of a tile; empty for a scalar."""
    return value.type.get_shape() if isinstance(value.type, TensorType) else ()
