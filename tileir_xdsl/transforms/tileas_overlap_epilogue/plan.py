"""Separates the ops of an agent that issue the MMAs of a tile from the epilogue, if possible.

scf.for %tile .. {
  %c = async.to_async %zero
  %d = scf.for .. iter_args(%acc = %c) {..}     // the MMAs: one thread can issue them
  %t = async.future_wait %d                      // the only use of the accumulator
  ..                                             // the epilogue
}
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from tileir_xdsl.analysis.allocation.shared_memory_allocation import end_of, place, requirements_of
from tileir_xdsl.analysis.allocation.tensor_memory_allocation import scale_columns
from tileir_xdsl.analysis.buffers.cta_sharing import shared_pipelines
from tileir_xdsl.analysis.buffers.origin import is_in_tensor_memory
from tileir_xdsl.analysis.buffers.pipelines import reads_answer
from tileir_xdsl.analysis.mma.accumulators import accumulator_values, same_accumulator
from tileir_xdsl.analysis.mma.mma_loops import MMALoops
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma, tensor_memory_mmas
from tileir_xdsl.analysis.regions.program_slices import ProgramSlice, slice_of
from tileir_xdsl.analysis.regions.region_flow import surely_runs
from tileir_xdsl.analysis.threads.block_sharing import wanted_blocks
from tileir_xdsl.analysis.threads.one_thread import is_scalar
from tileir_xdsl.analysis.values.carried_values import is_seen
from tileir_xdsl.builders.dots import is_positive_zero
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.tensor_memory import COLUMNS, tile_columns
from tileir_xdsl.targets import Target
from tileir_xdsl.walking import ops_in

MOST_ACCUMULATORS = 2
"""The most accumulator stages: one is read while MMAs add to the other; more would not help."""

REPEATED = (nv_tileaa.CreateMemTokenOp, nv_tileas.IncIterOp, scf.ForOp, scf.IfOp, scf.WhileOp)
"""Ops that each agent may repeat, besides pure ops."""


class NoOverlapError(Exception):
    """The reason why the epilogue of a tile cannot be in a separate agent."""


@dataclass(frozen=True)
class Accumulator:
    """An accumulator of a tile: its initial value, its MMAs, and the wait of the epilogue."""

    start: nv_tileas.ToAsyncOp
    wait: nv_tileas.FutureWaitOp
    mmas: tuple[MMAOp, ...]

    @property
    def columns(self) -> int:
        """The columns of the accumulator in tensor memory, without block scales."""
        return tile_columns(tile_shape(self.start.source.type).shape)

    @property
    def scale_columns(self) -> int:
        """The columns of the block scales of its MMAs."""
        return scale_columns(self.mmas)


@dataclass(frozen=True)
class OverlapPlan:
    """The accumulators of a tile, and the ops of its loop that issue their MMAs."""

    switch: nv_tileaa.AgentLikeOpInterface
    agent: Region
    """The agent with both the MMAs and the epilogue."""
    block: Block
    """The body of the loop over tiles."""
    accumulators: tuple[Accumulator, ...]
    issuing: tuple[Operation, ...]
    """The ops that issue MMAs, in order, without the initial values of accumulators."""

    @property
    def number(self) -> int:
        """The index of the agent in the switch."""
        return self.switch.agent_bodies.index(self.agent)

    @property
    def guards(self) -> tuple[scf.ForOp, ...]:
        """The loops of MMAs, if a tile has MMAs only where one of these loops runs; otherwise
        empty.
        """
        if all(any(map(self._is_sure, each.mmas)) for each in self.accumulators):
            return ()
        return tuple(op for op in self.issuing if isinstance(op, scf.ForOp))

    def _is_sure(self, mma: MMAOp) -> bool:
        """Whether an MMA is certainly issued for each tile."""
        loop = mma.parent_op()
        return mma.parent is self.block or (
            isinstance(loop, scf.ForOp) and loop.parent is self.block and surely_runs(loop)
        )

    def columns(self, stages: int) -> int:
        """The columns of tensor memory for a number of accumulator stages."""
        return sum(stages * a.columns + a.scale_columns for a in self.accumulators)


def room_for_barriers(function: nv_tileaa.FuncOp, target: Target) -> int:
    """The bytes of shared memory that are free for the mbarriers of accumulator stages."""
    requirements = requirements_of(function, target, shared_pipelines(function))
    return target.limits.shared_memory_per_block - end_of(place(requirements, target))


def stages_that_fit(function: nv_tileaa.FuncOp, plan: OverlapPlan) -> int:
    """How many accumulator stages fit in tensor memory, at most two.

    The blocks that should run on a multiprocessor at once share its columns.
    """
    available = COLUMNS // wanted_blocks(function)
    counts = range(MOST_ACCUMULATORS, 0, -1)
    return next((n for n in counts if _allocated(plan.columns(n)) <= available), 0)


def _allocated(columns: int) -> int:
    """The allocated columns, a power of two."""
    return 1 << (columns - 1).bit_length()


def switch_of(function: nv_tileaa.FuncOp) -> nv_tileaa.AgentLikeOpInterface | None:
    """The only switch of a kernel, if it has `tcgen05` MMAs in nested loops; otherwise None."""
    switches = [
        op for op in function.body.block.ops if isinstance(op, nv_tileaa.AgentLikeOpInterface)
    ]
    if len(switches) != 1:
        return None
    (switch,) = switches
    mmas = tensor_memory_mmas(ops_in(switch))
    return switch if any(_loops_around(mma, switch) > 1 for mma in mmas) else None


def _loops_around(op: Operation, switch: nv_tileaa.AgentLikeOpInterface) -> int:
    """How many loops enclose an op in an agent."""
    count, around = 0, op.parent_op()
    while around is not None and around is not switch:
        count += isinstance(around, scf.ForOp | scf.WhileOp)
        around = around.parent_op()
    return count


def _persistent_starts(switch: nv_tileaa.AgentLikeOpInterface) -> Iterator[nv_tileas.ToAsyncOp]:
    """The initial values in loops of accumulators that inner loops of `tcgen05` MMAs carry."""
    for op in ops_in(switch):
        if not isinstance(op, nv_tileas.ToAsyncOp) or op.parent_op() is switch:
            continue
        loops = (use.operation for use in op.result.uses if isinstance(use.operation, scf.ForOp))
        if any(is_tensor_memory_mma(inner) for loop in loops for inner in ops_in(loop)):
            yield op


def plan_overlap(function: nv_tileaa.FuncOp, switch: nv_tileaa.AgentLikeOpInterface) -> OverlapPlan:
    """The MMAs that a separate agent would issue.

    Raises `NoOverlapError` if a separate agent is impossible.
    """
    starts = list(_persistent_starts(switch))
    if not starts:
        raise NoOverlapError("accumulators are in registers between MMAs")
    agents = {_agent_of(start, switch) for start in starts}
    blocks = {start.parent for start in starts}
    if len(agents) != 1 or len(blocks) != 1:
        raise NoOverlapError("accumulators begin in several agents or blocks")
    (agent,), (block,) = agents, blocks
    assert block is not None
    _check_loops(block, agent)
    values = accumulator_values(function)
    if any(is_in_tensor_memory(value.type) for value in values):
        raise NoOverlapError("threads copy to tensor memory")
    mmas = tensor_memory_mmas(ops_in(switch))
    accumulators = tuple(_accumulator(start, block) for start in starts)
    if sum(len(accumulator.mmas) for accumulator in accumulators) != len(mmas):
        raise NoOverlapError("an accumulator does not begin at zero for each tile")
    plan = OverlapPlan(switch, agent, block, accumulators, _issuing(accumulators, block))
    _check_issuing(plan, MMALoops.of(function))
    _check_agents(plan)
    return plan


def _agent_of(op: Operation, switch: nv_tileaa.AgentLikeOpInterface) -> Region:
    return next(region for region in switch.agent_bodies if region.is_ancestor(op))


def _check_loops(block: Block, agent: Region) -> None:
    """Raises `NoOverlapError` if an op other than a loop encloses a block in an agent."""
    around = block
    while around is not agent.block:
        loop = around.parent_op()
        if not isinstance(loop, scf.ForOp | scf.WhileOp) or loop.parent is None:
            raise NoOverlapError("tiles are computed in a branch")
        if isinstance(loop, scf.WhileOp) and around.parent is loop.before_region:
            raise NoOverlapError("tiles are computed in a loop condition")
        around = loop.parent


# Accumulators.


def _accumulator(start: nv_tileas.ToAsyncOp, block: Block) -> Accumulator:
    if not is_positive_zero(start.source):
        raise NoOverlapError("an accumulator does not begin at zero for each tile")
    values = same_accumulator(start.result)
    waits = [
        use.operation
        for value in values
        for use in value.uses
        if isinstance(use.operation, nv_tileas.FutureWaitOp)
    ]
    if len(waits) != 1:
        raise NoOverlapError("an accumulator is not read exactly once for each tile")
    (wait,) = waits
    if wait.parent is not block:
        raise NoOverlapError("an accumulator is read while MMAs add to it")
    owners = (value.owner for value in values)
    mmas = tuple(o for o in owners if isinstance(o, MMAOp) and is_tensor_memory_mma(o))
    return Accumulator(start, wait, mmas)


def _issuing(accumulators: Sequence[Accumulator], block: Block) -> tuple[Operation, ...]:
    """The ops of a block that use accumulators, except the waits of the epilogue."""
    starts = {accumulator.start for accumulator in accumulators}
    waits = {accumulator.wait for accumulator in accumulators}
    found: set[Operation] = set()
    for accumulator in accumulators:
        for value in same_accumulator(accumulator.start.result):
            for use in value.uses:
                op = block.find_ancestor_op_in_block(use.operation)
                if op is None or op is block.last_op:
                    raise NoOverlapError("a loop carries an accumulator from tile to tile")
                found.add(op)
    return tuple(op for op in block.ops if op in found - starts - waits)


def _check_issuing(plan: OverlapPlan, loops: MMALoops) -> None:
    """Raises `NoOverlapError` unless one thread can issue the MMAs of a tile."""
    for op in plan.issuing:
        match op:
            case scf.ForOp():
                needing = loops.needs_other_threads(op)
            case nv_tileas.AsyncDotOp() | nv_tileas.WaitOp():
                needing = None if loops.is_for_one_thread(op) else op
            case _:
                needing = op
        if needing is not None:
            raise NoOverlapError(f"one thread cannot execute '{needing.name}', which issues MMAs")
    for guard in plan.guards:
        # Where one of the loops runs, all accumulators have an MMA.
        inside = [[m for m in a.mmas if m.parent is guard.body.block] for a in plan.accumulators]
        if not all(inside):
            raise NoOverlapError("whether an accumulator has an MMA depends on several loops")
    last = plan.issuing[-1]
    for accumulator in plan.accumulators:
        if not last.is_before_in_block(accumulator.wait):
            raise NoOverlapError("an accumulator is read while MMAs add to it")


# Agents.


def issuing_ops(plan: OverlapPlan) -> set[Operation]:
    """The ops that issue MMAs, including nested ops."""
    return {inner for op in plan.issuing for inner in ops_in(op)}


def _check_agents(plan: OverlapPlan) -> None:
    """Raises `NoOverlapError` if the agents would exchange more than accumulators."""
    inside, block = issuing_ops(plan), plan.agent.block
    issues = issuing_slice(plan.agent, inside)
    starts = {accumulator.start for accumulator in plan.accumulators}
    zeros = {accumulator.start.source.owner for accumulator in plan.accumulators}
    for op in issues.ops - inside - starts - zeros:
        is_repeated = isinstance(op, REPEATED) or (is_scalar(op) and not is_seen(op))
        if not (is_repeated or reads_answer(op)):
            raise NoOverlapError(f"the MMAs depend on op '{op.name}' of the epilogue")
    instead: dict[SSAValue, SSAValue] = {a.wait.result: a.start.source for a in plan.accumulators}
    rest = slice_of(epilogue_roots(plan.agent, inside), block, instead)
    if any(is_tensor_memory_mma(op) for op in rest.ops):
        raise NoOverlapError("the epilogue needs more of the MMAs than their accumulators")


def issuing_slice(agent: Region, issuing: set[Operation]) -> ProgramSlice:
    """The ops that an agent needs to issue MMAs, including the read of the next tile block and the
    release of that stage.
    """
    roots = [op for op in issuing if is_seen(op)]
    needed = slice_of(roots, agent.block)
    releases = [
        op
        for op in ops_in(agent)
        if isinstance(op, nv_tileas.ConsumerReleaseOp)
        and reads_answer(op)
        and op.token.owner in needed.ops
    ]
    return slice_of([*roots, *releases], agent.block) if releases else needed


def epilogue_roots(agent: Region, issuing: set[Operation]) -> list[Operation]:
    """The ops of an agent with effects, except those that issue MMAs."""
    return [
        op
        for op in ops_in(agent)
        if is_seen(op) and op not in issuing and not isinstance(op, nv_tileas.IncIterOp)
    ]
