"""Other constants of a Python kernel on the command line, and searches of scripts."""

import json
from pathlib import Path

import numpy as np
import pytest

from tileir_xdsl.cli.main import main

pytestmark = pytest.mark.usefixtures("one_process")

SCRIPT = """import cuda.tile as ct
import numpy as np

n = 3000
x, out = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)

@ct.kernel
def double(x, out, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (tile,)) * 2)

"""
LAUNCH = "ct.launch(0, (ct.cdiv(n, 128),), double, (x, out, 128))\n"
SEARCH = """
def grid(config):
    return (ct.cdiv(n, config["tile"]),)

def arguments(config):
    return x, np.zeros_like(out), config["tile"]

space = [{"tile": 16}, {"tile": 1024}, {"tile": 7}]
found = ct.tune.exhaustive_search(space, 0, grid, double, arguments, quiet=True)
print("searched", found.best.config)
"""
GRID = "cdiv(x.shape[0], tile)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(SCRIPT + LAUNCH)
    Path("s.py").write_text(SCRIPT + SEARCH)


def variants(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    """What `tileir tune` says in JSON."""
    assert main(["tune", *words, "--device", "emulator", "--json"]) == 0
    return json.loads(capsys.readouterr().out)["variants"]


@pytest.mark.parametrize("grid", [GRID, "cdiv(n, tile)", "(-(-n // tile), 1)"])
def test_tune(grid: str, capsys: pytest.CaptureFixture[str]):
    """The constant of the launch is tried first; the grid may name globals of the script."""
    found = variants(capsys, "k.py", "--constant", "tile=16,1024,7", "--grid", grid)
    by_tile = {one["constants"]["tile"]: one for one in found}  # pyright: ignore
    assert set(by_tile) == {128, 16, 1024, 7} and found[-1] is by_tile[7]
    assert str(by_tile[7]["problem"]).startswith("k.py:10:")
    assert {tile: one["grid"] for tile, one in by_tile.items() if tile > 7} == {
        128: [24, 1, 1],
        16: [188, 1, 1],
        1024: [3, 1, 1],
    }


def test_a_search_of_a_script(capfd: pytest.CaptureFixture[str]):
    """The script ends at its search, which it does not execute; other commands let it go on."""
    assert main(["tune", "s.py", "--device", "emulator", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["variants"]
    assert [one["constants"] for one in found][-1] == {"tile": 7}
    assert {one["constants"]["tile"] for one in found} == {16, 1024, 7}  # pyright: ignore
    Path("s.py").write_text(SCRIPT + SEARCH + LAUNCH)
    assert main(["run", "s.py", "--save", "out.npy", "--level", "cuda_tile"]) == 0
    assert "searched" in capfd.readouterr().err


def test_the_file_of_the_best(capsys: pytest.CaptureFixture[str]):
    """Other commands take constants, grid and options from it, or from the words."""
    words = ["--constant", "tile=16,1024", "--grid", GRID, "--warps", "2", "--stages", "2"]
    command = ["tune", "k.py", *words, "--ctas", "1", "--device", "emulator", "-o", "best.json"]
    assert main(command) == 0
    pasted = capsys.readouterr().out.splitlines()[-1].removeprefix("arguments: ").split()
    best = json.loads(Path("best.json").read_text())
    assert set(best) >= {"constants", "grid"}
    saved = ["run", "k.py", "--save", "out.npy"]
    for given in (["--options", "best.json"], pasted):
        Path("out.npy").unlink(missing_ok=True)
        assert main([*saved, *given]) == 0
        assert (np.load("out.npy") == 2 * np.arange(3000)).all()
        assert f"double: {best['grid'][0]}x1x1 blocks" in capsys.readouterr().out
    outputs: list[str] = []
    constants = [word for word in pasted if word.startswith(("tile=", "--constant"))]
    for given in (["--options", "best.json"], constants):
        assert main(["compile", "k.py", *given, "--emit", "cuda_tile"]) == 0
        outputs.append(capsys.readouterr().out)
    assert f"tile={best['constants']['tile']}" in constants
    if best.keys() == {"constants", "grid"}:
        assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tune k.py --constant tile=8", "--constant tile: error: say how the grid follows"),
        ("check k.py --constant tile=8", "--constant tile: error: say how the grid follows"),
        (
            "compile k.py --constant tile=8,16",
            "expected one value: only `tileir tune` takes several",
        ),
        ("compile k.py --constant tile", "--constant tile: error: expected NAME=VALUE"),
        ("compile k.py --constant tile=", "--constant tile=: error: expected NAME=VALUE"),
        ("compile k.py --constant tiles=8", "only x, out, tile, did you mean 'tile'?"),
        ("compile k.py --constant tile=7", "k.py:10:25: error: Invalid argument"),
        ("run k.py --constant tile=8 --grid m", "--grid m: error: NameError: name 'm'"),
        ("run k.py --constant tile=8 --grid (", "--grid (: error: SyntaxError: "),
        ("run k.py --constant tile=8 --grid n/9", "expected positive whole numbers, got 333.3"),
        ("compile k.py --options list.json", "list.json:1:15: error: expected the value of"),
        ("tune k.py --grid 4", "--grid: error: expected k.py:KERNEL and --arg"),
    ],
)
def test_refused(words: str, expected: str, capsys: pytest.CaptureFixture[str]):
    Path("list.json").write_text('{"constants": [1]}')
    assert main(words.split()) == 1
    assert expected in capsys.readouterr().err.splitlines()[-1]


def test_nothing_can_be_run(capsys: pytest.CaptureFixture[str]):
    """Every candidate is listed, and the exit status says it."""
    words = "tune k.py --constant tile=8,16 --grid gone --device emulator -o best.json"
    assert main(words.split()) == 1
    *rows, last = capsys.readouterr().out.splitlines()
    assert len(rows) == 4 and last == "no variant could be measured"
    assert rows[1].endswith("NameError: name 'gone' is not defined")
    assert all(row.endswith("as 1") for row in rows[2:])
    assert not Path("best.json").exists()


def test_a_kernel_without_a_launch(capsys: pytest.CaptureFixture[str]):
    Path("k.py").write_text(SCRIPT)
    words = ["k.py:double", "--arg", "random:f32:64", "--arg", "zeros:f32:64", "--arg", "16"]
    found = variants(capsys, *words, "--constant", "tile=32,64", "--grid", GRID)
    assert sorted(one["grid"][0] for one in found) == [1, 2, 4]  # pyright: ignore
