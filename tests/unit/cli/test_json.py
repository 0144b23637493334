"""`--json` of the commands that launch or check a kernel: one JSON value on the standard output."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.test_run import RACE
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main

KERNEL = str(REPOSITORY / "tests" / "kernels" / "vector_add.mlir")
SIZES = ["--arg", "100", "--arg", "1"]
ARRAYS = [
    word
    for name in ("a:random", "b:random", "sum:zeros")
    for word in ("--arg", f"{name}:f32:100", *SIZES)
]


def printed(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> object:
    assert main([*words, "--json"]) == status
    return json.loads(capsys.readouterr().out)


def test_run(capsys: pytest.CaptureFixture[str]):
    found = printed(capsys, "run", KERNEL, "--level", "cuda_tile", *ARRAYS)
    assert isinstance(found, dict)
    assert found["kernel"] == "vector_add" and found["grid"] == [1, 1, 1]
    assert found["level"] == "cuda_tile" and found["races"] == []
    last = found["arrays"][-1]
    assert (last["name"], last["argument"], last["shape"]) == ("sum", 6, [100])
    assert last["type"] == "float32" and last["values"].startswith("float32[100] = [")


def test_races(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "race.mlir"
    file.write_text(RACE)
    words = ["run", str(file), "--races", "--grid", "2", "--arg", "zeros:i32:1"]
    found = printed(capsys, *words, status=1)
    assert isinstance(found, dict) and found["races"][0].startswith("race: ")


def test_emulate_and_lint(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    ptx = tmp_path / "k.ptx"
    assert main(["compile", KERNEL, "-o", str(ptx)]) == 0
    found = printed(capsys, "emulate", str(ptx), *ARRAYS)
    assert isinstance(found, dict) and found["level"] == "ptx"
    assert printed(capsys, "lint", str(ptx)) == []
