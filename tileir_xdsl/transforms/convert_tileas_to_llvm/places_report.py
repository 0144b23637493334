"""The report of `convert-tileas-to-llvm`: what lies where in the shared memory of a function."""

from xdsl.ir import Operation

from tileir_xdsl.dialects.nv_tileas import CreatePipelineOp
from tileir_xdsl.explain import Report

from .shared_memory import Place, SharedPlaces

SHARED = "share pipeline buffer"
NOT_SHARED = "mbarrier has wait-like users, cannot share pipeline buffer."


def report_places(function: str, places: SharedPlaces, report: Report) -> None:
    """Adds every piece of shared memory of a function to a report, from the lowest place on.

    Remarks whether stages of pipelines have memory that others have at other times, and where they
    do not since the stages of another pipeline are waited for at the same time.
    """
    pieces = sorted((*places.taken, *places.scratch), key=lambda place: (place.start, place.end))
    for place in pieces:
        remark = _remark(place, pieces) if _pipelines_of(place) else None
        report.add(
            function,
            op=_name(place),
            bytes=f"{place.start} to {place.end - 1}",
            use=_use(place, places),
            **({} if remark is None else {"remark": remark}),
        )


def _remark(place: Place, pieces: list[Place]) -> str | None:
    if any(place.overlaps(other) for other in pieces):
        return SHARED
    own = _pipelines_of(place)
    waited = (
        other
        for other in pieces
        if not _pipelines_of(other) <= own and other.lifetime.meets(place.lifetime)
    )
    return NOT_SHARED if any(waited) else None


def _pipelines_of(place: Place) -> set[Operation]:
    """The pipelines whose stages are in a piece."""
    uses = (use.operation for result in place.owner.results for use in result.uses)
    return {op for op in uses if isinstance(op, CreatePipelineOp)}


def _use(place: Place, places: SharedPlaces) -> str:
    if place in places.scratch:
        return "scratch memory"
    if not place.piece.is_shared:
        return "barriers"
    return "stages of a pipeline" if _pipelines_of(place) else "buffer"


def _name(place: Place) -> str:
    results = [f"%{result.name_hint}" for result in place.owner.results if result.name_hint]
    return " ".join((place.owner.name, *results))
