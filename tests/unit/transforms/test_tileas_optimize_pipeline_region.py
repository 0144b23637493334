"""Regions of handshakes keep what needs their stage."""

import json
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit import tools
from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    Kernel,
    expected,
    problem,
)
from tests.unit.transforms.convert_tileas_to_llvm.shared_memory.test_pipelines import (
    ahead,
    in_one_step,
    one_agent,
    specialised,
)
from tests.unit.transforms.dot_loops import ORDERS
from tileir_xdsl import interpreters
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.interpreters.memory_order import MemoryOrder

PASS = "tileas-optimize-pipeline-region"
KERNELS = {
    "specialised": specialised(2),
    "one agent": one_agent(2),
    "ahead": ahead(3),
    "in one step": in_one_step(2),
}
STAGE = "nv_tileas.convert_layout %a_tile"


def optimized(text: str, options: str = "") -> ModuleOp:
    return tools.run_passes(tools.parse(text), PASS + options)


def ops_inside(module: ModuleOp) -> list[str]:
    """The ops in the regions of handshakes."""
    return [
        inner.name.rpartition(".")[2]
        for op in module.walk()
        if isinstance(op, ProduceOp | ConsumeOp)
        for inner in op.body.block.ops
    ]


def with_ops(ops: str) -> str:
    """A kernel with more ops in the region of its `consume_one`."""
    kernel = KERNELS["in one step"]
    text = kernel.text(maps_are_arguments=False)
    assert text.count(f"%x = {STAGE}") == 1
    return text.replace(f"%x = {STAGE}", f"{ops}\n%x = {STAGE}")


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=list(KERNELS))
def test_it_computes_the_same(kernel: Kernel, order: MemoryOrder | None):
    module = optimized(kernel.text(maps_are_arguments=False))
    assert "muli" not in ops_inside(module)
    arrays = problem()
    arguments = list(arrays.values())
    interpreters.launch(module, "k", (1, 1, 1), arguments, memory_order=order)
    np.testing.assert_array_equal(arrays["out"], expected())


def test_what_the_stage_is_needed_for_stays():
    inside = ops_inside(optimized(KERNELS["in one step"].text(maps_are_arguments=False)))
    assert inside.count("convert_layout") == 2 and inside.count("addf") == 1
    assert inside.count("tiled_tma_load") == 2


def test_what_nobody_uses_is_erased():
    module = optimized(with_ops("%u = arith.addi %k, %k : index\n%v = arith.muli %u, %u : index"))
    assert "arith.addi" not in str(module)


def test_what_feeds_an_effect_stays_or_is_moved():
    ops = """
      %u = arith.addi %k, %n3 : index
      "test.op"(%u) ({
        %inner = arith.addi %u, %u : index
        "test.termop"(%inner) : (index) -> ()
      }) : (index) -> ()"""
    text = with_ops(ops)
    module = tools.run_passes(tools.parse(text, allow_unregistered=True), PASS)
    inside = ops_inside(module)
    assert "addi" not in inside and "op" in inside
    assert str(module).count("arith.addi") == 2


def test_what_reads_a_buffer_stays():
    """Another agent may write it until the stage is there."""
    text = KERNELS["in one step"].text(maps_are_arguments=False)
    tile = text.split("%x = nv_tileas.convert_layout %a_tile : ")[1].split("\n")[0]
    buffer_type, result = tile.split(" -> ")
    ops = f"%other = nv_tileas.convert_layout %buffer : {buffer_type} -> {result}\n"
    text = with_ops(ops).replace(
        "%zero = arith", f"%buffer = nv_tileas.alloc_tensor : {buffer_type}\n%zero = arith"
    )
    text = text.replace("nv_tileaa.addf %acc, %xy", "nv_tileaa.addf %other, %xy")
    assert ops_inside(optimized(text)).count("convert_layout") == 3


def test_report(tmp_path: Path):
    path = tmp_path / "regions.json"
    optimized(with_ops("%u = arith.addi %k, %k : index"), f'{{explain="{path}"}}')
    assert json.loads(path.read_text())["functions"] == {
        "k": [
            {"op": "nv_tileas.async.pipeline.produce_one", "moved": 1, "erased": 0},
            {"op": "nv_tileas.async.pipeline.consume_one", "moved": 0, "erased": 1},
        ]
    }
