"""Lowers convolutions of whole tiles: `conv_dot`, which no single instruction computes.

    %y = nv_tileaa.conv_dot %activation, %filter, %acc {convParams = ..}

Both operands are staged in shared memory, the activation with a border of zeros for the padding.
For each accumulator element and filter position, a thread reads one activation element per channel;
neighbouring outputs read elements a stride apart. Channels are a loop, and filter positions are
unrolled. Terms are accumulated from the first filter position and channel on.

Operands that exceed scratch memory are staged in windows. Each pair of windows accumulates the
terms whose two elements it contains, before the next pair.
"""

from collections.abc import Sequence
from itertools import product
from math import prod

from xdsl.dialects.builtin import Float16Type, i32
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.attributes import SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.layout.linear import LinearLayout, element_strides

from ..arithmetic.float_formats import convert_floats
from ..shared_memory.staging_buffers import StagingBuffer, StagingSlice, Window
from ..thread.builder import Index, LLVMBuilder
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.register_loops import State, repeat_while
from .dot import computed_type, multiply_add, widened


class _StagedOperand:
    """An operand in shared memory; each accumulator element reads one of its elements at a time."""

    def __init__(
        self,
        op: nv_tileaa.ConvDotOp,
        tile: SSAValue,
        padding: Sequence[int],
        signedness: SignednessAttr | None,
        rewriter: ThreadRewriter,
        first: "_StagedOperand | None" = None,
    ):
        """`padding` is the number of zeros on either side of each dimension."""
        self.rewriter, self.signedness = rewriter, signedness
        extents, self.element = tile_shape(tile.type).shape, tile_shape(tile.type).element
        self.type = computed_type(self.element, tile_shape(op.acc.type).element)
        self.values, self.layout = rewriter.registers(tile), layout_of(op, tile)
        shape = [extent + 2 * zeros for extent, zeros in zip(extents, padding, strict=True)]
        self.strides, self.padding = element_strides(shape), padding
        # Both operands are in use together, so the second is placed after the first.
        before = None if first is None else first.staging
        self.staging = StagingBuffer(op, prod(shape), self.values[0], rewriter, before)
        self._held: Window | None = None

    def hold(self, window: Window) -> None:
        """Stores the elements of a window, unless it is already stored; a barrier must follow."""
        if window is self._held:
            return
        self._held = self.staging.window = window
        # Padding reads as zero; all threads clear, so the tile is stored only after a barrier.
        rewriter = self.rewriter
        if any(self.padding):
            self.staging.clear()
            rewriter.barrier()
        offset = sum(p * stride for p, stride in zip(self.padding, self.strides, strict=True))
        self.staging.store(self.values, self.layout, StagingSlice(offset, self.strides))

    def load(
        self, layout: LinearLayout, offset: Index, strides: Sequence[int]
    ) -> tuple[list[SSAValue], list[SSAValue | bool]]:
        """Loads the operand for every accumulator element, in the type of the computation.

        Also returns, for each element, whether it is in the window.
        """
        found = self.staging.load_inside(layout, StagingSlice(offset, tuple(strides)))
        loaded = [value for value, _ in found]
        wide = widened(loaded, self.element, self.type, self.signedness, self.rewriter)
        return wide, [inside for _, inside in found]


class LowerConvDot(LowerOp[nv_tileaa.ConvDotOp]):
    def lower(self, op: nv_tileaa.ConvDotOp, rewriter: ThreadRewriter) -> None:
        padding = op.padding
        a = _StagedOperand(op, op.activation, padding, op.signedness_a, rewriter)
        b = _StagedOperand(op, op.filter, [0] * len(padding), op.signedness_b, rewriter, a)
        accumulator = tile_shape(op.acc.type).element
        totals = _widened_accumulators(rewriter.registers(op.acc), accumulator, rewriter)
        for number, windows in enumerate(product(a.staging.windows, b.staging.windows)):
            if number:
                # The windows before may still be read.
                rewriter.barrier()
            for operand, window in zip((a, b), windows, strict=True):
                operand.hold(window)
            rewriter.barrier()
            totals = _accumulated(op, a, b, totals, rewriter)
        rewriter.replace(op.result, _rounded_accumulators(totals, accumulator, rewriter))


def _accumulated(
    op: nv_tileaa.ConvDotOp,
    a: _StagedOperand,
    b: _StagedOperand,
    totals: list[SSAValue],
    rewriter: ThreadRewriter,
) -> list[SSAValue]:
    """Adds to the accumulators the terms whose operands are both in their windows."""
    builder, layout = rewriter.builder, layout_of(op, op.acc)
    assert layout is not None
    steps = op.conv_params.steps
    rank = len(steps) + 2
    channel = op.channel_dimension
    spatial = [dim for dim in range(1, rank) if dim != channel]
    taps = tile_shape(op.filter.type).shape
    # The stride in the operand between neighbours along a dimension of the accumulator.
    a_strides, b_strides = list(a.strides), [0] * rank
    a_strides[channel], b_strides[channel] = 0, b.strides[0]
    for dim, (_, stride, _) in zip(spatial, steps, strict=True):
        a_strides[dim] *= stride
    depth = builder.integer(taps[channel], i32)
    # The order of the terms is part of the result: f32 additions do not associate.
    for tap in product(*(range(taps[dim]) for dim in spatial)):
        positions = list(zip(spatial, tap, steps, strict=True))
        a_first = sum(a.strides[dim] * position * step[2] for dim, position, step in positions)
        b_first = sum(b.strides[dim] * position for dim, position, _ in positions)

        # Defaults bind the offsets of this filter position, not those of the last one.
        def add(state: State, a_first: int = a_first, b_first: int = b_first) -> State:
            number, *before = state
            (a_values, a_inside), (b_values, b_inside) = (
                operand.load(
                    layout,
                    builder.add(
                        builder.multiply(number, operand.strides[channel], i32), first, i32
                    ),
                    strides,
                )
                for operand, first, strides in ((a, a_first, a_strides), (b, b_first, b_strides))
            )
            after = [
                multiply_add(builder, *each)
                for each in zip(a_values, b_values, before, strict=True)
            ]
            insides = zip(a_inside, b_inside, strict=True)
            added = [
                _where_inside(inside, *each, builder)
                for inside, each in zip(insides, zip(after, before, strict=True), strict=True)
            ]
            return [builder.integer(builder.add(number, 1, i32), i32), *added]

        start = [builder.integer(0, i32), *totals]
        _, *totals = repeat_while(
            builder, start, lambda state: builder.compare("slt", state[0], depth), add
        )
    return totals


def _where_inside(
    inside: tuple[SSAValue | bool, ...], after: SSAValue, before: SSAValue, builder: LLVMBuilder
) -> SSAValue:
    """Selects the accumulator with its next term if both operands are in their windows."""
    # Channels are counted at run time, so that nothing is known to be outside of a window.
    conditions = [condition for condition in inside if not isinstance(condition, bool)]
    is_inside = builder.conjunction(conditions)
    return after if is_inside is None else builder.select(is_inside, after, before)


def _widened_accumulators(
    values: Sequence[SSAValue], element: Attribute, rewriter: ThreadRewriter
) -> list[SSAValue]:
    """Converts accumulators to the type of the computation."""
    return widened(values, element, computed_type(element, element), None, rewriter)


def _rounded_accumulators(
    values: Sequence[SSAValue], element: Attribute, rewriter: ThreadRewriter
) -> tuple[SSAValue, ...]:
    """Rounds accumulators to their element type."""
    # f32 and integers were accumulated as they are.
    if not isinstance(element, Float16Type):
        return tuple(values)
    mode, builder = RoundingMode.NEAREST_EVEN, rewriter.builder
    wide = computed_type(element, element)
    return tuple(convert_floats(builder, rewriter.function.target, values, wide, element, mode))


PATTERNS: Patterns = {nv_tileaa.ConvDotOp: LowerConvDot}
