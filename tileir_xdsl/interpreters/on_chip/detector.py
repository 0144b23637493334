"""Observes a run of `nv_tileas`, and reports unordered accesses to the same memory.

Two ops race if they access a common byte of shared memory or column of tensor memory, and at least
one writes. Moreover, when the second op begins, its agent does not know that the first one is
complete. An asynchronous access also needs a proxy fence after threads' writes. MMAs also need a
tensor-memory fence on each side of the barrier. Only functions with the mark that all barriers are
in the program are checked. Sources: PTX ISA, "Memory Consistency Model", "Proxies".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.nv_tileas.allocations import SHARED_MEMORY, TENSOR_MEMORY
from tileir_xdsl.dialects.nv_tileas.synchronization import (
    SYNCHRONIZED,
    FenceSide,
    Participants,
)
from tileir_xdsl.explain import OperationLabels
from tileir_xdsl.interpreters.accesses import Access
from tileir_xdsl.interpreters.agents import Agent
from tileir_xdsl.interpreters.buffers import Buffer
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.nv_tileas.pipelines import ProducerToken
from tileir_xdsl.interpreters.on_chip import effects
from tileir_xdsl.interpreters.on_chip.clocks import Clock, Flight, Message, Start, Threads
from tileir_xdsl.interpreters.on_chip.global_memory import (
    AFTER_EXCHANGE,
    GlobalBytes,
    GlobalMemory,
    Moment,
    Record,
)
from tileir_xdsl.interpreters.on_chip.memory_ranges import (
    MemoryRange,
    MemoryRanges,
    allocated,
    is_in,
    is_in_registers,
)
from tileir_xdsl.interpreters.running_block import Cta, RunningBlock
from tileir_xdsl.interpreters.stages import Pipeline, Stage
from tileir_xdsl.targets.atoms import Memory

IN_COLUMNS = (dialect.AllocTensorOp, dialect.AsyncDotOp, dialect.ToAsyncOp)
"""The ops whose result may be in tensor memory."""

KEPT = 16
"""How many asynchronous accesses of one op to one range of memory are remembered."""


@dataclass(frozen=True)
class OnChipRace:
    """Two ops that access the same memory, and the missing synchronisation between them."""

    first: Operation
    second: Operation
    span: MemoryRange | GlobalBytes
    block: Coordinates
    first_writes: bool
    second_writes: bool
    missing: str

    def __str__(self) -> str:
        labels = OperationLabels(_function(self.first))
        first, second = (_name(op, labels) for op in (self.first, self.second))
        did, does = ("writes" if w else "reads" for w in (self.first_writes, self.second_writes))
        return (
            f"{first} {did} and {second} {does} {self.span} in tile block {self.block}, and "
            f"{self.missing}"
        )


def _is_agent_of_one_thread(op: Operation) -> bool:
    """Whether an op is in an agent of one warp whose ops all run in a single thread."""
    region = op.parent_region()
    while region is not None:
        around = region.parent_op()
        if isinstance(around, dialect.AgentSwitchOp):
            warps = around.agent_warps
            number = list(around.bodies).index(region)
            return warps is not None and warps[number] == 1 and effects.runs_in_one_thread(region)
        region = None if around is None else around.parent_region()
    return False


def _function(op: Operation) -> Operation:
    around: Operation = op
    while not isinstance(around, nv_tileaa.FuncOp) and (parent := around.parent_op()) is not None:
        around = parent
    return around


def _name(op: Operation, labels: OperationLabels) -> str:
    """The label of an op, as in reports of passes, and its location."""
    location = location_text(op.location)
    return labels.label(op) + (f" at {location}" if location else "")


@dataclass(frozen=True)
class _Record:
    """An access that has begun: its actor, and the actor's tick."""

    op: Operation
    touch: effects.Touch
    actor: Threads | Flight
    tick: int
    execution: int
    """The number of the execution to which the access belongs."""


@dataclass
class _Handshakes:
    """Messages of the mbarriers of a stage: for full and for empty."""

    full: Message = field(default_factory=Message)
    empty: Message = field(default_factory=Message)


@dataclass
class _ThreadBlock:
    """The accesses of a thread block so far; `outermost` is its agent if tile blocks take turns."""

    global_memory: GlobalMemory
    outermost: Agent | None = None
    is_watched: bool | None = None
    ranges: MemoryRanges = field(default_factory=MemoryRanges)
    records: dict[tuple[Operation, effects.Touch, Threads | None], list[_Record]] = field(
        default_factory=dict[tuple[Operation, effects.Touch, "Threads | None"], list[_Record]]
    )
    threads: dict[Agent | None, Threads] = field(init=False)
    switching: Threads | None = None
    handshakes: dict[Stage, _Handshakes] = field(default_factory=dict[Stage, _Handshakes])
    flights: dict[int, tuple[object, Flight]] = field(
        default_factory=dict[int, tuple[object, Flight]]
    )
    filling: dict[int, list[Flight]] = field(default_factory=dict[int, list[Flight]])
    owned: dict[Threads, Sequence[MemoryRange]] = field(
        default_factory=dict[Threads, Sequence[MemoryRange]]
    )
    published: Message | None = None
    completions: dict[int, tuple[object, Message]] = field(
        default_factory=dict[int, tuple[object, Message]]
    )
    executions: int = 0
    values: dict[tuple[Threads, Operation], PythonValues] = field(
        default_factory=dict[tuple[Threads, Operation], PythonValues]
    )
    started: dict[tuple[Threads, Operation], Flight] = field(
        default_factory=dict[tuple[Threads, Operation], Flight]
    )
    moments: dict[tuple[Threads, Operation], Moment] = field(
        default_factory=dict[tuple[Threads, Operation], Moment]
    )

    def __post_init__(self) -> None:
        self.threads = {self.outermost: Threads()}


class OnChipRaces(LaunchListener):
    """Reports races in on-chip memory and in token-ordered global memory, once per pair of ops."""

    NOTES_ACCESSES: ClassVar[bool] = True

    def __init__(self, report: Callable[[OnChipRace], object]) -> None:
        self._tell = report
        self._reported: set[tuple[Operation, Operation]] = set()
        self._running: RunningBlock | None = None
        self._of_block: dict[tuple[Coordinates, Cta], _ThreadBlock] = {}
        self._now = _ThreadBlock(GlobalMemory(self._report_global))

    @property
    def _here(self) -> Threads:
        """The threads that execute the next op."""
        assert self._running is not None
        agent = self._running.agents.current
        found = self._now.threads.get(agent)
        if found is None:
            around = self._now.switching or self._now.threads[self._now.outermost]
            found = self._now.threads[agent] = around.agent()
        return found

    # The run

    def will_launch(self, running: RunningBlock) -> None:
        self._running = running

    def will_run_block(self, block: Coordinates) -> None:
        # The memory of each thread block is another.
        assert self._running is not None
        agent = self._running.block_agent
        self._now = _ThreadBlock(GlobalMemory(self._report_global), agent)
        if agent is not None:
            self._of_block[block, self._running.cta] = self._now

    def will_resume_block(self, block: Coordinates) -> None:
        assert self._running is not None
        self._now = self._of_block[block, self._running.cta]

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        if self._now.is_watched is None:
            function = _function(op)
            self._now.is_watched = SYNCHRONIZED in function.attributes
        if not self._now.is_watched:
            return
        if self._running is not None and self._running.agents.current not in self._now.threads:
            self._here.is_one = _is_agent_of_one_thread(op)
        here = self._here
        self._now.values[here, op] = args
        self._order(op, args, here)
        found = effects.effects(op, args, self._now.ranges)
        if found.meets and not isinstance(op, AFTER_EXCHANGE):
            self._now.moments[here, op] = Moment(here.known.copy(), here.tick)
        self._execute(op, found, here)

    def performed(self, access: Access) -> None:
        if self._now.is_watched:
            key = (self._here, access.op)
            actor = self._now.started.get(key, self._here)
            self._now.global_memory.performed(access, actor, self._here, self._now.moments.get(key))

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        if not self._now.is_watched:
            return
        here = self._here
        args = self._now.values.pop((here, op), ())
        self._now.moments.pop((here, op), None)
        if isinstance(op, dialect.AgentSwitchOp):
            here.leave()
        elif isinstance(op, dialect.ProducerAcquireOp):
            self._own(results[0], here)
        elif isinstance(op, effects.PRODUCERS):
            here.is_alone = False
            if isinstance(op, dialect.ProduceOneAsyncOp) and self._now.published is not None:
                self._now.completions[id(results[1])] = (results[1], self._now.published)
        self._execute(op, effects.effects_at_end(op), here)
        flight = self._now.started.pop((here, op), None)
        if flight is not None and results:
            self._now.flights[id(results[0])] = (results[0], flight)
        self._locate(op, args, results)

    def _locate(self, op: Operation, args: Sequence[Any], results: Sequence[Any]) -> None:
        """Records where results are in memory: at the op's allocation, or with its operands."""
        for value, result in zip(results, op.results, strict=True):
            if is_in_registers(result.type):
                continue
            span = self._now.ranges.of(value)
            if span is None and is_in(result.type, Memory.SHARED):
                span = allocated(op, SHARED_MEMORY, Memory.SHARED) or self._inherited(
                    op, args, Memory.SHARED
                )
            if span is None and isinstance(op, IN_COLUMNS):
                columns = allocated(op, TENSOR_MEMORY, Memory.TENSOR)
                span = self._stage_of(columns) or self._inherited(op, args, Memory.TENSOR)
            self._now.ranges.put(value, span, result)

    def _inherited(self, op: Operation, args: Sequence[Any], memory: Memory) -> MemoryRange | None:
        """The memory range of the first operand that is in the given memory."""
        if op.regions:
            return None
        ranges = (self._now.ranges.of(v, o) for v, o in zip(args, op.operands, strict=True))
        return next((p for p in ranges if p is not None and p.memory is memory), None)

    def _own(self, token: ProducerToken, here: Threads) -> None:
        """Accumulators that start from now on are in the acquired stage."""
        spans = [self._now.ranges.of(buffer) for buffer in effects.buffers_of(token)]
        columns = [span for span in spans if span is not None and span.memory is Memory.TENSOR]
        if columns:
            self._now.owned[here] = columns

    def _stage_of(self, columns: MemoryRange | None) -> MemoryRange | None:
        """The columns of the stage that the threads own, among those of all stages."""
        owned = self._now.owned.get(self._here, ())
        return next((s for s in owned if columns is not None and s.overlaps(columns)), columns)

    # Order

    def _order(self, op: Operation, args: Sequence[Any], here: Threads) -> None:
        """Records the order that an op establishes before it is executed."""
        match op:
            case dialect.BarrierOp() if op.participants.data is not Participants.WARP:
                here.meet()
            case dialect.FenceProxyOp():
                here.fence()
            case dialect.FenceTmemOp() if op.side.data is FenceSide.BEFORE:
                here.fence_before_barrier()
            case dialect.FenceTmemOp():
                here.fence_after_barrier()
            case dialect.WaitMMAsOp():
                pending = op.pending.value.data
                here.learn(here.mmas[: max(0, len(here.mmas) - pending)], all_know=False)
            case dialect.CommitCopiesOp():
                here.groups.append(here.group)
                here.group = []
            case dialect.WaitCopiesOp():
                pending = op.pending.value.data
                for group in here.groups[: max(0, len(here.groups) - pending)]:
                    here.learn(group, all_know=False)
                here.meet()
            case dialect.WaitOp() | dialect.FutureWaitOp():
                for value in args:
                    self._wait(op, value, here)
            case dialect.AgentSwitchOp():
                self._now.switching = here
            case dialect.ProducerWriteOp():
                self._fill(args, here)
            case _ if isinstance(op, effects.PRODUCERS):
                here.is_alone = effects.runs_in_one_thread(op)
            case _:
                pass

    def _fill(self, args: Sequence[Any], here: Threads) -> None:
        """Records that MMAs in flight fill the stage to which their accumulators are written."""
        token, *values = args
        for value, buffer in zip(values, effects.buffers_of(token), strict=True):
            _, flight = self._now.flights.get(id(value), (None, None))
            if flight is not None and flight.start is Start.TENSOR_MMA:
                mmas = _up_to(flight, here.mmas)
                self._now.filling.setdefault(id(buffer.storage), []).extend(mmas)

    def _wait(self, op: Operation, value: object, here: Threads) -> None:
        """Threads wait for the work of an async value, or for the stage that the value fills."""
        if id(value) in self._now.completions:
            here.receive(self._now.completions[id(value)][1], all_wait=True)
        _, flight = self._now.flights.get(id(value), (None, None))
        if flight is None:
            return
        match flight.start:
            case Start.BULK_LOAD:
                if effects.is_repeated(flight.op) and not effects.is_in_producer(flight.op):
                    here.meet()
                here.learn([flight], all_know=True)
            case Start.BULK_STORE:
                here.learn([flight], all_know=False)
            case Start.THREAD_COPY:
                # A wait counts groups back from the youngest, and more may be committed: for all.
                here.learn([f for group in here.groups for f in group], all_know=False)
                here.learn(here.group, all_know=False)
            case Start.WARPGROUP_MMA:
                here.learn(_up_to(flight, here.mmas), all_know=False)
            case Start.TENSOR_MMA:
                # Hardware itself releases stages, and no thread waits before that.
                all_wait = isinstance(op, dialect.FutureWaitOp)
                if all_wait and not here.knows(flight, 0):
                    self._wait_for_columns(flight, here)
                    here.fence_after_barrier()
                here.learn(_up_to(flight, here.mmas), all_know=all_wait)

    def _wait_for_columns(self, flight: Flight, here: Threads) -> None:
        """All threads have waited at the mbarrier of an accumulator.

        If other MMAs have been issued since, the threads know only what preceded this one.
        """
        if here.mmas and here.mmas[-1] is flight:
            here.meet()
        else:
            here.receive(Message(flight.arrivals), all_wait=True)

    # Handshakes

    def made_stage(self, pipeline: Pipeline, stage: Stage) -> None:
        number = pipeline.stages.index(stage)
        for buffer, view in zip(stage.storage or (), pipeline.views, strict=True):
            span = self._now.ranges.of(view)
            if span is not None:
                self._now.ranges.put(buffer, span.stage(number, len(pipeline.stages)))

    def acquired(self, pipeline: Pipeline, stage: Stage) -> None:
        if self._now.is_watched and pipeline.has_barriers:
            here = self._here
            here.receive(self._at(stage).empty, all_wait=not here.is_alone)

    def committed(self, pipeline: Pipeline, stage: Stage) -> None:
        if not self._now.is_watched or not pipeline.has_barriers:
            return
        here, storages = self._here, [id(b.storage) for b in stage.storage or ()]
        message = here.send(all_arrive=not here.is_alone)
        for storage in storages:
            message.add(Message(Clock(flights=set(self._now.filling.pop(storage, ())))))
        self._at(stage).full.add(message)
        self._now.published = message

    def awaited(self, pipeline: Pipeline, stage: Stage) -> None:
        if self._now.is_watched and pipeline.has_barriers:
            self._here.receive(self._at(stage).full, all_wait=True)

    def released(self, pipeline: Pipeline, stage: Stage) -> None:
        if self._now.is_watched and pipeline.has_barriers:
            self._at(stage).empty.add(self._here.send(all_arrive=True))

    def accessed_stage(self, op: Operation, buffers: Sequence[Buffer], *, writes: bool) -> None:
        if not self._now.is_watched:
            return
        spans = [self._now.ranges.of(buffer) for buffer in buffers]
        touches = tuple(effects.Touch(span, writes) for span in spans if span is not None)
        self._execute(op, effects.Effects(touches), self._here)

    def _at(self, stage: Stage) -> _Handshakes:
        return self._now.handshakes.setdefault(stage, _Handshakes())

    # Accesses

    def _execute(self, op: Operation, found: effects.Effects, here: Threads) -> None:
        """Checks and records the accesses of an op, in their order."""
        self._now.executions += 1
        for touch in found.first:
            self._access(op, touch, here, here)
        if found.meets:
            self._meet(found, here)
        for touch in found.last:
            self._access(op, touch, here, here)
        if found.start is not None:
            self._start(op, found, found.start, here)

    def _meet(self, found: effects.Effects, here: Threads) -> None:
        is_of_columns = found.fences and found.start is Start.TENSOR_MMA
        if is_of_columns:
            here.fence_before_barrier()
        elif found.fences:
            here.fence()
        here.meet()
        if is_of_columns:
            here.fence_after_barrier()

    def _start(self, op: Operation, found: effects.Effects, start: Start, here: Threads) -> None:
        flight = Flight(op, start, here.done() if start is Start.TENSOR_MMA else Clock())
        for touch in found.work:
            self._access(op, touch, here, flight)
        self._now.started[here, op] = flight
        if start in (Start.WARPGROUP_MMA, Start.TENSOR_MMA):
            here.mmas.append(flight)
            if isinstance(op, dialect.DotOp) or not all(
                touch.span.is_stage or touch.span.memory is Memory.TENSOR for touch in found.work
            ):
                self._finish_at_once(op, flight, start, here)
        elif start is Start.THREAD_COPY:
            here.group.append(flight)
        if start is Start.BULK_STORE and not op.results[0].uses:
            here.learn([flight], all_know=False)
        destination = getattr(op, "destination", None)
        if destination is not None and found.work:
            value = self._now.values[here, op][list(op.operands).index(destination)]
            self._now.filling.setdefault(id(value.storage), []).append(flight)

    def _finish_at_once(self, op: Operation, flight: Flight, start: Start, here: Threads) -> None:
        """Threads wait at once for an MMA in tensor memory with operands outside of stages.

        They do not if the only use of the accumulator is a wait in the same block.
        """
        user = op.results[0].get_user_of_unique_use()
        is_next = isinstance(user, dialect.FutureWaitOp) and user.parent is op.parent
        if start is Start.TENSOR_MMA and (isinstance(op, dialect.DotOp) or not is_next):
            here.meet()
            here.learn(_up_to(flight, here.mmas), all_know=True)

    def _access(
        self, op: Operation, touch: effects.Touch, here: Threads, actor: Threads | Flight
    ) -> None:
        tick = here.tick if actor is here else 0
        record = _Record(op, touch, actor, tick, self._now.executions)
        found = [
            (e, m)
            for (_, other, _), records in self._now.records.items()
            if _may_race(other, touch)
            for e in records
            if (m := _missing(e, record, here))
        ]
        for earlier, missing in sorted(found, key=lambda pair: -pair[0].execution):
            self._report(earlier, record, missing)
        who = here if actor is here else None
        records = self._now.records.setdefault((op, touch, who), [])
        records.append(record)
        del records[: -1 if actor is here else -KEPT]

    def _report(self, first: _Record, second: _Record, missing: str) -> None:
        span = first.touch.span.common(second.touch.span)
        writes = (first.touch.writes, second.touch.writes)
        self._report_pair(first.op, second.op, span, writes, missing)

    def _report_global(
        self, first: Record, second: Record, common: GlobalBytes, missing: str
    ) -> None:
        writes = (first.writes, second.writes)
        self._report_pair(first.op, second.op, common, writes, missing)

    def _report_pair(
        self,
        first: Operation,
        second: Operation,
        span: MemoryRange | GlobalBytes,
        writes: tuple[bool, bool],
        missing: str,
    ) -> None:
        if (first, second) in self._reported:
            return
        self._reported.add((first, second))
        assert self._running is not None
        self._tell(OnChipRace(first, second, span, self._running.block, *writes, missing))


def _up_to(flight: Flight, started: Iterable[Flight]) -> list[Flight]:
    """An MMA and all earlier ones, since MMAs complete in order of issue."""
    before: list[Flight] = []
    for other in started:
        before.append(other)
        if other is flight:
            break
    return before


def _may_race(first: effects.Touch, second: effects.Touch) -> bool:
    """Whether two accesses must be ordered if different threads perform them."""
    if not (first.writes or second.writes) or not first.span.overlaps(second.span):
        return False
    return not (first.path is second.path is effects.Path.TENSOR_CORE)


def _missing(first: _Record, second: _Record, here: Threads) -> str | None:
    """The missing synchronisation between two accesses that may race; None if they are ordered."""
    earlier, later = first.touch, second.touch
    is_same = first.actor is second.actor
    if is_same and effects.have_same_threads(earlier, later):
        return None
    if first.execution == second.execution:
        return None
    if not here.knows(first.actor, first.tick):
        return _unordered(first, here)
    is_in_columns = is_same and earlier.span.memory is Memory.TENSOR
    if earlier.path is not effects.Path.THREADS or (
        later.path is effects.Path.THREADS and not is_in_columns
    ):
        return None
    if later.path is effects.Path.TENSOR_CORE or is_in_columns:
        fenced = here.tensor.says(first.actor, first.tick)
        return None if fenced else "no fence_tmem before and after a barrier is between them"
    fenced = here.fenced.says(first.actor, first.tick)
    if earlier.writes and not fenced:
        return "no fence_proxy is between them"
    return None


def _unordered(first: _Record, here: Threads) -> str:
    if isinstance(first.actor, Threads):
        if first.actor is here:
            return "no barrier is between them"
        if here.own.names(first.actor):
            return "no barrier follows the agents"
        return "no handshake of agents orders them"
    if here.own.names(first.actor):
        return "no barrier follows the wait for the first"
    return "nothing waits for the first, which is asynchronous"
