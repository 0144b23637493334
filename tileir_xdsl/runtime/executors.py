"""Processes that compile, beside this one."""

import multiprocessing
import signal
from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


def processes(count: int | None = None) -> ProcessPoolExecutor:
    """Fresh processes of this machine, by default one for each processor."""
    # A copy of a process with threads may wait for one that it does not have.
    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))


@contextmanager
def interrupts_held() -> Generator[None]:
    """Puts Ctrl-C off: processes started meanwhile never see it, and leave reports to this one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
