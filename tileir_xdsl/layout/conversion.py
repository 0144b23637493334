"""How to move a tile from one distributed layout to another: a plan as plain data.

In order of cost: rename registers (no instruction), shuffle inside each warp, or go through shared
memory with a scratch image that is free of bank conflicts on both sides wherever that is possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.scratch import SharedMemoryPlan, plan_shared_memory
from tileir_xdsl.layout.shuffles import ShufflePlan, places_in_one_warp, plan_shuffle

DEFAULT_MAX_SHUFFLES = 8
"""Above this many shuffles per thread a round trip through shared memory is taken instead."""


@dataclass(frozen=True)
class RenamePlan:
    """Every thread holds what it needs: target register ``i`` is source register ``sources[i]``."""

    sources: tuple[int, ...]


Plan: TypeAlias = RenamePlan | ShufflePlan | SharedMemoryPlan


def plan_conversion(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    *,
    stmatrix: bool = False,
    max_shuffles: int = DEFAULT_MAX_SHUFFLES,
) -> Plan:
    """The cheapest way to give every thread the elements of ``target``.

    Args:
        source: where the elements are.
        target: where they are wanted; places may outnumber elements on both sides.
        element_bits: bits per element; those of tf32 and the like count as the next power of two.
        stmatrix: whether the target has stmatrix.
        max_shuffles: shuffles per thread above which shared memory is used.

    Raises:
        LayoutError: the layouts differ in shape or in the number of lanes, warps or blocks, the
            source lacks elements, or elements would change blocks.
    """
    _check(source, target)
    element_bits = 1 << (element_bits - 1).bit_length()
    sources = _renamed_registers(source, target)
    if sources is not None:
        return RenamePlan(sources)
    places = places_in_one_warp(source, target, element_bits)
    if places is not None:
        shuffle = plan_shuffle(places, element_bits)
        if shuffle is not None and shuffle.shuffles <= max_shuffles:
            return shuffle
    return plan_shared_memory(
        source, target, element_bits, stmatrix=stmatrix, crosses_warps=places is None
    )


def _check(source: LinearLayout, target: LinearLayout) -> None:
    if source.shape != target.shape:
        raise LayoutError(f"cannot convert a tile of shape {source.shape} to {target.shape}")
    for name in ("lanes", "warps", "blocks"):
        held, wanted = getattr(source, name), getattr(target, name)
        if held != wanted:
            raise LayoutError(f"cannot convert a layout of {held} {name} to one of {wanted}")
    if source.block != target.block or not _stays_in_blocks(source, target):
        raise LayoutError("cannot move elements between the blocks of a cluster")
    if not source.is_surjective:
        raise LayoutError("the source of a conversion must hold every element")


def _stays_in_blocks(source: LinearLayout, target: LinearLayout) -> bool:
    """Whether each block of the source holds all that the same block of the target wants."""
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
