"""The columns of tensor memory that each warpgroup accesses.

Each warp of a warpgroup can access 32 lanes, in order (PTX ISA, "Tensor Memory"). So two accesses
of one warpgroup to a column are by the same warps. Warpgroups share the columns of a tile equally,
so that tiles of different widths are divided at different columns.
"""

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.allocation.tensor_memory_allocation import (
    AccumulatorAllocation,
    columns_of_scales,
)
from tileir_xdsl.analysis.layouts.groups import awaited
from tileir_xdsl.analysis.mma.tensor_memory_mmas import operand_a_columns
from tileir_xdsl.analysis.mma.warpgroup_mmas import blocks_of_rows
from tileir_xdsl.analysis.threads.agent_warps import agent_region
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.tensor_memory import tile_columns
from tileir_xdsl.targets.agents import WARPS_PER_GROUP
from tileir_xdsl.targets.atoms import Memory

from .memory import Part, WarpgroupColumns


def accumulator_columns(
    op: Operation, tile: SSAValue, allocation: AccumulatorAllocation
) -> WarpgroupColumns | None:
    """The columns of an accumulator that the threads holding `tile` access, in all of its stages.

    `tile` is the tile in registers that they store or load; None if it has no layout.
    """
    layout = _layout(tile)
    if layout is None:
        return None
    return WarpgroupColumns(agent_region(op), tuple(_of_accumulator(layout, allocation)))


def stored_columns(
    mma: MMAOp, allocation: AccumulatorAllocation, *, is_new: bool
) -> WarpgroupColumns | None:
    """The columns that threads store for an MMA: a new accumulator, operand A, and block scales.

    None if the accumulator has no layout.
    """
    layout = _layout(mma.c)
    if layout is None:
        return None
    parts = list(_of_accumulator(layout, allocation)) if is_new else []
    of_a = operand_a_columns(mma)
    if of_a is not None and allocation.operand_a is not None:
        parts += _divided(allocation.operand_a, tile_columns(of_a.shape), _warpgroups(of_a))
    firsts = allocation.scales.get(mma, ())
    for scales, first, columns in zip(mma.scales, firsts, columns_of_scales(mma), strict=False):
        # All warpgroups have the same scales, and the first one stores them.
        if memory_of(scales.type) is not Memory.SHARED:
            parts.append(Part(first, first + columns.total, 0))
    return WarpgroupColumns(agent_region(mma), tuple(parts))


def issued_columns(mma: MMAOp, allocation: AccumulatorAllocation) -> WarpgroupColumns:
    """The columns that an MMA accesses, if each warpgroup issues it for its own rows."""
    columns, warpgroups = tile_columns(tile_shape(awaited(mma.c.type)).shape), blocks_of_rows(mma)
    parts = list(_divided(allocation.column, columns, warpgroups))
    of_a = operand_a_columns(mma)
    if of_a is not None and allocation.operand_a is not None:
        parts += _divided(allocation.operand_a, tile_columns(of_a.shape), warpgroups)
    return WarpgroupColumns(agent_region(mma), tuple(parts))


def _of_accumulator(layout: LinearLayout, allocation: AccumulatorAllocation) -> Iterator[Part]:
    columns = tile_columns(layout.shape)
    stages = allocation.columns // allocation.stage_columns if allocation.stage_columns else 1
    for stage in range(stages):
        first = allocation.column + stage * allocation.stage_columns
        yield from _divided(first, columns, _warpgroups(layout))


def _divided(first: int, columns: int, warpgroups: int) -> Iterator[Part]:
    """Equal parts of columns, one for each warpgroup."""
    width = columns // warpgroups
    for number in range(warpgroups):
        start = first + number * width
        yield Part(start, start + width, number)


def _warpgroups(layout: LinearLayout) -> int:
    return max(1, layout.warps // WARPS_PER_GROUP)


def _layout(tile: SSAValue) -> LinearLayout | None:
    try:
        return tile_layout(awaited(tile.type))
    except LayoutError:
        return None
