"""The process that has the device: it runs one item after the other, as it is told.

A fault or a kernel that hangs takes the device with it, so the process ends after it has said so.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

from bench.pack.runner.checks import (
    arrays_on,
    run_approximation,
    run_fact,
    run_launch,
    run_litmus,
    run_reading,
)
from bench.pack.runner.clock import Clock, SimulatedClock, WallClock
from bench.pack.runner.costs import Costs, contenders_of, host_seconds, kernel_seconds, launches_of
from bench.pack.runner.device import Device, DeviceLost, DriverDevice, NoDevice
from bench.pack.runner.driver import DriverError, open_api
from bench.pack.runner.emulation import EmulatorDevice
from bench.pack.runner.fake import FakeApi, Rehearsal
from bench.pack.runner.memory import Pack
from bench.pack.runner.rehearsal import place_of
from bench.pack.runner.results import PackError
from bench.pack.runner.timing import run_timed

GPU, EMULATOR, FAKE = "gpu", "emulator", "fake"
DEVICES = (GPU, EMULATOR, FAKE)
EMULATED_GROUPS = ("a", "b", "c", "r", "l")

CLOCKS: dict[str, Callable[[], Clock]] = {
    GPU: WallClock,
    EMULATOR: WallClock,
    FAKE: SimulatedClock,
}


def run_once(device: Device, pack: Pack, item: dict[str, Any], timeout: float) -> dict[str, Any]:
    """Runs the kernel of an item for a tool that watches it."""
    with arrays_on(device, pack, item, 0) as (placed, _, _):
        device.prepare(item["launch"], placed)()
        device.wait(timeout)
    return {"status": "dry"}


RUNNERS: dict[str, Any] = {
    "launch": run_launch,
    "fact": run_fact,
    "approximation": run_approximation,
    "reading": run_reading,
    "litmus": run_litmus,
    "time": run_timed,
    "profile": run_once,
}
"""What runs each kind of item; `sanitize` runs others again."""


def open_device(pack: Pack, device: str, rehearse: str, clock: Clock) -> Device:
    """The device that items run on; raises NoDevice or DriverError, in one line."""
    if device == EMULATOR:
        return EmulatorDevice(pack)
    if device == FAKE:
        costs = Costs.corrected(pack.manifest.get("costs", {})).table
        seconds = {
            (place_of(launch), *launch["grid"]): kernel_seconds(item, launch, costs)
            for item in pack.manifest["items"]
            for launch in launches_of(item)
        }
        capability, limits = (pack.manifest[key] for key in ("compute_capability", "limits"))
        rehearsal = Rehearsal.parse(rehearse)
        api = FakeApi(pack.known, capability, limits, rehearsal, clock, costs, seconds)
        return DriverDevice(api, pack, computes=False, clock=clock)
    return DriverDevice(open_api(), pack)


def why_not(item: dict[str, Any], device: str) -> str | None:
    """Why a device does not run an item."""
    if device == GPU:
        return None
    if item["kind"] == "sanitize":
        return "only a GPU has tools to watch it"
    if device != EMULATOR:
        return None
    if item["group"] not in EMULATED_GROUPS:
        return "the emulator has no clock"
    if item.get("who", "ours") != "ours":
        return "the emulator runs PTX, and there is none of another compiler's kernels"
    return None


def run_item(
    device: Device, pack: Pack, item: dict[str, Any], timeout: float, **options: Any
) -> tuple[dict[str, Any], bool]:
    """The result of an item, and whether the device can go on.

    `options` are for items of several contenders: `without` these, and `report` who runs.
    """
    given = options if contenders_of(item) else {}
    try:
        return RUNNERS[item["kind"]](device, pack, item, timeout, **given), True
    except DeviceLost as lost:
        return {"status": lost.status, "detail": str(lost)}, False
    except (DriverError, PackError) as error:
        return {"status": "refused", "detail": str(error), "ended": True}, True


def serve(
    pack: Pack, device: str, rehearse: str, orders: TextIO, answers: TextIO, *, has_torch: bool
) -> int:
    """Runs what is ordered, a line of JSON each.

    The first order opens the device, so that a process can be ready before it is needed. The others
    name an `item`, the `seconds` that a kernel may take, and contenders to do `without`. Lines of
    JSON answer: `at`, a contender of which something runs now, any number of times, and then the
    result. Each has what was `spent` on a clock that is charged.
    """
    clock = CLOCKS[device]()
    costs = Costs.corrected(pack.manifest.get("costs", {})).table
    begun = clock.now()

    def answer(value: dict[str, Any]) -> None:
        answers.write(json.dumps({**value, "spent": clock.spent()}) + "\n")
        answers.flush()

    def report(who: str) -> None:
        answer({"at": who})

    if has_torch:
        # Where it cannot be imported, the first item that needs it says why.
        with contextlib.suppress(ImportError, OSError, RuntimeError):
            importlib.import_module("torch")
    clock.charge(costs["start" if has_torch else "bare_start"])
    answer({"ready": clock.now() - begun})
    opened: Device | None = None
    for line in orders:
        order = json.loads(line)
        if opened is None:
            try:
                opened = open_device(pack, device, rehearse, clock)
            except (NoDevice, DriverError, PackError) as error:
                answer({"no_device": str(error)})
                return 1
            clock.charge(costs["open"])
            answer({"device": opened.describe()})
            continue
        item, without = pack.items[order["item"]], frozenset(order["without"])
        clock.charge(host_seconds(item, costs))
        seconds = order["seconds"]
        result, goes_on = run_item(opened, pack, item, seconds, without=without, report=report)
        answer(result if goes_on else {**result, "lost": True})
        if not goes_on:
            # Nothing can be given back to a device that is lost.
            os._exit(2)
    return 0


def run_alone(pack: Pack, names: list[str]) -> int:
    """Runs items in this process, for a tool that watches it; their names go to standard output."""
    device = open_device(pack, GPU, "", WallClock())
    for name in names:
        # A pack of some units may lack what a tool is to watch.
        item = pack.items.get(name)
        if item is None:
            continue
        print(f"item {name}", flush=True)
        result, goes_on = run_item(device, pack, item, item["seconds"])
        if not goes_on:
            print(f"ended: {result['detail']}", file=sys.stderr)
            return 2
    return 0
