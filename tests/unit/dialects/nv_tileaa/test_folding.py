"""The constant that all elements of a value are."""

import pytest

from tileir_xdsl.dialects.nv_tileaa.folding import constant_element
from tileir_xdsl.testing import tools


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        ("%x = arith.constant 3 : i32", 3),
        ("%x = arith.constant 2.5 : f32", 2.5),
        ("%s = arith.constant 2.5 : f32 %x = nv_tileaa.splat %s : f32 -> tensor<4xf32>", 2.5),
        ("%x = arith.constant dense<2.5> : tensor<4xf32>", 2.5),
        ("%x = arith.constant dense<[0.0, 0.0]> : tensor<2xf32>", 0.0),
        ("%x = arith.constant dense<[0.0, -0.0]> : tensor<2xf32>", None),
        ('%x = "test.op"() : () -> f32', None),
    ],
)
def test_the_element_of_constants(ops: str, expected: float | None):
    module = tools.parse(ops, allow_unregistered=True)
    last = module.body.block.last_op
    assert last is not None
    assert constant_element(last.results[0]) == expected
