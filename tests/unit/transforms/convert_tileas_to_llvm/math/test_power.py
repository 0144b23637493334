"""Powers of f32 that are very large or small, where errors of the logarithm count most."""

import numpy as np
import pytest

from tests.unit.transforms.convert_tileas_to_llvm.elementwise import TILE, Operation, ptx
from tileir_xdsl import emulator

SIZE = 16 * TILE


@pytest.mark.parametrize("sign", [1, -1])
def test_powers_near_the_ends_of_the_range_are_within_one_unit(sign: int):
    rng = np.random.default_rng(3)
    base = rng.uniform(0.5, 2.0, SIZE).astype(np.float32)
    # A base next to 1 would need an exponent beyond f32.
    base[np.abs(base - 1) < 1e-3] = 1.5
    exponent = (sign * rng.uniform(100, 125.9, SIZE) / np.log2(base)).astype(np.float32)
    result = np.zeros_like(base)
    program = emulator.load(ptx([Operation("pow %in0, %in1 : T", ("f32",) * 2, "f32")], "sm_80"))
    program.launch("k", (SIZE // TILE, 1, 1), [base, exponent, base, result])
    exact = np.power(base.astype(np.float64), exponent.astype(np.float64))
    unit = np.spacing(exact.astype(np.float32)).astype(np.float64)
    assert np.max(np.abs(result - exact) / unit) < 0.9
