"""Waiting for changes."""

import threading
from collections.abc import Callable

from tileir_xdsl.view.revisions import Revisions

LONG = 60.0


def waited(revisions: Revisions, seen: int, then: Callable[[], object]) -> list[int]:
    """What a thread that waits is told when `then` has been done."""
    told: list[int] = []
    thread = threading.Thread(target=lambda: told.append(revisions.wait(seen, LONG)))
    thread.start()
    then()
    thread.join(LONG)
    return told


def test_changes_wake_who_waits():
    revisions = Revisions()
    assert revisions.wait(1, LONG) == 0
    assert revisions.wait(0, 0.01) == 0
    assert waited(revisions, 0, revisions.add) == [1]
    assert revisions.last == 1


def test_the_end_wakes_who_waits():
    revisions = Revisions()
    assert waited(revisions, 0, revisions.end) == [0]
    assert revisions.wait(0, LONG) == 0
