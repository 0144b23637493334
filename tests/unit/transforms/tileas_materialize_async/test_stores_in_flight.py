"""Stores of tiles are waited for in the next iteration, and the program computes the same."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from bench.variants import CASES
from tests.unit.transforms.dot_loops import ORDERS
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import launch_arguments
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.transforms.tileas_materialize_async import TileASMaterializeAsyncPass

CASE = CASES["persistent"]
PROBLEM = (256, 136, 80)


@cache
def program() -> str:
    """The kernel up to the pass, and with it."""
    return text(replace(CASE, folder=Path()))


def materialized() -> ModuleOp:
    module, context = tools.parse(program()), tools.context()
    for step in steps("sm_90a"):
        step.module_pass.apply(context, module)
        if isinstance(step.module_pass, TileASMaterializeAsyncPass):
            break
    module.verify()
    return module


def rounds(module: ModuleOp) -> scf.ForOp:
    """The outer loop."""
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    return next(loop for loop in loops if any(isinstance(op, scf.ForOp) for op in loop.body.walk()))


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
def test_it_computes_what_numpy_does(order: MemoryOrder | None):
    arguments = CASE.make_arguments(PROBLEM)
    expected = CASE.expected(arguments)
    grid = CASE.grid(PROBLEM)
    launch(materialized(), CASE.name, grid, launch_arguments(arguments), memory_order=order)
    CASE.check(arguments, expected)


def test_the_wait_stands_between_the_inner_loop_and_the_copy():
    loop = rounds(materialized())
    ops = list(loop.body.block.ops)

    def first(kind: type[Operation]) -> int:
        return next(number for number, op in enumerate(ops) if isinstance(op, kind))

    stored = first(nv_tileas.AsyncTiledTmaStoreOp)
    order = [first(kind) for kind in (scf.ForOp, nv_tileas.WaitOp, nv_tileas.CopyOp)]
    assert [*order, stored] == sorted([*order, stored])
    terminator = loop.body.block.last_op
    assert terminator is not None and ops[stored].results[0] in terminator.operands
    after = loop.next_op
    assert isinstance(after, nv_tileas.WaitOp) and after.sources[0] in loop.results
