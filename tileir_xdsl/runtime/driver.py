"""The CUDA driver through `cuda-bindings`, which nothing else in the project needs.

Its functions return a status and then their results; here a failure is an exception.
"""

import importlib
from dataclasses import dataclass
from typing import Any

PACKAGE = "cuda-bindings"


class GPUError(RuntimeError):
    """There is no GPU, or the driver refuses something; `str` of it is one line."""


@dataclass(frozen=True)
class Driver:
    """The functions, types and constants of the driver API."""

    bindings: Any

    def call(self, function: str, *arguments: object) -> Any:
        """Calls a function and returns its result, or all of them if it has several.

        Raises GPUError, with the name of the status, for any status but success.
        """
        status, *results = getattr(self.bindings, function)(*arguments)
        if int(status) != 0:
            raise GPUError(f"{function}: {getattr(status, 'name', int(status))}")
        return results[0] if len(results) == 1 else results

    def status(self, function: str, *arguments: object) -> str:
        """Calls a function whose status is the answer; returns the name of it."""
        return str(getattr(self.bindings, function)(*arguments)[0].name)

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
    driver = Driver(bindings)
    try:
        driver.call("cuInit", 0)
    except (RuntimeError, ImportError, OSError) as error:
        # The bindings raise an error of their own where the driver is not installed.
        raise GPUError("no GPU can be used: there is no NVIDIA driver, or no device") from error
    if not driver.call("cuDeviceGetCount"):
        raise GPUError("no GPU can be used: there is no device")
    return driver
