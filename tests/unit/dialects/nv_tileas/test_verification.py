"""Ops that are verified once for each signature are refused whenever they are wrong."""

import pytest
from xdsl.dialects.builtin import DenseArrayBase, TensorType, f32, f64, i1, i64
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from tests.unit import tools

MEMREF = "!nv_tileaa.memref<64x64xf32, strides = [64, 1]>"
VIEW = f"!nv_tileaa.tiled_view<8x8xf32, {MEMREF}>"


def load() -> Operation:
    """A load that is right, which has been verified."""
    text = f"""
    nv_tileaa.func @f(%v: {VIEW}, %i: i32) {{
      %x = nv_tileas.tiled_load weak %v[%i, %i] {{in_bounds = array<i1: true, false>}} : {VIEW}[i32, i32] -> tensor<8x8xf32>
      nv_tileaa.return
    }}
    """
    (op,) = (op for op in tools.parse(text).walk() if op.name == "nv_tileas.tiled_load")
    return op


def test_other_properties_are_verified_again():
    op = load()
    op.properties["in_bounds"] = DenseArrayBase.from_list(i1, [True])
    for _ in range(2):
        with pytest.raises(VerifyException, match="expected 2, but found 1"):
            op.verify()
    op.properties["in_bounds"] = DenseArrayBase.from_list(i1, [True, True])
    op.verify()


def test_the_same_value_of_another_property_is_another_signature():
    op = load()
    op.properties["unknown"] = op.properties.pop("in_bounds")
    with pytest.raises(VerifyException, match="property 'unknown' is not defined"):
        op.verify()


@pytest.mark.parametrize("type_", [TensorType(f64, [8, 8]), TensorType(f32, [8, 4]), i64])
def test_other_types_are_verified_again(type_: TensorType):
    op = load()
    other = type(op).create(operands=op.operands, result_types=[type_], properties=op.properties)
    for _ in range(2):
        with pytest.raises(VerifyException):
            other.verify()
