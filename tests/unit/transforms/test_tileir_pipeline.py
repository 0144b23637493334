"""What stock `xdsl-opt` shows of the passes of `tileir-pipeline`."""

import re
from dataclasses import dataclass
from typing import ClassVar

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import VerifyException
from xdsl.xdsl_opt_main import xDSLOptMain

from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms import pipeline_road
from tileir_xdsl.transforms.pipeline_road import Step, passes, steps
from tileir_xdsl.transforms.tileir_pipeline import TileIRPipelinePass

FILE = str(KERNELS["vector_add"].text_path)
NAMES = [module_pass.name for module_pass in passes("sm_80")]


def test_passes_are_timed(capsys: pytest.CaptureFixture[str]):
    xDSLOptMain(args=[FILE, "-p", "tileir-pipeline{gpu=sm_80}", "--time-passes"]).run()
    timed = re.findall(r"^Pass (\S+) took ([\d.e-]+) seconds$", capsys.readouterr().out, re.M)
    assert [name for name, _ in timed] == [*NAMES, "tileir-pipeline"]
    # Each pass is counted once.
    seconds = [float(duration) for _, duration in timed]
    assert seconds[-1] < sum(seconds[:-1])


def test_the_module_is_printed_between_passes(capsys: pytest.CaptureFixture[str]):
    arguments = [FILE, "-p", "tileir-pipeline{gpu=sm_80}", "--print-between-passes"]
    xDSLOptMain(args=arguments).run()
    out = capsys.readouterr().out
    assert re.findall(r"^IR after (\S+):$", out, re.M) == NAMES
    after_first = out.split("IR after")[1]
    assert "nv_tileaa.func" in after_first and "nv_tileas." not in after_first


def test_a_pipeline_of_two_passes_names_the_next_one():
    seen: list[tuple[str | None, str | None]] = []

    def callback(before: ModulePass | None, _module: ModuleOp, after: ModulePass | None) -> None:
        seen.append((before and before.name, after and after.name))

    both = (TileIRPipelinePass(gpu="sm_80"), TileIRPipelinePass(gpu="sm_80"))
    module = tools.parse(KERNELS["vector_add"].text_path.read_text())
    PassPipeline(both[:1], callback).apply(tools.context(), module)
    own = "tileir-pipeline"
    assert seen[0] == (None, own)
    assert seen[1:-1] == list(zip(NAMES, [*NAMES[1:], own], strict=True))
    assert seen[-1] == (own, None)


@dataclass(frozen=True)
class DropTerminators(ModulePass):
    """Leaves invalid IR."""

    name: ClassVar[str] = "drop-terminators"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [inner for inner in op.walk() if isinstance(inner, FuncOp)]:
            last = function.body.block.last_op
            assert last is not None
            last.detach()
            last.erase()


def test_xdsl_opt_verifies_after_every_pass(monkeypatch: pytest.MonkeyPatch):
    first, *_ = steps("sm_80")

    def broken(*_arguments: object, **_options: object) -> list[Step]:
        return [first, Step(DropTerminators.name, first.level, DropTerminators)]

    monkeypatch.setattr(pipeline_road, "steps", broken)
    command = xDSLOptMain(args=[FILE, "-p", "tileir-pipeline{gpu=sm_80}"])
    with pytest.raises(VerifyException):
        command.run()
