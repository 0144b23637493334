"""Failing modules become small: ops go, loops run once, branches take one way."""

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.testing import parse, random_program
from tileir_xdsl.testing.reproducers.shrinking import shrink
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


def test_branches_take_one_way():
    small = shrink(parse(BRANCHES), lambda m: "llvm.store" in names(m), 60)
    assert names(small) == ["builtin.module", "llvm.func", "llvm.store", "llvm.return"]


def test_time_is_limited():
    module = random_program("dense", 0).module
    assert len(ops_in(shrink(module, lambda _: True, 0))) == len(ops_in(module))
