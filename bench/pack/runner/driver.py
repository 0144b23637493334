"""The CUDA driver, through `cuda-bindings` or else through `ctypes`: one table for both.

Source: CUDA driver API. Every call returns its results, or raises DriverError with the status.
"""

from __future__ import annotations

import ctypes
import importlib
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
}
"""The parameters of each function; results have a `>`, and enumerations their names."""

C_TYPES: dict[str, Any] = {
    "int": ctypes.c_int,
    "uint": ctypes.c_uint,
    "size": ctypes.c_size_t,
    "byte": ctypes.c_ubyte,
    "float": ctypes.c_float,
    "pointer": ctypes.c_void_p,
    "text": ctypes.c_char_p,
}

BINDINGS_NAMES = {"cuGraphInstantiateWithFlags": "cuGraphInstantiate"}
"""What `cuda-bindings` calls a function, where that is not its name without `_v2`."""

NOT_READY, NOT_FOUND = "CUDA_ERROR_NOT_READY", "CUDA_ERROR_NOT_FOUND"

STATUS_NAMES: dict[int, str] = {
    1: "CUDA_ERROR_INVALID_VALUE",
    2: "CUDA_ERROR_OUT_OF_MEMORY",
    3: "CUDA_ERROR_NOT_INITIALIZED",
    100: "CUDA_ERROR_NO_DEVICE",
    200: "CUDA_ERROR_INVALID_IMAGE",
    209: "CUDA_ERROR_NO_BINARY_FOR_GPU",
    218: "CUDA_ERROR_INVALID_PTX",
    222: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
    500: NOT_FOUND,
    600: NOT_READY,
    700: "CUDA_ERROR_ILLEGAL_ADDRESS",
    701: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
    702: "CUDA_ERROR_LAUNCH_TIMEOUT",
    710: "CUDA_ERROR_ASSERT",
    714: "CUDA_ERROR_HARDWARE_STACK_ERROR",
    715: "CUDA_ERROR_ILLEGAL_INSTRUCTION",
    716: "CUDA_ERROR_MISALIGNED_ADDRESS",
    717: "CUDA_ERROR_INVALID_ADDRESS_SPACE",
    718: "CUDA_ERROR_INVALID_PC",
    719: "CUDA_ERROR_LAUNCH_FAILED",
    801: "CUDA_ERROR_NOT_SUPPORTED",
    912: "CUDA_ERROR_INVALID_CLUSTER_SIZE",
    999: "CUDA_ERROR_UNKNOWN",
}
"""The statuses that a run may meet."""

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


def _status(function: str, status: int) -> None:
    if status:
        raise DriverError(function, STATUS_NAMES.get(status, f"status {status}"))


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
        _status(function, entry(*passed))
        values = [result.value for result in results]
        return values[0] if len(values) == 1 else values

    def device_name(self) -> str:
        """See Api."""
        name = ctypes.create_string_buffer(128)
        _status("cuDeviceGetName", self.library.cuDeviceGetName(name, 128, 0))
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
        _status(fields.function, status)
        return space.raw[start : start + 128]


class BindingsApi:
    """The driver through `cuda-bindings`."""

    def __init__(self) -> None:
        self.bindings: Any = importlib.import_module("cuda.bindings.driver")

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
            # Without a driver, or without the function in it, the bindings raise their own errors.
            raise DriverError(function, f"{NOT_FOUND} ({error})") from error
        _status(function, int(status))
        return results[0] if len(results) == 1 else results

    def device_name(self) -> str:
        """See Api."""
        status, name = self.bindings.cuDeviceGetName(128, 0)
        _status("cuDeviceGetName", int(status))
        return name.decode().rstrip("\0")

    def encode_map(self, fields: MapFields) -> bytes:
        """See Api."""
        driver = self.bindings
        if fields.corners is None:
            boxes: list[Any] = [[driver.cuuint32_t(extent) for extent in fields.box]]
        else:
            boxes = [list(corner) for corner in fields.corners] + [*fields.box]
        status, encoded = getattr(driver, fields.function)(
            driver.CUtensorMapDataType(fields.element),
            len(fields.extents),
            fields.address,
            [driver.cuuint64_t(extent) for extent in fields.extents],
            [driver.cuuint64_t(stride) for stride in fields.strides],
            *boxes,
            [driver.cuuint32_t(step) for step in fields.steps],
            driver.CUtensorMapInterleave(0),
            driver.CUtensorMapSwizzle(fields.swizzle),
            driver.CUtensorMapL2promotion(L2_PROMOTION_128B),
            driver.CUtensorMapFloatOOBfill(int(fields.nan)),
        )
        _status(fields.function, int(status))
        return b"".join(int(word).to_bytes(8, "little") for word in encoded.opaque)


def open_api() -> Api:
    """`cuda-bindings` where it is installed, else the library; DriverError without either."""
    try:
        return BindingsApi()
    except ImportError:
        return CtypesApi()
