"""The sweep: its points, what it measures, keeps and reports."""

from pathlib import Path

import pytest

from bench.reference import GPUS
from bench.sweep import __main__ as sweep
from bench.sweep import measuring, report, store
from bench.sweep.pairwise import covering_rows
from bench.sweep.plan import EVERY, KINDS, NAMED, SEED, Point, point_of, sample
from bench.sweep.report import Result
from tileir_xdsl.testing import tools

ROW = "row op=sum width=64 rows=1 type=f32 partial=1"
SCAN = "scan op=linear width=16 others=4 type=f64 axis=0 reverse=1"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Nothing is known, and the compiler stays the same."""
    monkeypatch.setattr(sweep, "FOLDER", tmp_path)
    monkeypatch.setattr(sweep, "compiler_digest", lambda: "now")


def run(*arguments: str) -> int:
    return sweep.main([*arguments, "--jobs", "1"])


@pytest.mark.parametrize("gpu", GPUS)
def test_samples_are_the_same_every_time_and_grow(gpu: str):
    points, fewer = sample(gpu, 60), sample(gpu, 25)
    assert points == sample(gpu, 60) and points[: len(fewer)] == fewer
    assert points != sample(gpu, 60, seed=5)
    assert {point.kind for point in points} == set(KINDS) - {kind.name for kind in NAMED}
    # Points of further kinds come on top.
    assert len({point.name for point in points}) == len(points) == 60 + 60 // EVERY
    assert len(fewer) == 25 + 25 // EVERY
    assert all(point_of(point.name) == point for point in points)


def test_clusters_and_eight_bit_floats_are_where_targets_have_them():
    old, new = ({str(p.values) for p in sample(gpu, 300)} for gpu in ("sm_80", "sm_100a"))
    assert not any("e4m3" in text or "'ctas': 2" in text for text in old)
    assert any("e4m3" in text for text in new) and any("'ctas': 4" in text for text in new)


@pytest.mark.parametrize(
    "name", ["nothing a=1", "row op=sum", "row op=sum width=63 rows=1 type=f32 partial=1"]
)
def test_names_that_no_point_has(name: str):
    with pytest.raises(ValueError, match="expected a"):
        point_of(name)
    with pytest.raises(SystemExit):
        run("--point", name)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_tile_ir(kind: str):
    first = next(covering_rows(KINDS[kind].axes("sm_100a"), SEED, KINDS[kind].allowed))
    tools.parse(Point(kind, first).generate().text())


def test_measure_keep_and_go_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    options = ("--target", "sm_80", "--point", ROW, "--point", SCAN)
    assert run(*options, "--emulate") == 0
    assert "2 of 2 | 0 | 2 of 2" in capsys.readouterr().out
    assert len(list(tmp_path.glob("*.jsonl"))) == 2
    # A line that was broken off is measured again; nothing else is.
    path = tmp_path / "ours-now.jsonl"
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{second[:40]}")
    measured: list[str] = []

    def measure(
        point: Point, gpu: str, known: tuple[object, object], run_it: bool, alone: bool
    ) -> tuple[object, object]:
        measured.append(point.name)
        return {"refused": "no"}, known[1]

    class Now:
        """Runs what is submitted at once."""

        def __init__(self, _jobs: int) -> None: ...
        def __enter__(self):
            return self

        def __exit__(self, *_: object) -> None: ...
        def submit(self, function, *arguments):  # pyright: ignore
            future = sweep.Future()
            future.set_result(function(*arguments))
            return future

    monkeypatch.setattr(sweep, "measure", measure)
    monkeypatch.setattr(sweep, "ProcessPoolExecutor", Now)
    assert run(*options) == 1
    assert measured == [SCAN]
    assert "1 x refused: no" in capsys.readouterr().out


def test_only_points_of_some_kinds(capsys: pytest.CaptureFixture[str]):
    options = ("--target", "sm_80", "--point", ROW, "--point", SCAN, "--kind", "scan", "--alone")
    assert run(*options) == 0
    output = capsys.readouterr().out
    assert f"sm_80 {SCAN}" in output and ROW not in output


def test_the_hardest_are_stored_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(store, "HARDEST", tmp_path / "hardest.json")
    assert store.read_hardest() == {}
    store.write_hardest({"sm_89": [(SCAN, 7)]})
    assert run("--target", "sm_80", "--point", ROW, "--alone", "--store-hardest") == 0
    assert store.read_hardest() == {"sm_89": [(SCAN, 7)], "sm_80": [(ROW, 0)]}
    # Nothing else is measured.
    assert run("--target", "sm_80", "--alone", "--hardest") == 0
    (path,) = tmp_path.glob("*.jsonl")
    assert len(path.read_text().splitlines()) == 1


@pytest.mark.parametrize("gpu", GPUS)
def test_the_hardest_that_are_stored_are_points(gpu: str):
    names = [name for name, _ in store.read_hardest()[gpu]]
    assert len(set(names)) == len(names) > 30
    assert [point_of(name).name for name in names] == names


def test_wrong_values_and_crashes_are_rows(monkeypatch: pytest.MonkeyPatch):
    point = point_of(ROW)
    generated = point.generate()
    program = generated.text()
    right = measuring.our_row(generated, program, "sm_80", run_it=True)
    assert right["values"] == "right" and right["spills"] == 0 and right["warps"] == 4
    assert 16 < right["predicted"] < 40
    wrong = measuring.our_row(generated, program.replace("addf", "subf"), "sm_80", run_it=True)
    assert "elements differ" in wrong["values"]
    assert Result("sm_80", point, wrong, right).failure == f"wrong: {wrong['values']}"
    refused = measuring.our_row(generated, "cuda_tile.module @m { nothing }", "sm_80", run_it=True)
    assert "refused" in refused and ":1" not in refused["refused"]

    def crash(*_: object, **_options: object) -> None:
        raise IndexError("far")

    monkeypatch.setattr(measuring, "lower", crash)
    crashed = measuring.our_row(generated, program, "sm_80", run_it=False)
    assert crashed == {"crashed": "IndexError far"}
    assert Result("sm_80", point, crashed, right).is_owed


def test_nvidias_compiler_and_its_refusals():
    point = point_of(ROW)
    theirs = measuring.their_row(point.generate().text(), "sm_90a")
    assert theirs["instructions"] > 50 and theirs["spills"] == 0
    refused = measuring.their_row(point.generate().text(), "sm_35")
    assert "refused" in refused


def _result(name: str, ours: int, theirs: int | None, **more: int) -> Result:
    row = {"instructions": ours, "weighted": ours, "registers": 9, "shared": 0, "spills": 0}
    row |= {"spilled": 0} | more
    other = row | {"instructions": theirs, "weighted": theirs, "spills": 0}
    return Result("sm_80", Point(name, {}), row, other if theirs else {"refused": "no"})


def test_tables():
    found = [_result("a", 10, 20), _result("b", 30, 20, spills=4), _result("c", 9, None)]
    (_, _, row) = report.table({"sm_80": found})
    assert row.startswith("| sm_80 | 3 | 2 of 2 | 1 | 2 of 3 | 1.50 | 1.50 | 1.50 |")
    assert list(report.by_kind({"sm_80": found}))[2:] == [
        "| a | 0.50 |",
        "| b | 1.50 |",
        "| c |  |",
    ]
    assert [r.point.name for r in report.hardest(found, 2)] == ["b", "a"]
    near, far = _result("d", 9, 9, predicted=20), _result("e", 9, 9, predicted=300)
    (_, _, errors) = report.registers({"sm_80": [near, far, *found]})
    assert errors == "| sm_80 | 2 | 246 | 246 | 0 | 1 |"
    assert report.class_of("refused: 1,024 bytes of 'x'") == "refused: N bytes of '...'"
    assert report.quantile([], 0.5) != report.quantile([], 0.5)
