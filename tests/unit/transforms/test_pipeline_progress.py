"""Where the pipeline goes on with a module that has been through some of it."""

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from xdsl.dialects.builtin import StringAttr

import tileir_xdsl as tileir
from tileir_xdsl.cli.main import main
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.pipeline_progress import PROGRESS_ATTRIBUTE, labels_of
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.transforms.tileir_pipeline import TileIRPipelinePass

ADD = KERNELS["vector_add"].text_path
GPU = "sm_80"
LAYOUTS, BARRIERS = "tileas-assign-load-store-layouts", "tileas-insert-barriers"


def after(label: str) -> str:
    return tileir.compile(ADD, GPU, emit=label).text


def test_labels_are_unique():
    assert labels_of(["a", "b", "a", "a"]) == ("a", "b", "a:2", "a:3")
    labels = [step.label for step in steps()]
    assert len({*labels}) == len(labels) and "tileas-canonicalize:2" in labels


@pytest.mark.parametrize("label", ["tileas-slicing", "tileas-slicing:2", BARRIERS])
def test_the_module_says_which_pass_was_the_last(label: str):
    assert f'{PROGRESS_ATTRIBUTE} = "{label}"' in after(label)


def test_the_last_pass_of_a_level_is_named():
    levels = {level: after(level) for level in ("cuda_tile", "nv_tileaa", "nv_tileas", "ptx")}
    named = {
        level: re.findall(rf'{PROGRESS_ATTRIBUTE} = "(.*?)"', levels[level]) for level in levels
    }
    last = {"nv_tileaa": ["tileas-slice-and-fuse"], "nv_tileas": [BARRIERS]}
    assert named == {"cuda_tile": [], "ptx": [], **last}


def test_it_goes_on_there():
    program = tileir.load(after(LAYOUTS))
    assert program.passes[0] == "tileas-remove-layout-conversions"
    assert program.compile().text == tileir.compile(ADD, GPU).text


def test_so_does_the_pipeline():
    module = tools.parse(after(BARRIERS))
    TileIRPipelinePass(gpu=GPU).apply(tools.context(), module)
    assert module.attributes[PROGRESS_ATTRIBUTE] == StringAttr("convert-tileas-to-llvm")
    before = str(module)
    TileIRPipelinePass(gpu=GPU).apply(tools.context(), module)
    assert str(module) == before


def test_a_pass_is_named_to_begin_with():
    options = tileir.Options(from_pass="tileas-allocate-shared-memory")
    program = tileir.load(after(BARRIERS), GPU, options)
    assert program.passes[0] == options.from_pass
    assert program.compile().text == tileir.compile(ADD, GPU).text


def test_reports_show_the_rest(tmp_path: Path):
    file = tmp_path / "add.mlir"
    file.write_text(after(BARRIERS))
    assert main(["explain", str(file), "--json", "-o", str(tmp_path / "r.json")]) == 0
    report = json.loads((tmp_path / "r.json").read_text())
    assert [phase["pass"] for phase in report["phases"]] == ["read", "convert-tileas-to-llvm"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--from", "tileas-insert-barier"],
            f"is not a pass of this pipeline, did you mean '{BARRIERS}'",
        ),
        (["--emit", LAYOUTS], f"emit={LAYOUTS}: error: expected cuda_tile, nv_tileaa, nv_tileas"),
        (["--emit", "nv_tilas"], "expected cuda_tile, nv_tileaa, nv_tileas, llvm, ptx, cubin or a"),
        (
            ["--from", "canonicalize"],
            "op is at another level: canonicalize expects level nv_tileaa",
        ),
        (
            ["--stages", "2"],
            "stages=2: error: is decided by tileas-select-cta-group, which has run",
        ),
        (["-O0"], "is not a pass of this pipeline"),
    ],
)
def test_no_way_on(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "add.mlir"
    file.write_text(after("tileas-overlap-epilogue"))
    with suppress(SystemExit):
        assert main(["compile", str(file), *arguments]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
