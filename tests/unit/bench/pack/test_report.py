"""The report of made-up results, and the page about GPUs."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.pack.measured import Results, load, newest, store
from bench.pack.report import GOALS, NOT_MEASURED, report, summary
from bench.pack.runner.results import RESULTS_FORMAT, PackError
from docs import gpu as documentation


def timed(work: float, unit: str, **seconds: float) -> dict[str, Any]:
    contenders = {who.replace("_", ", "): {"seconds": s} for who, s in seconds.items()}
    return {
        "status": "measured",
        "work": work,
        "unit": unit,
        "contenders": contenders,
        "clocks": [{}, {"sm": 1755.0}],
    }


def results(items: dict[str, Any], on: str = "gpu") -> dict[str, Any]:
    return {
        "format": RESULTS_FORMAT,
        "pack": "p",
        "on": on,
        "device": {"name": "NVIDIA X", "driver_cuda": 13000},
        "sessions": [{"date": "2027-01-02T03:04:05+00:00"}],
        "items": items,
    }


MEASURED = {
    "r/to_bool/f32": {
        "status": "answered",
        "title": "ftoi f32 i1",
        "note": "nothing",
        "answer": "differ in 1 of 2",
        "questions": ["0.25", "1"],
        "bits": {"ours": ["0x1", "0x1"], "tileiras": ["0x0", "0x1"]},
    },
    "l/basic/sb": {
        "status": "wrong",
        "forbidden": 2,
        "repetitions": 100,
        "not_seen": 1,
        "title": "sb",
    },
    "a/k": {"status": "answered", "title": "a question", "answer": "refused: no"},
    "b/forms/add": {"status": "right"},
    "b/forms/mul": {
        "status": "wrong",
        "title": "mul.rn.f32",
        "outputs": [{"wrong": 3, "of": 10, "worst": 0.5, "worst_ulps": 2.0, "bits": "x"}],
    },
    "c/ours/softmax": {"status": "hung", "detail": "not ended after 10 s"},
    "c/racecheck/0": {"status": "wrong", "hazards": {"c/ours/softmax": 2}},
    "d/matmul_bf16_8192": {
        **timed(2e12, "FLOP", ours=2e-3, tileiras=1.8e-3, Triton=2.2e-3, cuBLAS=1.9e-3),
    },
    "d/copy": timed(3e9, "B", ours=1e-3),
    "d/softmax": timed(3e9, "B", ours=1.2e-3, torch=1.1e-3),
    "e/copy": {
        "status": "measured",
        "prediction": {"cycles": 500.0},
        "metrics": {"cycles": 1000.0, "stall_barrier": 0.5},
    },
    "f/softmax": {**timed(1, "B", default=2.0, four=1.0), "chosen": "default"},
}


def test_goals() -> None:
    rows = {row[0]: row[1:] for row in (g.row(Results(results(MEASURED))) for g in GOALS)}
    assert rows["bf16 matmul 8192, of cuBLAS"] == ("0.9", "0.950", "met")
    assert rows["bf16 matmul 8192, of tileiras"] == ("1", "0.900", "missed")
    assert rows["bf16 matmul 8192, of Triton"] == ("1", "1.100", "met")
    assert rows["f8 matmul 8192, of tileiras"] == ("1", NOT_MEASURED, NOT_MEASURED)
    assert rows["row kernels, of the rate of a copy (lowest)"] == ("0.95", "0.833", "missed")
    assert rows["tuner's choice, of the best (lowest)"] == ("0.97", "0.500", "missed")
    assert rows["instruction forms as the emulator has them"] == ("1", "0.500", "missed")


def test_readings_and_litmus_tests() -> None:
    text = report(results(MEASURED))
    row = "| ftoi f32 i1 | nothing | differ in 1 of 2 | 0.25: ours 0x1, tileiras 0x0 |"
    assert row in text
    assert "| sb | wrong | 2 | 100 | 1 |" in text
    assert "| l/basic/sb | wrong | 2 of 100 outcomes are forbidden |" in text
    assert "1. `l/basic/sb`: wrong: 2 of 100 outcomes are forbidden. Look at " in text


def test_what_is_wrong_comes_before_times() -> None:
    text = report(results(MEASURED))
    assert text.startswith("Measured on NVIDIA X, driver for CUDA 13.0, 2027-01-02.")
    assert text.index("## Fix first") < text.index("## Wrong") < text.index("## Times")
    first = text[text.index("## Fix first") : text.index("## Goals")].splitlines()[2:]
    assert first[1].startswith("2. `b/forms/mul`: wrong: 3 of 10 elements, up to 0.5 off. Look at ")
    assert first[2].startswith("3. `c/racecheck/0`: wrong: c/ours/softmax: 2. Look at ")
    changes = text[text.index("## What to change") : text.index("## Wrong")].splitlines()[2:]
    assert changes[0].startswith("- `c/ours/softmax`: hung: not ended after 10 s. Look at ")
    assert changes[1].startswith("- `d/matmul_bf16_8192`: 90% of the speed of tileiras: 0.002 s")
    assert any("copy is -50% off" in change for change in changes)
    assert "| a question | refused: no |" in text
    assert "| matmul_bf16_8192 | TFLOP/s | 1000 | 1111 | 909 | 1053 | 0.90 | 1.10 | 0.95 |" in text


@pytest.mark.parametrize("on", ["emulator", "fake"])
def test_nothing_but_a_gpu_reaches_goals(on: str) -> None:
    data = results(MEASURED, on)
    rows = [goal.row(Results(data))[1:] for goal in GOALS]
    assert {row[1] for row in rows} == {NOT_MEASURED}
    with pytest.raises(PackError, match="only what a GPU has measured"):
        store(data)


def test_stored_results_are_small_and_the_newest_counts(tmp_path: Path) -> None:
    assert newest(tmp_path) is None
    path = store(results(MEASURED), tmp_path)
    assert path.name == "2027-01-02-nvidia-x.json"
    assert '"bits":"x"' not in path.read_text()
    older = {**results({}), "sessions": [{"date": "2026-01-02T00:00:00+00:00"}]}
    store(older, tmp_path)
    found = newest(tmp_path)
    assert found is not None
    assert found["items"].keys() == MEASURED.keys()


@pytest.mark.parametrize("text", ["", "[]", json.dumps({"format": 0})])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(PackError, match="no results file"):
        load(path)


def test_the_page_is_up_to_date() -> None:
    assert documentation.PAGE.read_text() == documentation.page(), "run python -m docs.gpu"


def test_the_readme_is_up_to_date() -> None:
    assert documentation.README.read_text() == documentation.readme(), "run python -m docs.gpu"
    assert (newest() is None) == ("No GPU has run our code yet" in documentation.readme())


def test_a_summary_has_the_last_problem_of_each_family() -> None:
    more = {"d/matmul_bf16_4096": timed(1e12, "FLOP", ours=2e-3, tileiras=1e-3)}
    lines = summary(results({**MEASURED, **more})).splitlines()
    assert lines[0] == "Measured on NVIDIA X, 2027-01-02:"
    assert lines[4:] == [
        "| softmax | 2500 GB/s | torch | 2727 GB/s | 0.92 |",
        "| matmul_bf16_8192 | 1000 TFLOP/s | tileiras | 1111 TFLOP/s | 0.90 |",
    ]


def test_the_page_claims_nothing_that_was_not_measured() -> None:
    assert (newest() is None) == ("Nothing: no results are stored" in documentation.page())
