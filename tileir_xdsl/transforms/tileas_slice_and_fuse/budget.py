"""Registers of the tiles of a kernel before they have layouts, and the available registers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.threads.register_pressure import (
    REGISTER_BYTES,
    RESERVED_REGISTERS,
    RegisterPressure,
    largest_register_pressure,
)
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.analysis.values.tile_division import Site
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.targets.agents import THREADS_PER_WARP, agent_registers, map_units
from tileir_xdsl.walking import ops_in

PLACED_BY_DOTS = (
    nv_tileaa.ExpandDimsOp,
    nv_tileaa.PermuteOp,
    nv_tileaa.UnpackOp,
    nv_tileaa.ViewOp,
)
"""Ops that leave an operand of a dot where it is."""

MOST_OPERAND_BYTES = 2
"""Elements of the operands of chained dots; of 32 bits they are seldom asynchronous."""

SHARE, DOTS_SHARE = 0.5, 0.75
"""The part of the registers that slices may take; of a kernel with dots more, as each slice loads
their other operand again."""


@dataclass(frozen=True)
class Budget:
    """The 32-bit registers of a thread block, and what may be taken of them.

    Attributes:
        held: all registers that its warps can have.
        goal: what slices may take: the rest is for addresses and for what is being computed.
        threads: that share them.
        chained: what tiles may take in a loop of chained asynchronous dots, beside an agent that
            loads; None where there are none.
    """

    held: int
    goal: int
    threads: int
    chained: int | None = None

    def at(self, op: Operation) -> int:
        """The registers for tiles that are live after an op."""
        if self.chained is None or not is_among_chained_dots(op):
            return self.held
        return min(self.held, self.chained)

    def spilled_bytes(self, registers: int) -> int:
        """The bytes of local memory of each thread for what exceeds the registers, at least."""
        return -(-max(0, registers - self.held) * REGISTER_BYTES // self.threads)


def budget(function: nv_tileaa.FuncOp, target: Target) -> Budget:
    """The budget of a kernel."""
    assert function.kernel_spec is not None
    threads, limits = function.kernel_spec.num_warps.data * THREADS_PER_WARP, target.limits
    most, there = limits.max_registers_per_thread, limits.registers_per_multiprocessor
    share = DOTS_SHARE if any(isinstance(op, nv_tileaa.DotOp) for op in ops_in(function)) else SHARE
    # The goal counts all 256 registers, not the 255 that can be used: tiles are powers of two.
    goal = int(min((most + 1) * threads, there) * share)
    return Budget(
        min(most * threads, there), goal, threads, registers_alongside_agents(function, target)
    )


def registers_alongside_agents(function: nv_tileaa.FuncOp, target: Target) -> int | None:
    """The registers for the tiles of a kernel where one more agent loads.

    Asynchronous dots are worth that agent: what it leaves to others must be enough for their tiles.
    None for targets without them, or with tensor memory, which has their accumulators.
    """
    if Feature.WGMMA not in target.features or function.kernel_spec is None:
        return None
    warps = function.kernel_spec.num_warps.data
    registers = agent_registers(map_units((warps, 1)), (True, False), target.limits)
    if registers is None:
        return None
    return (registers[0] - RESERVED_REGISTERS) * warps * THREADS_PER_WARP


def is_among_chained_dots(op: Operation) -> bool:
    """Whether an op is in a loop of two dots and more whose operands have up to 16 bits.

    Accumulators of one are in use next to those of another there, as in attention.
    """
    block = op.parent_block()
    if block is None or not isinstance(block.parent_op(), scf.ForOp | scf.WhileOp):
        return False
    dots = [each for each in block.ops if isinstance(each, nv_tileaa.DotOp)]
    return len(dots) > 1 and all(
        element_bytes(tile_shape(dot.a.type).element) <= MOST_OPERAND_BYTES for dot in dots
    )


def expected_registers(target: Target) -> Callable[[SSAValue], int]:
    """The registers that a tile will take at least, whatever its layout.

    Operands that only dots read stay in shared memory, or are read step by step. So do accumulators
    where there is tensor memory, except for their last use.
    """
    has_tensor_memory = Feature.TCGEN05 in target.features

    def registers(value: SSAValue) -> int:
        if not isinstance(value.type, TensorType):
            return 0
        tile = tile_shape(value.type)
        if isinstance(tile.element, PointerType) or is_read_by_dots(value):
            return 0
        if has_tensor_memory and isinstance(value.owner, nv_tileaa.DotOp):
            return 0
        return -(-prod(tile.shape) * element_bytes(tile.element) // REGISTER_BYTES)

    return registers


def is_read_by_dots(value: SSAValue) -> bool:
    """Whether all uses of a tile are as operand A or B of dots."""
    uses = list(value.uses)
    return bool(uses) and all(
        (isinstance(use.operation, nv_tileaa.DotOp) and use.index < 2)
        or (isinstance(use.operation, PLACED_BY_DOTS) and is_read_by_dots(use.operation.results[0]))
        for use in uses
    )


def is_taken_apart(value: SSAValue) -> bool:
    """Whether some use of a tile makes neighbours of elements that are none.

    Elements of less than 32 bits each take a separate register until they have their new
    neighbours. They have these at the latest between a load of single elements and a store of
    vectors.
    """
    for use in value.uses:
        permute = use.operation
        if isinstance(permute, nv_tileaa.PermuteOp) and not is_read_by_dots(permute.result):
            shape, last = tile_shape(value.type).shape, permute.get_permutation()[-1]
            if 1 in (shape[last], shape[-1]) or last == len(shape) - 1:
                continue
            return True
    return False


def is_transposed_for_dots(value: SSAValue) -> bool:
    """Whether dots read a tile of 8-bit elements along another dimension than its last.

    No matrix instruction transposes bytes: each has a dedicated register meanwhile.
    """
    if not isinstance(value.type, TensorType) or not is_read_by_dots(value):
        return False
    tile = tile_shape(value.type)
    if isinstance(tile.element, PointerType) or element_bytes(tile.element) != 1:
        return False
    along = contracted_dimension(value)
    return along != len(tile.shape) - 1 and tile.shape[along] > 1


def contracted_dimension(value: SSAValue) -> int:
    """The dimension of an operand of dots, before its shape changes, that they sum over."""
    use = next(iter(value.uses))
    op, rank = use.operation, len(tile_shape(value.type).shape)
    if isinstance(op, nv_tileaa.DotOp):
        return rank - 1 - use.index
    result = op.results[0]
    along = contracted_dimension(result)
    if isinstance(op, nv_tileaa.PermuteOp):
        return op.get_permutation()[along]
    # Views of operands change outer dimensions only.
    return max(0, rank - len(tile_shape(result.type).shape) + along)


def most_pressure(function: Operation, target: Target) -> RegisterPressure:
    """Where the tiles of a kernel take most registers, while elements are taken apart, too."""
    whole = expected_registers(target)

    def registers(value: SSAValue) -> int:
        count = whole(value)
        if (count and is_taken_apart(value)) or is_transposed_for_dots(value):
            return max(count, prod(tile_shape(value.type).shape))
        return count

    return largest_register_pressure(function, registers)


def expected_pressure(
    function: Operation,
    target: Target,
    divided: Mapping[Site, int] | None = None,
    count: int = 1,
) -> RegisterPressure:
    """Where the tiles of a kernel take most registers, if some are divided among slices."""
    whole = expected_registers(target)

    def sliced(value: SSAValue) -> int:
        registers = whole(value)
        return -(-registers // count) if divided and value in divided else registers

    return largest_register_pressure(function, sliced if divided else whole)
