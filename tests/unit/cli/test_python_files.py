"""Commands on a Python file: its launch takes the place of Tile IR."""

from pathlib import Path

import pytest

from tests.unit.frontends.habits import DOUBLE, HABITS, HEAD
from tileir_xdsl.cli.compile_server import client
from tileir_xdsl.cli.main import main


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A script with a launch, in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(HABITS["several_launches"])
    return "k.py"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("compile k.py --gpu sm_90a", ".visible .entry double"),
        ("compile k.py:double --emit nv_tileaa", "nv_tileaa"),
        ("check k.py --no-races", "on 4x1x1 blocks"),
        ("run k.py --kernel double --level cuda_tile", "out: float32[64] = [0, 2, 4"),
        ("fmt k.py", "entry @double"),
        ("lint k.py --gpu sm_90a", ""),
    ],
)
def test_commands(words: str, expected: str, script: str, capsys: pytest.CaptureFixture[str]):
    assert main(words.split()) == 0
    assert expected in capsys.readouterr().out


def test_explain(script: str, capsys: pytest.CaptureFixture[str]):
    """The report has lines of the script, and what the launch does."""
    assert main(["explain", script, "--json", "--run"]) == 0
    text = capsys.readouterr().out
    assert "ct.load(x, (i,), (t,)) * 2" in text and '"tileir explain k.py:double' in text


def test_tune(script: str, one_process: None, capsys: pytest.CaptureFixture[str]):
    words = "tune k.py --warps 1,4 --stages 2 --ctas 1 --device emulator"
    assert main(words.split()) == 0
    assert "warps" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("disasm k.py", "k.py: error: disasm takes no Python file; those that do: asm, check,"),
        ("view k.py", "k.py: error: view takes no Python file"),
        ("compile k.py other.mlir", "k.py: error: expected a Python file to be the only file"),
        ("run k.py --arg 1", "--arg: error: k.py says by its launch"),
        ("check k.py --grid=4", "--grid: error: k.py says by its launch"),
        ("compile k.py:none", "k.py: error: has no kernel 'none', only double"),
        ("compile bad.py", "bad.py:9:25: error: Invalid argument"),
        ("explain gone.py -o x.html", "gone.py: error: No such file or directory"),
    ],
)
def test_refused(words: str, expected: str, script: str, capsys: pytest.CaptureFixture[str]):
    launch = "ct.launch(0, (4,), double, (x, out, 16))\n"
    Path("bad.py").write_text(HEAD + DOUBLE.replace("(t,)", "(7,)") + launch)
    assert main(words.split()) == 1
    errors = capsys.readouterr().err.splitlines()
    assert expected in errors[-1]


@pytest.mark.parametrize("word", ["k.py", "k.py:double", "folder/k.py:double.2"])
def test_not_in_the_server(word: str, monkeypatch: pytest.MonkeyPatch):
    """The server never executes the user's code."""
    asked: list[list[str]] = []

    def served(program: str, words: list[str]) -> int:
        asked.append(words)
        return 0

    def elsewhere(_words: list[str]) -> int:
        return 7

    monkeypatch.setattr(client, "served", served)
    monkeypatch.setattr("tileir_xdsl.cli.main.main", elsewhere)
    for name, status in ((word, 7), ("k.mlir", 0)):
        monkeypatch.setattr("sys.argv", ["tileir", "compile", name])
        assert client.tileir() == status
    assert asked == [["compile", "k.mlir"]]
