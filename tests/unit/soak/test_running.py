"""Parts run until their time is over, go on after earlier seeds, and tell what they find."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.soak import running
from tests.soak.__main__ import main
from tests.soak.parts import PARTS, Part, command_line
from tests.soak.running import Done, read_log, run_part


def _timing(first: int, count: int) -> Sequence[str]:
    """A module that ends at once."""
    return ("timeit", "-n1", "-r1", f"assert {first} < 4, 'seed {first} of {count}'")


def test_findings_are_told_and_seeds_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(PARTS, "programs", Part(_timing, 4, "numbers"))
    log = tmp_path / "soak.json"
    assert main(["--part", "programs", "--minutes", "0", "--log", str(log)]) == 0
    assert read_log(log)["programs"].seeds == 4
    assert main(["--part", "programs", "--minutes", "0", "--log", str(log)]) == 1
    assert read_log(log)["programs"].seeds == 8
    assert read_log(log)["programs"].failed == 1


def test_the_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setitem(PARTS, "fuzz", Part(_timing, 5, "numbers", fine=frozenset({0, 1})))
    assert main(["--part", "fuzz", "--minutes", "0"]) == 0
    assert "| fuzz | numbers | 5 | 5 | 0 | 0 | " in capsys.readouterr().out


def test_what_is_found_is_printed():
    said: list[str] = []
    part = Part(lambda first, count: ("timeit", "-n1", "-r1", "assert 0, 'broken'"), 1, "")
    assert run_part(part, 7, 0.0, said.append).failed == 1
    assert "AssertionError: broken" in said[0] and said[0].startswith(f"$ {sys.executable} -m")


def test_a_run_that_takes_too_long_is_cut_off(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(running, "GRACE", 0.2)
    part = Part(lambda first, count: ("timeit", "-n1", "-r1", "while True: pass"), 3, "")
    done = run_part(part, 0, 0.1, print)
    assert (done.seeds, done.failed, done.cut_off) == (0, 0, 1)


def test_commands_exist():
    for part in PARTS.values():
        executable, option, module, *rest = command_line(part, 5)
        assert (executable, option) == (sys.executable, "-m")
        assert module == "pytest" or Path(module.replace(".", "/"), "__main__.py").exists()
        assert rest
    assert sum(part.in_slice for part in PARTS.values()) >= 5


def test_sums():
    assert Done(1, 2, 0, 3.0) + Done(4, 0, 1, 1.0) == Done(5, 2, 1, 4.0)
