"""Timed items, on a device in the memory of this process whose kernels copy an array."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bench.pack.runner.clock import Clock, WallClock
from bench.pack.runner.device import DeviceLost
from bench.pack.runner.driver import DriverError
from bench.pack.runner.memory import Placed
from bench.pack.runner.timing import ROUNDS, run_timed

ELEMENTS, L2_BYTES = 256, 3000
SECONDS = 1e-4


class Host:
    """See Device. The kernels are `right`, `slow`, `wrong`, `refused`, and `eager` without graphs."""

    computes = has_clock = True

    def __init__(self) -> None:
        self.memory = np.zeros(1 << 16, np.uint8)
        self.clock: Clock = WallClock()
        self.free_from = self.live = 0
        self.read: list[tuple[int, bool]] = []
        """The addresses that kernels have read, and which of them was slow."""
        self.captures = False
        self.graphs: list[list[tuple[int, bool]]] = []

    def describe(self) -> dict[str, Any]:
        return {}

    def allocate(self, size: int) -> int:
        self.free_from, self.live = self.free_from + size, self.live + 1
        return self.free_from - size

    def free(self, address: int) -> None:
        self.live -= 1

    def upload(self, address: int, data: Any) -> None:
        self.memory[address : address + data.nbytes] = data.view(np.uint8)

    def download(self, address: int, data: Any) -> None:
        data.view(np.uint8)[:] = self.memory[address : address + data.nbytes]

    def copy(self, to: int, address: int, size: int) -> None:
        self.memory[to : to + size] = self.memory[address : address + size]

    def fill(self, address: int, byte: int, size: int) -> None:
        self.memory[address : address + size] = byte

    def prepare(self, launch: dict[str, Any], arrays: Sequence[Placed]) -> Callable[[], None]:
        if launch["kernel"] == "refused":
            raise DriverError("cuModuleLoadData", "CUDA_ERROR_INVALID_IMAGE")
        x, out = arrays

        def start() -> None:
            self.read.append((x.address, launch["kernel"] == "slow"))
            self.copy(out.address, x.address, x.bytes)
            if launch["kernel"] == "wrong":
                self.memory[out.address + x.bytes - 1] ^= 64
            if launch["kernel"] == "eager" and self.captures:
                raise DriverError("cuLaunchKernel", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED")

        return start

    def wait(self, timeout: float) -> None:
        assert timeout == 1.0

    @contextmanager
    def captured(self, work: Callable[[], None]) -> Generator[Callable[[], None]]:
        seen, self.captures = len(self.read), True
        try:
            work()
        finally:
            self.captures = False
        graph = self.read[seen:]
        self.graphs.append(graph)
        yield lambda: self.read.extend(graph)

    def seconds(self, work: Callable[[], None], timeout: float) -> float:
        seen = len(self.read)
        work()
        return SECONDS * sum(100 if slow else 1 for _, slow in self.read[seen:])


def item(*kernels: str) -> dict[str, Any]:
    size = 4 * ELEMENTS
    array = {"offset": 0, "dtype": "float32", "shape": [2, ELEMENTS // 2], "strides": [512, 4]}
    fill = {"normal": 1.0, "dtype": "float32", "elements": ELEMENTS}
    return {
        "regions": [{"bytes": size, "fill": fill}, {"bytes": size}],
        "arrays": [{**array, "region": 0}, {**array, "region": 1}],
        "inputs": 2,
        "outputs": [1],
        "contenders": [{"who": kernel, "kernel": kernel} for kernel in kernels],
        "ours": ["right", "ours"],
        "reference": "copy",
        "settings": {"inputs": 1},
        "tolerance": 0.0,
    }


PACK: Any = SimpleNamespace(manifest={"limits": {"l2_bytes": L2_BYTES}})


def timed(device: Host, *kernels: str, without: Sequence[str] = ()) -> tuple[dict[str, Any], Any]:
    reported: list[str] = []
    result = run_timed(device, PACK, item(*kernels), 1.0, frozenset(without), reported.append)
    assert device.live == 0
    return result, reported


def test_launches_rotate_over_copies_beyond_twice_the_cache() -> None:
    device = Host()
    result, reported = timed(device, "right")
    copies = result["copies"]
    assert copies == 2 * L2_BYTES // (4 * ELEMENTS) + 1
    (graph,) = device.graphs
    assert len(set(graph[:copies])) == copies
    assert graph == graph[:copies] * (len(graph) // copies)
    # A graph takes two milliseconds or more.
    assert len(graph) >= 20
    found = result["contenders"]["right"]
    assert found["seconds"] == pytest.approx(SECONDS)
    assert found["quartiles"] == pytest.approx([SECONDS, SECONDS])
    assert (found["runs"], found["launches"]) == (ROUNDS, len(graph))
    assert (result["status"], set(reported)) == ("measured", {"right"})


def test_a_slow_contender_runs_once() -> None:
    found = timed(Host(), "right", "slow")[0]["contenders"]
    assert (found["right"]["runs"], found["slow"]["runs"]) == (ROUNDS, 1)
    assert found["slow"]["seconds"] == pytest.approx(100 * SECONDS)


def test_what_becomes_of_contenders() -> None:
    result, reported = timed(Host(), "right", "wrong", "refused", "eager")
    found = result["contenders"]
    assert "seconds" in found["right"]
    assert found["wrong"].keys() == {"wrong"}
    assert found["refused"] == {"refused": "cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE"}
    assert found["eager"]["refused"].startswith("no graph: cuLaunchKernel")
    assert result["status"] == "measured"
    assert list(dict.fromkeys(reported)) == ["right", "wrong", "refused", "eager"]


class Losing(Host):
    """A device that the kernel `refused` takes with it."""

    lost = False

    def prepare(self, launch: dict[str, Any], arrays: Sequence[Placed]) -> Callable[[], None]:
        self.lost |= launch["kernel"] == "refused"
        return super().prepare(launch, arrays)

    def wait(self, timeout: float) -> None:
        if self.lost:
            raise DeviceLost("fault", "CUDA_ERROR_ILLEGAL_ADDRESS")


def test_a_refusal_that_costs_the_device_is_a_fault() -> None:
    reported: list[str] = []
    with pytest.raises(DeviceLost, match="ILLEGAL_ADDRESS"):
        run_timed(Losing(), PACK, item("right", "refused", "wrong"), 1.0, report=reported.append)
    assert reported[-1] == "refused"


def test_those_that_failed_before_are_not_touched() -> None:
    device = Host()
    result, reported = timed(device, "right", "wrong", without=["right"])
    assert reported == ["wrong"] * len(reported)
    assert result["contenders"].keys() == {"wrong"}


def test_an_item_of_which_nothing_runs_is_refused() -> None:
    assert timed(Host(), "refused")[0]["status"] == "refused"
    assert timed(Host(), "right", without=["right"])[0]["status"] == "refused"


def test_ours_is_wrong() -> None:
    changed = {**item("wrong", "right"), "ours": ["wrong"]}
    assert run_timed(Host(), PACK, changed, 1.0)["status"] == "wrong"
