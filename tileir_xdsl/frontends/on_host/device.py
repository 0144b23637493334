"""The one device that scripts see: all work on its streams and events completes at once."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Self

from tileir_xdsl.frontends.environment import GPU
from tileir_xdsl.targets import DEFAULT_TARGET, get_target
from tileir_xdsl.targets.residency import MULTIPROCESSORS


class Guard:
    """A context manager for a device or a stream; there is only one of each."""

    def __init__(self, *_arguments: object, **_options: object):
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass


class Stream(Guard):
    """A stream whose handle is that of the default stream, under the names of torch and of cupy."""

    cuda_stream = ptr = 0
    device = "cuda:0"

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 0

    def synchronize(self) -> None:
        """Waits for nothing."""

    def wait_event(self, _event: object) -> None:
        """Waits for nothing."""

    wait_stream = wait_event

    def query(self) -> bool:
        """Whether all work has ended."""
        return True

    def record_event(self, event: Event | None = None) -> Event:
        """Records an event at the present time."""
        event = event or Event()
        event.record()
        return event

    record = record_event


class Event:
    """A point in time of the host."""

    def __init__(self, *_arguments: object, **_options: object):
        self._time = time.perf_counter()

    def record(self, stream: object = None) -> None:
        """Sets the event's time to the present."""
        self._time = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """The milliseconds from this event to another one."""
        return 1000 * (end._time - self._time)

    def synchronize(self, _stream: object = None) -> None:
        """Waits for nothing."""

    wait = synchronize

    def query(self) -> bool:
        """Whether the event has happened: always true."""
        return True


def properties(environment: Mapping[str, str] | None = None) -> Any:
    """Properties of the target in `environment`, under the names of `torch.cuda`."""
    chosen = (os.environ if environment is None else environment).get(GPU)
    target = get_target(chosen or DEFAULT_TARGET)
    limits = target.limits
    major, minor = divmod(target.compute_capability, 10)
    return SimpleNamespace(
        name=f"host memory, as {target.name}",
        major=major,
        minor=minor,
        multi_processor_count=MULTIPROCESSORS[target.compute_capability],
        total_memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        warp_size=32,
        max_threads_per_multi_processor=limits.max_threads_per_multiprocessor,
        shared_memory_per_block=limits.static_shared_memory_per_block,
        shared_memory_per_block_optin=limits.shared_memory_per_block,
        shared_memory_per_multiprocessor=limits.shared_memory_per_multiprocessor,
        regs_per_multiprocessor=limits.registers_per_multiprocessor,
    )


def capability(_device: object = None) -> tuple[int, int]:
    """The compute capability of the chosen target, such as (9, 0)."""
    chosen = properties()
    return chosen.major, chosen.minor
