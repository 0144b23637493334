"""Conversions between element types."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from tests.unit.interpreters import oracle
from tests.unit.interpreters.evaluation import apply, evaluate
from tileir_xdsl.interpreters.numerics import ELEMENTS, FLOAT_FORMATS


def test_exti_and_trunci() -> None:
    values = ("4xi8", np.array([0, 127, -128, -1], np.int8))
    assert apply("exti %in0 signed : T -> R", "4xi32", values).tolist() == [0, 127, -128, -1]
    assert apply("exti %in0 unsigned : T -> R", "4xi32", values).tolist() == [0, 127, 128, 255]
    bits = ("2xi1", np.array([0, 1], np.uint8))
    assert apply("exti %in0 signed : T -> R", "2xi16", bits).tolist() == [0, -1]
    assert apply("exti %in0 unsigned : T -> R", "2xi16", bits).tolist() == [0, 1]
    wide = ("4xi64", np.array([256, 255, -1, 1 << 40], np.int64))
    assert apply("trunci %in0 : T -> R", "4xi8", wide).tolist() == [0, -1, -1, 0]
    assert apply("trunci %in0 : T -> R", "4xi1", wide).tolist() == [False, True, True, False]


def test_i4_goes_through_bytes() -> None:
    values = np.arange(-8, 8, dtype=np.int8)
    body = """
      %n = trunci %in0 : tile<16xi8> -> tile<16xi4>
      %out0 = exti %n signed : tile<16xi4> -> tile<16xi8>
      %out1 = exti %n unsigned : tile<16xi4> -> tile<16xi8>
      %out2 = pack %n : tile<16xi4> -> tile<8xi8>
      %u = unpack %out2 : tile<8xi8> -> tile<16xi4>
      %out3 = exti %u signed : tile<16xi4> -> tile<16xi8>
    """
    signed, unsigned, packed, back = evaluate(
        body, [("16xi8", values)], ["16xi8", "16xi8", "8xi8", "16xi8"]
    )
    assert signed.tolist() == back.tolist() == values.tolist()
    assert unsigned.tolist() == [v % 16 for v in range(-8, 8)]
    expected = [(v % 16) | (v + 1) % 16 << 4 for v in range(-8, 8, 2)]
    assert packed.view(np.uint8).tolist() == expected


OF_NUMPY = [n for n in FLOAT_FORMATS if n not in ("f4E2M1FN", "fnv8E5M3FNU")]


@pytest.mark.parametrize("source", OF_NUMPY)
@pytest.mark.parametrize("target", OF_NUMPY)
def test_ftof_preserves_what_the_target_holds(source: str, target: str) -> None:
    if source == target:
        return
    values = np.array([0.5, 1.0, 2.0, 4.0]).astype(ELEMENTS[source].dtype)
    mode = " rounding<zero>" if target == "f8E8M0FNU" else ""
    actual = apply(f"ftof %in0{mode} : T -> R", f"4x{target}", (f"4x{source}", values))
    assert actual.dtype == ELEMENTS[target].dtype
    assert actual.astype(np.float64).tolist() == [0.5, 1.0, 2.0, 4.0]


def test_ftof_rounds_ties_away_to_tf32() -> None:
    tie = 1 + 2.0**-11
    values = ("4xf32", np.array([tie, -tie, 1 + 2.0**-12, 2.0**-137], np.float32))
    actual = apply("ftof %in0 rounding<nearest_away> : T -> R", "4xtf32", values)
    assert actual.tolist() == [1 + 2.0**-10, -1 - 2.0**-10, 1, 2.0**-136]


def test_ftof_rounds_to_nearest_even() -> None:
    values = (
        "4xf32",
        np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-11 + 2.0**-20, -1e-45], np.float32),
    )
    actual = apply("ftof %in0 : T -> R", "4xbf16", values)
    assert oracle.same(actual, values[1].astype(ml_dtypes.bfloat16)).all()
    short = apply("ftof %in0 : T -> R", "4xtf32", values)
    assert oracle.same(short, np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-10, -0.0])).all()


def test_ftof_to_powers_of_two() -> None:
    values = ("4xf32", np.array([3.0, 1.0, 0.3, 1e30], np.float32))
    down = apply("ftof %in0 rounding<zero> : T -> R", "4xf8E8M0FNU", values)
    up = apply("ftof %in0 rounding<positive_inf> : T -> R", "4xf8E8M0FNU", values)
    assert down.astype(np.float64).tolist() == [2, 1, 0.25, 2.0**99]
    assert up.astype(np.float64).tolist() == [4, 1, 0.5, 2.0**100]


def test_f4_goes_through_bytes() -> None:
    numbers = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
    body = """
      %f = ftof %in0 : tile<16xf32> -> tile<16xf4E2M1FN>
      %out0 = pack %f : tile<16xf4E2M1FN> -> tile<8xi8>
      %g = unpack %out0 : tile<8xi8> -> tile<16xf4E2M1FN>
      %out1 = ftof %g : tile<16xf4E2M1FN> -> tile<16xf32>
    """
    packed, back = evaluate(body, [("16xf32", numbers.astype(np.float32))], ["8xi8", "16xf32"])
    expected = [(2 * i) | (2 * i + 1) << 4 for i in range(8)]
    assert packed.view(np.uint8).tolist() == expected
    assert oracle.same(back, numbers).all()


def test_ftoi_saturates_and_maps_nan_to_zero() -> None:
    values = ("8xf32", np.array([1.9, -1.9, 300, -300, 1e20, -1e20, math.nan, 127.5], np.float32))
    signed = apply("ftoi %in0 signed : T -> R", "8xi8", values)
    unsigned = apply("ftoi %in0 unsigned : T -> R", "8xi8", values)
    assert signed.tolist() == [1, -1, 127, -128, 127, -128, 0, 127]
    assert unsigned.view(np.uint8).tolist() == [1, 0, 255, 0, 255, 0, 0, 127]


def test_itof() -> None:
    values = ("4xi32", np.array([-1, 2**24 + 1, 2**31 - 1, 65520], np.int32))
    signed = apply("itof %in0 signed : T -> R", "4xf32", values)
    assert signed.tolist() == [-1.0, 2.0**24, 2.0**31, 65520.0]
    unsigned = apply("itof %in0 unsigned : T -> R", "4xf64", values)
    assert unsigned.tolist() == [2.0**32 - 1, 2**24 + 1, 2**31 - 1, 65520]
    narrow = apply("itof %in0 signed : T -> R", "4xf16", values)
    assert narrow.tolist() == [-1.0, math.inf, math.inf, math.inf]
    big = ("2xi64", np.array([2**60 + 2**36, 2**60 + 2**36 + 1], np.int64))
    rounded = apply("itof %in0 signed : T -> R", "2xf32", big)
    assert rounded.tolist() == [2.0**60, 2.0**60 + 2.0**37]


def test_bitcast_keeps_bits() -> None:
    values = ("4xf32", np.array([1.0, -0.0, math.nan, math.inf], np.float32))
    bits = apply("bitcast %in0 : T -> R", "4xi32", values)
    assert bits.view(np.uint32).tolist() == values[1].view(np.uint32).tolist()
    eight = ("2xi8", np.array([0x3C, 0x40], np.int8))
    assert apply("bitcast %in0 : T -> R", "2xf8E4M3FN", eight).astype(float).tolist() == [1.5, 2]


def test_pointers_are_addresses() -> None:
    body = """
      %p = ptr_to_int %p0 : tile<ptr<i32>> -> tile<i64>
      %four = constant <i64: 4> : tile<i64>
      %q = addi %p, %four : tile<i64>
      %r = int_to_ptr %q : tile<i64> -> tile<ptr<i16>>
      %s = ptr_to_ptr %r : tile<ptr<i16>> -> tile<ptr<i32>>
      %out0, %t = load_ptr_tko weak %s : tile<ptr<i32>> -> tile<i32>, token
    """
    (loaded,) = evaluate(body, [("4xi32", np.arange(10, 14, dtype=np.int32))], ["i32"])
    assert loaded.item() == 11


def test_pack_reinterprets_bytes() -> None:
    values = np.array([1.5, -2.0], np.float16)
    packed = apply("pack %in0 : T -> R", "4xi8", ("2xf16", values))
    assert packed.view(np.float16).tolist() == [1.5, -2.0]
    bits = apply("unpack %in0 : T -> R", "8xi1", ("1xi8", np.array([0b10010110], np.uint8)))
    assert bits.astype(int).tolist() == [0, 1, 1, 0, 1, 0, 0, 1]
