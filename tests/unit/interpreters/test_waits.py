"""A wait for what a token names orders what is accessed after it."""

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.checking.observation import interpret
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters.races import RaceDetector
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.pass_checks.subjects import run_road
from tileir_xdsl.testing.programs.dense_loops import KERNEL, dense_loop_program
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.walking import ops_in

SEED = 2
"""Of a program that overwrites by TMA what it has loaded."""


def lowered() -> ModuleOp:
    """A kernel whose store by TMA waits for what its load leaves."""
    module, road = tools.parse(dense_loop_program(SEED)[0]), steps("sm_90a")
    labels = [step.label for step in road]
    run_road(module, road[: labels.index("lower-tma-load-store-to-async") + 1])
    assert any(isinstance(op, nv_tileas.AsyncTiledTmaStoreOp) for op in ops_in(module))
    return module


def races(module: ModuleOp) -> int:
    detector = RaceDetector()
    interpret(module, KERNEL, dense_loop_program(SEED)[1], memory_order=detector)
    return len(detector.races)


def test_a_store_follows_what_was_waited_for():
    assert races(lowered()) == 0


def test_without_the_wait_they_race():
    module = lowered()
    waits = [op for op in ops_in(module) if isinstance(op, nv_tileas.WaitOp) and not op.results]
    first = next(op for op in waits if isinstance(op.sources[0].owner, nv_tileas.TokenToAsyncOp))
    first.detach()
    first.erase()
    assert races(module) == 1
