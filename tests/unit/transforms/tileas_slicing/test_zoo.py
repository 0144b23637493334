"""Kernels of the zoo whose loops are sliced compute the same bits; other loops are refused."""

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, KernelCase, launch_arguments
from tileir_xdsl.transforms.tileas_slicing import TileASSlicingPass, diagnostics, plan_slicing

WITH_LOOPS = [name for name in KERNELS if " for " in KERNELS[name].text_path.read_text()]
NARROW_TYPES = ("f4E2M1FN", "f8E8M0FNU")
"""Element types that the default target lacks."""

REFUSED = {
    "nested_branches": [diagnostics.LOWER_BOUND],
    "persistent_matmul": [diagnostics.LOWER_BOUND],
    "sample_tiles": [diagnostics.LOWER_BOUND],
    "split_k_matmul": [diagnostics.LOWER_BOUND],
}
"""Why loops of a kernel cannot be sliced: their first iteration depends on the launch."""


def _lowered(case: KernelCase) -> ModuleOp:
    text = case.text_path.read_text()
    target = "sm_100a" if any(type_ in text for type_ in NARROW_TYPES) else "sm_90a"
    return tools.run_passes(
        tools.parse(text),
        f'convert-cuda-tile-to-tileaa{{compute-capability="{target}"}},'
        "convert-tileaa-to-tileas,tileas-assign-load-store-layouts",
    )


def _outcome(case: KernelCase, module: ModuleOp) -> list[bytes]:
    arguments = case.make_arguments(case.typical)
    interpreters.launch(module, case.name, case.grid(case.typical), launch_arguments(arguments))
    return [array.tobytes() for array in arguments if isinstance(array, np.ndarray)]


def _mark_loops(module: ModuleOp) -> list[str]:
    """Gives `sliceCount` to every loop that can be sliced; why the others cannot."""
    refused: list[str] = []
    for loop in [op for op in module.walk() if isinstance(op, scf.ForOp)]:
        loop.attributes["sliceCount"] = IntegerAttr(2, i32)
        try:
            plan_slicing(module)
        except PassFailedException as failure:
            refused.append(str(failure))
            del loop.attributes["sliceCount"]
    return refused


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", WITH_LOOPS)
def test_slices_compute_the_same(name: str):
    case = KERNELS[name]
    module = _lowered(case)
    expected = _outcome(case, module)
    loops = sum(isinstance(op, scf.ForOp) for op in module.walk())
    refused = _mark_loops(module)
    assert refused == REFUSED.get(name, [])
    TileASSlicingPass().apply(tools.context(), module)
    module.verify()
    slices = sum(isinstance(op, scf.ForOp) for op in module.walk())
    assert slices >= 2 * (loops - len(refused)) + len(refused)
    assert _outcome(case, module) == expected
