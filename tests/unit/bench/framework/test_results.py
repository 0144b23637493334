"""Results as files, and what counts as worse."""

from pathlib import Path

import pytest

from bench import compare
from bench.framework.results import Kind, Recorder, Result, ResultError, Row, machine_line

MEASURES: dict[str, Kind] = {"instructions": "count", "seconds": "time", "code": "identity"}


def result(rows: dict[str, Row]) -> Result:
    return Result("test", "a machine", MEASURES, rows)


FULL = result({"a": (10, 1.5, "ab"), "b": "refused: no such type", "c": (3, None, "cd")})


def test_a_file_has_a_line_for_each_row(tmp_path: Path):
    FULL.write(tmp_path / "deep" / "results.json")
    assert Result.read(tmp_path / "deep" / "results.json") == FULL
    lines = FULL.to_json().splitlines()
    assert lines[1:] == [
        '"a": [10,1.5,"ab"],',
        '"b": "refused: no such type",',
        '"c": [3,null,"cd"]}}',
    ]
    assert Result.from_json(result({}).to_json()) == result({})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"benchmark": "x", "machine": "", "measures": {"a": "size"}, "rows": {}}',
        '{"benchmark": "x", "machine": "", "measures": {"a": "count"}, "rows": {"r": [1, 2]}}',
        '{"benchmark": "x", "machine": "", "measures": {"a": "count"}, "rows": {"r": 3}}',
        '{"benchmark": "x", "machine": "", "measures": [], "rows": {}}',
    ],
)
def test_what_is_no_result(text: str):
    with pytest.raises(ResultError):
        Result.from_json(text)


def test_recorder(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    recorder = Recorder("test", MEASURES)
    assert machine_line() in capsys.readouterr().out
    recorder.add("a", [1, 2.00004, "x"])
    recorder.add("b", "refused")
    recorder.write(None)
    recorder.write(tmp_path / "r.json")
    assert Result.read(tmp_path / "r.json").rows == {"a": (1, 2.0, "x"), "b": "refused"}
    with pytest.raises(ValueError, match="c: 1 values of 3 measures"):
        recorder.add("c", [1])


@pytest.mark.parametrize(
    ("row", "shown", "is_worse"),
    [
        ((10, 1.5, "ab"), None, False),
        ((11, 1.5, "ab"), "WORSE a instructions: 10 -> 11 (1.100)", True),
        ((9, 1.5, "xy"), "      a instructions: 10 -> 9 (0.900)", False),
        ((10, 1.6, "ab"), None, False),
        ((10, 1.4, "ab"), None, False),
        ((10, 2.0, "ab"), "WORSE a seconds: 1.5 -> 2.0 (1.333)", True),
        ((10, 0.5, "ab"), "      a seconds: 1.5 -> 0.5 (0.333)", False),
        ((10, 1.5, "xy"), "      a code: ab -> xy", False),
        ((None, 1.5, "ab"), "WORSE a instructions: 10 -> None", True),
        ("refused: too large", "WORSE a: measured -> refused: too large", True),
        (None, "WORSE a: present -> missing", True),
    ],
)
def test_differences(
    row: Row | None,
    shown: str | None,
    is_worse: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    rows = {name: old for name, old in FULL.rows.items() if name != "a"}
    after = result({**rows, **({} if row is None else {"a": row})})
    FULL.write(tmp_path / "a.json")
    after.write(tmp_path / "b.json")
    assert compare.main([str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == int(is_worse)
    printed = capsys.readouterr().out.splitlines()
    differences = [line for line in printed if " -> " in line]
    assert differences == ([] if shown is None else [shown])


def test_rows_that_are_new_or_can_be_measured_now():
    after = result({**FULL.rows, "b": (1, 1.0, ""), "d": (1, 1.0, "")})
    shown = [str(difference).strip() for difference in compare.compare(FULL, after)]
    assert shown == ["b: refused: no such type -> measured", "d: absent -> new"]


def test_tolerance_of_times():
    after = result({**FULL.rows, "a": (10, 2.0, "ab")})
    assert compare.compare(FULL, after, tolerance=0.5) == []


def test_summary():
    after = result({**FULL.rows, "a": (20, 1.5, "xx"), "c": (3, None, "cd")})
    assert list(compare.summary(FULL, after)) == [
        "instructions: 0 of 2 rows less, 1 more, median ratio 1.500",
        "seconds: 0 of 1 rows less, 0 more, median ratio 1.000",
        "code: 1 of 2 differ",
    ]


def test_different_benchmarks_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    FULL.write(tmp_path / "a.json")
    Result("other", "", MEASURES).write(tmp_path / "b.json")
    assert compare.main([str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 2
    assert compare.main([str(tmp_path / "a.json"), str(tmp_path / "none.json")]) == 2
    assert "measure different things" in capsys.readouterr().err
