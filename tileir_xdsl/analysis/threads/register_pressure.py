"""Register pressure of live tiles, and where it peaks.

Register pressure is computed on tiles, because single registers of a far too large tile would be
millions of values. Only registers needed in any layout and in any order of instructions are
counted. Each element is counted once, as densely packed as possible. Ops that rearrange or repeat
elements need no registers. Values that depend on no loaded element, such as addresses and masks,
may be computed again at every use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from math import prod

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import Pure

from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.element_interfaces import SameRegistersOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.interfaces import (
    ContractionOpInterface,
    TileMoveOpInterface,
)
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.walking import ops_in

REGISTER_BYTES = 4

PARTS = (
    nv_tileaa.ExtractSliceOp,
    nv_tileaa.InsertSliceOp,
    nv_tileas.ExtractSliceOp,
    nv_tileas.InsertSliceOp,
)
"""Ops whose result shares some registers with an operand: not counted."""

THROUGH_MEMORY = (ContractionOpInterface, TileMoveOpInterface)
"""Pure ops that communicate across threads, unlike elementwise ops."""


@dataclass(frozen=True)
class RegisterPressure:
    """The 32-bit registers that all threads of a block hold right after an op."""

    op: Operation
    registers: int


def tile_registers(tile: SSAValue) -> int:
    """The 32-bit registers that hold a tile, every element once; 0 for anything else."""
    if tile_layout(tile.type) is None:
        return 0
    shape = tile_shape(tile.type)
    return -(-prod(shape.shape) * element_bytes(shape.element) // REGISTER_BYTES)


def thread_registers(tile: SSAValue) -> int:
    """The 32-bit registers of a thread that hold a tile in its layout, copies included."""
    layout = tile_layout(tile.type)
    if layout is None:
        return 0
    return -(-layout.registers * element_bytes(tile_shape(tile.type).element) // REGISTER_BYTES)


# With 16, the prediction is 12 to 15 registers off in the median (docs/performance.md).
OTHER_REGISTERS = 16
"""Registers of a thread for addresses, counts and intermediate values, in the median."""


def predicted_registers(function: Operation) -> int:
    """The registers that a thread of a function with layouts needs for its tiles and the rest.

    Registers above the limit of a target, which spill, are counted. The page docs/performance.md
    compares predictions with the assembler's numbers.
    """
    return largest_register_pressure(function, thread_registers).registers + OTHER_REGISTERS


# Measured: with 80, attention with tiles of 128 no longer overlaps its dots; with 20, no change.
RESERVED_REGISTERS = 40
"""Registers of a thread that are reserved for other values where tiles must not spill."""

Registers = Callable[[SSAValue], int]
"""The 32-bit registers that hold a tile; 0 for a value that is not a tile in registers."""


def largest_register_pressure(
    function: Operation, registers: Registers = tile_registers
) -> RegisterPressure:
    """The op after which the tiles of a function need most registers, and how many."""
    # Asked of a tile where it is made, and again at each use.
    registers = cache(registers)
    holders = holding_tiles(function, registers)
    used_inside = _used_inside(function, holders, registers)
    search = _Search(holders, used_inside, RegisterPressure(function, 0), registers)
    for region in function.regions:
        for block in region.blocks:
            search.enter(block, {})
    return search.largest


Holders = dict[SSAValue, frozenset[SSAValue]]
"""For every value, the tiles that must stay in registers for it."""


def holding_tiles(function: Operation, registers: Registers = tile_registers) -> Holders:
    """The tiles that hold the elements of every value in a function."""
    holders: Holders = {}
    for op in ops_in(function):
        held = frozenset(
            tile for operand in op.operands for tile in holders.get(operand, frozenset())
        )
        effect = _effect_on_tiles(type(op))
        for result in op.results:
            if effect is _Effect.REARRANGED:
                holders[result] = held
            elif (effect is _Effect.MADE or (effect is _Effect.COMPUTED and held)) and (
                registers(result)
            ):
                holders[result] = frozenset((result,))
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    holders[argument] = frozenset((argument,))
    return holders


class _Effect(Enum):
    """The effect of an op on the registers of its operands."""

    REARRANGED = auto()
    """The op's results are in the registers of its operands."""
    PART = auto()
    """The op's results share registers with an operand."""
    COMPUTED = auto()
    """The op's results take registers if an operand does; otherwise each use computes them."""
    MADE = auto()
    """The op's results take registers of their own."""


@cache
def _effect_on_tiles(op: type[Operation]) -> _Effect:
    if issubclass(op, SameRegistersOpInterface):
        return _Effect.REARRANGED
    if issubclass(op, PARTS):
        return _Effect.PART
    is_elementwise = op.has_trait(Pure) and not issubclass(op, THROUGH_MEMORY)
    return _Effect.COMPUTED if is_elementwise else _Effect.MADE


_Live = dict[SSAValue, int]
"""Live tiles, and the registers of each."""


@dataclass
class _Search:
    """A walk over blocks from their ends, with the tiles that are live."""

    holders: Holders
    used_inside: Mapping[Operation, _Live]
    """For ops with regions, the tiles from outside that the regions use."""
    largest: RegisterPressure
    registers: Registers

    def enter(self, block: Block, after: _Live) -> _Live:
        """The tiles from outside that are live at the beginning of a block."""
        live = dict(after)
        for op in reversed(tuple(block.ops)):
            registers = sum(live.values())
            if registers >= self.largest.registers:
                self.largest = RegisterPressure(op, registers)
            for result in op.results:
                live.pop(result, None)
            if op.regions:
                # A loop comes back: what it uses is in use all the time.
                live |= self.used_inside.get(op, {})
                for region in op.regions:
                    for inner in region.blocks:
                        live |= self.enter(inner, live)
            live |= _kept(op.operands, self.holders, self.registers)
        for argument in block.args:
            live.pop(argument, None)
        return live


def _kept(values: Iterable[SSAValue], holders: Holders, registers: Registers) -> _Live:
    """The tiles that hold values, and the registers of each."""
    tiles = {tile for value in values for tile in holders.get(value, ())}
    return {tile: count for tile in tiles if (count := registers(tile))}


def _used_inside(
    function: Operation, holders: Holders, registers: Registers
) -> Mapping[Operation, _Live]:
    """For every op with regions, the tiles from outside that the regions use."""
    used: dict[Operation, _Live] = {}
    for op in ops_in(function):
        for tile, count in _kept(op.operands, holders, registers).items():
            # Outwards, up to the region of the tile or an op that is known to use it.
            region, home = op.parent_region(), _region_of(tile)
            while region is not home and region is not None:
                around = region.parent_op()
                if around is None or tile in (live := used.setdefault(around, {})):
                    break
                live[tile] = count
                region = around.parent_region()
    return used


def _region_of(value: SSAValue) -> Region | None:
    """The region that defines a value."""
    owner = value.owner
    return owner.parent if isinstance(owner, Block) else owner.parent_region()
