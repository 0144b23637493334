"""cuTile kernels on the arrays of torch and jax, on the CPU: `make soak` installs both."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tileir_xdsl as tileir
from tests.unit.cutile.test_launching import add, first_of, plain, vectors
from tileir_xdsl import cutile
from tileir_xdsl.frontends.interpreting import Interpreter
from tileir_xdsl.frontends.serving import serving

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_torch(level: str):
    torch: Any = import_module("torch")
    a, b, c = map(torch.from_numpy, vectors())
    cutile.launch(8, add, (a, b, c, 128), level=level, gpu="sm_80")
    assert torch.equal(c, a + b)


def test_torch_with_reduced_floats_and_strides():
    torch: Any = import_module("torch")
    x = torch.arange(64, dtype=torch.bfloat16)
    cutile.launch(1, plain, (x, 64))
    assert torch.equal(x, torch.arange(1, 65, dtype=torch.bfloat16))
    every_second = torch.zeros(128, dtype=torch.float32)[::2]
    cutile.launch(1, plain, (every_second, 64))
    assert torch.equal(every_second, torch.ones(64))


def test_torch_that_wants_gradients():
    torch: Any = import_module("torch")
    x = torch.zeros(64, requires_grad=True)
    with pytest.raises(tileir.CompileError, match="x: error: "):
        cutile.launch(1, plain, (x, 64))


def test_jax_arrays_are_read():
    numpy: Any = import_module("jax.numpy")
    a, b, c = vectors()
    cutile.launch(8, add, (numpy.asarray(a), numpy.asarray(b), c, 128))
    assert (c == a + b).all()
    half = numpy.arange(64, dtype=numpy.bfloat16)
    out = np.zeros(64, half.dtype)
    cutile.launch(1, add, (half, half, out, 64))
    assert (out == np.asarray(half + half)).all()


def test_jax_arrays_are_not_written():
    numpy: Any = import_module("jax.numpy")
    a, b, c = vectors()
    fixed = numpy.asarray(c)
    with pytest.raises(
        tileir.CompileError, match="c: error: the kernel writes this read-only array"
    ):
        cutile.launch(8, add, (a, b, fixed, 128))
    assert not np.asarray(fixed).any()


def test_calls_from_jax():
    """`cutile_call` inside a function that jax compiles, with all kinds of arguments."""
    jax: Any = import_module("jax")
    with serving(Interpreter()):
        calls: Any = import_module("cuda.tile.jax")

        def graph(x: Any) -> Any:
            made = calls.OutputPlaceholder(x.shape, x.dtype)
            doubled = calls.cutile_call((1,), add, (x, x, made, 64))
            kept = calls.cutile_call((1,), plain, (calls.InputOutput(doubled), 64))
            first = calls.cutile_call((1,), first_of, ((kept, made), 64))
            return first + 0 * doubled

        x = jax.numpy.arange(64, dtype=np.float32)
        assert (jax.jit(graph)(x) == 2 * x + 1).all()
        assert (graph(x) == 2 * x + 1).all()
    assert "jax_calls" not in calls.cutile_call.__module__
