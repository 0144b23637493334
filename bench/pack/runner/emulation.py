"""The emulator as a device: all that is imported of `tileir_xdsl`, and only if it is asked for."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.pack.runner.clock import Clock, WallClock
from bench.pack.runner.device import DeviceLost
from bench.pack.runner.driver import DriverError
from bench.pack.runner.formats import Array
from bench.pack.runner.memory import Pack, Placed

EMULATOR_ALIGNMENT = 256


@dataclass
class EmulatorDevice:
    """See Device. A launch is over when it returns; blocks are those that the PTX requires."""

    pack: Pack
    computes: bool = True
    has_clock: bool = False
    clock: Clock = field(default_factory=WallClock)
    regions: dict[int, Array] = field(default_factory=lambda: dict[int, Array]())
    modules: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    next: int = EMULATOR_ALIGNMENT

    def __post_init__(self) -> None:
        self.emulator = importlib.import_module("tileir_xdsl.emulator")
        self.types = importlib.import_module("ml_dtypes")

    def describe(self) -> dict[str, Any]:
        """See Device."""
        return {"name": "emulator"}

    def allocate(self, size: int) -> int:
        """See Device."""
        address = self.next
        self.regions[address] = np.zeros(size, np.uint8)
        self.next += (size // EMULATOR_ALIGNMENT + 2) * EMULATOR_ALIGNMENT
        return address

    def free(self, address: int) -> None:
        """See Device."""
        del self.regions[address]

    def _bytes(self, address: int) -> Array:
        start = max(each for each in self.regions if each <= address)
        return self.regions[start][address - start :]

    def upload(self, address: int, data: Array) -> None:
        """See Device."""
        self._bytes(address)[: data.nbytes] = np.ascontiguousarray(data).reshape(-1).view(np.uint8)

    def download(self, address: int, data: Array) -> None:
        """See Device."""
        data.reshape(-1).view(np.uint8)[:] = self._bytes(address)[: data.nbytes]

    def copy(self, to: int, address: int, size: int) -> None:
        """See Device."""
        self._bytes(to)[:size] = self._bytes(address)[:size]

    def fill(self, address: int, byte: int, size: int) -> None:
        """See Device."""
        self._bytes(address)[:size] = byte

    def _dtype(self, name: str) -> np.dtype[Any]:
        return np.dtype(getattr(self.types, name, None) or name)

    def _view(
        self, address: int, dtype: str, shape: Sequence[int], strides: Sequence[int]
    ) -> Array:
        # Not by `as_strided`, which does not know a format that numpy takes for one of its own.
        memory = self._bytes(address)
        return np.ndarray(tuple(shape), self._dtype(dtype), memory, 0, tuple(strides))

    def _argument(self, argument: dict[str, Any], arrays: Sequence[Placed]) -> Any:
        if "array" in argument:
            placed = arrays[argument["array"]]
            return self._view(placed.address, placed.dtype, placed.shape, placed.strides)
        if "bytes" in argument:
            data = bytes.fromhex(argument["bytes"])
            name = argument.get("dtype")
            return data if name is None else np.frombuffer(data, self._dtype(name))[0]
        made = argument["map"]
        address = arrays[made["array"]].address
        array = self._view(address, made["dtype"], made["shape"], made["strides"])
        corners = made.get("corners")
        return self.emulator.TensorMap(
            array,
            tuple(made["box"]),
            made["swizzle"],
            tuple(made["steps"]),
            made["nan"],
            None if corners is None else (tuple(corners[0]), tuple(corners[1])),
        )

    def prepare(self, launch: dict[str, Any], arrays: Sequence[Placed]) -> Callable[[], None]:
        """See Device."""
        name = launch["module"]
        if name not in self.modules:
            text = self.pack.ptx(name)
            if text is None:
                raise DriverError("launch", "the emulator runs PTX, and there is none")
            self.modules = {name: self.emulator.load(text)}
        module = self.modules[name]
        arguments = [self._argument(argument, arrays) for argument in launch["arguments"]]
        # A kernel of cuTile's launcher, which asks for one thread: it says itself how many it has.
        counted = "blocksareclusters" in module.kernel(launch["kernel"]).directives
        alone = counted and launch["block"] == [1, 1, 1]

        def start() -> None:
            try:
                module.launch(
                    launch["kernel"],
                    launch["grid"],
                    arguments,
                    dynamic_shared=launch["shared"],
                    self_contained=alone,
                    cluster=launch["cluster"] if launch.get("asks_cluster") else None,
                    output=io.StringIO(),
                )
            except self.emulator.EmulatorError as error:
                raise DeviceLost("fault", f"the kernel has failed: {error}") from error

        return start

    def wait(self, timeout: float) -> None:
        """See Device; whoever started this process sees to the limit."""

    @contextmanager
    def captured(self, work: Callable[[], None]) -> Generator[Callable[[], None]]:
        """See Device."""
        yield work

    def seconds(self, work: Callable[[], None], timeout: float) -> float:
        """See Device: seconds of the emulator, which say nothing about a GPU."""
        start = self.clock.now()
        work()
        return self.clock.now() - start
