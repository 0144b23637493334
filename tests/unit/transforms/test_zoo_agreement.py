"""The first conversion changes nothing that any kernel of the zoo computes, bit for bit."""

import numpy as np
import pytest

from tests.kernels import KERNELS, launch_arguments
from tests.unit import tools
from tileir_xdsl import interpreters


@pytest.mark.parametrize("name", KERNELS)
def test_both_levels_compute_the_same_bits(name: str):
    case = KERNELS[name]
    module = tools.parse(case.text_path.read_text())
    before, after = (case.make_arguments(case.typical) for _ in range(2))
    interpreters.launch(module, case.name, case.grid(case.typical), launch_arguments(before))
    tools.run_passes(module, "convert-cuda-tile-to-tileaa")
    interpreters.launch(module, case.name, case.grid(case.typical), launch_arguments(after))
    for expected, actual in zip(before, after, strict=True):
        if isinstance(expected, np.ndarray):
            assert isinstance(actual, np.ndarray)
            assert actual.tobytes() == expected.tobytes()
