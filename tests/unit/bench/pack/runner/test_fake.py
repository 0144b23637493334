"""The fake driver refuses what a driver refuses, and takes what fits."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bench.pack.devices import DEVICES
from bench.pack.packing import kernels_of_ptx
from bench.pack.runner.clock import SimulatedClock
from bench.pack.runner.costs import COSTS
from bench.pack.runner.driver import (
    DYNAMIC_SHARED_ATTRIBUTE,
    NON_PORTABLE_CLUSTER_ATTRIBUTE,
    RELAXED_CAPTURE,
    DriverError,
    MapFields,
)
from bench.pack.runner.fake import FakeApi, Rehearsal
from bench.pack.runner.memory import Placed

PTX = """.version 9.0
.target sm_90a
.extern .shared .align 16 .b8 buffer[];
.shared .align 16 .b8 common[4096];
.visible .entry plain(.param .u64 out, .param .u32 n, .param .align 64 .b8 map[128])
.reqntid 128
{ .shared .align 16 .b8 mine[1024]; mov.u32 %r, common; }
.visible .entry cluster(.param .u64 out)
.reqntid 64, 2
.reqnctapercluster 4, 1, 1
{ ret; }
.visible .entry large(.param .u64 out)
.reqntid 32
.reqnctapercluster 16
{ .shared .align 16 .b8 mine[65536]; }
.visible .entry counted(.param .u64 out)
.reqntid 128
.reqnctapercluster 2
.blocksareclusters
{ ret; }
"""
IMAGE = b"\x7fELF".ljust(64, b"\0")


def opened(rehearse: str = "") -> FakeApi:
    known = {IMAGE: ("m", kernels_of_ptx(PTX))}.get
    seconds = {("m/plain", 7, 1, 1): 0.25}
    limits, plan = DEVICES["sm_90a"].described, Rehearsal.parse(rehearse)
    return FakeApi(known, "9.0", limits, plan, SimulatedClock(), COSTS, seconds)


def function(api: FakeApi, name: str) -> Any:
    buffer = ctypes.create_string_buffer(IMAGE, len(IMAGE))
    module = api.call("cuModuleLoadData", ctypes.addressof(buffer))
    return api.call("cuModuleGetFunction", module, name.encode())


def launch(
    api: FakeApi, kernel: Any, grid: tuple[int, ...], block: tuple[int, ...], shared: int = 0
) -> None:
    api.call("cuLaunchKernel", kernel, *grid, *block, shared, 0, 1, 0)


def test_what_fits_is_taken() -> None:
    api = opened()
    launch(api, function(api, "plain"), (7, 1, 1), (128, 1, 1))
    launch(api, function(api, "cluster"), (8, 1, 1), (64, 2, 1))
    launch(api, function(api, "counted"), (3, 1, 1), (128, 1, 1))
    launch(api, function(api, "counted"), (3, 1, 1), (1, 1, 1))
    plain = function(api, "plain")
    api.call("cuFuncSetAttribute", plain, DYNAMIC_SHARED_ATTRIBUTE, 200 * 1024)
    launch(api, plain, (1, 1, 1), (128, 1, 1), 200 * 1024)


REFUSED: dict[str, tuple[str, Callable[[FakeApi], object]]] = {
    "a block of other threads": (
        "a block of",
        lambda api: launch(api, function(api, "plain"), (1, 1, 1), (64, 1, 1)),
    ),
    "a block of 1x1x1": (
        "a block of",
        lambda api: launch(api, function(api, "plain"), (1, 1, 1), (1, 1, 1)),
    ),
    "an empty grid": (
        "a grid of",
        lambda api: launch(api, function(api, "plain"), (1, 0, 1), (128, 1, 1)),
    ),
    "a grid too high": (
        "a grid of",
        lambda api: launch(api, function(api, "plain"), (1, 65536, 1), (128, 1, 1)),
    ),
    "a grid of parts of clusters": (
        "of clusters of",
        lambda api: launch(api, function(api, "cluster"), (6, 1, 1), (64, 2, 1)),
    ),
    "a cluster that is not portable": (
        "CUDA_ERROR_INVALID_CLUSTER_SIZE",
        lambda api: launch(api, function(api, "large"), (16, 1, 1), (32, 1, 1)),
    ),
    "dynamic shared memory without opt-in": (
        "dynamic shared memory",
        lambda api: launch(api, function(api, "plain"), (1, 1, 1), (128, 1, 1), 64 * 1024),
    ),
    "dynamic shared memory beside static without opt-in": (
        "dynamic shared memory",
        lambda api: launch(api, function(api, "plain"), (1, 1, 1), (128, 1, 1), 44 * 1024),
    ),
    "more shared memory than there is": (
        "bytes of shared memory",
        lambda api: api.call(
            "cuFuncSetAttribute", function(api, "plain"), DYNAMIC_SHARED_ATTRIBUTE, 227 * 1024
        ),
    ),
    "no kernel of the module": ("CUDA_ERROR_NOT_FOUND", lambda api: function(api, "other")),
    "no parameter of the kernel": (
        "no parameter 3",
        lambda api: api.call("cuFuncGetParamInfo", function(api, "plain"), 3),
    ),
    "a copy past an allocation": (
        "not within an allocation",
        lambda api: api.call("cuMemcpyHtoD_v2", api.call("cuMemAlloc_v2", 100), 0, 101),
    ),
    "memory that was given back": (
        "not within an allocation",
        lambda api: freed(api),
    ),
    "more memory than there is": ("OUT_OF_MEMORY", lambda api: api.call("cuMemAlloc_v2", 1 << 40)),
    "an image of something else": (
        "CUDA_ERROR_INVALID_IMAGE",
        lambda api: api.call("cuModuleLoadData", np.zeros(64, np.uint8).ctypes.data),
    ),
}


def freed(api: FakeApi) -> object:
    address = api.call("cuMemAlloc_v2", 256)
    api.call("cuMemFree_v2", address)
    return api.call("cuMemsetD8Async", address, 0, 1, 0)


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    problem, act = REFUSED[name]
    with pytest.raises(DriverError, match=problem):
        act(opened())


def test_clusters_of_sixteen_ask_first() -> None:
    api = opened()
    large = function(api, "large")
    api.call("cuFuncSetAttribute", large, NON_PORTABLE_CLUSTER_ATTRIBUTE, 1)
    with pytest.raises(DriverError, match="static shared memory"):
        launch(api, large, (16, 1, 1), (32, 1, 1))


def test_a_graph_does_what_was_captured_when_it_is_launched() -> None:
    api = opened("hang:plain")
    plain, stream = function(api, "plain"), api.call("cuStreamCreate", 0)
    with pytest.raises(DriverError, match="the default stream"):
        api.call("cuStreamBeginCapture_v2", 0, RELAXED_CAPTURE)
    api.call("cuStreamBeginCapture_v2", stream, RELAXED_CAPTURE)
    api.call("cuLaunchKernel", plain, 1, 1, 1, 128, 1, 1, 0, stream, 1, 0)
    graph = api.call("cuStreamEndCapture", stream)
    executable = api.call("cuGraphInstantiateWithFlags", graph, 0)
    api.call("cuStreamQuery", 0)
    api.call("cuGraphLaunch", executable, 0)
    with pytest.raises(DriverError, match="NOT_READY"):
        api.call("cuStreamQuery", 0)


def test_work_takes_the_time_that_it_is_charged() -> None:
    api = opened()
    plain, stream = function(api, "plain"), 0
    assert api.clock.now() == COSTS["module"]
    first, last = (api.call("cuEventCreate", 0) for _ in range(2))
    api.call("cuEventRecord", first, stream)
    for grid in ((7, 1, 1), (8, 1, 1)):
        launch(api, plain, grid, (128, 1, 1))
    api.call("cuEventRecord", last, stream)
    # A launch returns at once; of one grid the time is known.
    assert api.clock.now() == COSTS["module"]
    assert api.call("cuEventElapsedTime", first, last) == pytest.approx(
        250 + 1000 * COSTS["kernel"]
    )
    with pytest.raises(DriverError, match="NOT_READY"):
        api.call("cuStreamQuery", 0)
    api.clock.sleep(0.26)
    api.call("cuStreamQuery", 0)
    # The host waits for a copy.
    before, address = api.clock.now(), api.call("cuMemAlloc_v2", 1 << 20)
    api.call("cuMemcpyHtoD_v2", address, 0, 1 << 20)
    assert api.clock.now() - before == pytest.approx(COSTS["copy_byte"] * (1 << 20))


def test_kernels_go_wrong_by_module_or_by_name() -> None:
    wrong = "refuse:m/cluster,fault:plain,no-gpu,hang:other/large"
    api = opened(wrong)
    with pytest.raises(DriverError, match="NO_DEVICE"):
        api.call("cuInit", 0)
    with pytest.raises(DriverError, match="NO_BINARY_FOR_GPU"):
        function(api, "cluster")
    assert function(api, "large")
    launch(api, function(api, "plain"), (7, 1, 1), (128, 1, 1))
    with pytest.raises(DriverError, match="ILLEGAL_ADDRESS"):
        api.call("cuStreamQuery", 0)


def fields(**changed: Any) -> MapFields:
    settings: dict[str, Any] = {
        "element": 7,
        "address": 0,
        "extents": (64, 8),
        "strides": (256,),
        "box": (32, 4),
        "steps": (1, 1),
        "swizzle": 3,
        "nan": False,
    }
    return MapFields(**{**settings, **changed})


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"offset": 8}, "the address"),
        ({"strides": (264,)}, "a stride"),
        ({"box": (3, 4)}, "a row of the box is no multiple"),
        ({"box": (64, 4)}, "longer than the swizzle"),
        ({"box": (32, 257)}, "a box is too large"),
        ({"extents": (64, 0)}, "an extent"),
        ({"steps": (9, 1)}, "an element stride"),
        ({"element": 2, "nan": True}, "integers cannot be filled"),
        ({"corners": ((0,), (0,))}, "im2col takes"),
    ],
)
def test_tensor_maps(changed: dict[str, Any], problem: str) -> None:
    api = opened()
    address = api.call("cuMemAlloc_v2", 4096)
    offset = changed.pop("offset", 0)
    assert len(api.encode_map(fields(address=address))) == 128
    with pytest.raises(DriverError, match=problem):
        api.encode_map(fields(address=address + offset, **changed))


def test_placed_arrays_know_their_bytes() -> None:
    assert Placed(0, "bfloat16", (3, 4), (8, 2)).bytes == 24
