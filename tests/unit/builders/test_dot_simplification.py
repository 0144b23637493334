"""Products of selected inputs of which one choice is known."""

import pytest
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

from tileir_xdsl.builders.dot_simplification import DOT_SIMPLIFICATIONS
from tileir_xdsl.testing.tools import check, parse, to_text

HEADER = """
%a, %b, %c, %p = "test.op"() : () -> (tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32>, i1)
%z = arith.constant 0 : i8
%zero = nv_tileaa.splat %z : i8 -> tensor<16x32xi8>
"""
SIGNS = "signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<signed>"
DOT = (
    f"%d = nv_tileas.dot %s, %b, %c {{atom = #nv_tileas<atom x>, {SIGNS}}} : tensor<16x32xi8>, "
    "tensor<32x8xi8>, tensor<16x8xi32> -> tensor<16x8xi32>\n"
    '"test.op"(%d) : (tensor<16x8xi32>) -> ()\n'
)


def simplified(text: str) -> str:
    module = parse(text)
    applier = GreedyRewritePatternApplier([*DOT_SIMPLIFICATIONS], dce_enabled=False)
    PatternRewriteWalker(applier).rewrite_module(module)
    module.verify()
    return to_text(module)


@pytest.mark.parametrize(
    "select",
    [
        "%t = arith.constant true\n%s = tile.select %t, %a, %zero : tensor<16x32xi8>",
        "%t = arith.constant false\n%s = tile.select %t, %zero, %a : tensor<16x32xi8>",
        "%t = arith.constant dense<true> : tensor<16x32xi1>\n"
        "%s = arith.select %t, %a, %zero : tensor<16x32xi1>, tensor<16x32xi8>",
    ],
)
def test_known_condition(select: str):
    check(
        simplified(HEADER + select + "\n" + DOT),
        f"// CHECK: %d = nv_tileas.dot %a, %b, %c {{atom = #nv_tileas<atom x>, {SIGNS}}}",
    )


def mask(predicate: str, bound: int, start: int = 0) -> str:
    """A select by a comparison of the 32 columns, numbered from `start`, with a bound."""
    return f"""
    %first = arith.constant {start} : i32
    %last = arith.constant {start + 32} : i32
    %n = arith.constant {bound} : i32
    %r = nv_tileaa.make_range %first, %last : i32 -> tensor<32xi32>
    %ns = nv_tileaa.splat %n : i32 -> tensor<32xi32>
    %t = arith.cmpi {predicate}, %r, %ns : tensor<32xi32>
    %row = nv_tileas.view %t : tensor<32xi1> to tensor<1x32xi1>
    %m = nv_tileaa.broadcast %row : tensor<1x32xi1> -> tensor<16x32xi1>
    %s = arith.select %m, %a, %other : tensor<16x32xi1>, tensor<16x32xi8>
    """


MASKED = '%other = "test.op"() : () -> tensor<16x32xi8>\n' + HEADER


@pytest.mark.parametrize(
    ("predicate", "bound", "start", "chosen"),
    [
        ("slt", 32, 0, "%a"),
        ("slt", 31, 0, None),
        ("slt", 0, 0, "%other"),
        ("slt", 1, 0, None),
        ("sle", 31, 0, "%a"),
        ("sle", 30, 0, None),
        ("sgt", -1, 0, "%a"),
        ("sgt", 0, 0, None),
        ("sge", 32, 0, "%other"),
        ("sge", 31, 0, None),
        ("ult", 32, 0, "%a"),
        # As a number without sign -1 is larger than any column, and the first column than 1.
        ("ult", -1, 0, None),
        ("slt", 40, -16, "%a"),
        ("ult", 40, -16, None),
        ("ne", 99, 0, None),
    ],
)
def test_mask_of_known_numbers(predicate: str, bound: int, start: int, chosen: str | None):
    text = simplified(MASKED + mask(predicate, bound, start) + DOT)
    if chosen is None:
        assert "arith.select" in text
    else:
        assert f"nv_tileas.dot {chosen}, %b, %c" in text
        # What only the select needed goes with it.
        assert "arith.select" not in text and "arith.cmpi" not in text


def test_known_choice_of_a_transposed_operand():
    text = simplified(
        MASKED.replace("tensor<32x8xi8>", "tensor<32x16xi8>").replace("16x8xi32", "16x16xi32")
        + mask("slt", 32)
        + "%x = nv_tileaa.permute %s {permutation = array<i32: 1, 0>} : "
        "tensor<16x32xi8> -> tensor<32x16xi8>\n"
        + DOT.replace("%s, %b", "%a, %x").replace("32x8xi8", "32x16xi8").replace("16x8", "16x16")
    )
    check(text, "// CHECK: [[X:%.*]] = nv_tileaa.permute %a\n// CHECK: nv_tileas.dot %a, [[X]], %c")


@pytest.mark.parametrize(
    "condition",
    [
        "%m = nv_tileaa.splat %p : i1 -> tensor<16x32xi1>",
        "%one = nv_tileaa.splat %p : i1 -> tensor<1xi1>\n"
        "%row = nv_tileas.view %one : tensor<1xi1> to tensor<1x1xi1>\n"
        "%m = nv_tileaa.broadcast %row : tensor<1x1xi1> -> tensor<16x32xi1>",
    ],
)
def test_one_condition_for_all_elements(condition: str):
    select = "%s = arith.select %m, %a, %zero : tensor<16x32xi1>, tensor<16x32xi8>\n"
    text = simplified(HEADER + condition + "\n" + select + DOT)
    check(text, "// CHECK: scf.if %p -> (tensor<16x8xi32>) {\n// CHECK: nv_tileas.dot %a, %b, %c")
    assert "arith.select" not in text


def test_condition_in_a_tile_of_one_element():
    given = '%one = "test.op"() : () -> tensor<1x1xi1>\n'
    condition = "%m = nv_tileaa.broadcast %one : tensor<1x1xi1> -> tensor<16x32xi1>\n"
    select = "%s = arith.select %m, %zero, %a : tensor<16x32xi1>, tensor<16x32xi8>\n"
    check(
        simplified(HEADER + given + condition + select + DOT),
        """
        // CHECK: [[P:%.*]] = nv_tileaa.extract %one : tensor<1x1xi1> -> i1
        // CHECK-NEXT: scf.if [[P]]
        // CHECK-NEXT: scf.yield %c
        // CHECK: nv_tileas.dot %a, %b, %c
        """,
    )


def test_asynchronous_dot_is_waited_for_where_it_is_issued():
    dot = (
        f"%f = nv_tileas.async.dot %a, %s, %c {{atom = #nv_tileas<atom x>, {SIGNS}}} : "
        "tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32> -> !async.value<tensor<16x8xi32>>\n"
        "%d = nv_tileas.async.future_wait %f : !async.value<tensor<16x8xi32>> -> tensor<16x8xi32>\n"
        '"test.op"(%d) : (tensor<16x8xi32>) -> ()\n'
    )
    zeros = "%zeros = nv_tileaa.splat %z : i8 -> tensor<32x8xi8>\n"
    select = "%s = tile.select %p, %b, %zeros : tensor<32x8xi8>\n"
    check(
        simplified(HEADER + zeros + select + dot),
        """
        // CHECK: [[D:%.*]] = scf.if %p -> (tensor<16x8xi32>) {
        // CHECK-NEXT: [[F:%.*]] = nv_tileas.async.dot %a, %b, %c
        // CHECK-NEXT: [[W:%.*]] = nv_tileas.async.future_wait [[F]]
        // CHECK-NEXT: scf.yield [[W]]
        // CHECK: "test.op"([[D]])
        """,
    )


@pytest.mark.parametrize(("choice", "product_first"), [("%a, %zero", True), ("%zero, %a", False)])
def test_product_of_zero_is_not_done(choice: str, product_first: bool):
    text = simplified(HEADER + f"%s = tile.select %p, {choice} : tensor<16x32xi8>\n" + DOT)
    check(text, "// CHECK: scf.if %p -> (tensor<16x8xi32>) {\n// CHECK: nv_tileas.dot %a, %b, %c")
    assert (text.index("nv_tileas.dot") < text.index("else")) == product_first


@pytest.mark.parametrize(
    "text",
    [
        # Zero times infinity is no zero.
        """
        %a, %b, %c, %p = "test.op"() : () -> (tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32>, i1)
        %z = arith.constant dense<0.0> : tensor<16x32xf16>
        %s = tile.select %p, %a, %z : tensor<16x32xf16>
        %d = nv_tileas.dot %s, %b, %c : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32> -> tensor<16x8xf32>
        """,
        # Each element has its own condition.
        HEADER
        + '%m = "test.op"() : () -> tensor<16x32xi1>\n'
        + "%s = arith.select %m, %a, %zero : tensor<16x32xi1>, tensor<16x32xi8>\n"
        + DOT,
        # Neither choice is zero.
        HEADER + "%s = tile.select %p, %a, %a : tensor<16x32xi8>\n" + DOT,
    ],
)
def test_products_that_stay(text: str):
    assert simplified(text) == to_text(parse(text))
