"""Staging buffers: row-major tiles in shared memory, for ops that move elements across threads and
indices.

Ops that only permute bits of an index are layout conversions and need no staging buffer; slices at
dynamic offsets need one. A tile larger than its op's scratch memory is moved in windows, one at a
time. The number of windows is `nv_tileas.steps`.

    store the elements 0 to 1023      those that a thread has in the window
    barrier
    load                              those that it wants from the window
    barrier
    store the elements 1024 to 2047   ..
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i8, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.allocation.scratch_requests import windows_of
from tileir_xdsl.dialects.llvm.values import PoisonOp
from tileir_xdsl.dialects.scratch import second_offset, window_bytes
from tileir_xdsl.layout.banks import access_wavefronts
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate, element_strides

from ..thread.builder import Index, LLVMBuilder
from ..thread.packed_registers import element_bits, from_moved, moved_type, to_moved
from ..thread.program import ThreadRewriter
from ..thread.register_loops import State, repeat_while
from ..thread.replicas import both, one_of_copies
from .scratch import begin_scratch

WARP_LANE_BITS = 5


@dataclass(frozen=True)
class StagingSlice:
    """The offset of a tile in a staging buffer, and the strides between its elements.

    Offset and strides are in elements of the staging buffer.
    """

    offset: Index
    strides: tuple[Index, ...]

    @staticmethod
    def whole(shape: Sequence[int]) -> "StagingSlice":
        """A tile that covers the whole staging buffer."""
        return StagingSlice(0, element_strides(shape))


@dataclass(frozen=True)
class StagedTile:
    """Registers of a layout, and the slice of a staging buffer for their elements."""

    values: Sequence[SSAValue]
    layout: LinearLayout | None
    slice: StagingSlice


@dataclass(frozen=True)
class Window:
    """A byte range of a tile that scratch memory holds at one time."""

    start: int
    size: int

    def condition(
        self, builder: LLVMBuilder, offset: Index, known: int, reach: int | None
    ) -> SSAValue | bool:
        """Whether an element is in the window: a known result, or a run-time condition.

        Args:
            builder: where the condition is computed.
            offset: the part of the element's offset that threads differ in.
            known: the rest.
            reach: the most that `offset` can be; None where nothing is known of it.
        """
        if reach is not None and known // self.size == (known + reach) // self.size:
            return known // self.size == self.start // self.size
        relative = builder.integer(builder.add(offset, known - self.start, i32), i32)
        return builder.compare("ult", relative, builder.integer(self.size, i32))


class StagingBuffer:
    """Shared memory for a tile of `elements` elements in row-major order, or for a window of it."""

    def __init__(
        self,
        op: Operation,
        elements: int,
        like: SSAValue,
        rewriter: ThreadRewriter,
        first: "StagingBuffer | None" = None,
        number: int = 0,
    ):
        """Uses the scratch memory of an op, or the part after a `first` staging buffer.

        `number` is the index of the tile among those that the op stages.
        """
        self.rewriter, self.type = rewriter, like.type
        self.bytes = element_bits(like.type) // 8
        self.size = elements * self.bytes
        count = windows_of(op, number, is_beside=first is not None)
        extent = window_bytes(self.size, self.bytes, count)
        self.windows = [Window(start, extent) for start in range(0, self.size, extent)]
        self.window = self.windows[0]
        if first is None:
            self.pointer = begin_scratch(op, self.window.size, rewriter)
        else:
            offset = second_offset(first.window.size)
            self.pointer = rewriter.builder.element_pointer(first.pointer, offset, i8)

    def clear(self) -> None:
        """Zeroes all elements of the window, divided among the threads."""
        builder, type = self.rewriter.builder, IntegerType(8 * self.bytes)
        limit = builder.integer(self.window.size // self.bytes, i32)
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
        for value, (pointer, inside) in zip(values, self._addresses(layout, staged), strict=True):
            if inside is not False:
                (mask,) = both(builder, [None if inside is True else inside], writer)
                builder.store(pointer, [to_moved(builder, value)], self.bytes, [mask], wavefronts)

    def load(
        self,
        layout: LinearLayout | None,
        staged: StagingSlice,
        before: Sequence[SSAValue] | None = None,
    ) -> tuple[SSAValue, ...]:
        """Loads a tile, or a scalar without a layout; elements outside the window are those of
        `before`.
        """
        builder = self.rewriter.builder
        found = self.load_inside(layout, staged)
        loaded = [value for value, _ in found]
        if before is None:
            return tuple(loaded)
        for number, (value, inside) in enumerate(found):
            if inside is False:
                loaded[number] = before[number]
            elif inside is not True:
                loaded[number] = builder.select(inside, value, before[number])
        return tuple(loaded)

    def load_inside(
        self, layout: LinearLayout | None, staged: StagingSlice
    ) -> list[tuple[SSAValue, SSAValue | bool]]:
        """Loads a tile or a scalar: each element, and whether it is in the window."""
        builder, type = self.rewriter.builder, moved_type(self.type)
        wavefronts = self._wavefronts(layout, staged)
        found: list[tuple[SSAValue, SSAValue | bool]] = []
        for pointer, inside in self._addresses(layout, staged):
            if inside is False:
                # Another window has it.
                found.append((builder.insert(PoisonOp(self.type)), False))
                continue
            mask = None if inside is True else inside
            (value,) = builder.load(pointer, type, self.bytes, [mask], None, wavefronts)
            found.append((from_moved(builder, value, self.type), inside))
        return found

    def element(self, number: SSAValue) -> SSAValue:
        """Loads the element with this index in the window."""
        builder, type = self.rewriter.builder, moved_type(self.type)
        pointer = builder.element_pointer(self.pointer, number, IntegerType(8 * self.bytes))
        (value,) = builder.load(pointer, type, self.bytes, [None], None)
        return from_moved(builder, value, self.type)

    def _wavefronts(
        self, layout: LinearLayout | None, staged: StagingSlice, idle_lanes: int = 0
    ) -> int | None:
        """The wavefronts of one warp's access; None for dynamic strides."""
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

    def _addresses(
        self, layout: LinearLayout | None, staged: StagingSlice
    ) -> Iterator[tuple[SSAValue, SSAValue | bool]]:
        """The address of each register's element, and whether the element is in the window."""
        builder = self.rewriter.builder
        first = builder.multiply(staged.offset, self.bytes, i32)
        if layout is None:
            yield self._address(first, 0, None)
            return
        threads = [element_coordinate(base, layout.shape) for base in layout.thread_bases()]
        for dimension, stride in enumerate(staged.strides):
            part = builder.thread_offset(tuple(c[dimension] for c in threads))
            step = builder.multiply(stride, self.bytes, i32)
            first = builder.add(first, builder.multiply(part, step, i32), i32)
        reach = self._reach(threads, staged)
        for element in layout.register_elements():
            offset: Index = 0
            coordinate = element_coordinate(element, layout.shape)
            for position, stride in zip(coordinate, staged.strides, strict=True):
                step = builder.multiply(stride, position * self.bytes, i32)
                offset = builder.add(offset, step, i32)
            yield self._address(first, offset, reach)

    def _reach(self, threads: Sequence[Sequence[int]], staged: StagingSlice) -> int | None:
        """The largest offset of a thread's first element; None for dynamic offsets and strides."""
        terms = [staged.offset]
        for coordinate in threads:
            terms += [
                position * stride if isinstance(stride, int) else stride
                for position, stride in zip(coordinate, staged.strides, strict=True)
            ]
        known = [term for term in terms if isinstance(term, int)]
        return self.bytes * sum(known) if len(known) == len(terms) else None

    def _address(
        self, first: Index, offset: Index, reach: int | None
    ) -> tuple[SSAValue, SSAValue | bool]:
        """The address of an element at the sum of two offsets, and whether it is in the window."""
        builder = self.rewriter.builder
        if len(self.windows) == 1:
            pointer = builder.element_pointer(self.pointer, first, i8)
            return builder.element_pointer(pointer, offset, i8), True
        if not isinstance(offset, int):
            first, offset, reach = builder.add(first, offset, i32), 0, None
        inside = self.window.condition(builder, first, offset, reach)
        pointer = builder.element_pointer(self.pointer, first, i8)
        return builder.element_pointer(pointer, offset - self.window.start, i8), inside


def through_staging(
    op: Operation,
    elements: int,
    phases: Sequence[Sequence[StagedTile]],
    layout: LinearLayout | None,
    part: StagingSlice,
    rewriter: ThreadRewriter,
) -> tuple[SSAValue, ...]:
    """Stores tiles into the staging buffer of an op, and loads one from it, window by window.

    Args:
        op: the op that has the scratch memory.
        elements: the elements of the staging buffer.
        phases: the tiles that are stored; those of a phase overwrite those of the phases before.
        layout: the layout that is loaded; None for a scalar.
        part: where its elements are.
        rewriter: where the code goes.
    """
    like = phases[0][0].values[0]
    staging, loaded = StagingBuffer(op, elements, like, rewriter), None
    for window in staging.windows:
        if window is not staging.window:
            rewriter.barrier()
        staging.window = window
        for tiles in phases:
            for tile in tiles:
                staging.store(tile.values, tile.layout, tile.slice)
            rewriter.barrier()
        loaded = staging.load(layout, part, loaded)
    assert loaded is not None
    return loaded
