"""The CUDA driver, through `cuda-bindings` or else through `ctypes`: one table for both.

Source: CUDA driver API. Every call returns its results, or raises DriverError with the status.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

SIGNATURES: dict[str, tuple[str, ...]] = {
    "cuInit": ("uint",),
    "cuDriverGetVersion": (">int",),
    "cuDeviceGetCount": (">int",),
    "cuDeviceGet": (">int", "int"),
    "cuDeviceGetAttribute": (">int", "CUdevice_attribute", "int"),
    "cuDeviceTotalMem_v2": (">size", "int"),
    "cuDevicePrimaryCtxRetain": (">pointer", "int"),
    "cuCtxSetCurrent": ("pointer",),
    "cuModuleLoadData": (">pointer", "pointer"),
    "cuModuleUnload": ("pointer",),
    "cuModuleGetFunction": (">pointer", "pointer", "text"),
    "cuFuncSetAttribute": ("pointer", "CUfunction_attribute", "int"),
    "cuFuncGetParamInfo": ("pointer", "size", ">size", ">size"),
    "cuMemAlloc_v2": (">pointer", "size"),
    "cuMemFree_v2": ("pointer",),
    "cuMemcpyHtoD_v2": ("pointer", "pointer", "size"),
    "cuMemcpyDtoH_v2": ("pointer", "pointer", "size"),
    "cuMemcpyDtoD_v2": ("pointer", "pointer", "size"),
    "cuMemsetD8Async": ("pointer", "byte", "size", "pointer"),
    "cuStreamQuery": ("pointer",),
    "cuStreamCreate": (">pointer", "uint"),
    "cuStreamDestroy_v2": ("pointer",),
    "cuStreamBeginCapture_v2": ("pointer", "CUstreamCaptureMode"),
    "cuStreamEndCapture": ("pointer", ">pointer"),
    "cuGraphInstantiateWithFlags": (">pointer", "pointer", "size"),
    "cuGraphLaunch": ("pointer", "pointer"),
    "cuGraphExecDestroy": ("pointer",),
    "cuGraphDestroy": ("pointer",),
    "cuEventCreate": (">pointer", "uint"),
    "cuEventRecord": ("pointer", "pointer"),
    "cuEventElapsedTime": (">float", "pointer", "pointer"),
    "cuEventDestroy_v2": ("pointer",),
    "cuLaunchKernel": ("pointer", *("uint",) * 7, "pointer", "pointer", "pointer"),
    "cuLaunchKernelEx": ("CUlaunchConfig", "pointer", "pointer", "pointer"),
}
"""The parameters of each function; results have a `>`, enumerations and structures their names."""

C_TYPES: dict[str, Any] = {
    "int": ctypes.c_int,
    "uint": ctypes.c_uint,
    "size": ctypes.c_size_t,
    "byte": ctypes.c_ubyte,
    "float": ctypes.c_float,
    "pointer": ctypes.c_void_p,
    "text": ctypes.c_char_p,
    "CUlaunchConfig": ctypes.c_void_p,
}

BINDINGS_NAMES = {"cuGraphInstantiateWithFlags": "cuGraphInstantiate"}
"""What `cuda-bindings` calls a function, where that is not its name without `_v2`."""

NOT_READY, NOT_FOUND = "CUDA_ERROR_NOT_READY", "CUDA_ERROR_NOT_FOUND"

ATTRIBUTES: dict[str, int] = {
    "shared_bytes_opt_in": 97,
    "major": 75,
    "minor": 76,
    "multiprocessors": 16,
    "l2_bytes": 38,
}
"""Attributes of devices that results are read with."""

DYNAMIC_SHARED_ATTRIBUTE, NON_PORTABLE_CLUSTER_ATTRIBUTE = 8, 14

RELAXED_CAPTURE = 2
"""How a stream is captured: a kernel that is loaded at its first launch is no error."""

MAP_TYPES: dict[str, int] = {
    "uint8": 0, "uint16": 1, "uint32": 2, "int32": 3, "uint64": 4, "int64": 5,
    "float16": 6, "float32": 7, "float64": 8, "bfloat16": 9,
}  # fmt: skip
"""Element types of tensor maps (CUtensorMapDataType)."""

MAP_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
L2_PROMOTION_128B = 2


class DriverError(RuntimeError):
    """The driver refused a call; `status` is the name of the reason."""

    def __init__(self, function: str, status: str) -> None:
        super().__init__(f"{function}: {status}")
        self.status = status


@dataclass(frozen=True)
class MapFields:
    """A tensor map as the driver takes it: all lists have the fastest dimension first.

    With `corners`, the lower and the upper one, it is of im2col mode, and the box has channels and
    pixels.
    """

    element: int
    address: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]
    swizzle: int
    nan: bool
    corners: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    @property
    def function(self) -> str:
        """The call that encodes it."""
        return "cuTensorMapEncodeTiled" if self.corners is None else "cuTensorMapEncodeIm2col"


class Api(Protocol):
    """The driver, or what takes its place."""

    def call(self, function: str, *inputs: Any) -> Any:
        """The result of a function of `SIGNATURES`, or all of them; raises DriverError."""
        ...

    def device_name(self) -> str:
        """Of the first device."""
        ...

    def encode_map(self, fields: MapFields) -> bytes:
        """The 128 bytes of a tensor map; raises DriverError."""
        ...


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute, of which a cluster takes three numbers."""

    _fields_ = (("kind", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16))


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(LaunchAttribute)),
        ("count", ctypes.c_uint),
    )


CLUSTER_ATTRIBUTE = 4


def cluster_config(
    grid: Sequence[int], block: Sequence[int], shared: int, stream: int, cluster: Sequence[int]
) -> LaunchConfig:
    """A launch of clusters of a kernel that does not say itself which it has."""
    value = (ctypes.c_uint * 16)(*cluster)
    attribute = LaunchAttribute(CLUSTER_ATTRIBUTE, 0, value)
    shape = (ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*block)
    return LaunchConfig(*shape, shared, stream, ctypes.pointer(attribute), 1)


class CtypesApi:
    """The driver's library itself."""

    def __init__(self) -> None:
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise DriverError("libcuda.so.1", "there is no NVIDIA driver") from error

    def call(self, function: str, *inputs: Any) -> Any:
        """See Api."""
        try:
            entry = getattr(self.library, function)
        except AttributeError as error:
            raise DriverError(function, NOT_FOUND) from error
        given, results, passed = iter(inputs), list[Any](), list[Any]()
        for parameter in SIGNATURES[function]:
            if parameter.startswith(">"):
                results.append(C_TYPES[parameter[1:]]())
                passed.append(ctypes.byref(results[-1]))
            else:
                passed.append(C_TYPES.get(parameter, ctypes.c_int)(next(given)))
        self.check(function, entry(*passed))
        values = [result.value for result in results]
        return values[0] if len(values) == 1 else values

    def check(self, function: str, status: int) -> None:
        """Raises DriverError, with what the driver says of it, for a status but success."""
        if not status:
            return
        texts = [ctypes.c_char_p(), ctypes.c_char_p()]
        self.library.cuGetErrorName(status, ctypes.byref(texts[0]))
        self.library.cuGetErrorString(status, ctypes.byref(texts[1]))
        name, text = ((each.value or b"").decode() for each in texts)
        raise DriverError(function, f"{name} ({text})" if name else f"status {status}")

    def device_name(self) -> str:
        """See Api."""
        name = ctypes.create_string_buffer(128)
        self.check("cuDeviceGetName", self.library.cuDeviceGetName(name, 128, 0))
        return name.value.decode()

    def encode_map(self, fields: MapFields) -> bytes:
        """See Api."""
        rank = len(fields.extents)
        space = ctypes.create_string_buffer(128 + 64)
        # The driver wants the map at a multiple of 64 bytes.
        start = -ctypes.addressof(space) % 64

        def integers(kind: Any, values: tuple[int, ...]) -> Any:
            return (kind * max(1, len(values)))(*values)

        if fields.corners is None:
            boxes = [integers(ctypes.c_uint32, fields.box)]
        else:
            boxes = [integers(ctypes.c_int, corner) for corner in fields.corners] + [*fields.box]
        status = getattr(self.library, fields.function)(
            ctypes.c_void_p(ctypes.addressof(space) + start),
            fields.element,
            rank,
            ctypes.c_void_p(fields.address),
            integers(ctypes.c_uint64, fields.extents),
            integers(ctypes.c_uint64, fields.strides),
            *boxes,
            integers(ctypes.c_uint32, fields.steps),
            0,
            fields.swizzle,
            L2_PROMOTION_128B,
            int(fields.nan),
        )
        self.check(fields.function, status)
        return space.raw[start : start + 128]


class BindingsApi(CtypesApi):
    """The driver through `cuda-bindings`, but for what they do not do as the driver wants it.

    They fill the name of a device with blanks behind its NUL, and give the driver tensor maps that
    are not at a multiple of 64 bytes, which it refuses.
    """

    def __init__(self) -> None:
        self.bindings: Any = importlib.import_module("cuda.bindings.driver")
        super().__init__()

    def call(self, function: str, *inputs: Any) -> Any:
        """See Api."""
        # The bindings know the newest version of a function by its plain name.
        name = BINDINGS_NAMES.get(function, function.removesuffix("_v2"))
        entry = getattr(self.bindings, name, None)
        if entry is None:
            raise DriverError(function, NOT_FOUND)
        wanted = [each for each in SIGNATURES[function] if not each.startswith(">")]
        passed = [
            getattr(self.bindings, parameter)(value) if parameter.startswith("CU") else value
            for parameter, value in zip(wanted, inputs, strict=True)
        ]
        try:
            status, *results = entry(*passed)
        except RuntimeError as error:
            # Without the function in the driver, the bindings raise their own error.
            raise DriverError(function, f"{NOT_FOUND} ({error})") from error
        except ValueError as error:
            # So they do for a status that only a newer driver has.
            raise DriverError(function, str(error)) from error
        self.check(function, int(status))
        return results[0] if len(results) == 1 else results


def open_api() -> Api:
    """`cuda-bindings` where it is installed, else the library; DriverError without either."""
    try:
        return BindingsApi()
    except ImportError:
        return CtypesApi()
