"""Kernels of full size on matrix units: right in every mode, without spills, as agents."""

import re

import pytest

from bench.matrix_kernels import CASES
from tests.kernels import KernelCase
from tests.unit import tools
from tests.unit.backend.ptx.harness import assemble
from tests.unit.pipelines.zoo import Lowered, lower, run


def lowered(case: KernelCase, gpu: str) -> Lowered:
    return lower(tools.parse(case.text_path.read_text()), gpu)


@pytest.mark.parametrize("name", CASES)
def test_warp_specialised(name: str):
    """One agent copies boxes, the other multiplies in warpgroups; ptxas finds nothing to say."""
    case = CASES[name]
    kernel = lowered(case, "sm_90a")
    for word in ("cp.async.bulk.tensor", "wgmma.mma_async", "setmaxnreg", "mbarrier.try_wait"):
        assert word in kernel.ptx
    report = assemble(kernel.ptx, "sm_90a")
    assert re.search(r"\b0 bytes spill stores", report)
    assert not re.search(r"C75\d\d", report)
    grid = case.grid(case.typical)
    run(case, kernel, case.typical, grid)
    run(case, kernel, case.typical, grid, late=True, races=True)


@pytest.mark.parametrize("gpu", ("sm_80", "sm_100a", "sm_120a"))
def test_other_targets(gpu: str):
    """The assembler remarks on nothing: where agents set registers, no function is called."""
    case = CASES["product_128x128x64"]
    kernel = lowered(case, gpu)
    assert not re.search(r"C75\d\d", assemble(kernel.ptx, gpu))
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)
