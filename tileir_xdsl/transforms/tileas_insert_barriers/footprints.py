"""Footprints of accesses to tiles of views: whether two of them need a barrier to be ordered.

Two accesses of one view conflict only where different threads may access the same element. Tiles of
different static coordinates are disjoint. Two accesses with the same layout and coordinates access
every element in the same thread, where program order suffices. Elements of different indices are
assumed not to alias, unless static sizes and strides show that they do.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, i1, i8
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.traits import Pure

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.memory_effects import TileOfView
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, tile_shape
from tileir_xdsl.layout.linear import LinearLayout

Number = int
"""A value number, as in value numbering: values with equal numbers are equal."""


@dataclass
class ValueNumbers:
    """The value numbering of a function: pure ops with equal operands have equal numbers."""

    _of: dict[SSAValue, Number] = field(default_factory=dict[SSAValue, Number])
    _computed: dict[Hashable, Number] = field(default_factory=dict[Hashable, Number])

    def of(self, value: SSAValue) -> Number:
        """The number of a value."""
        # Operands before the ops that use them, without recursion: chains may be long.
        waiting = [value]
        while waiting:
            last = _alias(waiting[-1])
            missing = [v for v in _computed_from(last) if _alias(v) not in self._of]
            if missing and last not in self._of:
                waiting += missing
                continue
            waiting.pop()
            if last not in self._of:
                self._of[last] = self._computed.setdefault(self._key(last), len(self._of))
        return self._of[_alias(value)]

    def _key(self, value: SSAValue) -> Hashable:
        op = value.owner
        if isinstance(op, Block) or not _is_computation(op):
            return value
        return (
            type(op),
            tuple(sorted(op.properties.items())),
            tuple(self._of[_alias(operand)] for operand in op.operands),
            op.results.index(value),
            value.type,
        )


def _is_computation(op: Operation) -> bool:
    """Whether the results of an op depend on its operands alone."""
    return op.has_trait(Pure) and not op.regions


def _computed_from(value: SSAValue) -> Sequence[SSAValue]:
    op = value.owner
    return op.operands if isinstance(op, Operation) and _is_computation(op) else ()


def _alias(value: SSAValue) -> SSAValue:
    """The value outside of agents that an argument of an agent stands for; other values
    unchanged.
    """
    while isinstance(value, BlockArgument):
        switch = value.block.parent_op()
        if not isinstance(switch, nv_tileaa.AgentLikeOpInterface):
            break
        value = switch.inputs[value.index]
    return value


@dataclass(frozen=True)
class Footprint:
    """One tile of a view, and the threads that hold its elements."""

    view: Number
    element: Attribute
    coordinates: tuple[Number, ...]
    layout: LinearLayout
    starts: tuple[int | None, ...] = field(compare=False)
    """The start of the tile along each dimension, in elements; None if it is not static."""
    extents: tuple[int, ...] = field(compare=False)
    may_alias: bool = field(compare=False)
    """Whether elements of different indices may have the same address."""
    values: tuple[SSAValue, ...] = field(compare=False)
    """The values that the footprint depends on."""

    @property
    def has_copies(self) -> bool:
        """Whether several threads hold the same elements; all these threads load, and one
        stores.
        """
        return 0 in self.layout.thread_bases()

    def is_disjoint(self, other: "Footprint") -> bool:
        """Whether two tiles of one view have no element in common."""
        return not self.may_alias and any(
            mine is not None and theirs is not None and abs(mine - theirs) >= extent
            for mine, theirs, extent in zip(self.starts, other.starts, self.extents, strict=True)
        )

    def is_fixed_in(self, op: Operation) -> bool:
        """Whether the footprint is the same in every execution of an op's regions."""
        return not any(op.is_ancestor(owner_of(value)) for value in self.values)


def owner_of(value: SSAValue) -> Operation:
    """The op whose result a value is, or whose region receives it."""
    owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    assert owner is not None
    return owner


def footprint_of(op: Operation, accessed: TileOfView, numbers: ValueNumbers) -> Footprint | None:
    """The footprint of an op's access to a tile; None if it is unknown."""
    tiling, layout = _alias(accessed.view).owner, layout_of(op, accessed.tile)
    if layout is None or accessed.offsets or not isinstance(tiling, nv_tileaa.BlockTileOp):
        return None
    # Of dimensions that are walked as one, only the sum of their parts is known.
    if any(len(group) != 1 for group in tiling.get_dim_groups()):
        return None
    element = tile_shape(accessed.tile.type).element
    memref = tiling.source.type
    assert isinstance(memref, MemRefType)
    places = [_constant(coordinate) for coordinate in accessed.coords]
    return Footprint(
        numbers.of(accessed.view),
        i8 if element == i1 else element,
        tuple(numbers.of(coordinate) for coordinate in accessed.coords),
        layout,
        tuple(
            None if place is None else place * step
            for place, step in zip(places, tiling.get_tile_strides(), strict=True)
        ),
        tiling.get_tile_sizes(),
        overlaps_itself(memref),
        (accessed.view, *accessed.coords),
    )


def _constant(value: SSAValue) -> int | None:
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or not isinstance(op.value, IntegerAttr):
        return None
    # Coordinates are unsigned.
    bits = getattr(op.value.type, "bitwidth", 64)
    return op.value.value.data % (1 << bits)


def overlaps_itself(memref: MemRefType) -> bool:
    """Whether static sizes and strides map elements of different indices to one address."""
    known = sorted(
        (stride, size)
        for stride, size in zip(memref.get_strides(), memref.get_shape(), strict=True)
        if DYNAMIC_INDEX not in (stride, size) and size > 1
    )
    reach = 0
    for stride, size in known:
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False


@dataclass(frozen=True)
class GlobalAccess:
    """An access of an op to global memory, which tokens order; without a footprint it may touch all
    memory.
    """

    op: Operation
    writes: bool
    footprint: Footprint | None = None
    is_asynchronous: bool = False
    """Whether hardware executes the access through the asynchronous proxy (PTX ISA, "Proxies")."""
    by_first_thread: bool = False
    """Whether the first thread alone executes the access: the store of a value that all threads
    hold.
    """

    def conflicts(self, later: "GlobalAccess") -> bool:
        """Whether threads need a barrier between this access and a later one."""
        if not self.writes and not later.writes:
            return False
        # One thread does its accesses in order.
        if self.by_first_thread and later.by_first_thread:
            return False
        mine, theirs = self.footprint, later.footprint
        # An access of unknown addresses may touch anything.
        if mine is None or theirs is None:
            return True
        if mine == theirs:
            # Of the threads with copies always the same one stores; the others load past that.
            return mine.has_copies and not (self.writes and later.writes)
        # Two views may be of one array; only the tiles of one view are compared.
        if (mine.view, mine.element) != (theirs.view, theirs.element):
            return True
        return not mine.is_disjoint(theirs)

    def repeated(self, loop: Operation) -> "GlobalAccess":
        """This access in an earlier iteration of a loop."""
        if self.footprint is None or self.footprint.is_fixed_in(loop):
            return self
        return replace(self, footprint=None)
