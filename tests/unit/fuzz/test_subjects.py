"""A slice of `python -m tests.fuzz`, and what it must be able to find."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import sound_inputs
from tests.fuzz.__main__ import main
from tests.fuzz.damage import TOKENS, damage_bytes, damage_text
from tests.fuzz.guarding import Failure, outcome
from tests.fuzz.reduction import reduced
from tests.fuzz.subjects import SUBJECTS, Input, Subject

SEEDS = 40
SLOW = {"compile": 6, "ptx": 4, "commands": 10}
"""Seeds of what takes longer than reading a text."""


@pytest.mark.parametrize("name", SUBJECTS)
def test_damaged_inputs(name: str, capsys: pytest.CaptureFixture[str]):
    seeds = SLOW.get(name, SEEDS)
    assert main(["--subject", name, "--seeds", str(seeds)]) == 0
    assert f"{name}: seeds 0 to {seeds - 1}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("bytecode", sound_inputs.bytecode_files),
        ("cuda_tile", lambda: sound_inputs.kernels()[:3]),
        ("compile", lambda: sound_inputs.kernels()[:1]),
        ("layouts", lambda: sound_inputs.LAYOUTS),
        ("options", lambda: sound_inputs.OPTIONS[:3]),
        ("grids", lambda: sound_inputs.GRIDS),
        ("commands", lambda: sound_inputs.COMMANDS[:1]),
    ],
)
def test_sound_inputs_are_accepted(name: str, inputs: Callable[[], Sequence[Input]]):
    for given in inputs():
        assert outcome(SUBJECTS[name], given, 0) is True, given


def _broken(error: BaseException) -> Subject:
    def run(text: str, _random: Random) -> None:
        if "wrong" in text:
            raise error

    return Subject(lambda _random: "all is wrong here", run, (ValueError,))


def test_what_else_is_raised_fails():
    assert outcome(_broken(ValueError()), "wrong", 0) is False
    assert outcome(_broken(ValueError()), "right", 0) is True
    found = outcome(_broken(IndexError("far")), "wrong", 0)
    assert isinstance(found, Failure) and found.what == "IndexError: far"


def test_an_input_that_takes_too_long_fails(monkeypatch: pytest.MonkeyPatch):
    def run(_text: str, _random: Random) -> None:
        while True:
            pass

    monkeypatch.setattr("tests.fuzz.guarding.SECONDS", 1)
    found = outcome(Subject(lambda _random: "", run, (Exception,)), "", 0)
    assert isinstance(found, Failure) and found.what == "OutOfTime"


def test_failures_are_kept_made_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(SUBJECTS, "grids", _broken(IndexError()))
    assert main(["--subject", "grids", "--seeds", "3", "--keep", str(tmp_path)]) == 1
    # The same failure is told once.
    assert [file.name for file in tmp_path.iterdir()] == ["grids-0"]
    assert (tmp_path / "grids-0").read_text() == "wrong"
    assert "3 failed" in capsys.readouterr().out


def test_reduction_of_bytes():
    def fails(data: Input) -> bool:
        assert isinstance(data, bytes)
        return b"x" in data and b"y" in data

    assert reduced(b"abcxdefyg", fails) == b"xy"


def test_damage_leaves_most_of_an_input():
    text, data = sound_inputs.kernels()[0], sound_inputs.bytecode_files()[0]
    for seed in range(20):
        random = Random(seed)
        assert damage_text(random, TOKENS.findall(text), ["x"]) != ""
        assert damage_bytes(random, data, [data]) != data
