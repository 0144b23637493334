"""The policy by which values are judged: what it lets pass, and that nothing else judges."""

from __future__ import annotations

import ast
import math

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import DTypeLike

from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing.kernels.agreement import (
    ULPS,
    Array,
    Expected,
    agreeing,
    assert_agrees,
    max_ulps,
    same,
    unit_in_last_place,
    within_bound,
    within_roundings,
)

OTHER_COMPARISONS = {"allclose", "isclose", "assert_allclose", "assert_almost_equal", "approx"}
"""Functions that judge by a tolerance of their own."""

NOT_OF_OUR_VALUES = {
    "test_cuda_programs.py",
    "test_triton_programs.py",
    "test_choice.py",
    "test_costs.py",
    "test_fake.py",
    "test_timing.py",
}
"""Tests that the policy is not about: of what other compilers make of their own languages, and of
seconds and bytes."""


def test_nothing_else_judges_by_a_tolerance() -> None:
    found: list[str] = []
    files = sorted((REPOSITORY / "tests").rglob("*.py"))
    for file in (file for file in files if file.name not in NOT_OF_OUR_VALUES):
        text = file.read_text(encoding="utf-8")
        if not any(name in text for name in OTHER_COMPARISONS):
            continue
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Attribute(attr=name) if name in OTHER_COMPARISONS:
                    found.append(f"{file.relative_to(REPOSITORY)}:{node.lineno}: {name}")
                case _:
                    pass
    assert found == []


@pytest.mark.parametrize(
    ("actual", "expected", "agrees"),
    [
        (1.0, 1.0, True),
        (1.0, math.nextafter(1, 2), False),
        (0.0, -0.0, False),
        (math.nan, -math.nan, True),
        (math.nan, 1.0, False),
        (math.inf, math.inf, True),
    ],
)
def test_exact_results(actual: float, expected: float, agrees: bool) -> None:
    assert agreeing(np.array([actual]), Expected(np.array([expected]))).all() == agrees


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_a_unit_in_the_last_place_is_the_distance_to_the_next_number(dtype: DTypeLike) -> None:
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    values = np.array([1.0, 1.5, 3.0, 1e-30, 0.1, 0.0]).astype(dtype)
    following = (values.view(bits) + bits.type(1)).view(dtype).astype(np.float64)
    step = unit_in_last_place(values.astype(np.float64), dtype)
    assert (step == following - values.astype(np.float64)).all()


def moved(value: float, ulps: int) -> Array:
    """The f32 number `ulps` above `value`."""
    return (np.array([value], np.float32).view(np.int32) + ulps).view(np.float32)


@pytest.mark.parametrize("operation", [op for op, (single, _) in ULPS.items() if single])
def test_bounds_of_elementary_functions(operation: str) -> None:
    bound = int(max_ulps(operation, np.float32))
    expected = within_bound(operation, np.array([1.0]), np.float32)
    assert_agrees(moved(1.0, bound), expected)
    with pytest.raises(AssertionError, match="1 of 1 elements differ"):
        assert_agrees(moved(1.0, bound + 1), expected)


def test_sums_are_judged_by_the_size_of_their_terms() -> None:
    terms = np.array([1e8, 1.0, -1e8])
    total, size = terms.sum(keepdims=True), np.abs(terms).sum(keepdims=True)
    expected = within_roundings(total, size, np.float32, 2, np.float32)
    assert_agrees(np.array([0.0], np.float32), expected)
    with pytest.raises(AssertionError):
        assert_agrees(np.array([100.0], np.float32), expected)


def test_other_types_and_shapes_are_refused() -> None:
    expected = Expected(np.zeros(3, np.float32))
    for wrong in (np.zeros(3), np.zeros(4, np.float32), np.zeros((3, 1), np.float32)):
        with pytest.raises(AssertionError):
            assert_agrees(wrong, expected)


def test_numbers_of_two_types() -> None:
    a, b = np.array([1.5, -0.0, np.nan]), np.array([1.5, 0.0, np.nan], ml_dtypes.bfloat16)
    assert same(a, b).tolist() == [True, False, True]
