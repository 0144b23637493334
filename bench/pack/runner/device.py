"""What runs items: a GPU, or the fake driver, through the calls of the driver."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from bench.pack.runner.clock import Clock, WallClock
from bench.pack.runner.driver import (
    ATTRIBUTES,
    DYNAMIC_SHARED_ATTRIBUTE,
    MAP_SWIZZLES,
    MAP_TYPES,
    NON_PORTABLE_CLUSTER_ATTRIBUTE,
    NOT_FOUND,
    NOT_READY,
    RELAXED_CAPTURE,
    Api,
    DriverError,
    MapFields,
    cluster_config,
)
from bench.pack.runner.formats import Array, storage_of
from bench.pack.runner.memory import Pack, Placed

STATIC_SHARED_BYTES = 48 * 1024
PORTABLE_BLOCKS = 8
OLDEST_DRIVER = 12030
"""The first version that has all calls that kernels of sm_90a need (CUDA 12.3)."""


class DeviceLost(RuntimeError):
    """A kernel has hung or failed, and nothing more can be done in this process."""

    def __init__(self, status: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class NoDevice(RuntimeError):
    """Why nothing can run on this machine, in one line."""


class Device(Protocol):
    """Where items run. Addresses are numbers; arguments are those of the manifest."""

    computes: bool
    """Whether results mean anything."""
    has_clock: bool
    """Whether times mean anything."""
    clock: Clock
    """The time that limits count by."""

    def describe(self) -> dict[str, Any]:
        """What results are to be read with."""
        ...

    def allocate(self, size: int) -> int:
        """The address of new memory."""
        ...

    def free(self, address: int) -> None:
        """Gives memory back."""
        ...

    def upload(self, address: int, data: Array) -> None:
        """Copies to the device."""
        ...

    def download(self, address: int, data: Array) -> None:
        """Copies from the device."""
        ...

    def copy(self, to: int, address: int, size: int) -> None:
        """Copies bytes from one place of the device to another one."""
        ...

    def fill(self, address: int, byte: int, size: int) -> None:
        """Sets bytes."""
        ...

    def prepare(self, launch: dict[str, Any], arrays: Sequence[Placed]) -> Callable[[], None]:
        """Loads a kernel and packs its arguments; what is returned starts it."""
        ...

    def wait(self, timeout: float) -> None:
        """Until all work is done; raises DeviceLost."""
        ...

    def captured(self, work: Callable[[], None]) -> AbstractContextManager[Callable[[], None]]:
        """What starts at once all that `work` starts; raises DriverError where that cannot be."""
        ...

    def seconds(self, work: Callable[[], None], timeout: float) -> float:
        """How long the device is busy with what `work` starts."""
        ...


@dataclass
class DriverDevice:
    """See Device."""

    api: Api
    pack: Pack
    computes: bool = True
    has_clock: bool = True
    clock: Clock = field(default_factory=WallClock)
    modules: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    images: list[Any] = field(default_factory=list[Any])
    stream: Any = 0
    """What launches and fillings go to: the default stream, or one that is captured."""

    def __post_init__(self) -> None:
        try:
            self.api.call("cuInit", 0)
            if self.api.call("cuDeviceGetCount") < 1:
                raise NoDevice("no GPU: the driver knows no device")
        except DriverError as error:
            raise NoDevice(f"no GPU: {error}") from error
        context = self.api.call("cuDevicePrimaryCtxRetain", 0)
        self.api.call("cuCtxSetCurrent", context)
        version, found = self.api.call("cuDriverGetVersion"), self._attributes()
        capability = f"{found['major']}.{found['minor']}"
        wanted = self.pack.manifest["compute_capability"]
        if capability != wanted:
            name = self.api.device_name()
            raise NoDevice(
                f"another GPU: {name} has compute capability {capability}, the pack is for {wanted}"
            )
        if version < OLDEST_DRIVER:
            raise NoDevice(
                f"an old driver: it knows CUDA {version // 1000}.{version % 1000 // 10}, "
                f"the pack needs {OLDEST_DRIVER // 1000}.{OLDEST_DRIVER % 1000 // 10}"
            )

    def _attributes(self) -> dict[str, int]:
        number = self.api.call("cuDeviceGet", 0)
        return {
            name: self.api.call("cuDeviceGetAttribute", attribute, number)
            for name, attribute in ATTRIBUTES.items()
        }

    def describe(self) -> dict[str, Any]:
        """See Device."""
        total = self.api.call("cuDeviceTotalMem_v2", self.api.call("cuDeviceGet", 0))
        return {
            "name": self.api.device_name(),
            "driver_cuda": self.api.call("cuDriverGetVersion"),
            "memory_bytes": int(total),
            "api": type(self.api).__name__,
            **self._attributes(),
        }

    def allocate(self, size: int) -> int:
        """See Device."""
        return int(self.api.call("cuMemAlloc_v2", max(size, 1)))

    def free(self, address: int) -> None:
        """See Device."""
        self.api.call("cuMemFree_v2", address)

    def upload(self, address: int, data: Array) -> None:
        """See Device."""
        if data.nbytes:
            self.api.call("cuMemcpyHtoD_v2", address, data.ctypes.data, data.nbytes)

    def download(self, address: int, data: Array) -> None:
        """See Device."""
        if data.nbytes:
            self.api.call("cuMemcpyDtoH_v2", data.ctypes.data, address, data.nbytes)

    def copy(self, to: int, address: int, size: int) -> None:
        """See Device."""
        self.api.call("cuMemcpyDtoD_v2", to, address, size)

    def fill(self, address: int, byte: int, size: int) -> None:
        """See Device."""
        self.api.call("cuMemsetD8Async", address, byte, size, self.stream)

    def _function(self, launch: dict[str, Any]) -> Any:
        name = launch["module"]
        if name not in self.modules:
            cubin = self.pack.cubin(name)
            # The driver may read the image later than the call.
            self.images.append(ctypes.create_string_buffer(cubin, len(cubin)))
            address = ctypes.addressof(self.images[-1])
            self.modules[name] = self.api.call("cuModuleLoadData", address)
        kernel = launch["kernel"].encode()
        function = self.api.call("cuModuleGetFunction", self.modules[name], kernel)
        if launch.get("opt_in", launch["shared"] > 0):
            attribute = DYNAMIC_SHARED_ATTRIBUTE
            self.api.call("cuFuncSetAttribute", function, attribute, launch["shared"])
        if math.prod(launch.get("cluster", ())) > PORTABLE_BLOCKS:
            self.api.call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER_ATTRIBUTE, 1)
        return function

    def prepare(self, launch: dict[str, Any], arrays: Sequence[Placed]) -> Callable[[], None]:
        """See Device; raises DriverError, also for parameters that are not the kernel's."""
        function = self._function(launch)
        packed = [self._packed(argument, arrays) for argument in launch["arguments"]]
        self._check_parameters(function, packed)
        values = [ctypes.create_string_buffer(data, len(data)) for data in packed]
        pointers = (ctypes.c_void_p * max(1, len(values)))(*map(ctypes.addressof, values))
        grid, block, shared = launch["grid"], launch["block"], launch["shared"]
        asked = launch["cluster"] if launch.get("asks_cluster") else None

        def start() -> None:
            # `values` must live as long as this may be called.
            address, call = ctypes.addressof(pointers) if values else 0, self.api.call
            if asked is None:
                call("cuLaunchKernel", function, *grid, *block, shared, self.stream, address, 0)
                return
            config = cluster_config(grid, block, shared, int(self.stream), asked)
            call("cuLaunchKernelEx", ctypes.addressof(config), function, address, 0)

        return start

    def _packed(self, argument: dict[str, Any], arrays: Sequence[Placed]) -> bytes:
        if "array" in argument:
            return arrays[argument["array"]].address.to_bytes(8, "little")
        if "bytes" in argument:
            return bytes.fromhex(argument["bytes"])
        made = argument["map"]
        placed = arrays[made["array"]]
        corners = made.get("corners")
        fields = MapFields(
            MAP_TYPES[made["dtype"]],
            placed.address,
            tuple(made["shape"][::-1]),
            tuple(made["strides"][-2::-1]),
            tuple(made["box"][::-1]),
            tuple(made["steps"][::-1]),
            MAP_SWIZZLES[made["swizzle"]],
            made["nan"],
            None if corners is None else (tuple(corners[0][::-1]), tuple(corners[1][::-1])),
        )
        return self.api.encode_map(fields)

    def _check_parameters(self, function: Any, packed: Sequence[bytes]) -> None:
        """Compares the arguments with what the driver knows of the kernel, where it says so."""
        for index in range(len(packed) + 1):
            try:
                _, size = self.api.call("cuFuncGetParamInfo", function, index)
            except DriverError as error:
                if error.status.startswith(NOT_FOUND):
                    return
                size = None
            given = len(packed[index]) if index < len(packed) else None
            if size != given:
                problem = f"parameter {index} has {size} bytes, {given} are given"
                raise DriverError("launch", problem.replace("None", "no"))

    def wait(self, timeout: float) -> None:
        """See Device."""
        end, pause = self.clock.now() + timeout, 0.0
        while True:
            try:
                return self.api.call("cuStreamQuery", 0)
            except DriverError as error:
                if not error.status.startswith(NOT_READY):
                    raise DeviceLost("fault", f"the kernel has failed: {error.status}") from error
            if self.clock.now() > end:
                raise DeviceLost("hung", f"the kernel has not ended after {timeout:g} s")
            self.clock.sleep(pause)
            pause = min(0.001, pause + 0.00001)

    @contextmanager
    def captured(self, work: Callable[[], None]) -> Generator[Callable[[], None]]:
        """See Device: a graph of what `work` starts on `stream`."""
        call = self.api.call
        stream = call("cuStreamCreate", 0)
        try:
            call("cuStreamBeginCapture_v2", stream, RELAXED_CAPTURE)
            self.stream = stream
            try:
                work()
            finally:
                self.stream = 0
                graph = call("cuStreamEndCapture", stream)
            executable = call("cuGraphInstantiateWithFlags", graph, 0)
            call("cuGraphDestroy", graph)
        finally:
            call("cuStreamDestroy_v2", stream)
        try:
            yield lambda: call("cuGraphLaunch", executable, 0)
        finally:
            # After a fault the context is lost: what ended the item says why.
            with suppress(DriverError):
                call("cuGraphExecDestroy", executable)

    def seconds(self, work: Callable[[], None], timeout: float) -> float:
        """See Device."""
        first, last = (self.api.call("cuEventCreate", 0) for _ in range(2))
        self.api.call("cuEventRecord", first, 0)
        work()
        self.api.call("cuEventRecord", last, 0)
        self.wait(timeout)
        elapsed = float(self.api.call("cuEventElapsedTime", first, last)) / 1000
        for event in (first, last):
            self.api.call("cuEventDestroy_v2", event)
        return elapsed


def view_of(placed: Placed, bytes_: Array, base: int) -> Array:
    """The elements of an array in the bytes that begin at an address."""
    plain = bytes_[placed.address - base :]
    itemsize = storage_of(placed.dtype).itemsize
    plain = plain[: len(plain) // itemsize * itemsize].view(storage_of(placed.dtype))
    return np.lib.stride_tricks.as_strided(plain, placed.shape, placed.strides)
