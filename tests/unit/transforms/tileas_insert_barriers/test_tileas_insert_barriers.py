"""Barriers and fences in the tile program: none is missing, none is inserted twice, each is told."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tests.unit.tools import REPOSITORY
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.interfaces import SynchronizationOpInterface
from tileir_xdsl.dialects.nv_tileas.synchronization import SYNCHRONIZED, Participants
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.transforms.tileas_insert_barriers import (
    TileASInsertBarriersPass,
)

ZOO = REPOSITORY / "tileir_xdsl" / "testing" / "kernels"


def compiled(kernel: str, gpu: str) -> ModuleOp:
    """A kernel of the zoo after the pass."""
    module, context = tools.parse((ZOO / f"{kernel}.mlir").read_text()), tools.context()
    for step in steps(gpu):
        step.module_pass.apply(context, module)
        if isinstance(step.module_pass, TileASInsertBarriersPass):
            break
    return module


def inserted(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, SynchronizationOpInterface)]


def undecided(module: ModuleOp) -> ModuleOp:
    """The module as if nothing had decided about barriers."""
    for op in module.walk():
        op.attributes.pop(SYNCHRONIZED, None)
    return module


def test_a_loop_orders_its_iterations_and_the_report_names_both_ops(tmp_path: Path):
    module = compiled("cube_roots_f64", "sm_80")
    (barrier,) = inserted(module)
    assert isinstance(barrier.next_op, nv_tileas.ReduceOp)
    barrier.detach()
    report = tmp_path / "report.txt"
    TileASInsertBarriersPass(str(report)).apply(tools.context(), undecided(module))
    text = report.read_text()
    assert "nv_tileas.reduce %reduce reads (generic proxy)" in text
    assert "nv_tileas.reduce %reduce writes (generic proxy)" in text
    assert "what other threads read is overwritten" in text


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
def test_what_is_there_is_not_inserted_again(gpu: str, tmp_path: Path):
    module = compiled("divisible/matmul_f16_warpgroup", gpu)
    there = inserted(module)
    assert there
    report = tmp_path / "report.txt"
    TileASInsertBarriersPass(str(report)).apply(tools.context(), undecided(module))
    assert inserted(module) == there
    assert "written by hand" in report.read_text()


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
def test_what_is_dropped_is_inserted_again(gpu: str):
    module = compiled("divisible/matmul_f16_warpgroup", gpu)
    names = [op.name for op in inserted(module)]
    for number in range(len(names)):
        dropped = inserted(module)[number]
        if isinstance(dropped, nv_tileas.FenceTmemOp):
            continue
        dropped.detach()
        TileASInsertBarriersPass().apply(tools.context(), undecided(module))
        assert names[number] in [op.name for op in inserted(module)]
        assert len(inserted(module)) >= len(names)
        module = compiled("divisible/matmul_f16_warpgroup", gpu)


def test_hardware_sees_what_threads_wrote():
    module = compiled("divisible/matmul_f16_warpgroup", "sm_90a")
    (store,) = [op for op in module.walk() if isinstance(op, nv_tileas.AsyncTiledTmaStoreOp)]
    barrier = store.prev_op
    assert isinstance(barrier, nv_tileas.BarrierOp)
    assert isinstance(barrier.prev_op, nv_tileas.FenceProxyOp)


AGENTS = (
    REPOSITORY / "tests" / "filecheck" / "transforms" / "tileas-insert-barriers.mlir"
).read_text()


@pytest.mark.parametrize(("participants", "barriers"), [("warp", 2), ("agent", 1)])
def test_a_barrier_of_a_warp_does_not_end_agents(participants: str, barriers: int):
    """What agents stored is read by other warps after the switch, which only all threads end."""
    start = AGENTS.index("nv_tileaa.func @tokens_and_agents(")
    text = AGENTS[start : AGENTS.index("\n}\n", start) + 2]
    after = "  %lc, %c = nv_tileas.tiled_load"
    text = text.replace(after, f"  nv_tileas.barrier {participants}\n{after}")
    module = tools.parse(text)
    TileASInsertBarriersPass().apply(tools.context(), module)
    (switch,) = [op for op in module.walk() if isinstance(op, nv_tileas.AgentSwitchOp)]
    following: list[nv_tileas.BarrierOp] = []
    op = switch.next_op
    while isinstance(op, nv_tileas.BarrierOp):
        following.append(op)
        op = op.next_op
    assert len(following) == barriers
    assert any(each.participants.data is Participants.AGENT for each in following)
