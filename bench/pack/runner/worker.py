"""The process that has the device: it runs one item after the other, as it is told.

A fault or a kernel that hangs takes the device with it, so the process ends after it has said so.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

from bench.pack.runner.checks import arrays_on, run_approximation, run_fact, run_launch, run_reading
from bench.pack.runner.device import Device, DeviceLost, DriverDevice, NoDevice
from bench.pack.runner.driver import DriverError, open_api
from bench.pack.runner.emulation import EmulatorDevice
from bench.pack.runner.fake import FakeApi
from bench.pack.runner.memory import Pack
from bench.pack.runner.results import PackError
from bench.pack.runner.timing import run_timed

GPU, EMULATOR, FAKE = "gpu", "emulator", "fake"
DEVICES = (GPU, EMULATOR, FAKE)
EMULATED_GROUPS = ("a", "b", "c", "r")

RUNNERS: dict[str, Any] = {
    "launch": run_launch,
    "fact": run_fact,
    "approximation": run_approximation,
    "reading": run_reading,
    "time": run_timed,
}
"""What runs each kind of item; the other kinds need no device of their own."""


def open_device(pack: Pack, device: str, rehearse: str) -> Device:
    """The device that items run on; raises NoDevice or DriverError, in one line."""
    if device == EMULATOR:
        return EmulatorDevice(pack)
    if device == FAKE:
        capability, limits = (pack.manifest[key] for key in ("compute_capability", "limits"))
        api = FakeApi(pack.kernels_of_image, capability, limits, rehearse)
        return DriverDevice(api, pack, computes=False)
    return DriverDevice(open_api(), pack)


def why_not(item: dict[str, Any], device: str) -> str | None:
    """Why a device does not run an item."""
    if device != EMULATOR:
        return None
    if item["group"] not in EMULATED_GROUPS:
        return "the emulator has no clock"
    if item.get("who", "ours") != "ours":
        return "the emulator runs PTX, and there is none of another compiler's kernels"
    return None


def run_item(
    device: Device, pack: Pack, item: dict[str, Any], **options: Any
) -> tuple[dict[str, Any], bool]:
    """The result of an item, and whether the device can go on.

    `options` are those of timed items: `without` these contenders, and `report` who runs.
    """
    given = options if item["kind"] == "time" else {}
    try:
        return RUNNERS[item["kind"]](device, pack, item, item["seconds"], **given), True
    except DeviceLost as lost:
        return {"status": lost.status, "detail": str(lost)}, False
    except (DriverError, PackError) as error:
        return {"status": "refused", "detail": str(error)}, True


def serve(pack: Pack, device: str, rehearse: str, orders: TextIO, answers: TextIO) -> int:
    """Runs what is ordered, a line of JSON each: an `item`, `without` these contenders.

    Lines of JSON answer: `at`, a contender of which something runs now, any number of times, and
    then the result.
    """

    def answer(value: dict[str, Any]) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    try:
        opened = open_device(pack, device, rehearse)
        answer({"device": opened.describe()})
    except (NoDevice, DriverError, PackError) as error:
        answer({"no_device": str(error)})
        return 1

    def report(who: str) -> None:
        answer({"at": who})

    for line in orders:
        order = json.loads(line)
        item, without = pack.items[order["item"]], frozenset(order["without"])
        result, goes_on = run_item(opened, pack, item, without=without, report=report)
        answer(result if goes_on else {**result, "lost": True})
        if not goes_on:
            # Nothing can be given back to a device that is lost.
            os._exit(2)
    return 0


def run_alone(pack: Pack, names: list[str]) -> int:
    """Runs items in this process, for a tool that watches it; their names go to standard output."""
    device = open_device(pack, GPU, "")
    for name in names:
        # A pack of some units may lack what a tool is to watch.
        item = pack.items.get(name)
        if item is None:
            continue
        print(f"item {name}", flush=True)
        if item["kind"] == "profile":
            with arrays_on(device, pack, item, 0) as (placed, _, _):
                device.prepare(item["launch"], placed)()
                device.wait(item["seconds"])
            continue
        result, goes_on = run_item(device, pack, item)
        if not goes_on:
            print(f"ended: {result['detail']}", file=sys.stderr)
            return 2
    return 0
