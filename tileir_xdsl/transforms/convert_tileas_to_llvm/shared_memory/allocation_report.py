"""The report of `convert-tileas-to-llvm`: what lies where in the shared memory of a function."""

from xdsl.ir import Operation

from tileir_xdsl.dialects.nv_tileas import CreatePipelineOp
from tileir_xdsl.explain import Report

from ..thread.shared_memory_allocation import Place, SharedMemoryAllocation

SHARED = "share pipeline buffer"
NOT_SHARED = "mbarrier has wait-like users, cannot share pipeline buffer."


def report_allocations(function: str, positions: SharedMemoryAllocation, report: Report) -> None:
    """Adds every piece of shared memory of a function to a report, from the lowest place on.

    Remarks whether stages of pipelines have memory that others have at other times, and where they
    do not since the stages of another pipeline are waited for at the same time.
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
    """The pipelines whose stages are in a piece."""
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
