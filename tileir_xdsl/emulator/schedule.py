"""Runs the threads of the resident blocks: divergence, reconvergence, barriers, deadlocks.

Threads run in groups that share a position in the program. The runnable group with the lowest basic
block runs first, which reunites threads after structured control flow; groups at one block merge.
Threads may poll memory that others write. After a block that may poll, and occasionally in any
case, the group that has waited longest runs first. So all threads make progress.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from tileir_xdsl.emulator import program
from tileir_xdsl.emulator.barriers import BARRIERS_PER_BLOCK, Arrival, NamedBarrier
from tileir_xdsl.emulator.choices import Choices
from tileir_xdsl.emulator.compile import CompiledKernel, CompiledSource
from tileir_xdsl.emulator.errors import WARP_SIZE, EmulatorError, LaneFault
from tileir_xdsl.emulator.faults import Faults
from tileir_xdsl.emulator.groups import StalledWait, ThreadGroup, merge
from tileir_xdsl.emulator.instructions.form import Collective
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.late import LateFault
from tileir_xdsl.emulator.memory import Memory
from tileir_xdsl.emulator.postponement import needs_of_end
from tileir_xdsl.emulator.registers import Geometry, RegisterFile
from tileir_xdsl.emulator.syntax import Instruction, Operand
from tileir_xdsl.emulator.types import TYPES, Array, Mask, ScalarType

_Result = TypeVar("_Result")
_WORD = TYPES["u32"]
# Every so many steps the group that has waited longest runs instead of the lowest one.
_FAIR_PERIOD = 64
# So often all waits may return in vain, as when their time is up, before it counts as a deadlock.
_VAIN_WAITS = 64


@dataclass
class Counters:
    """Counts of a launch so far.

    `instructions` counts each instruction once per issuing group, `lane_instructions` once per
    thread; `branches_split` counts branches that divided a group.
    """

    instructions: int = 0
    lane_instructions: int = 0
    basic_blocks: int = 0
    branches_split: int = 0
    barriers: int = 0


class Observer(Protocol):
    """Observes what groups execute; when its time limit expires, a launch ends with an error."""

    time_limit: float | None

    def expired(self) -> bool: ...

    def executed(
        self, scheduler: Scheduler, group: ThreadGroup, block: program.BasicBlock
    ) -> None: ...


class Scheduler:
    """Runs one batch of resident blocks to their end.

    `step_limit` bounds `counters.instructions`, over all batches of a launch. `deadlock` returns
    the error when nothing can run any more. With `choices`, every warp runs alone, and `choices`
    select the next one. `ended` counts the blocks that have ended, for `watch`. At most `resident`
    blocks run at once; others start as soon as some have ended. `halted` checks before every step
    whether the running blocks wait for ever.
    """

    def __init__(
        self,
        compiled: CompiledKernel,
        memory: Memory,
        geometry: Geometry,
        counters: Counters,
        step_limit: int,
        deadlock: Callable[[Scheduler], EmulatorError],
        choices: Choices | None = None,
        watch: Observer | None = None,
        resident: int | None = None,
        halted: Callable[[Scheduler, ThreadGroup], EmulatorError | None] | None = None,
    ) -> None:
        self.deadlock = deadlock
        self.halted = halted
        self.choices = choices
        self.watch = watch
        self.ended = 0
        self.compiled = compiled
        self.faults = Faults(compiled, geometry)
        self.program = compiled.blocks
        self.memory = memory
        self.geometry = geometry
        self.counters = counters
        self.step_limit = step_limit
        self.registers = RegisterFile(compiled.names.slots, compiled.names.registers, geometry)
        shape = (len(geometry.blocks), geometry.columns)
        self.live = np.zeros(shape, np.bool_)
        self.resident = shape[0] if resident is None else min(resident, shape[0])
        self.started = 0
        memory.begin_races(geometry, self.live)
        self.puts_off = None if memory.races is None else memory.races.put_off
        self.groups: list[ThreadGroup] = []
        self.barriers: dict[int, NamedBarrier] = {}
        self.readers: dict[tuple[int, Operand, ScalarType], CompiledSource] = {}
        self.steps = 0
        self.is_fair = False
        # The changes of barrier objects, and how often every thread waited in vain since.
        self.vain_waits: tuple[int, int] = (0, 0)
        self.start_blocks()

    def start_blocks(self) -> None:
        """Starts as many more blocks of the batch as may run at once, in whole clusters."""
        running = int(np.count_nonzero(self.live.any(axis=1)))
        size = self.geometry.cluster_size
        more = max(self.resident // size, 1) * size - running
        count = min(more // size * size, len(self.live) - self.started)
        if count > 0:
            started = np.zeros(self.live.shape, np.bool_)
            started[self.started : self.started + count, : self.geometry.threads] = True
            self.started += count
            self.live |= started
            self.groups.append(self.everything().select(started, 0))

    def everything(self) -> ThreadGroup:
        """A group of all threads of the batch."""
        blocks, columns = self.live.shape
        return ThreadGroup(0, blocks, 0, columns, None, self.live.size, self.memory, 0)

    def run(self) -> None:
        """Runs until every thread has ended.

        Raises `EmulatorError` for a fault, a trap, a deadlock, or an exceeded step limit.
        """
        while self.groups or any(barrier.waiting.any() for barrier in self.barriers.values()):
            group = self.next_group()
            if group is None:
                raise self.deadlock(self)
            while self.step(group) and self.goes_on_alone(group):
                pass
        if self.memory.late is not None:
            self.do_late(self.memory.late.do_all)

    def goes_on_alone(self, group: ThreadGroup) -> bool:
        """Whether a group runs again at once, since there is no other group to choose."""
        is_systematic = self.choices is not None and self.choices.systematic
        return len(self.groups) == 1 and group.stalled is None and not is_systematic

    # Groups

    def next_group(self) -> ThreadGroup | None:
        """Chooses the next group to run, merged with all others at its position."""
        ready = [group for group in self.groups if not group.waiting]
        runnable = [group for group in ready if not self.is_stalled(group)]
        self.steps += 1
        late = self.memory.late
        if not runnable and late is not None and self.do_late(late.do_counted):
            return self.next_group()
        if not runnable:
            changes, count = self.vain_waits
            if changes != self.memory.mbarrier_changes:
                count = 0
            if not ready or count == _VAIN_WAITS:
                return None
            self.vain_waits = (self.memory.mbarrier_changes, count + 1)
            runnable = ready
        elif self.needs_fairness():
            runnable = [min(ready, key=lambda group: group.last_run)]
        if self.choices is not None:
            return self.next_warp(runnable, self.choices)
        chosen = min(runnable, key=lambda group: group.position)
        chosen.last_run = self.steps
        together = [group for group in self.groups if group.position == chosen.position]
        if len(together) > 1:
            self.groups = [g for g in self.groups if g.position != chosen.position]
            chosen = merge(together)
            chosen.last_run = self.steps
            self.groups.append(chosen)
        return chosen

    def needs_fairness(self) -> bool:
        """Whether the group that has waited longest runs next."""
        may_wait = self.is_fair and not (self.choices is not None and self.choices.systematic)
        return may_wait or self.steps % _FAIR_PERIOD == 0

    def do_late(self, work: Callable[[], _Result]) -> _Result:
        """Executes delayed work, and turns its faults into errors."""
        try:
            return work()
        except LateFault as late:
            raise self.faults.fault(late.fault, late.group, late.instruction) from None

    def next_warp(self, runnable: list[ThreadGroup], choices: Choices) -> ThreadGroup:
        """Chooses a warp, merged with the other warps that its collective instruction needs."""
        if choices.systematic:
            private = self.first_private(runnable)
            if private is not None:
                return private
            self.choose_late(choices)
        chosen = runnable[choices.choose(len(runnable))]
        if chosen.warps > 1 and program.warps_together(self.program[chosen.position]) == 1:
            parts = list(chosen.by_warp())
            self.replace(chosen, parts)
            runnable = parts
            chosen = parts[choices.choose(len(parts))]
        ready = [group for group in runnable if self.are_neighbours(group, chosen)]
        chosen = min((*ready, chosen), key=lambda group: group.position)
        together = [
            group
            for group in self.groups
            if group.position == chosen.position and self.are_neighbours(group, chosen)
        ]
        if len(together) > 1:
            whole = merge(together)
            self.groups = [group for group in self.groups if group not in together]
            self.groups.append(whole)
            chosen = whole
        chosen.last_run = self.steps
        return chosen

    def first_private(self, runnable: list[ThreadGroup]) -> ThreadGroup | None:
        """A group whose next step no other thread can observe, if there is one."""
        private = (group for group in runnable if self.program[group.position].is_private)
        late = self.puts_off
        return next((group for group in private if not late or not late.has_any_of(group)), None)

    def choose_late(self, choices: Choices) -> None:
        """Executes as much delayed work as `choices` select."""
        late = self.memory.late
        while late is not None and (count := late.pending()):
            number = choices.choose(count + 1)
            if number == count:
                break
            self.do_late(partial(late.do, number))

    def are_neighbours(self, group: ThreadGroup, other: ThreadGroup) -> bool:
        """Whether two groups are in one warp, or in one warpgroup whose instruction needs both."""
        width = WARP_SIZE
        if group.position == other.position:
            width *= program.warps_together(self.program[other.position])
        return group.b0 == other.b0 and group.t0 // width == other.t0 // width

    def is_stalled(self, group: ThreadGroup) -> bool:
        """Whether no barrier object has changed since the group's last unsuccessful wait."""
        changes = self.memory.mbarrier_changes
        return group.stalled is not None and group.stalled.changes == changes

    def step(self, group: ThreadGroup) -> bool:
        """Runs the basic block of a group; returns whether the group can run on undivided."""
        if self.halted is not None and (error := self.halted(self, group)) is not None:
            raise error
        block = self.program[group.position]
        if (
            block.convergence is not None
            and (group.mask is not None or program.warps_together(block) > 1)
            and not self.converge(group, block)
        ):
            return False
        function = self.compiled.function(
            group.position,
            masked=group.mask is not None,
            checked=self.memory.races is not None,
            puts_off=self.puts_off is not None,
        )
        views = self.registers.rectangle(group.rectangle)
        group.stalled = None
        group.issued = self.counters.instructions
        try:
            function(group, views, group.mask)
        except LaneFault as fault:
            instruction = self.faults.failed_instruction(fault, function)
            raise self.faults.fault(fault, group, instruction) from None
        except LateFault as late:
            raise self.faults.fault(late.fault, late.group, late.instruction) from None
        if self.puts_off is not None:
            self.puts_off.settle(group, group.mask, needs_of_end(block.terminator))
        self.count(group, block)
        self.is_fair = block.may_wait
        match block.terminator:
            case program.Jump(target):
                group.position = target
                return True
            case program.Branch(guard, target, otherwise):
                taken = views[self.compiled.names.slot(guard.register, PREDICATE)]
                return self.branch(group, ~taken if guard.negated else taken, target, otherwise)
            case program.IndexedBranch() as branch:
                self.indexed_branch(group, branch)
                return False
            case program.Exit():
                self.exit(group)
                return False
            case program.Trap(instruction):
                raise self.faults.error(
                    "trap", group, group.active(), instruction.line, instruction
                )
            case program.Barrier() as barrier:
                return self.barrier(group, barrier)
            case program.ClusterWait(instruction, following):
                return self.cluster_wait(group, instruction, following)

    def count(self, group: ThreadGroup, block: program.BasicBlock) -> None:
        counters = self.counters
        counters.instructions += block.size
        counters.lane_instructions += block.size * group.lanes
        counters.basic_blocks += 1
        self.memory.work.special += block.special * group.lanes
        self.memory.work.double += block.double * group.lanes
        if counters.instructions > self.step_limit:
            raise self.faults.error(
                f"the step limit of {self.step_limit} instructions is reached: "
                "the kernel may never end; step_limit (--step-limit) sets the limit",
                group,
                group.active(),
                block.line,
            )
        if self.watch is not None:
            self.watch.executed(self, group, block)
            if self.watch.expired():
                message = f"the time limit of {self.watch.time_limit:g} s is reached"
                raise self.faults.error(message, group, group.active(), block.line)

    def replace(self, group: ThreadGroup, parts: list[ThreadGroup]) -> None:
        self.groups.remove(group)
        self.groups.extend(parts)

    def branch(self, group: ThreadGroup, taken: Mask, target: int, otherwise: int) -> bool:
        """Moves a group to a branch target, or divides it."""
        if group.mask is not None:
            taken = taken & group.mask
        count = int(np.count_nonzero(taken))
        if count == group.lanes or count == 0:
            group.position = target if count else otherwise
            return True
        legality_of = ~taken if group.mask is None else group.mask & ~taken
        self.counters.branches_split += 1
        self.replace(group, [group.select(legality_of, otherwise), group.select(taken, target)])
        return False

    def indexed_branch(self, group: ThreadGroup, branch: program.IndexedBranch) -> None:
        match = Match(branch.instruction, {}, {})
        index = self.read(group, match, branch.index, _WORD)
        active = group.active()
        outside = active & (index >= len(branch.targets))
        if outside.any():
            fault = LaneFault("the index is outside the list of branch targets", outside)
            raise self.faults.fault(fault, group, branch.instruction)
        parts: list[ThreadGroup] = []
        for value in np.unique(index[active]):
            lanes = active & (index == value)
            parts.append(group.select(lanes, branch.targets[int(value)]))
        self.replace(group, parts)

    def exit(self, group: ThreadGroup) -> None:
        if self.memory.races is not None:
            self.check_copies(group)
        self.groups.remove(group)
        self.live[group.b0 : group.b1, group.t0 : group.t1] &= ~group.active()
        if self.started < len(self.live):
            self.start_blocks()
        if self.watch is not None:
            self.ended = self.started - int(np.count_nonzero(self.live.any(axis=1)))
        for number in self.barriers:
            self.release(number)
        if self.memory.clusters is not None:
            self.memory.clusters.ended[:] = ~self.live.any(axis=1)
        # Nobody waits for threads that have ended: neither lanes nor blocks of a cluster.
        self.memory.mbarrier_changes += 1
        for other in self.groups:
            other.waiting = False

    def check_copies(self, group: ThreadGroup) -> None:
        """Raises an error for a thread that ends before its bulk copies have read shared memory."""
        assert self.memory.races is not None
        lanes = self.memory.races.work.unfinished_reads(group)
        if lanes.any():
            message = "race: a thread ends before cp.async.bulk.wait_group for its bulk copies"
            line = self.program[group.position].line
            raise self.faults.error(message, group, lanes, line)

    # Warps

    def converge(self, group: ThreadGroup, block: program.BasicBlock) -> bool:
        """Whether all lanes of a collective instruction have arrived; otherwise some wait."""
        match = block.convergence
        assert match is not None
        width = WARP_SIZE * program.warps_together(block)
        group.widen(width, self.geometry.columns)
        lanes = group.active()
        if lanes.shape[1] % width:
            message = f"the instruction needs {width} threads, from a multiple of {width} on"
            raise self.faults.fault(LaneFault(message, lanes), group, match.instruction)
        missing = self.missing_lanes(group, match, block)
        complete = ~missing.reshape(lanes.shape[0], -1, width).any(axis=-1)
        ready = lanes & np.repeat(complete, width, axis=1)
        count = int(np.count_nonzero(ready))
        if count == group.lanes:
            return not self.lacks_something(group, block, match)
        if count == 0:
            group.waiting = True
            return False
        rest = group.select(lanes & ~ready, group.position)
        rest.waiting = True
        # The part that is ready moves ahead of the waiting one, so it runs the block right away.
        self.groups.remove(group)
        self.groups.append(rest)
        runnable = group.select(ready, group.position)
        self.groups.append(runnable)
        self.step(runnable)
        return False

    def lacks_something(self, group: ThreadGroup, block: program.BasicBlock, match: Match) -> bool:
        """Whether reunited threads must wait for something else, such as registers."""
        semantics = block.steps[0].semantics
        lacks = semantics.lacks if isinstance(semantics, Collective) else None
        lacking = "" if lacks is None else lacks(group, match)
        if lacking:
            changes = self.memory.mbarrier_changes
            group.stalled = StalledWait(changes, lacking, match.instruction)
        return bool(lacking)

    def missing_lanes(self, group: ThreadGroup, match: Match, block: program.BasicBlock) -> Mask:
        """Which lanes, `[blocks, warps, 32]`, a collective instruction needs that are elsewhere."""
        lanes = group.active()
        warps = (lanes.shape[0], -1, WARP_SIZE)
        live = self.live[group.b0 : group.b1, group.t0 : group.t1]
        named = self.member_lanes(group, match, block)
        return (live & ~lanes).reshape(warps) & named

    def member_lanes(self, group: ThreadGroup, match: Match, block: program.BasicBlock) -> Mask:
        """Which lanes are in the member mask of an active lane of their warp, as above."""
        lanes = group.active()
        warps = (lanes.shape[0], -1, WARP_SIZE)
        semantics = block.steps[0].semantics
        name = semantics.member_mask if isinstance(semantics, Collective) else None
        if name is None:
            width = WARP_SIZE * program.warps_together(block)
            whole = lanes.reshape(lanes.shape[0], -1, width).any(axis=-1)
            return np.repeat(whole, width, axis=1).reshape(warps)
        masks = self.read(group, match, match.operands[name], _WORD)
        union = np.bitwise_or.reduce(np.where(lanes, masks, 0).reshape(warps), axis=-1)
        bits = np.asarray(union)[..., None] >> np.arange(WARP_SIZE)
        return (bits & 1).astype(np.bool_)

    # Barriers

    def barrier(self, group: ThreadGroup, terminator: program.Barrier) -> bool:
        match = terminator.match
        instruction = match.instruction
        waits = "arrive" not in instruction.mnemonic.split(".")
        self.counters.barriers += 1
        races = self.memory.races
        if waits and self.whole_blocks_arrive(group, match):
            if races is not None:
                races.barriers.meet_all(group.b0, group.b1)
            group.position = terminator.following
            return True
        arrival = Arrival(group.position, terminator.following, waits)
        threads = self.geometry.threads
        numbers = self.read(group, match, match.operands["a"], _WORD)
        expected = np.full(group.shape, threads, np.int64)
        if "b" in match.operands:
            expected = self.read(group, match, match.operands["b"], _WORD).astype(np.int64)
        predicate = None
        if "c" in match.operands:
            predicate = self.read(group, match, match.operands["c"], PREDICATE)
        active = group.active()
        wrong = active & (numbers >= BARRIERS_PER_BLOCK)
        uneven = active & ((expected % WARP_SIZE != 0) & (expected != threads) | (expected == 0))
        for lanes, problem in (
            (wrong, f"a barrier number is below {BARRIERS_PER_BLOCK}"),
            (uneven, f"the thread count of a barrier is a multiple of {WARP_SIZE}"),
        ):
            if lanes.any():
                raise self.faults.fault(LaneFault(problem, lanes), group, instruction)
        touched: set[int] = set()
        for number, count in np.unique(
            np.stack([numbers[active].astype(np.int64), expected[active]]), axis=1
        ).T:
            lanes = active & (numbers == number) & (expected == count)
            barrier = self.barriers.get(int(number))
            if barrier is None:
                barrier = NamedBarrier(*self.live.shape)
                self.barriers[int(number)] = barrier
            try:
                barrier.arrive(group, lanes, arrival, int(count), predicate)
            except LaneFault as fault:
                raise self.faults.fault(fault, group, instruction) from None
            if races is not None:
                races.barriers.arrive(group, lanes, int(number))
            touched.add(int(number))
        if waits:
            self.groups.remove(group)
        else:
            group.position = terminator.following
        for number in touched:
            self.release(number)
        return not waits

    def cluster_wait(self, group: ThreadGroup, instruction: Instruction, following: int) -> bool:
        """Releases threads whose cluster has arrived at its barrier; the others try again later."""
        barrier = self.memory.cluster_barrier
        try:
            ready, phases = barrier.wait(group, self.live)
        except LaneFault as fault:
            raise self.faults.fault(fault, group, instruction) from None
        if self.memory.races is not None:
            self.memory.races.barriers.leave_cluster(group, ready, phases)
        count = int(np.count_nonzero(ready))
        if count == group.lanes:
            group.position = following
            return True
        if count:
            rest = group.select(group.active() & ~ready, group.position)
            self.replace(group, [rest, group.select(ready, following)])
            return False
        changes, state = self.memory.mbarrier_changes, barrier.describe(group, self.live)
        group.stalled = StalledWait(changes, state, instruction)
        return False

    def whole_blocks_arrive(self, group: ThreadGroup, match: Match) -> bool:
        """Whether a block-wide barrier is complete as soon as this group arrives."""
        number = match.immediate("a")
        if number is None or number >= BARRIERS_PER_BLOCK or len(match.operands) > 1:
            return False
        barrier = self.barriers.get(number)
        blocks = slice(group.b0, group.b1)
        idle = barrier is None or not barrier.expected[blocks].any()
        return idle and group.lanes == int(np.count_nonzero(self.live[blocks]))

    def release(self, number: int) -> None:
        """Releases the threads of complete barriers."""
        barrier = self.barriers[number]
        blocks = barrier.complete(self.live, self.geometry.threads)
        if not len(blocks):
            return
        sites = [int(site) for site in np.unique(barrier.site[barrier.waiting])]
        self.check_complete(barrier, blocks, sites)
        if self.memory.races is not None:
            self.memory.races.barriers.complete(blocks, number, barrier.waiting)
        everything = self.everything()
        for site, following, lanes in barrier.release(blocks):
            terminator = self.program[site].terminator
            assert isinstance(terminator, program.Barrier)
            self.reduce(barrier, terminator.match, lanes)
            released = everything.select(lanes, following)
            released.last_run = self.steps
            self.groups.append(released)

    def check_complete(self, barrier: NamedBarrier, blocks: Array, sites: list[int]) -> None:
        aligned = np.zeros(self.live.shape, np.bool_)
        for site in sites:
            instruction = self.barrier_instruction(site)
            if instruction.opcode == "bar" or "aligned" in instruction.mnemonic.split("."):
                aligned |= barrier.site == site
        divided = barrier.divided_warps(blocks, aligned, self.live)
        if divided.any():
            block, thread = (int(i) for i in np.argwhere(divided)[0])
            instruction = self.barrier_instruction(int(barrier.site[block, thread]))
            raise EmulatorError(
                "barrier mismatch: not all lanes of the warp came to the same barrier instruction",
                line=instruction.line,
                instruction=instruction.text,
                location=self.faults.location(block, thread),
            )
        over = np.intersect1d(barrier.overfull(self.live, self.geometry.threads), blocks)
        if len(over):
            block = int(over[0])
            thread = int(np.flatnonzero(barrier.present[block])[0])
            instruction = self.barrier_instruction(int(barrier.site[block, thread]))
            raise EmulatorError(
                f"barrier mismatch: {barrier.arrived(self.live)[block]} threads arrived where "
                f"{barrier.expected[block]} are expected",
                line=instruction.line,
                instruction=instruction.text,
                location=self.faults.location(block, thread),
            )

    def barrier_instruction(self, site: int) -> Instruction:
        terminator = self.program[site].terminator
        assert isinstance(terminator, program.Barrier)
        return terminator.match.instruction

    def reduce(self, barrier: NamedBarrier, match: Match, lanes: Mask) -> None:
        """Writes the result of a reducing barrier to the registers of its threads."""
        operation = match["reduce"]
        if not operation:
            return
        present, predicate = barrier.present, barrier.predicate
        results: dict[str, Array] = {
            "popc": (present & predicate).sum(axis=1),
            "and": np.asarray((~present | predicate).all(axis=1)),
            "or": np.asarray((present & predicate).any(axis=1)),
        }
        type_ = _WORD if operation == "popc" else PREDICATE
        slot = self.compiled.destination_slot(match, match.operands["d"], type_)
        if slot is not None:
            whole = (0, lanes.shape[0], 0, lanes.shape[1])
            view = self.registers.rectangle(whole)[slot]
            np.copyto(view, results[operation][:, None].astype(type_.dtype), where=lanes)

    # Reading operands

    def read(self, group: ThreadGroup, match: Match, operand: Operand, type_: ScalarType) -> Array:
        """Reads an operand of a terminator or collective instruction, `[blocks, threads]`."""
        key = (match.instruction.line, operand, type_)
        reader = self.readers.get(key)
        if reader is None:
            reader = self.compiled.operand_reader(match, operand, type_)
            self.readers[key] = reader
        # A reader may have added registers to those that the group has been shown.
        views = self.registers.rectangle(group.rectangle)
        return np.broadcast_to(reader(group, views), group.shape)
