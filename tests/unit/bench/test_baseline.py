"""Measuring the reference set, and comparing it with what is stored."""

from pathlib import Path

import pytest

from bench import baseline
from bench.framework.results import Result
from bench.reference import GPUS
from tileir_xdsl.testing.kernels import KERNELS

STORED_BYTES = 300_000


def run(*arguments: str) -> int:
    return baseline.main([*arguments, "--jobs", "1"])


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Nothing is stored, and nothing known."""
    monkeypatch.setattr(baseline, "STORED", tmp_path / "stored")
    monkeypatch.setattr(baseline, "CACHE", tmp_path / "cache")
    program = KERNELS["vector_add"].text_path.read_text()
    other = KERNELS["matmul_f8"].text_path.read_text()
    monkeypatch.setattr(baseline, "programs", lambda: [("add", program), ("f8", other)])


def test_measure_compare_and_store(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    assert run("--gpu", "sm_80", "--store", "--json", str(tmp_path / "all.json")) == 0
    assert "sm_80: nothing is stored" in capsys.readouterr().out
    stored = Result.read(baseline.stored_path("sm_80"))
    assert isinstance(stored.rows["add"], tuple) and stored.rows["add"][0]
    assert str(stored.rows["f8"]).startswith("refused: ")
    assert set(Result.read(tmp_path / "all.json").rows) == {"sm_80 add", "sm_80 f8"}

    assert run("--gpu", "sm_80", "--stored") == 0
    printed = capsys.readouterr().out
    assert "add" in printed and "refused: " in printed

    # What is known is not measured again.
    monkeypatch.setattr(baseline, "measure", None)
    assert run("--gpu", "sm_80") == 0
    assert " -> " not in capsys.readouterr().out

    instructions, *others = stored.rows["add"]
    assert isinstance(instructions, int)
    better = Result(
        stored.benchmark, stored.machine, stored.measures, {"add": (instructions - 1, *others)}
    )
    better.write(baseline.stored_path("sm_80"))
    assert run("--gpu", "sm_80", "--quiet", "add") == 1
    expected = f"WORSE add instructions: {instructions - 1} -> {instructions}"
    assert expected in capsys.readouterr().out


def test_unknown_programs():
    with pytest.raises(SystemExit, match="no program of the reference set: nothing"):
        run("nothing")
    with pytest.raises(SystemExit):
        run("--store", "add")


def test_refusals_are_a_line_without_places():
    assert baseline.refusal("x.mlir:3:4: error: no f8 here\nmore") == "refused: no f8 here"
    assert baseline.refusal("x: no f8; 'cuda_tile.ftof' op at loc(3)") == "refused: no f8"
    assert len(baseline.refusal("long " * 100)) < 120


def test_what_is_stored_is_small_and_complete():
    paths = [Path(baseline.__file__).parent / "stored" / f"{gpu}.json" for gpu in GPUS]
    assert sum(path.stat().st_size for path in paths) < STORED_BYTES
    for path in paths:
        rows = Result.read(path).rows
        assert "vector_add" in rows and len(rows) > 150
        assert sum(isinstance(row, tuple) for row in rows.values()) > len(rows) / 2
