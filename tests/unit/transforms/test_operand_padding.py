"""Padding of -0.0 that only dots read is 0.0, which TMA fills in; any other padding stays."""

import pytest

from bench.matrix_kernels import CASES
from tests.unit import tools
from tests.unit.pipelines.zoo import lower
from tests.unit.transforms.tileas_assign_dot_layouts.tools import after, changed
from tileir_xdsl.dialects import nv_tileas

CASE = CASES["product_128x128x64"]
NEGATIVE = ("padding_value = zero", "padding_value = neg_zero")
INFINITE = ("padding_value = zero", "padding_value = neg_inf")
FROM_ONE = ("<f32: 0.000000e+00>", "<f32: 1.000000e+00>")
FROM_NEGATIVE = ("<f32: 0.000000e+00>", "<f32: -0.000000e+00>")
ADDED = (
    "continue %4 : tile<128x128xf32>",
    "%twice = addf %4, %4 : tile<128x128xf32>\n      continue %twice : tile<128x128xf32>",
)
READ = (
    "%4 = mmaf %tile, %tile_32",
    "%sum = addf %tile, %tile : tile<128x64xbf16>\n      %4 = mmaf %sum, %tile_32",
)
TURNED = (
    "%4 = mmaf %tile, %tile_32, %iterArg0 : tile<128x64xbf16>, tile<64x128xbf16>",
    "%turned = permute %tile_32 [1, 0] : tile<64x128xbf16> -> tile<128x64xbf16>\n"
    "      %back = permute %turned [1, 0] : tile<128x64xbf16> -> tile<64x128xbf16>\n"
    "      %4 = mmaf %tile, %back, %iterArg0 : tile<128x64xbf16>, tile<64x128xbf16>",
)


def paddings(program: str) -> list[str]:
    """What the loads of a kernel are padded with once they are ops of `nv_tileas`."""
    module = after("convert-tileaa-to-tileas", program, "sm_90a")
    loads = (op for op in module.walk() if isinstance(op, nv_tileas.TiledLoadOp))
    return [load.padding_value.data.value for load in loads if load.padding_value is not None]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ((NEGATIVE,), ["zero", "zero"]),
        ((NEGATIVE, TURNED), ["zero", "zero"]),
        # Another op reads one of the tiles.
        ((NEGATIVE, READ), ["neg_zero", "zero"]),
        # What the sums start from, or become, may be -0.0.
        ((NEGATIVE, FROM_NEGATIVE), ["neg_zero", "neg_zero"]),
        ((NEGATIVE, FROM_ONE), ["neg_zero", "neg_zero"]),
        ((NEGATIVE, ADDED), ["neg_zero", "neg_zero"]),
        ((INFINITE,), ["neg_inf", "neg_inf"]),
    ],
)
def test_zeros_of_either_sign_are_one(changes: tuple[tuple[str, str], ...], expected: list[str]):
    assert paddings(changed(CASE, *changes)) == expected


@pytest.mark.parametrize("gpu", ["sm_90a", "sm_120a"])
def test_they_come_by_tma(gpu: str):
    program = changed(CASE, NEGATIVE)
    kernel = lower(tools.parse(program), gpu)
    assert kernel.ptx == lower(tools.parse(CASE.text_path.read_text()), gpu).ptx
    assert "cp.async.bulk.tensor.2d.shared" in kernel.ptx
