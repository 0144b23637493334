"""Timed items: all contenders of a problem on the same fresh data, one launch each by turns."""

from __future__ import annotations

import ctypes
import math
import statistics
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench.pack.runner.checks import arrays_on, release
from bench.pack.runner.competitors import find_torch, keep_result, operations
from bench.pack.runner.device import Device, DriverDevice
from bench.pack.runner.driver import DriverError
from bench.pack.runner.formats import as_doubles, storage_of
from bench.pack.runner.memory import Pack, Placed
from bench.pack.runner.references import REFERENCES, Segment

WARM_UPS, ROUNDS = 3, 20
LEAST_ROUNDS, MOST_SECONDS = 5, 4.0
"""After so many seconds no further round begins, but there are some in any case."""

FLUSHED_BYTES = 256 << 20
"""Written before every launch that is timed, so that inputs come from memory, not from a cache."""

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
            done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
            numbers = [float(text) for text in done.stdout.splitlines()[0].split(",")]
        except (OSError, subprocess.SubprocessError, ValueError, IndexError):
            return {}
        return dict(zip(("sm", "memory"), numbers, strict=True))


def _check(
    device: Device, output: Placed, segments: Sequence[Segment], tolerance: float
) -> str | None:
    """What is wrong with the sampled elements of an output, if anything."""
    itemsize = storage_of(output.dtype).itemsize
    for segment in segments:
        got = np.zeros(len(segment.expected), storage_of(output.dtype))
        device.download(output.address + segment.start * itemsize, got)
        values = as_doubles(got, output.dtype)
        scale = float(np.sqrt(np.mean(segment.expected**2))) or 1.0
        off = np.abs(values - segment.expected) / (np.abs(segment.expected) + scale)
        if not (off <= tolerance).all():
            worst = float(np.nanmax(off)) if not np.isnan(off).all() else math.nan
            return f"element {segment.start} and its neighbours are up to {worst:.2g} off"
    return None


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
    """Measures the contenders of an item that are right; medians in seconds.

    `report` gets the name of a contender before anything of it runs. Those of `without`, which have
    failed before, are left alone. Without any contender that runs the item is refused.
    """
    seed = int(np.random.default_rng().integers(1 << 31))
    with arrays_on(device, pack, item, seed) as (placed, filled, _):
        output = placed[item["output"]]
        reference = REFERENCES[item["reference"]]
        present = [each for each in filled[: item["inputs"]] if each is not None]
        segments: list[Segment] = []
        if device.computes:
            segments = reference(present, item["settings"], np.random.default_rng(seed))
        starts, found = _prepared(device, item, placed, without, report)
        timed: dict[str, Callable[[], None]] = {}
        for who, start in starts.items():
            device.fill(output.address, 0xFF, output.bytes)
            report(who)
            start()
            device.wait(timeout)
            problem = _check(device, output, segments, item["tolerance"])
            found[who] = {"wrong": problem} if problem else {}
            if not problem:
                timed[who] = start
        clocks = Clocks() if device.has_clock and device.computes else None
        before = clocks.read() if clocks else {}
        for who, times in _interleaved(device, timed, timeout, report).items():
            found[who] = {"seconds": statistics.median(times), "best": min(times)}
            found[who]["runs"] = len(times)
        after = clocks.read() if clocks else {}
    status = "measured" if device.computes else "dry"
    if not starts:
        status = "refused"
    ours_wrong = any("wrong" in found[who] for who in starts if who in item["ours"])
    described = {key: item[key] for key in ("work", "unit", "title", "chosen") if key in item}
    return {
        "status": "wrong" if ours_wrong else status,
        "contenders": found,
        "seed": seed,
        "clocks": [before, after],
        **described,
    }


def _prepared(
    device: Device,
    item: dict[str, Any],
    placed: Sequence[Placed],
    without: frozenset[str],
    report: Callable[[str], None],
) -> tuple[dict[str, Callable[[], None]], dict[str, dict[str, Any]]]:
    """How each contender is started, and why others cannot be."""
    starts: dict[str, Callable[[], None]] = {}
    refused: dict[str, dict[str, Any]] = {}
    for contender in item["contenders"]:
        if contender["who"] in without:
            continue
        report(contender["who"])
        try:
            starts[contender["who"]] = device.prepare(contender, placed)
        except DriverError as error:
            refused[contender["who"]] = {"refused": str(error)}
    if not isinstance(device, DriverDevice) or not device.computes or not item.get("torch"):
        return starts, refused
    torch = find_torch()
    if isinstance(torch, str):
        return starts, {**refused, "torch": {"refused": torch}}
    output, api = placed[item["output"]], device.api
    prepared, lacking = operations(torch, api, item, placed[: item["inputs"]], without, report)
    refused |= {who: {"refused": why} for who, why in lacking.items()}
    return starts | {who: _first_kept(api, o, output) for who, o in prepared.items()}, refused


def _first_kept(api: Any, operation: Callable[[], Any], output: Placed) -> Callable[[], None]:
    """An operation whose first result is copied to where it is checked."""
    pending = [True]

    def start() -> None:
        result = operation()
        if pending.pop() if pending else False:
            keep_result(api, result, output)

    return start


def _interleaved(
    device: Device,
    starts: dict[str, Callable[[], None]],
    timeout: float,
    report: Callable[[str], None],
) -> dict[str, list[float]]:
    """The times of all contenders, a launch of each in every round."""
    times: dict[str, list[float]] = {who: [] for who in starts}
    flushed = device.allocate(FLUSHED_BYTES) if device.has_clock else None
    try:
        for who, start in starts.items():
            report(who)
            for _ in range(WARM_UPS if device.has_clock else 0):
                start()
            device.wait(timeout)
        begun = device.clock.now()
        for number in range(ROUNDS if device.has_clock else 1):
            if number >= LEAST_ROUNDS and device.clock.now() - begun > MOST_SECONDS:
                break
            for who, start in starts.items():
                if flushed is not None:
                    device.fill(flushed, number & 0xFF, FLUSHED_BYTES)
                report(who)
                times[who].append(device.seconds(start, timeout))
    finally:
        release(device, [] if flushed is None else [flushed])
    return times
