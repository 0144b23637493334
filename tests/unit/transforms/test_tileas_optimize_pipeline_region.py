"""Regions of handshakes keep what needs their stage."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from bench.matrix_kernels import CASES
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
from tileir_xdsl.analysis.layouts.groups import is_tile
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import passes

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


def steps(module: ModuleOp) -> list[str]:
    """The ops of a module that fill or empty stages, in order."""
    names = (op.name.rpartition(".")[2] for op in module.walk())
    return [name for name in names if name.startswith(("produce", "consume"))]


@pytest.mark.parametrize("name", ["specialised", "one agent"])
def test_steps_of_a_consumer_are_one_op(name: str):
    module = optimized(KERNELS[name].text(maps_are_arguments=False))
    assert sorted(steps(module)) == ["consume_one", "produce_one"]
    (consumed,) = (op for op in module.walk() if isinstance(op, ConsumeOp))
    assert [is_tile(value) for value in consumed.results[1:]] == [True] * (
        len(consumed.results) - 1
    )


def after_line(text: str, start: str, inserted: str) -> str:
    """A text with a line after the one that begins so."""
    (line,) = (line for line in text.splitlines() if line.strip().startswith(start))
    return text.replace(line, f"{line}\n{inserted}")


TOKEN = "!nv_tileas.async.pipeline.consumer_token"


def with_copy_groups(text: str) -> str:
    """Groups of copies are waited for elsewhere."""
    return text.replace("dynamic = false}", "dynamic = false, nv_tileas.copy_groups}")


def with_token(text: str) -> str:
    """The token goes on to somebody else."""
    return after_line(text, "%released = ", f'"test.op"(%released) : ({TOKEN}) -> ()')


def with_scalar(text: str) -> str:
    """What is known of a scalar would be forgotten."""
    text = after_line(text, "%read, ", "%known = arith.addi %n1, %n2 : index")
    return after_line(text, "%released = ", '"test.op"(%known) : (index) -> ()')


def with_other_wait(text: str) -> str:
    """The next stage is waited for before this one is released."""
    (wait,) = (line for line in text.splitlines() if line.strip().startswith("%waited = "))
    return after_line(text, "%read, ", wait.replace("%waited", "%other"))


@pytest.mark.parametrize("change", [with_copy_groups, with_token, with_scalar, with_other_wait])
def test_steps_that_stay_apart(change: Callable[[str], str]):
    text = KERNELS["one agent"].text(maps_are_arguments=False)
    changed = change(text)
    assert changed != text
    module = tools.run_passes(tools.parse(changed, allow_unregistered=True), PASS)
    assert "consume_one" not in steps(module)
    assert {"consumer_wait", "consumer_read", "consumer_release"} <= set(steps(module))


def test_a_completion_that_is_awaited_stays():
    text = KERNELS["one agent"].text(maps_are_arguments=False)
    filled = next(line for line in text.splitlines() if "produce_one_async" in line)
    done = filled.split("=")[0].split(",")[1].strip()
    after = next(line for line in text.splitlines() if "consumer_wait" in line)
    text = text.replace(after, f"nv_tileas.async.wait {done} : !nv_tileas.async_token\n{after}")
    assert "produce_one_async" in steps(optimized(text))


@pytest.mark.parametrize("gpu", ["sm_90a", "sm_120a"])
def test_a_real_kernel_has_the_same_instructions(gpu: str):
    emitted: list[str] = []
    for skipped in ("", PASS):
        context = tools.context()
        module = tools.parse(CASES["product_128x128x64"].text_path.read_text())
        for module_pass in passes(gpu):
            if module_pass.name != skipped:
                module_pass.apply(context, module)
                if module_pass.name == PASS:
                    joined = "consume_one" in steps(module)
                    # Of MMAs in flight, which read their stage after the next one is waited for.
                    assert joined == (gpu == "sm_120a")
        emitted.append(emit(module, gpu))
    assert emitted[0] == emitted[1]
