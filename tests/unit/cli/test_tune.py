"""`tileir tune`: its table, and what is wrong with a command line."""

import pytest

from tests.kernels import KERNELS
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime.driver import GPUError

FILE = str(KERNELS["vector_add"].text_path)
ARGUMENTS = ["--arg", "random:f32:1000", "--arg", "random:f32:1000", "--arg", "zeros:f32:1000"]


def test_the_table(capsys: pytest.CaptureFixture[str]):
    options = ["--warps", "4", "--stages", "2", "--jobs", "1", "--device", "emulator"]
    assert main(["tune", FILE, "--grid", "8", "--gpu", "sm_80", *ARGUMENTS, *options]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("4 warps, 2 stages, unspecialize")
    assert "instructions" in line and "0 bytes spilled" in line


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
