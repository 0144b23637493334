"""Special numbers by name, in every element type."""

import pytest

from tests.readings.numbers import bits_of, literal, word_of


@pytest.mark.parametrize(
    ("symbol", "element", "bits", "text", "word"),
    [
        ("nan", "f32", 0x7FC00000, "0x7FC00000", "NaN"),
        ("-0", "f16", 0x8000, "0x8000", "-0"),
        ("subnormal", "tf32", 1 << 13, "0x00001", "least subnormal"),
        ("subnormal", "f4E2M1FN", 1, "0x1", "least subnormal"),
        ("inf", "f8E5M2", 0x7C, "0x7C", "inf"),
        ("2^65", "f8E8M0FNU", 127 + 65, "0xC0", f"{2.0**65:.6g}"),
        ("least", "f8E8M0FNU", 0, "0x00", f"{2.0**-127:.6g}"),
        ("-1", "i8", 0xFF, "-1", "-1"),
        ("least", "i64", 1 << 63, str(-(1 << 63)), "least"),
        ("greatest", "i16", 0x7FFF, "32767", "greatest"),
        ("width", "i32", 32, "32", "32"),
        ("-1", "i1", 1, "1", "true"),
    ],
)
def test_numbers(symbol: str, element: str, bits: int, text: str, word: str) -> None:
    assert bits_of(symbol, element) == bits
    assert literal(bits, element) == text
    assert word_of(bits, element) == word


@pytest.mark.parametrize(
    ("symbol", "element"),
    [
        *(("inf", "f8E4M3FN"), ("nan", "f4E2M1FN"), ("-0", "f8E8M0FNU"), ("2^20", "f16")),
        *(("0.25", "f4E2M1FN"), ("300", "i8"), ("subnormal", "f8E8M0FNU"), ("7", "i1")),
    ],
)
def test_types_lack_numbers(symbol: str, element: str) -> None:
    assert bits_of(symbol, element) is None
