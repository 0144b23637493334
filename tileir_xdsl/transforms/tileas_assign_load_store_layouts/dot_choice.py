"""The strategy of each dot of a function: which warps compute which part of it.

The cost of a strategy is the registers of its operands and the transactions that load them. Further
uses of the result count as well: reductions, and dots with the result as operand A. Uses that make
warps wait for each other cost more, since these warps cannot overlap dots with other work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.access.copy_costs import (
    FREE,
    MEETING_WAVEFRONTS,
    TRANSACTIONS_PER_WAVEFRONT,
    CopyCost,
    conversion_cost,
    fragment_registers,
    shared_transactions,
    tile_rows,
)
from tileir_xdsl.analysis.layouts.dot_layouts import IN_TENSOR_MEMORY, DotLayouts
from tileir_xdsl.analysis.layouts.groups import LayoutGroups, is_tile
from tileir_xdsl.analysis.layouts.tile_uses import along, reduction_cost
from tileir_xdsl.analysis.layouts.uses import (
    shape_of_dot,
    share_of_step,
    stored_bits,
    strategies_of,
)
from tileir_xdsl.analysis.regions.scopes import scope_of
from tileir_xdsl.analysis.threads.block_sharing import wanted_blocks
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.collectives import ReductionOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.interfaces import ContractionOpInterface
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout, default_shared_layout
from tileir_xdsl.layout.tensor_memory import COLUMNS, ELEMENTS_OF_COLUMN, tile_columns
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind


@dataclass(frozen=True)
class DotChoice:
    """The strategy of a dot, and the cost of every strategy, by name."""

    chosen: DotLayouts
    costs: Mapping[str, CopyCost]
    pruned: Mapping[str, str]
    """The reason why a strategy is impossible, by name."""


def choose_strategies(
    ops: Sequence[Operation],
    groups: LayoutGroups,
    target: Target,
    warps: int,
    forced: Mapping[Operation, str],
) -> dict[Operation, DotChoice]:
    """The cheapest strategy for every dot, or the forced one."""
    mmas = [op for op in ops if isinstance(op, ContractionOpInterface)]
    if not mmas:
        return {}
    strategies = {op: strategies_of(op, target, warps) for op in mmas}
    columns, blocks = _accumulator_columns(mmas), _blocks_of(mmas[0])
    takers: dict[SSAValue, list[ContractionOpInterface]] = {}
    for op in mmas:
        if is_tile(op.a):
            takers.setdefault(groups.of(op.a), []).append(op)
    reductions: dict[SSAValue, list[int]] = {}
    for op in ops:
        if isinstance(op, ReductionOp) and is_tile(op.inputs[0]):
            reductions.setdefault(groups.of(op.inputs[0]), []).append(op.axis.value.data)
    choices: dict[Operation, DotChoice] = {}
    accumulators: dict[SSAValue, DotLayouts] = {}
    for op in mmas:
        pruned = _without_columns(op, strategies[op], columns, blocks)
        # An unknown name is reported later, with all existing candidates; a forced strategy is used
        # regardless of its needs.
        allowed = [s for s in strategies[op] if forced.get(op) == s.name] or [
            s for s in strategies[op] if s.name not in pruned
        ]
        group = groups.of(_result_of(op))
        consumers = [strategies[taker] for taker in takers.get(group, ())]
        axes = reductions.get(group, [])
        # The result of an earlier MMA as operand A: its layout is decided already.
        known = accumulators.get(groups.of(op.a)) if is_tile(op.a) else None

        costs = {
            s.name: _operands_cost(op, s, known) + _result_cost(op, s, consumers, axes)
            for s in strategies[op]
        }
        orders = {name: cost.order(target.cost_weights) for name, cost in costs.items()}
        names = [s.name for s in allowed]
        chosen = allowed[names.index(min(names, key=orders.__getitem__))]
        choices[op] = DotChoice(chosen, costs, pruned)
        if chosen.name.endswith(IN_TENSOR_MEMORY):
            columns += _operand_columns(op)
        # MMAs on one accumulator share its layout: the first one decides.
        accumulators.setdefault(group, chosen)
    return choices


def _blocks_of(op: ContractionOpInterface) -> int:
    """How many thread blocks should fit on a multiprocessor at once."""
    function = scope_of(op)
    return wanted_blocks(function) if isinstance(function, nv_tileaa.FuncOp) else 1


def _result_of(op: ContractionOpInterface) -> SSAValue:
    """The result tile of a dot; for an asynchronous dot, the result of the wait."""
    result = op.results[0]
    if op.IS_ASYNCHRONOUS:
        waits = (use.operation for use in result.uses)
        for wait in waits:
            if isinstance(wait, nv_tileas.FutureWaitOp):
                return wait.results[0]
    return result


def _operands_cost(
    op: ContractionOpInterface, strategy: DotLayouts, known: DotLayouts | None
) -> CopyCost:
    """The cost of all operands in registers, and of moving A and B from shared memory or from a
    result.
    """
    total = CopyCost(registers=fragment_registers(strategy.accumulator, stored_bits(op.c.type)))
    for operand, accepted in ((op.a, strategy.a), (op.b, strategy.b)):
        layout = accepted[0]
        bits = stored_bits(operand.type)
        source = known.accumulator if operand is op.a and known is not None else None
        # Operands that the instruction reads from shared memory take no registers and no loads, but
        # a result has to be stored there first.
        if not isinstance(layout, LinearLayout):
            if source is not None and _is_in_tensor_memory(op):
                total += _stored_cost(source, layout, bits)
            continue
        # Transactions are counted per row of the result.
        rows = tile_rows(layout.shape) / tile_rows(strategy.accumulator.shape)
        registers = fragment_registers(layout, bits)
        if source is None:
            transactions = _shared_transactions(layout, bits)
            total += CopyCost(rows * transactions, registers=registers * share_of_step(op))
        else:
            # The result of an MMA comes from registers, and may already be a fragment. On the way
            # to tensor memory it takes none besides.
            kept = 0.0 if _is_in_tensor_memory(op) else registers
            total += _exchange_cost(source, layout, bits) + CopyCost(registers=kept)
    return total


def _shared_transactions(layout: LinearLayout, bits: int) -> float:
    try:
        return shared_transactions(layout, default_shared_layout(layout.shape, bits))
    except LayoutError:
        return 0.0


def _stored_cost(source: LinearLayout, target: SharedLayout, bits: int) -> CopyCost:
    """The cost per row of storing a result to the shared memory that the instruction reads."""
    try:
        return conversion_cost(source, target, bits)
    except LayoutError:
        return FREE


def _is_in_tensor_memory(op: ContractionOpInterface) -> bool:
    """Whether the accumulator of a dot is in tensor memory."""
    atom = None if not isinstance(op, MMAOp) or op.atom is None else MMA_ATOMS.get(op.atom.data)
    return atom is not None and atom.kind is MMAKind.TENSOR_MEMORY


def _accumulator_columns(mmas: Sequence[ContractionOpInterface]) -> int:
    """The columns of all accumulators in tensor memory, as if all were live at once."""
    firsts = (mma for mma in mmas if _is_in_tensor_memory(mma) and mma.c.owner not in mmas)
    return sum(tile_columns(shape_of_dot(mma).c) for mma in firsts)


def _operand_columns(op: ContractionOpInterface) -> int:
    """The columns of A in tensor memory."""
    return tile_columns(shape_of_dot(op).a) // ELEMENTS_OF_COLUMN


def _without_columns(
    op: ContractionOpInterface, strategies: Sequence[DotLayouts], columns: int, blocks: int
) -> dict[str, str]:
    """The strategies with A in tensor memory, each with the reason if A does not fit next to other
    tiles.
    """
    needed = columns + _operand_columns(op)
    # A block allocates a power of two (PTX ISA, "tcgen05.alloc").
    if blocks << (needed - 1).bit_length() <= COLUMNS:
        return {}
    reason = f"{blocks} blocks of {needed} columns of tensor memory, there are {COLUMNS}"
    return {s.name: reason for s in strategies if s.name.endswith(IN_TENSOR_MEMORY)}


def _exchange_cost(source: LinearLayout, target: LinearLayout, bits: int) -> CopyCost:
    """The cost per row of converting a result from one layout to another."""
    try:
        cost = conversion_cost(source, target, bits)
    except LayoutError:
        return FREE
    # Renaming and shuffles make no warp wait for another.
    return cost + _meeting_cost(source) if cost.transactions else cost


def _meeting_cost(layout: LinearLayout) -> CopyCost:
    """The cost of a barrier of all warps that hold a tile."""
    return CopyCost(MEETING_WAVEFRONTS * TRANSACTIONS_PER_WAVEFRONT / tile_rows(layout.shape))


def _result_cost(
    op: ContractionOpInterface,
    strategy: DotLayouts,
    consumers: Iterable[Sequence[DotLayouts]],
    axes: Iterable[int],
) -> CopyCost:
    layout, total, bits = strategy.accumulator, FREE, stored_bits(op.a.type)
    for axis in axes:
        total += reduction_cost(layout, axis)
        # Only a reduction across warps makes them meet.
        if any(along(layout, layout.warp, axis)):
            total += _meeting_cost(layout)
    for strategies in consumers:
        operands = [other.a[0] for other in strategies]
        costs = (
            _exchange_cost(layout, operand, bits)
            for operand in operands
            if isinstance(operand, LinearLayout)
        )
        # The consumer is free to choose the strategy that fits best.
        total += min(costs, key=lambda cost: cost.transactions, default=FREE)
    return total
