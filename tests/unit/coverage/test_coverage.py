"""`python -m tests.coverage`: its slices, that it goes on where it was stopped, and what it reports."""

from pathlib import Path

import pytest
from coverage import CoverageData

from tests.coverage.__main__ import main
from tests.coverage.measure import data_of, measure
from tests.coverage.report import Figures, File, by_room, files_of, missing, table
from tests.coverage.slices import BUILD, Slice, folder_of_data, lit_files, settings_text, slices_of
from tests.reach.map import ReachMap, TestFile

_PTX = "tileir_xdsl/backend/ptx/printer.py"
_READER = "tileir_xdsl/bytecode/reader.py"
_REACH = ReachMap(
    {
        "tests/unit/backend/ptx/test_a.py": TestFile(20.0, frozenset({_PTX})),
        "tests/unit/backend/ptx/test_b.py": TestFile(20.0, frozenset({_PTX})),
        "tests/unit/backend/ptx/test_c.py": TestFile(5.0, frozenset({_PTX})),
        "tests/unit/cli/test_d.py": TestFile(1.0, frozenset({_READER})),
        "tests/unit/layout/test_e.py": TestFile(1.0, frozenset({"tileir_xdsl/layout/f2.py"})),
        "tests/unit/road/test_f.py": TestFile(3.0, frozenset({_PTX, _READER})),
    }
)


def test_slices_are_the_tests_that_reach_a_room() -> None:
    tests = [*_REACH.tests, "tests/unit/cli/test_new.py"]
    lit = ["tests/filecheck/targets/ptx/a.mlir", "tests/filecheck/targets/ptx/b.mlir"]
    assert [part.paths for part in slices_of(["backend"], tests, lit, _REACH)] == [
        # Those of the folder that mirrors it, not dearer together than a slice may be.
        ("tests/unit/backend/ptx/test_a.py",),
        ("tests/unit/backend/ptx/test_b.py", "tests/unit/backend/ptx/test_c.py"),
        ("tests/filecheck/targets/ptx",),
        ("tests/unit/road/test_f.py",),
        # It is not known what it reaches.
        ("tests/unit/cli/test_new.py",),
    ]
    paths = [path for part in slices_of(["bytecode"], tests, [], _REACH) for path in part.paths]
    assert set(paths) == {
        "tests/unit/cli/test_d.py",
        "tests/unit/cli/test_new.py",
        "tests/unit/road/test_f.py",
    }


def test_lit_tests_that_run_passes() -> None:
    folders = {name.split("/")[2] for name in lit_files()}
    assert {"transforms", "pipelines", "bytecode"} <= folders and "dialects" not in folders


def test_data_are_of_the_sources_as_they_are(tmp_path: Path) -> None:
    source = tmp_path / "tileir_xdsl" / "backend" / "a.py"
    source.parent.mkdir(parents=True)
    source.write_text("A = 1\n")
    before = folder_of_data(tmp_path)
    assert before.parent == BUILD and before == folder_of_data(tmp_path)
    source.write_text("A = 2\n")
    assert folder_of_data(tmp_path) != before


def test_what_is_measured_stays(tmp_path: Path) -> None:
    parts = [Slice((f"tests/unit/test_{name}.py",)) for name in "abc"]
    ran: list[Slice] = []

    def run(part: Slice, settings: Path) -> bool:
        ran.append(part)
        data = CoverageData(str(settings.with_name("data.1")))
        data.add_arcs({"/a.py": [(1, len(ran))]})
        data.write()
        return part is not parts[1]

    assert measure(parts[:2], tmp_path, run=run) == [parts[1]]
    assert measure(parts, tmp_path, run=run) == [] and ran == parts
    assert measure(parts, tmp_path, seconds=-1.0, anew=True, run=run) == [] and ran == parts
    assert measure(parts[2:], tmp_path, anew=True, run=run) == [] and ran == [*parts, parts[2]]
    assert all(data_of(part, tmp_path).exists() for part in parts)
    # The log of what fails stays.
    assert [path.name for path in tmp_path.glob("*.running")] == [f"{parts[1].name}.running"]


@pytest.mark.soak
def test_lines_that_a_slice_and_its_processes_run_are_found(tmp_path: Path) -> None:
    test = tmp_path / "test_it.py"
    test.write_text(
        "import subprocess, sys\n"
        "def test_it():\n"
        "    from tileir_xdsl.bytecode.version import Version\n"
        "    code = 'import tileir_xdsl.bytecode.encoding'\n"
        "    subprocess.run([sys.executable, '-c', code], check=True)\n"
    )
    folder = tmp_path / "data"
    assert main(["measure", str(test)], folder) == 0
    files = files_of(folder)
    assert files["tileir_xdsl/bytecode/version.py"].figures.lines_run > 0
    assert files["tileir_xdsl/bytecode/encoding.py"].figures.lines_run > 0
    # What nothing has imported counts, too.
    unread = files["tileir_xdsl/transforms/loop_split.py"].figures
    assert unread.lines > 0 == unread.lines_run == unread.branches_run


def test_tests_that_fail_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = tmp_path / "test_it.py"
    test.write_text("def test_it():\n    assert False\n")
    assert main(["measure", str(test)], tmp_path / "data") == 1
    printed = capsys.readouterr().out
    log = Path(printed.split("see ")[1].strip())
    assert "assert False" in log.read_text()


def test_without_data_there_is_no_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report"], tmp_path) == 1
    assert "nothing is measured yet" in capsys.readouterr().err


def test_figures_are_summed_by_room() -> None:
    files = {
        _PTX: File(Figures(100, 96, 10, 9), (7, 8, 11, 12), ((3, 5), (6, 7))),
        _READER: File(Figures(50, 50, 0, 0), (), ()),
        "tileir_xdsl/bytecode/writer.py": File(Figures(50, 49, 20, 20), (4,), ()),
    }
    figures = by_room(files, ["backend", "bytecode"])
    assert figures["bytecode"] == Figures(100, 99, 20, 20)
    assert figures["backend"].shares == (96.0, 90.0)
    assert table(figures, 95.0)[2:] == [
        "| backend | 100 | 96.0 % | 10 | 90.0 % | missed |",
        "| bytecode | 100 | 99.0 % | 20 | 100.0 % | met |",
    ]
    assert Figures().shares == (100.0, 100.0)
    assert missing(files, ["backend", "bytecode"]) == [
        f"{_PTX}: lines 7, 8, 11, 12; branches 3->5",
        "tileir_xdsl/bytecode/writer.py: lines 4",
    ]


def test_settings_name_the_folders_and_the_data() -> None:
    text = settings_text(Path("/d/data"), [Path("/a"), Path("/b")])
    assert "branch = True" in text and "data_file = /d/data\n" in text
    assert "source =\n    /a\n    /b\n" in text
