"""Timelines of the agents of a kernel, in cycles of the cost model.

Each agent executes its ops in order. An op occupies its resource for its cycles; copies and MMAs
are asynchronous, and all agents share the units. A producer fills an empty stage: the k-th fill of
a pipeline of n stages waits for the (k - n)-th release. The k-th wait of a consumer waits for the
k-th fill. Loops are simulated for some iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import is_null, pipeline_of
from tileir_xdsl.analysis.mma.mmas_in_flight import is_asynchronous_mma
from tileir_xdsl.analysis.scheduling.occupancy import Occupancy, occupancy_of
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.async_tokens import AwaitOp
from tileir_xdsl.drawings.program_layouts import Ids
from tileir_xdsl.drawings.timeline import Bar, Timeline, steady_state
from tileir_xdsl.targets.throughput import Resource, Throughput
from tileir_xdsl.walking import ops_in

HANDSHAKES = (ProduceOp, nv_tileas.ConsumerWaitOp, nv_tileas.ConsumerReleaseOp)
EXTRA_ITERATIONS = 4
"""Simulated iterations in addition to the number of stages, to reach the steady state."""
OUTER_ITERATIONS = 2
"""Simulated iterations of loops around loops with pipelines."""

Steps = Generator["Callable[[], int | None]", int, None]
"""The simulation of an agent: the generator yields a function that returns the cycle of the awaited
event, or None, and is sent that cycle.
"""


@dataclass
class Machine:
    """State that agents share: units, and the cycles of filled and released stages."""

    rates: Throughput
    ids: Ids
    iterations: int
    free: dict[Resource, int] = field(default_factory=dict[Resource, int])
    filled: dict[tuple[Operation, int], int] = field(
        default_factory=dict[tuple[Operation, int], int]
    )
    released: dict[tuple[Operation, int], int] = field(
        default_factory=dict[tuple[Operation, int], int]
    )
    bars: list[Bar] = field(default_factory=list[Bar])
    occupancies: dict[Operation, Occupancy] = field(default_factory=dict[Operation, Occupancy])

    def occupancy(self, op: Operation) -> Occupancy:
        """The units and cycles that an op occupies."""
        if op not in self.occupancies:
            self.occupancies[op] = occupancy_of(op, self.rates)
        return self.occupancies[op]

    def take(self, op: Operation, earliest: int, iteration: int) -> tuple[int, int]:
        """Occupies the unit of an asynchronous op; returns the cycles when it begins and when its
        result is available.
        """
        occupancy = self.occupancy(op)
        begin = max(earliest, self.free.get(occupancy.resource, 0))
        self.free[occupancy.resource] = begin + occupancy.cycles
        if occupancy.cycles:
            self.draw(occupancy.resource.value, begin, begin + occupancy.cycles, op, iteration)
        return begin, begin + occupancy.latency

    def draw(
        self, row: str, start: int, end: int, op: Operation, iteration: int, waits: bool = False
    ) -> None:
        """Adds a bar."""
        name = op.name.rpartition(".")[2]
        self.bars.append(Bar(row, start, end, name, iteration, waits, None, tuple(self.ids(op))))


@dataclass
class AgentState:
    """The state of an agent: its cycle, when its values are available, and counts of its fills and
    waits per pipeline.
    """

    machine: Machine
    row: str
    now: int = 0
    iteration: int = 0
    ready: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    counts: dict[tuple[Operation, str], int] = field(
        default_factory=dict[tuple[Operation, str], int]
    )
    loop_starts: list[int] = field(default_factory=list[int])
    """The cycles when iterations of the agent's innermost loops with stages began."""
    first_tokens: set[SSAValue] = field(default_factory=set[SSAValue])
    """Loop arguments that are null tokens in the first iteration."""

    def run(self, block: Block) -> Steps:
        """Executes the ops of a block in order."""
        for op in block.ops:
            if isinstance(op, scf.ForOp) and _has_handshakes(op):
                yield from self._loop(op)
            elif isinstance(op, scf.WhileOp) and _has_handshakes(op):
                yield from self._while(op)
            elif isinstance(op, scf.IfOp) and _has_handshakes(op):
                yield from self.run(op.true_region.block)
                self._forward(op.true_region.block, op.results)
            elif isinstance(op, ProduceOp):
                yield from self._produce(op)
            elif isinstance(op, nv_tileas.ConsumerWaitOp):
                yield from self._wait_for_stage(op)
            elif isinstance(op, nv_tileas.ConsumerReleaseOp):
                self._release(op)
            else:
                self._execute(op)

    def _loop(self, loop: scf.ForOp) -> Steps:
        body, inner = loop.body.block, _has_handshake_loops(loop)
        carried: list[SSAValue] = list(body.args[1:])
        self._forward_values(loop.iter_args, carried)
        nulls: set[SSAValue] = {
            argument
            for argument, value in zip(carried, loop.iter_args, strict=True)
            if isinstance(value.type, nv_tileas.PipelineConsumerTokenType) and is_null(value)
        }
        for number in range(OUTER_ITERATIONS if inner else self.machine.iterations):
            if not inner:
                self._begin(number)
            self.first_tokens = nulls if number == 0 else set[SSAValue]()
            yield from self.run(body)
            self._forward(body, carried)
        self._forward_values(carried, loop.results)

    def _while(self, loop: scf.WhileOp) -> Steps:
        """Simulates a rotated loop: the `before` region is the last part of an iteration, and the
        first part of iteration 0 is peeled.
        """
        rest, first = loop.before_region.block, loop.after_region.block
        self._forward_values(loop.arguments, rest.args)
        for number in range(self.machine.iterations):
            self._begin(number)
            yield from self.run(rest)
            if number + 1 < self.machine.iterations:
                self._forward(rest, first.args, skip=1)
                yield from self.run(first)
                self._forward(first, rest.args)
        self._forward(rest, loop.results, skip=1)

    def _begin(self, iteration: int) -> None:
        self.iteration = iteration
        self.loop_starts.append(self.now)

    def _forward(self, block: Block, to: Sequence[SSAValue], skip: int = 0) -> None:
        """Forwards the values that the terminator of a block yields."""
        end = block.last_op
        assert end is not None
        self._forward_values(end.operands[skip:], to)

    def _forward_values(self, values: Sequence[SSAValue], to: Sequence[SSAValue]) -> None:
        self.ready.update(zip(to, list(map(self._ready, values)), strict=True))

    def _produce(self, op: ProduceOp) -> Steps:
        pipeline = pipeline_of(op.token)
        if pipeline is None:
            return
        number = self._count(pipeline, "produce")
        stages = pipeline.num_stages.value.data
        if number >= stages:
            yield from self._wait(
                op, lambda: self.machine.released.get((pipeline, number - stages))
            )
        _, ready = self.machine.take(op, self.now, self.iteration)
        self.machine.filled[pipeline, number] = ready

    def _wait_for_stage(self, op: nv_tileas.ConsumerWaitOp) -> Steps:
        pipeline = pipeline_of(op.token)
        if pipeline is None:
            return
        number = self._count(pipeline, "wait")
        yield from self._wait(op, lambda: self.machine.filled.get((pipeline, number)))

    def _release(self, op: nv_tileas.ConsumerReleaseOp) -> None:
        pipeline = pipeline_of(op.token)
        if pipeline is None or op.token in self.first_tokens:
            return
        key = pipeline, self._count(pipeline, "release")
        self.machine.released[key] = max(self.now, self.machine.released.get(key, 0))

    def _wait(self, op: Operation, when: Callable[[], int | None]) -> Steps:
        until = yield when
        self._stand(op, until)

    def _stand(self, op: Operation, until: int) -> None:
        if until > self.now:
            self.machine.draw(self.row, self.now, until, op, self.iteration, waits=True)
            self.now = until

    def _execute(self, op: Operation) -> None:
        if is_asynchronous_mma(op):
            _, ready = self.machine.take(op, self.now, self.iteration)
            self.ready.update(dict.fromkeys(op.results, ready))
            return
        needed = max((self._ready(value) for value in op.operands), default=0)
        if isinstance(op, AwaitOp):
            self._stand(op, needed)
        occupancy = self.machine.occupancy(op)
        if occupancy.cycles:
            self._stand(op, needed)
            row = self.row
            self.machine.draw(row, self.now, self.now + occupancy.cycles, op, self.iteration)
            self.now += occupancy.cycles
        self.ready.update(dict.fromkeys(op.results, max(self.now, needed)))

    def _ready(self, value: SSAValue) -> int:
        return self.ready.get(value, 0)

    def _count(self, pipeline: Operation, what: str) -> int:
        number = self.counts.get((pipeline, what), 0)
        self.counts[pipeline, what] = number + 1
        return number


def agents_timeline(
    switch: nv_tileaa.AgentLikeOpInterface, rates: Throughput, title: str, ids: Ids
) -> Timeline | None:
    """The timeline of a switch's agents; None without pipelines, or if the simulation deadlocks."""
    stages = [
        op.num_stages.value.data
        for op in _pipelines(switch)
        if isinstance(op, nv_tileas.CreatePipelineOp)
    ]
    if not stages:
        return None
    machine = Machine(rates, ids, max(stages) + EXTRA_ITERATIONS)
    agents = [AgentState(machine, row) for row in agent_names(switch)]
    steps = [agent.run(body.block) for agent, body in zip(agents, switch.agent_bodies, strict=True)]
    if not _run_all(steps):
        return None
    starts = max((agent.loop_starts for agent in agents), key=len)
    consumers = [a for a in agents if any(what == "wait" for _, what in a.counts)]
    if consumers:
        starts = consumers[0].loop_starts
    interval, steady_from = steady_state(starts)
    used = {bar.row for bar in machine.bars}
    rows = (*(a.row for a in agents), *(r.value for r in Resource if r.value in used))
    notes = (
        f"{len(agents)} agents, pipelines of {', '.join(map(str, stages))} stages; the first "
        f"{machine.iterations} iterations, by the cycles of the cost model.",
    )
    return Timeline(title, rows, tuple(machine.bars), interval, steady_from, notes)


def _run_all(steps: Sequence[Steps]) -> bool:
    """Runs agents until all are finished; returns false on a deadlock."""
    waiting = {agent: next(agent, None) for agent in steps}
    while any(waiting.values()):
        moved = False
        for agent, when in waiting.items():
            cycle = when() if when is not None else None
            if cycle is not None:
                moved = True
                try:
                    waiting[agent] = agent.send(cycle)
                except StopIteration:
                    waiting[agent] = None
        if not moved:
            return False
    return True


def agent_names(switch: nv_tileaa.AgentLikeOpInterface) -> list[str]:
    """Names such as `agent 0, warps 0-3` of all agents, without warps if these are unknown."""
    numbers = range(len(switch.agent_bodies))
    counts, firsts = switch.agent_warps, switch.first_warps
    if counts is None or firsts is None:
        return [f"agent {number}" for number in numbers]
    return [
        f"agent {number}, warp {first}" + (f"-{first + count - 1}" if count > 1 else "")
        for number, count, first in zip(numbers, counts, firsts, strict=True)
    ]


def _pipelines(switch: nv_tileaa.AgentLikeOpInterface) -> list[Operation]:
    """The pipelines that agents use, without duplicates."""
    tokens = (op.token for op in ops_in(switch) if isinstance(op, HANDSHAKES))
    found = (pipeline_of(token) for token in tokens)
    return list(dict.fromkeys(pipeline for pipeline in found if pipeline is not None))


def _has_handshakes(op: Operation) -> bool:
    return any(isinstance(inner, HANDSHAKES) for inner in ops_in(op))


def _has_handshake_loops(loop: scf.ForOp) -> bool:
    return any(isinstance(op, scf.ForOp) and _has_handshakes(op) for op in ops_in(loop)[1:])
