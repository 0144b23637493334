"""A GPU: memory, kernels, tensor maps, timing, and a watchdog.

    gpu = GPU.open()
    kernel = gpu.load(cubin, "vector_add")
    with gpu.allocate(a.nbytes) as memory:
        memory.upload(a)
        kernel.launch((8, 1, 1), (128, 1, 1), [pack(memory.address), ..])
        gpu.synchronize()

Source: CUDA driver API.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.emulator.tensor_maps import TensorMap
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.driver import Driver, GPUError, load_driver
from tileir_xdsl.targets.symbols import ptx_name

Grid = tuple[int, int, int]

DEFAULT_TIMEOUT = 30.0
"""The seconds after which a running kernel is assumed to hang."""

POINTER_BYTES = 8

DATA_TYPES: dict[np.dtype[Any], int] = {
    np.dtype(np.uint8): 0,
    np.dtype(np.uint16): 1,
    np.dtype(np.uint32): 2,
    np.dtype(np.uint64): 4,
    np.dtype(np.float16): 6,
    np.dtype(np.float32): 7,
    np.dtype(np.float64): 8,
    np.dtype(ml_dtypes.bfloat16): 9,
}
"""The codes of element types in tensor maps (CUtensorMapDataType)."""

SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
"""The codes of swizzle modes of tensor maps, by span in bytes (CUtensorMapSwizzle)."""

L2_PROMOTION_128B = 2


def pack(address: int) -> bytes:
    """The bytes of a pointer as a kernel parameter."""
    return address.to_bytes(POINTER_BYTES, "little")


@dataclass
class GPU:
    """One device, with the context for all its work."""

    driver: Driver
    device: Any
    context: Any
    is_lost: bool = False
    """Whether a kernel hangs, after which the device is unusable."""

    @staticmethod
    def open(driver: Driver | None = None, number: int = 0) -> GPU:
        """The device `number`, with its primary context. Raises GPUError without such a device."""
        driver = driver or load_driver()
        device = driver.call("cuDeviceGet", number)
        context = driver.call("cuDevicePrimaryCtxRetain", device)
        driver.call("cuCtxSetCurrent", context)
        return GPU(driver, device, context)

    @property
    def name(self) -> str:
        """The name of the device."""
        return self.driver.device_name(self.device)

    @property
    def compute_capability(self) -> tuple[int, int]:
        """The compute capability, major and minor."""
        major, minor = (
            self.driver.call(
                "cuDeviceGetAttribute",
                self.driver.constant(
                    "CUdevice_attribute", f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}"
                ),
                self.device,
            )
            for part in ("MAJOR", "MINOR")
        )
        return int(major), int(minor)

    def allocate(self, size: int) -> DeviceMemory:
        """Memory of at least `size` bytes."""
        return DeviceMemory(self, int(self.driver.call("cuMemAlloc", max(size, 1))), size)

    def load(self, cubin: bytes, kernel: str, dynamic_shared: int = 0) -> GPUKernel:
        """A kernel of an assembled module, by its name in the source.

        `dynamic_shared` is the bytes of its dynamic shared memory.
        """
        module = self.driver.call("cuModuleLoadData", cubin)
        function = self.driver.call("cuModuleGetFunction", module, ptx_name(kernel).encode())
        if dynamic_shared:
            attribute = self.driver.constant(
                "CUfunction_attribute", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"
            )
            self.driver.call("cuFuncSetAttribute", function, attribute, dynamic_shared)
        return GPUKernel(self, kernel, module, function, dynamic_shared)

    def synchronize(self, timeout: float = DEFAULT_TIMEOUT) -> None:
        """Waits for all work. Raises GPUError if work fails, or after `timeout` seconds."""
        end = time.monotonic() + timeout
        pause = 0.0
        while (status := self.driver.status("cuStreamQuery", 0)) == "CUDA_ERROR_NOT_READY":
            if time.monotonic() > end:
                self.is_lost = True
                raise GPUError(f"the kernel has not ended after {timeout:g} s")
            time.sleep(pause)
            pause = min(0.001, pause + 0.00001)
        if status != "CUDA_SUCCESS":
            self.is_lost = True
            raise GPUError(f"the kernel has failed: {status}")

    def seconds(self, work: Callable[[], None], timeout: float = DEFAULT_TIMEOUT) -> float:
        """The seconds that the device is busy with launches of `work`, measured by events."""
        first, last = (self.driver.call("cuEventCreate", 0) for _ in range(2))
        try:
            self.driver.call("cuEventRecord", first, 0)
            work()
            self.driver.call("cuEventRecord", last, 0)
            self.synchronize(timeout)
            return float(self.driver.call("cuEventElapsedTime", first, last)) / 1000
        finally:
            if not self.is_lost:
                for event in (first, last):
                    self.driver.call("cuEventDestroy", event)

    def tensor_map(self, tensor_map: TensorMap, address: int) -> bytes:
        """The 128 bytes of a tensor map for an array at `address` on the device."""
        array = tensor_map.array
        steps = tensor_map.element_strides or (1,) * array.ndim

        def reversed_(kind: Any, values: Sequence[int]) -> Any:
            return (kind * max(1, len(values)))(*values[::-1])

        return self.driver.encode_map(
            DATA_TYPES[array.dtype],
            array.ndim,
            ctypes.c_void_p(address),
            reversed_(ctypes.c_uint64, array.shape),
            reversed_(ctypes.c_uint64, array.strides[:-1]),
            reversed_(ctypes.c_uint32, tensor_map.box),
            reversed_(ctypes.c_uint32, steps),
            0,
            SWIZZLES[tensor_map.swizzle],
            L2_PROMOTION_128B,
            int(tensor_map.fills_with_nan),
        )


@dataclass
class DeviceMemory:
    """Memory of a device, freed at the end of a `with` block."""

    gpu: GPU
    address: int
    size: int

    def upload(self, data: Array) -> None:
        """Copies bytes of the host to the beginning of the memory."""
        self.gpu.driver.call("cuMemcpyHtoD", self.address, data.ctypes.data, data.nbytes)

    def download(self, data: Array) -> None:
        """Copies the first bytes of the memory to the host."""
        self.gpu.driver.call("cuMemcpyDtoH", data.ctypes.data, self.address, data.nbytes)

    def free(self) -> None:
        """Frees the memory, unless a kernel hangs on the device."""
        if not self.gpu.is_lost:
            self.gpu.driver.call("cuMemFree", self.address)

    def __enter__(self) -> DeviceMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


@dataclass
class GPUKernel:
    """A loaded kernel that can be launched."""

    gpu: GPU
    name: str
    module: Any
    function: Any
    dynamic_shared: int = 0

    def launch(self, grid: Grid, block: Grid, parameters: Sequence[bytes], stream: int = 0) -> None:
        """Starts the kernel on a stream; the bytes of its parameters are copied."""
        values = [ctypes.create_string_buffer(data, len(data)) for data in parameters]
        pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        self.gpu.driver.call(
            "cuLaunchKernel",
            self.function,
            *grid,
            *block,
            self.dynamic_shared,
            stream,
            ctypes.addressof(pointers),
            0,
        )
