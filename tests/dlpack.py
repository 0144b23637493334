"""DLPack tensors that say what a test wants, as other libraries would export them."""

import ctypes
from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.runtime.memory_views import CUDA, HOST, VersionedTensor

_CODES = {"b": 6, "i": 0, "u": 1, "f": 2}
_REDUCED = {
    np.dtype(ml_dtypes.bfloat16): 4,
    np.dtype(ml_dtypes.float8_e4m3fn): 10,
    np.dtype(ml_dtypes.float8_e5m2): 12,
}


class Tensor:
    """An array of another library: all it has is DLPack."""

    def __init__(
        self,
        array: np.ndarray,
        *,
        device: tuple[int, int] = (HOST, 0),
        address: int | None = None,
        is_versioned: bool = True,
        is_read_only: bool = False,
        code: int | None = None,
    ):
        self._array, self._device, self._is_versioned = array, device, is_versioned
        known = _REDUCED.get(array.dtype, _CODES.get(array.dtype.kind, 3))
        self._shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = [stride // array.itemsize for stride in array.strides]
        self._strides = (ctypes.c_int64 * array.ndim)(*strides)
        self._managed = VersionedTensor(major=1, minor=1, flags=int(is_read_only))
        tensor = self._managed.tensor
        tensor.data = array.ctypes.data if address is None else address
        tensor.device_type, tensor.device_id = device
        tensor.ndim, tensor.lanes = array.ndim, 1
        tensor.code, tensor.bits = known if code is None else code, 8 * array.itemsize
        tensor.shape = ctypes.cast(self._shape, ctypes.POINTER(ctypes.c_int64))
        tensor.strides = ctypes.cast(self._strides, ctypes.POINTER(ctypes.c_int64))
        self.streams: list[Any] = []

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        if options and not self._is_versioned:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.streams.append(stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = (
            ctypes.py_object,
            (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
        )
        whole = ctypes.addressof(self._managed)
        if self._is_versioned:
            return new(whole, b"dltensor_versioned", None)
        return new(whole + type(self._managed).tensor.offset, b"dltensor", None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def on_cuda(array: np.ndarray, address: int, device: int = 0) -> Tensor:
    """A tensor at an address of a CUDA device, of the shape and type of an array."""
    return Tensor(array, device=(CUDA, device), address=address)
