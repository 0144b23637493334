"""The GPU's side of launches through the real `cuda-bindings`, with a stub in the place of `libcuda`."""

import os
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from bench.pack.packing import kernels_of_ptx
from tests.stub_driver.library import Stub, image_of, kernel_lines
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.runtime import launching
from tileir_xdsl.runtime.driver import GPUError, load_driver
from tileir_xdsl.runtime.gpu import DATA_TYPES, GPU, SWIZZLES, pack
from tileir_xdsl.runtime.gpu_launching import launch_on_arrays
from tileir_xdsl.testing.kernels import KERNELS

PTX = """.version 9.0
.target sm_90a
.visible .entry scale(.param .u64 x, .param .u32 n, .param .f32 by) .reqntid 128 { ret; }
.visible .entry mapped(.param .u64 x, .param .align 64 .b8 map[128]) { ret; }
.visible .entry empty() { ret; }
.visible .entry shared() { .shared .align 16 .b8 mine[8192]; ret; }
"""
IMAGE = image_of("scale", "mapped", "empty", "shared")
BLOCK = (128, 1, 1)


@pytest.fixture
def kernels(tmp_path: Path) -> str:
    path = tmp_path / "kernels"
    path.write_text("\n".join(kernel_lines(IMAGE, kernels_of_ptx(PTX))) + "\n")
    return str(path)


def refusal(act: Callable[..., object], *arguments: object) -> str:
    with pytest.raises(GPUError) as raised:
        act(*arguments)
    return str(raised.value)


# Bodies, which run where the stub is the driver.


def devices() -> None:
    gpu = GPU.open()
    assert gpu.name == "a GPU" and gpu.compute_capability == (10, 3)
    invalid = "cuDeviceGet: CUDA_ERROR_INVALID_DEVICE"
    assert refusal(gpu.driver.call, "cuDeviceGet", 1) == invalid


def launches() -> None:
    gpu = GPU.open()
    kernel, x = gpu.load(IMAGE, "scale", 100 << 10), np.arange(128, dtype=np.float32)
    launch_on_arrays(kernel, (2, 1, 1), BLOCK, [x, np.int32(100), np.float32(3)])
    assert list(x[:3]) == [0, 3, 6] and list(x[99:101]) == [297, 100]
    with gpu.allocate(x.nbytes) as memory:
        memory.upload(x)
        parameters = [pack(memory.address), np.int32(1).tobytes(), np.float32(2).tobytes()]

        def work() -> None:
            kernel.launch((1, 1, 1), BLOCK, parameters)

        assert gpu.seconds(work) == 0.0005
    gpu.load(IMAGE, "empty").launch((1, 1, 1), (1, 1, 1), [])
    assert refusal(kernel.launch, (1, 1, 1), (64, 1, 1), parameters) == (
        "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE"
    )
    assert refusal(gpu.load, IMAGE, "other") == "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND"
    assert refusal(gpu.load, b"text" * 16, "k") == "cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE"
    assert refusal(gpu.load, IMAGE, "scale", 228 << 10) == (
        "cuFuncSetAttribute: CUDA_ERROR_INVALID_VALUE"
    )


def beside_static() -> None:
    """Dynamic shared memory that fits below 48 KiB alone, but not beside static memory."""
    kernel = GPU.open().load(IMAGE, "shared", 44 << 10)
    kernel.launch((1, 1, 1), BLOCK, [])


def compiled() -> None:
    vector, path = np.zeros(1000, np.float32), KERNELS["vector_add"].text_path
    launching.run(str(path), (8,), [vector] * 3, level="ptx", device="gpu", gpu="sm_90a")


def maps() -> None:
    gpu, array = GPU.open(), np.zeros((2, 8), np.float32)
    launch_on_arrays(
        gpu.load(IMAGE, "mapped"),
        (1, 1, 1),
        BLOCK,
        [array, TensorMap(array, (1, 8), 32, (1, 2), fills_with_nan=True)],
    )
    names = gpu.driver.bindings.CUtensorMapDataType
    for dtype, number in DATA_TYPES.items():
        name = "BFLOAT16" if dtype == ml_dtypes.bfloat16 else dtype.name.upper()
        assert names(number).name == f"CU_TENSOR_MAP_DATA_TYPE_{name}"
    for span, number in SWIZZLES.items():
        name = gpu.driver.bindings.CUtensorMapSwizzle(number).name
        assert name.removeprefix("CU_TENSOR_MAP_SWIZZLE_") == (f"{span}B" if span else "NONE")
    with gpu.allocate(1024) as memory:
        odd = memory.address + 8
        assert refusal(gpu.tensor_map, TensorMap(array, (1, 8), 0), odd) == (
            "cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE"
        )


def statuses() -> None:
    gpu = GPU.open()
    os.environ["STUB_FAIL"] = "cuEventCreate:12345"
    assert refusal(gpu.driver.call, "cuEventCreate", 0) == (
        "cuEventCreate: 12345 is not a valid CUresult"
    )
    lacked = refusal(gpu.driver.call, "cuModuleUnload", 0)
    assert lacked == "cuModuleUnload: function cuModuleUnload is not found"


def faults() -> None:
    """What ends a launch stays; nothing can be done on the device any more."""
    gpu = GPU.open()
    kernel, x = gpu.load(IMAGE, "scale"), np.zeros(4, np.float32)
    # The kernel goes beyond the array.
    problem = refusal(launch_on_arrays, kernel, (1, 1, 1), BLOCK, [x, np.int32(5), np.float32(1)])
    assert problem == "the kernel has failed: CUDA_ERROR_ILLEGAL_ADDRESS"
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in refusal(gpu.allocate, 4)


def every_body() -> None:
    for body in (devices, launches, beside_static, compiled, maps, statuses, faults):
        body()


def test_the_driver(stub_driver: Stub, kernels: str) -> None:
    calls = stub_driver.run(
        every_body,
        name="a GPU",
        capability="10.3",
        kernels=kernels,
        busy="3",
        lacks="cuModuleUnload",
    )
    assert any(call.startswith("executed vector_add grid 8 1 1") for call in calls)
    executed = [call.split() for call in calls if call.startswith("executed mapped")]
    # Of the map: float32, rank 2, 32 bytes of swizzle, 128 bytes of promotion, NaN outside.
    words = np.frombuffer(bytes.fromhex(executed[0][-1]), np.uint32)
    assert [list(words[i : i + n]) for i, n in ((0, 6), (8, 2), (13, 1), (17, 2), (22, 2))] == [
        [7, 2, 1, 2, 1, 0], [8, 2], [32], [8, 1], [2, 1],
    ]  # fmt: skip
    assert bytes.fromhex(executed[0][-2]) == words[6:8].tobytes()


def hanging() -> None:
    gpu = GPU.open()
    kernel = gpu.load(IMAGE, "empty")
    kernel.launch((1, 1, 1), BLOCK, [])
    assert refusal(gpu.synchronize, 0.01) == "the kernel has not ended after 0.01 s"
    assert gpu.is_lost


def nowhere() -> None:
    assert refusal(load_driver) == "no GPU can be used: there is no NVIDIA driver, or no device"


@pytest.mark.parametrize(
    ("body", "settings"), [(hanging, {"hang": "empty"}), (nowhere, {"devices": "0"})]
)
def test_what_ends_a_process(
    body: Callable[[], None], settings: dict[str, str], stub_driver: Stub, kernels: str
) -> None:
    stub_driver.run(body, kernels=kernels, **settings)


def test_without_a_driver():
    """As on this machine, where no stub is set."""
    nowhere()
