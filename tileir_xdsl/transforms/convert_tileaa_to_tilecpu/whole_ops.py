"""Converts ops on whole tiles: dots, scans, and accesses through single pointers."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerType, TensorType
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.iteration_space.affine_maps import affine_map
from tileir_xdsl.analysis.iteration_space.index_maps import compose, offset
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, tilecpu
from tileir_xdsl.dialects.enumerations import Signedness
from tileir_xdsl.dialects.nv_tileaa.attributes import SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.tilecpu.decisions import PANELS, REGISTER_BLOCK, group_of
from tileir_xdsl.dialects.tilecpu.types import BufferType
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.dots import Dot, scratch_bytes

from .blocks import BlockConversion
from .nests import in_nest


def may_overwrite(buffer: SSAValue, value: SSAValue, op: Operation) -> bool:
    """Whether an op may overwrite a tile's buffer; buffers of constants are read-only."""
    return not isinstance(buffer.owner, tilecpu.ConstantOp) and dies_at(value, op)


def dies_at(value: SSAValue, op: Operation) -> bool:
    """Whether the op is the only user of the value and in the same block."""
    block = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    uses = list(value.uses)
    return block is op.parent and len(uses) == 1 and uses[0].operation is op


def _accumulator(conversion: BlockConversion, op: nv_tileaa.DotOp) -> SSAValue:
    """The buffer in which a dot accumulates, initialised with its third operand."""
    buffer = conversion.values.buffers[op.c]
    home = conversion.homes.get(op.result)
    if home is buffer or (home is None and may_overwrite(buffer, op.c, op)):
        return buffer
    target = home or conversion.alloc(op.result, op)
    conversion.add(tilecpu.CopyOp(buffer, target), op)
    return target


def _operand(conversion: BlockConversion, value: SSAValue) -> tuple[SSAValue, bool]:
    """The buffer of a dot's operand, and whether it is transposed."""
    permute = value.owner
    if isinstance(permute, nv_tileaa.PermuteOp) and group_of(permute) is None:
        return conversion.values.buffers[permute.source], True
    return conversion.values.buffers[value], False


def described(op: nv_tileaa.DotOp) -> Dot:
    """A dot as plain data."""
    shape, depth = tile_shape(op.result.type).shape, tile_shape(op.a.type).shape[-1]
    transposed = tuple(
        isinstance(value.owner, nv_tileaa.PermuteOp) and group_of(value.owner) is None
        for value in (op.a, op.b)
    )
    return Dot(
        batch=shape[0] if len(shape) == 3 else 1,
        m=shape[-2],
        n=shape[-1],
        k=depth,
        a=element_type(op.a),
        b=element_type(op.b),
        acc=element_type(op.c),
        is_signed=(_is_signed(op.signedness_a), _is_signed(op.signedness_b)),
        transposed=(transposed[0], transposed[1]),
        panels=PANELS in op.attributes,
    )


def _is_signed(signedness: SignednessAttr | None) -> bool:
    return signedness is None or signedness.data is Signedness.SIGNED


def convert_dot(conversion: BlockConversion, op: Operation) -> None:
    """Converts a dot, which accumulates in place."""
    assert isinstance(op, nv_tileaa.DotOp)
    block = op.attributes.get(REGISTER_BLOCK)
    if not isinstance(block, DenseArrayBase):
        fail(op, f"expects attribute {REGISTER_BLOCK}: first run tilecpu-group, which sets it")
    dot = described(op)
    a, is_a_transposed = _operand(conversion, op.a)
    b, is_b_transposed = _operand(conversion, op.b)
    accumulator = _accumulator(conversion, op)
    size = scratch_bytes(dot)
    scratch: SSAValue | None = None
    if size:
        alloc = tilecpu.AllocOp(BufferType([size], IntegerType(8)))
        conversion.add(alloc, op)
        scratch = alloc.buffer
    new = tilecpu.DotOp(
        a,
        b,
        accumulator,
        [int(number) for number in block.get_values()],
        scratch,
        transposed=(is_a_transposed, is_b_transposed),
        unsigned=(not dot.is_signed[0], not dot.is_signed[1]),
        panels=dot.panels,
    )
    conversion.add(new, op)
    conversion.values.buffers[op.result] = accumulator


def convert_scan(conversion: BlockConversion, op: Operation) -> None:
    """Converts a scan between buffers."""
    assert isinstance(op, nv_tileaa.ScanOp)
    inputs = [conversion.values.buffers[value] for value in op.inputs]
    outputs = [conversion.output(result, op) for result in op.outputs]
    axis = op.axis.value.data
    conversion.add(tilecpu.ScanOp(inputs, outputs, axis, op.body.clone(), op.is_reverse), op)
    conversion.values.buffers |= dict(zip(op.outputs, outputs, strict=True))


def convert_constant(conversion: BlockConversion, op: Operation) -> None:
    """Converts a constant of several values to memory of the program."""
    assert isinstance(op, arith.ConstantOp) and isinstance(op.value, DenseIntOrFPElementsAttr)
    constant = tilecpu.ConstantOp(op.value)
    conversion.add(constant, op)
    conversion.values.buffers[op.result] = constant.buffer


def convert_cat(conversion: BlockConversion, op: Operation) -> None:
    """Copies two tiles, one after the other, into a new buffer."""
    assert isinstance(op, nv_tileaa.CatOp)
    result, axis, first = conversion.output(op.result, op), op.axis.value.data, 0
    for operand in (op.lhs, op.rhs):
        shape = tile_shape(operand.type).shape
        at = in_nest(shape)
        offsets = [first if dim == axis else 0 for dim in range(len(shape))]
        nest = tilecpu.NestOp(at.extents)
        read = tilecpu.ReadOp(conversion.values.buffers[operand], affine_map(at))
        moved = compose(offset(shape, offsets), at)
        write = tilecpu.WriteOp(read.element, result, affine_map(moved))
        nest.body.block.add_ops([read, write])
        conversion.add(nest, op)
        first += shape[axis]
    conversion.values.buffers[op.result] = result


def convert_extraction(conversion: BlockConversion, op: Operation) -> None:
    """Copies a slice of a tile."""
    assert isinstance(op, nv_tileaa.ExtractSliceOp)
    buffers, result = conversion.values.buffers, conversion.output(op.result, op)
    indices = [conversion.values.scalar(index) for index in op.indices]
    conversion.add(tilecpu.CopySliceOp(buffers[op.source], result, indices), op)
    buffers[op.result] = result


def convert_insertion(conversion: BlockConversion, op: Operation) -> None:
    """Copies a tile, and then the inserted slice into the copy."""
    assert isinstance(op, nv_tileaa.InsertSliceOp)
    buffers, result = conversion.values.buffers, conversion.output(op.result, op)
    indices = [conversion.values.scalar(index) for index in op.indices]
    conversion.add(tilecpu.CopyOp(buffers[op.destination], result), op)
    conversion.add(tilecpu.CopySliceOp(buffers[op.source], result, indices), op)
    buffers[op.result] = result


def convert_load(conversion: BlockConversion, op: Operation) -> None:
    """Converts a load through one pointer."""
    assert isinstance(op, nv_tileaa.LoadOp)
    values = conversion.values
    load = tilecpu.LoadPointerOp(
        values.scalar(op.pointers),
        None if op.mask is None else values.scalar(op.mask),
        None if op.other is None else values.scalar(op.other),
        op.mem_semantic,
    )
    conversion.add(load, op)
    values.scalars[op.value] = load.element


def convert_atomic(conversion: BlockConversion, op: Operation) -> None:
    """Converts an atomic operation through one pointer."""
    assert isinstance(op, nv_tileaa.AtomicRMWOp | nv_tileaa.AtomicCASOp)
    scalar = conversion.values.scalar
    mask = None if op.mask is None else scalar(op.mask)
    pointer = scalar(op.pointers)
    if isinstance(op, nv_tileaa.AtomicRMWOp):
        atomic = tilecpu.AtomicRMWOp(pointer, scalar(op.value), mask, op.rmw_mode, op.mem_semantic)
    else:
        compare, replacement = scalar(op.compare), scalar(op.replacement)
        atomic = tilecpu.AtomicCASOp(pointer, compare, replacement, mask, op.mem_semantic)
    conversion.add(atomic, op)
    conversion.values.scalars[op.old] = atomic.old


def convert_assert(conversion: BlockConversion, op: Operation) -> None:
    """Converts an assertion of one condition."""
    assert isinstance(op, nv_tileaa.AssertOp)
    condition = conversion.values.scalar(op.condition)
    conversion.add(nv_tileaa.AssertOp(condition, op.message.data), op)


def convert_print(conversion: BlockConversion, op: Operation) -> None:
    """Converts a print of tiles in buffers, and of scalars, which get buffers."""
    assert isinstance(op, nv_tileaa.PrintOp)
    buffers = [_in_buffer(conversion, value, op) for value in op.args]
    conversion.add(tilecpu.PrintOp(op.format, buffers), op)


def _in_buffer(conversion: BlockConversion, value: SSAValue, op: Operation) -> SSAValue:
    if isinstance(value.type, TensorType):
        return conversion.values.buffers[value]
    buffer = conversion.alloc(value, op)
    nest, element = tilecpu.NestOp(()), conversion.values.scalar(value)
    nest.body.block.add_op(tilecpu.WriteOp(element, buffer, affine_map(in_nest(()))))
    conversion.add(nest, op)
    return buffer


def convert_store(conversion: BlockConversion, op: Operation) -> None:
    """Converts a store through one pointer."""
    assert isinstance(op, nv_tileaa.StoreOp)
    values = conversion.values
    mask = None if op.mask is None else values.scalar(op.mask)
    element, pointer = values.scalar(op.value), values.scalar(op.pointers)
    conversion.add(tilecpu.StorePointerOp(element, pointer, mask, op.mem_semantic), op)
