"""The option `force`: the insertions before ops, by the numbers of the ops.

#4=none, kernel#5=fence_proxy_async_shared/barrier_agent

The names of insertions are those of the report, with `_` for a blank.
"""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation

from tileir_xdsl.analysis.threads.agent_warps import function_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy, region_strategies_of, strategy_of
from tileir_xdsl.dialects.nv_tileas.synchronization import SYNCHRONIZED
from tileir_xdsl.dialects.target_attributes import target_around
from tileir_xdsl.explain import OperationLabels, forced_ops
from tileir_xdsl.targets import DEFAULT_TARGET, Target, get_target

from .hazards import anchor_of
from .insertions import FORMS, Insertion

NOTHING = "none"
"""The name in `force` for no insertion."""

SEPARATOR = "/"
"""Separates several insertions before one op in `force`, in their order."""

BY_NAME: Mapping[str, Insertion] = {each.value.replace(" ", "_"): each for each in Insertion}

AROUND = (
    nv_tileaa.FuncOp,
    nv_tileaa.AgentLikeOpInterface,
    ConsumeOp,
    nv_tileas.PragmaOp,
    ProduceOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
)
"""The ops whose regions may contain barriers and fences."""


def read_forced(
    option: str, labels: Mapping[nv_tileaa.FuncOp, OperationLabels]
) -> dict[Operation, Sequence[Insertion]]:
    """The insertions that the option lists, by op.

    Raises `PassFailedException` as `forced_ops` does, for an unknown name or an illegal insertion,
    and for a function that is synchronised already.
    """
    forced: dict[Operation, Sequence[Insertion]] = {}
    for op, name in forced_ops(option, labels).items():
        function = function_of(op)
        if SYNCHRONIZED in function.attributes:
            fail(op, f"'{op.name}' op cannot be forced: its function already has its barriers")
        target = target_around(function) or get_target(DEFAULT_TARGET)
        forced[op] = _read_insertions(op, anchor_of(op), name, target)
    return forced


def _read_insertions(
    op: Operation, anchor: Operation, name: str, target: Target
) -> list[Insertion]:
    """The insertions that `force` lists for an op; they are inserted before `anchor`.

    Raises `PassFailedException` for an unknown name, and for an insertion that is illegal before
    `anchor`.
    """
    names = [] if name == NOTHING else name.split(SEPARATOR)
    for each in names:
        if each not in BY_NAME:
            known = ", ".join((NOTHING, *BY_NAME))
            fail(op, f"'{op.name}' op has no insertion '{each}', expected one of {known}")
        if (reason := next(_refusals(op, anchor, BY_NAME[each], target), None)) is not None:
            fail(op, f"'{op.name}' op cannot have '{each}' before it: {reason}")
    return [BY_NAME[each] for each in names]


def _refusals(
    op: Operation, anchor: Operation, insertion: Insertion, target: Target
) -> Iterator[str]:
    """The reasons why an insertion is illegal before an op."""
    form = FORMS[insertion]
    if form.feature is not None and form.feature not in target.features:
        yield f"{target.name} has no {form.feature.value}"
    child, around = op, op.parent_op()
    while around is not None and not isinstance(child, nv_tileaa.FuncOp):
        if not isinstance(around, AROUND):
            yield f"'{around.name}' op has it within its region"
        if form.of_all_threads and _is_of_one_thread(around, child):
            yield f"one thread executes the region of '{around.name}' op around it"
        child, around = around, around.parent_op()
    if anchor is not op:
        yield f"it belongs before '{anchor.name}' op, with which it is executed"


def _is_of_one_thread(around: Operation, child: Operation) -> bool:
    """Whether one thread executes the region of `around` that contains `child`."""
    if isinstance(around, nv_tileaa.AgentLikeOpInterface):
        strategies = region_strategies_of(around)
        region = child.parent_region()
        if strategies is None or region is None:
            return False
        return strategies[around.regions.index(region)] is Strategy.ONE_THREAD
    return strategy_of(around) is Strategy.ONE_THREAD
