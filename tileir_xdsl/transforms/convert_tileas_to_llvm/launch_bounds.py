"""Resident blocks per multiprocessor: the hint `occupancy`, limited to what the target can run.

With `.minnctapersm`, the assembler limits registers so that this many blocks fit. The assembler
ignores a number that exceeds the multiprocessor's threads. The assembler rejects a number that
leaves fewer registers than an instruction names (C7602). So the hint is limited to what threads,
blocks, shared memory and the registers of live tiles allow, with a remark that names the limit.

Source: PTX ISA, "Performance-Tuning Directives"; CUDA C++ Programming Guide, "Compute
Capabilities".
"""

from collections.abc import Iterator
from math import prod
from operator import itemgetter

from xdsl.dialects import llvm
from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr, VectorType, i32
from xdsl.ir import Attribute

from tileir_xdsl.analysis.threads.agent_warps import (
    THREADS_PER_WARP,
    block_warps,
    kernel_warps,
    register_limit,
)
from tileir_xdsl.analysis.threads.block_sharing import wanted_blocks
from tileir_xdsl.analysis.threads.register_pressure import REGISTER_BYTES, largest_register_pressure
from tileir_xdsl.diagnostics import OCCUPANCY_REDUCED, remark
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.agents import GRANULE
from tileir_xdsl.walking import ops_in

MIN_BLOCKS_ATTRIBUTE = "nvvm.minctasm"

LEAST_OTHER_REGISTERS = 16
"""The registers of a thread besides tiles: stack pointer, addresses, an index, temporaries.
"""

REGISTERS_BESIDES_OPERANDS = 26
"""The registers that ptxas needs besides a `wgmma`'s operands; 18 suffice for `tcgen05.ld`.

Source: C7602 says "Try to compile with register target of 90 or higher" for 64 accumulators.
"""

Bound = tuple[int, str]
"""The most blocks, and the resource that limits them."""


def bound_occupancy(
    source: nv_tileaa.FuncOp, function: llvm.FuncOp, shared_bytes: int, target: Target
) -> None:
    """Sets the resident blocks per multiprocessor, at most as many as the hint requests.

    Args:
        source: the kernel, before its tiles are lowered.
        function: its lowering, whose attribute is set; other functions are unchanged.
        shared_bytes: the shared memory of a block.
        target: the limits of a multiprocessor.
    """
    wanted = wanted_blocks(source)
    # One block is what the launch attributes say already.
    if source.kernel_spec is None or wanted == 1:
        return
    fit, reason = min(_bounds(source, function, shared_bytes, target), key=itemgetter(0))
    # A remark and no error: a hint must not stop a kernel that runs without it.
    if fit < wanted:
        message = f"occupancy of {wanted} is reduced to {max(1, fit)}: {reason}"
        remark(source, OCCUPANCY_REDUCED, message)
    function.attributes[MIN_BLOCKS_ATTRIBUTE] = IntegerAttr(max(1, min(wanted, fit)), i32)


def _bounds(
    source: nv_tileaa.FuncOp, function: llvm.FuncOp, shared_bytes: int, target: Target
) -> Iterator[Bound]:
    limits, name = target.limits, target.name
    threads = block_warps(source) * THREADS_PER_WARP
    yield (
        limits.max_threads_per_multiprocessor // threads,
        f"a block has {threads} threads, a multiprocessor of {name} "
        f"{limits.max_threads_per_multiprocessor}",
    )
    yield (
        limits.max_blocks_per_multiprocessor,
        f"a multiprocessor of {name} runs {limits.max_blocks_per_multiprocessor} blocks",
    )
    taken = shared_bytes + limits.reserved_shared_memory_per_block
    yield (
        limits.shared_memory_per_multiprocessor // taken,
        f"a block takes {taken} bytes of shared memory, a multiprocessor of {name} has "
        f"{limits.shared_memory_per_multiprocessor}",
    )
    registers = _registers(source, function, target)
    yield (
        limits.registers_per_multiprocessor // (registers * threads),
        f"{threads} threads need {registers} registers each, a multiprocessor of {name} has "
        f"{limits.registers_per_multiprocessor}",
    )


def _registers(source: nv_tileaa.FuncOp, function: llvm.FuncOp, target: Target) -> int:
    """The registers of a thread: the count that agents request, or what tiles and instructions
    need.
    """
    # `setmaxnreg` deals out what the launch gives, so that number is exact.
    if (dealt := register_limit(source, target)) is not None:
        return dealt
    tiles = largest_register_pressure(source).registers
    needed = max(
        LEAST_OTHER_REGISTERS - (-tiles // (kernel_warps(source) * THREADS_PER_WARP)),
        REGISTERS_BESIDES_OPERANDS + widest_instruction(function),
    )
    # The assembler never gives a thread more; whatever else is needed is spilled.
    most = target.limits.max_registers_per_thread + 1
    return min(-(-needed // GRANULE) * GRANULE, most)


def widest_instruction(function: llvm.FuncOp) -> int:
    """The most 32-bit registers that one `nvvm` instruction reads or writes."""
    return max(
        (
            sum(_registers_of(value.type) for value in values)
            for op in ops_in(function)
            if op.dialect_name() == "nvvm"
            for values in (op.operands, op.results)
        ),
        default=0,
    )


def _registers_of(type: Attribute) -> int:
    """The number of 32-bit registers that hold a value."""
    match type:
        case llvm.LLVMStructType():
            return sum(map(_registers_of, type.types))
        case VectorType():
            return prod(type.get_shape()) * _registers_of(type.get_element_type())
        case FixedBitwidthType():
            return -(-type.size // REGISTER_BYTES)
        case _:
            # Pointers into shared memory are as wide as those into global memory.
            return 2
