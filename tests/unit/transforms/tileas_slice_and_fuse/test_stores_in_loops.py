"""Stores in loops that are repeated for every slice: only slices are stored, and in order."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.road.zoo import lower
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.analysis.values.tile_division import extents
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.assign_layouts import (
    PREFER_TMA_VARIABLE,
)
from tileir_xdsl.transforms.tileas_slice_and_fuse.budget import budget
from tileir_xdsl.transforms.tileas_slice_and_fuse.choice import Rejected, Slicing, slicings
from tileir_xdsl.transforms.tileas_slice_and_fuse.rewrite import slice_group

TO_TILEAA = "convert-cuda-tile-to-tileaa,canonicalize"
LENGTH, STEPS, SLICES = 64, 4, 4

TEXT = """
cuda_tile.module @m { entry @k(%px: tile<ptr<i32>>, %py: tile<ptr<i32>>, %ps: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %end = constant <i32: 4> : tile<i32>
  %none = constant <i32: 0> : tile<64xi32>
  %sixty_four = constant <i32: 64> : tile<64xi32>
  %tx = make_tensor_view %px, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
  %vx = make_partition_view %tx : partition_view<tile=(64), tensor_view<256xi32, strides=[1]>>
  %wx = make_partition_view %tx : partition_view<tile=(8), tensor_view<256xi32, strides=[1]>>
  %ty = make_tensor_view %py, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
  %vy = make_partition_view %ty : partition_view<tile=(64), tensor_view<256xi32, strides=[1]>>
  %wy = make_partition_view %ty : partition_view<tile=(8), tensor_view<256xi32, strides=[1]>>
  %ts = make_tensor_view %ps, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
  %vs = make_partition_view %ts : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>
  %ry = reshape %py : tile<ptr<i32>> -> tile<1xptr<i32>>
  %by = broadcast %ry : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %eight = broadcast %ry : tile<1xptr<i32>> -> tile<8xptr<i32>>
  %n = iota : tile<64xi32>
  %short = iota : tile<8xi32>
  %fixed = offset %by, %n : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %whole = offset %eight, %short : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
  %first = make_token : token
  %sum, %last = for %i in (%zero to %end, step %one) : tile<i32> iter_values(%acc = %none, %carried = %first) -> (tile<64xi32>, token) {
    %x, %loaded = load_view_tko weak %vx[%i] token = %first : partition_view<tile=(64), tensor_view<256xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %next = addi %acc, %x : tile<64xi32>
    %ir = reshape %i : tile<i32> -> tile<1xi32>
    %ib = broadcast %ir : tile<1xi32> -> tile<64xi32>
    %far = muli %ib, %sixty_four : tile<64xi32>
    %nf = addi %n, %far : tile<64xi32>
    %nn = addi %n, %ib : tile<64xi32>
    %apart = offset %by, %nf : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %near = offset %by, %nn : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    STORE
    continue %next, %stored : tile<64xi32>, token
  }
  %t2 = store_view_tko weak %sum, %vs[%zero] : tile<64xi32>, partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  return
} }
"""

SMALL = "partition_view<tile=(8), tensor_view<256xi32, strides=[1]>>"
LOAD_SMALL = f"%w, %tw = load_view_tko weak %wx[%i] token = %first : {SMALL}, tile<i32> -> tile<8xi32>, token"
STORE_SMALL = (
    f"store_view_tko weak %w, %wy[%i] token = TOKEN : tile<8xi32>, {SMALL}, tile<i32> -> token"
)


def through(pointers: str, value: str = "%x", tile: str = "64x") -> str:
    return (
        f"%stored = store_ptr_tko weak {pointers}, {value} token = TOKEN "
        f": tile<{tile}ptr<i32>>, tile<{tile}i32> -> token"
    )


STORES = {
    "slices of a view": (
        "%stored = store_view_tko weak %next, %vy[%i] token = TOKEN : tile<64xi32>, "
        "partition_view<tile=(64), tensor_view<256xi32, strides=[1]>>, tile<i32> -> token"
    ),
    "the same pointers": through("%fixed"),
    "pointers far apart": through("%apart"),
    "pointers of other slices": through("%near"),
    "a whole tile of a view": f"{LOAD_SMALL}\n%stored = {STORE_SMALL}",
    "a whole tile through pointers": f"{LOAD_SMALL}\n{through('%whole', '%w', '8x')}",
    "a scalar": through("%py", "%i", ""),
    "a whole tile in a branch": (
        f"{LOAD_SMALL}\n%even = cmpi less_than %i, %one, signed : tile<i32> -> tile<i1>\n"
        f"%stored = if %even -> (token) {{ %s = {STORE_SMALL} yield %s : token }} "
        "else { yield TOKEN : token }"
    ),
}

REPEATED = {
    "a whole tile of a view": "nv_tileaa.tiled_store",
    "a whole tile through pointers": "nv_tileaa.store",
    "a scalar": "nv_tileaa.store",
    "a whole tile in a branch": "nv_tileaa.tiled_store",
}
"""The op that would store the same for every slice."""

REORDERED = {"pointers far apart", "pointers of other slices"}
"""What may be stored by other slices in other iterations, as their pointers differ."""


def at_tileaa(name: str, token: str) -> ModuleOp:
    text = TEXT.replace("STORE", STORES[name]).replace("TOKEN", token)
    return tools.run_passes(tools.parse(text), TO_TILEAA)


def ways(module: ModuleOp) -> list[Slicing | Rejected]:
    """The ways to slice the tiles that are carried around the loop."""
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    target = get_target("sm_90a")
    found = slicings(function, target, budget(function, target), SLICES)
    return [way for way in found if extents(way.tile) == (LENGTH,)]


def results(module: ModuleOp) -> list[np.ndarray]:
    """What a program leaves in its arrays."""
    x = np.random.default_rng(1).integers(-9, 9, LENGTH * STEPS).astype(np.int32)
    arrays = [x, np.zeros_like(x), np.zeros(LENGTH, np.int32)]
    interpreters.launch(module, "k", (1, 1, 1), arrays)
    return arrays


@pytest.mark.parametrize("name", STORES)
def test_a_tile_that_is_not_sliced_is_stored_once(name: str):
    (way,) = ways(at_tileaa(name, "%first"))
    if name in REPEATED:
        assert isinstance(way, Rejected)
        assert way.reason == f"'{REPEATED[name]}' op would store a whole tile in every slice"
    else:
        assert isinstance(way, Slicing)


@pytest.mark.parametrize("name", [name for name in STORES if name not in REPEATED])
def test_stores_stay_in_order_between_iterations(name: str):
    """Slices agree with whole tiles where a loop carries the token of what it stores."""
    module = at_tileaa(name, "%carried")
    wanted = results(module)
    (way,) = ways(module)
    if name in REORDERED:
        assert isinstance(way, Rejected)
        assert way.reason == "'nv_tileaa.store' op follows an access of other slices"
        return
    assert isinstance(way, Slicing)
    assert len(slice_group(way.phases, SLICES)) == 1
    module.verify()
    for first, second in zip(wanted, results(module), strict=True):
        np.testing.assert_array_equal(first, second)


LARGE = """
cuda_tile.module @m { entry @k(%ax: tile<ptr<f32>>, %ay: tile<ptr<f32>>, %ps: tile<ptr<f32>>) optimization_hints=<default = {num_worker_warps_per_cta = 4}> {
  %px = assume div_by<16>, %ax : tile<ptr<f32>>
  %py = assume div_by<16>, %ay : tile<ptr<f32>>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %end = constant <i32: 2> : tile<i32>
  %none = constant <f32: 0.0> : tile<256x64xf32>
  %tx = make_tensor_view %px, shape = [512, 64], strides = [64, 1] : tensor_view<512x64xf32, strides=[64,1]>
  %vx = make_partition_view %tx : partition_view<tile=(256x64), tensor_view<512x64xf32, strides=[64,1]>>
  %wx = make_partition_view %tx : partition_view<tile=(16x64), tensor_view<512x64xf32, strides=[64,1]>>
  %ty = make_tensor_view %py, shape = [512, 64], strides = [64, 1] : tensor_view<512x64xf32, strides=[64,1]>
  %wy = make_partition_view %ty : partition_view<tile=(16x64), tensor_view<512x64xf32, strides=[64,1]>>
  %ts = make_tensor_view %ps, shape = [256, 64], strides = [64, 1] : tensor_view<256x64xf32, strides=[64,1]>
  %vs = make_partition_view %ts : partition_view<tile=(256x64), tensor_view<256x64xf32, strides=[64,1]>>
  %sum = for %i in (%zero to %end, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<256x64xf32>) {
    %x, %t0 = load_view_tko weak %vx[%i, %zero] : partition_view<tile=(256x64), tensor_view<512x64xf32, strides=[64,1]>>, tile<i32> -> tile<256x64xf32>, token
    %next = addf %acc, %x rounding<nearest_even> : tile<256x64xf32>
    %w, %t1 = load_view_tko weak %wx[%i, %zero] : partition_view<tile=(16x64), tensor_view<512x64xf32, strides=[64,1]>>, tile<i32> -> tile<16x64xf32>, token
    %v = addf %w, %w rounding<nearest_even> : tile<16x64xf32>
    %t2 = store_view_tko weak %v, %wy[%i, %zero] : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<512x64xf32, strides=[64,1]>>, tile<i32> -> token
    continue %next : tile<256x64xf32>
  }
  %t3 = store_view_tko weak %sum, %vs[%zero, %zero] : tile<256x64xf32>, partition_view<tile=(256x64), tensor_view<256x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
} }
"""
"""Sums of tiles of 256 rows, which exceed the registers, and stores of 16 rows between them."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a", "sm_120a"))
@pytest.mark.parametrize("tma", ("true", "false"))
def test_stores_of_a_compiled_loop_do_not_race(gpu: str, tma: str, monkeypatch: pytest.MonkeyPatch):
    """A bulk store of one slice would still be under way when the next one stores the same."""
    monkeypatch.setenv(PREFER_TMA_VARIABLE, tma)
    x = np.random.default_rng(1).integers(-9, 9, (512, 64)).astype(np.float32)
    doubled, total = np.zeros_like(x), np.zeros((256, 64), np.float32)
    kernel = find_kernel(tools.parse(LARGE), "k", "m")
    given = [Argument(None, as_argument(array, "k")) for array in (x, doubled, total)]
    lowered = lower(tools.parse(LARGE), gpu)
    emulator.load(lowered.ptx).launch(
        "k",
        (1, 1, 1),
        with_tensor_maps(lowered.module, "k", bind_arguments(kernel, given)),
        dynamic_shared=dynamic_shared_memory(lowered.module, "k"),
        late=True,
        races=True,
    )
    np.testing.assert_array_equal(total, x[:256] + x[256:])
    np.testing.assert_array_equal(doubled[:32], 2 * x[:32])
    assert not doubled[32:].any()
