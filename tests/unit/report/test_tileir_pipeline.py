"""`tileir-pipeline{explain=FOLDER}`."""

import json
from pathlib import Path

import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.cli.test_too_large import PRINT, kernel, leave_two_bytes
from tests.unit.report.explained import SAXPY, report_of
from tileir_xdsl.testing.tools import parse, run_passes, to_text


def pipeline(folder: Path, options: str = "") -> str:
    return f'tileir-pipeline{{explain="{folder}" {options}}}'


def test_the_report_is_that_of_explain(tmp_path: Path):
    module = run_passes(parse(SAXPY.read_text()), pipeline(tmp_path))
    assert to_text(module) == to_text(run_passes(parse(SAXPY.read_text()), "tileir-pipeline"))
    report, expected = json.loads((tmp_path / "saxpy.report.json").read_text()), report_of(SAXPY)
    assert (tmp_path / "saxpy.report.html").exists()
    assert report["status"] == "done" and report["kernels"] == ["saxpy"]
    assert expected.ptx is not None
    assert [line["text"] for line in report["ptx"]["lines"]] == [
        each.text for each in expected.ptx.lines
    ]
    changed = [p["pass"] for p in report["phases"] if p["changed"]]
    assert changed == [p.pass_name for p in expected.phases if p.changed]
    last = [p for p in report["phases"] if p["lines"]][-1]
    assert [line["ids"] for line in last["lines"]] == [
        list(line.ids) for line in [p for p in expected.phases if p.lines][-1].lines or ()
    ]
    assert report["sources"][0]["lines"] == report["phases"][0]["lines"]


def test_a_failing_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    leave_two_bytes(monkeypatch)
    with pytest.raises(PassFailedException, match="4 bytes of shared memory for an element"):
        run_passes(parse(kernel(256, 256, PRINT)), pipeline(tmp_path))
    report = json.loads((tmp_path / "k.report.json").read_text())
    failure = report["failure"]
    assert report["phases"][failure["phase"]]["pass"] == "tileas-allocate-shared-memory"
    (line,) = (x for x in report["phases"][0]["lines"] if "print_tko" in x["text"])
    assert failure["ids"] == line["ids"]


def test_options_that_cannot_be_had_are_refused_as_ever(tmp_path: Path):
    for options in ("warps=3", "gpu=sm_1"):
        with pytest.raises(PassFailedException) as plain:
            run_passes(parse(SAXPY.read_text()), f"tileir-pipeline{{{options}}}")
        with pytest.raises(PassFailedException) as explained:
            run_passes(parse(SAXPY.read_text()), pipeline(tmp_path, options))
        assert str(explained.value) == str(plain.value)


def test_a_folder_that_cannot_be_made(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PassFailedException, match=r"explain: .*file"):
        run_passes(parse(SAXPY.read_text()), pipeline(tmp_path / "file" / "below"))


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    run_passes(parse(SAXPY.read_text()), "tileir-pipeline")
    assert list(tmp_path.iterdir()) == []
