"""The first two conversions and the folds keep what the kernels of the zoo compute, bit for bit."""

import numpy as np
import pytest

from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments
from tileir_xdsl.testing.kernels.agreement import assert_agrees, within_roundings

IN_PARTS = "deep_matmul"
"""Its dot becomes a loop over parts of K, each rounded to f32 (`convert-tileaa-to-tileas`)."""

NARROW_TYPES = ("f4E2M1FN", "f8E8M0FNU")
"""Element types that the default target lacks."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", KERNELS)
def test_all_levels_compute_the_same_bits(name: str):
    case = KERNELS[name]
    text = case.text_path.read_text()
    target = "sm_100a" if any(type in text for type in NARROW_TYPES) else "sm_90a"
    module = tools.parse(text)
    expected = case.make_arguments(case.typical)
    interpreters.launch(module, case.name, case.grid(case.typical), launch_arguments(expected))
    for passes in (
        f'convert-cuda-tile-to-tileaa{{compute-capability="{target}"}}',
        "convert-tileaa-to-tileas",
        "canonicalize",
    ):
        tools.run_passes(module, passes)
        actual = case.make_arguments(case.typical)
        interpreters.launch(module, case.name, case.grid(case.typical), launch_arguments(actual))
        for before, after in zip(expected, actual, strict=True):
            if isinstance(before, np.ndarray):
                assert isinstance(after, np.ndarray)
                if name == IN_PARTS and after.shape == case.typical[:2]:
                    a, b = (np.abs(np.asarray(x, np.float64)) for x in actual[:2])
                    exact = before.astype(np.float64)
                    assert_agrees(after, within_roundings(exact, a @ b, np.float32, 16, np.float32))
                else:
                    assert after.tobytes() == before.tobytes()
