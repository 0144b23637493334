"""Tile blocks ask for the next one at their start, in one agent and in two."""

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tests.unit.transforms.dot_loops import ORDERS, persistent_kernel, run_persistent
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS

ONE_AGENT = "tileas-materialize-async{num-stages=3}"
PASSES = {
    "before": "canonicalize",
    "one agent": ONE_AGENT,
    "one agent, loads ahead": f"{ONE_AGENT},tileas-unspecialized-pipeline",
    "two agents": f"{ONE_AGENT},tileas-materialize-schedule",
}


def after(passes: str) -> ModuleOp:
    return tools.run_passes(tools.parse(persistent_kernel()), passes)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("name", PASSES)
def test_it_computes_the_same(name: str, order: MemoryOrder | None):
    found, expected = run_persistent(str(after(PASSES[name])), order)
    np.testing.assert_array_equal(found, expected)


def test_the_request_stands_at_the_start_and_the_answer_at_the_end():
    (loop,) = (op for op in after(ONE_AGENT).walk() if isinstance(op, scf.WhileOp))
    names = [op.name.rpartition(".")[2] for op in loop.after_region.block.ops]
    assert names[:2] == ["produce_one_async", "inc_iter"]
    assert names[-6:] == [
        "consumer_wait",
        "consumer_read",
        "read_program_id",
        "consumer_release",
        "inc_iter",
        "yield",
    ]


def test_the_agent_that_loads_asks_and_the_other_one_gets_the_answer():
    module = after(PASSES["two agents"])
    (switch,) = (op for op in module.walk() if isinstance(op, nv_tileas.AgentSwitchOp))
    compute, produce = (
        {inner.name.removeprefix("nv_tileas.") for inner in body.walk()} for body in switch.bodies
    )
    assert "async.cancel_next_program_id" in produce - compute
    assert "read_program_id" in produce & compute
    assert "async.pipeline.consumer_wait" in compute - produce
    assert "scf.while" in produce & compute


def test_a_kernel_that_is_not_split_keeps_one_look_at_the_answer():
    text = str(after(f"{ONE_AGENT},tileas-materialize-schedule{{pipeline-strategy=unspecialize}}"))
    assert text.count("nv_tileas.read_program_id") == 1


def test_without_pipelines_the_value_is_waited_for():
    text = KERNELS["vector_add"].text_path.read_text()
    passes = "convert-cuda-tile-to-tileaa,canonicalize,convert-tileaa-to-tileas"
    module = tools.run_passes(
        tools.parse(text), f"{passes},tileas-dynamic-persistent,tileas-materialize-async"
    )
    (loop,) = (op for op in module.walk() if isinstance(op, scf.WhileOp))
    first, *_, last, _ = loop.after_region.block.ops
    assert isinstance(first, nv_tileas.AsyncCancelNextProgramIdOp)
    assert isinstance(last, nv_tileas.FutureWaitOp) and last.source is first.result
