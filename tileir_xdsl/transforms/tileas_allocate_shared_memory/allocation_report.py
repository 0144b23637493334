"""The report of `tileas-allocate-shared-memory`: the allocations of a function, and their reuse."""

from collections.abc import Sequence

from xdsl.ir import Operation

from tileir_xdsl.analysis.allocation.shared_memory_allocation import Allocation
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas import CreatePipelineOp
from tileir_xdsl.explain import OperationLabels, Report

SHARED = "share pipeline buffer"
NOT_SHARED = "mbarrier has wait-like users, cannot share pipeline buffer."


def report_allocations(
    function: nv_tileaa.FuncOp,
    allocations: Sequence[Allocation],
    labels: OperationLabels,
    report: Report,
) -> None:
    """Adds every allocation of a function to a report, in the order of their offsets.

    Adds remarks where stages of pipelines reuse memory of other buffers. Remarks also name buffers
    whose memory cannot be reused, since threads may still wait for stages of another pipeline.
    """
    ordered = sorted(allocations, key=lambda allocation: (allocation.offset, allocation.end))
    for allocation in ordered:
        remark = _remark(allocation, ordered) if _pipelines_of(allocation) else None
        report.add(
            function.sym_name.data,
            op=function.name if allocation.op is function else labels.label(allocation.op),
            bytes=f"{allocation.offset} to {allocation.end - 1}",
            use=_use(allocation),
            **({} if remark is None else {"remark": remark}),
            **({"steps": list(steps)} if (steps := allocation.requirement.steps) else {}),
        )


def _remark(allocation: Allocation, allocations: Sequence[Allocation]) -> str | None:
    if any(allocation.overlaps(other) for other in allocations):
        return SHARED
    own, lifetime = _pipelines_of(allocation), allocation.requirement.lifetime
    waited = (
        other
        for other in allocations
        if not _pipelines_of(other) <= own and other.requirement.lifetime.meets(lifetime)
    )
    return NOT_SHARED if any(waited) else None


def _pipelines_of(allocation: Allocation) -> set[Operation]:
    """The pipelines whose stages an allocation holds."""
    # Scratch memory of an op on stages is not a stage itself.
    if allocation.requirement.is_scratch:
        return set()
    uses = (use.operation for result in allocation.op.results for use in result.uses)
    return {op for op in uses if isinstance(op, CreatePipelineOp)}


def _use(allocation: Allocation) -> str:
    if allocation.requirement.is_scratch:
        return "scratch memory"
    # An mbarrier's memory may serve anew only after `mbarrier.inval` (PTX ISA).
    if not allocation.request.reusable:
        return "barriers"
    return "stages of a pipeline" if _pipelines_of(allocation) else "buffer"
