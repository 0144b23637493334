"""The report of the pass: each conversion, removed or kept, and why."""

from collections.abc import Iterator

from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.layouts.direct_conversion import in_one_memory, is_direct
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.explain import Report, ReportValue
from tileir_xdsl.transforms.tileas_remove_layout_conversions.layout_variables import LayoutProblem
from tileir_xdsl.walking import ops_in

from .buffers import is_buffer, obstacle
from .log import ConversionLog

MOST_LISTED = 4
"""The most ops that are named as fixing a layout."""


def add_decisions(report: Report, name: str, function: Operation, log: ConversionLog) -> None:
    """Adds the outcome of each conversion in a function, after the pass."""
    known = set(log.conversions)
    left = _conversions(function)
    report.add(name, conversions_before=len(known), conversions_after=len(left))
    problem = LayoutProblem(function, log.kept)
    for op in log.conversions:
        # After the pass: what is not left was removed, for the reason noted then.
        if op in left:
            report.add(
                name, conversion=log.label(op), outcome="kept", **_why_kept(op, problem, log)
            )
        else:
            report.add(name, conversion=log.label(op), outcome="removed", reason=log.reasons[op])
    for op in ops_in(function):
        if op in left and op not in known:
            report.add(name, conversion=op.name, outcome="added", **_why_kept(op, problem, log))


def _why_kept(op: Operation, problem: LayoutProblem, log: ConversionLog) -> dict[str, ReportValue]:
    """The reason why a conversion is kept, and the ops that fix the layouts on both sides."""
    assert isinstance(op, nv_tileas.ConvertLayoutOp)
    source, result = op.source.type, op.result.type
    if op in log.kept:
        return {"reason": "forced"}
    if not in_one_memory(source, result):
        return {"reason": f"moves the tile from {_memory(source)} to {_memory(result)}"}
    if is_buffer(source):
        return {"reason": obstacle(op, problem.epochs)}
    if not is_direct(source, result):
        return {"reason": "there is no direct conversion between the layouts"}
    if _crosses_epochs(op, problem):
        return {"reason": "a fence, a wait or a handshake pins the layout on one side"}
    return {
        "reason": "the tile is made in one layout and used in another",
        "source_fixed_by": _fixing_ops(op, problem, log, towards_users=False),
        "result_fixed_by": _fixing_ops(op, problem, log, towards_users=True),
    }


def _memory(type: Attribute) -> str:
    memory = memory_of(type)
    return "an unnamed memory" if memory is None else f"{memory.name.lower()} memory"


def _crosses_epochs(op: nv_tileas.ConvertLayoutOp, problem: LayoutProblem) -> bool:
    epoch = problem.epochs.of_use(op)
    uses = (problem.epochs.of_use(use.operation) for use in op.result.uses)
    return problem.epochs.of_value(op.source) != epoch or any(use != epoch for use in uses)


def _fixing_ops(
    op: nv_tileas.ConvertLayoutOp,
    problem: LayoutProblem,
    log: ConversionLog,
    *,
    towards_users: bool,
) -> list[str]:
    """The nearest ops that fix the layout on one side of a conversion, by their labels."""
    found: dict[str, None] = {}
    for fixing in _search(op, problem, towards_users):
        found[log.label(fixing)] = None
        if len(found) == MOST_LISTED:
            break
    return list(found)


def _search(
    op: nv_tileas.ConvertLayoutOp, problem: LayoutProblem, towards_users: bool
) -> Iterator[Operation]:
    """The ops with a fixed layout that determine the layout on one side of a conversion."""
    tile = problem.tiles[problem.conversions[op]]
    pending = [tile.variable]
    if towards_users:
        pending = []
        layout = problem.layout_of(op.result)
        for demand in (problem.demands[number] for number in tile.demands):
            if demand.wanted == layout:
                if demand.consumer < 0:
                    yield demand.op
                else:
                    pending.append(demand.consumer)
    seen = set(pending)
    for current in pending:
        variable = problem.variables[current]
        for number in variable.tiles if variable.fixed else ():
            yield _maker(problem.tiles[number].value)
        if variable.fixed:
            continue
        for other in _tied(problem, current):
            if isinstance(other, Operation):
                yield other
            elif other not in seen:
                seen.add(other)
                pending.append(other)


def _tied(problem: LayoutProblem, current: int) -> Iterator[Operation | int]:
    """The variables, and ops with fixed layouts, that share tiles with a variable without a
    conversion.
    """
    variable = problem.variables[current]
    for demand in (problem.demands[number] for number in variable.demands):
        tile = problem.tiles[demand.tile]
        if problem.variables[tile.variable].layout == demand.wanted and not tile.recomputed_ops:
            yield tile.variable
    for number in variable.tiles:
        for demand in (problem.demands[n] for n in problem.tiles[number].demands):
            if demand.wanted == variable.layout:
                yield demand.op if demand.consumer < 0 else demand.consumer


def _maker(value: SSAValue) -> Operation:
    """The op that defines a value, or the op around the block with the argument."""
    owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    assert owner is not None
    return owner


Outcome = tuple[Operation, ConversionLog]
"""A function after the pass, and the log of its conversions."""


def add_comparison(report: Report, name: str, forced: Outcome, free: Outcome) -> None:
    """Adds the numbers of conversions left with and without `force`, and the conversions with
    different outcomes.
    """
    if not forced[1].kept:
        return
    left = [_conversions(function) for function, _ in (forced, free)]
    changes = [
        f"{forced[1].label(op)}: {_outcome(op in left[0])} instead of {_outcome(other in left[1])}"
        for op, other in zip(forced[1].conversions, free[1].conversions, strict=True)
        if (op in left[0]) != (other in left[1])
    ]
    report.add(
        name,
        forced=[forced[1].label(op) for op in forced[1].conversions if op in forced[1].kept],
        conversions_left=len(left[0]),
        conversions_left_without_force=len(left[1]),
        changes=changes,
    )


def _conversions(function: Operation) -> set[Operation]:
    return {op for op in ops_in(function) if isinstance(op, nv_tileas.ConvertLayoutOp)}


def _outcome(is_left: bool) -> str:
    return "kept" if is_left else "removed"
