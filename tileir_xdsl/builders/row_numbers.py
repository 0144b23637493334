"""The numbers of rows that bulk copies gather or scatter, in shared memory.

One thread issues the copies, and reads there which rows they are about: signed numbers of 32 bits
(PTX ISA, `cp.async.bulk.tensor`, `tensorCoords`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, TensorType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

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
"""The number, unsigned, that stands for all rows from there on, which no object has."""


@dataclass
class RowNumbers:
    """Puts the numbers of rows in shared memory, once for all accesses that take the same."""

    warps: int
    made: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def in_memory(self, rows: SSAValue) -> SSAValue:
        """The numbers in shared memory: `rows` itself, or a copy right after its definition."""
        if rows.type == _shared_type(rows):
            return rows
        if rows not in self.made:
            ops = [*self._copy(rows)]
            owner = rows.owner
            is_result = isinstance(owner, Operation)
            for op in ops:
                op.location = owner.location if is_result else owner.args[0].location
            # As early as possible: loads of a loop can then run ahead of it.
            point = InsertPoint.after(owner) if is_result else InsertPoint.at_start(owner)
            Rewriter.insert_op(ops, point)
            self.made[rows] = ops[-1].results[0]
        return self.made[rows]

    def _copy(self, rows: SSAValue) -> Iterator[Operation]:
        """The ops that make the copy, which is the result of the last one."""
        numbers = rows
        if memory_of(rows.type) is Memory.SHARED:
            layout = blocked(tile_shape(rows.type).shape, 1, self.warps)
            conversion = nv_tileas.ConvertLayoutOp(rows, _encoded(rows, register_layout(layout)))
            yield conversion
            numbers = conversion.result
        for op in _in_32_bits(numbers):
            yield op
            numbers = op.results[0]
        type = _shared_type(rows)
        buffer = nv_tileas.AllocTensorOp(type)
        yield buffer
        yield nv_tileas.CopyOp.build(operands=[numbers, [buffer]], result_types=[type])


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
    """Ops that make signed numbers of 32 bits of unsigned ones; numbers too large become no row."""
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
