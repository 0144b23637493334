"""Kernels of ABI `tile`, under the rules of the launcher that they are made for."""

import re

import pytest

from bench.matrix_kernels import CASES as MMA_CASES
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.clusters.test_clusters import text as clustered
from tests.unit.road.zoo import lower, run
from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.targets import ABI
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE

TARGETS = ("sm_90a", "sm_100a", "sm_120a")
PIPELINED = ("matmul_f16_warpgroup", "attention", "matmul_f16")
DIRECTIVES = ".explicitcluster\n.reqnctapercluster 1, 1, 1\n.blocksareclusters\n"


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", TARGETS)
@pytest.mark.parametrize("name", [name for name in PIPELINED if name in DIVISIBLE])
def test_pipelines_without_tensor_maps(name: str, gpu: str):
    """Copies into stages are made by threads; the launch gives the arguments alone."""
    case = DIVISIBLE[name]
    kernel = lower(tools.parse(case.text_path.read_text()), gpu, abi=ABI.TILE)
    assert "cp.async.bulk.tensor" not in kernel.ptx and ".extern .shared" not in kernel.ptx
    assert DIRECTIVES in kernel.ptx
    assemble(kernel.ptx, gpu)
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)


def test_the_launcher_refuses_what_it_cannot_start():
    """A native kernel is not launched as one thread, nor without its shared memory."""
    case = DIVISIBLE["matmul_f16_warpgroup"]
    kernel = lower(tools.parse(case.text_path.read_text()), "sm_90a")
    module = emulator.load(kernel.ptx)
    arguments = [0] * len(module.kernel(None).parameters)
    with pytest.raises(EmulatorError, match=r"has no \.reqnctapercluster, \.blocksareclusters"):
        module.launch(None, (1, 1, 1), arguments, self_contained=True)
    native = re.sub(r"\.reqntid .*\n", rf"\g<0>{DIRECTIVES}", kernel.ptx)
    with pytest.raises(EmulatorError, match="without dynamic shared memory"):
        emulator.load(native).launch(None, (1, 1, 1), arguments, self_contained=True)
    with pytest.raises(EmulatorError, match="cannot set a block or cluster shape"):
        module.launch(None, (1, 1, 1), arguments, block=(160, 1, 1), self_contained=True)


@pytest.mark.parametrize("name", ("product_128x256x64",))
def test_clusters_stay_clusters(name: str):
    """Without tensor maps there is no multicast; the CTAs of a cluster still share a tile block."""
    case = MMA_CASES[name]
    kernel = lower(tools.parse(clustered(name, 2)), "sm_90a", abi=ABI.TILE)
    assert re.search(r"\.reqnctapercluster [12], 1, 1\n\.blocksareclusters", kernel.ptx)
    run(case, kernel, (256, 256, 64), case.grid((256, 256, 64)), races=True)
