"""Warps of kernels that do not say how many they want."""

import pytest

from tileir_xdsl.testing import tools
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


@pytest.mark.parametrize(("shape", "warps"), [("", 1), ("1x1x", 1), ("2x", 4), ("1x2x", 4)])
def test_kernels_with_tiles_have_one_warpgroup(shape: str, warps: int):
    text = f"%a = constant <i32: 0> : tile<{shape}i32>"
    module = tools.parse(f"cuda_tile.module @m {{ entry @k() {{ {text} return }} }}")
    assert worker_warps(module) == warps


@pytest.mark.parametrize(
    ("type", "warps"),
    [("16384xf32", 4), ("32768xf32", 8), ("32768xf16", 4), ("16384xi64", 8), ("65536xi1", 4)],
)
def test_a_tile_that_fills_four_warps_has_two_warpgroups(type: str, warps: int):
    text = f"entry @k() {{ %a = constant <{type.split('x')[1]}: 0> : tile<{type}> return }}"
    zero = "false" if type.endswith("i1") else "0.0" if "f" in type else "0"
    module = tools.parse(f"cuda_tile.module @m {{ {text.replace(': 0>', f': {zero}>')} }}")
    assert worker_warps(module) == warps


def dots(*shapes: tuple[int, int], chained: bool = False) -> str:
    """Dots of 64 rows and more, that add to one accumulator if they are chained."""
    text, sums = "", "%zero"
    for number, (m, n) in enumerate(shapes):
        a, b, c = f"tile<{m}x16xf16>", f"tile<16x{n}xf16>", f"tile<{m}x{n}xf32>"
        text += f"""%a{number} = constant <f16: 0.0> : {a} %b{number} = constant <f16: 0.0> : {b}
          %c{number} = constant <f32: 0.0> : {c}
          %d{number} = mmaf %a{number}, %b{number}, {sums if chained and number else f"%c{number}"}
            : {a}, {b}, {c}
        """
        sums = f"%d{number}"
    return f"cuda_tile.module @m {{ entry @k() {{ {text} return }} }}"


@pytest.mark.parametrize(
    ("shapes", "warps"),
    [(((64, 256),), 4), (((64, 64), (64, 256)), 8), (((64, 64), (64, 128)), 4)],
)
def test_accumulators_of_warps_leave_room_for_operands(
    shapes: tuple[tuple[int, int], ...], warps: int
):
    module = tools.parse(dots(*shapes))
    assert worker_warps(module, by_warps=True) == warps
    assert worker_warps(module) == 4
    for gpu, expected in (("sm_80", warps), ("sm_120a", warps), ("sm_90a", 4), ("sm_100a", 4)):
        conversion = f"convert-cuda-tile-to-tileaa{{compute-capability={gpu}}}"
        lowered = tools.run_passes(tools.parse(dots(*shapes)), conversion)
        assert f"num_warps = {expected}" in str(lowered)


def test_an_accumulator_counts_once():
    assert worker_warps(tools.parse(dots((64, 256), (64, 256), chained=True)), by_warps=True) == 4
    assert worker_warps(tools.parse(dots((64, 256), (64, 256))), by_warps=True) == 8
    # Each block of a cluster has a part.
    assert worker_warps(tools.parse(dots((64, 64), (64, 256))), 2, by_warps=True) == 4
