"""`tileir tune`: its table, and what is wrong with a command line."""

import json
import re
from pathlib import Path

import pytest

from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime.driver import GPUError
from tileir_xdsl.runtime.ptxas import ToolNotFoundError
from tileir_xdsl.testing.kernels import KERNELS

pytestmark = pytest.mark.usefixtures("one_process")
FILE = str(KERNELS["vector_add"].text_path)
ARGUMENTS = ["--arg", "random:f32:1000", "--arg", "random:f32:1000", "--arg", "zeros:f32:1000"]


def test_the_table(capsys: pytest.CaptureFixture[str]):
    options = ["--warps", "4", "--stages", "2", "--jobs", "1", "--device", "emulator"]
    assert main(["tune", FILE, "--grid", "8", "--gpu", "sm_80", *ARGUMENTS, *options]) == 0
    head, row, common, last = capsys.readouterr().out.splitlines()
    assert head.split() == ["instructions"]
    number, instructions = row.split()
    assert number == "1" and int(instructions) > 0
    assert common.startswith("all: warps 4, stages 2, strategy unspecialize, CTAs 1, spilled 0, ")
    assert last == "one variant: nothing to compare with"


def test_what_differs_and_no_best_where_nothing_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    best = tmp_path / "best.json"
    options = ["--warps", "4", "--stages", "2,3", "--jobs", "1", "--device", "emulator"]
    command = ["tune", FILE, "--grid", "8", "--gpu", "sm_80", *ARGUMENTS, *options]
    assert main([*command, "-o", str(best)]) == 0
    head, _, second, *_, last = capsys.readouterr().out.splitlines()
    assert head.split() == ["stages", "instructions"]
    assert second.endswith("the same code as 1")
    assert last == "all variants have the same code: nothing to choose"
    first = json.loads(best.read_text())
    assert (first["warps"], first["stages"]) == (4, 2)


def test_the_reason_and_the_options_of_the_best(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    best = tmp_path / "best.json"
    options = ["--warps", "4,8", "--stages", "2", "--jobs", "1", "--device", "emulator"]
    command = ["tune", FILE, "--grid", "8", "--gpu", "sm_80", *ARGUMENTS, *options]
    assert main([*command, "-o", str(best)]) == 0
    head, *_, last = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["warps", "instructions"]
    assert re.fullmatch(r"best: 1, issues \d+ instructions, the next \d+", last)
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["best"] == json.loads(best.read_text()) and len(found["variants"]) == 2
    assert found["best"]["warps"] in (4, 8)


def test_without_the_assembler_there_is_one_early_message(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def missing(name: str, package: str) -> Path:
        raise ToolNotFoundError(f"{name} not found: install the package {package}")

    monkeypatch.setattr("tileir_xdsl.runtime.ptxas.find_tool", missing)
    assert main(["tune", FILE, *ARGUMENTS]) == 1
    said = "ptxas: error: ptxas not found: install the package nvidia-cuda-nvcc\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--warps", "four"], "--warps four: error: expected positive numbers, such as 2,4"),
        (["--ctas", "0"], "--ctas 0: error: expected positive numbers, such as 2,4"),
        (["--stages", "2,0"], "--stages 2,0: error: expected positive numbers, such as 2,4"),
        (["--jobs", "0"], "--jobs 0: error: expected a positive number"),
        (["--device", "gpu"], "--device gpu: error: no GPU can be used"),
        (["--gpu", "sm_1"], "error: unknown target"),
    ],
)
def test_bad_command_lines(
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    def no_gpu() -> None:
        raise GPUError("no GPU can be used: this is a test")

    monkeypatch.setattr("tileir_xdsl.runtime.gpu.load_driver", no_gpu)
    assert main(["tune", FILE, *ARGUMENTS, *options]) == 1
    assert message in capsys.readouterr().err
