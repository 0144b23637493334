"""The CUDA driver through `cuda-bindings`, which only this module uses.

Driver functions return a status and their results; this module raises an exception for a failure.
"""

import ctypes
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PACKAGE = "cuda-bindings"

MAP_BYTES, MAP_ALIGNMENT = 128, 64
"""The size and alignment in bytes that the driver requires of tensor maps."""

NAME_BYTES = 128
"""The bytes of a device's name, including the terminating NUL."""


class GPUError(RuntimeError):
    """There is no GPU, or the driver reports an error; `str` of the exception is one line."""


@dataclass(frozen=True)
class Driver:
    """The functions, types and constants of the driver API.

    Calls that the bindings do not support go to the driver's library directly.
    """

    bindings: Any
    library: Any

    def call(self, function: str, *arguments: object) -> Any:
        """Calls a function and returns its result, or a tuple of several results.

        Raises GPUError, with the name of the status, unless the status is success.
        """
        status, *results = self._answer(function, *arguments)
        if int(status) != 0:
            raise GPUError(f"{function}: {status.name}")
        return results[0] if len(results) == 1 else results

    def status(self, function: str, *arguments: object) -> str:
        """Calls a function for its status alone, and returns the name of the status."""
        return str(self._answer(function, *arguments)[0].name)

    def _answer(self, function: str, *arguments: object) -> Sequence[Any]:
        try:
            return getattr(self.bindings, function)(*arguments)
        except (ValueError, RuntimeError) as error:
            # Of a status that the bindings do not know, or a function that the driver lacks.
            raise GPUError(f"{function}: {error}") from error

    def device_name(self, device: Any) -> str:
        """The name of a device, without the bindings' padding."""
        return self.call("cuDeviceGetName", NAME_BYTES, device).partition(b"\0")[0].decode()

    def encode_map(self, *fields: object) -> bytes:
        """The bytes of a tensor map, from the other arguments of `cuTensorMapEncodeTiled`.

        The bindings cannot allocate the map with the required alignment. Raises GPUError.
        """
        space = ctypes.create_string_buffer(MAP_BYTES + MAP_ALIGNMENT)
        start = -ctypes.addressof(space) % MAP_ALIGNMENT
        place = ctypes.c_void_p(ctypes.addressof(space) + start)
        status = self.library.cuTensorMapEncodeTiled(place, *fields)
        if status:
            raise GPUError(f"cuTensorMapEncodeTiled: {self.bindings.CUresult(status).name}")
        return space.raw[start : start + MAP_BYTES]

    def constant(self, enumeration: str, name: str) -> Any:
        """A member of an enumeration."""
        return getattr(getattr(self.bindings, enumeration), name)


def load_driver() -> Driver:
    """The driver of this machine.

    Raises GPUError without `cuda-bindings`, a driver or a GPU.
    """
    try:
        bindings = importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise GPUError(f"no GPU can be used: install the package {PACKAGE}") from error
    try:
        driver = Driver(bindings, ctypes.CDLL("libcuda.so.1"))
        driver.call("cuInit", 0)
    except (GPUError, OSError) as error:
        raise GPUError("no GPU can be used: there is no NVIDIA driver, or no device") from error
    if not driver.call("cuDeviceGetCount"):
        raise GPUError("no GPU can be used: there is no device")
    return driver
