"""Tiles of generated elements, histograms, and exchanges between lanes."""

from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.llvm.atomics import AtomicBinOp, AtomicRMWOp
from tileir_xdsl.dialects.llvm.attributes import AtomicOrdering
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.scratch import COUNT_BYTES
from tileir_xdsl.layout.linear import element_coordinate

from ..shared_memory.layout_conversions import convert_registers
from ..shared_memory.single_transactions import guarded
from ..shared_memory.staging_buffers import StagingBuffer, StagingSlice
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.replicas import one_of_copies


class LowerGenerate(LowerOp[nv_tileas.GenerateOp]):
    """Emits the body of `generate` once per register, on the indices of its element."""

    def lower(self, op: nv_tileas.GenerateOp, rewriter: ThreadRewriter) -> None:
        builder, layout, body = rewriter.builder, layout_of(op, op.result), op.body.block
        assert layout is not None
        # Before the walk gets there: the body is emitted here, for each register anew.
        self.lowering.claim(body)
        threads = [element_coordinate(base, layout.shape) for base in layout.thread_bases()]
        firsts = [
            builder.thread_offset(tuple(coordinate[dim] for coordinate in threads))
            for dim in range(len(layout.shape))
        ]
        elements: list[SSAValue] = []
        for element in layout.register_elements():
            coordinate = element_coordinate(element, layout.shape)
            indices = [
                builder.integer(builder.add(first, known, i32), i32)
                for first, known in zip(firsts, coordinate, strict=True)
            ]
            elements += self.lowering.inline(body, indices, rewriter)
        rewriter.replace(op.result, tuple(elements))


class LowerHistogram(LowerOp[nv_tileaa.HistogramOp]):
    """Counts in shared memory; one of the threads that hold an element increments its counter."""

    def lower(self, op: nv_tileaa.HistogramOp, rewriter: ThreadRewriter) -> None:
        builder = rewriter.builder
        source, result = layout_of(op, op.source), layout_of(op, op.result)
        assert source is not None and result is not None
        (bins,) = result.shape
        whole = StagingSlice.whole(result.shape)
        zeros = [builder.integer(0, i32)] * result.registers
        counters, counts = StagingBuffer(op, bins, zeros[0], rewriter), None
        for window in counters.windows:
            if window is not counters.window:
                rewriter.barrier()
            counters.window = window
            counters.store(zeros, result, whole)
            rewriter.barrier()
            self._count(op, counters, rewriter)
            rewriter.barrier()
            counts = counters.load(result, whole, counts)
        type = tile_shape(op.result.type).element
        assert isinstance(type, IntegerType) and counts is not None
        rewriter.replace(
            op.result, tuple(builder.integer(builder.resize(count, type), type) for count in counts)
        )

    @staticmethod
    def _count(
        op: nv_tileaa.HistogramOp, counters: StagingBuffer, rewriter: ThreadRewriter
    ) -> None:
        """Counts the numbers whose counters are in the current window of scratch memory."""
        builder, layout = rewriter.builder, layout_of(op, op.source)
        assert layout is not None
        writer, copies = one_of_copies(layout, rewriter), layout.replicated_registers
        start, size = (
            each // COUNT_BYTES for each in (counters.window.start, counters.window.size)
        )
        limit, one = builder.integer(size, i64), builder.integer(1, i32)
        for register, value in enumerate(rewriter.registers(op.source)):
            # A second register with the same element would count it twice.
            if register & copies:
                continue
            # Unsigned in 64 bits, so that one comparison refuses all numbers outside of the window.
            wide = builder.add(builder.zero_extend(value, i64), -start, i64)
            wide = builder.integer(wide, i64)
            is_counted = builder.compare("ult", wide, limit)
            position = builder.element_pointer(counters.pointer, wide, i32)

            def count(position: SSAValue = position) -> SSAValue:
                # Sums do not depend on the order, and there is a barrier before anyone reads them.
                order = AtomicOrdering.MONOTONIC
                return builder.insert(AtomicRMWOp(AtomicBinOp.ADD, position, one, order, "block"))

            conditions = [c for c in (is_counted, writer) if c is not None]
            guarded(rewriter, builder.conjunction(conditions), count)


class LowerShuffle(LowerOp[nv_tileas.ShuffleOp]):
    def lower(self, op: nv_tileas.ShuffleOp, rewriter: ThreadRewriter) -> None:
        source, result = layout_of(op, op.source), layout_of(op, op.result)
        assert source is not None and result is not None
        values = rewriter.registers(op.source)
        rewriter.replace(op.result, convert_registers(op, values, source, result, rewriter))


PATTERNS: Patterns = {
    nv_tileaa.HistogramOp: LowerHistogram,
    nv_tileas.GenerateOp: LowerGenerate,
    nv_tileas.ShuffleOp: LowerShuffle,
}
