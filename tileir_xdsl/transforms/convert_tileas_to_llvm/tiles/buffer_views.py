"""Views of buffers in shared memory, and selects between buffers, which change addresses and move
no data.
"""

import math

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation

from tileir_xdsl.analysis.buffers.origin import is_in_tensor_memory
from tileir_xdsl.analysis.buffers.shared_layouts import shared_layout
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.conversions import ByteArrayOp
from tileir_xdsl.dialects.nv_tileas.types import layout_of
from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.layout.linear import element_strides
from tileir_xdsl.layout.parts import offset_of_part

from ..thread.builder import Index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.shared_buffers import SharedTile
from .packing import LowerBytes
from .shapes import LowerReindexing


class LowerView(LowerReindexing):
    """Views part of a buffer, starting at an element in row-major order; re-indexes a tile in
    registers.
    """

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        assert isinstance(op, nv_tileas.ViewOp)
        buffer = rewriter.buffer(op.source)
        if buffer is None:
            super().lower(op, rewriter)
        else:
            rewriter.replace(op.result, _viewed(op, buffer, rewriter))


def _viewed(op: nv_tileas.ViewOp, buffer: SharedTile, rewriter: ThreadRewriter) -> SharedTile:
    """The part of a buffer that a view names, as a tile in shared memory."""
    part = shared_layout(op, op.result.type)
    size = math.prod(part.shape)
    if size == math.prod(buffer.layout.shape) and layout_of(op.source.type) is None:
        # The order of elements that the type of all of a buffer leaves open, that of a view says.
        return SharedTile(buffer.base, buffer.offset, part)
    start = 0 if op.offset is None else op.offset.value.data
    strides = element_strides(buffer.layout.shape)[: len(op.indices)]
    terms = list(zip(op.indices, strides, strict=True))
    if op.dynamic_offset is not None:
        terms.append((op.dynamic_offset, 1))
    # Where a part begins that is not known when compiling, it is one of parts next to each other.
    step = math.gcd(*(size if factor == 1 else factor for _, factor in terms)) or None
    found = offset_of_part(buffer.layout, part, start, step)
    if found is None:
        fail(op, f"'{op.name}' op expects the result's layout to match the buffer's addresses")
    offset: Index = found.start
    builder = rewriter.builder
    for value, factor in terms:
        number = builder.integer(builder.resize(rewriter.scalar(value), i32), i32)
        moved = builder.multiply(number, factor * found.element_bytes, i32)
        offset = builder.add(offset, moved, i32)
    return SharedTile(buffer.base, builder.add(buffer.offset, offset, i32), part)


class LowerSelect(LowerOp[SelectOp]):
    """Selects one of two tiles by a flag that is uniform across threads: their registers, or
    addresses.
    """

    def lower(self, op: SelectOp, rewriter: ThreadRewriter) -> None:
        values = (op.true_value, op.false_value)
        layouts = [rewriter.shared_tile(v).layout for v in values if rewriter.buffer(v) is not None]
        in_registers = not layouts and all(map(rewriter.is_in_registers, values))
        # Columns are constants of the program, and two layouts would need two codes.
        if is_in_tensor_memory(op.result.type) or not (in_registers or len(set(layouts)) == 1):
            fail(
                op,
                f"'{op.name}' op expects values in registers, or in buffers of the "
                f"same layout, but got values of type {op.result.type}",
            )
        condition, builder = rewriter.scalar(op.condition), rewriter.builder
        parts = [
            first if first is second else builder.select(condition, first, second)
            for first, second in zip(*map(rewriter.parts, values), strict=True)
        ]
        rewriter.bind(op.result, parts, op.true_value)


class LowerReinterpret(LowerBytes):
    """Reinterprets a buffer as elements of the same width, a tile in registers as elements of any
    width.
    """

    def lower(self, op: ByteArrayOp | nv_tileas.ReinterpretOp, rewriter: ThreadRewriter) -> None:
        buffer = rewriter.buffer(op.source)
        if buffer is None:
            super().lower(op, rewriter)
            return
        # A swizzle moves units of elements: in another width the bytes lie elsewhere.
        if shared_layout(op, op.result.type).element_bits != buffer.layout.element_bits:
            fail(
                op,
                f"'{op.name}' op cannot reinterpret {op.source.type} as elements of another width",
            )
        rewriter.replace(op.result, buffer)


PATTERNS: Patterns = {
    SelectOp: LowerSelect,
    nv_tileas.ReinterpretOp: LowerReinterpret,
    nv_tileas.ViewOp: LowerView,
}
