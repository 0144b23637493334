"""Padding that is a scalar of the element's type: the words' values, and every other.

Source: the TileAS operation roster, attribute `padding_value` ("element-typed scalar").
"""

import re
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tests.unit.road.accesses.test_padding import (
    DTYPES,
    check,
    copied,
    described,
    operands,
    product,
)
from tests.unit.road.zoo import lower
from tileir_xdsl import interpreters
from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.nv_tileaa.attributes import padding_of
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.assign_layouts import (
    PREFER_TMA_VARIABLE,
)

WORD = re.compile(r"#nv_tileaa\.padding_value<\w+>")
ARRAYS = {**DTYPES, "i8": np.int8, "i32": np.int32, "i64": np.int64, "i16": np.int16}
SCALARS = [
    ("f32", "0.0"),
    ("f32", "-0.0"),
    ("f32", "0x7F800000"),
    ("f32", "0xFF800000"),
    ("f32", "0x7FC00000"),
    ("f32", "2.5"),
    ("f16", "-3.0"),
    ("bf16", "1.5"),
    ("f64", "1.0e300"),
    ("f8E5M2", "2.0"),
    ("i8", "-7"),
    ("i16", "0"),
    ("i32", "2147483647"),
    ("i64", "-9223372036854775807"),
]


def with_scalar(text: str, scalar: str) -> str:
    """A kernel at `nv_tileaa` whose loads pad with a scalar."""
    module = tools.run_passes(tools.parse(text), "convert-cuda-tile-to-tileaa")
    padded, count = WORD.subn(scalar, tools.to_text(module))
    assert count
    return padded


def number_of(scalar: str) -> Any:
    attribute = Parser(tools.context(), scalar).parse_attribute()
    assert isinstance(attribute, FloatAttr | IntegerAttr)
    return attribute.value.data


@pytest.mark.one_in(5)
@pytest.mark.parametrize("bulk", [False, True])
@pytest.mark.parametrize(("element", "number"), SCALARS)
def test_tiles_are_padded_with_scalars(
    element: str, number: str, bulk: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "true" if bulk else "false")
    scalar = f"{number} : {element}"
    text = with_scalar(copied(element, "zero", loop=bulk), scalar)
    lowered = lower(tools.parse(text), "sm_90a")
    assert ("cp.async.bulk.tensor.2d.shared" in lowered.ptx) == bulk
    dtype = ARRAYS[element]
    a = np.arange(40 * 80).reshape(40, 80).astype(dtype)
    arguments = [*described(a, 40, 72), *described(np.zeros((64, 128), dtype), 64, 128)]
    grid = (2, 1 if bulk else 2, 1)
    check(lowered, text, arguments, grid, {"late": True, "races": True})
    interpreters.launch(tools.parse(text), "k", grid, arguments)
    expected = np.full((64, 128), np.array(number_of(scalar)).astype(dtype))
    expected[:40, :72] = a[:, :72]
    np.testing.assert_array_equal(arguments[4], expected)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
def test_operands_of_dots_are_padded_with_scalars(gpu: str):
    text = with_scalar(product("bf16", "zero"), "3.0 : bf16")
    lowered = lower(tools.parse(text), gpu)
    check(lowered, text, operands("bf16", "both"), (2, 2, 1), {"late": True, "races": True})


@pytest.mark.parametrize(
    ("scalar", "expected"),
    [
        ("0.0 : f32", PaddingValue.ZERO),
        ("-0.0 : f16", PaddingValue.NEG_ZERO),
        ("0x7C00 : f16", PaddingValue.POS_INF),
        ("0xFC00 : f16", PaddingValue.NEG_INF),
        ("0x7E00 : f16", PaddingValue.NAN),
        ("#nv_tileaa.padding_value<neg_inf>", PaddingValue.NEG_INF),
        ("0 : i32", PaddingValue.ZERO),
        ("1.5 : bf16", 1.5),
        ("-1 : i8", -1),
    ],
)
def test_a_scalar_that_a_word_names_is_that_word(scalar: str, expected: PaddingValue | float):
    attribute: Any = Parser(tools.context(), scalar).parse_attribute()
    assert padding_of(attribute) == expected
    assert type(padding_of(attribute)) is type(expected)


ACCESSES = {
    "nv_tileaa.tiled_load": (
        "%a, %u = nv_tileaa.tiled_load weak %v[%i] {{padding_value = {p}}} : "
        "!nv_tileaa.tiled_view<8x{e}>[i32] -> tensor<8x{e}>, !nv_tileaa.mem_token"
    ),
    "nv_tileas.tiled_load": (
        "%a = nv_tileas.tiled_load weak %v[%i] {{padding_value = {p}}} : "
        "!nv_tileaa.tiled_view<8x{e}>[i32] -> tensor<8x{e}>"
    ),
    "nv_tileas.pad": (
        "%a = nv_tileas.pad %x of %v[%i] {{padding_value = {p}}} : "
        "tensor<8x{e}>, !nv_tileaa.tiled_view<8x{e}>[i32] -> tensor<8x{e}>"
    ),
}
VALUES = '%v, %x, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<8x{e}>, tensor<8x{e}>, i32)\n'


@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("element", ["f16", "f32", "i32"])
def test_a_scalar_has_the_type_of_the_elements(access: str, element: str):
    for other in ("f16", "f32", "i32", "i64"):
        number = "1" if other.startswith("i") else "1.0"
        text = (VALUES + ACCESSES[access]).format(e=element, p=f"{number} : {other}")
        if other == element:
            assert f"padding_value = {number}" in tools.roundtrip(text)
            continue
        message = f"expects padding of type {element}, but got {other}"
        with pytest.raises(VerifyException, match=message):
            tools.parse(text)
