"""The driver's side of a launch, on a driver that only remembers: what it is told, byte by byte."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.runtime import driver as driver_module
from tileir_xdsl.runtime import gpu as gpu_module
from tileir_xdsl.runtime import launching
from tileir_xdsl.runtime.driver import Driver, GPUError, load_driver
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.gpu import GPU
from tileir_xdsl.runtime.gpu_launching import launch_on_arrays
from tileir_xdsl.testing.kernels import KERNELS


@dataclass(frozen=True)
class Status:
    """A status as the bindings return it."""

    name: str = "CUDA_SUCCESS"

    def __int__(self) -> int:
        return 0 if self.name == "CUDA_SUCCESS" else 1


Run = Callable[["Bindings", list[bytes]], None]


@dataclass
class Bindings:
    """A driver whose device memory is an array, and whose kernel is a Python function."""

    sizes: Sequence[int]
    """The bytes of each parameter of the kernel."""
    run: Run
    statuses: list[str] = field(default_factory=list[str])
    """What queries of the stream answer, before success."""
    calls: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    memory: np.ndarray = field(default_factory=lambda: np.zeros(1 << 16, np.uint8))
    top: int = 1024
    freed: list[int] = field(default_factory=list[int])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("CU"):
            return Names()

        def call(*arguments: object) -> tuple[object, ...]:
            self.calls.append((name, *arguments))
            return (Status(), *ANSWERS.get(name, ()))

        return call

    def cuMemAlloc(self, size: int) -> tuple[Status, int]:
        address, self.top = self.top, self.top + (size + 255) // 256 * 256
        return Status(), address

    def cuMemFree(self, address: int) -> tuple[Status]:
        self.freed.append(address)
        return (Status(),)

    def cuMemcpyHtoD(self, to: int, host: int, size: int) -> tuple[Status]:
        self.memory[to : to + size] = list(ctypes.string_at(host, size))
        return (Status(),)

    def cuMemcpyDtoH(self, host: int, at: int, size: int) -> tuple[Status]:
        ctypes.memmove(host, self.memory[at : at + size].tobytes(), size)
        return (Status(),)

    def cuTensorMapEncodeTiled(self, place: ctypes.c_void_p, *_fields: object) -> int:
        ctypes.memset(place.value or 0, 7, 128)
        return 0

    def cuStreamQuery(self, _stream: int) -> tuple[Status]:
        return (Status(self.statuses.pop(0) if self.statuses else "CUDA_SUCCESS"),)

    def cuLaunchKernel(self, *arguments: Any) -> tuple[Status]:
        self.calls.append(("cuLaunchKernel", *arguments[:9]))
        pointers = (ctypes.c_void_p * len(self.sizes)).from_address(arguments[9])
        self.run(
            self,
            [ctypes.string_at(p or 0, n) for p, n in zip(pointers, self.sizes, strict=True)],
        )
        return (Status(),)


class Names:
    """An enumeration whose members are their names."""

    def __getattr__(self, name: str) -> str:
        return name


ANSWERS: dict[str, tuple[object, ...]] = {
    "cuDeviceGet": (0,),
    "cuDeviceGetCount": (1,),
    "cuDevicePrimaryCtxRetain": ("context",),
    "cuDeviceGetName": (b"a device\0\0",),
    "cuDeviceGetAttribute": (9,),
    "cuModuleLoadData": ("module",),
    "cuModuleGetFunction": ("function",),
    "cuEventCreate": ("event",),
    "cuEventElapsedTime": (2.5,),
}


def gpu(bindings: Bindings) -> GPU:
    return GPU.open(Driver(bindings, bindings))


def _nothing(_bindings: Bindings, _parameters: list[bytes]) -> None:
    """A kernel that does nothing."""


def test_parameters_are_packed_by_type_and_arrays_come_back():
    host = np.arange(20, dtype=np.float32)
    seen: list[bytes] = []

    def run(bindings: Bindings, parameters: list[bytes]) -> None:
        seen[:] = parameters
        address = int.from_bytes(parameters[0], "little")
        bindings.memory[address : address + 4] = list(np.float32(7).tobytes())

    bindings = Bindings((8, 8, 4, 2, 128, 1), run)
    kernel = gpu(bindings).load(b"cubin", "k", 100 << 10)
    fixed = np.arange(4, dtype=np.int64)
    fixed.flags.writeable = False
    arguments = [
        host[4:],
        host[:8],
        np.int32(-2),
        np.float16(1.5),
        TensorMap(host[4:].reshape(2, 8), (1, 8), 32, fills_with_nan=True),
        np.bool_(True),
    ]
    launch_on_arrays(kernel, (2, 3, 4), (128, 1, 1), arguments)
    # Both slices are parts of one array, and so of one piece of memory.
    first, second = (int.from_bytes(data, "little") for data in seen[:2])
    assert first - second == 16
    assert seen[2:4] == [np.int32(-2).tobytes(), np.float16(1.5).tobytes()]
    assert seen[4] == bytes([7] * 128)
    assert seen[5] == b"\x01"
    assert host[4] == 7 and host[5] == 5
    assert bindings.freed == [second]
    calls = {name: arguments for name, *arguments in bindings.calls}
    assert calls["cuFuncSetAttribute"][-1] == 100 << 10
    assert calls["cuLaunchKernel"] == ["function", 2, 3, 4, 128, 1, 1, 100 << 10, 0]


def test_arrays_that_are_read_only_or_empty():
    fixed = np.arange(4, dtype=np.int64)
    fixed.flags.writeable = False

    def run(bindings: Bindings, parameters: list[bytes]) -> None:
        address = int.from_bytes(parameters[0], "little")
        bindings.memory[address : address + 8] = 1

    kernel = gpu(Bindings((8, 8), run)).load(b"", "k")
    launch_on_arrays(kernel, (1, 1, 1), (32, 1, 1), [fixed, np.zeros(0, np.int8)])
    assert fixed[0] == 0


def test_a_kernel_that_hangs_is_an_error():
    bindings = Bindings((8,), _nothing, ["CUDA_ERROR_NOT_READY"] * 1_000_000)
    kernel = gpu(bindings).load(b"", "k")
    with pytest.raises(GPUError, match=r"the kernel has not ended after 0.01 s"):
        launch_on_arrays(kernel, (1, 1, 1), (32, 1, 1), [np.zeros(1)], timeout=0.01)
    # Memory of a device that hangs cannot be given back.
    assert kernel.gpu.is_lost and not bindings.freed


def test_a_kernel_that_fails_is_an_error():
    waits = ["CUDA_ERROR_NOT_READY", "CUDA_ERROR_ILLEGAL_ADDRESS"]
    kernel = gpu(Bindings((8,), _nothing, waits)).load(b"", "k")
    with pytest.raises(GPUError, match="the kernel has failed: CUDA_ERROR_ILLEGAL_ADDRESS"):
        launch_on_arrays(kernel, (1, 1, 1), (32, 1, 1), [np.zeros(1)])


def test_without_the_bindings(monkeypatch: pytest.MonkeyPatch):
    def import_module(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(driver_module.importlib, "import_module", import_module)
    with pytest.raises(GPUError, match="no GPU can be used: install the package cuda-bindings"):
        load_driver()


def test_run_takes_a_device(monkeypatch: pytest.MonkeyPatch):
    """A kernel of the zoo, compiled and assembled; the device adds in its place."""
    case = KERNELS["vector_add"]
    a, b = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    out = np.zeros(1000, np.float32)

    def run(bindings: Bindings, parameters: list[bytes]) -> None:
        places = [int.from_bytes(parameters[i], "little") for i in (0, 3, 6)]
        x, y, z = (bindings.memory[p : p + 4000].view(np.float32) for p in places)
        z[:] = x + y

    bindings = Bindings((8, 4, 4) * 3, run)
    monkeypatch.setattr(gpu_module, "load_driver", lambda: Driver(bindings, bindings))
    launching.run(str(case.text_path), (8,), [a, b, out], level="ptx", device="gpu")
    np.testing.assert_array_equal(out, a + b)
    cubin = next(arguments for name, *arguments in bindings.calls if name == "cuModuleLoadData")
    assert cubin[0].startswith(b"\x7fELF")
    with pytest.raises(InputError, match="level cuda_tile: error: only level ptx runs on a GPU"):
        launching.run(str(case.text_path), (8,), [a, b, out], device="gpu")
    with pytest.raises(InputError, match="device tpu: error: expected emulator, gpu"):
        launching.run(str(case.text_path), (8,), [a, b, out], device="tpu")
