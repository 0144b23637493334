"""Plans that move a tile from one distributed layout to another.

The cheapest plan of three kinds is chosen: renamed registers (no instruction), shuffles inside each
warp, or a round trip through shared memory. The scratch layout is free of bank conflicts for stores
and loads wherever possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import inf
from typing import TypeAlias

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.scratch import SharedMemoryPlan, plan_shared_memory
from tileir_xdsl.layout.shuffles import ShufflePlan, plan_shuffle, positions_in_one_warp

DEFAULT_MAX_SHUFFLES = 8
"""Above this many shuffles per thread a round trip through shared memory is chosen instead."""
BARRIER_COST = 12
"""The cost of a round trip's barrier, in instructions of a warp."""
LEAST_ROUND_TRIP = BARRIER_COST + 4
"""The cost of a store and a load of one wavefront each."""


class ConversionStrategy(StrEnum):
    """The kind of a plan between two distributed layouts."""

    REGISTERS = "registers"
    SHUFFLE = "shuffle"
    SHARED_MEMORY = "shared_memory"


@dataclass(frozen=True)
class RenamePlan:
    """Every thread already holds its elements: target register ``i`` is source register
    ``sources[i]``.
    """

    sources: tuple[int, ...]


Plan: TypeAlias = RenamePlan | ShufflePlan | SharedMemoryPlan

_STRATEGIES: dict[type[Plan], ConversionStrategy] = {
    RenamePlan: ConversionStrategy.REGISTERS,
    ShufflePlan: ConversionStrategy.SHUFFLE,
    SharedMemoryPlan: ConversionStrategy.SHARED_MEMORY,
}


def strategy_of(plan: Plan) -> ConversionStrategy:
    """The kind of a plan."""
    return _STRATEGIES[type(plan)]


def plan_cost(plan: Plan, source: LinearLayout) -> int:
    """The cost of a plan for a warp: its instructions, and the wavefronts of the data they move.

    A shuffle moves a word per lane, like a wavefront of shared memory.
    """
    match plan:
        case RenamePlan():
            return 0
        case ShufflePlan():
            return 2 * plan.shuffles + plan.selects(source.registers)
        case SharedMemoryPlan():
            return plan.cost + BARRIER_COST


def conversion_plans(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    *,
    stmatrix: bool = False,
    max_shuffles: int = DEFAULT_MAX_SHUFFLES,
) -> tuple[Plan, ...]:
    """The plans that move the elements of ``target`` to every thread, the cheapest first.

    Args:
        source: where the elements are.
        target: where they are wanted; places may outnumber elements on both sides.
        element_bits: bits per element; those of tf32 and the like count as the next power of two.
        stmatrix: whether the target has stmatrix.
        max_shuffles: shuffles per thread above which they are not used.

    Raises:
        LayoutError: the layouts differ in shape or in the number of lanes, warps or blocks, the
            source lacks elements, or elements would change blocks.
    """
    plans = _plans(source, target, element_bits, stmatrix, max_shuffles)
    return tuple(sorted(plans, key=lambda plan: plan_cost(plan, source)))


@lru_cache(maxsize=1024)
def plan_conversion(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    *,
    stmatrix: bool = False,
    max_shuffles: int = DEFAULT_MAX_SHUFFLES,
) -> Plan:
    """The first of `conversion_plans`, with the same arguments and errors."""
    found: list[Plan] = []
    for plan in _plans(source, target, element_bits, stmatrix, max_shuffles):
        if plan_cost(plan, source) <= LEAST_ROUND_TRIP:
            return plan
        found.append(plan)
    return min(found, key=lambda plan: plan_cost(plan, source))


@lru_cache(maxsize=1024)
def plan_by(
    strategy: ConversionStrategy,
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    *,
    stmatrix: bool = False,
) -> Plan:
    """The plan of one kind, whatever it costs; arguments and errors as of `conversion_plans`.

    Raises:
        LayoutError: also where this way leads nowhere.
    """
    # Mostly the cheapest is asked for, which is known already.
    cheapest = plan_conversion(source, target, element_bits, stmatrix=stmatrix)
    if strategy_of(cheapest) is strategy:
        return cheapest
    for plan in _plans(source, target, element_bits, stmatrix, inf):
        if strategy_of(plan) is strategy:
            return plan
    raise LayoutError(f"cannot convert between these layouts by {strategy.replace('_', ' ')}")


def _plans(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    stmatrix: bool,
    max_shuffles: float,
) -> Iterator[Plan]:
    """All possible plans; the round trip through shared memory is last."""
    _check(source, target)
    element_bits = 1 << (element_bits - 1).bit_length()
    sources = _renamed_registers(source, target)
    if sources is not None:
        yield RenamePlan(sources)
    positions = positions_in_one_warp(source, target, element_bits)
    if positions is not None:
        shuffle = plan_shuffle(positions, element_bits)
        if shuffle is not None and shuffle.shuffles <= max_shuffles:
            yield shuffle
    yield plan_shared_memory(
        source, target, element_bits, stmatrix=stmatrix, crosses_warps=positions is None
    )


def _check(source: LinearLayout, target: LinearLayout) -> None:
    if source.shape != target.shape:
        raise LayoutError(
            f"cannot convert a tile of shape {source.shape} to one of shape {target.shape}"
        )
    for name in ("lanes", "warps", "blocks"):
        held, wanted = getattr(source, name), getattr(target, name)
        if held != wanted:
            raise LayoutError(f"cannot convert a layout of {held} {name} to one of {wanted}")
    if source.block != target.block or not _stays_in_blocks(source, target):
        raise LayoutError("cannot move elements between the blocks of a cluster")
    if not source.is_surjective:
        raise LayoutError("the source layout of a conversion must hold every element of the tile")


def _stays_in_blocks(source: LinearLayout, target: LinearLayout) -> bool:
    """Whether each block of the source holds all elements of the same block of the target."""
    if not source.block:
        return True
    held = f2.Span((*source.register, *source.thread_bases()))
    return all(base in held for base in (*target.register, *target.thread_bases()))


def _renamed_registers(source: LinearLayout, target: LinearLayout) -> tuple[int, ...] | None:
    """The source register of every target register, when all threads keep their elements."""
    if source.thread_bases() != target.thread_bases():
        return None
    span = f2.Span(source.register)
    renamed: list[int] = []
    for base in target.register:
        remainder, combination = span.reduce(base)
        if remainder:
            return None
        renamed.append(combination)
    return tuple(f2.table(renamed))
