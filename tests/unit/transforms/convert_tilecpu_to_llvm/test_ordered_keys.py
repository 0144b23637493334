"""Greatest and least elements by keys: zeros are told apart, and NaN loses, as numpy says it."""

import numpy as np
import pytest

from tests.unit.transforms.convert_tileaa_to_tilecpu.programs import Program
from tests.unit.transforms.convert_tilecpu_to_llvm.test_execution import compiled, run

SPECIAL = np.array(
    [np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1e-45, -1e-45, 3e38, -3e38, 1.0, -1.0], np.float32
)


def drawn(seed: int) -> np.ndarray:
    """Rows of few different numbers, so that ties of zeros and rows of NaN alone occur."""
    random = np.random.default_rng(seed)
    few = [random.choice(SPECIAL, random.integers(1, 4)) for _ in range(64)]
    return np.array([random.choice(each, 64) for each in few])


def expected(values: np.ndarray, axis: int, is_greatest: bool) -> np.ndarray:
    """The extremum by value, then by sign; NaN where there is nothing else."""
    rows = values if axis == 1 else values.T
    picked: list[float] = []
    for row in rows:
        numbers = sorted(
            row[~np.isnan(row)], key=lambda x: (x, not np.signbit(x)), reverse=is_greatest
        )
        picked.append(numbers[0] if numbers else np.nan)
    return np.array(picked, np.float32)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("gpu", ["cpu-x86-64-v3", "cpu-x86-64-v4"])
@pytest.mark.parametrize("op", ["arith.maxnumf", "nv_tileaa.minf"])
@pytest.mark.parametrize("axis", [0, 1])
def test_extrema(op: str, axis: int, gpu: str):
    body = f"""%out0 = nv_tileaa.reduce %in0 {{axis = {axis} : i32}} : tensor<64x64xf32> -> tensor<64xf32> {{
    ^bb0(%a: f32, %b: f32):
      %c = {op} %a, %b : f32
      nv_tileaa.yield %c : f32
    }}"""
    text = compiled(Program(("64x64xf32",), ("64xf32",), body), gpu)
    for seed in range(8):
        values, result = drawn(seed), np.zeros(64, np.float32)
        run(text, [values, result])
        want = expected(values, axis, "max" in op)
        are_numbers = ~np.isnan(want)
        assert (np.isnan(result) == ~are_numbers).all()
        assert (result.view(np.int32) == want.view(np.int32))[are_numbers].all()
