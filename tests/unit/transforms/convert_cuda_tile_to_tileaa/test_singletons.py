"""The patterns that another pass may install alone: each converts its op and nothing else."""

from collections.abc import Callable

import pytest

from tileir_xdsl.rewriting import (
    Conversion,
    ConversionTarget,
    PatternTable,
    apply_partial_conversion,
)
from tileir_xdsl.targets import Target, get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa import ConvertCudaTileToTileAAPass
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.singletons import SINGLETONS
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.types import type_converter

PROGRAM = """
cuda_tile.module @m {
  global @g alignment = 16 <f32: [1.0, 2.0]> : tile<2xf32>
  testing$func @f(%w: tile<4xi32>, %x: tile<4xi32>, %y: tile<4xf32>, %z: tile<4xf32>, %c: tile<4xf32>) -> tile<4xf32> {
    %short = trunci %x : tile<4xi32> -> tile<4xi8>
    %root = rsqrt %y : tile<4xf32>
    %larger = maxi %w, %x signed : tile<4xi32>
    %float = itof %x unsigned : tile<4xi32> -> tile<4xf32>
    %product = fma %y, %z, %c : tile<4xf32>
    %one = constant <f32: 1.0> : tile<f32>
    %known = assume div_by<8>, %x : tile<4xi32>
    return %product : tile<4xf32>
  }
}
"""

CONVERTED = {
    "assume": "%known = nv_tileaa.assume #nv_tileaa.div_by<8>, %x_1 : tensor<4xi32>",
    "constant": "%one = arith.constant 1.000000e+00 : f32",
    "fma": "%product = nv_tileaa.fma %y_1, %z_1, %c_1 : tensor<4xf32>",
    "global": "nv_tileaa.global",
    "itof": "%float = arith.uitofp %x_1 : tensor<4xi32> to tensor<4xf32>",
    "maxi": "%larger = arith.maxsi %w_1, %x_1 : tensor<4xi32>",
    "rsqrt": "%root = nv_tileaa.rsqrt %y_1 : tensor<4xf32>",
    "trunci": "%short = nv_tileaa.trunci %x_1 : tensor<4xi32> to tensor<4xi8>",
}

Adder = Callable[[Conversion, Target], PatternTable]

TARGET = ConversionTarget(failure="cannot convert")


@pytest.mark.parametrize("add", SINGLETONS, ids=[add.__name__ for add in SINGLETONS])
def test_a_singleton_converts_its_op_alone(add: Adder):
    module = tools.parse(PROGRAM)
    before = {op.name for op in module.walk()}
    conversion = Conversion(type_converter())
    patterns = add(conversion, get_target("sm_90a"))
    apply_partial_conversion(module, patterns, TARGET, conversion)
    after = {op.name for op in module.walk()}
    mnemonic = add.__name__.removeprefix("add_")
    assert before - after == {f"cuda_tile.{mnemonic}"}
    assert CONVERTED[mnemonic] in tools.to_text(module)


def test_later_conversions_reconcile_the_casts():
    module = tools.parse(PROGRAM)
    for add in SINGLETONS:
        conversion = Conversion(type_converter())
        patterns = add(conversion, get_target("sm_90a"))
        apply_partial_conversion(module, patterns, TARGET, conversion)
    assert "unrealized_conversion_cast" in tools.to_text(module)
    ConvertCudaTileToTileAAPass().apply(tools.context(), module)
    directly = tools.parse(PROGRAM)
    tools.run_passes(directly, "convert-cuda-tile-to-tileaa")
    assert tools.to_text(module) == tools.to_text(directly)
