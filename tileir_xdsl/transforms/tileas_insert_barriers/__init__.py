"""`tileas-insert-barriers`: barriers and fences between ops that access the same memory.

    nv_tileas.copy %t into %b : ..                         nv_tileas.copy %t into %b : ..
    %s = nv_tileas.async.tiled_tma_store %m, %b ..    ->   nv_tileas.fence_proxy async_shared
                                                           nv_tileas.barrier agent
                                                           %s = nv_tileas.async.tiled_tma_store ..

Runs last before `convert-tileas-to-llvm`, which emits what the program says: between two accesses
of different threads to the same bytes, one of them a write, threads have to meet; between a write
of threads and an asynchronous access a fence has to come before they do. In global memory that is
so for accesses that a token orders. Barriers, waits and fences that are there already count.
`explain` says for each op inserted which two ops, which bytes, and why. Memory is allocated before.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.synchronization import SYNCHRONIZED, FencedProxy, FenceSide
from tileir_xdsl.dialects.target_attributes import target_around
from tileir_xdsl.explain import OperationLabels, Report, ReportValue, write_report
from tileir_xdsl.rewriting import DispatchWalker, WriteAttributes
from tileir_xdsl.targets import DEFAULT_TARGET, Feature, get_target
from tileir_xdsl.targets.atoms import Memory

from .accesses import Access, Accesses, Proxy
from .footprints import GlobalAccess
from .hazards import Need, Needs, Walker, stage_fences
from .memory import Allocations
from .pending import Hazard, Pending

AnyAccess = Access | GlobalAccess

SYNCHRONIZATION = (
    nv_tileas.BarrierOp,
    nv_tileas.FenceProxyOp,
    nv_tileas.FenceTmemOp,
    nv_tileas.WaitMMAsOp,
)
"""The ops that order others and do nothing else."""


@dataclass(frozen=True)
class TileASInsertBarriersPass(ModulePass):
    """Inserts the barriers and fences that a program needs, and marks its functions.

    `explain` names the file for a report: JSON if its name ends in `.json`, else text.
    """

    name = "tileas-insert-barriers"

    explain: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        report = Report(self.name)
        for function in [inner for inner in op.walk() if isinstance(inner, nv_tileaa.FuncOp)]:
            insert_barriers(function, report)
        if self.explain is not None:
            write_report(report, self.explain)


@dataclass(frozen=True)
class SynchronizationPlan:
    """What is inserted before the ops of a function."""

    function: nv_tileaa.FuncOp
    needs: Mapping[Operation, Need]
    stage_fences: tuple[Operation, ...] = ()
    """The ops before which threads make what they put in a stage visible to hardware."""

    def inserted_before(self, op: Operation) -> list[Operation]:
        """The new ops before an op, in order."""
        inserted = _inserted(self.needs[op]) if op in self.needs else []
        if op in self.stage_fences:
            inserted.append(nv_tileas.FenceProxyOp())
        return inserted


def plan_synchronization(function: nv_tileaa.FuncOp) -> SynchronizationPlan | None:
    """What one function needs; None if it has all of it.

    Raises `PassFailedException` where its tensor memory has not been allocated.
    """
    # A program that is compiled from this level on has its barriers already.
    if SYNCHRONIZED in function.attributes:
        return None
    needs: Needs = {}
    if not function.body.blocks:
        return SynchronizationPlan(function, needs)
    target = target_around(function) or get_target(DEFAULT_TARGET)
    accesses = Accesses(Allocations.of(function), target)
    pending = Pending({}, Feature.BULK_COPY in target.features)
    Walker(accesses).block(function.body.block, pending, needs)
    # Before sm_90 no hardware reads shared memory by itself.
    fences = stage_fences(function, accesses) if pending.has_async_proxy else ()
    return SynchronizationPlan(function, needs, tuple(fences))


@dataclass(frozen=True)
class InsertSynchronization(RewritePattern):
    """Inserts before an op what it needs."""

    plan: SynchronizationPlan

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        inserted = self.plan.inserted_before(op)
        for new in inserted:
            new.location = op.location
        if inserted:
            rewriter.insert(inserted, InsertPoint.before(op))


def insert_barriers(function: nv_tileaa.FuncOp, report: Report | None = None) -> None:
    """Inserts what one function needs, unless that has been done.

    Raises `PassFailedException` where its tensor memory has not been allocated.
    """
    plan = plan_synchronization(function)
    if plan is None:
        return
    if report is not None:
        _explain(plan, report)
    patterns: dict[type[Operation], RewritePattern] = {
        nv_tileaa.FuncOp: WriteAttributes({function: {SYNCHRONIZED: UnitAttr()}})
    }
    for op in (*plan.needs, *plan.stage_fences):
        patterns[type(op)] = InsertSynchronization(plan)
    DispatchWalker(patterns).rewrite(function)


def _inserted(need: Need) -> list[Operation]:
    # Wait, fence, barrier: each thread's part has to be done before the threads meet.
    inserted: list[Operation] = [nv_tileas.WaitMMAsOp()] if need.waits else []
    if need.fences:
        inserted.append(nv_tileas.FenceProxyOp(_fenced(need)))
    if not need.has_barrier:
        return inserted
    barrier = nv_tileas.BarrierOp()
    if not need.fences_tensor_memory:
        return [*inserted, barrier]
    # tcgen05 is ordered across a barrier only by a fence on either side (PTX ISA, tcgen05.fence).
    before, after = nv_tileas.FenceTmemOp(FenceSide.BEFORE), nv_tileas.FenceTmemOp(FenceSide.AFTER)
    return [*inserted, before, barrier, after]


def _fenced(need: Need) -> FencedProxy:
    """The accesses that have to be fenced."""
    return FencedProxy.ASYNC if need.fences_global_memory else FencedProxy.ASYNC_SHARED


# The report


def _explain(plan: SynchronizationPlan, report: Report) -> None:
    name, labels = plan.function.sym_name.data, OperationLabels(plan.function)
    by_hand = [op for op in plan.function.walk() if isinstance(op, SYNCHRONIZATION)]
    if by_hand:
        report.add(name, written_by_hand=[labels.label(op) for op in by_hand])
    for op, need in plan.needs.items():
        report.add(
            name,
            inserted=_names(need),
            before=labels.label(op),
            because=[
                *(_reason(hazard, labels) for hazard in _each_pair(need)),
                *_after_switch(need, op, labels),
            ],
        )
    for op in plan.stage_fences:
        report.add(
            name,
            inserted=["fence_proxy async_shared"],
            before=labels.label(op),
            because="hardware reads asynchronously what threads put in a stage",
        )


def _names(need: Need) -> list[str]:
    names = ["async.wait_mmas"] if need.waits else []
    names += [f"fence_proxy {_fenced(need)}"] if need.fences else []
    if need.has_barrier and need.fences_tensor_memory:
        return [*names, "fence_tmem before", "barrier agent", "fence_tmem after"]
    return [*names, "barrier agent"] if need.has_barrier else names


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
        isinstance(first, Access)
        and isinstance(second, Access)
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
