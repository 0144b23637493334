"""The report of `convert-tileas-to-llvm`: the allocations in the shared memory of a function."""

from xdsl.ir import Operation

from tileir_xdsl.dialects.nv_tileas import CreatePipelineOp
from tileir_xdsl.explain import Report

from ..thread.shared_memory_allocation import Place, SharedMemoryAllocation

SHARED = "share pipeline buffer"
NOT_SHARED = "mbarrier has wait-like users, cannot share pipeline buffer."


def report_allocations(function: str, positions: SharedMemoryAllocation, report: Report) -> None:
    """Adds every shared-memory allocation of a function to a report, in the order of their offsets.

    Remarks where stages of pipelines reuse memory of other buffers, and where they cannot because
    the stages of another pipeline may still be waited for at the same time.
    """
    pieces = sorted(
        (*positions.taken, *positions.scratch), key=lambda position: (position.start, position.end)
    )
    for position in pieces:
        remark = _remark(position, pieces) if _pipelines_of(position) else None
        report.add(
            function,
            op=_name(position),
            bytes=f"{position.start} to {position.end - 1}",
            use=_use(position, positions),
            **({} if remark is None else {"remark": remark}),
        )


def _remark(position: Place, pieces: list[Place]) -> str | None:
    if any(position.overlaps(other) for other in pieces):
        return SHARED
    own = _pipelines_of(position)
    waited = (
        other
        for other in pieces
        if not _pipelines_of(other) <= own and other.lifetime.meets(position.lifetime)
    )
    return NOT_SHARED if any(waited) else None


def _pipelines_of(position: Place) -> set[Operation]:
    """The pipelines whose stages an allocation holds."""
    uses = (use.operation for result in position.owner.results for use in result.uses)
    return {op for op in uses if isinstance(op, CreatePipelineOp)}


def _use(position: Place, positions: SharedMemoryAllocation) -> str:
    if position in positions.scratch:
        return "scratch memory"
    if not position.piece.is_shared:
        return "barriers"
    return "stages of a pipeline" if _pipelines_of(position) else "buffer"


def _name(position: Place) -> str:
    results = [f"%{result.name_hint}" for result in position.owner.results if result.name_hint]
    return " ".join((position.owner.name, *results))
