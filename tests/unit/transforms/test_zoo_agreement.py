"""No pass before a thread's program changes what any kernel of the zoo computes, bit for bit."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.kernels import KERNELS, KernelCase, launch_arguments
from tests.unit import tools
from tileir_xdsl import interpreters

STAGES = (
    "convert-cuda-tile-to-tileaa{compute-capability=sm_100a}",
    "canonicalize,convert-tileaa-to-tileas,tileas-assign-load-store-layouts",
)
"""The passes that lead to `nv_tileaa`, and from there to `nv_tileas` with layouts.

For a target that has every element type.
"""


def _results(case: KernelCase, module: ModuleOp) -> list[bytes]:
    """The bytes of all arrays after a launch."""
    arguments = case.make_arguments(case.typical)
    interpreters.launch(module, case.name, case.grid(case.typical), launch_arguments(arguments))
    return [a.tobytes() for a in arguments if isinstance(a, np.ndarray)]


@pytest.mark.parametrize("name", KERNELS)
def test_all_levels_compute_the_same_bits(name: str):
    case = KERNELS[name]
    module = tools.parse(case.text_path.read_text())
    expected = _results(case, module)
    for passes in STAGES:
        tools.run_passes(module, passes)
        assert _results(case, module) == expected, passes
