"""The layouts between which ops exchange elements of their tiles across threads.

A reduction needs the elements along its axis in one thread, then in one warp. A dot without a
matrix instruction needs whole rows and columns. Memory for these exchanges is allocated, and their
code is generated, from the same functions.
"""

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.ir import Block, Operation

from tileir_xdsl.analysis.layouts.transfer import backward, registers_of
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.constructors import blocked, fastest_first
from tileir_xdsl.layout.cute import product
from tileir_xdsl.layout.linear import (
    LinearLayout,
    dimension_bases,
    element_coordinate,
    element_strides,
)
from tileir_xdsl.layout.reindexing import Reindexing

# Reductions and scans.

COMMUTATIVE = (
    arith.AddiOp,
    arith.AndIOp,
    arith.MaximumfOp,
    arith.MaxnumfOp,
    arith.MaxSIOp,
    arith.MaxUIOp,
    arith.MinimumfOp,
    arith.MinnumfOp,
    arith.MinSIOp,
    arith.MinUIOp,
    arith.MuliOp,
    arith.OrIOp,
    arith.XOrIOp,
    arith.AddfOp,
    arith.MulfOp,
    nv_tileaa.AddFOp,
    nv_tileaa.AddIOp,
    nv_tileaa.MaxFOp,
    nv_tileaa.MinFOp,
    nv_tileaa.MulFOp,
)
"""Ops whose operands may be exchanged."""


def commutes(body: Block) -> bool:
    """Whether a body is a single commutative op on both arguments."""
    ops = list(body.ops)
    return len(ops) == 2 and isinstance(ops[0], COMMUTATIVE)


def folding_layout(layout: LinearLayout, axis: int, ordered: bool) -> LinearLayout:
    """The layout itself, or one in which the axis can be folded.

    Every layout bit must step along one dimension. If the combiner does not commute, axis bits of
    warps must be above those of lanes and registers.
    """
    bases = [base for base in layout.bases() if base]
    is_separated = all(base & (base - 1) == 0 for base in bases) and len(set(bases)) == len(bases)
    along = dimension_bases(layout.shape, axis)
    between = [base for base in layout.warp if base in along]
    inside = [base for base in along if base not in between]
    in_order = not (ordered and between and inside) or min(between) > max(inside)
    return layout if is_separated and in_order else axis_layout(layout, axis)


def axis_layout(layout: LinearLayout, axis: int) -> LinearLayout:
    """Neighbours along an axis in the registers of a thread, then in lanes, then in warps."""
    threads = layout.lanes * layout.warps
    vector = max(1, layout.shape[axis] // threads)
    return blocked(layout.shape, vector, layout.warps, order=fastest_first(len(layout.shape), axis))


def scan_layout(layout: LinearLayout, axis: int) -> LinearLayout:
    """The layout itself, or one in which a scan can run along the axis."""
    return (
        layout if is_scannable(layout, axis) else own_scan_layout(layout.shape, axis, layout.warps)
    )


def own_scan_layout(shape: tuple[int, ...], axis: int, warps: int) -> LinearLayout:
    """The layout with the most neighbours along the axis in each thread: fewest shuffles."""
    vector = max(1, product(shape) // (32 * warps))
    return blocked(shape, vector, warps, order=fastest_first(len(shape), axis))


def is_scannable(layout: LinearLayout, axis: int) -> bool:
    """Whether neighbours along an axis are in registers, then in neighbouring lanes, then in warps.

    Every layout bit must step along one dimension.
    """
    bases = [base for base in layout.bases() if base]
    along = dimension_bases(layout.shape, axis)
    inside = [base for base in layout.register if base in along]
    lanes = [bit for bit, base in enumerate(layout.lane) if base in along]
    places = sorted(inside) + [base for base in (*layout.lane, *layout.warp) if base in along]
    return (
        all(base & (base - 1) == 0 for base in bases)
        and len(set(bases)) == len(bases)
        and places == list(along)
        and lanes == list(range(lanes[0], lanes[0] + len(lanes)) if lanes else [])
    )


def without_bits(layout: LinearLayout, axis: int, gone: Sequence[int]) -> LinearLayout:
    """The layout of a tile without some index bits of an axis, which are already folded."""
    along = [base for base in dimension_bases(layout.shape, axis) if base not in gone]
    shape = (*layout.shape[:axis], 1 << len(along), *layout.shape[axis + 1 :])
    positions = dict(zip(along, dimension_bases(shape, axis), strict=True))
    for dimension in range(len(shape)):
        if dimension != axis:
            pairs = (dimension_bases(x, dimension) for x in (layout.shape, shape))
            positions.update(zip(*pairs, strict=True))

    def placed(bases: Sequence[int]) -> tuple[int, ...]:
        return tuple(positions[base] if base else 0 for base in bases)

    return LinearLayout(
        placed(layout.register),
        placed(layout.lane),
        placed(layout.warp),
        placed(layout.block),
        shape,
    )


def without_axis(layout: LinearLayout, axis: int) -> LinearLayout:
    """The layout of the result, without a dimension of extent 1."""
    shape = (*layout.shape[:axis], *layout.shape[axis + 1 :])
    return replace(layout, shape=shape)


def folded_inside_warps(layout: LinearLayout, axis: int) -> LinearLayout:
    """The layout of the partial results when each warp has folded its elements along an axis.

    The axis then indexes warps; copies of registers are dropped.
    """
    along = dimension_bases(layout.shape, axis)
    register = tuple(base for base in layout.register if base and base not in along)
    lane = tuple(0 if base in along else base for base in layout.lane)
    gone = [base for base in along if base not in layout.warp]
    return without_bits(replace(layout, register=register, lane=lane), axis, gone)


def combined_lanes(layout: LinearLayout, axis: int) -> int:
    """How many lanes of a warp hold elements that differ along an axis alone."""
    along = dimension_bases(layout.shape, axis)
    return 1 << sum(base in along for base in layout.lane)


def gathered_from_warps(layout: LinearLayout, axis: int) -> LinearLayout:
    """The layout in which every warp holds the results of all warps along an axis, in its highest
    registers.
    """
    between = [base for base in dimension_bases(layout.shape, axis) if base in layout.warp]
    warp = tuple(0 if base in between else base for base in layout.warp)
    return replace(layout, register=(*layout.register, *between), warp=warp)


def folded_across_warps(layout: LinearLayout, axis: int) -> LinearLayout:
    """The layout of the result when every warp has folded the results of all warps."""
    between = [base for base in dimension_bases(layout.shape, axis) if base in layout.warp]
    warp = tuple(0 if base in between else base for base in layout.warp)
    return without_bits(replace(layout, warp=warp), axis, between)


def totals_of_warps(layout: LinearLayout, axis: int) -> LinearLayout:
    """The layout of the totals of the warps of a scan, which all lanes along the axis hold."""
    along = dimension_bases(layout.shape, axis)
    register = tuple(base for base in layout.register if base not in along)
    lane = tuple(0 if base in along else base for base in layout.lane)
    gone = [base for base in along if base not in layout.warp]
    return without_bits(replace(layout, register=register, lane=lane), axis, gone)


# Dots.


def row_layout(result: LinearLayout, depth: int) -> LinearLayout:
    """The layout of A in which each thread holds the whole rows of its elements of C."""
    shape = (*result.shape[:-1], depth)
    return _operand_layout(result, shape, len(shape) - 1)


def column_layout(result: LinearLayout, depth: int) -> LinearLayout:
    """The layout of B in which each thread holds the whole columns of its elements of C."""
    shape = (*result.shape[:-2], depth, result.shape[-1])
    return _operand_layout(result, shape, len(shape) - 2)


def _operand_layout(result: LinearLayout, shape: tuple[int, ...], summed: int) -> LinearLayout:
    positions: dict[int, int] = {}
    for dimension in range(len(shape)):
        if dimension != summed:
            pairs = (dimension_bases(x, dimension) for x in (result.shape, shape))
            positions.update(zip(*pairs, strict=True))

    def placed(bases: Sequence[int]) -> tuple[int, ...]:
        return tuple(
            sum(position for base, position in positions.items() if bits & base) for bits in bases
        )

    # Whole rows (columns) are copies in every thread that needs them: no exchange along K.
    register = (
        *dimension_bases(shape, summed),
        *f2.independent(base for base in placed(result.register) if base),
    )
    return LinearLayout(
        register, placed(result.lane), placed(result.warp), placed(result.block), shape
    )


def scales_layout(
    layout: LinearLayout, axis: int, scales_shape: tuple[int, ...]
) -> tuple[LinearLayout, list[int]]:
    """The layout of block scales in which each thread holds those of its elements of an operand.

    Each scale covers a block along one axis. Also returns, for every register of the operand, the
    element of the scales that it is multiplied by.
    """
    block = layout.shape[axis] // scales_shape[axis]
    strides = element_strides(scales_shape)

    def index(element: int) -> int:
        coordinate = list(element_coordinate(element, layout.shape))
        coordinate[axis] //= block
        return sum(c * stride for c, stride in zip(coordinate, strides, strict=True))

    def placed(bases: Sequence[int]) -> tuple[int, ...]:
        return tuple(map(index, bases))

    wanted = LinearLayout(
        tuple(f2.independent(base for base in placed(layout.register) if base)),
        placed(layout.lane),
        placed(layout.warp),
        placed(layout.block),
        scales_shape,
    )
    return wanted, [index(element) for element in layout.register_elements()]


# Gathers, packs, and ops that re-index tiles.


def along_dimension(layout: LinearLayout, dimension: int) -> LinearLayout:
    """The layout of a vector that assigns every register the element at its position."""

    def positions(bases: Sequence[int]) -> tuple[int, ...]:
        return tuple(element_coordinate(base, layout.shape)[dimension] for base in bases)

    return LinearLayout(
        positions(layout.register),
        positions(layout.lane),
        positions(layout.warp),
        positions(layout.block),
        (layout.shape[dimension],),
    )


def layout_of_wholes(change: Reindexing, result: LinearLayout) -> LinearLayout:
    """The layout of wide elements that holds, in each thread, the sources of its narrow results."""
    back = change.inverse()
    register, lane, warp, block = (
        tuple(map(back.carry, bases))
        for bases in (result.register, result.lane, result.warp, result.block)
    )
    kept = tuple(base for base in register if base)
    return LinearLayout(kept, lane, warp, block, change.source_shape)


def carried_layout(
    op: Operation, operand: int, held: LinearLayout, wanted: LinearLayout
) -> LinearLayout | None:
    """The layout that an operand is converted to before its registers become those of the result.

    None where re-indexing registers is not enough.
    """
    if registers_of(op, held, wanted, operand) is not None:
        return held
    needed = backward(op, wanted, operand)
    if needed is None or not needed.is_surjective:
        return None
    return None if registers_of(op, needed, wanted, operand) is None else needed
