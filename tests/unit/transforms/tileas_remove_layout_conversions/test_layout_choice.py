"""Layouts as variables, what a choice of them costs, and the choice that is made."""

import pytest

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_remove_layout_conversions.layout_choice import (
    WINDOW,
    choose_layouts,
    connected_parts,
)
from tileir_xdsl.transforms.tileas_remove_layout_conversions.layout_variables import (
    CONVERSION,
    IMPOSSIBLE,
    LayoutProblem,
)

ALIASES = """
#a = #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>
#b = #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>
#few = #nv_tileas.layout<(4, 32, 2, 1), (1, 4, 128, 0)>
"""
A, B, FEW = (f"tensor<256xf32, #{name}>" for name in ("a", "b", "few"))


def problem_of(text: str, *, fix_joins: bool = False) -> LayoutProblem:
    return LayoutProblem(tools.parse(ALIASES + text), fix_joins=fix_joins)


def cost(problem: LayoutProblem) -> int:
    return sum(problem.cost(tile) for tile in range(len(problem.tiles)))


def test_ops_with_layouts_of_their_own_are_fixed_and_others_free():
    problem = problem_of(
        f"""
        %x = "test.op"() : () -> {A}
        %y = nv_tileaa.addf %x, %x : {A}
        %v = nv_tileas.view %y : {A} to tensor<16x16xf32, #a>
        "test.op"(%v) : (tensor<16x16xf32, #a>) -> ()
        """
    )
    assert [variable.fixed for variable in problem.variables] == [True, False, False]
    assert cost(problem) == 0


def test_a_conversion_is_a_look_at_its_source():
    problem = problem_of(
        f"""
        %x = "test.op"() : () -> {A}
        %c = nv_tileas.convert_layout %x : {A} -> {B}
        "test.op"(%c) : ({B}) -> ()
        "test.op"(%c) : ({B}) -> ()
        """
    )
    (tile,) = problem.tiles
    assert [problem.demands[number].wanted for number in tile.demands] == [1, 1]
    # Two users share one conversion.
    assert cost(problem) == CONVERSION


def test_conversions_in_loops_cost_a_little_more():
    problem = problem_of(
        f"""
        %c0, %c1, %n = "test.op"() : () -> (index, index, index)
        scf.for %i = %c0 to %n step %c1 {{
          scf.for %j = %c0 to %n step %c1 {{
            %x = "test.op"() : () -> {A}
            %c = nv_tileas.convert_layout %x : {A} -> {B}
            "test.op"(%c) : ({B}) -> ()
          }}
        }}
        """
    )
    assert cost(problem) == CONVERSION + 2


def test_constants_cost_nothing():
    problem = problem_of(
        f"""
        %k = arith.constant dense<1.0> : {A}
        %c = nv_tileas.convert_layout %k : {A} -> {B}
        "test.op"(%c) : ({B}) -> ()
        """
    )
    assert cost(problem) == 0


def test_a_layout_that_no_conversion_leads_to_is_impossible():
    problem = problem_of(
        f"""
        %x = "test.op"() : () -> {A}
        %y = nv_tileaa.addf %x, %x : {A}
        %z = "test.op"() : () -> {FEW}
        "test.op"(%y) : ({A}) -> ()
        """
    )
    sum_of_x = problem.tiles[1].variable
    problem.assign(sum_of_x, 1)
    # The sum demands its operand in a layout of fewer warps, and is demanded in the old one.
    assert cost(problem) == 2 * IMPOSSIBLE


BRANCH = f"""
%flag = "test.op"() : () -> i1
%r = scf.if %flag -> ({B}) {{
  %x = "test.op"() : () -> {A}
  %c = nv_tileas.convert_layout %x : {A} -> {B}
  scf.yield %c : {B}
}} else {{
  %y = "test.op"() : () -> {A}
  %d = nv_tileas.convert_layout %y : {A} -> {B}
  scf.yield %d : {B}
}}
"test.op"(%r) : ({B}) -> ()
"""


@pytest.mark.parametrize(("fix_joins", "left"), [(True, 2), (False, 1)])
def test_what_control_flow_hands_on_may_be_fixed(fix_joins: bool, left: int):
    problem = problem_of(BRANCH, fix_joins=fix_joins)
    assert cost(problem) == 2 * CONVERSION
    choose_layouts(problem)
    assert cost(problem) == left * CONVERSION


def test_parts_that_share_no_free_op_are_apart():
    problem = problem_of(
        f"""
        %x, %y, %z = "test.op"() : () -> ({A}, {A}, {A})
        %s = nv_tileaa.addf %x, %y : {A}
        %t = nv_tileaa.addf %z, %z : {A}
        "test.op"(%s, %t) : ({A}, {A}) -> ()
        """
    )
    parts = [
        {problem.tiles[tile].value.name_hint for tile in part} for part in connected_parts(problem)
    ]
    assert parts == [{"x", "y", "s"}, {"z", "t"}]


def test_a_part_of_several_windows_changes_as_a_whole():
    """A long chain between two conversions, each of which only a change of all of it removes."""
    lines = [
        f'%x = "test.op"() : () -> {A}',
        f"%y0 = nv_tileas.convert_layout %x : {A} -> {B}",
    ]
    length = 3 * WINDOW
    lines += [f"%y{i + 1} = nv_tileaa.addf %y{i}, %y{i} : {B}" for i in range(length)]
    lines += [
        f"%z = nv_tileas.convert_layout %y{length} : {B} -> {A}",
        f'"test.op"(%z) : ({A}) -> ()',
    ]
    module = tools.parse(ALIASES + "\n".join(lines))
    tools.run_passes(module, "tileas-remove-layout-conversions")
    assert not any(isinstance(op, nv_tileas.ConvertLayoutOp) for op in module.walk())
