"""The CUDA driver through `cuda-bindings`, which nothing else in the project needs.

Its functions return a status and then their results; here a failure is an exception.
"""

import ctypes
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PACKAGE = "cuda-bindings"

MAP_BYTES, MAP_ALIGNMENT = 128, 64
"""Of tensor maps; the driver refuses to write one anywhere else."""

NAME_BYTES = 128
"""Of the name of a device, with its NUL."""


class GPUError(RuntimeError):
    """There is no GPU, or the driver refuses something; `str` of it is one line."""


@dataclass(frozen=True)
class Driver:
    """The functions, types and constants of the driver API.

    The library of the driver itself stands in where the bindings do not do as it wants.
    """

    bindings: Any
    library: Any

    def call(self, function: str, *arguments: object) -> Any:
        """Calls a function and returns its result, or all of them if it has several.

        Raises GPUError, with the name of the status, for any status but success.
        """
        status, *results = self._answer(function, *arguments)
        if int(status) != 0:
            raise GPUError(f"{function}: {status.name}")
        return results[0] if len(results) == 1 else results

    def status(self, function: str, *arguments: object) -> str:
        """Calls a function whose status is the answer; returns the name of it."""
        return str(self._answer(function, *arguments)[0].name)

    def _answer(self, function: str, *arguments: object) -> Sequence[Any]:
        try:
            return getattr(self.bindings, function)(*arguments)
        except (ValueError, RuntimeError) as error:
            # Of a status that the bindings do not know, or a function that the driver lacks.
            raise GPUError(f"{function}: {error}") from error

    def device_name(self, device: Any) -> str:
        """The name of a device; the bindings fill it with blanks after its NUL."""
        return self.call("cuDeviceGetName", NAME_BYTES, device).partition(b"\0")[0].decode()

    def encode_map(self, *fields: object) -> bytes:
        """The bytes of a tensor map of the fields that `cuTensorMapEncodeTiled` takes after it.

        The bindings have no way to place the map where the driver wants it. Raises GPUError.
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

    Raises GPUError where `cuda-bindings`, the driver or a GPU is missing.
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
