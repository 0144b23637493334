"""The choice of the thread that issues ops for all threads: bulk copies, MMAs, and their commits.

    %s = nv_tileas.async.tiled_tma_store %map, %b[%i, %j]
    // becomes
    %s = nv_tileas.async.tiled_tma_store %map, %b[%i, %j]
        {nv_tileas.issuer = #nv_tileas.issuer<elected_lane_of_first_warp>, ..}

A commit covers the work that the executing thread has issued, so ops on the same work have the same
issuer. Waits for a store have the issuer of the store. The issuer of MMAs is the elected lane of
one warp; if `tileas-generate-schedule` has chosen so, of one warp in each warpgroup.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import holds_accumulators, pipeline_of
from tileir_xdsl.analysis.mma.accumulators import accumulator_values
from tileir_xdsl.analysis.mma.mma_loops import pipelines_of_mmas
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma, tensor_memory_mmas
from tileir_xdsl.analysis.threads.agent_warps import THREADS_PER_WARP, WARPS_PER_GROUP
from tileir_xdsl.analysis.threads.one_thread import starts_bulk_copies
from tileir_xdsl.analysis.threads.replication import threads_around
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.async_tokens import AwaitOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.control import ProgramIdRequestOp
from tileir_xdsl.dialects.nv_tileas.strategies import (
    Issuer,
    Strategy,
    is_of_each_warpgroup,
    issuer_of,
)
from tileir_xdsl.dialects.nv_tileas.tma import TmaTransferOp
from tileir_xdsl.rewriting import look_up
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.walking import ops_in

from .strategies import Family, Row, StrategySelection

THREADS_PER_WARPGROUP = WARPS_PER_GROUP * THREADS_PER_WARP

ELECTION = 6
"""The cost of an election: the instructions that elect a thread, and join the threads
afterwards.
"""

UNIFORM_LOOP = 20
"""The instructions that ptxas adds if it does not know that one lane runs.

The instructions loop over lanes, since uniform registers, such as addresses and descriptors, hold
the value of one lane.
"""


@dataclass(frozen=True)
class Issue:
    """The context of an op that one thread issues for all threads."""

    threads: int
    """How many threads execute the program around the op."""
    is_alone: bool
    """Whether a single thread executes the region around the op."""
    has_election: bool
    """Whether the target has `elect.sync`."""
    is_of_mmas: bool
    """Whether the op issues, commits or waits for `tcgen05` MMAs."""
    not_divided: str | None = "not all dots are written to be"
    """The reason why warpgroups do not each issue the MMAs of their own rows, or None."""


def _not_alone(issue: Issue) -> str | None:
    return None if issue.is_alone else f"{issue.threads} threads execute the region around it"


def _no_election(issue: Issue) -> str | None:
    if issue.is_alone:
        return "one thread executes the region around it"
    return None if issue.has_election else "the target has no elect.sync"


def _not_one_warp(issue: Issue) -> str | None:
    if (problem := _no_election(issue)) is not None:
        return problem
    warps = issue.threads // THREADS_PER_WARP
    return f"each of {warps} warps would elect a lane" if warps > 1 else None


def _not_all_rows(issue: Issue) -> str | None:
    """The reason why one lane cannot issue an op for all rows, or None."""
    if (problem := _no_election(issue)) is not None:
        return problem
    is_divided = issue.is_of_mmas and issue.not_divided is None
    return "each warpgroup issues the dots of its own rows" if is_divided else None


def _not_of_rows(issue: Issue) -> str | None:
    """The reason why each warpgroup cannot issue an op for its own rows, or None."""
    if (problem := _no_election(issue)) is not None:
        return problem
    return issue.not_divided if issue.is_of_mmas else "it is not about the rows of dots"


def _not_of_mmas(issue: Issue) -> str | None:
    if issue.is_alone:
        return "one thread executes the region around it"
    return "a commit covers the MMAs of one thread, the elected one" if issue.is_of_mmas else None


FAMILY: Family[Issue] = Family(
    lambda _op, _target: None,
    (
        Row(
            Issuer.ONLY_THREAD,
            _not_alone,
            lambda _: 0,
            "the region around it has elected the thread",
        ),
        Row(
            Issuer.ELECTED_LANE,
            _not_one_warp,
            lambda _: ELECTION // 3,
            "PTX ISA, elect.sync: one lane of a warp",
        ),
        Row(
            Issuer.ELECTED_LANE_OF_FIRST_WARP,
            _not_all_rows,
            lambda _: ELECTION,
            "PTX ISA, elect.sync; shfl.sync, by which ptxas knows that a warp index is uniform",
        ),
        Row(
            Issuer.ELECTED_LANE_OF_EACH_WARPGROUP,
            _not_of_rows,
            lambda _: ELECTION,
            "PTX ISA, elect.sync; tcgen05.mma, whose M is 128",
        ),
        Row(
            Issuer.FIRST_THREAD,
            _not_of_mmas,
            lambda issue: ELECTION // 3 + UNIFORM_LOOP * issue.has_election,
            "PTX ISA, %tid",
        ),
    ),
    kind="issuer",
)
"""The threads that may issue an op."""

ISSUERS = frozenset(row.strategy.value for row in FAMILY.rows)
"""Their names."""


@dataclass(frozen=True)
class IssuingFunction:
    """Facts about a function that determine which ops one thread issues; computed on demand."""

    function: FuncOp
    target: Target

    @cached_property
    def accumulators(self) -> frozenset[SSAValue]:
        """The accumulators in tensor memory."""
        if Feature.TCGEN05 not in self.target.features:
            return frozenset()
        return accumulator_values(self.function)

    @cached_property
    def not_divided(self) -> str | None:
        """The reason why warpgroups do not each issue the MMAs of their own rows, or None."""
        if Feature.TCGEN05 not in self.target.features:
            return "the target has no tensor memory"
        # Imported where a target has tensor memory.
        from tileir_xdsl.analysis.mma.warpgroup_mmas import (  # noqa: PLC0415
            why_not_of_each_warpgroup,
        )

        mmas = tensor_memory_mmas(ops_in(self.function))
        if not mmas or not all(map(is_of_each_warpgroup, mmas)):
            return "not all dots are written to be"
        groups = {threads_around(mma) // THREADS_PER_WARPGROUP for mma in mmas}
        return why_not_of_each_warpgroup(self.function, mmas, min(groups))

    @cached_property
    def read_by_mmas(self) -> frozenset[Operation]:
        """The pipelines whose stages only MMAs in tensor memory read."""
        if Feature.TCGEN05 not in self.target.features:
            return frozenset()
        return frozenset(pipelines_of_mmas(self.function))

    @cached_property
    def filled_by_bulk_copies(self) -> frozenset[Operation | None]:
        """The pipelines that bulk copies fill."""
        producers = (op for op in ops_in(self.function) if isinstance(op, ProduceOp))
        return frozenset(pipeline_of(op.token) for op in producers if starts_bulk_copies(op))


Issues = Callable[[Any, IssuingFunction], bool]


def _always(_op: Operation, _function: IssuingFunction) -> bool:
    return True


def _mma(op: Operation, _function: IssuingFunction) -> bool:
    return is_tensor_memory_mma(op)


def _commit(op: AwaitOp, function: IssuingFunction) -> bool:
    """Whether a wait is for MMAs, which it may have to commit first."""
    return any(source in function.accumulators for source in op.operands)


def _start(op: nv_tileas.ToAsyncOp, function: IssuingFunction) -> bool:
    return op.result in function.accumulators


def _release(op: nv_tileas.ConsumerReleaseOp, function: IssuingFunction) -> bool:
    """Whether the commit of MMAs releases the stage, instead of threads."""
    return pipeline_of(op.token) in function.read_by_mmas


def _fills(op: nv_tileas.ProducerCommitOp, _function: IssuingFunction) -> bool:
    """Whether a commit of MMAs publishes the stage, instead of threads."""
    pipeline = pipeline_of(op.token)
    return pipeline is not None and holds_accumulators(pipeline)


def _write(op: nv_tileas.ProducerWriteOp, _function: IssuingFunction) -> bool:
    """Whether the op writes scalars, which one thread stores."""
    return any(not isinstance(value.type, TensorType) for value in op.values)


def _produce(op: ProduceOp, function: IssuingFunction) -> bool:
    """Whether one thread arrives for bulk copies, or stores scalars."""
    terminator = op.body.block.last_op
    assert terminator is not None
    has_scalars = any(not isinstance(value.type, TensorType) for value in terminator.operands)
    return (op.stores_values and has_scalars) or (
        pipeline_of(op.token) in function.filled_by_bulk_copies
    )


ISSUING: Mapping[type[Operation], Issues] = {
    ProgramIdRequestOp: _always,
    MMAOp: _mma,
    TmaTransferOp: _always,
    nv_tileas.ConsumerReleaseOp: _release,
    AwaitOp: _commit,
    ProduceOp: _produce,
    nv_tileas.ProducerCommitOp: _fills,
    nv_tileas.ProducerWriteOp: _write,
    nv_tileas.ToAsyncOp: _start,
}
"""For each op type, the condition under which one thread issues the op."""

OF_MMAS = (
    AwaitOp,
    MMAOp,
    nv_tileas.ConsumerReleaseOp,
    nv_tileas.ProducerCommitOp,
    nv_tileas.ToAsyncOp,
    scf.ForOp,
)
"""Ops that issue or commit MMAs by one thread."""


def issuer_selection(
    op: Operation,
    executed: Sequence[Strategy],
    function: IssuingFunction,
    forced: str | None,
    *,
    is_alone: bool,
) -> StrategySelection | None:
    """The choice of the thread that issues an op, or executes its regions; None if all threads do.

    Args:
        op: the op.
        executed: who executes its regions.
        function: the function around it.
        forced: the name of an issuer, to be taken.
        is_alone: whether one thread executes the region around it.

    Raises `PassFailedException` for an impossible issuer.
    """
    issues = look_up(ISSUING, op)
    if Strategy.ONE_THREAD not in executed and (issues is None or not issues(op, function)):
        return None
    # An agent that one thread executes has one warp.
    is_agent = isinstance(op, nv_tileaa.AgentLikeOpInterface)
    issue = Issue(
        THREADS_PER_WARP if is_agent else threads_around(op),
        is_alone,
        Feature.ELECT in function.target.features,
        isinstance(op, OF_MMAS),
        function.not_divided,
    )
    return StrategySelection.among(op, FAMILY, issue, issuer_of(op), forced)
