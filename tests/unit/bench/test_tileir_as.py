"""`bench.tileir_as` has both programs make machine code."""

from pathlib import Path

import pytest

from bench import tileir_as
from bench.framework.results import Result


def test_next_to_tileiras(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tileir_as.main(["vector_add", "--runs", "1", "--json", str(tmp_path / "times.json")])
    assert "1 kernels, median ratio" in capsys.readouterr().out
    (row,) = Result.read(tmp_path / "times.json").rows.values()
    assert isinstance(row, tuple) and len(row) == 3


def test_unknown_kernels(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        tileir_as.main(["nonsense"])
    assert "no such kernels: nonsense" in capsys.readouterr().err
