"""Builds a random program at an insertion point: the end of one block.

A `Scope` adds operations and holds the values usable in its block. A `Row` of the families decides
which operations it adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, f32, i1, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileir_xdsl.dialects.arith import CmpIOp
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import memory_order_properties
from tileir_xdsl.dialects.nv_tileas import (
    AgentSwitchOp,
    AllocTensorOp,
    ConvertLayoutOp,
    FutureWaitOp,
    MemoryAttr,
    TiledLoadOp,
    ViewOp,
)
from tileir_xdsl.dialects.nv_tileas.attributes import Residency
from tileir_xdsl.testing.tileas_programs.draft import Draft, Shape, TileType, splat

T = TypeVar("T")
OperationT = TypeVar("OperationT", bound=Operation)

SHARED_MEMORY = MemoryAttr(Residency.SHARED)
"""The encoding of a buffer without a layout."""


@dataclass(frozen=True)
class Index:
    """A value of type `index` that is at least 0 and less than `end`."""

    value: SSAValue
    end: int


@dataclass(frozen=True, eq=False)
class Allocation:
    """An allocation of `slots` tiles; if `constant`, it is not written after it has been filled."""

    shape: Shape
    slots: int
    constant: bool


@dataclass(frozen=True)
class Buffer:
    """A value that refers to a part of an allocation."""

    value: SSAValue
    allocation: Allocation

    @property
    def type(self) -> TileType:
        return type_of(self.value)


@dataclass(frozen=True)
class Row:
    """Adds ops to a program.

    `emit` adds the ops with their operands, and makes their results usable by later rows. Among the
    rows that apply, one is drawn with a probability proportional to `weight`.
    """

    weight: float
    emit: Callable[[Scope], None]
    applies: Callable[[Scope], bool] = lambda scope: True


@dataclass
class Scope:
    """Adds operations to the end of `block`.

    `tiles`, `buffers`, `flags` and `indices` are the values defined in the block; those of `parent`
    are usable too. The block runs at most `trips` times; `trip` is the index of the run if `trips`
    exceeds one. `allocated` are an agent's own allocations, the only memory that it writes; None
    outside agents.
    """

    draft: Draft
    rows: Sequence[Row]
    block: Block
    parent: Scope | None = None
    trips: int = 1
    trip: SSAValue | None = None
    allocated: list[Allocation] | None = None
    tiles: list[SSAValue] = field(default_factory=list[SSAValue])
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    flags: list[SSAValue] = field(default_factory=list[SSAValue])
    indices: list[Index] = field(default_factory=list[Index])

    # Choices.

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.draft.chance(probability)

    def choose(self, choices: Sequence[T]) -> T:
        """One of `choices`."""
        return self.draft.random.choice(choices)

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return self.draft.random.randint(low, high)

    # Blocks and operations.

    @property
    def depth(self) -> int:
        """The number of blocks around this one."""
        return 0 if self.parent is None else self.parent.depth + 1

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

    def child(self, argument_types: Sequence[Attribute] = ()) -> Scope:
        """The scope of a nested block, in an operation that will be added to this block."""
        return Scope(
            self.draft,
            self.rows,
            Block(arg_types=argument_types),
            self,
            self.trips,
            self.trip,
            self.allocated,
        )

    # Values.

    def visible_tiles(self) -> list[SSAValue]:
        """The tiles in registers that are usable here."""
        return self.tiles if self.parent is None else self.parent.visible_tiles() + self.tiles

    def visible_buffers(self) -> list[Buffer]:
        """The buffers that ops here may read."""
        return self.buffers if self.parent is None else self.parent.visible_buffers() + self.buffers

    def writable_buffers(self) -> list[Buffer]:
        """The buffers that ops here may write."""
        return [
            buffer
            for buffer in self.visible_buffers()
            if not buffer.allocation.constant
            and (self.allocated is None or buffer.allocation in self.allocated)
        ]

    def visible_indices(self) -> list[Index]:
        """The indices that are usable here."""
        return self.indices if self.parent is None else self.parent.visible_indices() + self.indices

    def number(self, value: int) -> SSAValue:
        """A constant of type `index`."""
        return self.draft.number(value)

    def flag(self) -> SSAValue:
        """A condition: an existing one, or whether an index or a parameter is below a number."""
        scope: Scope | None = self
        known: list[SSAValue] = []
        while scope is not None:
            known += scope.flags
            scope = scope.parent
        if known and self.chance(0.5):
            return self.choose(known)
        indices = [index for index in self.visible_indices() if index.end > 1]
        if indices and self.chance(0.6):
            index = self.choose(indices)
            bound = self.number(self.integer(1, index.end - 1))
            flag = self.add(CmpIOp(index.value, bound, "ult")).result
        elif self.chance(0.2):
            flag = self.draft.number(self.integer(0, 1), i1)
        else:
            parameter = self.draft.scalar((-1, 1))
            flag = self.add(CmpIOp(parameter, self.draft.number(0, i32), "slt")).result
        self.flags.append(flag)
        return flag

    def element(self) -> Attribute:
        """An element type."""
        return self.choose((i32, i32, f32))

    def tile(self, type_: TileType | None = None) -> SSAValue:
        """A tile in registers: mostly an existing one, preferably one without uses.

        A tile of another layout is converted.
        """
        if type_ is None:
            known = self.visible_tiles()
            if not known or self.chance(0.1):
                return self.fresh(self.draft.tile(self.element(), self.draft.shape))
            return self._preferred(known)
        known = [tile for tile in self.visible_tiles() if tile.type == type_]
        if known and self.chance(0.8):
            return self._preferred(known)
        others = [tile for tile in self.visible_tiles() if same_tile(type_of(tile), type_)]
        if others and self.chance(0.8):
            converted = self.convert(self._preferred(others), type_)
            self.tiles.append(converted)
            return converted
        return self.fresh(type_)

    def _preferred(self, values: Sequence[SSAValue]) -> SSAValue:
        unused = [value for value in values if value.first_use is None]
        return self.choose(unused if unused and self.chance(0.7) else values)

    def fresh(self, type_: TileType) -> SSAValue:
        """A new tile in registers: a constant, or a tile loaded from an array."""
        tile = self.constant(type_) if self.chance(0.15) else self.load(type_)
        self.tiles.append(tile)
        return tile

    def constant(self, type_: TileType) -> SSAValue:
        """A tile with equal elements."""
        return self.add(arith.ConstantOp(splat(type_, self.integer(-9, 9)))).result

    def load(self, type_: TileType, kind: str = "in") -> SSAValue:
        """Loads a tile of a read-only array, at a constant or a dynamic index.

        `kind` is an argument of `Draft.view`.
        """
        element, shape = type_.element_type, type_.get_shape()
        indices = [index for index in self.visible_indices() if index.end <= 16]
        row = self.number(self.integer(0, 15))
        if indices and self.chance(0.6):
            row = self.choose(indices).value
        coords = [row, *[self.number(0)] * (len(shape) - 1)]
        return self.load_tile(self.draft.view(kind, element, shape), coords, type_, "ldg_32")

    # Operations that several families add.

    def load_tile(
        self,
        view: SSAValue,
        coords: Sequence[SSAValue],
        type_: TileType,
        atom: str,
        token: SSAValue | None = None,
    ) -> SSAValue:
        """Loads a tile of a view, or a whole buffer, after the operations that the token
        represents.
        """
        load = TiledLoadOp(
            operands=[view, coords, [], token],
            properties=access_properties(self.draft, type_, atom),
            result_types=[type_, [] if token is None else [token.type]],
        )
        return self.add(load).tile

    def convert(self, source: SSAValue, result: TileType) -> SSAValue:
        """Converts a tile or buffer to another layout."""
        return self.add(ConvertLayoutOp(source, result)).result

    def view(
        self, source: SSAValue, result: TileType, offset: SSAValue | int | None = None
    ) -> SSAValue:
        """A view of a tile or buffer, or of a part of it, as another type."""
        return self.add(ViewOp(source, result, offset=offset)).result

    def allocate(
        self, element: Attribute, shape: Shape, memory: Attribute = SHARED_MEMORY
    ) -> SSAValue:
        """A new buffer."""
        return self.add(AllocTensorOp(TensorType(element, shape, memory))).result

    def wait(self, work: SSAValue) -> SSAValue:
        """Waits for asynchronous work and returns its value."""
        return self.add(FutureWaitOp(work)).result

    def run_agents(
        self, bodies: Iterable[Block], inputs: Sequence[SSAValue] = (), *, isolated: bool = False
    ) -> None:
        """Adds agents that run these blocks concurrently."""
        self.add(AgentSwitchOp(inputs, [Region(body) for body in bodies], isolated=isolated))


def access_properties(draft: Draft, type_: TileType, atom: str) -> dict[str, Attribute | None]:
    """The properties of a weak access of one tile."""
    return {
        **memory_order_properties(MemSemantic.WEAK, None),
        "atom": draft.atom(atom),
        "nv_tileas.layout": type_.encoding if draft.assigned else None,
    }


def type_of(value: SSAValue) -> TileType:
    """The type of a tile or a buffer."""
    assert isinstance(value.type, TensorType)
    return value.type


def same_tile(first: TileType, second: TileType) -> bool:
    """Whether two types differ at most in their layouts."""
    return first.element_type == second.element_type and first.get_shape() == second.get_shape()
