"""Heap memory of a tile block: allocated on the device heap, freed at the end of its IR block.

One thread calls `malloc` and broadcasts the address, and calls `free` after a barrier that follows
the last accesses. Source: CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and
Operations".
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.llvm import AddrSpaceCastOp, TrapOp
from tileir_xdsl.dialects.nv_tileaa.types import PointerType
from tileir_xdsl.dialects.scratch import ADDRESS_BYTES
from tileir_xdsl.layout.banks import access_wavefronts

from ..shared_memory.scratch import begin_scratch
from ..thread.builder import LLVMBuilder
from ..thread.device_calls import GENERIC, call, first_thread, go_on, only_where
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter

HEAP_ALIGNMENT = 16
"""The alignment in bytes of `malloc` results."""

LANE_BITS = 5


class LowerAlloca(LowerOp[nv_tileaa.AllocaOp]):
    """Allocates heap memory; traps if the heap has too little left."""

    def lower(self, op: nv_tileaa.AllocaOp, rewriter: ThreadRewriter) -> None:
        builder, block = rewriter.builder, op.parent
        assert isinstance(op.result.type, PointerType) and block is not None
        size = op.num_elements.value.data * element_bytes(op.result.type.pointee)
        # Over-aligned memory begins at an aligned offset in a larger allocation.
        alignment = max(op.alignment.value.data, HEAP_ALIGNMENT)
        # At least one byte: `malloc(0)` may return null, which is the sign of a full heap.
        length = builder.integer(max(1, size) + alignment - HEAP_ALIGNMENT, i64)
        scratch = begin_scratch(op, ADDRESS_BYTES, rewriter)
        # `malloc` in every thread would allocate once for each of them.
        after = only_where(rewriter, first_thread(rewriter))
        taken = call(rewriter, "malloc", [length], GENERIC)
        assert taken is not None
        address = builder.insert(llvm.PtrToIntOp(taken, i64))
        failed = only_where(rewriter, builder.compare("eq", address, builder.integer(0, i64)))
        # Tile IR has no null pointer to return, and to go on would write to address 0.
        builder.insert_without_result(TrapOp())
        go_on(rewriter, failed)
        builder.store(
            scratch, [address], ADDRESS_BYTES, [None], access_wavefronts((), ADDRESS_BYTES)
        )
        go_on(rewriter, after)
        # The address is in shared memory only after the first thread has stored it.
        rewriter.barrier()
        wavefronts = access_wavefronts([0] * LANE_BITS, ADDRESS_BYTES)
        (start,) = builder.load(scratch, i64, ADDRESS_BYTES, [None], None, wavefronts)
        pointer = _pointer(builder, start)
        # The pointer that `malloc` returned, not the aligned address: only that one may be freed.
        rewriter.program.held.allocations.setdefault(block, []).append(pointer)
        if alignment > HEAP_ALIGNMENT:
            last = builder.insert(llvm.AddOp(start, builder.integer(alignment - 1, i64)))
            pointer = _pointer(
                builder, builder.insert(llvm.AndOp(last, builder.integer(-alignment, i64)))
            )
        rewriter.replace(
            op.result,
            (
                builder.insert(
                    AddrSpaceCastOp(pointer, llvm.LLVMPointerType(op.result.type.address_space))
                ),
            ),
        )


def _pointer(builder: LLVMBuilder, address: SSAValue) -> SSAValue:
    return builder.insert(llvm.IntToPtrOp.build(operands=[address], result_types=[GENERIC]))


def release_allocations(terminator: Operation, rewriter: ThreadRewriter) -> None:
    """Frees the allocations of the block that this terminator ends, after all accesses to them."""
    block = terminator.parent
    if block is None or not (pointers := rewriter.program.held.allocations.pop(block, [])):
        return
    rewriter.barrier()
    after = only_where(rewriter, first_thread(rewriter))
    for pointer in pointers:
        call(rewriter, "free", [pointer], None)
    go_on(rewriter, after)


PATTERNS: Patterns = {nv_tileaa.AllocaOp: LowerAlloca}
