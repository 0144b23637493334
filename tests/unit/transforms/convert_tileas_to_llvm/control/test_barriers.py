"""Barriers and fences of the tile program become one instruction each."""

import pytest

from tests.unit.transforms.convert_tileas_to_llvm.shared_memory.test_pipelines import specialised
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

KERNEL = """
module attributes {{nv_tileaa.target_spec = "{target}"}} {{
  nv_tileaa.func @kernel() attributes {{
      nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
    {op}
    nv_tileaa.return
  }}
}}
"""

FORMS: list[tuple[str, str, list[str]]] = [
    ("sm_80", "nv_tileas.barrier warp", ["bar.warp.sync -1;"]),
    ("sm_80", "nv_tileas.barrier agent", ["bar.sync 0;"]),
    ("sm_80", "nv_tileas.barrier cta", ["bar.sync 0;"]),
    (
        "sm_90a",
        "nv_tileas.barrier cluster",
        ["barrier.cluster.arrive;", "barrier.cluster.wait;"],
    ),
    ("sm_80", "nv_tileas.fence_proxy async_shared", []),
    ("sm_90a", "nv_tileas.fence_proxy async_shared", ["fence.proxy.async.shared::cta;"]),
    ("sm_90a", "nv_tileas.fence_proxy async", ["fence.proxy.async;"]),
    ("sm_100a", "nv_tileas.fence_tmem before", ["tcgen05.fence::before_thread_sync;"]),
    ("sm_100a", "nv_tileas.fence_tmem after", ["tcgen05.fence::after_thread_sync;"]),
    (
        "sm_90a",
        "nv_tileas.async.wait_mmas {pending = 1 : i32}",
        ["wgmma.wait_group.sync.aligned 1;"],
    ),
]


@pytest.mark.parametrize(("target", "op", "instructions"), FORMS)
def test_an_op_is_an_instruction(target: str, op: str, instructions: list[str]):
    text = KERNEL.format(target=target, op=op)
    ptx = emit(tools.run_passes(tools.parse(text), tools.TO_LLVM), target)
    body = ptx[ptx.index("{") :].splitlines()
    lines = [line.strip() for line in body if line.endswith(";")]
    assert [line for line in lines if line[0] != "." and line != "ret;"] == instructions


def test_an_agent_has_a_barrier_of_its_own():
    text = specialised(2, ", num_warps = array<i32: 4, 1>").text(maps_are_arguments=True)
    end = text.index("consumer_release")
    line = text.rindex("\n", 0, end)
    text = text[:line] + "\nnv_tileas.barrier agent" + text[line:]
    ptx = emit(tools.run_passes(tools.parse(text), tools.TO_LLVM), "sm_90a")
    assert "bar.sync 1, 128;" in ptx


def test_all_threads_execute_a_producer_with_a_barrier():
    text = specialised(2, ", num_warps = array<i32: 4, 1>").text(maps_are_arguments=True)
    load = text.index("%a_load =")
    text = text[:load] + "nv_tileas.barrier agent\n" + text[load:]
    ptx = emit(tools.run_passes(tools.parse(text), tools.TO_LLVM), "sm_90a")
    assert "bar.sync 2, 32;" in ptx
