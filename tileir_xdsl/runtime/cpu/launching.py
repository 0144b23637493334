"""Launches of compiled kernels on arrays of the host, by the threads of this process."""

from __future__ import annotations

import math
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from ctypes import addressof, c_char
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds

from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.binding import LaunchArgument
from tileir_xdsl.runtime.cpu.compiling import NotCovered
from tileir_xdsl.runtime.cpu.faults import check_faults
from tileir_xdsl.runtime.cpu.helpers import SLOTS, Slot
from tileir_xdsl.runtime.cpu.kernel_facts import CPUKernelFacts
from tileir_xdsl.runtime.cpu.loading import Loaded
from tileir_xdsl.runtime.cpu.workers import StoppedFromOutside, processors, run_on_threads
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.gpu_launching import list_of_arrays

Grid = tuple[int, int, int]

_ALIGNMENT = 64
"""The alignment of scratch memory, in bytes."""

_SMALL_BYTES = 1 << 16
"""Launches on arrays of fewer bytes use one thread until their duration is known."""

_SECONDS_PER_THREAD = 50e-6
"""The least time of work for which another thread is used."""

_TASKS_PER_THREAD = 8
"""The least number of tasks per thread; several let threads end at about the same time."""


class Arguments(NamedTuple):
    """The arguments of a launch in the form for a kernel."""

    slots: Sequence[int]
    """The 64 bits of each argument."""
    ranges: Sequence[int]
    """The sorted start and end addresses of the memory that arrays cover."""
    kept: Sequence[Array] = ()
    """The arrays, kept alive while their addresses are in use."""


@dataclass
class CPUKernel:
    """A kernel in memory, ready to be launched by any thread."""

    facts: CPUKernelFacts
    code: Loaded
    file: str
    seconds_per_block: float = 0.0
    """The duration of a tile block on an otherwise idle machine, if known."""
    address: int = field(init=False)

    def __post_init__(self) -> None:
        self.address = self.code.kernels[self.facts.name]

    def why_not(self, arguments: Arguments) -> NotCovered | None:
        """Why the interpreter must run the kernel on these arguments; None if the code can."""
        for tile in self.facts.distinct:
            if tile.overlaps_itself(arguments.slots):
                reason = "elements of the tile overlap in memory"
                return NotCovered(tile.location or self.file, reason)
        return None

    def launch(
        self,
        grid: Grid,
        arguments: Arguments,
        time_limit: float | None = None,
        threads: int | None = None,
    ) -> None:
        """Runs all tile blocks, and waits for them.

        `threads` is the number of threads, by default as many as there is work for. Raises
        InputError for a fault of the kernel, for lack of memory, after `time_limit` seconds, and
        where `why_not` has a reason.
        """
        if self.facts.distinct and (refused := self.why_not(arguments)) is not None:
            raise refused.error
        slots, ranges = arguments.slots, arguments.ranges
        blocks = math.prod(grid)
        numbers = (*grid, *slots, *_NO_FAULT, len(ranges) >> 1, *_NO_PRINT, *ranges)
        memory = array("q", numbers)
        at = memory.buffer_info()[0]
        first = len(slots) + 3
        parts = at + 24, at, at + 8 * first
        count = threads or self._threads(blocks, ranges)
        task = max(1, min(self.facts.blocks_per_task, blocks // (count * _TASKS_PER_THREAD)))

        def stop() -> None:
            memory[first + Slot.STOP] = 1

        started = time.perf_counter()
        with StoppedFromOutside(stop, time_limit):
            if count == 1:
                self._work(parts, blocks, task)
            else:
                run_on_threads(count, lambda: self._work(parts, blocks, task))
        each = (time.perf_counter() - started) * count / max(blocks, 1)
        # Other programs make a launch longer, and none shorter.
        self.seconds_per_block = min(each, self.seconds_per_block * _DOUBT or each)
        if memory[first + Slot.STOP]:
            check_faults(self.facts, self.file, grid, memory[first:], time_limit)

    def _work(self, parts: tuple[int, int, int], blocks: int, task: int) -> None:
        """Runs tile blocks until all are claimed."""
        slots, grid, context = parts
        arena = scratch(self.facts.arena_bytes)
        self.code.run(self.address, slots, grid, arena, context, blocks, task)

    def _threads(self, blocks: int, ranges: Sequence[int]) -> int:
        if self.facts.is_serial or blocks < 2:
            return 1
        if self.seconds_per_block:
            wanted = int(self.seconds_per_block * blocks / _SECONDS_PER_THREAD)
        else:
            size = sum(ranges[1::2]) - sum(ranges[::2])
            wanted = 1 if size < _SMALL_BYTES else blocks
        return 1 if wanted < 2 else min(processors(), blocks, wanted)


def launchable(kernel: CPUKernel | NotCovered, arguments: Arguments) -> CPUKernel | NotCovered:
    """The kernel, or why the interpreter must run it on these arguments."""
    if isinstance(kernel, NotCovered):
        return kernel
    return kernel.why_not(arguments) or kernel


_DOUBT = 1.25
"""The most that one launch may raise the known duration of a tile block, as a ratio."""

_NO_FAULT, _NO_PRINT = (0,) * Slot.ARRAYS, (0,) * (SLOTS - Slot.ARRAYS - 1)


def packed(arguments: Sequence[LaunchArgument]) -> Arguments:
    """Arguments in the form for a kernel, without copies of arrays."""
    slots, bounds, kept = list[int](), list[tuple[int, int]](), list[Array]()
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            arrays, address = [argument], address_of(argument)
        elif isinstance(argument, tuple):
            listed = list_of_arrays([address_of(each) for each in argument], argument)
            arrays, address = [*argument, listed], address_of(listed)
        else:
            arrays, address = [], _bits(argument)
        slots.append(address)
        kept += arrays
        bounds += [byte_bounds(array) for array in arrays if array.size]
    return Arguments(slots, merged(bounds), kept)


_from_buffer: Callable[[Any], c_char] = c_char.from_buffer


def address_of(values: Array) -> int:
    """The address of the first element of an array."""
    try:
        # Without the object that numpy makes for `ctypes`: a microsecond for each array.
        return addressof(_from_buffer(values))
    except (TypeError, ValueError, BufferError):
        return values.ctypes.data


def _bits(number: np.generic) -> int:
    """The bits of a number of up to 8 bytes, as a signed integer of 64 bits."""
    return int.from_bytes(number.tobytes().ljust(8, b"\0"), "little", signed=True)


def merged(bounds: Sequence[tuple[int, int]]) -> list[int]:
    """The sorted starts and ends of memory ranges, with overlapping ranges merged."""
    ranges: list[int] = []
    for low, high in sorted(bounds):
        if ranges and low < ranges[-1]:
            ranges[-1] = max(ranges[-1], high)
        else:
            ranges += (low, high)
    return ranges


class Arenas(threading.local):
    """The scratch memory of each thread, which only grows."""

    address: int = 0
    size: int = 0
    memory: Any = None


_arenas = Arenas()


def scratch(size: int) -> int:
    """The address of `size` bytes of this thread's scratch memory, with undefined contents."""
    if size > _arenas.size:
        _arenas.memory = None
        _arenas.size = 0
        try:
            memory = np.empty(size + _ALIGNMENT, np.uint8)
        except MemoryError:
            message = f"no memory for {size} bytes of tiles a thread; the interpreter needs less"
            raise InputError("cpu", message) from None
        start = memory.ctypes.data
        _arenas.memory, _arenas.size = memory, size
        _arenas.address = start + -start % _ALIGNMENT
    return _arenas.address
