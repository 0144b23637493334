"""Arrays of other libraries, by the protocols that these have."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.dlpack import Tensor, on_cuda
from tileir_xdsl.runtime.memory_views import UnsharedError, copies, shared_array


class Interface:
    """An array that has nothing but an array interface."""

    def __init__(self, name: str, interface: dict[str, Any]):
        setattr(self, name, interface)


def of(array: np.ndarray, **changed: Any) -> dict[str, Any]:
    return {**array.__array_interface__, **changed}


def shared(value: Any) -> np.ndarray:
    found = shared_array(value)
    assert found is not None
    return found.array


@pytest.mark.parametrize(
    "dtype",
    [
        *(np.dtype(name) for name in ("?", "i1", "i2", "i4", "i8", "u1", "u8", "f2", "f4", "f8")),
        *map(np.dtype, (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)),
    ],
    ids=str,
)
@pytest.mark.parametrize("is_versioned", [True, False])
def test_dlpack_shares_memory(dtype: np.dtype[Any], is_versioned: bool):
    array = np.arange(24).reshape(4, 6).astype(dtype)[1:, ::2]
    view = shared(Tensor(array, is_versioned=is_versioned))
    assert (view.dtype, view.shape, view.strides) == (array.dtype, array.shape, array.strides)
    assert view.ctypes.data == array.ctypes.data and view.flags.writeable
    assert view.tobytes() == array.tobytes()


def test_read_only_memory_stays_so():
    assert not shared(Tensor(np.zeros(3), is_read_only=True)).flags.writeable
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    assert not shared(Interface("__array_interface__", of(fixed))).flags.writeable

    class Array(Tensor):
        """An array of a library whose arrays never change."""

    Array.__module__ = "jaxlib.xla_extension"
    assert not shared(Array(np.zeros(3))).flags.writeable


def test_memory_lives_as_long_as_the_view():
    view = shared(np.arange(1000) * 1)
    again = shared(Tensor(view))
    assert (again == np.arange(1000)).all()


def test_interfaces():
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    view = shared(Interface("__array_interface__", of(array.T)))
    assert np.array_equal(view, array.T) and view.ctypes.data == array.ctypes.data
    found = shared_array(Interface("__cuda_array_interface__", of(array, data=(0x7000, False))))
    assert found is not None and found.device == 0
    assert (found.array.ctypes.data, found.array.shape) == (0x7000, (3, 4))


def test_arrays_of_a_gpu_are_not_looked_into():
    tensor = on_cuda(np.zeros((2, 8), ml_dtypes.bfloat16), 0x4000, device=3)
    found = shared_array(tensor)
    assert found is not None and found.device == 3
    assert found.array.ctypes.data == 0x4000 and found.array.dtype == ml_dtypes.bfloat16
    # The kernel runs on the caller's stream: nobody has to wait for it.
    assert tensor.streams == [-1]


class Both(Tensor):
    """An array on a GPU with both protocols."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return of(np.zeros(3, np.float32), data=(0x5000, False))


def test_dlpack_comes_first_and_the_interface_helps_out():
    array = np.zeros(3, ml_dtypes.bfloat16)
    assert shared(Both(array, device=(2, 0), address=0x7000)).dtype == ml_dtypes.bfloat16
    found = shared(Both(np.zeros(3, np.complex64), device=(2, 0), address=0x7000))
    assert (found.dtype, found.ctypes.data) == (np.float32, 0x5000)

    class Refusing:
        """An array that wants gradients, as torch has them."""

        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            raise RuntimeError("use detach()")

    with pytest.raises(UnsharedError, match=r"use detach\(\)"):
        shared_array(Refusing())


def test_what_is_no_array():
    for value in (3, "text", None, [1], np.float32(3)):
        assert shared_array(value) is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Tensor(np.zeros(1), device=(10, 0)), "on DLPack device type 10, neither CPU nor CUDA"),
        (Tensor(np.zeros(1, np.complex64)), "of DLPack type 3 with 64 bits, which Tile IR lacks"),
        (Tensor(np.zeros(1), code=5), "of DLPack type 5 with 64 bits"),
        (Interface("__cuda_array_interface__", {"shape": (1,)}), "the array interface is wrong"),
        (Interface("__array_interface__", {"data": 3}), "the array interface is wrong"),
    ],
)
def test_what_cannot_be_shared(value: Any, message: str):
    with pytest.raises(UnsharedError, match=message):
        shared_array(value)


def test_copies():
    """Strides, what overlaps and addresses modulo 16 are as before; the memory is another."""
    base = np.arange(40, dtype=np.float32)
    given = [base[::2], base[9:21], np.float32(3), base[1:].reshape(3, 13).T, base[:0], base + 1]
    kept = copies(given)
    for one, other in zip(given, kept, strict=True):
        assert np.array_equal(one, other)
        if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.size:
            assert one.strides == other.strides and not np.shares_memory(one, other)
            assert one.ctypes.data % 16 == other.ctypes.data % 16
    strided, part = kept[0], kept[1]
    assert isinstance(strided, np.ndarray) and isinstance(part, np.ndarray)
    strided[5] = -1
    assert part[1] == -1 and base[10] == 10
