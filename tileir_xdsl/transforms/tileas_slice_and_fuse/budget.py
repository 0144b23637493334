"""Estimates the registers that tiles of a kernel need, before they have layouts, and those
available.
"""

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
"""Ops between a load and a dot that leave an operand in shared memory."""

MOST_OPERAND_BYTES = 2
"""The most bytes of an element in chained dots; dots of 32-bit operands are seldom asynchronous."""

SHARE, DOTS_SHARE = 0.5, 0.75
"""The share of registers for slices, without and with dots: each slice loads the other operand of a
dot again.
"""


@dataclass(frozen=True)
class Budget:
    """The 32-bit registers of a thread block, and the limits for tiles.

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
        """The registers available for tiles that are live after an op."""
        if self.chained is None or not is_among_chained_dots(op):
            return self.held
        return min(self.held, self.chained)

    def spilled_bytes(self, registers: int) -> int:
        """A lower bound on the bytes of local memory per thread for tiles that exceed the
        registers.
        """
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
    """The registers for the tiles of a kernel if a separate agent loads.

    Kernels with asynchronous dots get that agent, so their tiles must fit the remaining registers.
    None for targets without `wgmma`, such as those with tensor memory for accumulators.
    """
    if Feature.WGMMA not in target.features or function.kernel_spec is None:
        return None
    warps = function.kernel_spec.num_warps.data
    registers = agent_registers(map_units((warps, 1)), (True, False), target.limits)
    if registers is None:
        return None
    return (registers[0] - RESERVED_REGISTERS) * warps * THREADS_PER_WARP


def is_among_chained_dots(op: Operation) -> bool:
    """Whether an op is in a loop of several dots whose operands have up to 16 bits.

    In such loops accumulators of several dots are live together, as in attention.
    """
    block = op.parent_block()
    if block is None or not isinstance(block.parent_op(), scf.ForOp | scf.WhileOp):
        return False
    dots = [each for each in block.ops if isinstance(each, nv_tileaa.DotOp)]
    return len(dots) > 1 and all(
        element_bytes(tile_shape(dot.a.type).element) <= MOST_OPERAND_BYTES for dot in dots
    )


def expected_registers(target: Target) -> Callable[[SSAValue], int]:
    """A function for the fewest registers that a tile needs in any layout.

    Operands that only dots read need none, as they stay in shared memory, or are read step by step.
    Accumulators in tensor memory need none either.
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
    """Whether a use of a tile transposes it, so that neighbours change.

    Elements of less than 32 bits take separate registers until they are packed with their new
    neighbours.
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

    No matrix instruction transposes bytes, so that each takes a separate register until then.
    """
    if not isinstance(value.type, TensorType) or not is_read_by_dots(value):
        return False
    tile = tile_shape(value.type)
    if isinstance(tile.element, PointerType) or element_bytes(tile.element) != 1:
        return False
    along = contracted_dimension(value)
    return along != len(tile.shape) - 1 and tile.shape[along] > 1


def contracted_dimension(value: SSAValue) -> int:
    """The contracted dimension of a dot's operand, traced back through shape ops."""
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
    """The op at which live tiles need the most registers, counting elements in separate
    registers.
    """
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
    """The op at which live tiles need the most registers, if some tiles are divided into slices."""
    whole = expected_registers(target)

    def sliced(value: SSAValue) -> int:
        registers = whole(value)
        return -(-registers // count) if divided and value in divided else registers

    return largest_register_pressure(function, sliced if divided else whole)
