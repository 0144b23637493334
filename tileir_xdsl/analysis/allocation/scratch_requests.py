"""The scratch shared memory that ops use while they are executed.

Elements that move between threads without shuffles go through scratch memory. Scratch memory also
holds results of atomic operations, counters of histograms and values that one thread prints. The
types, the layouts and the strategies of an op determine its scratch memory. Allocation and code
generation both call `scratch_uses`. An op uses its scratch memory for one purpose after the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NoReturn, TypeGuard

from xdsl.ir import Operation

from tileir_xdsl.analysis.allocation.scratch_uses import Exchange, ScratchUse, stated_uses
from tileir_xdsl.diagnostics import Excess, Resource, exceed, fail
from tileir_xdsl.dialects.nv_tileas.allocations import steps_of
from tileir_xdsl.dialects.nv_tileas.strategies import EXCHANGES, exchanges_of
from tileir_xdsl.dialects.scratch import Staging
from tileir_xdsl.layout.conversion import ConversionStrategy, Plan, plan_by, plan_conversion
from tileir_xdsl.layout.conversion_steps import ConversionStep, conversion_steps
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.scratch import SharedMemoryPlan
from tileir_xdsl.targets import Feature, Target

# The strategies of exchanges.


def scratch_uses(op: Operation) -> Iterator[ScratchUse]:
    """The uses that an op has for scratch memory, by its strategies.

    Raises:
        PassFailedException: the op has strategies for another number of exchanges.
    """
    given = exchanges_of(op)
    if given is None:
        yield from stated_uses(op)
        return
    strategies = iter(given)
    for use in stated_uses(op):
        if not moves_elements(use):
            yield use
            continue
        if (plan := next(strategies, None)) is None:
            refuse_number(op, len(given))
        yield replace(use, strategy=plan.strategy)
    if next(strategies, None) is not None:
        refuse_number(op, len(given))


def moves_elements(use: ScratchUse) -> TypeGuard[Exchange]:
    """Whether a use is an exchange between different layouts, for which there are strategies."""
    return isinstance(use, Exchange) and use.source != use.target


def refuse_number(op: Operation, given: int) -> NoReturn:
    """Raises `PassFailedException`: there are not as many strategies as exchanges."""
    count = sum(map(moves_elements, stated_uses(op)))
    fail(
        op,
        f"'{op.name}' op expects {count} strategies, one for each exchange between "
        f"different layouts, but got {given}",
    )


def strategy_between(
    op: Operation, source: LinearLayout, target: LinearLayout, element_bits: int
) -> ConversionStrategy | None:
    """The strategy of one exchange of an op; None where the op has no attribute for it."""
    # Most ops have no other exchanges than those that their types ask for.
    if EXCHANGES not in op.attributes:
        return None
    wanted = (source, target, element_bits)
    for use in scratch_uses(op):
        if isinstance(use, Exchange) and (use.source, use.target, use.element_bits) == wanted:
            return use.strategy
    return None


# The bytes of a use.


def plan_of(exchange: Exchange, target: Target) -> Plan:
    """The plan by which a tile is converted from one layout to the other.

    Raises:
        LayoutError: as `plan_conversion` and `plan_by` do.
    """
    given = (exchange.source, exchange.target, exchange.element_bits)
    stmatrix = Feature.STMATRIX in target.features
    if exchange.strategy is None:
        return plan_conversion(*given, stmatrix=stmatrix)
    return plan_by(exchange.strategy, *given, stmatrix=stmatrix)


def halvings_for(size: int, room: int) -> int:
    """How often a tile of `size` bytes is halved so that a part fits into `room` bytes."""
    return (-(-size // max(1, room)) - 1).bit_length()


def scratch_bytes(op: Operation, target: Target, steps: Sequence[int] | None = None) -> int:
    """The most bytes of scratch memory that an op uses at once; 0 where it needs none.

    Its exchanges take `steps` steps each, by default the numbers in the op's attribute.

    Raises:
        PassFailedException: not even the smallest slices fit, or layouts cannot be converted.
    """
    if steps is None:
        steps = steps_of(op)
    uses = list(scratch_uses(op))
    divided = sum(map(goes_in_steps, uses))
    if steps is not None and len(steps) != divided:
        fail(
            op,
            f"'{op.name}' op expects {divided} numbers of steps, one for each exchange "
            f"or staged tile, but got {len(steps)}",
        )
    numbers = iter(steps or (1,) * divided)
    sizes = (_bytes_in(op, use, target, next(numbers) if goes_in_steps(use) else 1) for use in uses)
    return max(sizes, default=0)


def goes_in_steps(use: ScratchUse) -> bool:
    """Whether a use of scratch memory may be made smaller, in exchange for several steps."""
    return isinstance(use, Exchange) or use.unit is not None


def windows_of(op: Operation, number: int = 0, *, is_beside: bool = False) -> int:
    """The number of windows in which an op stages a tile through its scratch memory.

    Args:
        op: the op.
        number: that of the tile among those that it stages one after the other.
        is_beside: whether it is the second of two that are in memory together.
    """
    # Most ops have room for all of it.
    if (steps := steps_of(op)) is None:
        return 1
    divided = (use for use in scratch_uses(op) if goes_in_steps(use))
    pairs = zip(divided, steps, strict=False)
    staged = [use.windows(count)[is_beside] for use, count in pairs if isinstance(use, Staging)]
    return staged[number] if number < len(staged) else 1


def steps_within(op: Operation, target: Target, room: int) -> tuple[int, ...]:
    """The number of steps for each exchange or staged tile of an op, chosen so that the op needs at
    most `room` bytes.

    Raises:
        PassFailedException: not even the smallest slices fit, or layouts cannot be converted.
    """
    uses = scratch_uses(op)
    return tuple(_fewest(op, use, target, room) for use in uses if goes_in_steps(use))


def steps_between(
    op: Operation, source: LinearLayout, target: LinearLayout, element_bits: int
) -> int:
    """The number of steps that one exchange of an op takes."""
    # Most ops have room for all of it.
    if (steps := steps_of(op)) is None:
        return 1
    wanted = (source, target, element_bits)
    divided = (use for use in scratch_uses(op) if goes_in_steps(use))
    for use, number in zip(divided, steps, strict=False):
        if isinstance(use, Exchange) and (use.source, use.target, use.element_bits) == wanted:
            return number
    return 1


def slices(exchange: Exchange, steps: int) -> Sequence[ConversionStep]:
    """The parts that an exchange moves in turn; empty where there are fewer parts than `steps`.

    If the result is empty, elements are halved, and each half takes half as many steps.
    """
    found = conversion_steps(exchange.source, exchange.target, steps.bit_length() - 1)
    return found if len(found) == steps else ()


def _fewest(op: Operation, use: ScratchUse, target: Target, room: int) -> int:
    size = _bytes_in(op, use, target, 1)
    if size <= room:
        return 1
    steps = 1 << halvings_for(size, room)
    while _bytes_in(op, use, target, steps, room) > room:
        steps *= 2
    return steps


def _bytes_in(
    op: Operation, use: ScratchUse, target: Target, steps: int, room: int | None = None
) -> int:
    """The bytes of scratch memory for a use that takes this number of steps."""
    if isinstance(use, Staging):
        return _bytes_of_window(op, use, target, steps, room)
    if use.source == use.target and use.strategy is None:
        return 0
    try:
        plan = plan_of(use, target)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    if not isinstance(plan, SharedMemoryPlan):
        return 0
    if steps == 1:
        return plan.addresses.bytes
    bits = use.element_bits
    if parts := slices(use, steps):
        each = (Exchange(part.source, part.target, bits) for part in parts)
        return max(_bytes_in(op, part, target, 1) for part in each)
    if bits <= 8:
        refuse_exchange(op, use.source, target, plan.addresses.bytes if room is None else room)
    return _bytes_in(op, Exchange(use.source, use.target, bits // 2), target, steps // 2, room)


def _bytes_of_window(
    op: Operation, use: Staging, target: Target, steps: int, room: int | None
) -> int:
    size, unit = use.bytes_in(steps), use.unit
    first, second = use.windows(steps)
    if steps > 1 and unit is not None and max(use.bytes // first, use.beside // second) < unit:
        limit = target.limits.shared_memory_per_block
        message = f"'{op.name}' op needs {size} bytes of shared memory for an element"
        exceed(
            op,
            f"{message}, {target.name} has {limit}, and {room or 0} are free",
            Excess(Resource.SHARED_MEMORY, size, room or 0),
        )
    return size


def refuse_exchange(op: Operation, source: LinearLayout, target: Target, room: int) -> NoReturn:
    """Raises `PassFailedException`: not even a byte of each element fits into scratch memory."""
    limit = target.limits.shared_memory_per_block
    exceed(
        op,
        f"'{op.name}' op needs {source.size} bytes of shared memory for one byte of each "
        f"element, {target.name} has {limit}, and {room} are free",
        Excess(Resource.SHARED_MEMORY, source.size, room),
    )
