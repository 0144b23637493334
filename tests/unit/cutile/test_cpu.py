"""Launches on the processor of this machine, and what the interpreter runs instead."""

import io
from typing import Any

import cuda.tile as ct
import numpy as np
import pytest

from tileir_xdsl import cutile
from tileir_xdsl.runtime.cpu import programs
from tileir_xdsl.runtime.errors import CompileError, InterpreterWarning
from tileir_xdsl.testing.kernels.case import kernel


@kernel
def double(a: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, (i,), (tile,))
    ct.store(a, (i,), x + x)


def test_launches_with_other_arrays_of_the_same_facts() -> None:
    for seed in (1, 2):
        array = np.random.default_rng(seed).integers(0, 100, 1000)
        expected = 2 * array
        assert cutile.launch((8,), double, (array, 128), gpu="cpu").level == "cpu"
        assert (array == expected).all()


def test_arrays_that_overlap() -> None:
    """A tile is loaded as a whole before one that is shifted by an element is stored."""
    memory, expected = np.arange(129), np.arange(129)
    cutile.launch((1,), shift, (memory[:128], memory[1:], 128), gpu="cpu")
    expected[1:] = np.arange(128)
    assert (memory == expected).all()


@kernel
def shift(a: Any, b: Any, tile: ct.Constant[int]) -> None:
    ct.store(b, (0,), ct.load(a, (0,), (tile,)))


def test_an_array_whose_elements_overlap() -> None:
    """cuTile loads and stores by two views, so the tile is loaded as a whole before it is stored."""
    memory = np.arange(1, 2)
    array = np.lib.stride_tricks.as_strided(memory, (128,), (0,))
    assert cutile.launch((1,), double, (array, 128), gpu="cpu").level == "cpu"
    assert memory == [2]


def test_llvm_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> str:
        return "needs llvmlite"

    monkeypatch.setattr(programs, "why_not_here", missing)
    array = np.arange(128.0)
    with pytest.warns(InterpreterWarning, match="^cpu: needs llvmlite; the interpreter") as found:
        cutile.launch((1,), double, (array, 128), gpu="cpu")
    assert found[0].filename == __file__
    assert (array == 2 * np.arange(128.0)).all()


def test_bad_input() -> None:
    with pytest.raises(CompileError, match="need the interpreter"):
        cutile.launch((1,), double, (np.zeros(128), 128), gpu="cpu", races=True)
    with pytest.raises(CompileError, match="unknown target 'cpu-486'"):
        cutile.launch((1,), double, (np.zeros(128), 128), gpu="cpu-486")


@kernel
def show(a: Any, tile: ct.Constant[int]) -> None:
    ct.printf("%d\n", ct.sum(ct.load(a, (ct.bid(0),), (tile,))))


def test_output() -> None:
    for _ in range(2):
        output = io.StringIO()
        run = cutile.launch((3,), show, (np.arange(6), 2), gpu="cpu", output=output)
        assert (run.level, output.getvalue()) == ("cpu", "1\n5\n9\n")
