"""Passes of extensions on the road, as whatever walks it runs and shows them."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, TensorType, i32
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

import tileir_xdsl as tileir
from tests.unit.checking.test_pass_check import DOUBLE
from tests.unit.extensions.written import marking
from tests.unit.road.ladder_kernels import matmul
from tileir_xdsl.checking.tileir_pipeline import CheckedTileIRPipelinePass
from tileir_xdsl.cli.main import main
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.explain import OperationLabels, Report, write_report
from tileir_xdsl.extensions import Extension, PlacedPass, Promise, register, registry
from tileir_xdsl.report.explaining import explain
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.report.forcing import NOTHING_FORCED, Forced, read_forced
from tileir_xdsl.report.schema import Phase
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS

KERNEL = KERNELS["vector_add"].text_path
AFTER = "tileas-canonicalize"

pytestmark = pytest.mark.usefixtures("forgotten_extensions")


@dataclass(frozen=True)
class Count(ModulePass):
    """Counts how often it has run since it was first given the module."""

    name: ClassVar[str] = "count-runs"
    runs: ClassVar[list[int]] = []

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        before = op.attributes.get("runs")
        number = before.value.data if isinstance(before, IntegerAttr) else 0
        op.attributes["runs"] = IntegerAttr(number + 1, i32)
        self.runs.append(number)


@dataclass(frozen=True)
class Scale(ModulePass):
    """Multiplies each sum by a number near one."""

    name: ClassVar[str] = "scale-sums"
    ulps: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in [each for each in op.walk() if isinstance(each, nv_tileaa.AddFOp)]:
            value = float(np.float32(1) + self.ulps * np.finfo(np.float32).eps)
            assert isinstance(each.result.type, TensorType)
            one = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(each.result.type, [value]))
            scaled = nv_tileaa.MulFOp.create(
                operands=(each.result, one.result),
                result_types=(each.result.type,),
                properties=each.properties,
            )
            each.result.replace_uses_with_if(scaled.result, lambda use: True)
            scaled.operands[0] = each.result
            Rewriter.insert_op([one, scaled], InsertPoint.after(each))


@dataclass(frozen=True)
class Choose(ModulePass):
    """Reports a choice for each sum, and takes another one by `force`."""

    name: ClassVar[str] = "choose"
    explain: str | None = None
    force: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        report = Report(self.name)
        for function in (each for each in op.walk() if isinstance(each, nv_tileaa.FuncOp)):
            labels = OperationLabels(function)
            for each in (each for each in function.walk() if isinstance(each, nv_tileaa.AddFOp)):
                chosen = "late" if self.force else "early"
                costs = {"early": {"cycles": 1}, "late": {"cycles": 2}}
                report.add("vector_add", op=labels.label(each), chosen=chosen, strategies=costs)
        if self.explain is not None:
            write_report(report, self.explain)


def placed(*passes: PlacedPass, name: str = "mine") -> tileir.Options:
    return tileir.Options(extensions=(register(Extension(name, passes=passes)).name,))


def test_the_text_after_it_goes_on_with_the_extension_only(tmp_path: Path):
    options = tileir.Options(extensions=(marking(tmp_path, 3, name="mine"),))
    text = tileir.compile(KERNEL, "sm_80", emit="mark", options=options).text
    assert "mark = 3 : i32" in text
    level = tileir.compile(KERNEL, "sm_80", emit=AFTER, options=options).text
    assert f'nv_tileaa.progress = ["{AFTER}", "mine"]' in level
    expected = tileir.compile(KERNEL, "sm_80", options=options).text
    assert tileir.compile(level, options=options).text == expected
    message = "extensions=: error: the module was compiled with extension 'mine', which the options do not name"
    with pytest.raises(tileir.CompileError, match=message):
        tileir.compile(level)


def test_the_road_begins_with_it(tmp_path: Path):
    options = tileir.Options(extensions=(marking(tmp_path),))
    before = tileir.compile(KERNEL, "sm_80", emit=AFTER).text
    rest = tileir.load(before, options=options.replaced(from_pass="mark")).passes
    assert rest[:2] == ("mark", "tileas-plan-tensor-maps")


def test_the_command_line_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words = ["--with", marking(tmp_path), "--gpu", "sm_80"]
    assert main(["compile", str(KERNEL), *words, "--emit", "mark"]) == 0
    assert "mark = 2 : i32" in capsys.readouterr().out
    assert main(["compile", str(KERNEL), *words, "-v", "-o", "/dev/null"]) == 0
    log = capsys.readouterr().err
    assert "\nmark " in log and f"tileir opt --with {words[1]} " in log


def test_a_pass_runs_again_for_each_rung():
    Count.runs.clear()
    options = placed(PlacedPass(Count, "nv_tileas", before="tileas-allocate-shared-memory"))
    compiled = tileir.compile(
        matmul(256, 256, 32, "f16", "f16").text, "sm_120a", emit="llvm", options=options
    )
    assert any("compiled with" in str(remark) for remark in compiled.remarks)
    # It begins anew each time: the attribute of the run before is not on the module.
    assert len(Count.runs) > 1 and set(Count.runs) == {0}
    assert "runs = 1 : i32" in compiled.text


def test_its_ops_say_whether_it_runs():
    Count.runs.clear()
    for ops, runs in ((frozenset({"scf.for"}), 0), (frozenset({"nv_tileaa.func"}), 1)):
        options = placed(PlacedPass(Count, "nv_tileas", after=AFTER, ops=ops))
        tileir.load(KERNEL, "sm_80", options).compile()
        assert len(Count.runs) == runs


@pytest.mark.parametrize(
    ("ulps", "rounding", "is_named"), [(1, None, True), (1, 4.0, False), (64, 4.0, True)]
)
def test_a_check_allows_the_rounding_that_a_pass_declares(
    ulps: int, rounding: float | None, is_named: bool
):
    step = PlacedPass(
        Scale, "nv_tileaa", after="tileas-slice-and-fuse", rounding=rounding, options={"ulps": ulps}
    )
    extensions = placed(step).extensions
    pipeline = CheckedTileIRPipelinePass(gpu="sm_80", check=True, extensions=extensions)
    if not is_named:
        pipeline.apply(tools.context(), tools.parse(DOUBLE))
        return
    with pytest.raises(PassFailedException, match="check: pass 'scale-sums' changes what kernel"):
        pipeline.apply(tools.context(), tools.parse(DOUBLE))


def phase_of(name: str, options: tileir.Options, forced: Forced = NOTHING_FORCED) -> Phase:
    contents = KERNEL.read_bytes()
    files = ReportFiles(())
    report = explain(contents, str(KERNEL), "sm_80", options, files, forced=forced).report
    (phase,) = (phase for phase in report.phases if phase.pass_name == name)
    return phase


def test_the_report_shows_what_it_changes(tmp_path: Path):
    options = tileir.Options(extensions=(marking(tmp_path, 3),))
    phase = phase_of("mark", options)
    assert phase.changed and phase.lines is not None
    assert any("mark = 3 : i32" in line.text for line in phase.lines)


def test_the_report_offers_its_candidates_and_one_is_forced():
    promises = frozenset({Promise.FORCES_CANDIDATES})
    options = placed(PlacedPass(Choose, "nv_tileaa", after="canonicalize", promises=promises))
    (decision,) = phase_of("choose", options).decisions
    assert decision.chosen == "early"
    (force,) = (each.force for each in decision.candidates if each.name == "late")
    assert force is not None and force.startswith("choose{force=#")
    (other,) = phase_of("choose", options, read_forced([force])).decisions
    assert other.chosen == "late"


def test_a_registered_extension_that_changed_is_compiled_anew():
    texts = [
        tileir.compile(KERNEL, "sm_80", emit="nv_tileaa", options=placed(step)).text
        for step in (
            PlacedPass(Scale, "nv_tileaa", after="canonicalize", options={"ulps": ulps})
            for ulps in (1, 2)
        )
    ]
    assert texts[0] != texts[1]
    assert registry.origins()["mine"] == registry.HERE


@dataclass(frozen=True)
class DropTerminators(ModulePass):
    """Leaves functions without terminators."""

    name: ClassVar[str] = "drop-terminators"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in [each for each in op.walk() if isinstance(each, nv_tileaa.ReturnOp)]:
            each.detach()
            each.erase()


def test_a_pass_that_leaves_invalid_ir_is_named_at_once():
    # Some pass after it would meet a block without a terminator.
    options = placed(PlacedPass(DropTerminators, "nv_tileaa", after="canonicalize"))
    with pytest.raises(tileir.CompileError) as raised:
        tileir.compile(KERNEL, "sm_80", options=options)
    assert raised.value.line is not None
    assert raised.value.message.startswith("pass 'drop-terminators' leaves invalid IR: ")
