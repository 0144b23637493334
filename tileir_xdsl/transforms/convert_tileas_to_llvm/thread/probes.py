"""Probes: code that stores the result registers of chosen ops of the tile program for a debugger.

A kernel with probes has a further last parameter: the address of a buffer. Every thread has a part
of the buffer. For each probed value a part holds a counter of executions, and the registers after
each of the first executions:

    part of thread t of thread block b: byte (b * threads + t) * thread_bytes
    value v in it: i64 executions, then `executions + 1` times `registers` elements

Threads of an agent are numbered from its first thread. Executions beyond the space of the buffer
overwrite the last one. An i1, or an element of less than 8 bits, is stored as a byte, a pointer as
an i64. Threads write disjoint bytes, so that probes need no synchronisation.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatTF32Type,
    IndexType,
    IntAttr,
    TensorType,
    i8,
    i64,
)
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.threads.agent_warps import THREADS_PER_WARP, block_warps
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr
from tileir_xdsl.dialects.nvvm.special_registers import (
    BlockIdXOp,
    BlockIdYOp,
    BlockIdZOp,
    GridDimXOp,
    GridDimYOp,
)
from tileir_xdsl.explain.labels import OperationLabels

from .builder import Index
from .packed_registers import element_bits, to_moved
from .program import BYTE_TYPES, REGISTER_TYPES, ThreadRewriter, register_type

BUFFER_TYPE = llvm.LLVMPointerType(IntAttr(1))
"""The type of the buffer's parameter: an address in global memory."""

PROBED_ATTRIBUTE = "nv_tileas.probed"
"""The attribute of a kernel with the offsets of the stored values.

An operand that matrix instructions read from shared memory has no registers, and is not stored.
"""

COUNTER_BYTES = 8

NUMBERS = (*REGISTER_TYPES, *BYTE_TYPES, FloatTF32Type, IndexType, PointerType)
"""Types of scalars that registers hold."""


@dataclass(frozen=True)
class ProbedValue:
    """One probed result of an op, stored from byte `offset` of a thread's part of the buffer."""

    result: OpResult
    registers: int
    element_bytes: int
    executions: int
    offset: int

    @property
    def execution_bytes(self) -> int:
        """The bytes that the registers of one execution take."""
        return self.registers * self.element_bytes

    @property
    def bytes(self) -> int:
        """The bytes of the counter and all executions, a multiple of 8."""
        stored = self.execution_bytes * (self.executions + 1)
        return COUNTER_BYTES + (stored + 7) // 8 * 8


@dataclass(frozen=True)
class Probes:
    """The probed values of a kernel, its threads, and the bytes of a thread's part of the
    buffer.
    """

    values: Mapping[SSAValue, ProbedValue]
    threads: int
    thread_bytes: int


def is_probed(value: SSAValue) -> bool:
    """Whether registers hold a value as a tile or a number, which a probe can store."""
    if isinstance(value.type, TensorType) and value.type.get_shape():
        return isinstance(value.type.encoding, LayoutAttr)
    return isinstance(tile_shape(value.type).element, NUMBERS)


def plan_probes(function: nv_tileaa.FuncOp, executions: Mapping[int, int]) -> Probes:
    """The probes of a kernel: `executions` maps the number of an op to how many executions to
    store.

    Ops are numbered as in reports, see `OperationLabels`; unknown numbers are ignored.
    """
    labels, values, offset = OperationLabels(function), dict[SSAValue, ProbedValue](), 0
    for number, count in sorted(executions.items()):
        op = labels.find(number)
        for result in () if op is None else op.results:
            if is_probed(result):
                value = values[result] = _probed_value(result, count, offset)
                offset += value.bytes
    return Probes(values, THREADS_PER_WARP * block_warps(function), offset)


def _probed_value(result: OpResult, executions: int, offset: int) -> ProbedValue:
    layout = layout_of(result.op, result)
    type = register_type(result.op, tile_shape(result.type).element)
    registers = 1 if layout is None else layout.registers
    return ProbedValue(result, registers, element_bits(type) // 8, executions, offset)


def store_probes(op: Operation, probes: Probes, buffer: SSAValue, rewriter: ThreadRewriter) -> None:
    """Stores the probed results of an op that has just been lowered.

    Results of an op with branches into its regions are stored after the last terminator in these.
    """
    results = list(op.results)
    parent, region = op.parent_op(), op.parent_region()
    if op.has_trait(IsTerminator) and parent is not None:
        last = [inner for inner in parent.regions if inner.blocks][-1]
        results = list(parent.results) if region is last else []
    for result in results:
        if result in probes.values and rewriter.is_in_registers(result):
            _note(probes.values[result], buffer)
            part = _part_of_thread(buffer, probes, rewriter)
            _store(probes.values[result], part, rewriter)


def _note(value: ProbedValue, buffer: SSAValue) -> None:
    """Adds the offset of a value to `PROBED_ATTRIBUTE` of the kernel."""
    assert isinstance(buffer, BlockArgument)
    function = buffer.block.parent_op()
    assert function is not None
    function.attributes[PROBED_ATTRIBUTE] = DenseArrayBase.from_list(
        i64, [*stored_offsets(function), value.offset]
    )


def stored_offsets(function: Operation) -> tuple[int, ...]:
    """The offsets of the values that a kernel stores."""
    noted = function.attributes.get(PROBED_ATTRIBUTE)
    return noted.get_values() if isinstance(noted, DenseArrayBase) else ()


def _store(value: ProbedValue, part: SSAValue, rewriter: ThreadRewriter) -> None:
    """Stores the registers of a value, and counts the execution."""
    builder = rewriter.builder
    counter = builder.element_pointer(part, value.offset, i8)
    # Not `compute`: each execution reads the counter anew.
    count = builder.insert(llvm.LoadOp(counter, i64, COUNTER_BYTES))
    following = builder.insert(llvm.AddOp(count, builder.integer(1, i64)))
    builder.store(counter, [following], COUNTER_BYTES, [None])
    last = builder.integer(value.executions, i64)
    slot = builder.select(builder.compare("ult", count, last), count, last)
    start = builder.element_pointer(counter, builder.multiply(slot, value.execution_bytes, i64), i8)
    registers = rewriter.registers(value.result)
    for number, register in zip(range(value.registers), registers, strict=True):
        position = COUNTER_BYTES + number * value.element_bytes
        pointer = builder.element_pointer(start, position, i8)
        builder.store(pointer, [to_moved(builder, register)], value.element_bytes, [None])


def _part_of_thread(buffer: SSAValue, probes: Probes, rewriter: ThreadRewriter) -> SSAValue:
    """The address of this thread's part of the buffer."""
    builder = rewriter.builder

    def special(op: type[Operation]) -> Index:
        return builder.zero_extend(builder.compute(op), i64)

    rows = builder.multiply(special(BlockIdZOp), special(GridDimYOp), i64)
    rows = builder.add(rows, special(BlockIdYOp), i64)
    blocks = builder.multiply(rows, special(GridDimXOp), i64)
    blocks = builder.add(blocks, special(BlockIdXOp), i64)
    threads = builder.multiply(blocks, probes.threads, i64)
    thread = builder.add(threads, builder.zero_extend(builder.thread_index(), i64), i64)
    return builder.element_pointer(buffer, builder.multiply(thread, probes.thread_bytes, i64), i8)
