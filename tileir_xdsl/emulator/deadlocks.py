"""Explains a deadlock: the events that threads wait for, and why these cannot happen."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE, DeadlockFault, EmulatorError, ThreadLocation
from tileir_xdsl.emulator.groups import StalledWait, ThreadGroup
from tileir_xdsl.emulator.program import warps_together
from tileir_xdsl.emulator.schedule import Scheduler
from tileir_xdsl.emulator.standstill import Standstill
from tileir_xdsl.emulator.syntax import Address, Instruction, Operand, Register, Symbol
from tileir_xdsl.emulator.types import Mask

_SHOWN = 3
"""The most blocks that a report names."""


def deadlock_error(scheduler: Scheduler) -> EmulatorError:
    """The error of a deadlock: endless waits, missing lanes, or an incomplete barrier."""
    stalled = [(group, group.stalled) for group in scheduler.groups if group.stalled is not None]
    if stalled:
        return _endless_wait(scheduler, stalled)
    for group in scheduler.groups:
        return _missing_lanes(scheduler, group)
    return _incomplete_barrier(scheduler)


def standstill_error(
    standstill: Standstill, scheduler: Scheduler, group: ThreadGroup
) -> EmulatorError | None:
    """The error if the waits of all blocks repeat for ever; `group` is about to run."""
    if not standstill.is_reached(scheduler, group):
        return None
    blocks = [int(block) for block in np.flatnonzero(scheduler.live.any(axis=1))]
    waits = [_wait_of(standstill, scheduler, block) for block in blocks[:_SHOWN]]
    listed = "; ".join(
        place if number == 0 else f"{location} {place}"
        for number, (location, _, place) in enumerate(waits)
    )
    more = f"; {len(blocks) - _SHOWN} more wait" if len(blocks) > _SHOWN else ""
    location, instruction, _ = waits[0]
    return DeadlockFault(
        f"deadlock: no block can go on, and memory stays as it is: {listed}{more}; "
        f"{_advice(scheduler)}",
        line=None if instruction is None else instruction.line,
        instruction=None if instruction is None else instruction.text,
        location=location,
    )


def _advice(scheduler: Scheduler) -> str:
    """The end of a report: whether more resident blocks would help."""
    absent = len(scheduler.live) - scheduler.started
    absent += scheduler.memory.grid.left * scheduler.geometry.cluster_size
    if not absent:
        return "all blocks have started, so that more resident blocks would not help"
    some = "1 block has" if absent == 1 else f"{absent} blocks have"
    return f"{some} not started: more than {scheduler.resident} resident blocks would help"


def _wait_of(
    standstill: Standstill, scheduler: Scheduler, block: int
) -> tuple[ThreadLocation, Instruction | None, str]:
    """The waiting thread of a block, its instruction, and the event that it waits for."""
    position, thread = standstill.last_read(block)
    match = standstill.waits.reads.get(position)
    if match is None:
        # Its threads repeat what reads nothing that others write, or wait for such threads.
        thread = int(np.flatnonzero(scheduler.live[block])[0])
        where = _waiting_location(scheduler, block, thread)
        return scheduler.faults.location(block, thread), None, where
    instruction = match.instruction
    address = _address(scheduler, match.operands["a"], block, thread)
    place = "" if address is None else f" for {scheduler.memory.heap.describe(address)}"
    where = f"waits at PTX line {instruction.line}{place}"
    return scheduler.faults.location(block, thread), instruction, where


def _address(scheduler: Scheduler, operand: Operand, block: int, thread: int) -> int | None:
    """The address in a memory operand of a thread; None if it cannot be told."""
    match operand:
        case Address(Register(name), offset):
            return int(scheduler.registers.storage[name][block, thread]) + offset
        case Address(Symbol(name, inner), offset):
            found = scheduler.memory.heap.by_name.get(name)
            return None if found is None else found.address + inner + offset
        case _:
            return None


def _endless_wait(
    scheduler: Scheduler, stalled: list[tuple[ThreadGroup, StalledWait]]
) -> EmulatorError:
    group, wait = stalled[0]
    others = "".join(
        f"; {scheduler.faults.first_thread(other, other.active())} waits at PTX line "
        f"{also.instruction.line} for the {also.state}"
        for other, also in stalled[1:]
    )
    message = f"deadlock: waits for ever for the {wait.state}{others}"
    line = wait.instruction.line
    lanes, fault = group.active(), DeadlockFault
    return scheduler.faults.error(message, group, lanes, line, wait.instruction, fault)


def _missing_lanes(scheduler: Scheduler, group: ThreadGroup) -> EmulatorError:
    """The error of threads that wait for others to execute a collective instruction with them."""
    block = scheduler.program[group.position]
    match = block.convergence
    assert match is not None
    missing = scheduler.missing_lanes(group, match, block)
    b, w, lane = (int(i) for i in np.argwhere(missing)[0])
    width = WARP_SIZE * warps_together(block)
    first = w * WARP_SIZE // width * width
    lanes = np.zeros(group.shape, np.bool_)
    lanes[b, first : first + width] = group.active()[b, first : first + width]
    who = f"lanes {_lane_list(missing[b, w])} of the warp never arrive"
    if width > WARP_SIZE:
        who = f"warp {group.t0 // WARP_SIZE + w} of the warpgroup never arrives"
    where = _waiting_location(scheduler, group.b0 + b, group.t0 + w * WARP_SIZE + lane)
    message = f"deadlock: {who}; lane {lane} {where}"
    instruction = match.instruction
    line = instruction.line
    return scheduler.faults.error(message, group, lanes, line, instruction, DeadlockFault)


def _incomplete_barrier(scheduler: Scheduler) -> EmulatorError:
    number, barrier = next((n, b) for n, b in scheduler.barriers.items() if b.waiting.any())
    block, thread = (int(i) for i in np.argwhere(barrier.waiting)[0])
    instruction = scheduler.barrier_instruction(int(barrier.site[block, thread]))
    absent = np.flatnonzero(scheduler.live[block] & ~barrier.present[block])
    where = ""
    if len(absent):
        first = int(absent[0])
        location = scheduler.faults.location(block, first)
        position = _waiting_location(scheduler, block, first)
        where = f"; warp {location.warp}, lane {location.lane} {position}"
    return DeadlockFault(
        f"deadlock: barrier {number} has {barrier.arrived(scheduler.live)[block]} of "
        f"{barrier.expected[block]} threads{where}",
        line=instruction.line,
        instruction=instruction.text,
        location=scheduler.faults.location(block, thread),
    )


def _waiting_location(scheduler: Scheduler, block: int, thread: int) -> str:
    for barrier in scheduler.barriers.values():
        if barrier.waiting[block, thread]:
            instruction = scheduler.barrier_instruction(int(barrier.site[block, thread]))
            return f"waits at PTX line {instruction.line}"
    for group in scheduler.groups:
        inside = group.b0 <= block < group.b1 and group.t0 <= thread < group.t1
        if inside and group.active()[block - group.b0, thread - group.t0]:
            return f"waits at PTX line {scheduler.program[group.position].line}"
    return "has ended"


def _lane_list(lanes: Mask) -> str:
    return ", ".join(str(int(lane)) for lane in np.flatnonzero(lanes))
