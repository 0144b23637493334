"""The numpy meanings of the kernels: consistent in themselves, and true where it is known."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tileir_xdsl.testing.kernels import KERNELS, LAUNCHES, Problem, launch_id
from tileir_xdsl.testing.kernels.agreement import Array, Expected, assert_agrees
from tileir_xdsl.testing.kernels.case import Argument


def meaning(name: str, *arguments: Argument) -> tuple[Array, ...]:
    """What the kernel leaves in its outputs."""
    return tuple(output.values for output in KERNELS[name].expected(arguments))


def zeros(*shape: int) -> Array:
    return np.zeros(shape, np.float32)


def close(actual: Array, expected: Array, error: float) -> None:
    assert_agrees(
        actual.astype(np.float64), Expected(expected.astype(np.float64), np.asarray(error))
    )


@pytest.mark.parametrize("launch", LAUNCHES, ids=launch_id)
def test_meaning_fits_the_arguments(launch: tuple[str, Problem]) -> None:
    name, problem = launch
    case = KERNELS[name]
    arguments, again = case.make_arguments(problem), case.make_arguments(problem)
    expected = case.expected(arguments)
    for before, after in zip(again, arguments, strict=True):
        assert np.asarray(before).tobytes() == np.asarray(after).tobytes()
    for position, output in zip(case.outputs, expected, strict=True):
        argument = arguments[position]
        assert isinstance(argument, np.ndarray)
        assert (argument.shape, argument.dtype) == (output.values.shape, output.values.dtype)
        assert np.all(np.asarray(output.error) >= 0)
    assert all(size >= 1 for size in case.grid(problem))


@pytest.mark.parametrize("name", KERNELS)
def test_agreement_is_refused_where_an_output_is_not_written(name: str) -> None:
    case = KERNELS[name]
    arguments = case.make_arguments(case.typical)
    expected = case.expected(arguments)
    for output in expected:
        assert_agrees(output.values.copy(), output)
    with pytest.raises(AssertionError, match="argument"):
        case.check(arguments, expected)


def test_rows_of_softmax_add_up_to_one() -> None:
    x = np.array([[0, 0, 0, 0], [-1e4, 0, 1e4, 0]], np.float32)
    for name in ("softmax_f32", "softmax_online"):
        (out,) = meaning(name, x, zeros(2, 4))
        close(out, np.array([[0.25] * 4, [0, 0, 1, 0]]), 1e-7)


def test_normalised_rows_have_mean_zero_and_variance_one() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4) ** 2
    out, mean, rstd = meaning(
        "layer_norm", x, np.ones(4, np.float32), zeros(4), zeros(3, 4), zeros(3), zeros(3), 0.0
    )
    close(out.mean(axis=1), np.zeros(3), 1e-6)
    close(out.var(axis=1), np.ones(3), 1e-6)
    close(mean, x.mean(axis=1), 1e-5)
    close(rstd * x.std(axis=1), np.ones(3), 1e-6)


def test_gradients_of_layer_norm_are_slopes() -> None:
    rng = np.random.default_rng(0)
    grad, x = rng.standard_normal((2, 2, 8)).astype(np.float32)
    weight = rng.standard_normal(8).astype(np.float32)

    def loss(x: Array, weight: Array) -> float:
        normal = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
        return float((normal * weight * grad).sum())

    mean, rstd = x.mean(axis=1), 1 / x.std(axis=1)
    grad_x, grad_weight = meaning(
        "layer_norm_backward", grad, x, weight, mean, rstd, zeros(2, 8), zeros(8)
    )
    step = 1e-4
    slopes = np.zeros((2, 8))
    for i, j in np.ndindex(2, 8):
        moved = np.zeros((2, 8))
        moved[i, j] = step
        slopes[i, j] = (loss(x + moved, weight) - loss(x - moved, weight)) / (2 * step)
    close(grad_x, slopes, 1e-3)
    for j in range(8):
        moved = np.where(np.arange(8) == j, step, 0)
        slopes[0, j] = (loss(x, weight + moved) - loss(x, weight - moved)) / (2 * step)
    close(grad_weight, slopes[0], 1e-3)


def test_rms_norm_scales_to_mean_square_one() -> None:
    x = np.array([[3, -4, 0, 12]], ml_dtypes.bfloat16)
    (out,) = meaning("rms_norm", x, np.ones(4, ml_dtypes.bfloat16), np.zeros_like(x), 0.0)
    close((out.astype(np.float64) ** 2).mean(axis=1), np.ones(1), 0.02)


def test_attention_averages_equal_values() -> None:
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 1, 5, 64)).astype(np.float16)
    v = np.broadcast_to(np.arange(64, dtype=np.float16), (1, 5, 64))
    for name in ("attention", "attention_causal"):
        (out,) = meaning(name, q, k, v, np.zeros_like(q), 0.2)
        close(out, v, 0.05)


def test_causal_attention_sees_no_later_keys() -> None:
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, 1, 5, 64)).astype(np.float16)
    (out,) = meaning("attention_causal", q, k, v, np.zeros_like(q), 0.2)
    np.testing.assert_array_equal(out[:, 0], v[:, 0])
    k[:, 3:], v[:, 3:] = 7, 7
    (changed,) = meaning("attention_causal", q, k, v, np.zeros_like(q), 0.2)
    np.testing.assert_array_equal(out[:, :3], changed[:, :3])


@pytest.mark.parametrize("name", [name for name in KERNELS if name.startswith("matmul_")])
def test_product_with_the_identity(name: str) -> None:
    a, b, c = (np.asarray(x) for x in KERNELS[name].make_arguments((8, 8, 8)))
    (product,) = meaning(name, a, np.eye(8).astype(b.dtype), c)
    # As many digits as tf32 and half precision have.
    close(product / 256, a.astype(np.float64) / 256, 2.0**-9)
    (product,) = meaning(name, np.eye(8).astype(a.dtype), b, c)
    close(product / 256, b.astype(np.float64) / 256, 2.0**-9)


def test_convolution_with_one_tap_moves_the_image() -> None:
    x = np.arange(5 * 6 * 16).reshape(5, 6, 16).astype(np.float16)
    weight = np.zeros((9, 16, 16), np.float16)
    weight[5] = np.eye(16)
    (out,) = meaning("convolution", x, weight, np.zeros((3, 4, 16), np.float16))
    np.testing.assert_array_equal(out, x[1:4, 2:6])


def test_two_steps_make_a_fourier_transform() -> None:
    case = KERNELS["fft_step"]
    _, roots, twiddles, out = case.make_arguments((1,))
    assert isinstance(twiddles, np.ndarray)
    rng = np.random.default_rng(0)
    z = rng.standard_normal(256) + 1j * rng.standard_normal(256)

    def step(x: Any, turned: Argument) -> Any:
        (y,) = meaning("fft_step", np.stack([x.real, x.imag]), roots, turned, out)
        return y[0] + 1j * y[1]

    no_turn = np.zeros_like(twiddles)
    no_turn[0] = 1
    first = step(z.reshape(16, 16).T, twiddles)
    second = step(first.T, no_turn)
    close(np.abs(second.T.reshape(256) - np.fft.fft(z)), np.zeros(256), 1e-4)


def test_rotation_keeps_lengths() -> None:
    x, frequencies, out = KERNELS["rope"].make_arguments((5, 2))
    assert isinstance(x, np.ndarray)
    (turned,) = meaning("rope", x, frequencies, out)
    np.testing.assert_array_equal(turned[0], x[0])
    lengths = np.hypot(x[..., :32], x[..., 32:])
    close(np.hypot(turned[..., :32], turned[..., 32:]), lengths, 1e-5)


def test_experts_with_equal_weights_are_one_product() -> None:
    x, weights, order, experts, gates, out = KERNELS["mixture_of_experts"].make_arguments((50,))
    assert isinstance(x, np.ndarray)
    assert isinstance(weights, np.ndarray)
    assert isinstance(gates, np.ndarray)
    weights[:] = weights[0]
    (values,) = meaning("mixture_of_experts", x, weights, order, experts, gates, out)
    product = x.astype(np.float64) @ weights[0].astype(np.float64) * gates[:, None]
    close(values, product, 0.2)


def test_dropout_drops_the_share_asked_for() -> None:
    x = np.ones(10000, np.float32)
    (out,) = meaning("dropout", x, np.zeros_like(x), 3, 2**31)
    assert set(out.tolist()) == {0.0, 2.0}
    assert abs(float((out == 0).mean()) - 0.5) < 0.02


def test_scaled_products_know_their_scales() -> None:
    a = np.ones((32, 64), ml_dtypes.float8_e4m3fn)
    b = np.ones((64, 32), ml_dtypes.float8_e4m3fn)
    sa = np.full((32, 2), 2.0, ml_dtypes.float8_e8m0fnu)
    sb = np.full((2, 32), 4.0, ml_dtypes.float8_e8m0fnu)
    (c,) = meaning("scaled_matmul", a, sa, b, sb, zeros(32, 32))
    np.testing.assert_array_equal(c, np.full((32, 32), 512))


def test_four_bit_numbers_survive_packing() -> None:
    numbers = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
    x = np.tile(numbers, 2).astype(np.float32)
    packed, scales = meaning("quantize_to_four_bits", x, np.zeros(16, np.uint8), zeros(2))
    np.testing.assert_array_equal(scales, [1, 1])
    (back,) = meaning("expand_from_four_bits", packed, scales, zeros(32))
    np.testing.assert_array_equal(back, x)


ROUNDED: list[tuple[str, Any, list[float]]] = [
    ("rounding_modes", 0, [1.0, 1.0, 1.0, 1.0 + 2**-23]),
    ("directed_rounding_f32", 4, [1.0, 1.0 - 2**-24, 1.0 - 2**-24, 1.0]),
]


@pytest.mark.parametrize(("name", "row", "wanted"), ROUNDED)
def test_directed_sums(name: str, row: int, wanted: list[float]) -> None:
    x, y = np.array([1.0], np.float32), np.array([2.0**-30], np.float32)
    out = KERNELS[name].make_arguments((1,))[2]
    (results,) = meaning(name, x, y, out)
    assert results[row : row + 4, 0].tolist() == wanted


def test_ties_away_from_zero() -> None:
    x = np.array([1 + 2**-11, -1 - 2**-11, 1 + 2**-12], np.float32)
    (out,) = meaning("ties_away_from_zero", x, zeros(3))
    assert out.tolist() == [1 + 2**-10, -1 - 2**-10, 1]
