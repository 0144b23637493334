"""Timed items: graphs of launches of all contenders of a problem on the same data, by turns."""

from __future__ import annotations

import ctypes
import math
import statistics
import subprocess
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from bench.pack.runner.checks import arrays_on, release
from bench.pack.runner.competitors import (
    TORCH_ERRORS,
    find_torch,
    first_result,
    keep_results,
    operations,
    torch_captured,
)
from bench.pack.runner.device import Device, DriverDevice
from bench.pack.runner.driver import DriverError
from bench.pack.runner.formats import as_doubles, storage_of
from bench.pack.runner.memory import Pack, Placed
from bench.pack.runner.references import REFERENCES, Segment

ROUNDS, LEAST_ROUNDS, MOST_SECONDS = 20, 5, 2.0
"""After so many seconds no further round begins, but there are some in any case."""

GRAPH_SECONDS, MOST_LAUNCHES, MOST_COPIES = 2e-3, 256, 64
"""How long a graph of launches should take, how many it may have, and on how many copies."""

SLOW = 10
"""How many times slower than the fastest a contender may be that takes part in all rounds."""

NVML_SM_CLOCK, NVML_MEMORY_CLOCK = 1, 2


class Clocks:
    """The clocks of the device in MHz, by NVML or else by `nvidia-smi`; empty where neither is."""

    def __init__(self) -> None:
        self.nvml: Any = None
        self.handle = ctypes.c_void_p()
        try:
            library = ctypes.CDLL("libnvidia-ml.so.1")
            if library.nvmlInit_v2() == 0:
                status = library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.handle))
                self.nvml = library if status == 0 else None
        except (OSError, AttributeError):
            self.nvml = None

    def read(self) -> dict[str, float]:
        """The clocks now."""
        if self.nvml is not None:
            value, found = ctypes.c_uint(), dict[str, float]()
            for name, clock in (("sm", NVML_SM_CLOCK), ("memory", NVML_MEMORY_CLOCK)):
                if self.nvml.nvmlDeviceGetClockInfo(self.handle, clock, ctypes.byref(value)) == 0:
                    found[name] = float(value.value)
            return found
        fields = ("clocks.sm", "clocks.mem")
        command = ["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"]
        try:
            done = subprocess.run(
                command, capture_output=True, encoding="utf-8", timeout=10, check=True
            )
            numbers = [float(text) for text in done.stdout.splitlines()[0].split(",")]
        except (OSError, subprocess.SubprocessError, ValueError, IndexError):
            return {}
        return dict(zip(("sm", "memory"), numbers, strict=True))


@cache
def _clocks() -> Clocks:
    return Clocks()


@contextmanager
def _copied(
    device: Device,
    item: dict[str, Any],
    placed: Sequence[Placed],
    regions: Sequence[tuple[int, int]],
    l2_bytes: int,
) -> Generator[list[list[Placed]]]:
    """The arrays of an item and copies of them, whose inputs together exceed twice the L2 cache.

    Launches that rotate over them find their inputs in memory, and nothing between them has to
    flush the cache.
    """
    outputs = {item["arrays"][number]["region"] for number in item["outputs"]}
    inputs = sum(size for number, (_, size) in enumerate(regions) if number not in outputs)
    count = min(2 * l2_bytes // max(inputs, 1) + 1, MOST_COPIES)
    copies, addresses = [list(placed)], list[int]()
    try:
        for _ in range(1, count):
            moved: list[int] = []
            for address, size in regions:
                addresses.append(device.allocate(size))
                device.copy(addresses[-1], address, size)
                moved.append(addresses[-1] - address)
            copies.append(
                [
                    replace(each, address=each.address + moved[array["region"]])
                    for each, array in zip(placed, item["arrays"], strict=True)
                ]
            )
        yield copies
    finally:
        release(device, addresses)


def _check(
    device: Device, outputs: Sequence[Placed], segments: Sequence[Segment], tolerance: float
) -> str | None:
    """What is wrong with the sampled elements of the outputs, if anything."""
    for segment in segments:
        output = outputs[segment.output]
        storage = storage_of(output.dtype)
        got = np.zeros(len(segment.expected), storage)
        device.download(output.address + segment.start * storage.itemsize, got)
        values = as_doubles(got, output.dtype)
        scale = float(np.sqrt(np.mean(segment.expected**2))) or 1.0
        off = np.abs(values - segment.expected) / (np.abs(segment.expected) + scale)
        if not (off <= tolerance).all():
            worst = float(np.nanmax(off)) if not np.isnan(off).all() else math.nan
            return f"element {segment.start} and its neighbours are up to {worst:.2g} off"
    return None


Start = Callable[[], Any]


@dataclass(frozen=True)
class Rival:
    """How a contender runs: once, for its results; on each copy; and as a graph of such starts."""

    first: Start
    starts: Sequence[Start]
    captured: Callable[[Sequence[Start]], AbstractContextManager[Start]]


@dataclass
class Timing:
    """The contenders of an item, and what is known of each."""

    device: Device
    item: dict[str, Any]
    copies: Sequence[Sequence[Placed]]
    timeout: float
    report: Callable[[str], None]
    found: dict[str, dict[str, Any]]

    @property
    def outputs(self) -> list[Placed]:
        """Where results are checked."""
        return [self.copies[0][number] for number in self.item["outputs"]]

    def prepared(self, without: frozenset[str]) -> dict[str, Rival]:
        """How each contender is started; why others cannot be is found."""
        rivals: dict[str, Rival] = {}
        for contender in self.item["contenders"]:
            who = contender["who"]
            if who in without:
                continue
            self.report(who)
            try:
                starts = [_in_order(self.device, contender, placed) for placed in self.copies]
            except DriverError as error:
                self._refuse(who, str(error))
                continue
            rivals[who] = Rival(starts[0], starts, self._captured)
        device = self.device
        if isinstance(device, DriverDevice) and device.computes and self.item.get("torch"):
            rivals |= self._of_torch(device, without)
        return rivals

    def _refuse(self, who: str, why: str) -> None:
        """Notes why a contender does not run; raises DeviceLost where the device is lost too."""
        self.device.wait(self.timeout)
        self.found[who] = {"refused": why}

    def _captured(self, starts: Sequence[Start]) -> AbstractContextManager[Start]:
        return self.device.captured(lambda: _start_all(starts))

    def _of_torch(self, device: DriverDevice, without: frozenset[str]) -> dict[str, Rival]:
        torch = find_torch()
        if isinstance(torch, str):
            self.found["torch"] = {"refused": torch}
            return {}

        def report(who: str) -> None:
            # A fault of the one before is found before the next one is named.
            device.wait(self.timeout)
            self.report(who)

        prepared, lacking = operations(torch, self.item, self.copies, without, report)
        for who, why in lacking.items():
            self._refuse(who, why)

        def rival(starts: Sequence[Start]) -> Rival:
            def first() -> None:
                keep_results(device.api, first_result(torch, starts[0]), self.outputs)

            return Rival(first, starts, lambda those: torch_captured(torch, those))

        return {who: rival(starts) for who, starts in prepared.items()}

    def right(self, rivals: dict[str, Rival], segments: Sequence[Segment]) -> dict[str, Rival]:
        """The contenders whose results are right."""
        kept: dict[str, Rival] = {}
        for who, rival in rivals.items():
            self.report(who)
            for output in self.outputs:
                self.device.fill(output.address, 0xFF, output.bytes)
            self.device.wait(self.timeout)
            rival.first()
            self.device.wait(self.timeout)
            problem = _check(self.device, self.outputs, segments, self.item["tolerance"])
            if problem:
                self.found[who] = {"wrong": problem}
            else:
                kept[who] = rival
        return kept

    def measure(self, rivals: dict[str, Rival]) -> list[dict[str, float]]:
        """Times the contenders by turns; the clocks before and after."""
        device, replays = self.device, dict[str, Start]()
        with ExitStack() as graphs:
            launches = 0
            for who, rival in rivals.items():
                self.report(who)
                if not launches:
                    seconds = device.seconds(rival.starts[-1], self.timeout)
                    launches = _launches(seconds, len(self.copies)) if device.has_clock else 1
                starts = [rival.starts[i % len(rival.starts)] for i in range(launches)]
                try:
                    replays[who] = graphs.enter_context(rival.captured(starts))
                except (DriverError, *TORCH_ERRORS) as error:
                    self._refuse(who, f"no graph: {' '.join(str(error).split())[:200]}")
            before = self._busy_clocks(replays)
            for who, times in self._rounds(replays).items():
                self.found[who] = _described([each / launches for each in times], launches)
            return [before, self._busy_clocks(replays)]

    def _busy_clocks(self, replays: dict[str, Start]) -> dict[str, float]:
        """The clocks while the first graph runs, untimed."""
        found: dict[str, float] = {}
        for who, replay in [*replays.items()][:1]:
            self.report(who)
            replay()
            if self.device.has_clock and self.device.computes:
                found = _clocks().read()
            self.device.wait(self.timeout)
        return found

    def _rounds(self, replays: dict[str, Start]) -> dict[str, list[float]]:
        """The times of all graphs, one of each in every round; of slow ones the first alone."""
        times: dict[str, list[float]] = {}
        for who, replay in replays.items():
            self.report(who)
            times[who] = [self.device.seconds(replay, self.timeout)]
        limit = SLOW * min((first for (first,) in times.values()), default=0.0)
        steady = {who: replay for who, replay in replays.items() if times[who][0] <= limit}
        # Graphs are slower when they run for the first time.
        times |= {who: [] for who in steady}
        begun = self.device.clock.now()
        for number in range(ROUNDS if self.device.has_clock else 1):
            if number >= LEAST_ROUNDS and self.device.clock.now() - begun > MOST_SECONDS:
                break
            for who, replay in steady.items():
                self.report(who)
                times[who].append(self.device.seconds(replay, self.timeout))
        return times


def _in_order(device: Device, contender: dict[str, Any], placed: Sequence[Placed]) -> Start:
    """What starts all kernels of a contender."""
    launches = (contender, *contender.get("then", ()))
    starts = [device.prepare(launch, placed) for launch in launches]
    return starts[0] if len(starts) == 1 else lambda: _start_all(starts)


def _start_all(starts: Sequence[Start]) -> None:
    for start in starts:
        start()


def _launches(seconds: float, copies: int) -> int:
    """How many launches a graph has: as many on each copy."""
    wanted = min(math.ceil(GRAPH_SECONDS / max(seconds, 1e-9)), MOST_LAUNCHES)
    return math.ceil(wanted / copies) * copies


def _described(times: Sequence[float], launches: int) -> dict[str, Any]:
    """The seconds of a launch: median, quartiles and the least, to four digits."""
    low, high = (float(each) for each in np.quantile(times, (0.25, 0.75)))
    short = [float(f"{each:.4g}") for each in (statistics.median(times), min(times), low, high)]
    return {
        "seconds": short[0],
        "best": short[1],
        "quartiles": short[2:],
        "runs": len(times),
        "launches": launches,
    }


def _silent(_who: str) -> None:
    """Where nobody has to know which contender is running."""


def run_timed(
    device: Device,
    pack: Pack,
    item: dict[str, Any],
    timeout: float,
    without: frozenset[str] = frozenset(),
    report: Callable[[str], None] = _silent,
) -> dict[str, Any]:
    """Measures the contenders of an item that are right: seconds of a launch without its overhead.

    `report` gets the name of a contender before anything of it runs. Those of `without`, which have
    failed before, are left alone. Without any contender that runs the item is refused.
    """
    seed = int(np.random.default_rng().integers(1 << 31))
    l2_bytes = pack.manifest["limits"]["l2_bytes"]
    with (
        arrays_on(device, pack, item, seed) as (placed, filled, regions),
        _copied(device, item, placed, regions, l2_bytes) as copies,
    ):
        present = [each for each in filled[: item["inputs"]] if each is not None]
        segments: list[Segment] = []
        if device.computes:
            reference = REFERENCES[item["reference"]]
            segments = reference(present, item["settings"], np.random.default_rng(seed))
        timing = Timing(device, item, copies, timeout, report, {})
        rivals = timing.prepared(without)
        clocks = timing.measure(timing.right(rivals, segments))
    found = timing.found
    status = "measured" if device.computes else "dry"
    if not any("seconds" in each or "wrong" in each for each in found.values()):
        status = "refused"
    if any("wrong" in found.get(who, {}) for who in item["ours"]):
        status = "wrong"
    described = {key: item[key] for key in ("work", "unit", "title", "chosen") if key in item}
    return {
        "status": status,
        "contenders": found,
        "seed": seed,
        "copies": len(copies),
        "clocks": clocks,
        **described,
    }
