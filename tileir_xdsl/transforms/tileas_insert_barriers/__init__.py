"""`tileas-insert-barriers`: barriers and fences between ops that access the same memory.

    nv_tileas.copy %t into %b : ..                         nv_tileas.copy %t into %b : ..
    %s = nv_tileas.async.tiled_tma_store %m, %b ..    ->   nv_tileas.fence_proxy async_shared
                                                           nv_tileas.barrier agent
                                                           %s = nv_tileas.async.tiled_tma_store ..

`convert-tileas-to-llvm`, the next pass, emits only the synchronisation in the program. Two accesses
of different threads to the same bytes, one of them a write, need a barrier in between. A write of
threads and an asynchronous access need a fence and then a barrier. In global memory, that applies
to accesses that a token orders. Existing barriers, waits and fences are taken into account. The
report (`explain`) states for each inserted op the two accesses, the bytes, and the reason. Memory
must have been allocated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.memory_effects import Proxy
from tileir_xdsl.dialects.nv_tileas.interfaces import SynchronizationOpInterface
from tileir_xdsl.dialects.nv_tileas.synchronization import SYNCHRONIZED
from tileir_xdsl.dialects.target_attributes import target_around
from tileir_xdsl.explain import OperationLabels, Report, ReportValue, write_report
from tileir_xdsl.rewriting import DispatchWalker, WriteAttributes
from tileir_xdsl.targets import DEFAULT_TARGET, Feature, get_target
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.walking import ops_in

from .accesses import Accesses, ExtentAccess
from .footprints import GlobalAccess
from .hazards import Need, Needs, Walker, accumulator_fences, stage_fences
from .insertions import FORMS, Insertion
from .memory import Allocations
from .pending import Hazard, Pending

AnyAccess = ExtentAccess | GlobalAccess


@dataclass(frozen=True)
class TileASInsertBarriersPass(ModulePass):
    """Inserts the barriers and fences that a program needs, and marks its functions as
    synchronised.

    `explain` names a text or `.json` file for a report.
    """

    name = "tileas-insert-barriers"

    explain: str | None = None
    force: str | None = None
    """Forced insertions, which replace the computed ones before an op, e.g. `#4=none,
    kernel#7=barrier_agent`. Numbers and names are those of the report, with `_` for a blank.
    """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [inner for inner in ops_in(op) if isinstance(inner, nv_tileaa.FuncOp)]
        labels = {f: OperationLabels(f) for f in functions if self.explain or self.force}
        forced: Forced = {}
        if self.force is not None:
            # Most kernels have nothing forced, and need not import this.
            from .forced import read_forced  # noqa: PLC0415

            forced = read_forced(self.force, labels)
        report = Report(self.name)
        for function in functions:
            insert_barriers(function, None if self.explain is None else report, forced)
        if self.explain is not None:
            write_report(report, self.explain)


Forced = Mapping[Operation, Sequence[Insertion]]
"""The forced insertions before some ops, which replace the computed ones."""


@dataclass(frozen=True)
class SynchronizationPlan:
    """The insertions before the ops of a function."""

    function: nv_tileaa.FuncOp
    needs: Mapping[Operation, Need]
    stage_fences: tuple[Operation, ...] = ()
    """The ops before which a fence makes writes of threads to a stage visible to hardware."""
    accumulator_fences: Mapping[Operation, Insertion] = field(
        default_factory=dict[Operation, Insertion]
    )
    """The fence for accumulators in stages, by the op that it precedes."""
    forced: Forced = field(default_factory=dict[Operation, Sequence[Insertion]])

    @property
    def anchors(self) -> Sequence[Operation]:
        """The ops that may have insertions before them."""
        return *self.needs, *self.stage_fences, *self.accumulator_fences, *self.forced

    def inserted_before(self, op: Operation) -> list[Insertion]:
        """The insertions before an op, in order."""
        if op in self.forced:
            return list(self.forced[op])
        inserted = list(self.needs[op].insertions) if op in self.needs else []
        if op in self.stage_fences:
            inserted.append(Insertion.FENCE_SHARED)
        if op in self.accumulator_fences:
            inserted.append(self.accumulator_fences[op])
        return inserted


def plan_synchronization(
    function: nv_tileaa.FuncOp, forced: Forced | None = None
) -> SynchronizationPlan | None:
    """The insertions that one function needs, and forced ones; None if it is synchronised already.

    Raises `PassFailedException` if tensor memory has not been allocated.
    """
    # A program that is compiled from this level on has its barriers already.
    if SYNCHRONIZED in function.attributes:
        return None
    needs: Needs = {}
    if not function.body.blocks:
        return SynchronizationPlan(function, needs)
    forced = {op: each for op, each in (forced or {}).items() if function.is_ancestor(op)}
    target = target_around(function) or get_target(DEFAULT_TARGET)
    accesses = Accesses(Allocations.of(function), target)
    pending = Pending({}, Feature.BULK_COPY in target.features)
    Walker(accesses, forced).block(function.body.block, pending, needs)
    # Before sm_90 no hardware reads shared memory by itself.
    fences = stage_fences(function, accesses) if pending.has_async_proxy else ()
    fenced = tuple(op for op in fences if op not in forced)
    of_accumulators = (
        dict(accumulator_fences(function)) if Feature.TCGEN05 in target.features else {}
    )
    of_accumulators = {op: each for op, each in of_accumulators.items() if op not in forced}
    return SynchronizationPlan(function, needs, fenced, of_accumulators, forced)


@dataclass(frozen=True)
class InsertSynchronization(RewritePattern):
    """Inserts the barriers and fences of a plan before an op."""

    plan: SynchronizationPlan

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        inserted = [FORMS[each].build() for each in self.plan.inserted_before(op)]
        for new in inserted:
            new.location = op.location
        if inserted:
            rewriter.insert(inserted, InsertPoint.before(op))


def insert_barriers(
    function: nv_tileaa.FuncOp, report: Report | None = None, forced: Forced | None = None
) -> None:
    """Inserts the barriers and fences of one function, unless it is synchronised already.

    Raises `PassFailedException` if tensor memory has not been allocated.
    """
    plan = plan_synchronization(function, forced)
    if plan is None:
        return
    if report is not None:
        _explain(plan, report)
    patterns: dict[type[Operation], RewritePattern] = {
        nv_tileaa.FuncOp: WriteAttributes({function: {SYNCHRONIZED: UnitAttr()}})
    }
    for op in plan.anchors:
        patterns[type(op)] = InsertSynchronization(plan)
    DispatchWalker(patterns).rewrite(function)


# The report


def _explain(plan: SynchronizationPlan, report: Report) -> None:
    name, labels = plan.function.sym_name.data, OperationLabels(plan.function)
    by_hand = [op for op in ops_in(plan.function) if isinstance(op, SynchronizationOpInterface)]
    if by_hand:
        report.add(name, written_by_hand=[labels.label(op) for op in by_hand])
    for op, need in plan.needs.items():
        report.add(
            name,
            inserted=list(need.insertions),
            before=labels.label(op),
            because=[
                *(_reason(hazard, labels) for hazard in _each_pair(need)),
                *_after_switch(need, op, labels),
            ],
        )
    for op in plan.stage_fences:
        report.add(
            name,
            inserted=[Insertion.FENCE_SHARED],
            before=labels.label(op),
            because="hardware reads asynchronously what threads put in a stage",
        )
    for op, fence in plan.accumulator_fences.items():
        report.add(
            name,
            inserted=[fence],
            before=labels.label(op),
            because="a handshake orders accesses of tensor memory only with a fence",
        )
    if plan.forced:
        _explain_forced(plan, report, labels)


def _explain_forced(plan: SynchronizationPlan, report: Report, labels: OperationLabels) -> None:
    """Adds the forced insertions to the report, and the insertions they replace."""
    otherwise = plan_synchronization(plan.function)
    assert otherwise is not None
    for op, insertions in plan.forced.items():
        report.add(
            plan.function.sym_name.data,
            forced=list(insertions) or None,
            instead_of=list(otherwise.inserted_before(op)) or None,
            before=labels.label(op),
        )


def _each_pair(need: Need) -> list[Hazard]:
    """One hazard for each pair of ops."""
    # Reversed, so that the first hazard of a pair is the one that stays.
    pairs = {(hazard.first.op, hazard.second.op): hazard for hazard in reversed(need.hazards)}
    return list(reversed(pairs.values()))


def _after_switch(
    need: Need, op: Operation, labels: OperationLabels
) -> Iterator[Mapping[str, ReportValue]]:
    """The reason for a barrier after agents."""
    if need.switch is not None:
        yield {
            "first": labels.label(need.switch),
            "second": labels.label(op),
            "why": "all threads may follow what the agents have done",
        }


def _reason(hazard: Hazard, labels: OperationLabels) -> Mapping[str, ReportValue]:
    first, second = hazard.first, hazard.second
    return {
        "first": f"{labels.label(first.op)} {_does(first)}",
        "second": f"{labels.label(second.op)} {_does(second)}",
        **_where(first, second),
        "why": _why(hazard),
    }


def _where(first: AnyAccess, second: AnyAccess) -> Mapping[str, ReportValue]:
    if isinstance(first, GlobalAccess) or isinstance(second, GlobalAccess):
        return {"memory": "global memory, in the order of tokens"}
    start, stop = first.extent.common(second.extent)
    is_shared = first.extent.memory is Memory.SHARED
    what = "bytes" if is_shared else "columns"
    return {what: f"{start} to {stop - 1} of {'shared' if is_shared else 'tensor'} memory"}


def _does(access: AnyAccess) -> str:
    if isinstance(access, GlobalAccess):
        proxy = Proxy.ASYNC if access.is_asynchronous else Proxy.GENERIC
    else:
        proxy = access.proxy
    return f"{'writes' if access.writes else 'reads'} ({proxy.value} proxy)"


def _why(hazard: Hazard) -> str:
    first, second = hazard.first, hazard.second
    if hazard.needs_wait:
        return "an MMA in flight may still read what is overwritten"
    if hazard.needs_fence:
        return "an asynchronous access follows a write of threads"
    if (
        isinstance(first, ExtentAccess)
        and isinstance(second, ExtentAccess)
        and first.extent.owner is not second.extent.owner
    ):
        return "one allocation reuses the memory of another"
    if first.writes and second.writes:
        return "different threads write the same bytes"
    return (
        "other threads read what is written"
        if first.writes
        else "what other threads read is overwritten"
    )
