"""Stops code that takes too much processor time, such as a pass that does not terminate."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager


class TooLongError(BaseException):
    """Code has exceeded its time; a handler of `Exception` does not catch this error."""


@contextmanager
def time_limit(seconds: float) -> Generator[None]:
    """Raises `TooLongError` in the context after `seconds` of processor time.

    Only the main thread receives signals, and Windows has no timer; in other threads and on
    Windows, code has no limit.
    """
    timer = getattr(signal, "setitimer", None)
    if timer is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_signal: int, _frame: object) -> None:
        raise TooLongError(f"{seconds:.3g} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    timer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        timer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
