"""Failing modules become small: ops go, loops run once, branches take one way."""

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType

from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.checking.observation import interpret
from tileir_xdsl.dialects.nv_tileaa.folding import constant_element
from tileir_xdsl.testing import parse, random_program
from tileir_xdsl.testing.reproducers.shrinking import shrink
from tileir_xdsl.testing.reproducers.stand_ins import FAR, constant
from tileir_xdsl.walking import ops_in

BRANCHES = """
llvm.func @k(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %again = llvm.mlir.constant(1 : i32) : i32
  %is_one = llvm.icmp "eq" %n, %one : i32
  llvm.cond_br %is_one, ^bb1(%one : i32), ^bb2(%again : i32)
^bb1(%x: i32):
  %y = llvm.add %x, %n : i32
  llvm.br ^bb2(%y : i32)
^bb2(%z: i32):
  %w = llvm.mul %z, %n : i32
  llvm.store %w, %p : i32, !llvm.ptr<1>
  llvm.return
}
"""


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in ops_in(module)]


def test_only_what_fails_is_left():
    module = random_program("dense", 0).module
    small = shrink(module, lambda m: "cuda_tile.subf" in names(m), 60)
    assert len(ops_in(small)) <= 7
    assert len(ops_in(module)) > 50


def test_a_loop_runs_once():
    module = next(
        program.module
        for program in (random_program("dense", seed) for seed in range(20))
        if "cuda_tile.for" in names(program.module)
    )
    small = shrink(module, lambda m: "cuda_tile.mulf" in names(m), 60)
    assert "cuda_tile.for" not in names(small)


COUNTED = """
cuda_tile.module @m {
  entry @k(%first: tile<i32>, %end: tile<i32>, %one: tile<i32>) {
    for %i in (%first to %end, step %one) : tile<i32> {
      %x = muli %i, %one : tile<i32>
      continue
    }
    return
  }
}
"""


def test_a_loop_runs_once_with_its_upper_bound():
    def fails(module: ModuleOp) -> bool:
        products = [op for op in ops_in(module) if op.name == "cuda_tile.muli"]
        return any(op.operands[0].name_hint in ("i", "end") for op in products)

    small = names(shrink(parse(COUNTED), fails, 60))
    assert small[3:] == ["cuda_tile.muli", "cuda_tile.return"]


def test_branches_take_one_way():
    small = shrink(parse(BRANCHES), lambda m: "llvm.store" in names(m), 60)
    assert names(small) == ["builtin.module", "llvm.func", "llvm.store", "llvm.return"]


LOADED = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
    %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    %y = negf %x : tile<f32>
    %s = store_ptr_tko weak %to, %y token=%t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""


def test_a_constant_takes_the_place_of_a_loaded_nan():
    def fails(module: ModuleOp) -> bool:
        given, result = np.array([np.nan], np.float32), np.zeros(1, np.float32)
        seen = interpret(module, "k", LaunchInput((1, 1, 1), (given, result)))
        return bool(np.isnan(seen.arrays[1]).all())

    small = names(shrink(parse(LOADED), fails, 60))
    assert small[3:] == ["cuda_tile.constant", "cuda_tile.store_ptr_tko", "cuda_tile.return"]


@pytest.mark.parametrize(("width", "value"), [(1, 0), (8, 127), (32, FAR)])
def test_a_constant_is_as_large_as_its_type_allows(width: int, value: int):
    tile = TensorType(IntegerType(width), (4,))
    made = constant(tile, FAR)
    assert made is not None
    assert constant_element(made.results[0]) == value


def test_time_is_limited():
    module = random_program("dense", 0).module
    assert len(ops_in(shrink(module, lambda _: True, 0))) == len(ops_in(module))
