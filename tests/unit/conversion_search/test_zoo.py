"""In the zoo no conversion is left that the search can do without, and all results stay."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.conversion_search import assigned_kernel, outcome_of
from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments


def results(module: ModuleOp, name: str) -> list[bytes]:
    """What the arrays of one launch hold afterwards."""
    case = KERNELS[name]
    arguments = case.make_arguments(case.typical)
    interpreters.launch(module, name, case.grid(case.typical), launch_arguments(arguments))
    return [argument.tobytes() for argument in arguments if isinstance(argument, np.ndarray)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", KERNELS)
def test_the_fewest_conversions_compute_the_same_bits(name: str):
    module = assigned_kernel(name)
    original, text = module.clone(), tools.to_text(module)
    outcome = outcome_of(module)
    assert outcome.after <= outcome.before
    assert outcome.fewest is None or outcome.fewest >= outcome.after
    tools.run_passes(module, "tileas-remove-dead-args")
    # A kernel that neither pass has changed computes what it did.
    if tools.to_text(module) != text:
        assert results(module, name) == results(original, name)
