"""Reductions: over the registers of a thread, the lanes of a warp, and the warps of a block.

The combiner combines earlier and later elements along the axis, and need not commute. Index bits of
the axis are folded from the lowest to the highest, in registers, lanes or warps. If the combiner
commutes, bits in registers are folded first, as these cost least.
"""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.layouts.exchanges import (
    combined_lanes,
    commutes,
    folded_across_warps,
    folded_inside_warps,
    folding_layout,
    gathered_from_warps,
    without_axis,
)
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy, strategy_of
from tileir_xdsl.dialects.nvvm.attributes import ShuffleKind
from tileir_xdsl.dialects.nvvm.synchronization import ShflOp
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases

from ..shared_memory.layout_conversions import LAST_LANE, convert_registers
from ..shared_memory.scratch import ALL_LANES
from ..thread.builder import LLVMBuilder
from ..thread.packed_registers import from_moved, pack, to_moved, unpack
from ..thread.patterns import Lowering, LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.thread_maps import thread_parity

Tiles = list[list[SSAValue]]
"""The registers of every operand of a reduction."""

Combine = Callable[[Sequence[SSAValue], Sequence[SSAValue]], tuple[SSAValue, ...]]
"""Combines one earlier and one later element of every operand."""


def combination(lowering: Lowering, body: Block, rewriter: ThreadRewriter) -> Combine:
    """The combiner of a reduction's body, whose arguments are pairs of earlier and later
    elements.
    """
    lowering.claim(body)

    def combine(earlier: Sequence[SSAValue], later: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
        pairs = [value for pair in zip(earlier, later, strict=True) for value in pair]
        return lowering.inline(body, pairs, rewriter)

    return combine


def shuffled(
    value: SSAValue, kind: ShuffleKind, lane: SSAValue, rewriter: ThreadRewriter
) -> SSAValue:
    """A value of any type from another lane."""
    builder, type = rewriter.builder, value.type
    moved = to_moved(builder, value)
    mask, clamp = builder.integer(ALL_LANES, i32), builder.integer(LAST_LANE, i32)
    words = [
        builder.insert(ShflOp(kind, mask, word, lane, clamp)) for word in pack(builder, [moved])
    ]
    (other,) = unpack(builder, words, moved.type, 1)
    return from_moved(builder, other, type)


def fold_registers(
    tiles: Tiles, bases: Sequence[int], base: int, combine: Combine
) -> tuple[Tiles, tuple[int, ...]]:
    """Combines registers that differ in the bit of `base`, and removes the bit."""
    bit = bases.index(base)
    count = len(tiles[0])
    folded: list[tuple[SSAValue, ...]] = [
        combine([tile[r] for tile in tiles], [tile[r | 1 << bit] for tile in tiles])
        for r in range(count)
        if not r >> bit & 1
    ]
    rest = (*bases[:bit], *bases[bit + 1 :])
    return [list(column) for column in zip(*folded, strict=True)], rest


def fold_register_pairs(
    tile: Sequence[SSAValue],
    bases: Sequence[int],
    folded: Sequence[int],
    combine: Combine,
    builder: LLVMBuilder,
) -> tuple[Tiles, tuple[int, ...]]:
    """Combines registers along the bases `folded`, in order, two registers at once.

    Pairs differ in the last base, or in the last folded base if that one is folded earlier. Along
    the base of pairs, single registers are combined. Each result is the same as without pairs.
    """
    apart = bases[-1] if bases[-1] not in folded[:-1] else folded[-1]
    bit = bases.index(apart)
    pairs = [
        builder.vector((tile[r], tile[r | 1 << bit])) for r in range(len(tile)) if not r >> bit & 1
    ]
    tiles, rest = [pairs], (*bases[:bit], *bases[bit + 1 :])
    for base in folded:
        if base != apart:
            tiles, rest = fold_registers(tiles, rest, base, combine)
    halves = [builder.elements(pair, 2) for pair in tiles[0]]
    singles = [half for column in zip(*halves, strict=True) for half in column]
    # As the last bit, where it was if it is not of the axis.
    if apart in folded:
        return fold_registers([singles], (*rest, apart), apart, combine)
    return [singles], (*rest, apart)


def fold_lanes(
    tiles: Tiles, bit: int, ordered: bool, combine: Combine, rewriter: ThreadRewriter
) -> Tiles:
    """Combines lanes that differ in one bit; afterwards both lanes hold the result."""
    builder = rewriter.builder
    distance = builder.integer(1 << bit, i32)
    # A combiner that commutes saves two selects for each shuffle.
    is_later = thread_parity(builder, 1 << bit) if ordered else None
    folded: list[tuple[SSAValue, ...]] = []
    for mine in zip(*tiles, strict=True):
        theirs = [shuffled(value, ShuffleKind.BUTTERFLY, distance, rewriter) for value in mine]
        earlier, later = list(mine), theirs
        if is_later is not None:
            pairs = list(zip(mine, theirs, strict=True))
            earlier = [builder.select(is_later, b, a) for a, b in pairs]
            later = [builder.select(is_later, a, b) for a, b in pairs]
        folded.append(combine(earlier, later))
    return [list(column) for column in zip(*folded, strict=True)]


def fold_inside_warps(
    tiles: Tiles,
    layout: LinearLayout,
    axis: int,
    combine: Combine,
    ordered: bool,
    rewriter: ThreadRewriter,
    *,
    in_pairs: bool = False,
) -> tuple[Tiles, LinearLayout]:
    """Folds an axis within each warp, with `in_pairs` two registers at once; returns one result per
    warp.
    """
    along = dimension_bases(layout.shape, axis)
    register, lane = layout.register, list(layout.lane)
    if copies := layout.replicated_registers:
        # Copies of a register need not be combined.
        kept = [r for r in range(layout.registers) if not r & copies]
        tiles = [[tile[r] for r in kept] for tile in tiles]
        register = tuple(base for base in register if base)
    inside = [base for base in along if base in register or base in lane]
    folded = [base for base in inside if base in register]
    if in_pairs and len(register) > 1 and folded:
        tiles, register = fold_register_pairs(tiles[0], register, folded, combine, rewriter.builder)
        inside = [base for base in inside if base in lane]
    # Registers first: they halve the number of values before any is shuffled.
    for base in inside if ordered else sorted(inside, key=lambda base: base not in register):
        if base in register:
            tiles, register = fold_registers(tiles, register, base, combine)
        else:
            bit = lane.index(base)
            tiles = fold_lanes(tiles, bit, ordered, combine, rewriter)
            lane[bit] = 0
    return tiles, folded_inside_warps(layout, axis)


def fold_warps(
    op: Operation,
    tiles: Tiles,
    layout: LinearLayout,
    axis: int,
    combine: Combine,
    rewriter: ThreadRewriter,
) -> tuple[Tiles, LinearLayout]:
    """Combines the results of warps along an axis: every warp reads all of the results and folds
    them.
    """
    between = [base for base in dimension_bases(layout.shape, axis) if base in layout.warp]
    if not between:
        return tiles, layout
    # Every warp needs the result: folding in each saves the exchange that would hand it out.
    gathered = gathered_from_warps(layout, axis)
    tiles = [list(convert_registers(op, tile, layout, gathered, rewriter)) for tile in tiles]
    register = gathered.register
    for base in between:
        tiles, register = fold_registers(tiles, register, base, combine)
    return tiles, folded_across_warps(layout, axis)


class LowerReduce(LowerOp[nv_tileas.ReduceOp]):
    """Each warp folds its elements, then the results of all warps are exchanged and folded."""

    def lower(self, op: nv_tileas.ReduceOp, rewriter: ThreadRewriter) -> None:
        body, axis = op.body.block, op.axis.value.data
        held = layout_of(op, op.inputs[0])
        assert held is not None
        # Most combiners, such as sums and maxima, commute, and need no order of lanes.
        ordered, combine = not commutes(body), combination(self.lowering, body, rewriter)
        layout = folding_layout(held, axis, ordered)
        lanes = combined_lanes(layout, axis)
        if op.reduce_atom is not None and op.reduce_atom.lanes != lanes:
            fail(
                op,
                f"'{op.name}' op combines {lanes} lanes of a warp, but its atom combines "
                f"{op.reduce_atom.lanes}",
            )
        tiles: Tiles = [
            list(convert_registers(op, rewriter.registers(value), held, layout, rewriter))
            for value in op.inputs
        ]
        first = body.first_op
        assert first is not None
        tiles, layout = fold_inside_warps(
            tiles,
            layout,
            axis,
            combine,
            ordered,
            rewriter,
            in_pairs=strategy_of(first) is Strategy.HALVES,
        )
        tiles, layout = fold_warps(op, tiles, layout, axis, combine, rewriter)
        for result, tile in zip(op.outputs, tiles, strict=True):
            wanted = layout_of(op, result)
            rewriter.replace(
                result,
                tuple(tile)
                if wanted is None
                else convert_registers(op, tile, without_axis(layout, axis), wanted, rewriter),
            )


PATTERNS: Patterns = {nv_tileas.ReduceOp: LowerReduce, nv_tileaa.ReduceOp: LowerReduce}
