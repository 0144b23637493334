"""Staging buffers: row-major tiles in shared memory, for ops that move elements across threads and
indices.

Ops that only permute bits of an index are layout conversions and need no staging buffer; slices at
dynamic offsets need one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i8, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.buffers.scratch_uses import second_offset
from tileir_xdsl.layout.banks import access_wavefronts
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate, element_strides

from ..thread.builder import Index
from ..thread.packed_registers import element_bits, from_moved, moved_type, to_moved
from ..thread.program import ThreadRewriter
from ..thread.register_loops import State, repeat_while
from ..thread.replicas import one_of_copies
from .scratch import begin_scratch

WARP_LANE_BITS = 5


@dataclass(frozen=True)
class StagingSlice:
    """The offset of a tile in a staging buffer, and the strides between its elements.

    Both are in elements of the staging buffer.
    """

    offset: Index
    strides: tuple[Index, ...]

    @staticmethod
    def whole(shape: Sequence[int]) -> "StagingSlice":
        """A tile that covers the whole staging buffer."""
        return StagingSlice(0, element_strides(shape))


class StagingBuffer:
    """Shared memory that holds a tile of `elements` elements in row-major order."""

    def __init__(
        self,
        op: Operation,
        elements: int,
        like: SSAValue,
        rewriter: ThreadRewriter,
        first: "StagingBuffer | None" = None,
    ):
        """Uses the scratch memory of an op, or what follows a `first` staging buffer in it."""
        self.rewriter, self.type = rewriter, like.type
        self.bytes = element_bits(like.type) // 8
        self.size = elements * self.bytes
        if first is None:
            self.pointer = begin_scratch(op, self.size, rewriter)
        else:
            offset = second_offset(first.size)
            self.pointer = rewriter.builder.element_pointer(first.pointer, offset, i8)

    def clear(self, elements: int) -> None:
        """Zeroes all elements, divided among the threads."""
        builder, type = self.rewriter.builder, IntegerType(8 * self.bytes)
        limit = builder.integer(elements, i32)
        step = builder.integer(self.rewriter.region.threads, i32)

        def clear_one(state: State) -> State:
            pointer = builder.element_pointer(self.pointer, state[0], type)
            builder.store(pointer, [builder.integer(0, type)], self.bytes, [None])
            return [builder.compute(llvm.AddOp, state[0], step)]

        repeat_while(
            builder,
            [builder.thread_index()],
            lambda state: builder.compare("slt", state[0], limit),
            clear_one,
        )

    def store(
        self, values: Sequence[SSAValue], layout: LinearLayout | None, staged: StagingSlice
    ) -> None:
        """Stores a tile; one of the threads that hold an element stores it."""
        builder = self.rewriter.builder
        writer = one_of_copies(layout, self.rewriter)
        # A scalar is stored by one lane of the warp.
        idle = (1 << WARP_LANE_BITS) - 1 if layout is None else layout.replicated_lanes
        wavefronts = self._wavefronts(layout, staged, idle)
        for value, pointer in zip(values, self._pointers(layout, staged), strict=True):
            moved = to_moved(builder, value)
            builder.store(pointer, [moved], self.bytes, [writer], wavefronts)

    def load(self, layout: LinearLayout | None, staged: StagingSlice) -> tuple[SSAValue, ...]:
        """Loads a tile, or a scalar where there is no layout."""
        builder, type = self.rewriter.builder, moved_type(self.type)
        wavefronts = self._wavefronts(layout, staged)
        loaded: list[SSAValue] = []
        for pointer in self._pointers(layout, staged):
            (value,) = builder.load(pointer, type, self.bytes, [None], None, wavefronts)
            loaded.append(from_moved(builder, value, self.type))
        return tuple(loaded)

    def _wavefronts(
        self, layout: LinearLayout | None, staged: StagingSlice, idle_lanes: int = 0
    ) -> int | None:
        """The wavefronts of one warp access; None where strides are dynamic."""
        strides = [stride for stride in staged.strides if isinstance(stride, int)]
        if layout is None:
            return access_wavefronts([0] * WARP_LANE_BITS, self.bytes)
        # Bank conflicts follow from strides, which are not known here.
        if len(strides) < len(staged.strides):
            return None
        lanes = [element_coordinate(base, layout.shape) for base in layout.lane]
        offsets = [
            self.bytes * sum(p * stride for p, stride in zip(lane, strides, strict=True))
            for lane in lanes
        ]
        return access_wavefronts(offsets, self.bytes, idle_lanes)

    def _pointers(self, layout: LinearLayout | None, staged: StagingSlice) -> list[SSAValue]:
        builder = self.rewriter.builder
        first = builder.multiply(staged.offset, self.bytes, i32)
        if layout is None:
            return [builder.element_pointer(self.pointer, first, i8)]
        threads = [element_coordinate(base, layout.shape) for base in layout.thread_bases()]
        for dimension, stride in enumerate(staged.strides):
            part = builder.thread_offset(tuple(c[dimension] for c in threads))
            step = builder.multiply(stride, self.bytes, i32)
            first = builder.add(first, builder.multiply(part, step, i32), i32)
        pointer = builder.element_pointer(self.pointer, first, i8)
        pointers: list[SSAValue] = []
        for element in layout.register_elements():
            offset: Index = 0
            coordinate = element_coordinate(element, layout.shape)
            for position, stride in zip(coordinate, staged.strides, strict=True):
                step = builder.multiply(stride, position * self.bytes, i32)
                offset = builder.add(offset, step, i32)
            pointers.append(builder.element_pointer(pointer, offset, i8))
        return pointers
