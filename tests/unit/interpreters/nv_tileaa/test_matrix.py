"""Matrix products and convolutions of tiles."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.interpreters.nv_tileaa.evaluation import apply


def _random(shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


@pytest.mark.parametrize(
    "element, dtype", (("f16", np.float16), ("f8E4M3FN", ml_dtypes.float8_e4m3fn))
)
def test_dot_of_floats(element: str, dtype: Any) -> None:
    a, b = _random((16, 32), dtype, 1), _random((32, 8), dtype, 2)
    c = _random((16, 8), np.float32, 3)
    tiles = ((f"16x32x{element}", a), (f"32x8x{element}", b), ("16x8xf32", c))
    actual = apply("dot %in0, %in1, %in2 : T0, T1, T2", "16x8xf32", *tiles)
    assert (actual == a.astype(float) @ b.astype(float) + c).all()


def test_dot_of_a_batch() -> None:
    a, b, c = (_random((2, 16, 16), np.float32, seed) for seed in range(3))
    tiles = [("2x16x16xf32", t) for t in (a, b, c)]
    actual = apply("dot %in0, %in1, %in2 : T0, T1, T2", "2x16x16xf32", *tiles)
    assert (actual == a @ b + c).all()


def test_dot_reads_f32_as_tf32() -> None:
    one, zero = np.ones((1, 1), np.float32), np.zeros((1, 1), np.float32)
    a = np.full((1, 1), 1 + 2.0**-11 + 2.0**-20, np.float32)
    tiles = [("1x1xf32", t) for t in (a, one, zero)]
    exact = apply('dot %in0, %in1, %in2 {input_precision = "ieee"} : T0, T1, T2', "1x1xf32", *tiles)
    assert exact.item() == a.item()
    tf32 = apply('dot %in0, %in1, %in2 {input_precision = "tf32"} : T0, T1, T2', "1x1xf32", *tiles)
    assert tf32.item() == 1 + 2.0**-10


@pytest.mark.parametrize("width", (8, 16, 32))
def test_dot_of_integers(width: int) -> None:
    dtype = np.dtype(f"i{width // 8}")
    extreme = np.array([np.iinfo(dtype).min, -1, 1, np.iinfo(dtype).max], dtype)
    a, b = np.tile(extreme, (4, 1)), np.tile(extreme[:, None], (1, 4))
    c = np.full((4, 4), 7, np.int32)
    tiles = ((f"4x4xi{width}", a), (f"4x4xi{width}", b), ("4x4xi32", c))
    signs = "{signedness_a = #nv_tileaa.signedness<signed>, "
    signs += "signedness_b = #nv_tileaa.signedness<unsigned>}"
    actual = apply(f"dot %in0, %in1, %in2 {signs} : T0, T1, T2", "4x4xi32", *tiles)
    left, right = a.astype(object), b.view(f"u{width // 8}").astype(object)
    expected = [[(int(v) + 7) % 2**32 for v in row] for row in left @ right]
    assert actual.view(np.uint32).tolist() == expected


def test_dot_scales_blocks() -> None:
    a, b = (
        _random((4, 64), ml_dtypes.float8_e4m3fn, 1),
        _random((64, 4), ml_dtypes.float8_e4m3fn, 2),
    )
    sfa = np.array([[1, 2]] * 4).astype(ml_dtypes.float8_e8m0fnu)
    sfb = np.array([[4] * 4, [0.5] * 4]).astype(ml_dtypes.float8_e8m0fnu)
    tiles = (
        ("4x64xf8E4M3FN", a),
        ("64x4xf8E4M3FN", b),
        ("4x4xf32", np.zeros((4, 4), np.float32)),
        ("4x2xf8E8M0FNU", sfa),
        ("2x4xf8E8M0FNU", sfb),
    )
    text = "dot %in0, %in1, %in2 scaled by %in3, %in4 : T0, T1, T2, T3, T4"
    actual = apply(text, "4x4xf32", *tiles)
    left, right = a.astype(float), b.astype(float)
    expected = 4 * left[:, :32] @ right[:32] + left[:, 32:] @ right[32:]
    assert (actual == expected).all()


def _convolve(x: Any, w: Any, padding: int, stride: int, dilation: int) -> Any:
    """A convolution in one spatial dimension, channels last, as sums of products."""
    n, length, _ = x.shape
    k, taps, _ = w.shape
    outputs = (length + 2 * padding - dilation * (taps - 1) - 1) // stride + 1
    result = np.zeros((n, outputs, k), x.dtype)
    for o in range(outputs):
        for tap in range(taps):
            position = o * stride - padding + tap * dilation
            if 0 <= position < length:
                result[:, o] += x[:, position] @ w[:, tap].T
    return result


PARAMETERS = "#nv_tileaa.conv_params<padding = [3], stride = [2], dilation = [2]>"


@pytest.mark.parametrize("layout", ("channels_last", "channels_first"))
def test_convolution(layout: str) -> None:
    x, w = _random((2, 16, 4), np.float32, 1), _random((8, 4, 4), np.float32, 2)
    acc = _random((2, 8, 8), np.float32, 3)
    expected = acc + _convolve(x, w, 3, 2, 2)
    text = "conv_dot %in0, %in1, %in2 {convParams = " + PARAMETERS
    text += f", activationLayout = #nv_tileaa.activation_layout<{layout}>}} : T0, T1, T2"
    if layout == "channels_first":
        x, w, acc, expected = (np.moveaxis(t, -1, 1) for t in (x, w, acc, expected))
    types = ["x".join(map(str, t.shape)) + "xf32" for t in (x, w, acc)]
    actual = apply(text, types[2], *zip(types, (x, w, acc), strict=True))
    assert (actual == expected).all()


def test_convolution_of_images_of_integers() -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(-128, 128, (1, 4, 8, 2)).astype(np.int8)
    w = rng.integers(-128, 128, (4, 2, 2, 2)).astype(np.int8)
    acc = np.zeros((1, 4, 8, 4), np.int32)
    padded = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)]).astype(np.int64)
    text = "conv_dot %in0, %in1, %in2 {convParams = #nv_tileaa.conv_params<padding = [1, 1], "
    text += "stride = [1, 1], dilation = [2, 2]>, "
    text += "activationLayout = #nv_tileaa.activation_layout<channels_last>, "
    text += "signedness_a = #nv_tileaa.signedness<signed>, "
    text += "signedness_b = #nv_tileaa.signedness<signed>} : T0, T1, T2"
    tiles = (("1x4x8x2xi8", x), ("4x2x2x2xi8", w), ("1x4x8x4xi32", acc))
    actual = apply(text, "1x4x8x4xi32", *tiles)
    wanted = np.zeros((1, 4, 8, 4), np.int64)
    for i, j in np.ndindex(2, 2):
        wanted += padded[:, 2 * i : 2 * i + 4, 2 * j : 2 * j + 8] @ w[:, i, j].T.astype(np.int64)
    assert (actual == wanted).all()
