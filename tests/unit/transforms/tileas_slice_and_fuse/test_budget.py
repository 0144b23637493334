"""The two pressures of a kernel: what fits while elements are taken apart fits in any case."""

import pytest

from tests.kernels import KERNELS
from tests.unit import tools
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.options import DEFAULT_OPTIONS
from tileir_xdsl.passes import SLICE_AND_FUSE
from tileir_xdsl.targets import get_target
from tileir_xdsl.transforms.tileas_slice_and_fuse.budget import expected_pressure, most_pressure
from tileir_xdsl.transforms.tileir_pipeline import steps

NAMES = (
    "attention",
    "cat_extract",
    "fft_step",
    "matmul_f8",
    "permute_3d",
    "rope",
    "transpose",
)


@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_expected_is_at_most_the_most(name: str, gpu: str) -> None:
    context, module = tools.context(), tools.parse(KERNELS[name].text_path.read_text())
    for step in steps(gpu, DEFAULT_OPTIONS):
        if step.name == SLICE_AND_FUSE:
            break
        step.module_pass.apply(context, module)
    target, pressures = get_target(gpu), list[int]()
    for function in module.walk():
        if isinstance(function, nv_tileaa.FuncOp):
            expected = expected_pressure(function, target).registers
            assert expected <= most_pressure(function, target).registers
            pressures.append(expected)
    assert any(pressures)
