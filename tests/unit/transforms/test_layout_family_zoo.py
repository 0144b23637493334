"""The layout and buffer family, all in order, keeps what the kernels of the zoo compute."""

import io

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, KernelCase, launch_arguments
from tileir_xdsl.testing.tileas_programs.passes import FAMILY

NARROW_TYPES = ("f4E2M1FN", "f8E8M0FNU")
"""Element types that the default target lacks."""


def _launch(case: KernelCase, module: ModuleOp) -> tuple[list[object], str]:
    """The arguments after a launch on a typical input, and what was printed."""
    arguments, output = case.make_arguments(case.typical), io.StringIO()
    grid = case.grid(case.typical)
    interpreters.launch(module, case.name, grid, launch_arguments(arguments), output=output)
    return list(arguments), output.getvalue()


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", KERNELS)
def test_the_same_bits(name: str):
    case = KERNELS[name]
    text = case.text_path.read_text()
    target = "sm_100a" if any(type in text for type in NARROW_TYPES) else "sm_90a"
    convert = f'convert-cuda-tile-to-tileaa{{compute-capability="{target}"}}'
    module = tools.run_passes(tools.parse(text), f"{convert},convert-tileaa-to-tileas")
    expected, printed = _launch(case, module)
    tools.run_passes(module, ",".join(FAMILY))
    actual, printed_after = _launch(case, module)
    assert printed_after == printed
    for before, after in zip(expected, actual, strict=True):
        if isinstance(before, np.ndarray):
            assert isinstance(after, np.ndarray)
            assert after.tobytes() == before.tobytes()
