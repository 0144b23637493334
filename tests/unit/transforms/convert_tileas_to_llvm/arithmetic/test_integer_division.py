"""Quotients and remainders by known numbers, which become products and shifts."""

import random

import pytest

from tests.unit.transforms.convert_tileas_to_llvm.elementwise import Operation, compare, ptx
from tileir_xdsl.transforms.convert_tileas_to_llvm.arithmetic.integer_division import (
    signed_reciprocal,
    unsigned_reciprocal,
)

DIVISORS = (1, 2, 3, 5, 7, 8, 10, 100, 125)
"""7 has an unsigned reciprocal of one bit more than the integers."""

FORMS = (
    *(f"{op} %in0, %in1 {sign} : T" for op in ("divi", "remi") for sign in ("signed", "unsigned")),
    "divi %in0, %in1 signed rounding<negative_inf> : T",
    "divi %in0, %in1 signed rounding<positive_inf> : T",
    "divi %in0, %in1 unsigned rounding<positive_inf> : T",
)


def operations(element: str) -> list[Operation]:
    """Every form, by numbers of both signs and by the largest and smallest ones."""
    half = 1 << (int(element[1:]) - 1)
    divisors = [*DIVISORS, -1, -3, -8, half - 1, -half, -half + 1]
    return [
        Operation(form, (element, element), element, divisor)
        for number, divisor in enumerate(divisors)
        # Of the forms, some by each divisor: all of them in turn.
        for form in (FORMS if number < 5 else FORMS[number % 2 :: 2])
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64"])
def test_values(element: str):
    for comparison in compare(operations(element), "sm_90a"):
        differs = comparison.differs()
        assert not differs.any(), comparison.example(differs)


def test_no_division_is_left():
    text = ptx(operations("i32"), "sm_90a")
    assert "div." not in text and "rem." not in text and "mul.hi" in text


def dividends(divisor: int, width: int) -> list[int]:
    """Corners, multiples of the divisor and what is next to them, and anything."""
    top = 1 << width
    last = (top - 1) // divisor * divisor
    near = [
        0,
        1,
        divisor - 1,
        divisor,
        divisor + 1,
        last - 1,
        last,
        top - 1,
        top // 2,
        top // 2 - 1,
    ]
    rng = random.Random(divisor)
    return [number % top for number in near] + [rng.randrange(top) for _ in range(10)]


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_reciprocals(width: int):
    top, rng = 1 << width, random.Random(width)
    drawn = [rng.randrange(3, 1 << rng.randrange(2, width + 1)) for _ in range(400)]
    for divisor in (3, 5, 6, 7, 9, 14, 100, 129, top - 1, top // 2 + 1, *drawn):
        if divisor.bit_count() == 1:
            continue
        unsigned = unsigned_reciprocal(divisor, width)
        signed = None if divisor >= top // 2 else signed_reciprocal(divisor, width)
        for number in dividends(divisor, width):
            high = number * unsigned.multiplier >> width
            if unsigned.has_extra_bit:
                quotient = (((number - high) >> 1) + high) >> (unsigned.shift - 1)
            else:
                quotient = high >> unsigned.shift
            assert quotient == number // divisor
            if signed is None:
                continue
            value = number - top if number >= top // 2 else number
            multiplier = signed.multiplier - (top if signed.has_extra_bit else 0)
            high = value * multiplier >> width
            high += value if signed.has_extra_bit else 0
            assert (high >> signed.shift) + (value < 0) == int(abs(value) // divisor) * (
                -1 if value < 0 else 1
            )
