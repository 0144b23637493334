"""How far what inexact ops give is moved."""

import numpy as np

from tests.unit.road.agreement import whole_tiles
from tileir_xdsl import interpreters
from tileir_xdsl.checking.rounding import RoundingErrors
from tileir_xdsl.testing import tools

COUNT = 1024


def test_a_sum_is_moved_by_all_of_its_roundings():
    """Of terms that cancel out: partial sums are as large as terms of random signs make."""
    terms = np.tile([1.0, -1.0], COUNT // 2).astype(np.float32)
    body = f"""
    %y0 = reduce %x0 dim=0 identities=[0.0 : f32] : tile<{COUNT}xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {{
      %sum = addf %a, %b : tile<f32>
      yield %sum : tile<f32>
    }}
    """
    text = whole_tiles(body, [terms], [("f32", ())])
    moved: list[float] = []
    for seed in range(8):
        result = np.zeros(1, np.float32)
        listeners = (RoundingErrors(seed),)
        interpreters.launch(
            tools.parse(text), "k", (1, 1, 1), [terms.copy(), result], listeners=listeners
        )
        moved.append(abs(float(result[0])))
    # The root of so many roundings, each of a last place of a number as large as that root.
    size = np.sqrt(COUNT)
    expected = size * float(np.spacing(np.float32(size)))
    assert expected / 4 < max(moved) < 4 * expected
