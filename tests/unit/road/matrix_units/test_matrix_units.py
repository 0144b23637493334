"""Kernels of full size on matrix units: right in every mode, without spills, as agents."""

import re

import pytest

from bench.matrix_kernels import CASES, TYPED_CASES
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase


def lowered(case: KernelCase, gpu: str) -> Lowered:
    return lower(tools.parse(case.text_path.read_text()), gpu)


@pytest.mark.one_in(4)
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


@pytest.mark.one_in(3)
@pytest.mark.parametrize("gpu", ("sm_80", "sm_100a", "sm_120a"))
def test_other_targets(gpu: str):
    """The assembler remarks on nothing: where agents set registers, no function is called."""
    case = CASES["product_128x128x64"]
    kernel = lowered(case, gpu)
    assert not re.search(r"C75\d\d", assemble(kernel.ptx, gpu))
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)


@pytest.mark.parametrize("name", ["product_f8_128x128x128", "product_i8_128x128x128"])
def test_bytes_along_columns_are_multiplied_as_they_lie(name: str):
    """tcgen05.mma reads B as TMA has filled its stage; no thread rearranges bytes."""
    case = TYPED_CASES[name]
    kernel = lowered(case, "sm_100a")
    assert kernel.ptx.count("cp.async.bulk.tensor.2d.shared") == 2
    assert "prmt" not in kernel.ptx
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)
