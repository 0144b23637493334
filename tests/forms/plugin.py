"""What pytest does with forms: notes them for each test, and fails the test where one has changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from . import hooks
from .differences import SHOW_VARIABLE
from .recorder import RECORDER
from .stored import Stored, read

RECORD_VARIABLE = "TILEIR_FORMS"
"""The folder where forms are written that tests note, instead of being compared."""

_folder = os.environ.get(RECORD_VARIABLE)
_shown = os.environ.get(SHOW_VARIABLE)
_is_compared = not _folder and not _shown
_stored = read() if _is_compared else Stored({}, frozenset())


def start() -> None:
    """Notes steps from here on; to be called before test modules are imported."""
    RECORDER.known, RECORDER.is_compared = _stored.forms, _is_compared
    if _shown:
        RECORDER.show = _show
    if not _is_compared or _stored.files:
        hooks.install()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Begins with no step: those of fixtures are of the test."""
    RECORDER.begin(is_on=not _is_compared or item.nodeid.partition("::")[0] in _stored.files)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fails a test that passes where one of its steps has changed."""
    result = yield
    RECORDER.is_on = False
    if _folder:
        _keep(item.nodeid, Path(_folder))
    elif changed := RECORDER.changed():
        steps = ", ".join(dict.fromkeys(event.step for event in changed))
        pytest.fail(
            f"another output of the same input than stored, first of {changed[0].step}, of {steps}\n"
            f"see it:    python -m tests.forms show '{item.nodeid}'\n"
            f"accept it: python -m tests.forms update {item.nodeid.partition('::')[0]}",
            pytrace=False,
        )
    return result


def _keep(name: str, folder: Path) -> None:
    """Writes the steps of a test, in a file of this process."""
    events = [(event.step, event.key.hex(), event.value.hex()) for event in RECORDER.events]
    if events:
        with (folder / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(f"{json.dumps({'test': name, 'events': events})}\n")


def _show(step: str, key: bytes, text: Callable[[], str]) -> None:
    assert _shown
    with Path(_shown).open("a", encoding="utf-8") as stream:
        stream.write(f"{json.dumps((step, key.hex(), text()))}\n")
