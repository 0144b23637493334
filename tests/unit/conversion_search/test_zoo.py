"""In the zoo no conversion is left that the search can do without, and all results stay."""

import numpy as np
import pytest

from tests.conversion_search import assigned_kernel, outcome_of
from tests.kernels import KERNELS, launch_arguments
from tests.unit import tools
from tileir_xdsl import interpreters
from tileir_xdsl.dialects import nv_tileas


@pytest.mark.parametrize("name", KERNELS)
def test_the_fewest_conversions_compute_the_same_bits(name: str):
    module = assigned_kernel(name)
    if not any(isinstance(op, nv_tileas.ConvertLayoutOp) for op in module.walk()):
        # Nothing to remove: the pass leaves the kernel alone.
        before = tools.to_text(module)
        outcome_of(module)
        assert tools.to_text(module) == before
        return
    case = KERNELS[name]
    expected, actual = (case.make_arguments(case.typical) for _ in range(2))
    grid = case.grid(case.typical)
    interpreters.launch(module, case.name, grid, launch_arguments(expected))
    outcome = outcome_of(module)
    assert outcome.after <= outcome.before
    assert outcome.fewest is None or outcome.fewest >= outcome.after
    interpreters.launch(module, case.name, grid, launch_arguments(actual))
    for before, after in zip(expected, actual, strict=True):
        if isinstance(before, np.ndarray):
            assert isinstance(after, np.ndarray)
            assert after.tobytes() == before.tobytes()
