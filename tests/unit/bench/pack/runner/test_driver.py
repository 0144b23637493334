"""Both ways to the driver, `cuda-bindings` and `ctypes`, with a stub in the place of `libcuda`."""

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.pack.packing import kernels_of_ptx
from bench.pack.runner.device import DriverDevice
from bench.pack.runner.driver import (
    DYNAMIC_SHARED_ATTRIBUTE,
    NON_PORTABLE_CLUSTER_ATTRIBUTE,
    RELAXED_CAPTURE,
    Api,
    BindingsApi,
    CtypesApi,
    DriverError,
    MapFields,
    open_api,
)
from bench.pack.runner.memory import Pack
from tests.stub_driver.library import Stub, image_of, kernel_lines

APIS: dict[str, Callable[[], Api]] = {"bindings": BindingsApi, "ctypes": CtypesApi}

PTX = """.version 9.0
.target sm_90a
.visible .entry scale(.param .u64 x, .param .u32 n, .param .f32 by) .reqntid 128 { ret; }
.visible .entry mapped(.param .align 64 .b8 map[128], .param .u8 small) { ret; }
"""


IMAGE = image_of("scale", "mapped")


@pytest.fixture
def kernels(tmp_path: Path) -> str:
    path = tmp_path / "kernels"
    path.write_text("\n".join(kernel_lines(IMAGE, kernels_of_ptx(PTX))) + "\n")
    return str(path)


def opened(way: str) -> Api:
    """The driver, with its context current."""
    api = APIS[way]()
    api.call("cuInit", 0)
    api.call("cuCtxSetCurrent", api.call("cuDevicePrimaryCtxRetain", 0))
    return api


def refusal(act: Callable[..., object], *arguments: Any) -> str:
    """What is said of a refused call."""
    with pytest.raises(DriverError) as raised:
        act(*arguments)
    return str(raised.value)


def loaded(api: Api, name: str) -> Any:
    buffer = np.frombuffer(IMAGE, np.uint8)
    module = api.call("cuModuleLoadData", buffer.ctypes.data)
    return api.call("cuModuleGetFunction", module, name.encode())


# Bodies, which run where the stub is the driver.


def devices(way: str) -> None:
    api = opened(way)
    assert api.device_name() == "a GPU of 27 bytes, by name"
    assert api.call("cuDeviceGetCount") == 1
    device = api.call("cuDeviceGet", 0)
    assert [api.call("cuDeviceGetAttribute", n, device) for n in (75, 76, 97)] == [9, 0, 232448]
    assert api.call("cuDeviceTotalMem_v2", device) == 5 << 30
    assert api.call("cuDriverGetVersion") == 13010
    invalid = "CUDA_ERROR_INVALID_DEVICE (invalid device ordinal)"
    assert refusal(api.call, "cuDeviceGet", 1) == f"cuDeviceGet: {invalid}"
    assert isinstance(open_api(), BindingsApi)


def memory(way: str) -> None:
    api = opened(way)
    first, second = (int(api.call("cuMemAlloc_v2", 1 << 10)) for _ in range(2))
    data, copy = np.arange(256, dtype=np.int32), np.zeros(256, np.int32)
    api.call("cuMemcpyHtoD_v2", first, data.ctypes.data, data.nbytes)
    api.call("cuMemcpyDtoD_v2", second, first, data.nbytes)
    api.call("cuMemsetD8Async", second, 0xFF, 8, 0)
    api.call("cuMemcpyDtoH_v2", copy.ctypes.data, second, data.nbytes)
    assert list(copy[:3]) == [-1, -1, 2]
    assert (copy[2:] == data[2:]).all()
    assert "INVALID_VALUE" in refusal(api.call, "cuMemsetD8Async", second + 1000, 0, 25, 0)
    assert "OUT_OF_MEMORY (out of memory)" in refusal(api.call, "cuMemAlloc_v2", 1 << 50)
    api.call("cuMemFree_v2", first)
    assert "INVALID_VALUE" in refusal(api.call, "cuMemFree_v2", first)


def functions(way: str) -> None:
    api = opened(way)
    wrong = np.zeros(64, np.uint8)
    assert "CUDA_ERROR_INVALID_IMAGE" in refusal(api.call, "cuModuleLoadData", wrong.ctypes.data)
    assert "CUDA_ERROR_NOT_FOUND" in refusal(loaded, api, "other")
    mapped = loaded(api, "mapped")
    assert [list(api.call("cuFuncGetParamInfo", mapped, i)) for i in (0, 1)] == [[0, 128], [128, 1]]
    assert "INVALID_VALUE" in refusal(api.call, "cuFuncGetParamInfo", mapped, 2)
    for attribute, value in (
        (DYNAMIC_SHARED_ATTRIBUTE, 100 << 10),
        (NON_PORTABLE_CLUSTER_ATTRIBUTE, 1),
    ):
        api.call("cuFuncSetAttribute", mapped, attribute, value)
    too_much = ("cuFuncSetAttribute", mapped, DYNAMIC_SHARED_ATTRIBUTE, 228 << 10)
    assert "INVALID_VALUE" in refusal(api.call, *too_much)


def maps(way: str) -> None:
    api = opened(way)
    address = int(api.call("cuMemAlloc_v2", 1 << 16))
    tiled = MapFields(7, address, (64, 8), (256,), (32, 4), (1, 2), 3, nan=True)
    words = np.frombuffer(api.encode_map(tiled), np.uint32)
    assert list(words[:6]) == [7, 2, 3, 2, 1, 0]
    assert int(words[6:8].view(np.uint64)[0]) == address
    assert [list(words[i : i + n]) for i, n in ((8, 3), (13, 2), (17, 3), (22, 3))] == [
        [64, 8, 0], [256, 0], [32, 4, 0], [1, 2, 0],
    ]  # fmt: skip
    corners = (-1, -2), (0, 1)
    extents, strides = (8, 9, 9, 2), (32, 288, 2592)
    pixels = MapFields(7, address, extents, strides, (8, 64), (1,) * 4, 0, False, corners)
    words = np.frombuffer(api.encode_map(pixels), np.uint32)
    assert list(words[:6]) == [7, 4, 0, 2, 0, 0]
    assert [list(words[i : i + 5]) for i in (8, 13, 17, 22)] == [
        [*extents, 0], [*strides, 0, 8], [8, 64, 0, 0, 0], [1, 1, 1, 1, 0],
    ]  # fmt: skip
    assert list(words[27:29].view(np.int16)) == [-1, 0, -2, 1]
    odd = MapFields(7, address + 8, (64, 8), (256,), (32, 4), (1, 1), 3, nan=False)
    invalid = "CUDA_ERROR_INVALID_VALUE (invalid argument)"
    assert refusal(api.encode_map, odd) == f"cuTensorMapEncodeTiled: {invalid}"


class OneModule(Pack):
    """A pack without files."""

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return {"compute_capability": "9.0"}

    def cubin(self, module: str) -> bytes:
        return IMAGE


SCALE = {
    "module": "m", "kernel": "scale", "grid": [1, 1, 1], "block": [128, 1, 1], "shared": 0,
}  # fmt: skip


def launches(way: str) -> None:
    device = DriverDevice(APIS[way](), OneModule(Path()))
    address, data = device.allocate(512), np.arange(128, dtype=np.float32)
    expected = data.copy()
    device.upload(address, data)
    arguments: list[Any] = [
        {"bytes": np.asarray(value).tobytes().hex()}
        for value in (np.uint64(address), np.int32(128), np.float32(3))
    ]
    start = device.prepare({**SCALE, "arguments": arguments}, [])

    def twice() -> None:
        start()
        start()
        device.fill(address, 0, 4)

    # Nothing of a graph runs before it is launched.
    with device.captured(twice) as replay:
        device.download(address, data)
        assert (data == expected).all()
        assert device.seconds(replay, 10) == 2 * 0.5e-3
    expected *= 9
    expected[0] = 0
    device.download(address, data)
    assert (data == expected).all()
    clustered = {**SCALE, "grid": [4, 1, 1], "cluster": [4, 1, 1], "asks_cluster": True}
    device.prepare({**clustered, "arguments": arguments}, [])()
    odd = device.prepare({**clustered, "grid": [6, 1, 1], "arguments": arguments}, [])
    assert "INVALID_VALUE" in refusal(odd)
    problem = refusal(device.prepare, {**SCALE, "arguments": arguments[:2]}, [])
    assert problem == "launch: parameter 2 has 4 bytes, no are given"


def captures(way: str) -> None:
    api = opened(way)
    refused = refusal(api.call, "cuStreamBeginCapture_v2", 0, RELAXED_CAPTURE)
    assert "STREAM_CAPTURE" in refused
    events = [api.call("cuEventCreate", 0) for _ in range(2)]
    assert "INVALID_HANDLE" in refusal(api.call, "cuEventElapsedTime", *events)


def statuses(way: str) -> None:
    """Of a newer driver than `cuda-bindings` are for, of an older one, and of no context."""
    api = opened(way)
    os.environ["STUB_FAIL"] = "cuStreamCreate:12345"
    unknown = {"bindings": "12345 is not a valid CUresult", "ctypes": "status 12345"}
    assert refusal(api.call, "cuStreamCreate", 0) == f"cuStreamCreate: {unknown[way]}"
    api.call("cuCtxSetCurrent", 0)
    assert "CUDA_ERROR_INVALID_CONTEXT" in refusal(api.call, "cuMemAlloc_v2", 4)


def lacking(way: str) -> None:
    """A function that the driver does not have."""
    api = opened(way)
    found = refusal(api.call, "cuModuleUnload" if way == "bindings" else "cuModuleUnload_v9", 0)
    assert "CUDA_ERROR_NOT_FOUND" in found


def faults(way: str) -> None:
    """After a fault every call fails, until the process ends."""
    api = opened(way)
    scale, values = loaded(api, "scale"), np.array([0, 1, 0], np.uint64)
    places = np.array([values[i:].ctypes.data for i in range(3)], np.uint64)
    api.call("cuLaunchKernel", scale, 1, 1, 1, 128, 1, 1, 0, 0, places.ctypes.data, 0)
    illegal = "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
    assert refusal(api.call, "cuStreamQuery", 0) == f"cuStreamQuery: {illegal}"
    assert "ILLEGAL_ADDRESS" in refusal(api.call, "cuMemAlloc_v2", 4)


def every_body(way: str) -> None:
    for body in (devices, memory, functions, maps, launches, captures, statuses, lacking, faults):
        body(way)


@pytest.mark.parametrize("way", APIS)
def test_the_driver(way: str, stub_driver: Stub, kernels: str) -> None:
    settings = {
        "name": "a GPU of 27 bytes, by name",
        "capability": "9.0",
        "memory": str(5 << 30),
        "version": "13010",
        "busy": "3",
        "lacks": "cuModuleUnload",
        "kernels": kernels,
    }
    stub_driver.run(every_body, way, **settings)
