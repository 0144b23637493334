"""Arrays of other libraries as numpy arrays on the same memory, without their libraries.

Three protocols are read: DLPack (`__dlpack__`, with or without version), `__cuda_array_interface__`
and `__array_interface__`. GPU memory also becomes a numpy array, which must not be read: a launch
needs only its address, shape and strides.

Sources: DLPack (https://dmlc.github.io/dlpack), `dlpack.h`; Numba, "CUDA Array Interface".
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import ml_dtypes
import numpy as np
import numpy.typing as npt
from numpy.lib.array_utils import byte_bounds

Array = npt.NDArray[Any]

Number = TypeVar("Number", int | float, np.generic, int | float | np.generic)
"""The types of numbers among arguments."""

HOST, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
"""DLPack device types: CPU, CUDA, host memory pinned for CUDA, managed memory."""

_READ_ONLY = 1
"""The flag of a versioned DLPack tensor that must not be written."""

_IMMUTABLE = ("jax", "jaxlib")
"""Packages whose arrays are immutable, even if they do not export them as read-only."""

_DTYPES: dict[tuple[int, int], np.dtype[Any]] = {
    **{(0, 8 * n): np.dtype(f"i{n}") for n in (1, 2, 4, 8)},
    **{(1, 8 * n): np.dtype(f"u{n}") for n in (1, 2, 4, 8)},
    **{(2, 8 * n): np.dtype(f"f{n}") for n in (2, 4, 8)},
    (4, 16): np.dtype(ml_dtypes.bfloat16),
    (6, 8): np.dtype(np.bool_),
    (10, 8): np.dtype(ml_dtypes.float8_e4m3fn),
    (12, 8): np.dtype(ml_dtypes.float8_e5m2),
    (14, 8): np.dtype(ml_dtypes.float8_e8m0fnu),
}
"""Element types by DLPack type code and bits (`dlpack.h`)."""

_NUMPY_CODES = (0, 1, 2, 6)
"""The DLPack type codes of types that numpy has: integers, floats, booleans."""


class UnsharedError(ValueError):
    """The memory of an array cannot be shared; `str` of the error is the reason."""


@dataclass(frozen=True)
class SharedArray:
    """The memory of an array: on the host, or on a CUDA device given by number."""

    array: Array
    device: int | None = None


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class VersionedTensor(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


class _Memory:
    """Memory for a numpy array, which keeps `owner` alive."""

    def __init__(self, interface: dict[str, Any], owner: object):
        self.__array_interface__ = interface
        self.owner = owner


def shared_array(value: Any, *, host_only: bool = False) -> SharedArray | None:
    """The memory of an array of any library; None for other values.

    Raises UnsharedError for an array whose memory cannot be shared, and with `host_only` for memory
    not on the host.
    """
    if isinstance(value, np.ndarray):
        return SharedArray(value)
    # DLPack first: array interfaces have no names for reduced floats.
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        try:
            return _from_dlpack(value, host_only)
        except UnsharedError:
            if host_only or not hasattr(type(value), "__cuda_array_interface__"):
                raise
    try:
        interface = getattr(value, "__cuda_array_interface__", None)
    except (RuntimeError, TypeError) as error:
        raise UnsharedError(f"the array cannot be shared: {error}") from error
    if interface is not None:
        if host_only:
            raise UnsharedError("the array is on a CUDA device, not on the CPU")
        return _from_interface(value, interface, device=_device_of(value))
    if hasattr(value, "__array_interface__") and not isinstance(value, np.generic):
        return _from_interface(value, value.__array_interface__, device=None)
    return None


def _device_of(value: Any) -> int:
    if hasattr(value, "__dlpack_device__"):
        return int(value.__dlpack_device__()[1])
    device = getattr(value, "device", None)
    return int(getattr(device, "id", 0) or 0)


def _from_interface(value: Any, interface: Any, device: int | None) -> SharedArray:
    try:
        address, is_read_only = interface["data"]
        read_only = bool(is_read_only) or _is_immutable(value)
        # Without elements there may be no memory.
        kept = {
            "data": (int(address) or 16, read_only),
            "shape": tuple(interface["shape"]),
            "strides": interface.get("strides"),
            "typestr": interface["typestr"],
            "version": 3,
        }
        return SharedArray(np.asarray(_Memory(kept, value)), device)
    except (KeyError, TypeError, ValueError) as error:
        raise UnsharedError(f"the array interface is wrong: {error!r}") from error


def _from_dlpack(value: Any, host_only: bool) -> SharedArray:
    try:
        device, number = (int(part) for part in value.__dlpack_device__())
        if host_only and device not in (HOST, CUDA_HOST):
            raise UnsharedError(f"the array is on DLPack device type {device}, not on the CPU")
        options: dict[str, Any] = {"stream": -1} if device in (CUDA, CUDA_MANAGED) else {}
        try:
            capsule = value.__dlpack__(max_version=(1, 1), **options)
        except TypeError:
            # A producer from before versions.
            capsule = value.__dlpack__(**options)
    except UnsharedError:
        raise
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise UnsharedError(f"the array cannot be shared by DLPack: {error}") from error
    if device not in (HOST, CUDA, CUDA_HOST, CUDA_MANAGED):
        raise UnsharedError(f"the array is on DLPack device type {device}, neither CPU nor CUDA")
    tensor, is_read_only = _tensor_of(capsule)
    dtype = _DTYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if dtype is None:
        raise UnsharedError(
            f"the array has elements of DLPack type {tensor.code} with {tensor.bits} bits, which "
            "Tile IR lacks"
        )
    rank = tensor.ndim
    shape = tuple(tensor.shape[axis] for axis in range(rank))
    strides = (
        tuple(tensor.strides[axis] * dtype.itemsize for axis in range(rank))
        if tensor.strides
        else None
    )
    read_only = is_read_only or _is_immutable(value)
    interface = {
        "data": ((tensor.data or 16) + tensor.byte_offset, read_only),
        "shape": shape,
        "strides": strides,
        # Numpy has no character for the reduced floats.
        "typestr": dtype.str if tensor.code in _NUMPY_CODES else f"|V{dtype.itemsize}",
        "version": 3,
    }
    array = np.asarray(_Memory(interface, capsule)).view(dtype)
    return SharedArray(array, number if device in (CUDA, CUDA_MANAGED) else None)


def _tensor_of(capsule: object) -> tuple[_Tensor, bool]:
    """The tensor in a capsule, and whether it is marked as read-only."""
    is_valid = ctypes.pythonapi.PyCapsule_IsValid
    is_valid.argtypes = (ctypes.py_object, ctypes.c_char_p)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.argtypes, pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    if is_valid(capsule, b"dltensor_versioned"):
        versioned = VersionedTensor.from_address(pointer(capsule, b"dltensor_versioned"))
        if versioned.major > 1:
            raise UnsharedError(
                f"the DLPack version {versioned.major}.{versioned.minor} is not supported"
            )
        return versioned.tensor, bool(versioned.flags & _READ_ONLY)
    if is_valid(capsule, b"dltensor"):
        return _Tensor.from_address(pointer(capsule, b"dltensor")), False
    raise UnsharedError("__dlpack__ of the array returns no DLPack tensor")


def _is_immutable(value: object) -> bool:
    return type(value).__module__.partition(".")[0] in _IMMUTABLE


ArrayList = tuple[Array, ...]
"""Arrays that are passed as one argument: the address of a list of their addresses."""


def arrays_in(values: Iterable[object]) -> list[Array]:
    """The arrays among arguments, including those in lists of arrays."""
    listed = [value if isinstance(value, tuple) else (value,) for value in values]
    return [each for group in listed for each in group if isinstance(each, np.ndarray)]


_ALIGNMENT = 64
"""Addresses of copies equal those of the arrays modulo this many bytes: enough for kernels."""


def copies(values: Sequence[Array | ArrayList | Number]) -> list[Array | ArrayList | Number]:
    """The values with copies of the arrays, which keep strides, alignment and shared memory."""
    copied = iter(_copied_arrays(arrays_in(values)))
    return [
        next(copied)
        if isinstance(value, np.ndarray)
        else tuple(next(copied) for _ in value)
        if isinstance(value, tuple)
        else value
        for value in values
    ]


def _copied_arrays(values: Sequence[Array]) -> list[Array]:
    results = list(values)
    arrays = [
        (*byte_bounds(value), position, value)
        for position, value in enumerate(values)
        if value.size
    ]
    arrays.sort(key=lambda array: array[:2])
    first, end = 0, 0
    memory = np.empty(0, np.uint8)
    for index, (low, high, position, value) in enumerate(arrays):
        if low >= end:
            first, end = low, high
            for next_low, next_high, *_ in arrays[index + 1 :]:
                if next_low >= end:
                    break
                end = max(end, next_high)
            memory = _copied_bytes(first, end)
        results[position] = np.ndarray(
            value.shape, value.dtype, memory, value.ctypes.data - first, value.strides
        )
    return results


def _copied_bytes(low: int, high: int) -> Array:
    """A copy of the bytes between two addresses, with the same alignment."""
    room = np.empty(high - low + _ALIGNMENT, np.uint8)
    start = (low - room.ctypes.data) % _ALIGNMENT
    copied = room[start : start + high - low]
    ctypes.memmove(copied.ctypes.data, low, high - low)
    return copied
