"""Candidates that the user chooses: in an option by the op's number, or by an attribute on the
op.
"""

from collections.abc import Collection, Mapping

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from tileir_xdsl.analysis.layouts.uses import WITH_USES, OperationUse, strategies_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.interfaces import ContractionOpInterface
from tileir_xdsl.explain import OperationLabels, forced_ops
from tileir_xdsl.targets import Target
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.group_choice import GroupChoice
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.layout_assignment import Assignment
from tileir_xdsl.walking import ops_in

FORCE_ATTRIBUTE = "nv_tileas.force"
"""The discardable attribute of an op that names its forced candidate."""

NO_CANDIDATE = "no candidate"


def forced_candidates(
    option: str | None, labels: Mapping[nv_tileaa.FuncOp, OperationLabels]
) -> dict[Operation, str]:
    """The name of the candidate that each op must use.

    Raises:
        PassFailedException: the option is malformed, or names a function or op that is not there.
    """
    forced = {
        op: attribute.data
        for function in labels
        for op in ops_in(function)
        if isinstance(attribute := op.attributes.get(FORCE_ATTRIBUTE), StringAttr)
    }
    # The option wins over attributes, since it is nearer to the user than the file.
    return forced | forced_ops(option, labels, may_have_candidates)


def may_have_candidates(op: Operation) -> bool:
    """Whether an op is of a kind that has candidates."""
    return isinstance(op, WITH_USES)


def check_forced(
    assignment: Assignment,
    forced: Mapping[Operation, str],
    target: Target,
    warps: int,
    labels: OperationLabels,
) -> None:
    """Checks that every forced candidate exists, and that the group of its op allows it.

    Raises `PassFailedException` with the existing candidates.
    """
    uses = {use.op: (use, choice) for choice in assignment.choices for use in choice.group.uses}
    for op, name in forced.items():
        if isinstance(op, ContractionOpInterface):
            names = tuple(strategy.name for strategy in strategies_of(op, target, warps))
            problem = "" if name in names else NO_CANDIDATE
        elif op in uses:
            names, problem = _names_and_problem(*uses[op], name)
        else:
            names, problem = (), NO_CANDIDATE
        if problem == NO_CANDIDATE:
            if not names:
                others = labels.expected(lambda other: has_candidates(other, uses))
                fail(op, f"'{op.name}' op has no candidates to choose from, {others}")
            fail(
                op, f"'{op.name}' op has no candidate '{name}', expected one of {', '.join(names)}"
            )
        if problem:
            known = f"; expected one of {', '.join(names)}" if names else ""
            fail(op, f"'{op.name}' op cannot have candidate '{name}': {problem}{known}")


def has_candidates(op: Operation, uses: Collection[Operation]) -> bool:
    """Whether an op has candidates to choose from; `uses` are the ops that share its layout."""
    return op in uses or isinstance(op, ContractionOpInterface)


def _names_and_problem(
    use: OperationUse, choice: GroupChoice, name: str
) -> tuple[tuple[str, ...], str]:
    """The names of an op's candidates, and the reason if the candidate `name` is impossible."""
    problems = {option.layout: option.problem for option in choice.options}
    # Whether a layout that nobody proposes has a problem is asked only where it is forced.
    candidates = (*use.use.own, *use.use.only_forced)
    named: dict[str, str] = {}
    for candidate in candidates:
        # Of several layouts with one atom it is enough if the op can have one.
        if named.get(candidate.name) != "":
            named[candidate.name] = problems.get(candidate.layout, "")
    names = tuple(known for known, problem in named.items() if not problem)
    if name not in named:
        return names, NO_CANDIDATE
    return names, named[name]
