"""Conversions in rounds: each round moves a part of a tile through a small scratch buffer.

A linear function of the element's index that is zero for all lanes, warps and blocks of both
layouts depends on the register alone. Each value of these linear functions selects the registers
that one round moves. The elements of a round are a separate tile, whose index lacks one bit for
each such function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.linear import LinearLayout


@dataclass(frozen=True)
class ConversionStep:
    """The registers that one round reads and writes, in the order of `source` and `target`."""

    source: LinearLayout
    target: LinearLayout
    source_registers: tuple[int, ...]
    target_registers: tuple[int, ...]


def conversion_steps(
    source: LinearLayout, target: LinearLayout, halvings: int
) -> list[ConversionStep]:
    """The rounds of a conversion, each of which moves 1 / 2**halvings of the elements, or more.

    Rounds move more elements if too few functions of the element's index are zero for all threads;
    without any, one round moves all elements. No round moves elements that the target lacks.

    Args:
        source: where the elements are.
        target: where they are wanted.
        halvings: how often the tile should be halved.
    """
    shared = _shared_elements(source, target)
    functions = _functions(source, target, shared)[:halvings]
    pivots = sorted((function.bit_length() - 1 for function in functions), reverse=True)

    def values(bases: Sequence[int]) -> list[int]:
        return [sum(_parity(base & f) << n for n, f in enumerate(functions)) for base in bases]

    def compressed(element: int) -> int:
        """The index of an element without the bits that the functions determine."""
        for pivot in pivots:
            element = element >> pivot + 1 << pivot | element & (1 << pivot) - 1
        return element

    # Both sides begin a round at an element that one thread has on both of them.
    selected = values(shared)
    solutions = (f2.solve(selected, value) for value in range(1 << len(functions)))
    firsts = [f2.apply(shared, solution) for solution in solutions if solution is not None]

    def part(layout: LinearLayout) -> tuple[LinearLayout, list[tuple[int, ...]]]:
        """The layout of a part, and the registers of the parts in each round."""
        inside = f2.kernel(values(layout.register))
        register = tuple(compressed(f2.apply(layout.register, number)) for number in inside)
        lane, warp, block = (
            tuple(map(compressed, bases)) for bases in (layout.lane, layout.warp, layout.block)
        )
        numbers = [f2.solve(layout.register, first) or 0 for first in firsts]
        return (
            LinearLayout(register, lane, warp, block, (layout.size >> len(functions),)),
            [tuple(number ^ other for other in f2.table(inside)) for number in numbers],
        )

    if not functions:
        numbers = [tuple(range(layout.registers)) for layout in (source, target)]
        return [ConversionStep(source, target, numbers[0], numbers[1])]
    source_part, source_registers = part(source)
    target_part, target_registers = part(target)
    return [
        ConversionStep(source_part, target_part, *registers)
        for registers in zip(source_registers, target_registers, strict=True)
    ]


def _parity(vector: int) -> int:
    return vector.bit_count() % 2


def _shared_elements(source: LinearLayout, target: LinearLayout) -> list[int]:
    """A basis of the elements that a thread's registers hold in both layouts."""
    mask = source.registers - 1
    relations = f2.kernel((*source.register, *target.register))
    return f2.independent(f2.apply(source.register, relation & mask) for relation in relations)


def _functions(source: LinearLayout, target: LinearLayout, shared: Sequence[int]) -> list[int]:
    """Functions that are zero for all threads, as masks of bits, linearly independent on `shared`.

    The highest bit of each function is in no other function, so a function's value and the other
    bits determine it. Functions of high bits come first, so that one round moves neighbours in
    memory.
    """
    threads = [*source.thread_bases(), *source.block, *target.thread_bases(), *target.block]
    bits = source.size.bit_length() - 1
    # Bit n of column i: whether thread base n has index bit i.
    columns = [sum((base >> i & 1) << n for n, base in enumerate(threads)) for i in range(bits)]
    found: list[int] = []
    span = f2.Span()
    for function in _reduced(f2.kernel(columns)):
        if span.add(sum(_parity(function & v) << n for n, v in enumerate(shared))):
            found.append(function)
    return found


def _reduced(functions: Sequence[int]) -> list[int]:
    """A reduced basis of the functions' span: highest bits decrease, each in one function only."""
    found: list[int] = []
    for function in sorted(functions, reverse=True):
        for other in sorted(found, reverse=True):
            function = min(function, function ^ other)
        if function:
            pivot = 1 << function.bit_length() - 1
            found = [other ^ function if other & pivot else other for other in found]
            found.append(function)
    return sorted(found, reverse=True)
