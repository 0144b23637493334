"""The text of a kernel means what its bytecode does."""

from typing import Any

import cuda.tile as ct
import numpy as np
import pytest

import tileir_xdsl as tileir
from tileir_xdsl import cutile
from tileir_xdsl.testing.kernels.case import kernel


@kernel
def taken_at(x: Any, out: Any) -> None:
    at = ct.arange(16, dtype=ct.int32)
    ct.scatter(out, at, ct.gather(x, at, check_bounds=False))


@pytest.mark.parametrize("dtype", [np.bool_, np.float32])
def test_padding_without_a_mask(dtype: Any):
    """cuTile writes one where it checks no bounds; of truth values it would read as a mask."""
    x, out = np.arange(16).astype(dtype), np.zeros(16, dtype)
    program = cutile.load(taken_at, (x, out), "sm_90a")
    again = tileir.load(program.text, "sm_90a")
    assert again.text == program.text
    again.run((1,), x, out)
    assert (out == x).all()
