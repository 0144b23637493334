"""Matrix products against exact integer arithmetic and double precision."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.unit.interpreters.evaluation import apply, evaluate
from tileir_xdsl.interpreters.numerics import ELEMENTS, Array


def _small(shape: tuple[int, ...], element: str, seed: int) -> Array:
    """Small integers: their products sum up exactly in every accumulator."""
    values = np.random.default_rng(seed).integers(-3, 4, shape)
    return values.astype(ELEMENTS[element].dtype)


@pytest.mark.parametrize(
    ("element", "accumulator"),
    [
        ("f16", "f16"),
        ("f16", "f32"),
        ("bf16", "f32"),
        ("tf32", "f32"),
        ("f32", "f32"),
        ("f64", "f64"),
        ("f8E4M3FN", "f32"),
        ("f8E5M2", "f16"),
    ],
)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_mmaf(element: str, accumulator: str, batch: tuple[int, ...]) -> None:
    a, b = _small((*batch, 4, 8), element, 1), _small((*batch, 8, 2), element, 2)
    c = _small((*batch, 4, 2), accumulator, 3)
    prefix = "".join(f"{n}x" for n in batch)
    types = [f"{prefix}4x8x{element}", f"{prefix}8x2x{element}", f"{prefix}4x2x{accumulator}"]
    actual = apply(
        f"mmaf %in0, %in1, %in2 : {', '.join(f'tile<{t}>' for t in types)}",
        types[2],
        *zip(types, (a, b, c), strict=True),
    )
    assert actual.dtype == c.dtype
    expected = a.astype(np.float64) @ b.astype(np.float64) + c.astype(np.float64)
    assert (actual.astype(np.float64) == expected).all()


def test_mmaf_rounds_to_the_accumulator() -> None:
    a = np.full((1, 2), 1.0, np.float16)
    b = np.array([[1.0], [2.0**-13]], np.float16)
    c = np.zeros((1, 1), np.float16)
    actual = apply(
        "mmaf %in0, %in1, %in2 : tile<1x2xf16>, tile<2x1xf16>, tile<1x1xf16>",
        "1x1xf16",
        ("1x2xf16", a),
        ("2x1xf16", b),
        ("1x1xf16", c),
    )
    assert actual.tolist() == [[1.0]]


@pytest.mark.parametrize("lhs_sign", ["signed", "unsigned"])
@pytest.mark.parametrize("rhs_sign", ["signed", "unsigned"])
def test_mmai(lhs_sign: str, rhs_sign: str) -> None:
    rng = np.random.default_rng(4)
    a = rng.integers(0, 256, (4, 8), dtype=np.uint8)
    b = rng.integers(0, 256, (8, 2), dtype=np.uint8)
    c = rng.integers(-(2**31), 2**31, (4, 2)).astype(np.int32)
    actual = apply(
        f"mmai %in0, %in1, %in2 {lhs_sign} {rhs_sign} : tile<4x8xi8>, tile<8x2xi8>, tile<4x2xi32>",
        "4x2xi32",
        ("4x8xi8", a),
        ("8x2xi8", b),
        ("4x2xi32", c),
    )
    wide_a = (a.view(np.int8) if lhs_sign == "signed" else a).astype(np.int64)
    wide_b = (b.view(np.int8) if rhs_sign == "signed" else b).astype(np.int64)
    expected = (wide_a @ wide_b + c).astype(np.uint64).astype(np.uint32).view(np.int32)
    assert (actual == expected).all()


def test_mmaf_scaled() -> None:
    a, b = _small((2, 64), "f8E4M3FN", 5), _small((64, 2), "f8E4M3FN", 6)
    c = _small((2, 2), "f32", 7)
    sa = np.array([[1.0, 2.0], [0.5, 4.0]]).astype(ml_dtypes.float8_e8m0fnu)
    sb = np.array([[2.0, 1.0], [8.0, 0.25]]).astype(ml_dtypes.float8_e8m0fnu)
    types = ["2x64xf8E4M3FN", "64x2xf8E4M3FN", "2x2xf32", "2x2xf8E8M0FNU", "2x2xf8E8M0FNU"]
    body = f"%out0 = mmaf_scaled %in0, %in1, %in2, %in3, %in4 : {', '.join(f'tile<{t}>' for t in types)}"
    (actual,) = evaluate(body, list(zip(types, (a, b, c, sa, sb), strict=True)), ["2x2xf32"])
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    expected = c.astype(np.float64)
    for block in range(2):
        k = slice(32 * block, 32 * block + 32)
        scales = sa.astype(np.float64)[:, block, None] * sb.astype(np.float64)[None, block, :]
        expected = expected + (wide_a[:, k] @ wide_b[k]) * scales
    assert (actual == expected).all()
