"""Constants keep their elements, and what is printed of them can be read."""

import numpy as np
import pytest

from tests.unit.road.agreement import DTYPES, whole_tiles
from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools


@pytest.mark.parametrize(
    ("element", "infinity"), [("f16", "0x7C00"), ("bf16", "0x7F80"), ("f32", "0x7F800000")]
)
def test_constants_of_which_some_elements_are_infinite(element: str, infinity: str):
    body = f"%y0 = constant <{element}: [1.0, {infinity}, -2.5, 0.0]> : tile<4x{element}>"
    text = whole_tiles(body, [], [(element, (4,))])
    module = tools.run_passes(tools.parse(text), "convert-cuda-tile-to-tileaa")
    found = np.zeros(4, DTYPES[element])
    interpreters.launch(tools.parse(tools.to_text(module)), "k", (1, 1, 1), [found])
    np.testing.assert_array_equal(found.astype(np.float64), [1.0, np.inf, -2.5, 0.0])
