"""The files of a report: what is written where, and how often."""

import json
from pathlib import Path

import pytest

from tests.unit.report.explained import SAXPY, report_of
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.runtime.errors import InputError


def test_pages_and_json(tmp_path: Path):
    files = ReportFiles((str(tmp_path / "a.html"), str(tmp_path / "a.json")))
    files.write(report_of(SAXPY))
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    assert json.loads((tmp_path / "a.json").read_text())["kernels"] == ["saxpy"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.json"]


def test_meanwhile_the_first_state_is_written_and_the_next_later(tmp_path: Path):
    file = tmp_path / "a.json"
    files = ReportFiles((str(file),))
    files.write_meanwhile(lambda: report_of(SAXPY))
    assert file.exists()
    file.unlink()
    files.write_meanwhile(lambda: report_of(SAXPY))
    assert not file.exists()
    files.write(report_of(SAXPY))
    assert file.exists()


def test_a_folder_is_made(tmp_path: Path):
    files = ReportFiles.in_folder(str(tmp_path / "new" / "one"), "k")
    assert [Path(name).name for name in files.names] == ["k.report.html", "k.report.json"]
    assert (tmp_path / "new" / "one").is_dir()


def test_a_folder_that_cannot_be_made(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file"):
        ReportFiles.in_folder(str(tmp_path / "file" / "below"), "k")
