"""Runs launches: chooses how many blocks run at once and in which order, and what is checked."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from random import Random
from typing import TextIO, TypedDict

import numpy as np

from tileir_xdsl.emulator.banks import SharedTraffic
from tileir_xdsl.emulator.choices import Choices, RandomChoices
from tileir_xdsl.emulator.clusters import ClusterBarrier, Clusters
from tileir_xdsl.emulator.compile import CompiledKernel
from tileir_xdsl.emulator.deadlocks import deadlock_error, standstill_error
from tileir_xdsl.emulator.errors import WARP_SIZE, EmulatorError, ThreadLocation
from tileir_xdsl.emulator.grid import Grid
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.late import LateWork
from tileir_xdsl.emulator.memory import Memory, Parts
from tileir_xdsl.emulator.races.detector import RaceDetector
from tileir_xdsl.emulator.races.device import Device
from tileir_xdsl.emulator.register_pool import RegisterPool
from tileir_xdsl.emulator.registers import Geometry
from tileir_xdsl.emulator.schedule import Counters, Scheduler
from tileir_xdsl.emulator.standstill import Standstill
from tileir_xdsl.emulator.state_spaces import Heap
from tileir_xdsl.emulator.tensor_memory import TensorMemory
from tileir_xdsl.emulator.types import Array
from tileir_xdsl.emulator.watch import Watch
from tileir_xdsl.emulator.work import Work

DEFAULT_STEP_LIMIT = 20_000_000


@dataclass(frozen=True)
class LaunchStatistics:
    """Counts of a launch.

    `instructions` counts an instruction once per thread group that issued it, `lane_instructions`
    once per thread. `divergent_branches` counts branches that divided a group, `barriers` the
    arrivals of groups at block barriers. `canceled_blocks` counts blocks that others took over,
    `resident_blocks` those that could run at once. `shared_traffic` is the shared-memory traffic of
    each PTX line, empty unless races are detected. `work` counts the work of all blocks for each
    unit of a multiprocessor.
    """

    blocks: int
    threads_per_block: int
    instructions: int
    lane_instructions: int
    basic_blocks: int
    divergent_branches: int
    barriers: int
    canceled_blocks: int
    resident_blocks: int
    shared_traffic: Mapping[int, SharedTraffic]
    work: Work


@dataclass(frozen=True)
class PreparedLaunch:
    """A kernel, the shape of its launch, and its parameters."""

    compiled: CompiledKernel
    geometry: Geometry
    parameters: bytes


class MachineOptions(TypedDict, total=False):
    """The fields of a `Machine`."""

    resident_blocks: int | None
    step_limit: int
    warp_seed: int | None
    choices: Choices | None
    late: bool
    races: bool
    weak: bool
    output: TextIO | None
    watch: Watch | None


@dataclass(frozen=True)
class Machine:
    """Runs the blocks of launches.

    At most `resident_blocks` run at once. The default is a number that runs fast, higher if blocks
    may wait for others. If the kernel cancels launches, the default is a quarter of the grid, so
    that some blocks are left to cancel. `step_limit` bounds the instructions issued. With a
    `warp_seed` every warp runs alone, in a random order. A kernel that relies on warps taking turns
    then fails. `choices` determine the order instead (see `explore`). If `late`, asynchronous work
    is delayed as long as the kernel allows. With `races`, unordered accesses to shared and global
    memory are errors, and a launch is a few times slower. `weak` implies `races`. With `weak`,
    strong loads may return older values, and strong accesses may take effect after later ones, as
    the memory model allows. `choices` or the `warp_seed` choose among these effects. The kernel
    prints to `output`, by default the standard output. `watch` limits the time of the launch,
    reports progress, and traces instructions.
    """

    resident_blocks: int | None = None
    step_limit: int = DEFAULT_STEP_LIMIT
    warp_seed: int | None = None
    choices: Choices | None = None
    late: bool = False
    races: bool = False
    weak: bool = False
    output: TextIO | None = None
    watch: Watch | None = None

    def __post_init__(self) -> None:
        if self.resident_blocks is not None and self.resident_blocks < 1:
            raise EmulatorError(f"expected at least 1 resident block, not {self.resident_blocks}")
        if self.weak and self.choices is None and self.warp_seed is None:
            raise EmulatorError(
                "`weak` needs `choices` or a `warp_seed` to choose the values that loads read"
            )

    def run(self, heap: Heap, launch: PreparedLaunch) -> LaunchStatistics:
        """Runs all blocks of a launch, with global memory in `heap`.

        Raises `EmulatorError` for every fault.
        """
        return self._run(heap, launch, self._device(heap, launch), 0)

    def run_pair(
        self, heap: Heap, first: PreparedLaunch, second: PreparedLaunch
    ) -> tuple[LaunchStatistics, LaunchStatistics]:
        """Runs two launches; the second one may start before the first one has ended.

        The first launch runs as late as possible: when a thread of the second one waits for it. So
        all work of the second launch before that wait happens before the first launch.

        Raises `EmulatorError` for every fault.
        """
        device = self._device(heap, first, second)

        @cache
        def prerequisite() -> LaunchStatistics:
            return self._run(heap, first, device, 0)

        statistics = self._run(heap, second, device, 1, prerequisite)
        return prerequisite(), statistics

    def _device(self, heap: Heap, *launches: PreparedLaunch) -> Device | None:
        if not (self.races or self.weak):
            return None
        known = [
            (launch.compiled.kernel.name, launch.compiled.sites, launch.geometry)
            for launch in launches
        ]
        return Device.of(known, heap.bytes.size)

    def _run(
        self,
        heap: Heap,
        launch: PreparedLaunch,
        device: Device | None,
        number: int,
        prerequisite: Callable[[], object] | None = None,
    ) -> LaunchStatistics:
        """Runs a launch; `prerequisite` runs the launch that it waits for, once."""
        compiled, geometry = launch.compiled, launch.geometry
        kernel, counters, work = compiled.kernel, Counters(), Work()
        random = None if self.warp_seed is None else Random(self.warp_seed)
        choices = RandomChoices(random) if random and self.choices is None else self.choices
        detector = None
        if device is not None:
            weak = choices if self.weak else None
            detector = RaceDetector(device, device.grids[number], weak)
        waits, cancels = bool(compiled.waits), kernel.cancels_launches
        waiting = Grid(geometry, self.resident_blocks, random, cancels=cancels, waits=waits)
        with np.errstate(all="ignore"), enough_memory():
            while (blocks := waiting.start()) is not None:
                batch = replace(geometry, blocks=blocks)
                parts = self._parts(compiled, batch, waiting, detector, work, prerequisite)
                memory = Memory(heap, batch, launch.parameters, kernel.local_size, parts)
                Scheduler(
                    compiled,
                    memory,
                    batch,
                    counters,
                    self.step_limit,
                    deadlock_error,
                    choices,
                    self.watch,
                    waiting.resident,
                    self._halted(compiled, choices),
                ).run()
                if self.watch is not None:
                    self.watch.ended += len(blocks)
                _check_freed(parts.tensor_memory, blocks)
        return LaunchStatistics(
            math.prod(geometry.grid),
            geometry.threads,
            counters.instructions,
            counters.lane_instructions,
            counters.basic_blocks,
            counters.branches_split,
            counters.barriers,
            waiting.canceled,
            waiting.resident,
            {} if detector is None else detector.traffic_by_line(),
            work,
        )

    def _halted(
        self, compiled: CompiledKernel, choices: Choices | None
    ) -> Callable[[Scheduler, ThreadGroup], EmulatorError | None] | None:
        """Returns the check for blocks that wait for ever, if it applies."""
        # In other modes threads do not repeat what they did.
        if not compiled.waits or choices is not None or self.late or self.weak:
            return None
        return partial(standstill_error, Standstill(compiled.waits))

    def _parts(
        self,
        compiled: CompiledKernel,
        batch: Geometry,
        waiting: Grid,
        detector: RaceDetector | None,
        work: Work,
        prerequisite: Callable[[], object] | None,
    ) -> Parts:
        """The parts of a batch of resident blocks besides its state spaces."""
        blocks, warps = len(batch.blocks), batch.columns // WARP_SIZE
        launched = next(iter(compiled.kernel.directives.get("maxnreg", ())), None)
        return Parts(
            Clusters.of(batch),
            ClusterBarrier(batch),
            waiting,
            RegisterPool(launched, blocks, warps),
            TensorMemory(blocks),
            LateWork(blocks, batch.columns) if self.late else None,
            detector,
            self.output or sys.stdout,
            prerequisite,
            work,
        )


@contextmanager
def enough_memory() -> Generator[None]:
    """Raises `EmulatorError` if there is not enough memory for a launch."""
    try:
        yield
    except MemoryError:
        raise EmulatorError("the launch needs more memory than is available") from None


def _check_freed(memory: TensorMemory, blocks: Array) -> None:
    """Raises `EmulatorError` for a block that ends without freeing its tensor memory."""
    for number, block in enumerate(blocks.tolist()):
        if count := memory.unfreed(number):
            x, y, z = block
            raise EmulatorError(
                f"the block ends without deallocating its {count} columns of tensor memory",
                location=ThreadLocation((x, y, z), 0, 0),
            )
