"""Kernels that load and store by TMA: PTX computes what the kernel means, in every mode."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.assign_layouts import (
    PREFER_TMA_VARIABLE,
)

MODES: tuple[dict[str, Any], ...] = ({"late": True, "races": True}, {"warp_seed": 1})
ROWS, COLUMNS, PITCH = 40, 72, 80
"""Neither is a multiple of the tile, 32 x 64."""


def kernel(element: str, padding: str, transposed: bool, loop: bool) -> str:
    """Adds one to every tile of a matrix; in a loop, all tiles of a row by one block."""
    view = f"tensor_view<?x?x{element}, strides=[?,1]>"
    tile, dims = ("64x32", ", dim_map=[1, 0]") if transposed else ("32x64", "")
    place = "%j, %i" if transposed else "%i, %j"

    def partition(more: str) -> str:
        return f"partition_view<tile=({tile}){more}, {view}{dims}>"

    one = "1.0" if element.startswith("f") else "1"
    body = f"""
      %x, %t = load_view_tko weak %a[{place}] token = %0 : {partition(padding)}, tile<i32> -> tile<{tile}x{element}>, token
      %y = {"addf" if element.startswith("f") else "addi"} %x, %one : tile<{tile}x{element}>
      %u = store_view_tko weak %y, %b[{place}] token = %t : tile<{tile}x{element}>, {partition("")}, tile<i32> -> token
    """
    if loop:
        body = f"""
      for %j in (%zero to %two, step %step) : tile<i32> {{
        {body}
        continue
      }}"""
    views = "".join(
        f"""
      %{name}_pointer = assume div_by<16>, %{name}p : tile<ptr<{element}>>
      %{name}_view = make_tensor_view %{name}_pointer, shape = [%m, %n], strides = [%pitch, 1] : tile<i32> -> {view}
      %{name} = make_partition_view %{name}_view : {partition(padding if name == "a" else "")}"""
        for name in "ab"
    )
    return f"""
    cuda_tile.module @m {{
      entry @k(%ap: tile<ptr<{element}>>, %bp: tile<ptr<{element}>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>) {{
      %0 = make_token : token
      %pitch = assume div_by<16>, %s : tile<i32>
      %one = constant <{element}: {one}> : tile<{tile}x{element}>
      %zero = constant <i32: 0> : tile<i32>
      %two = constant <i32: 2> : tile<i32>
      %step = constant <i32: 1> : tile<i32>
      %i, {"%k" if loop else "%j"}, %z = get_tile_block_id : tile<i32>
      {views}
      {body}
      return
      }}
    }}
    """


def run(text: str, array: NDArray[np.generic], loop: bool) -> None:
    """Runs a kernel as it is, and as PTX in every mode, and compares."""
    numbers = [ROWS, COLUMNS, PITCH]
    grid = (2, 1 if loop else 2, 1)
    expected = np.zeros_like(array)
    interpreters.launch(tools.parse(text), "k", grid, [array.copy(), expected, *numbers])
    assert expected.any()
    module = tools.run_passes(tools.parse(text), "tileir-pipeline{gpu=sm_90a}")
    ptx = emit(module)
    assert "cp.async.bulk.tensor.2d.shared" in ptx and "cp.async.bulk.tensor.2d.global" in ptx
    assert assemble(ptx, "sm_90a").kernels["k"].spill_stores == 0
    shared = dynamic_shared_memory(module, "k")
    for mode in MODES:
        found = np.zeros_like(array)
        arguments = with_tensor_maps(module, "k", [array.copy(), found, *numbers])
        emulator.load(ptx).launch("k", grid, arguments, dynamic_shared=shared, **mode)
        np.testing.assert_array_equal(found.view(np.uint8), expected.view(np.uint8))


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("element", "dtype", "padding", "transposed", "loop"),
    [
        ("f16", np.float16, ", padding_value = zero", False, False),
        ("f32", np.float32, ", padding_value = nan", False, True),
        ("i8", np.int8, ", padding_value = zero", False, False),
        ("f16", np.float16, "", True, True),
        ("f64", np.float64, "", True, False),
        ("i32", np.int32, ", padding_value = zero", False, True),
    ],
)
def test_tiles_of_a_matrix(
    element: str,
    dtype: type,
    padding: str,
    transposed: bool,
    loop: bool,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "true")
    rng = np.random.default_rng(0)
    array = rng.integers(-50, 50, (ROWS, PITCH)).astype(dtype)
    run(kernel(element, padding, transposed, loop), array, loop)


def test_the_check_of_passes_follows_tensor_maps(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "true")
    module = tools.parse(KERNELS["known_sizes"].text_path.read_text())
    tools.run_passes(module, "tileir-pipeline{gpu=sm_90a check=true}")
    assert "nv_tileas.tensor_maps" in tools.to_text(module)
