"""Threads that a process keeps for launches, and the interruption of launches.

The launching thread works, too; a launch wakes others only if it has work for them.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from queue import SimpleQueue

Work = Callable[[], None]


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Worker(threading.Thread):
    """A thread that executes work items one after the other."""

    def __init__(self, idle: SimpleQueue[_Worker]):
        super().__init__(name="tileir-worker", daemon=True)
        self._idle = idle
        self._work: SimpleQueue[tuple[Work, threading.Semaphore]] = SimpleQueue()
        self.start()

    def give(self, work: Work, done: threading.Semaphore) -> None:
        """Lets the thread execute the work, and then release `done`."""
        self._work.put((work, done))

    def run(self) -> None:
        while True:
            work, done = self._work.get()
            try:
                work()
            finally:
                self._idle.put(self)
                done.release()
                del work, done


class _Workers:
    """The idle threads of this process."""

    def __init__(self) -> None:
        self._idle: SimpleQueue[_Worker] = SimpleQueue()

    def take(self) -> _Worker:
        """An idle thread, or a new one."""
        with suppress(Exception):
            return self._idle.get_nowait()
        return _Worker(self._idle)


@cache
def _workers(process: int) -> _Workers:
    """The idle threads of a process; a forked child begins without threads."""
    return _Workers()


def run_on_threads(count: int, work: Work) -> None:
    """Executes the same work on this thread and `count - 1` others, and waits for all."""
    done = threading.Semaphore(0)
    pool = _workers(os.getpid())
    for _ in range(count - 1):
        pool.take().give(work, done)
    try:
        work()
    finally:
        for _ in range(count - 1):
            done.acquire()


class _Watch(threading.Thread):
    """Stops launches of the main thread when a signal arrives, such as that of Ctrl-C.

    Python handles signals between its own instructions, thus not while a kernel runs. Python's
    low-level signal handler writes a byte to a socket at once, which the watch reads.
    """

    def __init__(self) -> None:
        super().__init__(name="tileir-signals", daemon=True)
        self._read, self._write = socket.socketpair()
        self._write.setblocking(False)
        self.stop: Callable[[], None] | None = None
        """Stops the running launch."""
        self._former = -1
        self.start()

    def run(self) -> None:
        while True:
            select.select([self._read], [], [])
            data = self._read.recv(64)
            former, stop = self._former, self.stop
            if stop is not None:
                stop()
            if former >= 0:
                with suppress(OSError):
                    os.write(former, data)

    def begin(self, stop: Callable[[], None]) -> None:
        """Makes the next signal call `stop`."""
        self.stop = stop
        self._former = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)

    def end(self) -> None:
        """Restores the previous handling of signals."""
        signal.set_wakeup_fd(self._former)
        self.stop, self._former = None, -1


@cache
def _watch(process: int) -> _Watch:
    """The watch of a process; a forked child creates its own."""
    return _Watch()


class StoppedFromOutside:
    """Makes another thread call `stop` on a signal, or after a number of seconds."""

    __slots__ = ("_stop", "_timer", "_watch")

    def __init__(self, stop: Callable[[], None], seconds: float | None):
        self._stop = stop
        self._timer = None if seconds is None else threading.Timer(seconds, stop)
        self._watch: _Watch | None = None

    def __enter__(self) -> None:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        if threading.get_ident() == threading.main_thread().ident:
            watch = _watch(os.getpid())
            # A launch within a launch, by a handler of a signal, leaves it to the outer one.
            if watch.stop is None:
                watch.begin(self._stop)
                self._watch = watch

    def __exit__(self, *_: object) -> None:
        if self._watch is not None:
            self._watch.end()
        if self._timer is not None:
            self._timer.cancel()
