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
    head, row, same, common, last = capsys.readouterr().out.splitlines()
    assert head.split() == ["warps", "stages", "strategy", "CTAs", "cycles"]
    number, *chosen, cycles = row.split()
    # The compiler's own choice is among the variants.
    assert number == "1" and chosen == ["default"] * 4 and int(cycles) > 0
    assert same.split()[:5] == ["2", "4", "2", "unspecialize", "1"]
    assert common.startswith("all: waves 1, bound by issue of instructions, instructions ")
    assert common.endswith("shared 0, shared at most 166912")
    assert last == "all variants have the same code: nothing to choose"


def test_what_differs_and_no_best_where_nothing_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    best = tmp_path / "best.json"
    options = ["--warps", "4", "--stages", "2,3", "--jobs", "1", "--device", "emulator"]
    command = ["tune", FILE, "--grid", "8", "--gpu", "sm_80", *ARGUMENTS, *options]
    assert main([*command, "-o", str(best)]) == 0
    _, _, second, third, *_, last = capsys.readouterr().out.splitlines()
    assert second.endswith("the same code as 1") and third.endswith("the same code as 1")
    assert last == "all variants have the same code: nothing to choose"
    assert json.loads(best.read_text()) == {}


def test_the_reason_and_the_options_of_the_best(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    best = tmp_path / "best.json"
    options = ["--warps", "1,8", "--stages", "2", "--jobs", "1", "--device", "emulator"]
    command = ["tune", FILE, "--grid", "8000", "--gpu", "sm_80", *ARGUMENTS, *options]
    assert main([*command, "-o", str(best)]) == 0
    *_, why, words = capsys.readouterr().out.splitlines()
    number = r"[\d.]+ cycles in \d+ waves? of \d+ thread blocks"
    assert re.fullmatch(rf"best: 1, {number}, bound by [a-z0-9 ]+; the next {number}", why)
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["best"] == json.loads(best.read_text()) and len(found["variants"]) == 3
    # The words have another command do the same as the file.
    expected = f"arguments: {found['arguments'] or 'none, it is the default'}"
    assert words == expected and found["reason"] == why
    outputs = []
    for given in (["--options", str(best)], found["arguments"].split()):
        assert main(["compile", FILE, "--gpu", "sm_80", *given]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


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
        (
            ["--warps", "four"],
            "--warps four: error: expected positive whole numbers of at most nine digits, such as 2,4",
        ),
        (
            ["--ctas", "0"],
            "--ctas 0: error: expected positive whole numbers of at most nine digits, such as 2,4",
        ),
        (
            ["--stages", "2,0"],
            "--stages 2,0: error: expected positive whole numbers of at most nine digits, such as 2,4",
        ),
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
