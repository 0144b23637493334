"""The same computations by numpy, jax and numba, which write into memory that is there already.

Each takes the arguments of a kernel, the last of which is the output, and returns what runs it
once. numpy gets `out=`, jax a donated array, and numba writes into the output itself. numba is
measured with and without `fastmath`, and without `parallel`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.cpu.kernels import EPSILON

Array = Any
Run = Callable[[], object]
Rival = Callable[..., Run]
"""From the arguments of a kernel to what runs the computation once."""


def _float(number: float) -> np.float32:
    return np.float32(number)


# numpy.


def _numpy_add(x: Array, y: Array, out: Array) -> Run:
    return lambda: np.add(x, y, out=out)


def _numpy_gelu(x: Array, out: Array) -> Run:
    inner = np.empty_like(x)

    def run() -> None:
        np.multiply(x, x, out=inner)
        np.multiply(inner, x, out=inner)
        np.multiply(inner, _float(0.044715), out=inner)
        np.add(inner, x, out=inner)
        np.multiply(inner, _float(0.7978845608028654), out=inner)
        np.tanh(inner, out=inner)
        np.add(inner, _float(1), out=inner)
        np.multiply(inner, x, out=inner)
        np.multiply(inner, _float(0.5), out=out)

    return run


def _numpy_softmax(x: Array, out: Array) -> Run:
    def run() -> None:
        np.subtract(x, x.max(axis=1, keepdims=True), out=out)
        np.exp(out, out=out)
        np.divide(out, out.sum(axis=1, keepdims=True), out=out)

    return run


def _numpy_layer_norm(x: Array, weight: Array, bias: Array, out: Array) -> Run:
    square = np.empty_like(x)

    def run() -> None:
        np.subtract(x, x.mean(axis=1, keepdims=True), out=out)
        np.multiply(out, out, out=square)
        scale = 1 / np.sqrt(square.mean(axis=1, keepdims=True) + _float(EPSILON))
        np.multiply(out, scale, out=out)
        np.multiply(out, weight, out=out)
        np.add(out, bias, out=out)

    return run


def _numpy_rope(x: Array, cosine: Array, sine: Array, out: Array) -> Run:
    half = cosine.shape[1]
    first, second = x[..., :half], x[..., half:]
    c, s = cosine[:, None], sine[:, None]
    turned = np.empty_like(first)

    def run() -> None:
        np.multiply(first, c, out=out[..., :half])
        np.multiply(second, s, out=turned)
        np.subtract(out[..., :half], turned, out=out[..., :half])
        np.multiply(second, c, out=out[..., half:])
        np.multiply(first, s, out=turned)
        np.add(out[..., half:], turned, out=out[..., half:])

    return run


def _numpy_cross_entropy(x: Array, target: Array, out: Array) -> Run:
    shifted, rows = np.empty_like(x), np.arange(len(x))

    def run() -> None:
        largest = x.max(axis=1)
        np.subtract(x, largest[:, None], out=shifted)
        np.exp(shifted, out=shifted)
        np.log(shifted.sum(axis=1), out=out)
        np.add(out, largest, out=out)
        np.subtract(out, x[rows, target], out=out)

    return run


def _numpy_matmul(a: Array, b: Array, out: Array) -> Run:
    return lambda: np.matmul(a, b, out=out)


def _numpy_first_transposed(a: Array, b: Array, out: Array) -> Run:
    return _numpy_matmul(a.T, b, out)


def _numpy_second_transposed(a: Array, b: Array, out: Array) -> Run:
    return _numpy_matmul(a, b.T, out)


def _numpy_attention(q: Array, k: Array, v: Array, out: Array) -> Run:
    score = np.empty((q.shape[0], q.shape[1], k.shape[1]), np.float32)
    scale = _float(q.shape[2] ** -0.5)

    def run() -> None:
        np.matmul(q, k.transpose(0, 2, 1), out=score)
        np.multiply(score, scale, out=score)
        np.subtract(score, score.max(axis=2, keepdims=True), out=score)
        np.exp(score, out=score)
        np.divide(score, score.sum(axis=2, keepdims=True), out=score)
        np.matmul(score, v, out=out)

    return run


NUMPY: Mapping[str, Rival] = {
    "add": _numpy_add,
    "gelu": _numpy_gelu,
    "softmax": _numpy_softmax,
    "layer_norm": _numpy_layer_norm,
    "rope": _numpy_rope,
    "cross_entropy": _numpy_cross_entropy,
    "matmul": _numpy_matmul,
    "matmul_small_tiles": _numpy_matmul,
    "matmul_first_transposed": _numpy_first_transposed,
    "matmul_second_transposed": _numpy_second_transposed,
    "attention": _numpy_attention,
}
"""By the name of the kernel."""


# jax.


def _jax_functions() -> Mapping[str, Callable[..., Any]]:
    jax, jnp = import_module("jax"), import_module("jax.numpy")

    def gelu(x: Any) -> Any:
        inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1 + jnp.tanh(inner))

    def layer_norm(x: Any, weight: Any, bias: Any) -> Any:
        centred = x - x.mean(axis=1, keepdims=True)
        variance = (centred * centred).mean(axis=1, keepdims=True)
        return centred * jax.lax.rsqrt(variance + EPSILON) * weight + bias

    def rope(x: Any, cosine: Any, sine: Any) -> Any:
        first, second = jnp.split(x, 2, axis=2)
        c, s = cosine[:, None], sine[:, None]
        return jnp.concatenate((first * c - second * s, second * c + first * s), axis=2)

    def cross_entropy(x: Any, target: Any) -> Any:
        chosen = jnp.take_along_axis(x, target[:, None], axis=1)[:, 0]
        return jax.nn.logsumexp(x, axis=1) - chosen

    def attention(q: Any, k: Any, v: Any) -> Any:
        score = jnp.einsum("hqd,hkd->hqk", q, k) * q.shape[2] ** -0.5
        return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(score, axis=2), v)

    def add(x: Any, y: Any) -> Any:
        return x + y

    def softmax(x: Any) -> Any:
        return jax.nn.softmax(x, axis=1)

    def matmul(a: Any, b: Any) -> Any:
        return a @ b

    def first_transposed(a: Any, b: Any) -> Any:
        return a.T @ b

    def second_transposed(a: Any, b: Any) -> Any:
        return a @ b.T

    return {
        "add": add,
        "gelu": gelu,
        "softmax": softmax,
        "layer_norm": layer_norm,
        "rope": rope,
        "cross_entropy": cross_entropy,
        "matmul": matmul,
        "matmul_small_tiles": matmul,
        "matmul_first_transposed": first_transposed,
        "matmul_second_transposed": second_transposed,
        "attention": attention,
    }


def jax_run(name: str, arguments: Sequence[Array]) -> Run:
    """The computation by `jax.jit`, whose output is donated from one run to the next."""
    jax, jnp = import_module("jax"), import_module("jax.numpy")
    function = _jax_functions()[name]

    def into(_out: Any, *inputs: Any) -> Any:
        return function(*inputs)

    compiled = jax.jit(into, donate_argnums=0)
    # A copy: what is donated must be memory of jax.
    *inputs, out = (jnp.array(argument, copy=True) for argument in arguments)
    state = [out]

    def run() -> None:
        state[0] = compiled(state[0], *inputs)
        state[0].block_until_ready()

    return run


# numba.


def _loops() -> Mapping[str, Callable[..., None]]:
    """Functions of scalars and loops, as numba compiles them best."""
    tanh, exp, log, sqrt, f = math.tanh, math.exp, math.log, math.sqrt, np.float32

    def add(x: Array, y: Array, out: Array) -> None:
        for i in range(x.size):
            out[i] = x[i] + y[i]

    def gelu(x: Array, out: Array) -> None:
        for i in range(x.size):
            a = x[i]
            inner = f(0.7978845608028654) * (a + f(0.044715) * a * a * a)
            out[i] = f(0.5) * a * (f(1) + tanh(inner))

    def softmax(x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            largest = x[i, 0]
            for j in range(x.shape[1]):
                largest = max(largest, x[i, j])
            total = f(0)
            for j in range(x.shape[1]):
                out[i, j] = exp(x[i, j] - largest)
                total += out[i, j]
            for j in range(x.shape[1]):
                out[i, j] = out[i, j] / total

    def layer_norm(x: Array, weight: Array, bias: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            total = f(0)
            for j in range(x.shape[1]):
                total += x[i, j]
            mean = total / f(x.shape[1])
            squares = f(0)
            for j in range(x.shape[1]):
                squares += (x[i, j] - mean) * (x[i, j] - mean)
            scale = f(1) / f(sqrt(squares / f(x.shape[1]) + f(EPSILON)))
            for j in range(x.shape[1]):
                out[i, j] = (x[i, j] - mean) * scale * weight[j] + bias[j]

    def rope(x: Array, cosine: Array, sine: Array, out: Array) -> None:
        half = cosine.shape[1]
        for i in range(x.shape[0]):
            for h in range(x.shape[1]):
                for j in range(half):
                    c, s = cosine[i, j], sine[i, j]
                    out[i, h, j] = x[i, h, j] * c - x[i, h, j + half] * s
                    out[i, h, j + half] = x[i, h, j + half] * c + x[i, h, j] * s

    def cross_entropy(x: Array, target: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            largest = x[i, 0]
            for j in range(x.shape[1]):
                largest = max(largest, x[i, j])
            total = f(0)
            for j in range(x.shape[1]):
                total += f(exp(x[i, j] - largest))
            out[i] = f(log(total)) + largest - x[i, target[i]]

    functions = (add, gelu, softmax, layer_norm, rope, cross_entropy)
    return {function.__name__: function for function in functions}


def numba_run(name: str, arguments: Sequence[Array], *, fast: bool) -> Run | None:
    """The computation by `numba.njit`; None where numba has no loop for it."""
    function = _loops().get(name)
    if function is None:
        return None
    compiled = import_module("numba").njit(fastmath=fast)(function)
    return lambda: compiled(*arguments)


def rivals(name: str, arguments: Sequence[Array]) -> dict[str, Run]:
    """What runs a computation once, by the name of the rival; each has an output of its own."""

    def own() -> list[Array]:
        *inputs, out = arguments
        return [*inputs, np.zeros_like(out)]

    runs: dict[str, Run] = {"numpy": NUMPY[name](*own())}
    if find_spec("jax") is not None:
        runs["jax"] = jax_run(name, own())
    if find_spec("numba") is not None:
        for label, fast in (("numba", False), ("numba fast", True)):
            run = numba_run(name, own(), fast=fast)
            if run is not None:
                runs[label] = run
    return runs
