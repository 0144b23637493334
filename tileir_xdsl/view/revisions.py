"""Numbers changes, so that pages can wait for the next change."""

from __future__ import annotations

import threading
import time


class Revisions:
    """Counts changes; threads wait for the next one."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._last = 0
        self._ended = False

    @property
    def last(self) -> int:
        """The number of the last change."""
        with self._condition:
            return self._last

    def add(self) -> int:
        """Counts a change and wakes waiting threads; returns the change's number."""
        with self._condition:
            self._last += 1
            self._condition.notify_all()
            return self._last

    def end(self) -> None:
        """Wakes all waiting threads, and lets none wait again."""
        with self._condition:
            self._ended = True
            self._condition.notify_all()

    def wait(self, seen: int, seconds: float) -> int:
        """Waits for a change after number `seen`, for at most some seconds."""
        end = time.monotonic() + seconds
        with self._condition:
            while self._last == seen and not self._ended and (left := end - time.monotonic()) > 0:
                self._condition.wait(left)
            return self._last
