"""Commands on a Python file: its launch takes the place of Tile IR."""

import re
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


def test_tune_tells_lines_of_the_script(
    script: str, one_process: None, capsys: pytest.CaptureFixture[str]
):
    """A variant without code says why by a line of Python; others with the same reason refer."""
    Path(script).write_text("import cuda.tile as ct\nimport numpy as np\n" + MATMUL)
    words = "tune k.py --warps 4,8 --stages 2 --ctas 1 --device emulator"
    assert main(words.split()) == 1
    first, *others, last = capsys.readouterr().out.splitlines()[1:]
    assert "k.py:5:1: error:" in first and "bytes of shared memory" in first
    assert any(re.search(r"  as \d+$", other) for other in others)
    assert last == "no variant could be measured"


MATMUL = """
@ct.kernel
def mm(a, c):
    acc = ct.zeros((512, 1024), ct.float32)
    for k in range(2):
        x = ct.load(a, (0, k), (512, 512))
        acc = ct.mma(x, ct.load(a, (k, 0), (512, 1024)), acc)
    ct.store(c, (0, 0), acc.astype(c.dtype))

x = np.zeros((1024, 1024), np.float16)
ct.launch(0, (1,), mm, (x, x))
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("disasm k.py", "k.py: error: disasm takes no Python file; these commands do: asm, check,"),
        ("view gone.py", "gone.py: error: expected a folder or a Python file"),
        ("compile k.py other.mlir", "k.py: error: expected a Python file to be the only file"),
        ("run k.py --arg 1", "--arg: error: expected k.py:KERNEL and --arg"),
        ("check k.py --grid=4", "--grid: error: expected k.py:KERNEL and --arg"),
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


UNLAUNCHED = HEAD + DOUBLE + DOUBLE.replace("double", "other")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "run k.py:double --level ptx --grid 4 --arg random:f32:64 --arg zeros:f32:64",
            "out: float32[64] =",
        ),
        ("check k.py:double --no-races --arg random:f32:64 --arg zeros:f32:64", "on 8x1x1 blocks"),
        ("compile k.py:other --gpu sm_90a --arg random:f32:64 --arg zeros:f32:64", "other"),
        ("lint k.py:other --arg random:f32:64 --arg zeros:f32:64", ""),
        (
            "explain k.py:other --json --arg random:f32:64 --arg zeros:f32:64",
            "ct.load(x, (i,), (t,))",
        ),
    ],
)
def test_without_a_launch(
    words: str, expected: str, script: str, capsys: pytest.CaptureFixture[str]
):
    """The arguments of the command line take the place of a launch, in commands without one too."""
    Path(script).write_text(UNLAUNCHED)
    assert main([*words.split(), "--arg", "16"]) == 0
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "compile k.py --arg 1",
            "--arg: error: expected k.py:KERNEL and --arg, as k.py itself launches the kernel",
        ),
        ("compile k.py:gone --arg 1", "k.py: error: has no kernel 'gone', only double, other"),
        ("compile k.py:double.2 --arg 1", "k.py: error: makes no double.2"),
        ("compile k.py:double --arg 1", r"takes 3 arguments \(x, out, t\)"),
        ("compile k.py:double", "does not launch double: add .* or give k.py:double and an --arg"),
    ],
)
def test_arguments_refused(
    words: str, expected: str, script: str, capsys: pytest.CaptureFixture[str]
):
    Path(script).write_text(UNLAUNCHED)
    assert main(words.split()) == 1
    assert re.search(expected, capsys.readouterr().err)


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
