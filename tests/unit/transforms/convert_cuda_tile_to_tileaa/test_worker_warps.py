"""Warps of kernels that do not say how many they want."""

import pytest

from tests.unit import tools
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.worker_warps import worker_warps


def dot(m: int, n: int, k: int = 16) -> str:
    a, b, c = f"tile<{m}x{k}xf16>", f"tile<{k}x{n}xf16>", f"tile<{m}x{n}xf32>"
    return f"""cuda_tile.module @m {{ entry @k() {{
      %a = constant <f16: 0.0> : {a} %b = constant <f16: 0.0> : {b} %c = constant <f32: 0.0> : {c}
      %d = mmaf %a, %b, %c : {a}, {b}, {c} return }} }}"""


@pytest.mark.parametrize(
    ("m", "n", "warps"), [(64, 256, 4), (128, 32, 4), (128, 64, 8), (128, 256, 8), (256, 128, 8)]
)
def test_two_warpgroups_for_enough_rows(m: int, n: int, warps: int):
    module = tools.parse(dot(m, n))
    assert worker_warps(module) == warps
    lowered = tools.run_passes(module, "convert-cuda-tile-to-tileaa")
    assert f"num_warps = {warps}" in str(lowered)


def test_a_hint_decides():
    text = dot(128, 128).replace(
        "@k()", "@k() optimization_hints=<sm_90 = {num_worker_warps_per_cta = 4}>"
    )
    assert "num_warps = 4" in str(
        tools.run_passes(tools.parse(text), "convert-cuda-tile-to-tileaa")
    )


def test_other_kernels_have_one_warpgroup():
    assert worker_warps(tools.parse("cuda_tile.module @m { entry @k() { return } }")) == 4


@pytest.mark.parametrize(
    ("type", "warps"),
    [("16384xf32", 4), ("32768xf32", 8), ("32768xf16", 4), ("16384xi64", 8), ("65536xi1", 4)],
)
def test_a_tile_that_fills_four_warps_has_two_warpgroups(type: str, warps: int):
    text = f"entry @k() {{ %a = constant <{type.split('x')[1]}: 0> : tile<{type}> return }}"
    zero = "false" if type.endswith("i1") else "0.0" if "f" in type else "0"
    module = tools.parse(f"cuda_tile.module @m {{ {text.replace(': 0>', f': {zero}>')} }}")
    assert worker_warps(module) == warps
