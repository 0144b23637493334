"""Constants of every float format: a tile of one number, and a tile of many."""

import numpy as np
import pytest

from tests.unit.road.levels_agree.test_agreement import run_both
from tileir_xdsl.interpreters.numerics import FLOAT_FORMATS


@pytest.mark.parametrize("element", [f for f in FLOAT_FORMATS if f != "f64"])
@pytest.mark.parametrize("numbers", ["2.0", "[1.0, 2.0, 0.5, 4.0]"])
def test_floats(element: str, numbers: str):
    convert = "" if element == "f32" else f"%x = ftof %c : tile<4x{element}> -> tile<4xf32>"
    value = "c" if element == "f32" else "x"
    body = f"""
    %c = constant <{element}: {numbers}> : tile<4x{element}>
    {convert}
    %one = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %all = broadcast %one : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %i = iota : tile<4xi32>
    %at = offset %all, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
    %t = store_ptr_tko weak %at, %{value} : tile<4xptr<f32>>, tile<4xf32> -> token
    """
    wanted = [2.0] * 4 if numbers == "2.0" else [1.0, 2.0, 0.5, 4.0]
    zeros = np.zeros(4, np.float32)
    (_,), (got,) = run_both(body, "%p: tile<ptr<f32>>", [zeros], gpu="sm_107a")
    assert got.tolist() == wanted
