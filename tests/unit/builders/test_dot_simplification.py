"""Products of selected inputs of which one choice is known."""

import pytest
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

from tests.unit.tools import check, parse, to_text
from tileir_xdsl.builders.dot_simplification import DOT_SIMPLIFICATIONS

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
