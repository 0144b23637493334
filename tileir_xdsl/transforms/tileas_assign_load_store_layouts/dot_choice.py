"""The strategy of each dot of a function: which warps compute which part of it.

A way costs the registers of its operands and the transactions that bring them there. What else is
done with the result counts as well: reductions, and dots that take the result as operand A.
Where that makes warps wait for each other, they cannot run apart, some multiplying while others do
something else.
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
from tileir_xdsl.analysis.layouts.dot_layouts import DotLayouts
from tileir_xdsl.analysis.layouts.groups import LayoutGroups, is_tile
from tileir_xdsl.analysis.layouts.tile_uses import along, default_shared_layout, reduction_cost
from tileir_xdsl.analysis.layouts.uses import share_of_step, stored_bits, strategies_of
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.collectives import ReductionOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.targets import Target

Dot = MMAOp | nv_tileas.WgmmaOp


@dataclass(frozen=True)
class DotChoice:
    """The strategy of a dot, and the cost of every strategy, by name."""

    chosen: DotLayouts
    costs: Mapping[str, CopyCost]


def choose_strategies(
    ops: Sequence[Operation],
    groups: LayoutGroups,
    target: Target,
    warps: int,
    forced: Mapping[Operation, str],
) -> dict[Operation, DotChoice]:
    """The cheapest strategy for every dot, or the forced one."""
    mmas = [op for op in ops if isinstance(op, MMAOp | nv_tileas.WgmmaOp)]
    strategies = {op: strategies_of(op, target, warps) for op in mmas}
    if not mmas:
        return {}
    takers: dict[SSAValue, list[Dot]] = {}
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
        # An unknown name is reported later, with all candidates that there are.
        allowed = [s for s in strategies[op] if forced.get(op, s.name) == s.name] or strategies[op]
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
        choices[op] = DotChoice(chosen, costs)
        # MMAs on one accumulator share its layout: the first one decides.
        accumulators.setdefault(group, chosen)
    return choices


def _result_of(op: Dot) -> SSAValue:
    """The result tile of a dot; that of an asynchronous one is available after a wait."""
    result = op.results[0]
    if isinstance(op, nv_tileas.AsyncDotOp):
        waits = (use.operation for use in result.uses)
        for wait in waits:
            if isinstance(wait, nv_tileas.FutureWaitOp):
                return wait.results[0]
    return result


def _operands_cost(op: Dot, strategy: DotLayouts, known: DotLayouts | None) -> CopyCost:
    """Registers of all operands, and how A and B come from shared memory, or from a result."""
    total = CopyCost(registers=fragment_registers(strategy.accumulator, stored_bits(op.c.type)))
    for operand, accepted in ((op.a, strategy.a), (op.b, strategy.b)):
        layout = accepted[0]
        # What the instruction reads from shared memory takes no registers and no loads.
        if not isinstance(layout, LinearLayout):
            continue
        bits = stored_bits(operand.type)
        source = known.accumulator if operand is op.a and known is not None else None
        # Transactions are counted per row of the result.
        rows = tile_rows(layout.shape) / tile_rows(strategy.accumulator.shape)
        registers = fragment_registers(layout, bits)
        if source is None:
            transactions = _shared_transactions(layout, bits)
            total += CopyCost(rows * transactions, registers=registers * share_of_step(op))
        else:
            # The result of an MMA comes from registers, and may already be a fragment.
            total += _exchange_cost(source, layout, bits) + CopyCost(registers=registers)
    return total


def _shared_transactions(layout: LinearLayout, bits: int) -> float:
    try:
        return shared_transactions(layout, default_shared_layout(layout.shape, bits))
    except LayoutError:
        return 0.0


def _exchange_cost(source: LinearLayout, target: LinearLayout, bits: int) -> CopyCost:
    """What it costs to bring a result from one layout to another, per row of it."""
    try:
        cost = conversion_cost(source, target, bits)
    except LayoutError:
        return FREE
    # Renaming and shuffles make no warp wait for another.
    return cost + _meeting_cost(source) if cost.transactions else cost


def _meeting_cost(layout: LinearLayout) -> CopyCost:
    """What it costs that the warps that hold a tile wait for each other."""
    return CopyCost(MEETING_WAVEFRONTS * TRANSACTIONS_PER_WAVEFRONT / tile_rows(layout.shape))


def _result_cost(
    op: Dot,
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
