"""Scans: prefixes over the registers of a thread, then over lanes, then over warps.

The axis is assigned to registers first, then lanes, then warps. So the elements of a thread, and of
a warp, are neighbours along the axis. With `reverse` the scan runs from the last element.
"""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.layouts.exchanges import (
    gathered_from_warps,
    scan_layout,
    totals_of_warps,
)
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nvvm.attributes import ShuffleKind
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases

from ..shared_memory.layout_conversions import convert_registers
from ..thread.builder import LLVMBuilder
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.thread_maps import exclusive_or, thread_map
from .reductions import Combine, Tiles, combination, shuffled

Elements = list[SSAValue]
"""One element of every operand of a scan."""


def column(tiles: Tiles, register: int) -> Elements:
    """One register of every operand."""
    return [tile[register] for tile in tiles]


def put(tiles: Tiles, register: int, elements: Sequence[SSAValue]) -> None:
    """Stores elements in one register of every operand."""
    for tile, element in zip(tiles, elements, strict=True):
        tile[register] = element


class Scan:
    """The index bits of an axis in registers, lanes and warps, and the steps of a scan over
    these.
    """

    def __init__(
        self,
        layout: LinearLayout,
        axis: int,
        reverse: bool,
        combine: Combine,
        rewriter: ThreadRewriter,
    ):
        self.layout, self.combine, self.rewriter = layout, combine, rewriter
        self.reverse = reverse
        along = dimension_bases(layout.shape, axis)
        self.registers = [layout.register.index(b) for b in along if b in layout.register]
        self.lanes = [layout.lane.index(b) for b in along if b in layout.lane]
        self.warps = [layout.warp.index(b) for b in along if b in layout.warp]
        in_axis = {1 << bit for bit in self.registers}
        self.rows = f2.table([1 << b for b in range(len(layout.register)) if 1 << b not in in_axis])
        """The registers that start a run along the axis."""
        run = f2.table([1 << bit for bit in self.registers])
        # The layout stays: only the order in which registers are visited changes.
        self.run = run[::-1] if reverse else run
        """The offsets of a run's registers from the first one, in scan order."""

    @property
    def builder(self) -> LLVMBuilder:
        return self.rewriter.builder

    def scan_registers(self, tiles: Tiles) -> None:
        """Replaces the elements of each thread by their prefixes."""
        for row in self.rows:
            total = column(tiles, row | self.run[0])
            for step in self.run[1:]:
                total = list(self.combine(total, column(tiles, row | step)))
                put(tiles, row | step, total)

    def totals(self, tiles: Tiles) -> Tiles:
        """The total of each run of registers."""
        return [[tile[row | self.run[-1]] for row in self.rows] for tile in tiles]

    def position(self, bits: Sequence[int], first_bit: int) -> SSAValue:
        """The position of this thread among lanes or warps along the axis, in scan order.

        `first_bit` is the bit of the thread index at which `bits` start to count: of lane 0, or of
        warp 0.
        """
        bases = [0] * (len(self.layout.lane) + len(self.layout.warp))
        for position, bit in enumerate(bits):
            bases[first_bit + bit] = 1 << position
        position = thread_map(self.builder, bases)
        if self.reverse:
            # Counted from the other end: with all bits set, exclusive or is a subtraction.
            position = exclusive_or(self.builder, position, (1 << len(bits)) - 1)
        return self.builder.integer(position, i32)

    def scan_lanes(self, totals: Tiles) -> tuple[Tiles, SSAValue | None]:
        """Inclusive prefixes of the totals over lanes; `before_lanes` returns the exclusive
        ones.
        """
        builder = self.builder
        # The axis is in the registers of each thread: nothing to exchange.
        if not self.lanes:
            return totals, None
        position = self.position(self.lanes, 0)
        own_lane = builder.compute(llvm.AndOp, builder.thread_index(), builder.integer(31, i32))
        tiles = [list(tile) for tile in totals]
        for step in range(len(self.lanes)):
            source = self.lane_before(own_lane, 1 << step)
            # Hillis and Steele: in each step a lane adds what lies twice as far before it.
            exists = builder.compare("uge", position, builder.integer(1 << step, i32))
            for row in range(len(tiles[0])):
                mine = column(tiles, row)
                theirs = [shuffled(v, ShuffleKind.INDEX, source, self.rewriter) for v in mine]
                combined = self.combine(theirs, mine)
                put(
                    tiles,
                    row,
                    [builder.select(exists, c, m) for c, m in zip(combined, mine, strict=True)],
                )
        return tiles, position

    def lane_before(self, own_lane: SSAValue, distance: int) -> SSAValue:
        """The lane `distance` earlier along the axis."""
        builder = self.builder
        # Neighbours along the axis are as many lanes apart as the lowest bit says.
        step = distance << min(self.lanes)
        op = llvm.AddOp if self.reverse else llvm.SubOp
        return builder.compute(op, own_lane, builder.integer(step, i32))

    def before_lanes(self, inclusive: Tiles) -> Tiles:
        """The total of all earlier lanes; undefined in the first lane."""
        builder = self.builder
        own_lane = builder.compute(llvm.AndOp, builder.thread_index(), builder.integer(31, i32))
        source = self.lane_before(own_lane, 1)
        return [
            [shuffled(value, ShuffleKind.INDEX, source, self.rewriter) for value in tile]
            for tile in inclusive
        ]

    def add_before(self, tiles: Tiles, before: Tiles, exists: SSAValue) -> None:
        """Combines the preceding total with all registers of a thread where `exists` holds."""
        builder = self.builder
        for number, row in enumerate(self.rows):
            earlier = column(before, number)
            for step in self.run:
                mine = column(tiles, row | step)
                combined = self.combine(earlier, mine)
                put(
                    tiles,
                    row | step,
                    [builder.select(exists, c, m) for c, m in zip(combined, mine, strict=True)],
                )


class LowerScan(LowerOp[nv_tileas.ScanOp]):
    """Computes inclusive prefixes of one or more tiles."""

    def lower(self, op: nv_tileas.ScanOp, rewriter: ThreadRewriter) -> None:
        axis = op.axis.value.data
        held = layout_of(op, op.inputs[0])
        assert held is not None
        # Neighbours in one thread cost no shuffles; see the module.
        layout = scan_layout(held, axis)
        tiles: Tiles = [
            list(convert_registers(op, rewriter.registers(value), held, layout, rewriter))
            for value in op.inputs
        ]
        reverse = op.reverse is not None and bool(op.reverse.value.data)
        combine = combination(self.lowering, op.body.block, rewriter)
        self._scan(op, tiles, Scan(layout, axis, reverse, combine, rewriter), axis)
        for result, tile in zip(op.outputs, tiles, strict=True):
            wanted = layout_of(op, result)
            assert wanted is not None
            rewriter.replace(result, convert_registers(op, tile, layout, wanted, rewriter))

    @staticmethod
    def _scan(op: nv_tileas.ScanOp, tiles: Tiles, scan: Scan, axis: int) -> None:
        builder, zero = scan.builder, scan.builder.integer(0, i32)
        scan.scan_registers(tiles)
        totals = scan.totals(tiles)
        # Only totals go through shuffles: one for each run of registers.
        inclusive, position = scan.scan_lanes(totals)
        if position is not None:
            first = builder.compare("ne", position, zero)
            scan.add_before(tiles, scan.before_lanes(inclusive), first)
        if scan.warps:
            before, exists = _before_warps(op, inclusive, scan, axis)
            scan.add_before(tiles, before, exists)


def _before_warps(
    op: nv_tileas.ScanOp, inclusive: Tiles, scan: Scan, axis: int
) -> tuple[Tiles, SSAValue]:
    """The total of all earlier warps, and whether there is one.

    The last lanes of a warp hold its total. Every warp reads all totals.
    """
    builder, layout, rewriter = scan.builder, scan.layout, scan.rewriter
    last = _from_last_lane(inclusive, scan)
    one = totals_of_warps(layout, axis)
    gathered = gathered_from_warps(one, axis)
    all_warps = [list(convert_registers(op, tile, one, gathered, rewriter)) for tile in last]
    position = scan.position(scan.warps, len(layout.lane))
    rows, count = len(scan.rows), 1 << len(scan.warps)
    order = list(range(count))[:: -1 if scan.reverse else 1]

    def of_warp(warp_number: int) -> Tiles:
        return [
            tile[order[warp_number] * rows : (order[warp_number] + 1) * rows] for tile in all_warps
        ]

    before = total = of_warp(0)
    # The total of the last warp is nobody's predecessor.
    for warp_number in range(1, count - 1):
        following = of_warp(warp_number)
        columns = [scan.combine(column(total, row), column(following, row)) for row in range(rows)]
        total = [list(tile) for tile in zip(*columns, strict=True)]
        reached = builder.compare("ugt", position, builder.integer(warp_number, i32))
        before = [
            [builder.select(reached, t, b) for t, b in zip(new, old, strict=True)]
            for new, old in zip(total, before, strict=True)
        ]
    return before, builder.compare("ne", position, builder.integer(0, i32))


def _from_last_lane(inclusive: Tiles, scan: Scan) -> Tiles:
    """The value of the last lane along the axis, sent to all lanes."""
    if not scan.lanes:
        return inclusive
    builder = scan.builder
    mask = sum(1 << bit for bit in scan.lanes)
    lane = builder.compute(llvm.AndOp, builder.thread_index(), builder.integer(31 & ~mask, i32))
    if not scan.reverse:
        lane = builder.compute(llvm.OrOp, lane, builder.integer(mask, i32))
    return [
        [shuffled(value, ShuffleKind.INDEX, lane, scan.rewriter) for value in tile]
        for tile in inclusive
    ]


PATTERNS: Patterns = {nv_tileas.ScanOp: LowerScan, nv_tileaa.ScanOp: LowerScan}
