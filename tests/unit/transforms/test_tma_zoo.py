"""Kernels of the zoo whose accesses go by TMA compute what they did, before and after lowering."""

import io

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl import interpreters
from tileir_xdsl.dialects.nv_tileas.tma import TmaTransferOp
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, KernelCase, launch_arguments

ASSIGN = (
    "convert-cuda-tile-to-tileaa{compute-capability=sm_90a},canonicalize,convert-tileaa-to-tileas,"
    "tileas-assign-load-store-layouts{prefer-tma=true},tileas-remove-layout-conversions"
)
PASSES = ("lower-tma-load-store-to-async", "tileas-attach-tma-desc-args")

NAMES = (
    "vector_add",
    "known_sizes",
    "double_in_place",
    "layer_norm",
    "padding_modes_f16",
    "gather_rows",
    "dependent_launch",
    "first_long_segment",
    "mixture_of_experts",
    "last_block_sum",
    "split_words",
)


def _launch(case: KernelCase, module: ModuleOp) -> tuple[list[object], str]:
    arguments, output = case.make_arguments(case.typical), io.StringIO()
    grid = case.grid(case.typical)
    interpreters.launch(module, case.name, grid, launch_arguments(arguments), output=output)
    return list(arguments), output.getvalue()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_same_bits(name: str):
    case = KERNELS[name]
    module = tools.run_passes(tools.parse(case.text_path.read_text()), ASSIGN)
    expected, printed = _launch(case, module)
    for step in PASSES:
        tools.run_passes(module, step)
        assert any(isinstance(op, TmaTransferOp) for op in module.walk())
        actual, printed_after = _launch(case, module)
        assert printed_after == printed
        for before, after in zip(expected, actual, strict=True):
            if isinstance(before, np.ndarray):
                assert isinstance(after, np.ndarray)
                assert after.tobytes() == before.tobytes()
