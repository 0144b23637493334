"""Conversions between element types."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.interpreters import oracle
from tests.unit.interpreters.nv_tileaa.evaluation import apply, evaluate


def test_trunci_drops_high_bits() -> None:
    wide = ("4xi64", np.array([256, 255, -1, 1 << 40], np.int64))
    assert apply("trunci %in0 : T0 to R", "4xi8", wide).tolist() == [0, -1, -1, 0]
    assert apply("trunci %in0 overflow<nuw> : T0 to R", "4xi1", wide).tolist() == [0, 1, 1, 0]


def test_fp_to_fp_rounds_as_told() -> None:
    values = ("4xf32", np.array([1 + 2.0**-11, -1 - 2.0**-12, 7e4, np.nan], np.float32))
    nearest = apply("fp_to_fp %in0 : T0 to R", "4xf16", values)
    assert oracle.same(nearest, np.array([1.0, -1.0, np.inf, np.nan])).all()
    zero = apply("fp_to_fp %in0 rounding<zero> : T0 to R", "4xf16", values)
    assert oracle.same(zero, np.array([1.0, -1.0, 65504, np.nan])).all()
    away = apply("fp_to_fp %in0 rounding<nearest_away> : T0 to R", "4xtf32", values)
    assert float(away[0]) == 1 + 2.0**-10


@pytest.mark.parametrize("saturating", ("", " saturating"))
def test_fp_to_int_truncates_and_saturates(saturating: str) -> None:
    values = ("4xf32", np.array([-1.9, 300.5, 1e20, np.nan], np.float32))
    signed = apply(f"fp_to_int %in0 signed{saturating} : T0 to R", "4xi16", values)
    assert signed.tolist() == [-1, 300, 32767, 0]
    unsigned = apply(f"fp_to_int %in0 unsigned{saturating} : T0 to R", "4xi16", values)
    assert unsigned.view(np.uint16).tolist() == [0, 300, 65535, 0]


def test_bitcast_keeps_bits() -> None:
    values = ("2xf32", np.array([1.0, -0.0], np.float32))
    bits = apply("bitcast %in0 : T0 to R", "2xi32", values)
    assert bits.view(np.uint32).tolist() == [0x3F800000, 0x80000000]
    half = ("2xi16", np.array([0x3F80, 0x4000], np.int16))
    assert apply("bitcast %in0 : T0 to R", "2xbf16", half).astype(float).tolist() == [1.0, 2.0]


def test_pointers_and_addresses() -> None:
    body = """
      %a = nv_tileaa.ptr_to_int %p0 : !nv_tileaa.ptr<i32> to i64
      %four = arith.constant 4 : i64
      %b = arith.addi %a, %four : i64
      %q = nv_tileaa.int_to_ptr %b : i64 to !nv_tileaa.ptr<i32>
      %u = nv_tileaa.bitcast %q : !nv_tileaa.ptr<i32> to !nv_tileaa.ptr<i16>
      %one = arith.constant 1 : i32
      %v = nv_tileaa.addptr %u, %one : !nv_tileaa.ptr<i16>, i32
      %out0, %t = nv_tileaa.load weak %v : !nv_tileaa.ptr<i16> -> i16, !nv_tileaa.mem_token
    """
    (value,) = evaluate(body, [("2xi32", np.array([1, 0x70005], np.int32))], ["i16"])
    assert value.item() == 7


def test_pack_and_unpack() -> None:
    values = ("4xi16", np.array([1, -1, 0x1234, 0], np.int16))
    packed = apply("pack %in0 : T0 -> R", "8xi8", values)
    assert packed.tobytes() == values[1].tobytes()
    back = apply("unpack %in0 : T0 -> R", "4xi16", ("8xi8", packed))
    assert back.tolist() == values[1].tolist()
    bits = ("8xi1", np.array([1, 1, 0, 0, 0, 0, 0, 1], np.uint8))
    assert apply("pack %in0 : T0 -> R", "1xi8", bits).view(np.uint8).tolist() == [0b10000011]
    floats = apply("unpack %in0 : T0 -> R", "2xf4E2M1FN", ("1xi8", np.array([0x72], np.uint8)))
    assert floats.astype(float).tolist() == [1.0, 6.0]
