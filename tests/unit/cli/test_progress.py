"""What takes long shows on a terminal how far it is, and leaves nothing there at the end."""

from pathlib import Path

import pytest

from tests.unit.cli.test_terminal import Terminal
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime.tracing import Progress

KERNEL = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")
ARRAYS = ["--arg", "random:f32:9000", "--arg", "random:f32:9000", "--arg", "zeros:f32:9000"]
TUNED = ["--jobs", "1", "--device", "emulator", "--warps", "4,8", "--stages", "2", "--ctas", "1"]


def opened_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """The standard error as a terminal, for which two seconds are over at once."""
    monkeypatch.setattr(Progress, "DELAY", 0.0)
    monkeypatch.setattr(Progress, "PERIOD", 0.0)
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    return stream


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["run", KERNEL, "--grid", "9", *ARRAYS], "/9 tile blocks"),
        (["run", KERNEL, "--level", "nv_tileas", "--grid", "9", *ARRAYS], "/9 tile blocks"),
        (["check", KERNEL, "--grid", "9", *ARRAYS], "/9 tile blocks at ptx"),
        (["tune", KERNEL, "--gpu", "sm_80", *TUNED, *ARRAYS], "2/2 variants measured"),
    ],
    ids=("run", "run at nv_tileas", "check", "tune"),
)
def test_a_bar(words: list[str], shown: str, monkeypatch: pytest.MonkeyPatch):
    terminal = opened_terminal(monkeypatch)
    assert main(words) == 0
    assert shown in terminal.getvalue() and terminal.getvalue().endswith("\r\x1b[K")


def test_emulate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    terminal = opened_terminal(monkeypatch)
    ptx = tmp_path / "k.ptx"
    assert main(["compile", KERNEL, "-o", str(ptx)]) == 0
    arrays = [
        word
        for kind in ("random", "random", "zeros")
        for word in ("--arg", f"{kind}:f32:9000", "--arg", "9000", "--arg", "1")
    ]
    assert main(["emulate", str(ptx), "--grid", "9", *arrays]) == 0
    assert "/9 blocks" in terminal.getvalue()


def test_nothing_elsewhere(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Progress, "DELAY", 0.0)
    assert main(["check", KERNEL, "--grid", "9", *ARRAYS]) == 0
    assert capsys.readouterr().err == ""
