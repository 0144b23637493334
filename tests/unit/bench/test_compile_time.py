"""The workers of `bench.compile_time`, and the programs that it compiles."""

from pathlib import Path

import pytest

from bench import compile_time
from bench.compile_time import RefusedError, Worker, bytecode
from bench.framework.results import Result
from bench.growing_modules import chain
from tileir_xdsl.testing import tools


def test_a_worker_compiles_and_refuses(tmp_path: Path):
    source = bytecode("vector_add", tmp_path)
    wrong = tmp_path / "wrong.tileirbc"
    wrong.write_bytes(source.read_bytes()[:100])
    with Worker(compile_time.REPOSITORY) as worker:
        seconds, megabytes, ptx = worker.compile(source)
        assert seconds > 0 and ".entry vector_add" in ptx.read_text()
        assert 10 < megabytes < 1_000
        with pytest.raises(RefusedError, match="wrong"):
            worker.compile(wrong)
        assert worker.compile(source).ptx == ptx


def test_next_to_tileiras(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    compile_time.main(["vector_add", "--runs", "1", "--json", str(tmp_path / "times.json")])
    assert "1 kernels, median ratio" in capsys.readouterr().out
    (row,) = Result.read(tmp_path / "times.json").rows.values()
    assert isinstance(row, tuple) and len(row) == 5


def test_large_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(compile_time, "LONG_OPS", 7)
    monkeypatch.setattr(compile_time, "SMALL_KERNELS", 3)
    assert tools.parse(chain(100))
    assert bytecode("long", tmp_path).stat().st_size < bytecode("many", tmp_path).stat().st_size


def test_unknown_kernels(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        compile_time.main(["nothing"])
    assert "no such kernels: nothing" in capsys.readouterr().err
