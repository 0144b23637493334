"""The results file, which can be read at any moment and carried back."""

from pathlib import Path

import pytest

from bench.pack.measured import load
from bench.pack.runner.results import MOST_BYTES, PackError, Results, read_json, write_json


def test_a_run_goes_on_where_another_ended(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    first = Results.open(path, "pack", "gpu")
    first.save()
    first.put("a", {"status": "right"})
    first.put("b", {"status": "hung"})
    first.put("c", {"status": "cut"})
    again = Results.open(path, "pack", "gpu")
    assert [again.is_done(item) for item in "abcd"] == [True, True, False, False]


@pytest.mark.parametrize(
    ("pack", "device", "problem"),
    [("other", "gpu", "results of another pack"), ("pack", "fake", "results of another on")],
)
def test_results_of_something_else_stay(
    tmp_path: Path, pack: str, device: str, problem: str
) -> None:
    path = tmp_path / "results.json"
    Results.open(path, "pack", "gpu").save()
    before = path.read_bytes()
    with pytest.raises(PackError, match=problem):
        Results.open(path, pack, device)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"format": 99}'])
def test_a_file_that_is_none_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(PackError, match="no results file"):
        Results.open(path, "pack", "gpu")
    assert path.read_text() == text


def test_a_file_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends the process while the new contents are written."""
    path = tmp_path / "results.json"
    write_json(path, {"old": True})

    def ended(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bench.pack.runner.results.os.fsync", ended)
    with pytest.raises(KeyboardInterrupt):
        write_json(path, {"new": list(range(1000))})
    assert read_json(path, "results file") == {"old": True}


def test_the_file_is_complete_after_each_item(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    results = Results.open(path, "pack", "gpu")
    results.start({"date": "today"})
    for number in range(3):
        results.put(f"c/{number}", {"status": "right"})
        assert list(load(path)["items"]) == [f"c/{n}" for n in range(number + 1)]
    # A later result of an item holds.
    results.put("c/0", {"status": "hung"})
    assert load(path)["items"] == results.items
    assert results.items["c/0"] == {"status": "hung"}


def test_the_file_is_never_too_large_and_lacks_no_item(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    results = Results.open(path, "pack", "gpu")
    results.start({"date": "today"})
    output = {"wrong": 3, "of": 64, "worst": 1.0, "worst_ulps": 5.0, "bits": "x" * 16_000}
    wrong = {"status": "wrong", "detail": "far off " * 100, "tail": "y" * 1500}
    for number in range(4000):
        results.put(f"c/{number}", {**wrong, "title": "t" * 60, "outputs": [output] * 2})
    assert path.stat().st_size < MOST_BYTES == 4 << 20
    found = load(path)["items"]
    assert len(found) == 4000
    assert {result["status"] for result in found.values()} == {"wrong"}
    assert found["c/0"]["outputs"][0]["bits"]
    assert all(len(result["detail"]) <= 300 for result in found.values())


def test_a_file_that_grows_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torn, whole = b'{"a":{}}}},"c":{}}}', b'{"a":{},"c":{}}'
    contents = [torn, torn[:-1], whole]

    def next_contents(_path: Path) -> bytes:
        return contents.pop(0)

    monkeypatch.setattr(Path, "read_bytes", next_contents)
    assert read_json(tmp_path / "results.json", "results file") == {"a": {}, "c": {}}
    contents = [torn, torn]
    with pytest.raises(PackError, match="no results file"):
        read_json(tmp_path / "results.json", "results file")
    assert not contents
