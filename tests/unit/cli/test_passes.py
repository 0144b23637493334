"""`tileir passes`: all passes, where they run and which package they are from."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.extensions.test_registry import install
from tests.unit.extensions.written import marking
from tileir_xdsl.cli.main import main
from tileir_xdsl.passes import PASSES

pytestmark = pytest.mark.usefixtures("forgotten_extensions")


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, list[str]]:
    """Level, place and origin of each pass."""
    assert main(["passes", *words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["passes"]
    return {row["pass"]: [row["level"], row["place"], row["origin"]] for row in rows}


def test_all_passes_are_listed_with_the_number_of_their_step(capsys: pytest.CaptureFixture[str]):
    rows = listed(capsys)
    assert {label.partition(":")[0] for label in rows} == set(PASSES)
    assert rows["canonicalize"] == ["nv_tileaa", "2", "tileir_xdsl"]
    assert rows["fuse-fma"] == ["cuda_tile", "by itself", "tileir_xdsl"]
    assert int(rows["tileas-canonicalize:2"][1]) > int(rows["tileas-canonicalize"][1])


def test_an_installed_extension_is_on_the_road_only_if_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    marking(tmp_path, name="marking_here")
    monkeypatch.syspath_prepend(str(tmp_path))
    install(monkeypatch, marking_here="marking_here")
    place = "after tileas-canonicalize"
    assert listed(capsys)["mark"] == ["nv_tileas", place, "marking_here"]
    number = listed(capsys)["tileas-canonicalize"][1]
    named = listed(capsys, "--with", "marking_here")["mark"]
    assert named == ["nv_tileas", f"{int(number) + 1} {place}", "marking_here"]
    assert main(["passes"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.split() == ["marking_here", "extension", "marking_here"]


def test_one_that_cannot_be_imported_is_told_and_the_others_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "broken_here.py").write_text("import nothing_of_this_name")
    monkeypatch.syspath_prepend(str(tmp_path))
    install(monkeypatch, broken="broken_here")
    assert main(["passes"]) == 0
    shown = capsys.readouterr()
    assert shown.err.startswith("extensions=broken: error: cannot be imported: ModuleNotFoundError")
    assert "convert-tileas-to-llvm" in shown.out


def test_an_unknown_name_is_told(capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "passes", "--with", "absent")
    assert line == "extensions=absent: error: there is no extension of this name"
