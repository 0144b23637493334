"""`tileir compile --lineinfo`."""

import re
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.testing.kernels import KERNELS, generate
from tileir_xdsl.testing.tools import parse, run_passes

KERNEL = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir"


def test_lines_of_a_text_file(capsys: pytest.CaptureFixture[str]):
    assert main(["compile", str(KERNEL), "--lineinfo"]) == 0
    text = capsys.readouterr().out
    assert f'.file 1 "{KERNEL}"\n' in text
    lines = KERNEL.read_text().splitlines()
    stated = {int(line) for line in re.findall(r"\.loc 1 (\d+)", text)}
    assert any("load_view_tko" in lines[line - 1] for line in stated)


def test_lines_of_bytecode_are_those_of_its_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "kernel.tileirbc"
    file.write_bytes(generate.bytecode(KERNELS["vector_add"], "13.1"))
    assert main(["compile", str(file), "--lineinfo"]) == 0
    assert f'.file 1 "{KERNEL.with_suffix(".py")}"\n' in capsys.readouterr().out
    assert main(["compile", str(file)]) == 0
    assert not re.search(r"\.(file|loc)\b", capsys.readouterr().out)


def test_the_replay_of_the_log_asks_for_lines(capsys: pytest.CaptureFixture[str]):
    assert main(["compile", str(KERNEL), "--lineinfo", "--gpu", "sm_80", "-v"]) == 0
    replay = capsys.readouterr().err.splitlines()[-1]
    assert replay.endswith(" -t 'ptx{gpu=sm_80 lineinfo=true}'")


def test_the_option_of_the_pipeline():
    text = KERNEL.read_text()
    module = run_passes(parse(text), "tileir-pipeline{lineinfo=true gpu=sm_80}")
    assert "nv_tileaa.lineinfo" in module.attributes
    assert "nv_tileaa.lineinfo" not in run_passes(parse(text), "tileir-pipeline").attributes
