"""The folds of `nv_tileas` as a pass of the road: what it changes, and that it leaves the rest."""

import pytest
from xdsl.dialects import scf

from tests.unit.road.zoo import lower
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.written import WRITTEN

NEST = """
%x, %n = "test.op"() : () -> (tensor<16x8xf32>, TYPE)
%c0 = arith.constant 0 : TYPE
%c1 = arith.constant 1 : TYPE
%c2 = arith.constant 2 : TYPE
%most = arith.constant MOST : TYPE
scf.for %i = %c1 to UPPER step %c1 BOUND {
  scf.for %j = %c0 to %c2 step %c1 BOUND {
    %s = nv_tileas.extract_slice %x[1, 2][1, 2][1, 1] : tensor<16x8xf32> to tensor<1x2xf32>
    "test.op"(%s, %i, %j) : (tensor<1x2xf32>, TYPE, TYPE) -> ()
  }
}
"""


def nest(type: str, upper: str, most: int = 5) -> str:
    """Two loops over a type, of which the inner one has two trips."""
    bound = "" if type == "index" else f": {type}"
    text = NEST.replace("TYPE", type).replace("UPPER", upper).replace("BOUND", bound)
    return text.replace("MOST", str(most))


def loops(text: str) -> int:
    """The loops that are left."""
    module = tools.run_passes(tools.parse(text), "tileas-canonicalize")
    return sum(isinstance(op, scf.ForOp) for op in module.walk())


@pytest.mark.parametrize(
    ("type", "upper", "most", "left"),
    [
        ("index", "%most", 5, 1),
        ("index", "%n", 5, 1),
        ("i32", "%most", 5, 1),
        # A product of trips that nobody knows may wrap around.
        ("i32", "%n", 5, 2),
        # 2 * 63 fits the signed numbers of 8 bits, and 2 * 64 does not.
        ("i8", "%most", 64, 1),
        ("i8", "%most", 65, 2),
    ],
)
def test_loops_become_one_where_their_trips_fit(type: str, upper: str, most: int, left: int):
    assert loops(nest(type, upper, most)) == left


def test_the_index_of_each_loop_is_made_again():
    text = tools.to_text(tools.run_passes(tools.parse(nest("i32", "%most")), "tileas-canonicalize"))
    # Four trips by two, from 1 on: what adds 0, or multiplies by 1, is not written.
    assert "arith.constant 8 : i32" in text
    assert text.count("arith.divsi") == text.count("arith.remsi") == 1
    assert text.count("arith.addi") == 1 and "arith.muli" not in text


def test_slices_and_loops_are_folded_at_once():
    text = nest("index", "%most").replace("[1, 2][1, 2][1, 1]", "[%c1, %c2][%c1, %c2][%c1, %c1]")
    text = text.replace("tensor<1x2xf32>", "tensor<?x?xf32>")
    module = tools.run_passes(tools.parse(text), "tileas-canonicalize")
    assert sum(isinstance(op, scf.ForOp) for op in module.walk()) == 1
    assert "extract_slice %x[1, 2][1, 2][1, 1]" in tools.to_text(module)


def test_what_is_no_fold_of_the_dialect_stays():
    text = "%a = arith.constant 1 : i32\n%b = arith.addi %a, %a : i32"
    module = tools.parse(text)
    before = tools.to_text(module)
    assert tools.to_text(tools.run_passes(module, "tileas-canonicalize")) == before


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a"])
def test_nested_loops_of_a_kernel_are_one_in_ptx(gpu: str):
    module = tools.parse(WRITTEN["doubled_panels"].text_path.read_text())
    lines = lower(module, gpu).ptx.splitlines()
    branches = [line for line in lines if " bra " in line]
    assert len(branches) == 1
    # The index is never negative, so that its quotient by 4 is a shift and its rest a mask.
    assert not any("shr.s32" in line for line in lines)


TILE = "tensor<16x8xf32>"
SHARED = "tensor<16x8xf32, #nv_tileas.memory<smem>>"


def left(body: str) -> list[str]:
    """The names of the ops that are left, but for those of the test."""
    text = f'%x, %p, %i = "test.op"() : () -> ({TILE}, tensor<1x2xf32>, index)\n{body}'
    module = tools.run_passes(tools.parse(text), "tileas-canonicalize")
    return [op.name for op in module.walk() if op.name not in ("test.op", "builtin.module")]


UNUSED = {
    "view": f"%v = nv_tileas.view %x : {TILE} to tensor<128xf32>",
    "allocation": f"%a = nv_tileas.alloc_tensor : {TILE}",
    "slice": f"%a = nv_tileas.extract_slice %x[1, 2][1, 2][1, 1] : {TILE} to tensor<1x2xf32>",
    "offsets": f"""
        %c2 = arith.constant 2 : index
        %j = arith.muli %i, %c2 : index
        %k = arith.muli %j, %c2 : index
        %a = nv_tileas.insert_slice %p into %x[%j, %k][1, 2][1, 1] : tensor<1x2xf32> into {TILE}""",
    "chain": f"""
        %c4 = arith.constant 4 : index
        %j = arith.muli %i, %c4 : index
        %a = nv_tileas.extract_slice %x[%j, 0][4, 8][1, 1] : {TILE} to tensor<4x8xf32>
        %b = nv_tileas.insert_slice %a into %x[0, 0][4, 8][1, 1] : tensor<4x8xf32> into {TILE}""",
}


@pytest.mark.parametrize("name", UNUSED)
def test_what_nothing_uses_goes_as_a_whole(name: str):
    assert left(UNUSED[name]) == []


def test_memory_and_offsets_with_other_users_stay():
    used = UNUSED["offsets"] + '\n"test.op"(%j) : (index) -> ()'
    assert left(used) == ["arith.constant", "arith.muli"]
    assert left(f"%a = nv_tileas.alloc_tensor : {SHARED}") == ["nv_tileas.alloc_tensor"]
