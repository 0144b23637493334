"""Patterns of `if`: what each makes of a body, and what it leaves alone."""

import pytest

from tests.unit.transforms.bodies import canonical
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing import tools

TRUE = "%true = constant <i1: true> : tile<i1>"
FALSE = "%false = constant <i1: false> : tile<i1>"
SUM = "%a = addi %x, %x : tile<i32>"

CASES = {
    "unused result": (
        f"%r, %u = if %c -> (tile<i32>, tile<i32>) {{ store %x {SUM} "
        "yield %a, %x : tile<i32>, tile<i32> } else { yield %y, %y : tile<i32>, tile<i32> } "
        "store %r",
        f"%r = if %c -> (tile<i32>) {{ store %x {SUM} yield %a : tile<i32> }} "
        "else { yield %y : tile<i32> } store %r",
    ),
    "no results used, no effects": (
        f"%r = if %c -> (tile<i32>) {{ {SUM} yield %a : tile<i32> }} "
        "else { yield %y : tile<i32> }",
        "",
    ),
    "negated condition": (
        f"{TRUE} %n = xori %true, %c : tile<i1> if %n {{ store %x }} else {{ store %y }}",
        "if %c { store %y } else { store %x }",
    ),
    "constant true": (
        f"{TRUE} %r = if %true -> (tile<i32>) {{ store %x yield %x : tile<i32> }} "
        "else { store %y yield %y : tile<i32> } store %r",
        "store %x store %x",
    ),
    "constant false": (f"{FALSE} if %false {{ store %x }} else {{ store %y }}", "store %y"),
    "constant false without else": (f"{FALSE} if %false {{ store %x }} store %y", "store %y"),
    "constant condition, branch leaves": (
        f"if %c {{ {TRUE} if %true {{ store %x return }} store %y }} store %y",
        "if %c { store %x return } store %y",
    ),
    "constant condition, branch leaves a loop": (
        f"%r = loop : tile<i32> {{ {FALSE} %q = if %false -> (tile<i32>) "
        "{ yield %x : tile<i32> } else { store %x break %y : tile<i32> } store %q } store %r",
        "%r = loop : tile<i32> { store %x break %y : tile<i32> } store %r",
    ),
    "equal values": (
        "%r = if %c -> (tile<i32>) { store %x yield %x : tile<i32> } "
        "else { store %y yield %x : tile<i32> } store %r",
        "if %c { store %x } else { store %y } store %x",
    ),
    "equal constants": (
        "%r = if %c -> (tile<i32>) { store %x %1 = constant <i32: 5> : tile<i32> "
        "yield %1 : tile<i32> } else { %1 = constant <i32: 5> : tile<i32> yield %1 : tile<i32> } "
        "store %r",
        "%r = constant <i32: 5> : tile<i32> if %c { store %x } store %r",
    ),
    "true and false": (
        f"%r = if %c -> (tile<i1>) {{ store %x {TRUE} yield %true : tile<i1> }} "
        f'else {{ store %y {FALSE} yield %false : tile<i1> }} assert %r, "r" : tile<i1>',
        'if %c { store %x } else { store %y } assert %c, "r" : tile<i1>',
    ),
    "false and true": (
        f"%r = if %c -> (tile<i1>) {{ store %x {FALSE} yield %false : tile<i1> }} "
        f'else {{ store %y {TRUE} yield %true : tile<i1> }} assert %r, "r" : tile<i1>',
        "%0 = constant <i1: true> : tile<i1> %r = xori %c, %0 : tile<i1> "
        'if %c { store %x } else { store %y } assert %r, "r" : tile<i1>',
    ),
    "values from outside": (
        "%r = if %c -> (tile<i32>) { store %x yield %x : tile<i32> } "
        "else { yield %y : tile<i32> } store %r",
        "%r = select %c, %x, %y : tile<i1>, tile<i32> if %c { store %x } store %r",
    ),
    "values of rank one from outside": (
        "%i = iota : tile<4xi32> %j = addi %i, %i : tile<4xi32> "
        "%r = if %c -> (tile<4xi32>) { yield %i : tile<4xi32> } else { yield %j : tile<4xi32> } "
        'print_tko "%i", %r : tile<4xi32> -> token',
        "%i = iota : tile<4xi32> %j = addi %i, %i : tile<4xi32> "
        "%0 = reshape %c : tile<i1> -> tile<1xi1> %1 = broadcast %0 : tile<1xi1> -> tile<4xi1> "
        "%r = select %1, %i, %j : tile<4xi1>, tile<4xi32> "
        '%2 = print_tko "%i", %r : tile<4xi32> -> token',
    ),
    "value of the branch that stays": (
        "%r = if %c -> (tile<i32>) { store %x return } else { yield %y : tile<i32> } store %r",
        "if %c { store %x return } store %y",
    ),
    "empty else": ("if %c { store %x } else { }", "if %c { store %x }"),
    "same condition": (
        "if %c { store %x } if %c { store %y }",
        "if %c { store %x store %y }",
    ),
    "same condition, results and an exit": (
        f"%r = if %c -> (tile<i32>) {{ store %x {SUM} yield %a : tile<i32> }} "
        "else { yield %y : tile<i32> } if %c { store %r } else { return } store %r",
        f"%r = if %c -> (tile<i32>) {{ store %x {SUM} store %a yield %a : tile<i32> }} "
        "else { return } store %r",
    ),
    "same condition, results of both": (
        f"%r = if %c -> (tile<i32>) {{ store %x {SUM} yield %a : tile<i32> }} "
        "else { yield %y : tile<i32> } %s = if %c -> (tile<i32>) { yield %x : tile<i32> } "
        "else { store %r %b = addi %r, %r : tile<i32> yield %b : tile<i32> } store %r store %s",
        f"%r, %s = if %c -> (tile<i32>, tile<i32>) {{ store %x {SUM} "
        "yield %a, %x : tile<i32>, tile<i32> } else { store %y %b = addi %y, %y : tile<i32> "
        "yield %y, %b : tile<i32>, tile<i32> } store %r store %s",
    ),
    "opposite conditions": (
        f"{TRUE} %n = xori %true, %c : tile<i1> if %c {{ store %x }} if %n {{ store %y }}",
        "if %c { store %x } else { store %y }",
    ),
    "nested": (
        "if %c { if %d { store %x } }",
        "%0 = andi %c, %d : tile<i1> if %0 { store %x }",
    ),
    "nested, inner branch leaves": (
        "if %c { if %d { store %x return } } store %y",
        "%0 = andi %c, %d : tile<i1> if %0 { store %x return } store %y",
    ),
    "nested with results": (
        f"%r = if %c -> (tile<i32>) {{ %q = if %d -> (tile<i32>) {{ store %x {SUM} "
        "yield %a : tile<i32> } else { yield %y : tile<i32> } yield %q : tile<i32> } "
        "else { yield %y : tile<i32> } store %r",
        f"%r = andi %c, %d : tile<i1> %r_1 = if %r -> (tile<i32>) {{ store %x {SUM} "
        "yield %a : tile<i32> } else { yield %y : tile<i32> } store %r_1",
    ),
    "both branches leave": (
        "if %c { store %x return } else { store %y return } store %x",
        "if %c { store %x return } store %y",
    ),
    "both branches leave a loop": (
        "%r = loop : tile<i32> { %q = if %c -> (tile<i32>) { store %x continue } "
        "else { store %y break %x : tile<i32> } store %q } store %r",
        "%r = loop : tile<i32> { if %c { store %x continue } store %y break %x : tile<i32> } "
        "store %r",
    ),
}

UNCHANGED = {
    "negated condition without else": (
        f"{TRUE} %n = xori %true, %c : tile<i1> if %n {{ store %x }}"
    ),
    "tokens": (
        "%t = make_token : token %s = make_token : token %r = if %c -> (token) "
        "{ yield %s : token } else { yield %t : token } "
        "%0 = store_ptr_tko weak %p, %x token=%r : tile<ptr<i32>>, tile<i32> -> token"
    ),
    "elements of four bits": (
        "%s = constant <f4E2M1FN: 1.000000e+00> : tile<2xf4E2M1FN> "
        "%t = constant <f4E2M1FN: 2.000000e+00> : tile<2xf4E2M1FN> "
        "%r = if %c -> (tile<2xf4E2M1FN>) { yield %s : tile<2xf4E2M1FN> } "
        "else { yield %t : tile<2xf4E2M1FN> } "
        "%e = ftof %r : tile<2xf4E2M1FN> -> tile<2xf32> "
        '%0 = print_tko "%f", %e : tile<2xf32> -> token'
    ),
    "same condition, first branch leaves": "if %c { store %x return } if %c { store %y }",
    "same condition, first else branch leaves": (
        "if %c { store %x } else { store %y return } if %c { store %y } else { store %x }"
    ),
    "opposite conditions, first else branch leaves": (
        f"{TRUE} %n = xori %true, %c : tile<i1> if %c {{ store %x }} else {{ store %y return }} "
        "if %n { store %x }"
    ),
    "same condition, first else branch leaves a loop": (
        "%r = loop : tile<i32> { if %c { store %x } else { store %y break %x : tile<i32> } "
        "if %c { store %y } else { store %x } } store %r"
    ),
    "same condition, first branch leaves a loop, with else branches": (
        "%r = loop : tile<i32> { if %c { store %x continue } else { store %y } "
        "if %c { store %y } else { store %x } break %y : tile<i32> } store %r"
    ),
    "same condition, not side by side": "if %c { store %x } store %y if %c { store %y }",
    "other condition": "if %c { store %x } if %d { store %y }",
    "nested, inner branch leaves, outer else": (
        "if %c { if %d { store %x return } } else { store %x } store %y"
    ),
    "nested, inner else has effects": "if %c { if %d { store %x } else { store %y } }",
    "nested, outer else has effects": "if %c { if %d { store %x } } else { store %y }",
    "nested before something else": "if %c { if %d { store %x } store %y }",
    "nested after something else": "if %c { store %y if %d { store %x } }",
    "nested with other values": (
        f"%r = if %c -> (tile<i32>) {{ %q = if %d -> (tile<i32>) {{ store %x {SUM} "
        "yield %a : tile<i32> } else { yield %y : tile<i32> } yield %q : tile<i32> } "
        "else { yield %x : tile<i32> } store %r"
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str):
    before, after = CASES[name]
    assert canonical(before) == after
    assert canonical(after) == after


@pytest.mark.parametrize("name", UNCHANGED)
def test_stays(name: str):
    assert canonical(UNCHANGED[name]) == UNCHANGED[name]


def test_attributes_and_locations_survive():
    before = "if %c { store %x } else { } {cuda_tile.loop_split = 3 : i32}"
    assert canonical(before) == "if %c { store %x } {loop_split = 3 : i32}"


@pytest.mark.parametrize("shape", ["", "4x", "2x4x", "2x1x4x"])
def test_values_from_outside_are_selected_in_any_rank(shape: str):
    tile = f"tile<{shape}i32>"
    module = tools.parse(f"""cuda_tile.module @m {{ entry @k(%c: tile<i1>) {{
      %a = constant <i32: 1> : {tile} %b = constant <i32: 2> : {tile}
      %r = if %c -> ({tile}) {{ yield %a : {tile} }} else {{ yield %b : {tile} }}
      print_tko "%i", %r : {tile} -> token return }} }}""")
    after = tools.run_passes(module, "canonicalize")
    after.verify()
    (select,) = (op for op in after.walk() if isinstance(op, cuda_tile.SelectOp))
    assert str(select.cond.type) == f"!cuda_tile.tile<{shape}i1>"
