"""Integers as affine functions of induction variables."""

import pytest
from xdsl.dialects import scf, test

from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slicing.affine_index import AffineIndex, affine_index

CASES = {
    "%c4": ([0, 0], 4),
    "%i": ([1, 0], 0),
    "%v = arith.addi %i, %c4 : index": ([1, 0], 4),
    "%v = arith.subi %c4, %j : index": ([0, -1], 4),
    "%v = arith.subi %i, %i : index": ([0, 0], 0),
    "%v = arith.muli %c4, %j : index": ([0, 4], 0),
    "%t = arith.addi %j, %c4 : index %v = arith.muli %t, %c4 : index": ([0, 4], 16),
    "%v = arith.shli %i, %c4 : index": ([16, 0], 0),
    "%t = arith.index_cast %i : index to i32 %v = arith.extsi %t : i32 to i64": ([1, 0], 0),
    "%t = arith.muli %i, %c4 : index %v = arith.addi %t, %j : index": ([4, 1], 0),
    "%v = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 - 5)>(%i)[%j]": ([3, 1], -5),
    "%v = arith.muli %i, %j : index": None,
    "%v = arith.shli %c4, %i : index": None,
    "%v = arith.divui %i, %c4 : index": None,
    "%v = arith.addi %i, %unknown : index": None,
    "%v = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)": None,
    "%unknown": None,
    "%carried": None,
}


@pytest.mark.parametrize("definition", CASES)
def test_affine_index(definition: str):
    lines, value = (definition, "%v") if "=" in definition else ("", definition)
    module = tools.parse(f"""
    %c4 = arith.constant 4 : index
    %unknown = "test.op"() : () -> index
    %r = scf.for %i = %c4 to %unknown step %c4 iter_args(%carried = %c4) -> (index) {{
      scf.for %j = %c4 to %unknown step %c4 {{
        {lines}
        "test.op"({value}) : ({"i64" if "i64" in lines else "index"}) -> ()
      }}
      scf.yield %i : index
    }}
    """)
    *_, use = (op for op in module.walk() if isinstance(op, test.TestOp))
    variables = [op.body.block.args[0] for op in module.walk() if isinstance(op, scf.ForOp)]
    found, expected = affine_index(use.operands[0]), CASES[definition]
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert ([found.coefficient(variable) for variable in variables], found.constant) == expected
    assert all(coefficient for _, coefficient in found.terms)


def test_a_long_chain_is_followed():
    sums = "".join(f"%s{n + 1} = arith.addi %s{n}, %i : index\n" for n in range(2000))
    module = tools.parse(f"""
    %s0 = arith.constant 0 : index
    scf.for %i = %s0 to %s0 step %s0 {{
      {sums}
      "test.op"(%s2000) : (index) -> ()
    }}
    """)
    (use,) = (op for op in module.walk() if isinstance(op, test.TestOp))
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert affine_index(use.operands[0]) == AffineIndex(((loop.body.block.args[0], 2000),))
