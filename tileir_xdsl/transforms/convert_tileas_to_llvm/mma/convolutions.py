"""Convolutions of whole tiles: `conv_dot`, which no single instruction computes.

    %y = nv_tileaa.conv_dot %activation, %filter, %acc {convParams = ..}

Both operands are staged in shared memory, the activation with a border of zeros as wide as the
padding. For an accumulator element a thread reads, at each filter position, one activation element
per channel, a stride apart from that of the next output. Channels are a loop, filter positions are
unrolled. Terms are accumulated from the first filter position and channel on.
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
from tileir_xdsl.dialects.nv_tileaa.convolution import ActivationLayout
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.layout.linear import LinearLayout, element_strides

from ..arithmetic.float_formats import convert_floats
from ..shared_memory.staging_buffers import Place, StagingBuffer
from ..thread.builder import Index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadProgram
from ..thread.register_loops import State, repeat_while
from .dot import computed_type, multiply_add, widened


class _Factor:
    """An operand in shared memory; each accumulator element reads one of its elements at a time."""

    def __init__(
        self,
        op: nv_tileaa.ConvDotOp,
        tile: SSAValue,
        shape: Sequence[int],
        signedness: SignednessAttr | None,
        program: ThreadProgram,
        *,
        second: bool = False,
    ):
        self.program, self.signedness = program, signedness
        self.element = tile_shape(tile.type).element
        self.type = computed_type(self.element, tile_shape(op.acc.type).element)
        self.values, self.layout = program.registers[tile], layout_of(op, tile)
        self.strides = element_strides(shape)
        self.image = StagingBuffer(op, prod(shape), self.values[0], program, second=second)

    def store(self, first: Sequence[int]) -> None:
        """Stores the tile at an offset in the staging buffer."""
        offset = sum(p * stride for p, stride in zip(first, self.strides, strict=True))
        self.image.store(self.values, self.layout, Place(offset, self.strides))

    def load(self, layout: LinearLayout, offset: Index, strides: Sequence[int]) -> list[SSAValue]:
        """Loads the operand of every accumulator element, in the type of the computation."""
        loaded = self.image.load(layout, Place(offset, tuple(strides)))
        return widened(loaded, self.element, self.type, self.signedness, self.program)


class LowerConvDot(LowerOp[nv_tileaa.ConvDotOp]):
    def lower(self, op: nv_tileaa.ConvDotOp, program: ThreadProgram) -> None:
        builder, layout = program.builder, layout_of(op, op.acc)
        assert layout is not None
        steps = op.conv_params.steps
        rank = len(steps) + 2
        channels_first = op.activation_layout.data is ActivationLayout.CHANNELS_FIRST
        channel = 1 if channels_first else rank - 1
        spatial = [dim for dim in range(1, rank) if dim != channel]
        extents, taps = (tile_shape(v.type).shape for v in (op.activation, op.filter))
        margins = dict(zip(spatial, (padding for padding, _, _ in steps), strict=True))
        padded = [extent + 2 * margins.get(dim, 0) for dim, extent in enumerate(extents)]
        a = _Factor(op, op.activation, padded, op.signedness_a, program)
        b = _Factor(op, op.filter, taps, op.signedness_b, program, second=True)
        if any(margins.values()):
            a.image.clear(prod(padded))
            program.barrier()
        a.store([margins.get(dim, 0) for dim in range(rank)])
        b.store([0] * rank)
        program.barrier()
        # The stride in the operand between neighbours along a dimension of the accumulator.
        a_strides, b_strides = list(a.strides), [0] * rank
        a_strides[channel], b_strides[channel] = 0, b.strides[0]
        for dim, (_, stride, _) in zip(spatial, steps, strict=True):
            a_strides[dim] *= stride
        accumulator = tile_shape(op.acc.type).element
        accumulators = _widened_accumulators(program.registers[op.acc], accumulator, program)
        depth = builder.integer(extents[channel], i32)
        for tap in product(*(range(taps[dim]) for dim in spatial)):
            positions = list(zip(spatial, tap, steps, strict=True))
            a_first = sum(a.strides[dim] * position * step[2] for dim, position, step in positions)
            b_first = sum(b.strides[dim] * position for dim, position, _ in positions)

            def add(state: State, a_first: int = a_first, b_first: int = b_first) -> State:
                number, *totals = state
                met = [
                    operand.load(
                        layout,
                        builder.add(
                            builder.multiply(number, operand.strides[channel], i32), first, i32
                        ),
                        strides,
                    )
                    for operand, first, strides in (
                        (a, a_first, a_strides),
                        (b, b_first, b_strides),
                    )
                ]
                added = [multiply_add(builder, *each) for each in zip(*met, totals, strict=True)]
                return [builder.integer(builder.add(number, 1, i32), i32), *added]

            start = [builder.integer(0, i32), *accumulators]
            _, *accumulators = repeat_while(
                builder, start, lambda state: builder.compare("slt", state[0], depth), add
            )
        program.registers[op.result] = _rounded_accumulators(accumulators, accumulator, program)


def _widened_accumulators(
    values: Sequence[SSAValue], element: Attribute, program: ThreadProgram
) -> list[SSAValue]:
    """Accumulators in the type of the computation."""
    return widened(values, element, computed_type(element, element), None, program)


def _rounded_accumulators(
    values: Sequence[SSAValue], element: Attribute, program: ThreadProgram
) -> tuple[SSAValue, ...]:
    """Accumulators rounded to their element type."""
    if not isinstance(element, Float16Type):
        return tuple(values)
    mode, builder = RoundingMode.NEAREST_EVEN, program.builder
    wide = computed_type(element, element)
    return tuple(convert_floats(builder, program.target, values, wide, element, mode))


PATTERNS: Patterns = {nv_tileaa.ConvDotOp: LowerConvDot}
