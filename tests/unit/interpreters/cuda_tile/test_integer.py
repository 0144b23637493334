"""Integer and bitwise operations: each op computes with its own function and signedness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.unit.interpreters.evaluation import apply

A = np.array([5, -7, 2**31 - 1, -(2**31), 0, 100, -1, 12], np.int32)
B = np.array([3, 2, 1, 31, 7, -9, -1, 40], np.int32)
U, V = A.view(np.uint32).astype(np.uint64), B.view(np.uint32).astype(np.uint64)
WIDE_A, WIDE_B = A.astype(np.int64), B.astype(np.int64)
SMALL = B.view(np.uint32) < 32


def _wrapped(values: Any) -> np.ndarray:
    return np.asarray(values).astype(np.uint64).astype(np.uint32).view(np.int32)


BINARY: dict[str, Callable[[], Any]] = {
    "addi": lambda: _wrapped(U + V),
    "addi overflow<no_wrap>": lambda: _wrapped(U + V),
    "subi": lambda: _wrapped(U - V),
    "muli": lambda: _wrapped(U * V),
    "mulhii": lambda: _wrapped((U * V) >> np.uint64(32)),
    "andi": lambda: A & B,
    "ori": lambda: A | B,
    "xori": lambda: A ^ B,
    "maxi signed": lambda: np.maximum(A, B),
    "maxi unsigned": lambda: _wrapped(np.maximum(U, V)),
    "mini signed": lambda: np.minimum(A, B),
    "mini unsigned": lambda: _wrapped(np.minimum(U, V)),
    "divi unsigned": lambda: _wrapped(U // V),
    "divi unsigned rounding<positive_inf>": lambda: _wrapped(-(-U.astype(object) // V)),
    "divi signed": lambda: _wrapped(np.trunc(WIDE_A / WIDE_B).astype(np.int64)),
    "divi signed rounding<negative_inf>": lambda: _wrapped(WIDE_A // WIDE_B),
    "divi signed rounding<positive_inf>": lambda: _wrapped(-(-WIDE_A // WIDE_B)),
    "remi signed": lambda: _wrapped(np.fmod(WIDE_A, WIDE_B)),
    "remi unsigned": lambda: _wrapped(U % V),
    "shli": lambda: np.where(SMALL, _wrapped(U << np.where(SMALL, V, 0)), 0),
    "shri unsigned": lambda: np.where(SMALL, _wrapped(U >> np.where(SMALL, V, 0)), 0),
    "shri signed": lambda: A >> np.where(SMALL, B, 31),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    mnemonic, _, flags = name.partition(" ")
    actual = apply(f"{mnemonic} %in0, %in1 {flags} : T", "8xi32", ("8xi32", A), ("8xi32", B))
    assert actual.tolist() == BINARY[name]().tolist()


def test_unary() -> None:
    assert apply("negi %in0 : T", "8xi32", ("8xi32", A)).tolist() == _wrapped(-WIDE_A).tolist()
    magnitude = apply("absi %in0 : T", "8xi32", ("8xi32", A))
    assert magnitude.tolist() == _wrapped(np.abs(WIDE_A)).tolist()


def test_i1_counts_as_minus_one_where_signed() -> None:
    a, b = ("4xi1", np.array([0, 0, 1, 1], np.uint8)), ("4xi1", np.array([0, 1, 0, 1], np.uint8))
    for op, expected in {
        "addi %in0, %in1 : T": [0, 1, 1, 0],
        "muli %in0, %in1 : T": [0, 0, 0, 1],
        "xori %in0, %in1 : T": [0, 1, 1, 0],
        "maxi %in0, %in1 signed : T": [0, 0, 0, 1],
        "maxi %in0, %in1 unsigned : T": [0, 1, 1, 1],
        "negi %in0 : T": [0, 0, 1, 1],
    }.items():
        assert apply(op, "4xi1", a, b).astype(int).tolist() == expected, op


@pytest.mark.parametrize("element", ["i8", "i16", "i64"])
def test_other_widths_wrap(element: str) -> None:
    dtype = np.dtype(f"int{element[1:]}")
    top = np.iinfo(dtype).max
    values = (f"2x{element}", np.array([top, -1], dtype))
    doubled = apply("addi %in0, %in0 : T", f"2x{element}", values)
    assert doubled.tolist() == [-2, -2]


@pytest.mark.parametrize("signed", ["signed", "unsigned"])
@pytest.mark.parametrize(
    ("predicate", "function"),
    [
        ("equal", np.equal),
        ("not_equal", np.not_equal),
        ("less_than", np.less),
        ("less_than_or_equal", np.less_equal),
        ("greater_than", np.greater),
        ("greater_than_or_equal", np.greater_equal),
    ],
)
def test_cmpi(predicate: str, function: Callable[..., Any], signed: str) -> None:
    actual = apply(
        f"cmpi {predicate} %in0, %in1, {signed} : T -> R", "8xi1", ("8xi32", A), ("8xi32", B)
    )
    expected = function(A, B) if signed == "signed" else function(U, V)
    assert actual.tolist() == expected.tolist()
