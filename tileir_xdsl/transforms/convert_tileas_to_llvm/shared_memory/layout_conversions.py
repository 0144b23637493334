"""Conversions between register layouts, by the strategies on the ops.

Registers are renamed if every thread already holds its elements, and shuffled if elements stay in
their warp. Otherwise registers are exchanged through shared memory, in the number of steps on the
op.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.allocation.scratch_requests import (
    refuse_exchange,
    slices,
    steps_between,
    strategy_between,
)
from tileir_xdsl.analysis.allocation.scratch_uses import Exchange
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileas.strategies import refuse_undecided
from tileir_xdsl.dialects.nvvm.attributes import ShuffleKind
from tileir_xdsl.dialects.nvvm.synchronization import ShflOp
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.conversion import ConversionStrategy, RenamePlan, plan_by
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shuffles import ShufflePlan
from tileir_xdsl.targets import Feature

from ..thread.packed_registers import (
    element_bits,
    from_moved,
    join_halves,
    pack,
    split_in_half,
    to_moved,
    unpack,
)
from ..thread.program import ThreadRewriter
from ..thread.thread_maps import exchange, exclusive_or, thread_map
from .scratch import ALL_LANES, scratch_room, through_scratch

LAST_LANE = 31
SHARED_MEMORY = ConversionStrategy.SHARED_MEMORY


def convert_registers(
    op: Operation,
    values: Sequence[SSAValue],
    source: LinearLayout,
    target: LinearLayout,
    rewriter: ThreadRewriter,
    strategy: ConversionStrategy | None = None,
    steps: int | None = None,
) -> tuple[SSAValue, ...]:
    """Converts a tile's registers to another layout, by the op's strategy and number of steps.

    Raises `PassFailedException` if the op has no strategy or an inapplicable one. The exception is
    also raised if elements would move between blocks, or shared memory is too small.
    """
    # A forced strategy is executed even where nothing has to move, so that tests can measure it.
    if source == target and strategy is None:
        return tuple(values)
    type, builder = values[0].type, rewriter.builder
    bits = element_bits(type)
    strategy = strategy or strategy_between(op, source, target, bits)
    if strategy is None:
        refuse_undecided(op, "strategy for an exchange between layouts")
    stmatrix = Feature.STMATRIX in rewriter.function.target.features
    try:
        plan = plan_by(strategy, source, target, bits, stmatrix=stmatrix)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    # No instruction at all, so that nothing else is compared with it.
    if isinstance(plan, RenamePlan):
        return tuple(values[register] for register in plan.sources)
    moved = [to_moved(builder, value) for value in values]
    if isinstance(plan, ShufflePlan):
        registers = shuffle_registers(plan, moved, target, rewriter)
    elif (number := steps or steps_between(op, source, target, bits)) > 1:
        registers = in_steps(op, moved, source, target, rewriter, number)
    else:
        registers = through_scratch(op, plan, moved, source, target, rewriter)
    return tuple(from_moved(builder, register, type) for register in registers)


def in_steps(
    op: Operation,
    values: Sequence[SSAValue],
    source: LinearLayout,
    target: LinearLayout,
    rewriter: ThreadRewriter,
    steps: int,
) -> list[SSAValue]:
    """Exchanges slices of a tile through scratch memory, one in each step.

    If threads hold too many different elements for slices, the elements are halved recursively.
    Bytes cannot be divided, which limits the number of steps.
    """
    type, builder = values[0].type, rewriter.builder
    bits = element_bits(type)
    parts = slices(Exchange(source, target, bits), steps)
    # The tile cannot be cut finely enough: then its elements are, into low and high halves.
    if not parts and bits > 8:
        halves = [split_in_half(builder, value) for value in values]
        low, high = (
            convert_registers(op, half, source, target, rewriter, SHARED_MEMORY, steps=steps // 2)
            for half in zip(*halves, strict=True)
        )
        pairs = zip(low, high, strict=True)
        return [join_halves(builder, low, high, type) for low, high in pairs]
    if not parts:
        refuse_exchange(op, source, rewriter.function.target, scratch_room(op, rewriter))
    registers = list(values[:1]) * target.registers
    for part in parts:
        inside = [values[number] for number in part.source_registers]
        moved = convert_registers(
            op, inside, part.source, part.target, rewriter, SHARED_MEMORY, steps=1
        )
        for number, value in zip(part.target_registers, moved, strict=True):
            registers[number] = value
    return registers


def shuffle_registers(
    plan: ShufflePlan, values: Sequence[SSAValue], target: LinearLayout, rewriter: ThreadRewriter
) -> list[SSAValue]:
    """Shuffles registers; in each step, a lane offers one register and reads one of another
    lane.
    """
    builder, type = rewriter.builder, values[0].type
    size = 1 << plan.packed
    slots = [pack(builder, values[first : first + size]) for first in range(0, len(values), size)]
    offered = [
        exchange(builder, [slot[word] for slot in slots], (*plan.send.lane, *plan.send.warp))
        for word in range(plan.words)
    ]
    lanes = thread_map(builder, (*plan.source_lane.lane, *plan.source_lane.warp))
    mask, clamp = builder.integer(ALL_LANES, i32), builder.integer(LAST_LANE, i32)
    received: list[list[SSAValue]] = []
    # Each `shfl` gives a lane one register, so that many steps are needed.
    for step_number in range(1 << len(plan.target_bits)):
        sent = f2.apply(plan.send.step, step_number)
        lane = exclusive_or(builder, lanes, f2.apply(plan.source_lane.step, step_number))
        from_lane = builder.integer(lane, i32)
        received.append(
            [
                builder.insert(ShflOp(ShuffleKind.INDEX, mask, words[sent], from_lane, clamp))
                for words in offered
            ]
        )
    kept = [
        exchange(builder, [words[word] for words in received], plan.receive.lane)
        for word in range(plan.words)
    ]
    unpacked = [
        unpack(builder, [words[number] for words in kept], type, size)
        for number in range(len(received))
    ]
    return [
        unpacked[_number(register, plan.target_bits)][register & (size - 1)]
        for register in range(target.registers)
    ]


def _number(register: int, bits: Sequence[int]) -> int:
    """The number formed by selected bits of a register's index, lowest first."""
    return sum((register >> bit & 1) << index for index, bit in enumerate(bits))
