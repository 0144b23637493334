"""Ops that are verified once for each signature are refused whenever they are wrong."""

import pytest
from xdsl.dialects.builtin import DenseArrayBase, TensorType, f32, f64, i1, i64
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.testing import tools

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


@pytest.mark.parametrize(
    ("element", "extent", "is_legal"),
    [("f32", 12, True), ("tf32", 12, True), ("tf32", 10, False), ("f16", 12, False)],
)
def test_rows_of_boxes_are_measured_as_they_are_in_memory(
    element: str, extent: int, is_legal: bool
) -> None:
    """19 bits of tf32 take 32; TMA wants rows of 16 bytes (CUDA driver API, tensor maps)."""
    memref = f"!nv_tileaa.memref<64x64x{element}, strides = [64, 1]>"
    module = tools.parse(
        f"""
      nv_tileaa.func @k(%v: {memref}) {{
        %n = arith.constant {extent} : index
        %d = nv_tileas.make_tiled_tma_desc %v[%n, %n] {{atom = #nv_tileas<atom tma_load_2d>}}
             : {memref}, index, index -> !nv_tileas.tma_desc
        nv_tileaa.return
      }}
    """,
        verify=False,
    )
    if is_legal:
        module.verify()
        return
    with pytest.raises(VerifyException, match="not a multiple of 16 bytes"):
        module.verify()
