"""What is noted of a step, and how a test that sees another output fails."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.forms import hooks, plugin
from tests.forms.differences import Shown, first_difference
from tests.forms.digests import data_digest
from tests.forms.recorder import RECORDER, Event
from tileir_xdsl.testing.tools import parse, run_passes


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Event]]:
    """What is noted from now on."""
    monkeypatch.setattr(RECORDER, "events", [])
    monkeypatch.setattr(RECORDER, "counts", {})
    monkeypatch.setattr(RECORDER, "is_on", True)
    # Another process may have the processor.
    monkeypatch.setattr(hooks, "MOST_TIME", 60.0)
    yield RECORDER.events


def halved(number: object) -> object:
    match number:
        case int() if number % 2:
            raise VerifyException(f"{number} is odd")
        case int():
            return number // 2
        case _:
            return len(str(number)) * int(str(number))


def name_of(_: object) -> str:
    return "half"


def shown(half: object, _: object) -> str:
    return str(half)


def wrapped() -> hooks.Function:
    return hooks.noted(halved, hooks.Step(name_of, data_digest, shown))


def test_a_step_is_its_input_and_its_output(noted: list[Event]):
    step = wrapped()
    assert [step(4), step(4), step(6)] == [2, 2, 3]
    first, same, other = noted
    assert first == same
    assert first.step == "half"
    assert first.key != other.key
    assert first.value != other.value


def test_what_an_exception_says_is_an_output(noted: list[Event]):
    step = wrapped()
    for number in (1, 3, "x"):
        with pytest.raises((VerifyException, ValueError)):
            step(number)
    assert len({event.value for event in noted}) == 3


def test_an_input_without_a_digest_is_not_noted(noted: list[Event]):
    assert wrapped()(Fraction(12)) == 24
    assert not noted


def test_a_pass_is_noted_with_its_options(noted: list[Event], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(RECORDER, "is_compared", False)
    hooks.install()
    text = "func.func @f(%a: i32) -> i32 {\n  func.return %a : i32\n}"
    for pipeline in ("optimize-execution-unit-mapping", "tileas-materialize-async{num_stages=3}"):
        run_passes(parse(text), pipeline)
    run_passes(parse(text), "tileas-materialize-async{num_stages=4}")
    events = {event.key: event for event in noted if event.step.startswith(("tileas", "optimize"))}
    assert len(events) == 3 * (1 + hooks.NEIGHBOURS)


def test_the_first_step_with_another_output_is_shown():
    before = [Shown("one", "1", "a\nb"), Shown("two", "2", "c"), Shown("three", "3", "d")]
    after = [Shown("one", "1", "a\nb"), Shown("two", "2", "e"), Shown("three", "4", "f")]
    assert first_difference(before, after) == ["--- before", "+++ two", "@@ -1 +1 @@", "-c", "+e"]
    assert first_difference(before, before) == []


@dataclass(frozen=True)
class Item:
    nodeid: str


def call(test: str, key: bytes, value: bytes) -> None:
    """Runs a test that passes, with one step."""
    running = plugin.pytest_runtest_call(cast(pytest.Item, Item(test)))
    next(running)
    RECORDER.note("loop-split", key, value)
    with pytest.raises(StopIteration):
        running.send(None)


def test_a_changed_output_fails_the_test(noted: list[Event], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plugin, "_folder", None)
    monkeypatch.setattr(RECORDER, "known", {b"known.": b"ok"})
    call("a.py::test", b"known.", b"ok")
    call("a.py::test", b"other.", b"no")
    with pytest.raises(pytest.fail.Exception, match="first of loop-split") as caught:
        call("a.py::test[1]", b"known.", b"no")
    assert "python -m tests.forms show 'a.py::test[1]'" in str(caught.value)
    assert "python -m tests.forms update a.py" in str(caught.value)
    # What is noted here is not of this test.
    noted.clear()


def test_steps_are_recorded(noted: list[Event], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(plugin, "_folder", str(tmp_path))
    call("a.py::test", b"known.", b"ok")
    (file,) = tmp_path.glob("*.jsonl")
    row = {"test": "a.py::test", "events": [["loop-split", b"known.".hex(), b"ok".hex()]]}
    assert json.loads(file.read_text("utf-8")) == row
    noted.clear()


def test_a_step_is_noted_on_neighbours(noted: list[Event], monkeypatch: pytest.MonkeyPatch):
    hooks.install()
    text = (
        "func.func @f(%a: i32) -> i32 {\n  %b = arith.addi %a, %a : i32\n  func.return %b : i32\n}"
    )
    monkeypatch.setattr(RECORDER, "is_compared", False)
    run_passes(parse(text), "fuse-fma")
    fused = [event for event in noted if event.step == "fuse-fma"]
    assert len({event.key for event in fused}) == 1 + hooks.NEIGHBOURS
    # Where outputs are compared, neighbours that are not stored are not made.
    for known, count in ({}, 1), ({event.key: event.value for event in fused}, len(fused)):
        noted.clear()
        monkeypatch.setattr(RECORDER, "is_compared", True)
        monkeypatch.setattr(RECORDER, "known", known)
        run_passes(parse(text), "fuse-fma")
        assert sum(event.step == "fuse-fma" for event in noted) == count
        assert not RECORDER.changed()


def test_a_step_without_an_end_is_ended(noted: list[Event], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hooks, "TIME_LIMIT", 0.05)
    monkeypatch.setattr(RECORDER, "is_compared", True)

    def endless() -> bytes:
        while True:
            pass

    hooks.note_nearby("loop-split", b"known.", endless, str)
    assert [event.step for event in noted] == ["loop-split"]
    hooks.note_nearby("loop-split", b"known.", lambda: b"done", str)
    assert len({event.value for event in noted}) == 2
    noted.clear()
