"""Which conversions bring fragments to a product of warps, and to nothing else."""

import pytest

from tileir_xdsl.analysis.access.fragment_loads import mma_of_fragments, stands_at_mma
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools

SHARED = "tensor<16x16xf16, #nv_tileas.memory<smem>>"
A = "tensor<16x16xf16, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((1, 128, 8), (2, 16), 0, 0)>>"
B = "tensor<16x16xf16, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((16, 128, 8), (32, 1), 0, 0)>>"
C = "tensor<16x16xf32, #nv_tileas.layout<((2, 2, 2), (4, 8), 1, 1), ((1, 128, 8), (2, 16), 0, 0)>>"
LOAD_A = f"%a = nv_tileas.convert_layout %x : {SHARED} -> {A}\n"
LOAD_B = f"%b = nv_tileas.convert_layout %y : {SHARED} -> {B}\n"
DOT = (
    "%d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas<atom mma_f16_f16_f32>} "
    f": {A}, {B}, {C} -> {C}\n"
)
BARRIER = '"test.op"() : () -> ()\n'

CASES = {
    "both at the product": (LOAD_A + LOAD_B + DOT, [True, True], [True, True]),
    "something between": (LOAD_A + BARRIER + LOAD_B + DOT, [True, True], [False, True]),
    "another user": (
        LOAD_A + LOAD_B + DOT + f'"test.op"(%b) : ({B}) -> ()\n',
        [True, False],
        [False, False],
    ),
    "in a loop around": (
        LOAD_A + LOAD_B + "scf.for %i = %zero to %n step %one {\n" + DOT + "scf.yield\n}\n",
        [False, False],
        [False, False],
    ),
    "multiplied without an instruction": (
        LOAD_A + LOAD_B + DOT.replace(" {atom = #nv_tileas<atom mma_f16_f16_f32>}", ""),
        [True, True],
        [True, True],
    ),
    "multiplied from shared memory": (
        LOAD_A + LOAD_B + DOT.replace("mma_f16_f16_f32", "wgmma_f16_f16_f32"),
        [False, False],
        [False, False],
    ),
    "out of registers": (
        f"%r = nv_tileas.convert_layout %x : {SHARED} -> {B}\n"
        + LOAD_A.replace(f"%x : {SHARED}", f"%r : {B}")
        + LOAD_B
        + DOT,
        [False, False, True],
        [False, False, True],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_loads_of_a_product(name: str):
    body, belongs, stands = CASES[name]
    module = tools.parse(f"""
    nv_tileaa.func @f(%c: {C}, %n: index) {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %x = nv_tileas.alloc_tensor : {SHARED}
      %y = nv_tileas.alloc_tensor : {SHARED}
      {body}
      nv_tileaa.return
    }}""")
    loads = [op for op in module.walk() if isinstance(op, nv_tileas.ConvertLayoutOp)]
    assert [mma_of_fragments(op) is not None for op in loads] == belongs
    assert [stands_at_mma(op) for op in loads] == stands
