"""The file of forms, and what of a run is stored there."""

from pathlib import Path

import pytest

from tests.forms.recorder import Event, Recorder
from tests.forms.stored import read, read_rows, to_text
from tests.forms.updating import Noted, chosen, rows_of, unstable
from tests.reach import map as reach_map
from tests.reach.map import ReachMap, TestFile


def key(number: int) -> bytes:
    return number.to_bytes(6, "big")


def value(number: int) -> bytes:
    return number.to_bytes(2, "big")


ROWS = {
    ("tests/unit/b.py", "PTX"): {key(2): value(1), key(1): value(2)},
    ("tests/unit/a.py", "fuse-fma"): {key(3): value(3)},
}


def test_the_file_comes_back(tmp_path: Path):
    file = tmp_path / "forms.tsv"
    file.write_text(to_text(ROWS | {("tests/unit/c.py", "PTX"): {}}), "utf-8")
    assert read_rows(file) == ROWS
    stored = read(file)
    assert stored.files == {"tests/unit/a.py", "tests/unit/b.py"}
    assert stored.forms == {key(1): value(2), key(2): value(1), key(3): value(3)}


def test_lines_are_sorted():
    lines = to_text(ROWS).splitlines()
    assert lines == sorted(lines)
    assert len(lines) == 2


def test_without_a_file_nothing_is_known(tmp_path: Path):
    assert not read(tmp_path / "forms.tsv").files


def test_an_input_with_two_outputs_is_left_out():
    first = [Noted("a.py", "PTX", key(1), value(1)), Noted("b.py", "PTX", key(2), value(1))]
    second = [Noted("a.py", "PTX", key(1), value(1)), Noted("b.py", "PTX", key(2), value(2))]
    assert unstable(first) == frozenset()
    assert unstable(first, second) == unstable(first, first[:1]) == {key(2)}
    assert rows_of(first, unstable(first, second)) == {("a.py", "PTX"): {key(1): value(1)}}


def test_an_input_of_two_tests_is_stored_once():
    noted = [Noted("a.py", "PTX", key(1), value(1)), Noted("b.py", "PTX", key(1), value(1))]
    assert rows_of(noted) == {("a.py", "PTX"): {key(1): value(1)}}


def test_dear_tests_and_those_of_other_rooms_are_not_chosen():
    cheap, dear = TestFile(2.0, frozenset()), TestFile(2.1, frozenset())
    reach = ReachMap(
        {
            "tests/unit/forms/test_stored.py": cheap,
            "tests/unit/test_levels.py": cheap,
            "tests/unit/test_verification.py": dear,
            "tests/unit/transforms/test_fuse_fma.py": cheap,
            "tests/unit/transforms/test_gone.py": cheap,
        }
    )
    assert chosen(reach) == ["tests/unit/test_levels.py", "tests/unit/transforms/test_fuse_fma.py"]


def test_stored_files_exist():
    assert read().files <= set(reach_map.all_tests())


@pytest.mark.parametrize(("old", "changed"), [(value(1), False), (value(2), True), (None, False)])
def test_changed_outputs_are_told(old: bytes | None, changed: bool):
    recorder = Recorder(known={} if old is None else {key(1): old})
    recorder.begin(is_on=True)
    recorder.note("PTX", key(1) + b"more", value(1) + b"more")
    assert recorder.changed() == [Event("PTX", key(1), value(1))] * changed
    recorder.begin(is_on=True)
    assert recorder.changed() == []


def test_many_steps_of_a_kind_are_not_all_noted():
    recorder = Recorder()
    recorder.begin(is_on=True)
    assert [recorder.wants("PTX") for _ in range(61)] == [True] * 60 + [False]
    assert recorder.wants("fuse-fma")
    recorder.begin(is_on=False)
    assert not recorder.wants("PTX")
