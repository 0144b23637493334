"""The numbers of rows that bulk copies gather or scatter, in shared memory.

One thread issues the copies and reads the row numbers from shared memory as signed 32-bit integers
(PTX ISA, `cp.async.bulk.tensor`, `tensorCoords`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, TensorType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.builders.tiles import LocatedBuilder, allocate, convert_layout
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.arith import ExtUIOp, TruncIOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape, tile_type
from tileir_xdsl.dialects.nv_tileas.attributes import Residency
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr, LayoutDescriptor, register_layout
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.shared import shared
from tileir_xdsl.targets.atoms import Memory

NO_ROW = 1 << 31
"""From this unsigned number on, no object has a row."""


@dataclass
class RowNumbers:
    """Puts the numbers of rows in shared memory, once for all accesses of the same rows."""

    warps: int
    made: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def in_memory(self, rows: SSAValue) -> SSAValue:
        """The numbers in shared memory: `rows` itself, or a copy right after its definition."""
        if rows.type == _shared_type(rows):
            return rows
        if rows not in self.made:
            owner = rows.owner
            # As early as possible: loads of a loop can then run ahead of it.
            if isinstance(owner, Operation):
                builder = LocatedBuilder(InsertPoint.after(owner), owner.location)
            else:
                builder = LocatedBuilder(InsertPoint.at_start(owner), owner.args[0].location)
            self.made[rows] = self._copy(rows, builder)
        return self.made[rows]

    def _copy(self, rows: SSAValue, builder: LocatedBuilder) -> SSAValue:
        numbers = rows
        if memory_of(rows.type) is Memory.SHARED:
            layout = blocked(tile_shape(rows.type).shape, 1, self.warps)
            numbers = convert_layout(builder, rows, _encoded(rows, register_layout(layout)))
        for op in _in_32_bits(numbers):
            numbers = builder.insert(op).results[0]
        type = _shared_type(rows)
        operands = [numbers, [allocate(builder, type)]]
        return builder.insert(nv_tileas.CopyOp.build(operands=operands, result_types=[type])).result


def _encoded(rows: SSAValue, encoding: Attribute) -> TensorType[Attribute]:
    tile = tile_shape(rows.type)
    type = tile_type(tile.shape, tile.element, encoding)
    assert isinstance(type, TensorType)
    return type


def _shared_type(rows: SSAValue) -> TensorType[Attribute]:
    """The type of a buffer for the numbers of rows."""
    count = tile_shape(rows.type).shape
    layout = LayoutAttr(LayoutDescriptor(shared(count, i32.width.data).layout))
    type = tile_type(count, i32, nv_tileas.MemoryAttr(Residency.SHARED, layout))
    assert isinstance(type, TensorType)
    return type


def _in_32_bits(rows: SSAValue) -> Iterator[Operation]:
    """Ops that convert unsigned row numbers to signed 32 bits; too large ones name no row."""
    given = rows.type
    assert isinstance(given, TensorType) and isinstance(given.element_type, IntegerType)
    wanted = TensorType(i32, given.get_shape(), given.encoding)
    if given.element_type.width.data < i32.width.data:
        yield ExtUIOp(rows, wanted)
    elif given.element_type != i32:
        limits = DenseIntOrFPElementsAttr.from_list(given, [NO_ROW])
        limit = arith.ConstantOp(limits)
        least = arith.MinUIOp(rows, limit.result)
        yield from (limit, least, TruncIOp(least.result, wanted))
