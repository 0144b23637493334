"""The first conversion as a whole: every op has a pattern, and every kernel of the zoo converts."""

from collections.abc import Iterable
from typing import cast

import numpy as np
import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.utils.exceptions import PassFailedException

from tests.unit.tools import REPOSITORY
from tileir_xdsl import interpreters
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.rewriting import Conversion
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa import (
    ConvertCudaTileToTileAAPass,
    patterns,
)
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.populators import POPULATORS
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.singletons import SINGLETONS
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.types import type_converter

STRUCTURED = {
    cuda_tile.BreakOp,
    cuda_tile.ContinueOp,
    cuda_tile.ForOp,
    cuda_tile.IfOp,
    cuda_tile.LoopOp,
}
"""Ops that are gone before types are converted: control flow, and its terminators."""

SPELLINGS = {cuda_tile.FPowFOp, cuda_tile.TokenJoinOp}
"""Names that reading turns into another op."""

TARGET = get_target("sm_90a")


def test_every_op_has_a_pattern():
    table = patterns(Conversion(type_converter()), TARGET)
    missing = [
        op.name
        for op in cuda_tile.CudaTile.operations
        if op not in table and op not in STRUCTURED | SPELLINGS
    ]
    assert missing == []


def test_every_op_is_shown_converted_by_filecheck():
    files = (REPOSITORY / "tests/filecheck/transforms").glob("convert-cuda-tile-to-tileaa*")
    shown = {type(op) for file in files for op in tools.parse(file.read_text()).walk()}
    missing = [op.name for op in cuda_tile.CudaTile.operations if op not in shown | SPELLINGS]
    assert missing == []


def test_the_groups_share_no_op():
    conversion = Conversion(type_converter())
    groups = [set(populate(conversion, TARGET)) for populate in (*POPULATORS, *SINGLETONS)]
    seen: set[type] = set()
    for group in groups:
        assert not seen & group
        seen |= group


def test_the_eight_singletons():
    conversion = Conversion(type_converter())
    names = sorted(op.name for add in SINGLETONS for op in add(conversion, TARGET))
    assert names == [
        f"cuda_tile.{name}"
        for name in ("assume", "constant", "fma", "global", "itof", "maxi", "rsqrt", "trunci")
    ]


def _dialects(attribute: Attribute) -> set[str]:
    """The dialects of an attribute or type and of all inside of it."""
    nested: Iterable[Attribute] = ()
    if isinstance(attribute, ParametrizedAttribute):
        nested = attribute.parameters
    elif isinstance(attribute, ArrayAttr):
        nested = cast(ArrayAttr[Attribute], attribute).data
    elif isinstance(attribute, DictionaryAttr):
        nested = attribute.data.values()
    return {attribute.name.partition(".")[0]}.union(*map(_dialects, nested))


def _dialects_in(module: ModuleOp) -> set[str]:
    """The dialects of all ops, types and attributes."""
    found: set[str] = set()
    for op in module.walk():
        blocks = [block for region in op.regions for block in region.blocks]
        arguments = [argument for block in blocks for argument in block.args]
        types = [value.type for value in (*op.results, *arguments)]
        found.add(op.dialect_name())
        for attribute in (*op.attributes.values(), *op.properties.values(), *types):
            found |= _dialects(attribute)
    return found


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_convert_and_round_trip(name: str):
    module = tools.parse(KERNELS[name].text_path.read_text())
    assert "cuda_tile" in _dialects_in(module)
    tools.run_passes(module, "convert-cuda-tile-to-tileaa")
    assert "cuda_tile" not in _dialects_in(module)
    text = tools.roundtrip(tools.to_text(module))
    assert "unrealized_conversion_cast" not in text


FAILURE = "^failed to convert cuda_tile to nv_tileaa"


@pytest.mark.parametrize("type_", ["!cuda_tile.tile<i32>", "!cuda_tile.token"])
def test_a_region_op_whose_block_arguments_nobody_converts_is_rejected(type_: str):
    module = tools.parse(
        f'"test.op"() ({{ ^bb0(%x: {type_}): "test.termop"() : () -> () }}) : () -> ()'
    )
    with pytest.raises(PassFailedException, match=FAILURE) as raised:
        tools.run_passes(module, "convert-cuda-tile-to-tileaa")
    assert raised.value.__notes__[0].startswith("see 'test.op' op: ")


@pytest.mark.parametrize("region", ["scf.for", "scf.while", "scf.if"])
def test_region_ops_change_their_block_arguments_with_them(region: str):
    """Structured control flow around `cuda_tile` values is converted as a whole."""
    loops = {
        "scf.for": """
            %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (!cuda_tile.tile<4xf32>) : i32 {
              %b = cuda_tile.addf %a, %a : !cuda_tile.tile<4xf32>
              scf.yield %b : !cuda_tile.tile<4xf32>
            }""",
        "scf.while": """
            %r = scf.while (%a = %x) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32> {
              scf.condition(%c) %a : !cuda_tile.tile<4xf32>
            } do {
            ^bb0(%b: !cuda_tile.tile<4xf32>):
              scf.yield %b : !cuda_tile.tile<4xf32>
            }""",
        "scf.if": """
            %r = scf.if %c -> (!cuda_tile.tile<4xf32>) {
              %b = cuda_tile.addf %x, %x : !cuda_tile.tile<4xf32>
              scf.yield %b : !cuda_tile.tile<4xf32>
            } else {
              scf.yield %x : !cuda_tile.tile<4xf32>
            }""",
    }
    module = tools.parse(f"""
        %n = arith.constant 1 : i32
        %c = arith.constant true
        %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4xf32>
        {loops[region]}
    """)
    tools.run_passes(module, "convert-cuda-tile-to-tileaa")
    assert "cuda_tile" not in _dialects_in(module)
    (op,) = [op for op in module.walk() if op.name == region]
    assert [str(type) for type in op.result_types] == ["tensor<4xf32>"]


def test_poison_is_legal_unless_it_is_of_a_tile():
    """It stays as it is, with the type that its tile is converted to."""
    body = """
      %a = ub.poison : !cuda_tile.tile<4xf32>
      %b = addf %a, %a : tile<4xf32>
      return %b : tile<4xf32>
    """
    text = f"cuda_tile.module @m {{ testing$func @f() -> tile<4xf32> {{ {body} }} }}"
    module = tools.run_passes(tools.parse(text), ConvertCudaTileToTileAAPass.name)
    tools.check(
        tools.to_text(module),
        """
        // CHECK: %[[A:.*]] = ub.poison : tensor<4xf32>
        // CHECK-NEXT: nv_tileaa.addf %[[A]], %[[A]] : tensor<4xf32>
        """,
    )
    legal = "%a = ub.poison : tensor<4xf32>"
    assert legal in tools.to_text(
        tools.run_passes(tools.parse(legal), ConvertCudaTileToTileAAPass.name)
    )


def test_what_is_left_over_is_named_with_its_location():
    text = """
    "test.op"() ({
      %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<f32>
      "cuda_tile.break"(%x) : (!cuda_tile.tile<f32>) -> () loc("kernel.py":3:7)
    }) : () -> ()
    """
    module = tools.parse(text, verify=False)
    with pytest.raises(PassFailedException, match=FAILURE) as raised:
        ConvertCudaTileToTileAAPass().apply(tools.context(), module)
    assert raised.value.__notes__[0] == """see 'cuda_tile.break' op at loc("kernel.py":3:7)"""


@pytest.mark.parametrize(
    ("element", "bits"),
    [
        ("f16", "0x7C00, 0xFC00, 0x7E00"),
        ("bf16", "0x7F80, 0xFF80, 0x7FC0"),
        ("f32", "0x7F800000, 0xFF800000, 0x7FC00000"),
        ("f64", "0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000"),
        ("tf32", "0x3FC00, 0x7FC00, 0x3FE00"),
        ("f8E5M2", "0x7C, 0xFC, 0x7E"),
    ],
)
def test_dense_floats_without_a_decimal_form_are_given_by_their_bits(element: str, bits: str):
    text = f"""
    cuda_tile.module @m {{ entry @k(%p: tile<ptr<f64>>) {{
      %x = constant <{element}: [1.5, {bits}]> : tile<4x{element}>
      %y = ftof %x : tile<4x{element}> -> tile<4xf64>
      %n = iota : tile<4xi32>
      %q = reshape %p : tile<ptr<f64>> -> tile<1xptr<f64>>
      %r = broadcast %q : tile<1xptr<f64>> -> tile<4xptr<f64>>
      %s = offset %r, %n : tile<4xptr<f64>>, tile<4xi32> -> tile<4xptr<f64>>
      %t = store_ptr_tko weak %s, %y : tile<4xptr<f64>>, tile<4xf64> -> token
    }} }}
    """
    if element == "f64":
        text = text.replace("%y = ftof %x : tile<4xf64> -> tile<4xf64>", "").replace("%y", "%x")
    module = tools.run_passes(tools.parse(text), "convert-cuda-tile-to-tileaa")
    tools.roundtrip(tools.to_text(module))
    result = np.zeros(4)
    interpreters.launch(module, "k", (1, 1, 1), [result])
    np.testing.assert_array_equal(result, [1.5, np.inf, -np.inf, np.nan])
