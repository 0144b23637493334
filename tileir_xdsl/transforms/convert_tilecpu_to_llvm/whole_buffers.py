"""Ops on whole buffers: copies, dots and scans."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.iteration_space.index_maps import strides_of
from tileir_xdsl.builders.llvm_code import lanes_of
from tileir_xdsl.dialects import tilecpu
from tileir_xdsl.dialects.tilecpu.types import BufferType, element_bytes

from .bodies import Body, Version
from .control_flow import SLOT_BYTES
from .dots import Dot, RegisterBlock, emit_dot
from .elementwise import resize_integer
from .intrinsics import intrinsic
from .kernel import PRINT, Kernel
from .memory import load_elements, store_elements


def buffer_type(value: SSAValue) -> BufferType:
    """The type of a buffer."""
    assert isinstance(value.type, BufferType)
    return value.type


def emit_copy(kernel: Kernel, op: Operation) -> None:
    """Emits a copy of all bytes of a buffer."""
    assert isinstance(op, tilecpu.CopyOp)
    source, destination = kernel.buffer(op.source), kernel.buffer(op.destination)
    _copy_bytes(kernel, destination, source, buffer_type(op.source).byte_size)


def _copy_bytes(kernel: Kernel, to: SSAValue, source: SSAValue, size: int) -> None:
    code = kernel.code
    arguments = [to, source, code.integer(size), code.constant(0, i1)]
    code.call_intrinsic("llvm.memcpy.p0.p0.i64", arguments, None)


def emit_copy_slice(kernel: Kernel, op: Operation) -> None:
    """Emits copies of a slice's rows; an index beyond the last slice is clamped."""
    assert isinstance(op, tilecpu.CopySliceOp)
    code, (whole, part) = kernel.code, op.shapes()
    is_extraction = buffer_type(op.source).get_shape() == whole
    size = element_bytes(buffer_type(op.source).element_type)
    first = code.integer(0)
    for index, extent, step, stride in zip(op.indices, whole, part, strides_of(whole), strict=True):
        number = resize_integer(code, kernel.values[index], i64, signed=False)
        number = intrinsic(code, "umin", number, code.integer(extent // step - 1))
        first = code.plus(first, code.times(number, code.integer(step * stride)))

    def rows(dims: Sequence[int], in_whole: SSAValue, in_part: SSAValue) -> None:
        if not dims:
            places = (in_whole, in_part) if is_extraction else (in_part, in_whole)
            source, to = (
                code.offset(kernel.buffer(buffer), code.times(place, code.integer(size)))
                for buffer, place in zip((op.source, op.destination), places, strict=True)
            )
            _copy_bytes(kernel, to, source, part[-1] * size)
            return
        steps = [code.integer(strides_of(shape)[dims[0]]) for shape in (whole, part)]

        def row(index: SSAValue, _carried: Sequence[SSAValue]) -> list[SSAValue]:
            moved = (
                code.plus(at, code.times(index, step)) for at, step in zip(ats, steps, strict=True)
            )
            rows(dims[1:], *moved)
            return []

        ats = (in_whole, in_part)
        zero, one = code.integer(0), code.integer(1)
        code.loop(zero, code.integer(part[dims[0]]), one, [], row, runs=True)

    rows(range(len(part) - 1), first, code.integer(0))


def described(op: tilecpu.DotOp) -> Dot:
    """A dot as plain data."""
    a, b, accumulator = op.shapes()
    elements: list[Attribute] = [buffer_type(each).element_type for each in op.operands[:3]]
    return Dot(
        batch=accumulator[0] if len(accumulator) == 3 else 1,
        m=a[-2],
        n=b[-1],
        k=a[-1],
        a=elements[0],
        b=elements[1],
        acc=elements[2],
        is_signed=(op.unsigned_a is None, op.unsigned_b is None),
        transposed=(op.transposed_a is not None, op.transposed_b is not None),
        panels=op.panels is not None,
    )


def emit_dot_op(kernel: Kernel, op: Operation) -> None:
    """Emits a dot in register blocks."""
    assert isinstance(op, tilecpu.DotOp)
    rows, columns, lanes = op.get_register_block()
    scratch = None if op.scratch is None else kernel.buffer(op.scratch)
    operands = [kernel.buffer(value) for value in op.operands[:3]]
    block = RegisterBlock(rows, columns, lanes)
    emit_dot(kernel.code, described(op), block, operands[0], operands[1], operands[2], scratch)


def emit_print(kernel: Kernel, op: Operation) -> None:
    """Emits a call of the run time with the buffers; tile blocks print in order."""
    assert isinstance(op, tilecpu.PrintOp)
    code = kernel.code
    operands = kernel.stack(SLOT_BYTES * max(1, len(op.buffers)))
    for number, buffer in enumerate(op.buffers):
        at = code.offset(operands, SLOT_BYTES * number)
        code.store(kernel.buffer(buffer), at, SLOT_BYTES)
    types = ArrayAttr(buffer.type for buffer in op.buffers)
    site = kernel.site(op, message=op.format, operands=types)
    code.do(llvm.CallOp(PRINT, site, operands))
    kernel.is_serial = True


def emit_scan(kernel: Kernel, op: Operation) -> None:
    """Emits a scan: all intermediate combinations, from the first element to the last."""
    assert isinstance(op, tilecpu.ScanOp)
    code = kernel.code
    shape = buffer_type(op.inputs[0]).get_shape()
    axis = op.dimension.value.data
    extent, inner = shape[axis], strides_of(shape)[axis]
    elements = [buffer_type(value).element_type for value in op.inputs]
    lanes = _lanes(inner)
    zero, one = code.integer(0), code.integer(1)

    def place(outer: SSAValue, column: SSAValue, index: SSAValue) -> SSAValue:
        if op.reverse is not None:
            index = code.add(llvm.SubOp(code.integer(extent - 1), index))
        row = code.plus(code.times(outer, code.integer(extent)), index)
        return code.plus(code.times(row, code.integer(inner)), column)

    def load(at: SSAValue) -> list[SSAValue]:
        return [
            load_elements(
                code, _pointer(kernel, source, at), element, lanes, element_bytes(element)
            )
            for source, element in zip(op.inputs, elements, strict=True)
        ]

    def store(at: SSAValue, values: Sequence[SSAValue]) -> None:
        for result, element, value in zip(op.outputs, elements, values, strict=True):
            size = element_bytes(element)
            store_elements(code, value, _pointer(kernel, result, at), element, size)

    def over_columns(outer: SSAValue, column: SSAValue) -> None:
        first = load(place(outer, column, zero))
        store(place(outer, column, zero), first)

        def step(index: SSAValue, earlier: Sequence[SSAValue]) -> list[SSAValue]:
            at = place(outer, column, index)
            combined = _combined(kernel, op, [*earlier], load(at))
            store(at, combined)
            return combined

        if extent > 1:
            code.loop(one, code.integer(extent), one, first, step, runs=True)

    def over_rows(outer: SSAValue, _carried: Sequence[SSAValue]) -> list[SSAValue]:
        def columns(column: SSAValue, _carried: Sequence[SSAValue]) -> list[SSAValue]:
            over_columns(outer, column)
            return []

        code.loop(zero, code.integer(inner), code.integer(lanes or 1), [], columns, runs=True)
        return []

    count = 1
    for length in shape[:axis]:
        count *= length
    code.loop(zero, code.integer(count), one, [], over_rows, runs=True)


def _lanes(inner: int) -> int | None:
    """How many neighbouring columns one vector scans; None for one."""
    lanes = 16
    while inner % lanes:
        lanes //= 2
    return lanes if lanes > 1 else None


def _pointer(kernel: Kernel, buffer: SSAValue, at: SSAValue) -> SSAValue:
    size = element_bytes(buffer_type(buffer).element_type)
    code = kernel.code
    return code.offset(kernel.buffer(buffer), code.times(at, code.integer(size)))


def _combined(
    kernel: Kernel, op: tilecpu.ScanOp, earlier: Sequence[SSAValue], later: Sequence[SSAValue]
) -> list[SSAValue]:
    nest = tilecpu.NestOp([])
    body = Body(Version(kernel, nest, {}, True), (), lanes_of(earlier[0].type))
    block = op.body.block
    pairs = zip(earlier, later, strict=True)
    values = (each for pair in pairs for each in pair)
    body.values |= dict(zip(block.args, values, strict=True))
    last = block.last_op
    assert last is not None
    for each in block.ops:
        if each is not last:
            body.emit(each)
    return [body.vector(value) for value in last.operands]
