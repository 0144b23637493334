"""Bounds of integers by the ops that make them."""

import pytest
from xdsl.dialects import scf

from tests.unit.analysis.values.test_divisibility import value_called
from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.testing import tools

VALUES = """
%a, %b, %p = "test.op"() : () -> (i32, i32, !nv_tileaa.ptr<f32>)
%size = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %a : i32
%small = nv_tileaa.assume #nv_tileaa.bounded<0, 100>, %b : i32
%signed = nv_tileaa.assume #nv_tileaa.bounded<-1, 100>, %b : i32
%aligned = nv_tileaa.assume #nv_tileaa.div_by<16>, %small : i32
%object = nv_tileaa.make_memref %p sizes = [%size : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<8x?xf32, strides = [64, 1]>
%known = nv_tileaa.get_dim_size %object {axis = 0 : i32} : !nv_tileaa.memref<8x?xf32, strides = [64, 1]> -> i64
%dynamic = nv_tileaa.get_dim_size %object {axis = 1 : i32} : !nv_tileaa.memref<8x?xf32, strides = [64, 1]> -> i64
%x = nv_tileaa.get_program_id 0 : i32
%y = nv_tileaa.get_program_id 1 : i32
%count = nv_tileaa.get_num_programs 2 : i32
%seven = arith.constant 7 : i32
%minus = arith.constant -1 : i32
%sum = nv_tileaa.addi %small, %seven : i32
%wrapped = nv_tileaa.addi %small, %minus : i32
%product = arith.muli %small, %seven : i32
%overflow = arith.muli %size, %size : i32
%tile = arith.constant 1024 : i64
%tiles = arith.ceildivui %dynamic, %tile : i64
%steps = nv_tileaa.trunci %tiles : i64 to i32
%quotient = arith.divsi %small, %seven : i32
%strange = arith.divsi %minus, %seven : i32
%rest = arith.remui %a, %seven : i32
%signed_rest = arith.remsi %a, %seven : i32
%least = arith.minsi %small, %seven : i32
%least_of_any = arith.minsi %a, %seven : i32
%most = arith.maxsi %a, %seven : i32
%wide = arith.extsi %small : i32 to i64
%sign = arith.extsi %a : i32 to i64
%end = arith.constant 15 : i32
%range = nv_tileaa.make_range %seven, %end : i32 -> tensor<8xi32>
%all = nv_tileaa.splat %small : i32 -> tensor<8xi32>
%moved = nv_tileaa.addi %range, %all : tensor<8xi32>
%row = nv_tileas.view %moved : tensor<8xi32> to tensor<1x8xi32>
%numbers = nv_tileas.generate : tensor<8xi32> {
^bb0(%i: i32):
  nv_tileas.yield %i : i32
}
%others = nv_tileas.generate : tensor<8xi32> {
^bb0(%i: i32):
  nv_tileas.yield %a : i32
}
%rows = nv_tileaa.broadcast %row : tensor<1x8xi32> -> tensor<4x8xi32>
"""

BOUNDS = {
    "a": 2**32 - 1,
    "size": 2**31 - 1,
    "small": 100,
    "signed": 2**32 - 1,
    "aligned": 100,
    "known": 8,
    "dynamic": 2**31 - 1,
    "x": 2**31 - 2,
    "y": 2**16 - 2,
    "count": 2**16 - 1,
    "sum": 107,
    "wrapped": 2**32 - 1,
    "product": 700,
    "overflow": 2**32 - 1,
    "tiles": 2**21,
    "steps": 2**21,
    "quotient": 15,
    "strange": 2**32 - 1,
    "rest": 6,
    "signed_rest": 2**32 - 1,
    "least": 7,
    "least_of_any": 2**32 - 1,
    "most": 2**31 - 1,
    "wide": 100,
    "sign": 2**64 - 1,
    "range": 14,
    "all": 100,
    "rows": 114,
    "numbers": 7,
    "others": 2**32 - 1,
}


@pytest.mark.parametrize("name", BOUNDS)
def test_largest(name: str):
    value = value_called(tools.parse(VALUES), name)
    assert UnsignedRanges().of(value) == BOUNDS[name]


@pytest.mark.parametrize(
    ("first", "last", "largest"),
    [("zero", "few", 9), ("minus", "few", 2**32 - 1), ("zero", "any", 2**31 - 2)],
)
def test_induction_variable(first: str, last: str, largest: int):
    module = tools.parse(f"""
    %any = "test.op"() : () -> i32
    %zero = arith.constant 0 : i32
    %minus = arith.constant -1 : i32
    %few = arith.constant 10 : i32
    %one = arith.constant 1 : i32
    scf.for %i = %{first} to %{last} step %one : i32 {{ }}
    """)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert UnsignedRanges().of(loop.body.block.args[0]) == largest


def test_long_chains():
    steps = "\n".join(f"%v{n + 1} = arith.minui %v{n}, %v{n} : i32" for n in range(3000))
    module = tools.parse(f"%v0 = arith.constant 5 : i32\n{steps}")
    assert UnsignedRanges().of(value_called(module, "v3000")) == 5
