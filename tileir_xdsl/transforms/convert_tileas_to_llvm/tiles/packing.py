"""`pack`, `unpack` and `reinterpret`: the bits of a tile read as elements of another width.

First, a layout conversion moves the source elements whose bits a thread's results contain to that
thread. Then bits are shifted within registers.
"""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i1, i8, i32
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.analysis.layouts.exchanges import layout_of_wholes
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.layouts.transfer import reindexing_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.constraints import memory_bits
from tileir_xdsl.dialects.nv_tileaa.conversions import ByteArrayOp
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.reindexing import Reindexing, carry_layout

from ..arithmetic.four_bits import HALF_BITS, join_byte, low_half
from ..shared_memory.layout_conversions import convert_registers
from ..thread.builder import Index, LLVMBuilder
from ..thread.elementwise import element_of
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_type
from ..thread.thread_maps import exclusive_or, thread_map


def _integer(builder: LLVMBuilder, value: SSAValue, bits: int) -> SSAValue:
    """The bits of an element as an integer of at least a byte."""
    # LLVM's i1 has no bits in memory; a byte does.
    if value.type == i1:
        return builder.insert(llvm.ZExtOp(value, i8))
    type = IntegerType(max(bits, 8))
    return value if value.type == type else builder.insert(llvm.BitcastOp(value, type))


def _element(builder: LLVMBuilder, value: SSAValue, type: Attribute, bits: int) -> SSAValue:
    """An element of a register type from the low bits of an integer."""
    held = value.type
    assert isinstance(held, IntegerType)
    integer = IntegerType(1 if type == i1 else max(bits, 8))
    if held.width.data > integer.width.data:
        value = builder.insert(llvm.TruncOp(value, integer))
    if 1 < bits < 8:
        assert bits == HALF_BITS
        value = low_half(builder, value)
    return value if value.type == type else builder.insert(llvm.BitcastOp(value, type))


def _joined(
    builder: LLVMBuilder, parts: Sequence[SSAValue], part_bits: int, type: IntegerType
) -> SSAValue:
    """Concatenates integers into a wider one, the first in the low bits."""
    if part_bits == HALF_BITS:
        halves = zip(parts[::2], parts[1::2], strict=True)
        parts, part_bits = [join_byte(builder, low, high) for low, high in halves], 8
    total: SSAValue | None = None
    for position, part in enumerate(parts):
        if part.type != type:
            part = builder.insert(llvm.ZExtOp(part, type))
        if position:
            amount = builder.integer(position * part_bits, type)
            part = builder.insert(llvm.ShlOp(part, amount))
        total = part if total is None else builder.insert(llvm.OrOp(total, part))
    assert total is not None
    return total


def _shifted(builder: LLVMBuilder, value: SSAValue, part: Index, part_bits: int) -> SSAValue:
    """An integer shifted right, so that its part number `part` is in the low bits."""
    type = value.type
    assert isinstance(type, IntegerType)
    amount = builder.multiply(part, part_bits, i32)
    if amount == 0:
        return value
    if isinstance(amount, SSAValue):
        resize = builder.truncate if type.width.data < 32 else builder.zero_extend
        # `llvm.lshr` takes the amount in the type of the value.
        amount = resize(amount, type)
    return builder.insert(llvm.LShrOp(value, builder.integer(amount, type)))


class LowerBytes(LowerOp[ByteArrayOp | nv_tileas.ReinterpretOp]):
    """Lowers conversions between a tile and its bytes, or elements of any other type."""

    def lower(self, op: ByteArrayOp | nv_tileas.ReinterpretOp, rewriter: ThreadRewriter) -> None:
        source, result = layout_of(op, op.source), layout_of(op, op.result)
        assert source is not None and result is not None
        change = reindexing_of(op)
        if change is None:
            fail(op, f"'{op.name}' op does not support a source of type {op.source.type}")
        from_bits, to_bits = (memory_bits(element_of(value)) for value in (op.source, op.result))
        type = register_type(op, element_of(op.result))
        builder, values = rewriter.builder, rewriter.registers(op.source)
        # A thread needs the wide elements that its parts are of, not those it happens to hold.
        if from_bits > to_bits:
            wholes = layout_of_wholes(change, result)
            values = convert_registers(op, values, source, wholes, rewriter)
            integers = [_integer(builder, value, from_bits) for value in values]
            cut = _cut(builder, integers, change, result, to_bits)
            rewriter.replace(
                op.result, tuple(_element(builder, value, type, to_bits) for value in cut)
            )
            return
        needed = carry_layout(change.inverse(), result)
        assert needed is not None
        values = convert_registers(op, values, source, needed, rewriter)
        integers = [_integer(builder, value, from_bits) for value in values]
        count = to_bits // from_bits
        whole = IntegerType(to_bits)
        rewriter.replace(
            op.result,
            tuple(
                _element(
                    builder,
                    _joined(builder, integers[first : first + count], from_bits, whole),
                    type,
                    to_bits,
                )
                for first in range(0, len(integers), count)
            ),
        )


def _cut(
    builder: LLVMBuilder,
    wholes: Sequence[SSAValue],
    change: Reindexing,
    result: LinearLayout,
    part_bits: int,
) -> list[SSAValue]:
    """For every register of the result, an integer whose low bits are the register's part of a wide
    element.
    """
    parts, back = change.gained_bits, change.inverse()
    thread_part = thread_map(builder, [base & parts for base in result.thread_bases()])
    kept = [bit for bit, base in enumerate(result.register) if back.carry(base)]
    cut: list[SSAValue] = []
    for register, element in enumerate(result.register_elements()):
        number = sum((register >> bit & 1) << position for position, bit in enumerate(kept))
        part = exclusive_or(builder, thread_part, element & parts)
        cut.append(_shifted(builder, wholes[number], part, part_bits))
    return cut


PATTERNS: Patterns = {
    nv_tileaa.PackOp: LowerBytes,
    nv_tileaa.UnpackOp: LowerBytes,
}
