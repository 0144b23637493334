"""Products in loops whose factors are loaded ahead into shared memory: the same in every mode.

Factors are small integers, so that sums are exact in any order.
"""

import re
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools

MODES: tuple[dict[str, Any], ...] = ({"late": True}, {"races": True})

M, N, K = 80, 48, 200
"""None but the second is a multiple of the tiles, 64 x 64 of 32 steps."""

TILE, FULL_SIZE = (64, 64, 32), (128, 128, 64)

CPASYNC, TMA = "cp.async.cg.shared.global", "cp.async.bulk.tensor.2d.shared"


def kernel(
    element: str, accumulator: str, transposed: bool, extents: tuple[int, int, int] = TILE
) -> str:
    """A block multiplies rows of A with columns of B, some of K at once: `extents` of each."""
    rows, columns, depth = extents
    a_tile, b_tile, c_tile = f"{rows}x{depth}", f"{depth}x{columns}", f"{rows}x{columns}"
    view = f"tensor_view<?x?x{element}, strides=[?,1]>"
    zero = ", padding_value = zero"
    views = {
        "a": (a_tile, zero, "", "%m, %k", "%ka"),
        "b": (b_tile, zero, ", dim_map=[1, 0]" if transposed else "", "%k, %n", "%nb"),
    }
    if transposed:
        views["b"] = (*views["b"][:3], "%n, %k", "%ka")
    text = ""
    types: dict[str, str] = {}
    for name, (tile, padding, dims, sizes, stride) in views.items():
        types[name] = f"partition_view<tile=({tile}){padding}, {view}{dims}>"
        text += f"""
      %{name}_pointer = assume div_by<16>, %{name}p : tile<ptr<{element}>>
      %{name}_view = make_tensor_view %{name}_pointer, shape = [{sizes}], strides = [{stride}, 1] : tile<i32> -> {view}
      %{name} = make_partition_view %{name}_view : {types[name]}"""
    out = f"tensor_view<?x?x{accumulator}, strides=[?,1]>"
    mma = "mmai" if element == "i8" else "mmaf"
    signs = " signed signed" if element == "i8" else ""
    zeros = "0" if element == "i8" else "0.0"
    return f"""
    cuda_tile.module @m {{
      entry @k(%ap: tile<ptr<{element}>>, %bp: tile<ptr<{element}>>, %cp: tile<ptr<{accumulator}>>,
               %m: tile<i32>, %n: tile<i32>, %k: tile<i32>, %ks: tile<i32>, %ns: tile<i32>) {{
      %0 = make_token : token
      %ka = assume div_by<16>, %ks : tile<i32>
      %nb = assume div_by<16>, %ns : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %zero = constant <i32: 0> : tile<i32>
      %depth = constant <i32: {depth}> : tile<i32>
      %steps = divi %k, %depth unsigned rounding<positive_inf> : tile<i32>
      %init = constant <{accumulator}: {zeros}> : tile<{c_tile}x{accumulator}>
      %i, %j, %z = get_tile_block_id : tile<i32>
      {text}
      %sum = for %s in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %init) -> (tile<{c_tile}x{accumulator}>) {{
        %x, %t = load_view_tko weak %a[%i, %s] token = %0 : {types["a"]}, tile<i32> -> tile<{a_tile}x{element}>, token
        %y, %u = load_view_tko weak %b[%s, %j] token = %0 : {types["b"]}, tile<i32> -> tile<{b_tile}x{element}>, token
        %d = {mma} %x, %y, %acc{signs} : tile<{a_tile}x{element}>, tile<{b_tile}x{element}>, tile<{c_tile}x{accumulator}>
        continue %d : tile<{c_tile}x{accumulator}>
      }}
      %c_view = make_tensor_view %cp, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {out}
      %c = make_partition_view %c_view : partition_view<tile=({c_tile}), {out}>
      %w = store_view_tko weak %sum, %c[%i, %j] token = %0 : tile<{c_tile}x{accumulator}>, partition_view<tile=({c_tile}), {out}>, tile<i32> -> token
      return
      }}
    }}
    """


def check(
    text: str,
    grid: tuple[int, int, int],
    arguments: Sequence[NDArray[Any] | int],
    gpu: str,
    expected: str,
) -> None:
    """Runs a kernel as it is, and as PTX with an instruction in every mode; `arguments[2]` is out."""

    def fresh() -> list[NDArray[Any] | int]:
        return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]

    wanted = fresh()
    module = tools.parse(text)
    interpreters.launch(module, "k", grid, wanted)
    out = np.asarray(wanted[2])
    assert out.any()
    tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}")
    ptx = emit(module, gpu)
    assert expected in ptx
    assemble(ptx, gpu)
    shared = dynamic_shared_memory(module, "k")
    for mode in MODES:
        found = fresh()
        values = with_tensor_maps(module, "k", found)
        emulator.load(ptx).launch("k", grid, values, dynamic_shared=shared, **mode)
        np.testing.assert_array_equal(found[2], out)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("element", "accumulator", "dtype", "gpu", "transposed", "expected"),
    [
        ("f16", "f32", np.float16, "sm_80", False, CPASYNC),
        ("f16", "f16", np.float16, "sm_80", True, CPASYNC),
        ("tf32", "f32", np.float32, "sm_80", False, CPASYNC),
        ("i8", "i32", np.int8, "sm_80", False, CPASYNC),
        ("f8E4M3FN", "f32", ml_dtypes.float8_e4m3fn, "sm_89", True, CPASYNC),
        ("bf16", "f32", ml_dtypes.bfloat16, "sm_120a", False, TMA),
        ("f16", "f32", np.float16, "sm_120a", True, TMA),
        ("i8", "i32", np.int8, "sm_90a", True, TMA),
    ],
)
def test_a_product(
    element: str, accumulator: str, dtype: Any, gpu: str, transposed: bool, expected: str
):
    text = kernel(element, accumulator, transposed)
    rng = np.random.default_rng(0)
    k_pitch, n_pitch = 208, 64
    a = rng.integers(-2, 3, (M, k_pitch)).astype(dtype)
    b = rng.integers(-2, 3, (N, k_pitch) if transposed else (K, n_pitch)).astype(dtype)
    c = np.zeros((M, N), {"f32": np.float32, "f16": np.float16, "i32": np.int32}[accumulator])
    numbers = [M, N, K, k_pitch, n_pitch]
    check(text, (2, 1, 1), [a, b, c, *numbers], gpu, expected)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("element", "accumulator", "gpu", "transposed"),
    [
        ("f16", "f16", "sm_80", False),
        ("tf32", "f32", "sm_80", False),
        ("tf32", "f32", "sm_89", True),
        ("i8", "i32", "sm_80", True),
        ("f8E4M3FN", "f32", "sm_89", False),
        ("f16", "f32", "sm_120a", True),
        ("i8", "i32", "sm_120a", False),
    ],
)
def test_registers_suffice_at_full_size(element: str, accumulator: str, gpu: str, transposed: bool):
    """128 x 128 sums in eight warps, from memory by `ldmatrix`, and nothing spilled."""
    text = kernel(element, accumulator, transposed, FULL_SIZE)
    ptx = emit(tools.run_passes(tools.parse(text), f"tileir-pipeline{{gpu={gpu}}}"), gpu)
    assert "ldmatrix" in ptx
    report = assemble(ptx, gpu, "-v").report
    assert re.search(r"\b0 bytes spill stores, 0 bytes spill loads", report)


def heads_kernel() -> str:
    """As in attention: tiles of one head, without the dimension of heads, and keys transposed."""
    view = "tensor_view<?x?x32xf16, strides=[?,32,1]>"
    part = f"partition_view<tile=(1x64x32), padding_value = zero, {view}>"
    out = "tensor_view<?x64x64xf32, strides=[4096,64,1]>"
    parts_out = f"partition_view<tile=(1x64x64), {out}>"
    views = "".join(
        f"""
      %{name}_pointer = assume div_by<16>, %{name}p : tile<ptr<f16>>
      %{name}_view = make_tensor_view %{name}_pointer, shape = [%h, %l, 32], strides = [%pitch, 32, 1] : tile<i32> -> {view}
      %{name} = make_partition_view %{name}_view : {part}"""
        for name in "ab"
    )
    return f"""
    cuda_tile.module @m {{
      entry @k(%ap: tile<ptr<f16>>, %bp: tile<ptr<f16>>, %cp: tile<ptr<f32>>, %h: tile<i32>, %l: tile<i32>, %s: tile<i32>) {{
      %0 = make_token : token
      %pitch = assume div_by<16>, %s : tile<i32>
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %rows = constant <i32: 64> : tile<i32>
      %steps = divi %l, %rows unsigned rounding<positive_inf> : tile<i32>
      %init = constant <f32: 0.0> : tile<64x64xf32>
      %i, %j, %z = get_tile_block_id : tile<i32>
      {views}
      %sum = for %n in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %init) -> (tile<64x64xf32>) {{
        %x3, %t = load_view_tko weak %a[%i, %n, %zero] token = %0 : {part}, tile<i32> -> tile<1x64x32xf16>, token
        %y3, %u = load_view_tko weak %b[%i, %n, %zero] token = %0 : {part}, tile<i32> -> tile<1x64x32xf16>, token
        %x = reshape %x3 : tile<1x64x32xf16> -> tile<64x32xf16>
        %y2 = reshape %y3 : tile<1x64x32xf16> -> tile<64x32xf16>
        %y = permute %y2 [1, 0] : tile<64x32xf16> -> tile<32x64xf16>
        %d = mmaf %x, %y, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
        continue %d : tile<64x64xf32>
      }}
      %c_view = make_tensor_view %cp, shape = [%h, 64, 64], strides = [4096, 64, 1] : tile<i32> -> {out}
      %c = make_partition_view %c_view : {parts_out}
      %r = reshape %sum : tile<64x64xf32> -> tile<1x64x64xf32>
      %w = store_view_tko weak %r, %c[%i, %zero, %zero] token = %0 : tile<1x64x64xf32>, {parts_out}, tile<i32> -> token
      return
      }}
    }}
    """


@pytest.mark.parametrize(("gpu", "expected"), [("sm_80", CPASYNC), ("sm_120a", "tensor.3d.shared")])
def test_factors_that_change_shape(gpu: str, expected: str):
    heads, length = 2, 150
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (heads, length, 32)).astype(np.float16) for _ in range(2))
    c = np.zeros((heads, 64, 64), np.float32)
    arguments = [a, b, c, heads, length, length * 32]
    check(heads_kernel(), (heads, 1, 1), arguments, gpu, expected)
