"""Every sample computes what its first line says, at both ends, by the command that stands in it."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tileir_xdsl import samples
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime.program import load
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.targets import TARGETS
from tileir_xdsl.testing.kernels.agreement import (
    Expected,
    assert_agrees,
    unit_in_last_place,
    within_ulps,
)

Array = np.ndarray[Any, Any]


def saxpy(x: Array, y: Array, a: float) -> Expected:
    product = a * x.astype("float64")
    # The product is rounded, and the sum.
    ulps = unit_in_last_place(product, "float32") + unit_in_last_place(product + y, "float32")
    return Expected((product + y).astype("float32"), ulps)


def softmax(x: Array, _: Array) -> Expected:
    exact = x.astype("float64")
    powers = np.exp(exact - exact.max(1, keepdims=True))
    # The exponential and the sum of 200 are of f32, and the quotient is.
    return within_ulps(powers / powers.sum(1, keepdims=True), "float32", 16)


def product(a: Array, b: Array, _: Array) -> Expected:
    exact = a.astype("float64") @ b.astype("float64")
    # Sums of f32 are rounded once to f16; near 0 their own error counts.
    ulps = unit_in_last_place(exact, "float16")
    return Expected(exact.astype("float16"), np.maximum(ulps, 1e-5))


def arrays(*shapes: tuple[int, ...], dtype: str = "float32") -> list[Array]:
    rng = np.random.default_rng(3)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


Case = tuple[tuple[int, ...], list[Any], int, Callable[..., Expected]]

CASES: dict[str, Case] = {
    "saxpy": ((8,), [*arrays((1000,), (1000,)), 2.5], 1, saxpy),
    "row_softmax": ((16,), arrays((16, 200), (16, 200)), 1, softmax),
    "matmul": ((2, 3), arrays((128, 96), (96, 192), (128, 192), dtype="float16"), 2, product),
}
"""Grid, arguments, the number of the result, and what it is by numpy."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
@pytest.mark.parametrize("name", samples.names())
def test_values(name: str, level: str):
    grid, arguments, result, expected = CASES[name]
    passed = [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]
    load(samples.path(name), "sm_90a").run(grid, *passed, level=level)
    assert_agrees(passed[result], expected(*arguments))


@pytest.mark.one_in(15)
@pytest.mark.parametrize("gpu", TARGETS)
@pytest.mark.parametrize("name", samples.names())
def test_targets(name: str, gpu: str):
    assemble(load(samples.path(name), gpu).compile().text, gpu)


@pytest.mark.parametrize("name", samples.names())
def test_the_command_in_the_text(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    assert main(["sample", name, "-o", f"{name}.mlir"]) == 0
    text = Path(f"{name}.mlir").read_text()
    (command,) = re.findall(r"^// +tileir (.*)$", text, re.MULTILINE)
    assert main(shlex.split(command)) == 0
    assert "blocks in" in capsys.readouterr().out


def test_the_list(capsys: pytest.CaptureFixture[str]):
    assert main(["sample"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(
        samples.names()
    )
    with pytest.raises(KeyError):
        samples.path("../samples/matmul")
