"""The report of every group: candidates, costs, pruned candidates with reasons, and the choice."""

from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import Operation

from tileir_xdsl.analysis.access.copy_costs import CopyCost
from tileir_xdsl.analysis.layouts.candidates import Candidate, Pruned, TileLayout
from tileir_xdsl.analysis.layouts.uses import OperationUse
from tileir_xdsl.explain import OperationLabels, Report, ReportValue
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.targets import CostWeights
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.group_choice import (
    Answer,
    GroupChoice,
    Option,
)
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.layout_assignment import Assignment

Facts = dict[str, ReportValue]


def explain_choices(
    report: Report,
    function: str,
    labels: OperationLabels,
    assignment: Assignment,
    weights: CostWeights,
) -> None:
    """Adds every group with layout requirements, and the strategies of dots."""
    for op, dot in assignment.dots.items():
        scores = {name: cost.score(weights) for name, cost in dot.costs.items()}
        report.add(
            function,
            dot=label(labels, op),
            strategies={name: _cost(cost, weights) for name, cost in dot.costs.items()},
            chosen=dot.chosen.name,
            above_the_best=scores[dot.chosen.name] - min(scores.values()),
            **({"pruned": dot.pruned} if dot.pruned else {}),
        )
    for choice in assignment.choices:
        uses = choice.group.uses
        report.add(
            function,
            group=[label(labels, use.op) for use in uses],
            candidates=[_candidate(use, labels, weights) for use in uses if use.use.own],
            layouts=[_option(option, uses, labels, weights) for option in choice.options],
            chosen=None if choice.chosen is None else layout_text(choice.chosen.layout),
            accesses=_answers(choice, labels, weights),
            **_forced(choice, weights),
        )


def label(labels: OperationLabels, op: Operation) -> str:
    """The number and name of an op; conversions that the pass inserts have only a name."""
    try:
        return labels.label(op)
    except KeyError:
        return f"new {op.name}"


def layout_text(layout: TileLayout) -> str:
    """A layout in the syntax of the IR."""
    if isinstance(layout, LinearLayout):
        return str(layout.to_cute())
    swizzle = f", {layout.swizzle}" if layout.swizzle.bits else ""
    return f"{layout.layout}{swizzle} in shared memory"


def _cost(cost: CopyCost, weights: CostWeights) -> Facts:
    return {
        "transactions": cost.transactions,
        "cycles": cost.cycles,
        "registers": cost.registers,
        "sectors": cost.sectors,
        "score": cost.score(weights),
    }


def _candidate(use: OperationUse, labels: OperationLabels, weights: CostWeights) -> Facts:
    """The candidates of one op, and the candidates that are impossible."""
    return {
        "op": label(labels, use.op),
        "considered": [_described(candidate, weights) for candidate in use.use.own],
        "pruned": [_refused(pruned, weights) for pruned in use.use.pruned],
    }


def _refused(pruned: Pruned, weights: CostWeights) -> str:
    """The reason against a candidate, and its score if known."""
    score = "" if pruned.cost is None else f", at a score of {pruned.cost.score(weights):g}"
    return f"{pruned.name}: {pruned.reason}{score}"


def _described(candidate: Candidate, weights: CostWeights) -> Facts:
    return {
        "name": candidate.name,
        "bucket": candidate.bucket,
        "memory": candidate.memory.name.lower(),
        "axis": None if candidate.axis is None else candidate.axis.value,
        "alignment": candidate.alignment,
        "family": candidate.family.value,
        "layout": layout_text(candidate.layout),
        **_cost(candidate.cost, weights),
    }


def _option(
    option: Option, uses: Sequence[OperationUse], labels: OperationLabels, weights: CostWeights
) -> Facts:
    proposers = (
        label(labels, use.op)
        for use in uses
        if any(candidate.layout == option.layout for candidate in use.use.own)
    )
    facts: Facts = {
        "layout": layout_text(option.layout),
        "proposed by": _list(proposers),
    }
    if option.problem:
        return {**facts, "pruned": option.problem}
    return {**facts, **_cost(option.cost, weights)}


def _list(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _answers(choice: GroupChoice, labels: OperationLabels, weights: CostWeights) -> list[Facts]:
    if choice.chosen is None:
        return []
    return [
        {"op": label(labels, use.op), **_answer(answer, weights)}
        for use, answer in zip(choice.group.uses, choice.chosen.answers, strict=True)
    ]


def _answer(answer: Answer, weights: CostWeights) -> Facts:
    facts: Facts = {"by": answer.candidate.name}
    if answer.converted:
        facts["in its own layout"] = layout_text(answer.candidate.layout)
        facts["conversion"] = answer.conversion.score(weights)
    return facts


def _forced(choice: GroupChoice, weights: CostWeights) -> Mapping[str, ReportValue]:
    """The difference that a forced candidate makes."""
    # Nothing to say where the forced candidate is the best one.
    if choice.chosen is None or choice.best is None or choice.chosen is choice.best:
        return {}
    forced, best = choice.chosen.cost.score(weights), choice.best.cost.score(weights)
    return {
        "forced": {
            "instead of": layout_text(choice.best.layout),
            "score": forced,
            "score of the best": best,
            "change": forced - best,
        }
    }
