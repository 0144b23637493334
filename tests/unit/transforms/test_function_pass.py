"""Passes are skipped where they have nothing to do: never where they would have changed anything."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tests.unit.road.zoo import gpus_of, gpus_of_text
from tests.unit.tools import REPOSITORY
from tileir_xdsl.options import Options
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.function_pass import FunctionIndex, FunctionPass, SkippingRunner
from tileir_xdsl.transforms.pipeline_road import passes, steps
from tileir_xdsl.transforms.tileas_materialize_convert_layout import (
    TileASMaterializeConvertLayoutPass,
)
from tileir_xdsl.transforms.tileas_remove_dead_args import TileASRemoveDeadArgsPass

PIPELINED = sorted((REPOSITORY / "bench" / "kernels").glob("*128x*.mlir"))
"""Kernels whose strides are known, so that their loads go through pipelines."""

GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")


def op_names(scope: Operation) -> frozenset[str]:
    return frozenset(op.name for op in scope.walk())


def check(text: str, gpu: str, *, dynamic_persistent: bool = False) -> set[str]:
    """Runs the pipeline with skipping, and each pass again on what it was not run on.

    Returns the names of the passes that were run somewhere.
    """
    context, module = tools.context(), tools.parse(text)
    runner, ran = SkippingRunner(context, module), set[str]()
    unchanged = None
    for step in steps(gpu, Options(dynamic_persistent=dynamic_persistent)):
        module_pass = step.module_pass
        if isinstance(module_pass, FunctionPass):
            names = step.op_names or module_pass.op_names
            skipped = [s for s in runner.index.scopes() if names.isdisjoint(op_names(s))]
            if skipped:
                unchanged = unchanged or module.clone()
                module_pass.apply_to(module, skipped)
                assert module.is_structurally_equivalent(unchanged), module_pass.name
            if len(skipped) == len(runner.index.scopes()):
                runner(module_pass)
                continue
        ran.add(module_pass.name)
        runner(module_pass)
        unchanged = None
        for scope in runner.index.scopes():
            assert runner.index.names_in(scope) == op_names(scope), module_pass.name
    return ran


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", KERNELS)
def test_a_skipped_pass_would_change_nothing(name: str):
    gpus = gpus_of(KERNELS[name])
    check(KERNELS[name].text_path.read_text(), gpus[len(name) % len(gpus)])


@pytest.mark.one_in(5)
@pytest.mark.parametrize("path", PIPELINED, ids=lambda path: path.stem)
def test_a_skipped_pass_would_change_nothing_in_pipelines(path: Path):
    text = path.read_text()
    able = gpus_of_text(text)
    ran = set[str]().union(*(check(text, gpu) for gpu in GPUS if gpu in able))
    ran |= check(text, "sm_100a", dynamic_persistent=True)
    if "product" in path.stem:
        # Agents come with the schedule; loads are copies into pipelines before it.
        idle = {"tileas-resolve-agent-boundary", "lower-ldgsts-load-to-async"}
        assert {p.name for p in passes() if isinstance(p, FunctionPass)} - idle <= ran


TWO_FUNCTIONS = """
nv_tileaa.func @looped(%x: i32) {
  %zero, %one = "test.op"() : () -> (index, index)
  %unused = scf.for %i = %zero to %one step %one iter_args(%a = %x) -> (i32) {
    scf.yield %a : i32
  }
  nv_tileaa.return
}
nv_tileaa.func @plain(%x: i32) {
  nv_tileaa.return
}
"""


def test_only_functions_with_an_op_of_the_pass_are_changed():
    module = tools.parse(TWO_FUNCTIONS)
    index = FunctionIndex(module)
    looped, plain = index.scopes()
    assert index.scopes_with(TileASRemoveDeadArgsPass().op_names) == [looped]
    assert index.scopes_with(TileASMaterializeConvertLayoutPass().op_names) == []
    SkippingRunner(tools.context(), module)(TileASRemoveDeadArgsPass())
    assert "iter_args" not in tools.to_text(module)
    assert index.names_in(plain) == {"nv_tileaa.func", "nv_tileaa.return"}


def test_the_index_is_asked_again_after_a_change():
    module = tools.parse(TWO_FUNCTIONS)
    index = FunctionIndex(module)
    looped, _ = index.scopes()
    assert "scf.for" in index.names_in(looped)
    (loop,) = (op for op in looped.walk() if op.name == "scf.for")
    loop.detach()
    loop.erase()
    assert "scf.for" in index.names_in(looped)
    index.forget([looped])
    assert "scf.for" not in index.names_in(looped)
    looped.detach()
    index.forget_all()
    assert len(index.scopes()) == 1


SYMBOLS = {
    "func.func @f() { func.return }": True,
    "cuda_tile.module @m { entry @f() { return } }": True,
    "llvm.func @f() { llvm.return }": True,
    "llvm.mlir.global internal @x(1 : i32) : i32": True,
    "builtin.module { nv_tileaa.func @f() { nv_tileaa.return } }": False,
}
"""Symbols next to functions, and whether they hold ops that are in no function."""


@pytest.mark.parametrize("text", SYMBOLS)
def test_ops_of_other_symbols_belong_to_the_module(text: str):
    module = tools.parse(TWO_FUNCTIONS + text)
    scopes = FunctionIndex(module).scopes()
    assert (scopes == [module]) == SYMBOLS[text]
    held = {op for scope in scopes for op in scope.walk()}
    inside = {op for op in module.walk() if not isinstance(op, ModuleOp)}
    assert inside <= held


def test_ops_outside_of_functions_belong_to_the_module():
    module = tools.parse(TWO_FUNCTIONS + '"test.op"() : () -> ()')
    assert FunctionIndex(module).scopes() == [module]
