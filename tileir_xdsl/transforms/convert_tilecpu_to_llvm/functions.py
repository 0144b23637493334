"""The function of a kernel: the loop over its tile blocks, its arguments, and its scalars."""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, llvm, scf, ub
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.analysis.iteration_space.affine_maps import index_map
from tileir_xdsl.analysis.iteration_space.index_maps import linearize, strides_of
from tileir_xdsl.builders.llvm_code import POINTER, LLVMCode
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, tilecpu
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType
from tileir_xdsl.dialects.tilecpu.core import ARENA_BYTES, BLOCKS_PER_TASK, DISTINCT
from tileir_xdsl.dialects.tilecpu.types import BufferType, element_bytes
from tileir_xdsl.rewriting import look_up

from .atomics import emit_atomic
from .bodies import constant_value, undefined
from .control_flow import SLOT_BYTES, emit_for, emit_if, emit_while, stop_if_asked
from .elementwise import ELEMENTWISE, llvm_element, resize_integer
from .kernel import Kernel, MemoryObject, Number, View
from .memory import from_memory, load_elements, stored_element
from .nests import emit_nest
from .pointer_accesses import emit_load, emit_store
from .whole_buffers import emit_copy, emit_copy_slice, emit_dot_op, emit_print, emit_scan

KEPT_ATTRIBUTES = (ARENA_BYTES, BLOCKS_PER_TASK, DISTINCT)

SITES = "tilecpu.sites"
"""The attribute of a function that lists the ops of faults; a fault records the index of one."""

SERIAL = "tilecpu.serial"
"""The attribute of a function whose tile blocks run one after the other, in order."""

Emitter = Callable[[Kernel, Operation], None]


def convert_function(
    function: tilecpu.FuncOp, is_checked: bool
) -> tuple[llvm.FuncOp, list[llvm.GlobalOp]]:
    """A kernel as a function that executes a range of its tile blocks, and its constants."""
    types: list[Attribute] = [POINTER, POINTER, POINTER, POINTER, i64, i64]
    code = LLVMCode(types)
    code.location = function.location
    arguments, grid, arena, context, first, last = code.arguments
    body = function.body.block
    values: dict[SSAValue, SSAValue] = {
        argument: _argument(code, arguments, number, argument.type)
        for number, argument in enumerate(body.args)
    }
    extents = [
        code.load(code.offset(grid, SLOT_BYTES * axis), i64, SLOT_BYTES) for axis in range(3)
    ]
    end = Block()
    kernel: Kernel | None = None

    def run_block(block: SSAValue, _carried: Sequence[SSAValue]) -> list[SSAValue]:
        nonlocal kernel
        row = code.add(llvm.UDivOp(block, extents[0]))
        coordinates = [
            code.add(llvm.URemOp(block, extents[0])),
            code.add(llvm.URemOp(row, extents[1])),
            code.add(llvm.UDivOp(row, extents[1])),
        ]
        kernel = Kernel(
            code, arena, context, extents, block, coordinates, end, is_checked, EMITTERS, values
        )
        kernel.name = function.sym_name.data
        stop_if_asked(kernel)
        kernel.emit_block(body)
        return []

    code.loop(first, last, code.integer(1), [], run_block)
    code.branch(end)
    code.start(end)
    code.do(llvm.ReturnOp())
    converted = llvm.FuncOp(
        function.sym_name.data,
        llvm.LLVMFunctionType(types),
        llvm.LinkageAttr("external"),
        body=code.region,
    )
    converted.location = function.location
    for name in KEPT_ATTRIBUTES:
        if name in function.attributes:
            converted.attributes[name] = function.attributes[name]
    assert kernel is not None
    if kernel.is_serial:
        converted.attributes[SERIAL] = UnitAttr()
    converted.attributes[SITES] = ArrayAttr(kernel.sites)
    return converted, list(kernel.globals.values())


def _argument(code: LLVMCode, slots: SSAValue, number: int, kind: Attribute) -> SSAValue:
    """Loads an argument of the kernel; a pointer as an address."""
    element = llvm_element(kind)
    assert element is not None, f"no arguments of type {kind}"
    pointer = code.offset(slots, SLOT_BYTES * number)
    stored = code.load(pointer, stored_element(kind), SLOT_BYTES)
    return from_memory(code, stored, kind)


def _scalar(kernel: Kernel, op: Operation) -> None:
    """Emits an op on scalars."""
    emit = look_up(ELEMENTWISE, op)
    if emit is None:
        fail(op, f"'{op.name}' op is not supported on a CPU")
    operands = [kernel.values[value] for value in op.operands]
    kernel.values[op.results[0]] = emit(kernel.code, op, *operands)


def _constant(kernel: Kernel, op: Operation) -> None:
    assert isinstance(op, arith.ConstantOp)
    kernel.values[op.result] = constant_value(kernel, op)


def _program_id(kernel: Kernel, op: Operation) -> None:
    assert isinstance(op, nv_tileaa.GetProgramIdOp)
    number = kernel.coordinates[op.axis.value.data]
    kernel.values[op.result] = kernel.code.add(llvm.TruncOp(number, i32))


def _program_count(kernel: Kernel, op: Operation) -> None:
    assert isinstance(op, nv_tileaa.GetNumProgramsOp)
    number = kernel.grid[op.axis.value.data]
    kernel.values[op.result] = kernel.code.add(llvm.TruncOp(number, i32))


def _memref(kernel: Kernel, op: Operation) -> None:
    assert isinstance(op, nv_tileaa.MakeMemRefOp)
    code, memref = kernel.code, op.result.type
    assert isinstance(memref, MemRefType)
    address = kernel.values[op.base]
    if op.offset is not None:
        offset = resize_integer(code, kernel.values[op.offset], i64, signed=True)
        address = code.plus(address, offset)
    kernel.memory_objects[op.result] = MemoryObject(
        code.add(llvm.IntToPtrOp(address)),
        _numbers(kernel, memref.get_shape(), op.sizes),
        _numbers(kernel, memref.get_strides(), op.strides),
        memref.element_type,
    )


def _numbers(
    kernel: Kernel, static: Sequence[int], dynamic: Sequence[SSAValue]
) -> tuple[Number, ...]:
    """Static and dynamic sizes or strides as numbers of 64 bits; they are unsigned."""
    given = iter(dynamic)
    return tuple(
        resize_integer(kernel.code, kernel.values[next(given)], i64, signed=False)
        if number == DYNAMIC_INDEX
        else number
        for number in static
    )


def _assume(kernel: Kernel, op: Operation) -> None:
    """Forwards the operand of an assumption, which earlier passes have used."""
    assert isinstance(op, nv_tileaa.AssumeOp)
    if op.value in kernel.memory_objects:
        kernel.memory_objects[op.result] = kernel.memory_objects[op.value]
    elif op.value in kernel.views:
        kernel.views[op.result] = kernel.views[op.value]
    else:
        kernel.values[op.result] = kernel.values[op.value]


def _block_tile(kernel: Kernel, op: Operation) -> None:
    assert isinstance(op, nv_tileaa.BlockTileOp)
    groups = op.get_dim_groups()
    if any(len(group) != 1 for group in groups):
        fail(op, "a tile dimension that joins several dimensions is not supported on a CPU")
    dims = tuple(group[0] for group in groups)
    memory = kernel.memory_objects[op.source]
    kernel.views[op.result] = View(memory, op.get_tile_sizes(), op.get_tile_strides(), dims)


def _dim_size(kernel: Kernel, op: Operation) -> None:
    assert isinstance(op, nv_tileaa.GetDimSizeOp)
    size = kernel.number(kernel.memory_objects[op.source].sizes[op.axis.value.data])
    element = op.result.type
    kernel.values[op.result] = resize_integer(kernel.code, size, element, signed=False)


def _read(kernel: Kernel, op: Operation) -> None:
    """Emits a read of a buffer's element outside of nests."""
    assert isinstance(op, tilecpu.ReadOp)
    buffer = op.buffer.type
    assert isinstance(buffer, BufferType)
    at = linearize(index_map(op.index.data, ()), strides_of(buffer.get_shape()))
    size = element_bytes(buffer.element_type)
    pointer = kernel.code.offset(kernel.buffer(op.buffer), at.constant * size)
    kernel.values[op.element] = load_elements(kernel.code, pointer, buffer.element_type, None, size)


def _load_pointer(kernel: Kernel, op: Operation) -> None:
    """Emits a load through one pointer outside of nests."""
    assert isinstance(op, tilecpu.LoadPointerOp)
    mask, other = (None if value is None else kernel.values[value] for value in (op.mask, op.other))
    kernel.values[op.element] = emit_load(kernel, op, kernel.values[op.pointer], mask, other)


def _store_pointer(kernel: Kernel, op: Operation) -> None:
    """Emits a store through one pointer outside of nests."""
    assert isinstance(op, tilecpu.StorePointerOp)
    mask = None if op.mask is None else kernel.values[op.mask]
    address, value = kernel.values[op.pointer], kernel.values[op.element]
    emit_store(kernel, op, address, value, mask)


def _atomic(kernel: Kernel, op: Operation) -> None:
    """Emits an atomic operation outside of nests."""
    assert isinstance(op, tilecpu.AtomicRMWOp | tilecpu.AtomicCASOp)
    kernel.values[op.old] = emit_atomic(kernel, op, kernel.values.__getitem__)


def _assert(kernel: Kernel, op: Operation) -> None:
    """Emits an assertion outside of nests."""
    assert isinstance(op, nv_tileaa.AssertOp)
    kernel.check_assertion(op, kernel.values[op.condition])


def _poison(kernel: Kernel, op: Operation) -> None:
    kernel.values[op.results[0]] = undefined(kernel, op)


def _nothing(kernel: Kernel, op: Operation) -> None:
    """Emits nothing, for buffers, whose users compute the address, and for the end of a kernel."""


EMITTERS: Mapping[type[Operation], Emitter] = {
    **dict.fromkeys(ELEMENTWISE, _scalar),
    arith.ConstantOp: _constant,
    nv_tileaa.AssertOp: _assert,
    nv_tileaa.AssumeOp: _assume,
    nv_tileaa.BlockTileOp: _block_tile,
    nv_tileaa.GetDimSizeOp: _dim_size,
    nv_tileaa.GetNumProgramsOp: _program_count,
    nv_tileaa.GetProgramIdOp: _program_id,
    nv_tileaa.MakeMemRefOp: _memref,
    scf.ForOp: emit_for,
    scf.IfOp: emit_if,
    scf.WhileOp: emit_while,
    tilecpu.AllocOp: _nothing,
    tilecpu.AtomicCASOp: _atomic,
    tilecpu.AtomicRMWOp: _atomic,
    tilecpu.ConstantOp: _nothing,
    tilecpu.CopyOp: emit_copy,
    tilecpu.CopySliceOp: emit_copy_slice,
    tilecpu.DotOp: emit_dot_op,
    tilecpu.LoadPointerOp: _load_pointer,
    tilecpu.NestOp: emit_nest,
    tilecpu.PrintOp: emit_print,
    tilecpu.ReadOp: _read,
    tilecpu.ReturnOp: _nothing,
    tilecpu.ScanOp: emit_scan,
    tilecpu.StorePointerOp: _store_pointer,
    ub.PoisonOp: _poison,
}
"""The emitter of each op outside of nests."""
