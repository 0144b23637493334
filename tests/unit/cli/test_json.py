"""`--json` of the commands that launch or check a kernel: one JSON value on the standard output."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.test_run import RACE
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main

KERNEL = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")
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


def test_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    missing = str(tmp_path / "missing.mlir")
    found = printed(capsys, "check", KERNEL, missing, "--grid", "1", "--no-races", status=1)
    assert isinstance(found, list)
    right, wrong = found
    assert right["agrees"] and right["grid"] == [1, 1, 1] and "vector_add" in right["kernel"]
    assert [level["level"] for level in right["levels"]][::3] == ["cuda_tile", "ptx"]
    assert all(level["agrees"] and level["race"] is None for level in right["levels"])
    assert not wrong["agrees"] and "No such file" in wrong["error"]


def test_check_of_a_race(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "race.mlir"
    file.write_text(RACE)
    words = ["check", str(file), "--grid", "2", "--arg", "zeros:i32:1"]
    files = printed(capsys, *words, status=1)
    assert isinstance(files, list)
    found = files[0]
    last = found["levels"][-1]
    assert not found["agrees"] and "race: this write" in last["race"]
    assert last["note"].startswith("note: so does the program that was read")


def test_texts_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    formatted = printed(capsys, "fmt", KERNEL)
    assert isinstance(formatted, dict) and "addf" in formatted["text"]
    bytecode, text = str(tmp_path / "k.tilebc"), str(tmp_path / "k.mlir")
    written = printed(capsys, "asm", KERNEL, "-o", bytecode)
    size = Path(bytecode).stat().st_size
    assert written == {"file": bytecode, "version": "13.3", "bytes": size}
    assert printed(capsys, "disasm", bytecode, "-o", text) == {"file": text}
    assert printed(capsys, "disasm", bytecode) == {"text": Path(text).read_text()}
    listed = printed(capsys, "sample")
    assert isinstance(listed, list) and listed[0]["name"] == "matmul" and listed[0]["summary"]
    sample = printed(capsys, "sample", "saxpy")
    assert isinstance(sample, dict) and "saxpy" in sample["text"]
    new = str(tmp_path / "new.py")
    assert printed(capsys, "new", new) == {"file": new} and Path(new).exists()
    assert main(["asm", KERNEL, "--json"]) == 1
    assert "needs -o FILE" in capsys.readouterr().err


def test_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("TILEIR_SERVER_DIR", str(tmp_path))
    assert printed(capsys, "server", "status", status=1) == {"process": None}
    assert printed(capsys, "server", "stop") == {"process": None}
