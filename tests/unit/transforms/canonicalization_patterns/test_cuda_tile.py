"""Folds and patterns of `cuda_tile` besides those of `if`."""

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr
from xdsl.ir import Operation
from xdsl.traits import HasCanonicalizationPatternsTrait

from tests.unit.transforms.bodies import canonical
from tests.unit.transforms.random_programs import outcome, random_kernel
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.cuda_tile import AddFOp, ExtIOp, SelectOp, SubFOp, XOrIOp
from tileir_xdsl.testing.tools import parse, run_passes, to_text
from tileir_xdsl.transforms.canonicalization_patterns.cuda_tile import attach_patterns

TRUE = "%true = constant <i1: true> : tile<i1>"
FALSE = "%false = constant <i1: false> : tile<i1>"
ONE = "%one = constant <i32: 1> : tile<i32>"
ZERO = "%zero = constant <i32: 0> : tile<i32>"
PRINT = 'print_tko "%i", %r : tile<2xi32> -> token'
PRODUCT = "%m = mulf %f, %g {} : tile<f32>"
USE = 'print_tko "%f", %r : tile<f32> -> token'

CASES = {
    "select of equal arms": (
        "%r = select %c, %x, %x : tile<i1>, tile<i32> store %r",
        "store %x",
    ),
    "select by true": (
        f"{TRUE} %r = select %true, %x, %y : tile<i1>, tile<i32> store %r",
        "store %x",
    ),
    "select by false": (
        f"{FALSE} %r = select %false, %x, %y : tile<i1>, tile<i32> store %r",
        "store %y",
    ),
    "select by a splat": (
        "%m = constant <i1: false> : tile<2xi1> %i = iota : tile<2xi32> "
        "%k = constant <i32: [3, 1]> : tile<2xi32> "
        f"%r = select %m, %i, %k : tile<2xi1>, tile<2xi32> {PRINT}",
        f"%k = constant <i32: [3, 1]> : tile<2xi32> %0 = {PRINT.replace('%r', '%k')}",
    ),
    "select of true and false": (
        f"{TRUE} {FALSE} %r = select %c, %true, %false : tile<i1>, tile<i1> "
        'assert %r, "r" : tile<i1>',
        'assert %c, "r" : tile<i1>',
    ),
    "select of false and true": (
        f"{TRUE} {FALSE} %r = select %c, %false, %true : tile<i1>, tile<i1> "
        'assert %r, "r" : tile<i1>',
        f'{TRUE} %r = xori %c, %true : tile<i1> assert %r, "r" : tile<i1>',
    ),
    "select of what is equal": (
        "%q = cmpi equal %x, %y, signed : tile<i32> -> tile<i1> "
        "%r = select %q, %x, %y : tile<i1>, tile<i32> store %r",
        "store %y",
    ),
    "select of what is equal, flipped": (
        "%q = cmpi equal %y, %x, unsigned : tile<i32> -> tile<i1> "
        "%r = select %q, %x, %y : tile<i1>, tile<i32> store %r",
        "store %y",
    ),
    "select of what differs": (
        "%q = cmpi not_equal %x, %y, signed : tile<i32> -> tile<i1> "
        "%r = select %q, %x, %y : tile<i1>, tile<i32> store %r",
        "store %x",
    ),
    "select by a negation": (
        f"{TRUE} %n = xori %c, %true : tile<i1> "
        "%r = select %n, %x, %y : tile<i1>, tile<i32> store %r",
        "%r = select %c, %y, %x : tile<i1>, tile<i32> store %r",
    ),
    "select in the true arm": (
        "%s = select %c, %x, %y : tile<i1>, tile<i32> %z = addi %x, %y : tile<i32> "
        "%r = select %c, %s, %z : tile<i1>, tile<i32> store %r",
        "%z = addi %x, %y : tile<i32> %r = select %c, %x, %z : tile<i1>, tile<i32> store %r",
    ),
    "select in the false arm": (
        "%s = select %c, %x, %y : tile<i1>, tile<i32> %z = addi %x, %y : tile<i32> "
        "%r = select %c, %z, %s : tile<i1>, tile<i32> store %r",
        "%z = addi %x, %y : tile<i32> %r = select %c, %z, %y : tile<i1>, tile<i32> store %r",
    ),
    "select among constants": (
        "%m = constant <i1: [true, false]> : tile<2xi1> %i = constant <i32: 7> : tile<2xi32> "
        "%k = constant <i32: [3, -1]> : tile<2xi32> "
        f"%r = select %m, %i, %k : tile<2xi1>, tile<2xi32> {PRINT}",
        f"%r = constant <i32: [7, -1]> : tile<2xi32> %0 = {PRINT}",
    ),
    "select of one and zero": (
        f"{ONE} {ZERO} %r = select %c, %one, %zero : tile<i1>, tile<i32> store %r",
        "%r = exti %c unsigned : tile<i1> -> tile<i32> store %r",
    ),
    "select of zero and one": (
        f"{ONE} {ZERO} %r = select %c, %zero, %one : tile<i1>, tile<i32> store %r",
        "%r = constant <i1: true> : tile<i1> %r_1 = xori %c, %r : tile<i1> "
        "%r_2 = exti %r_1 unsigned : tile<i1> -> tile<i32> store %r_2",
    ),
    "assume of the same": (
        "%a = assume div_by<8>, %x : tile<i32> %b = assume div_by<8>, %a : tile<i32> store %b",
        "%a = assume div_by<8>, %x : tile<i32> store %a",
    ),
    "product on the right": (
        f"{PRODUCT.format('')} %r = addf %h, %m rounding<zero> flush_to_zero : tile<f32> {USE}",
        "%m = mulf %f, %g : tile<f32> %r = addf %m, %h rounding<zero> flush_to_zero : tile<f32> "
        f"%0 = {USE}",
    ),
    "constants of a branch": (
        f"if %c {{ {ONE} store %one }} else {{ {ZERO} store %zero {ONE} store %one }}",
        f"{ONE} {ZERO} if %c {{ store %one }} else {{ store %zero store %one }}",
    ),
    "constants behind other operations": (
        f"store %x {ONE} store %one %two = constant <i32: 1> : tile<i32> store %two",
        f"{ONE} store %x store %one store %one",
    ),
    "dead code": ("%r = addi %x, %x : tile<i32> %t = make_token : token", ""),
}

UNCHANGED = {
    "select of floats one and zero": (
        "%one = constant <f32: 1.000000e+00> : tile<f32> "
        "%zero = constant <f32: 0.000000e+00> : tile<f32> "
        f"%r = select %c, %one, %zero : tile<i1>, tile<f32> %0 = {USE}"
    ),
    "select of what is less": (
        "%q = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1> "
        "%r = select %q, %x, %y : tile<i1>, tile<i32> store %r"
    ),
    "select of one and two": (
        f"{ONE} %two = constant <i32: 2> : tile<i32> "
        "%r = select %c, %one, %two : tile<i1>, tile<i32> store %r"
    ),
    "assume of something else": (
        "%a = assume div_by<8>, %x : tile<i32> %b = assume div_by<16>, %a : tile<i32> store %b"
    ),
    "products on both sides": (
        "%m = mulf %f, %g : tile<f32> %n = mulf %g, %h : tile<f32> "
        f"%r = addf %m, %n : tile<f32> %0 = {USE}"
    ),
    "arithmetic on constants": f"{ONE} %r = addi %one, %one : tile<i32> store %r",
    "constants of a reduction": (
        "%i = iota : tile<4xi32> %r = reduce %i dim=0 identities=[0 : i32] : tile<4xi32> -> "
        "tile<i32> (%a: tile<i32>, %b: tile<i32>) { %z = constant <i32: 5> : tile<i32> "
        "%s = addi %a, %b : tile<i32> %w = maxi %s, %z signed : tile<i32> yield %w : tile<i32> } "
        "store %r"
    ),
    "constants of a scan": (
        "%i = iota : tile<4xi32> %r = scan %i dim=0 reverse=false identities=[0 : i32] : "
        "tile<4xi32> -> tile<4xi32> (%a: tile<i32>, %b: tile<i32>) { "
        "%z = constant <i32: 5> : tile<i32> %s = muli %a, %z : tile<i32> "
        "%w = addi %s, %b : tile<i32> yield %w : tile<i32> } "
        '%0 = print_tko "%i", %r : tile<4xi32> -> token'
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str):
    before, after = CASES[name]
    assert canonical(before) == after


@pytest.mark.parametrize("name", UNCHANGED)
def test_stays(name: str):
    assert canonical(UNCHANGED[name]) == UNCHANGED[name]


@pytest.mark.parametrize("seed", range(12))
def test_kernels_do_the_same(seed: int):
    module = parse(random_kernel(seed))
    before, size = outcome(module), sum(1 for _ in module.walk())
    run_passes(module, "canonicalize")
    assert sum(1 for _ in module.walk()) < size
    for expected, found in zip(before, outcome(module), strict=True):
        assert expected.tolist() == found.tolist()
    text = to_text(module)
    run_passes(module, "canonicalize")
    assert to_text(module) == text


def test_new_operations_keep_the_location():
    module = parse(f"""
        cuda_tile.module @m {{
          entry @f(%c: tile<i1>, %p: tile<ptr<i32>>) {{
            {ONE} {ZERO}
            %r = select %c, %zero, %one : tile<i1>, tile<i32>
            store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
          }}
        }}
    """)
    location = FileLineColLoc(StringAttr("k.py"), IntAttr(3), IntAttr(1))
    for op in module.walk():
        if isinstance(op, SelectOp):
            op.location = location
    run_passes(module, "canonicalize")
    found = {type(op): op.location for op in module.walk()}
    assert found[XOrIOp] == found[ExtIOp] == location


def test_attaching_again_changes_nothing():
    attach_patterns()
    before = AddFOp.traits.traits
    attach_patterns()
    assert AddFOp.traits.traits == before


def test_ops_with_a_common_base_do_not_share_patterns():
    def patterns(op: type[Operation]) -> list[HasCanonicalizationPatternsTrait]:
        return list(op.get_traits_of_type(HasCanonicalizationPatternsTrait))

    assert patterns(AddFOp) and not patterns(SubFOp)
    assert patterns(nv_tileaa.StoreOp) and not patterns(nv_tileas.StoreOp)
