"""What an op can be forced to: all small sets of candidates, each with and without a problem."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import pytest
from xdsl.dialects import test
from xdsl.ir import Block, Region
from xdsl.utils.disjoint_set import DisjointSet
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.access.copy_costs import FREE
from tileir_xdsl.analysis.layouts.candidates import (
    Candidate,
    Conversions,
    Family,
    TileLayout,
    TileUse,
)
from tileir_xdsl.analysis.layouts.groups import LayoutGroups
from tileir_xdsl.analysis.layouts.uses import OperationUse
from tileir_xdsl.explain import OperationLabels
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.targets import get_target
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.forced import check_forced
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.group_choice import (
    GroupChoice,
    LayoutGroup,
    Option,
)
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.layout_assignment import Assignment

LAYOUTS = [blocked((16, 16), vector, 1) for vector in (1, 2, 4)]
KINDS = [*product("ab", ("", "is too wide", None))]
"""The name of a candidate, and the problem of its layout; None where nobody proposed the layout."""


@dataclass(frozen=True)
class Use(TileUse):
    """A use with given candidates."""

    candidates: tuple[Candidate, ...]
    count: int
    """How many of them it proposes itself."""

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        return self.candidates[: self.count]

    @cached_property
    def only_forced(self) -> tuple[Candidate, ...]:
        return self.candidates[self.count :]

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        return "not asked"


def answer(kinds: tuple[tuple[str, str | None], ...], count: int, name: str) -> str:
    """The diagnostic where an op is forced to a candidate; empty if it can have it.

    The op proposes the first `count` of the candidates itself.
    """
    candidates = tuple(
        Candidate(kind, layout, Family.BLOCKED, FREE)
        for (kind, _), layout in zip(kinds, LAYOUTS, strict=False)
    )
    options = tuple(
        Option(layout, (), FREE, problem)
        for (_, problem), layout in zip(kinds, LAYOUTS, strict=False)
        if problem is not None
    )
    op = test.TestOp()
    function = test.TestOp(regions=[Region(Block([op]))])
    use = OperationUse(op, Use(candidates, count), (), (), Conversions((), ()), 1)
    assignment = Assignment(LayoutGroups(DisjointSet()))
    assignment.choices.append(GroupChoice(LayoutGroup([use]), options, None, None))
    try:
        check_forced(assignment, {op: name}, get_target("sm_90a"), 1, OperationLabels(function))
    except PassFailedException as error:
        return str(error)
    return ""


@pytest.mark.parametrize("count", range(4))
def test_one_layout_without_a_problem_is_enough(count: int):
    for kinds in product(KINDS, repeat=count):
        allowed = {name for name, problem in kinds if not problem}
        possible = [name for name in dict.fromkeys(name for name, _ in kinds) if name in allowed]
        for own, name in product(range(count + 1), "abc"):
            said = answer(kinds, own, name)
            if name in possible:
                assert not said
                continue
            listed = f"expected one of {', '.join(possible)}"
            if (name, "is too wide") in kinds:
                expected = f"cannot have candidate '{name}': is too wide"
                expected += f"; {listed}" if possible else ""
            elif possible:
                expected = f"has no candidate '{name}', {listed}"
            else:
                expected = "has no candidates to choose from, expected one of #0 test.op"
            assert said == f"'test.op' op {expected}"
