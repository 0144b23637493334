"""Further processes that compile: on this machine, or in a cluster."""

import importlib
import multiprocessing
import signal
import sys
import threading
from collections.abc import Generator, Mapping
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager

from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError

DASK = "dask:"
"""The prefix of the names of executors that use a scheduler of dask.distributed."""

_SECONDS_TO_CONNECT = 10


def expect_extensions(facts: Mapping[str, str]) -> None:
    """Loads in this worker process the extensions of the process it compiles for.

    `facts` is the result of `extension_facts` in that process. Raises InputError for another
    version of an extension, and for an extension missing here.
    """
    if facts:
        # Only compilations with extensions import them.
        registry = importlib.import_module("tileir_xdsl.extensions.registry")
        with errors_in("extensions"):
            registry.expect(facts)


def processes(count: int | None = None) -> ProcessPoolExecutor:
    """Fresh processes of this machine, by default one for each processor."""
    # A copy of a process with threads may wait for one that it does not have.
    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))


@contextmanager
def interrupts_held() -> Generator[None]:
    """Defers Ctrl-C in this process, and in processes started in the context.

    The started processes never receive Ctrl-C, so only this process reports it. On systems without
    signal masks, Ctrl-C is deferred for this process only.
    """
    held: list[int] = []
    # Threads of a library that began before take the signal that this one has blocked. Python would
    # then raise KeyboardInterrupt here, between starting a process and instructing it.
    is_main = threading.current_thread() is threading.main_thread()
    handler = (
        signal.signal(signal.SIGINT, lambda number, _: held.append(number)) if is_main else None
    )
    # Processes of Windows inherit no mask.
    has_masks = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if has_masks else None
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        if held:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def opened_executor(name: str | None, count: int | None = None) -> Generator[Executor]:
    """An executor by its name: `dask:ADDRESS`, or without one `count` processes of this machine.

    The workers of a cluster need this package, and access to files by the same paths. Raises
    InputError for other names, without dask.distributed, and if the scheduler does not answer.
    """
    if name is None:
        with processes(count) as executor:
            yield executor
        return
    option = f"--executor {name}"
    if not name.startswith(DASK):
        raise InputError(option, f"expected {DASK}ADDRESS")
    try:
        from distributed import Client
    except ImportError:
        raise InputError(option, "needs the package 'distributed'") from None
    try:
        client = Client(name.removeprefix(DASK), timeout=_SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise InputError(option, " ".join(str(error).split())) from None
    with client, client.get_executor(pure=False) as executor:
        yield executor


def lost_worker_errors() -> tuple[type[Exception], ...]:
    """The exceptions of a future whose worker process has ended early."""
    if "distributed" not in sys.modules:
        return (BrokenExecutor,)
    from distributed.scheduler import KilledWorker

    return (BrokenExecutor, KilledWorker)
