"""Which values that a loop carries are seen outside of it, or by effects in it."""

import pytest
from xdsl.dialects import scf

from tileir_xdsl.analysis.values.carried_values import carried_values_that_matter
from tileir_xdsl.testing import tools

VIEW = "!nv_tileaa.tiled_view<4xi32>"
STORE = f"nv_tileas.tiled_store weak %tile, %view[{{}}] : tensor<4xi32>, {VIEW}[index]"
CASES = {
    "nothing": ("", "%a, %b", "", [False, False]),
    "a used result": ("", "%a, %b", "%r#0", [True, False]),
    "a used result by way of the other": ("", "%b, %b", "%r#0", [True, True]),
    "a store": (STORE.format("%b"), "%a, %b", "", [False, True]),
    "a store by way of the other": (STORE.format("%b"), "%b, %a", "", [True, True]),
    "a load that nobody uses": (
        f"%l = nv_tileas.tiled_load weak %view[%a] : {VIEW}[index] -> tensor<4xi32>",
        "%a, %b",
        "",
        [False, False],
    ),
    "a load that acquires": (
        f"%l = nv_tileas.tiled_load acquire gpu %view[%a] : {VIEW}[index] -> tensor<4xi32>",
        "%a, %b",
        "",
        [True, False],
    ),
    "an allocation and a slice": (
        "%m = nv_tileas.alloc_tensor : tensor<4xi32> %s = nv_tileas.extract_slice %m[%b][2][1] "
        ": tensor<4xi32> to tensor<2xi32>",
        "%a, %b",
        "",
        [False, False],
    ),
    "an op that nobody knows": ('"test.op"(%a) : (index) -> ()', "%a, %b", "", [True, False]),
    "a region that nobody knows": (
        '"test.op"() ({ %s = arith.addi %a, %b : index "test.op"(%s) : (index) -> () "test.termop"() : () -> () }) : () -> ()',
        "%a, %b",
        "",
        [True, True],
    ),
    "a condition around a store": (
        f"%q = arith.cmpi eq, %a, %n : index scf.if %q {{ {STORE.format('%n')} }}",
        "%a, %b",
        "",
        [True, False],
    ),
    "a condition around nothing": (
        "%q = arith.cmpi eq, %a, %n : index scf.if %q { %s = arith.addi %b, %b : index }",
        "%a, %b",
        "",
        [False, False],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_matters(name: str):
    body, yielded, used, expected = CASES[name]
    user = f'"test.op"({used}) : (index) -> ()' if used else ""
    module = tools.parse(f"""
    %n, %tile, %view = "test.op"() : () -> (index, tensor<4xi32>, {VIEW})
    %r:2 = scf.for %i = %n to %n step %n iter_args(%a = %n, %b = %n) -> (index, index) {{
      {body}
      scf.yield {yielded} : index, index
    }}
    {user}
    """)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert list(carried_values_that_matter(loop)) == expected
