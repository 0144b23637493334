"""`cutile_call` by a module of jax's shape; `test_other_libraries.py` has jax itself."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.unit.cutile.test_launching import add, first_of, plain
from tileir_xdsl.cutile.jax_calls import install
from tileir_xdsl.frontends.interpreting import Interpreter

calls: Any = import_module("cuda.tile.jax")


def called_back(
    execute: Callable[..., Sequence[Any]], outputs: Sequence[Any], *inputs: Any
) -> list[Any]:
    results = list(execute(*inputs))
    assert [(each.shape, each.dtype) for each in results] == [
        (each.shape, each.dtype) for each in outputs
    ]
    return results


@pytest.fixture
def jax(monkeypatch: pytest.MonkeyPatch) -> None:
    """A jax whose arrays are those of numpy, and which executes a callback where it meets it."""
    module = SimpleNamespace(
        Array=np.ndarray,
        ShapeDtypeStruct=lambda shape, dtype: SimpleNamespace(shape=shape, dtype=dtype),  # pyright: ignore[reportUnknownLambdaType]
        pure_callback=called_back,
    )
    monkeypatch.setitem(sys.modules, "jax", module)
    monkeypatch.setattr(calls._jax, "HAS_JAX", True)


@pytest.mark.usefixtures("jax")
def test_arguments_of_all_kinds():
    before = calls.cutile_call
    undo = install(Interpreter())
    x = np.arange(64, dtype=np.float32)
    made = calls.OutputPlaceholder(x.shape, x.dtype)
    doubled = calls.cutile_call((1,), add, (x, x, made, 64))
    kept = calls.cutile_call((1,), plain, (calls.InputOutput(doubled), 64))
    first = calls.cutile_call((1,), first_of, ((kept, made), 64))
    undo()
    assert (doubled == 2 * x).all()
    assert (kept == doubled + 1).all()
    assert (first == kept).all()
    assert calls.cutile_call is before


@pytest.mark.usefixtures("jax")
def test_results_are_in_the_order_of_the_arguments():
    undo = install(Interpreter())
    x = np.arange(64, dtype=np.float32)
    out = calls.OutputPlaceholder(x.shape, x.dtype)
    changed, result = calls.cutile_call((1,), add, (calls.InputOutput(x), x, out, 64))
    undo()
    assert (changed == x).all()
    assert (result == 2 * x).all()


def test_without_jax_the_call_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(calls._jax, "HAS_JAX", False)
    before = calls.cutile_call
    install(Interpreter())()
    assert calls.cutile_call is before
