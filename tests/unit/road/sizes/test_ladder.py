"""Kernels that a thread block cannot hold at once compile on every target, and compute the same.

Of each family one kernel runs in the emulator, with races looked for; all are assembled, without a
spilled register, each on one target. `python -m tests.unit.road.ladder_kernels` has them all.
"""

from pathlib import Path

import numpy as np
import pytest

from tests.unit.road.ladder_kernels import CASES, GPUS, LadderKernel, compiled, ordered
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.diagnostics import ResourceExceededError
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import assert_agrees

ASSEMBLED = [
    "matmul 256x256x64 f16 f32 nn",
    "matmul 256x256x32 bf16 f32 nt",
    "matmul 256x256x64 i8 i32 nn",
    "matmul 256x256x32 f16 f16 nt",
    "matmul 256x256x64 bf16 f32 nn",
    "alpha_beta 128x256x64 f16 f32",
    "alpha_beta 256x256x32 f16 f32",
    "softmax 1x65536",
    "softmax 4x65536",
    "layer_norm 4x65536",
    "elementwise 262144 f32",
    "elementwise 512x512 i8",
    "pointwise 262144",
    "reduce 512x512 axis 0",
    "reduce 512x512 axis 1",
    "scan 4x65536 axis 1",
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("number", range(len(ASSEMBLED)))
def test_nothing_is_spilled(number: int):
    gpu = GPUS[number % len(GPUS)]
    found = assemble(compiled(CASES[ASSEMBLED[number]]().text, gpu), gpu).kernels["k"]
    assert found.spill_stores == 0


@pytest.mark.one_in(4)
@pytest.mark.parametrize("gpu", GPUS)
def test_wide_accumulators_on_every_target(gpu: str):
    assert ".entry k" in compiled(CASES["matmul 256x256x64 f16 f32 nt"]().text, gpu)


RUN = [
    ("matmul 256x256x32 f16 f32 nn", "sm_120a"),
    ("alpha_beta 256x256x32 f16 f32", "sm_90a"),
    ("elementwise 262144 i8", "sm_100a"),
    ("pointwise 262144", "sm_80"),
    ("softmax 1x65536", "sm_89"),
    ("layer_norm 1x65536", "sm_100a"),
    ("reduce 512x512 axis 0", "sm_80"),
    ("scan 1x65536 axis 1", "sm_90a"),
]


def run(case: LadderKernel, gpu: str) -> list[np.ndarray]:
    """What a kernel leaves in its results, in the emulator."""
    module = tools.run_passes(tools.parse(case.text), f"tileir-pipeline{{gpu={gpu}}}", verify=False)
    shared, loaded = dynamic_shared_memory(module, "k"), emulator.load(emit(module, gpu))
    results = [np.zeros(array.size, array.dtype) for array in case.expected]
    arguments = [*(array.copy().ravel() for array in case.inputs), *results]
    values = with_tensor_maps(module, "k", arguments)
    loaded.launch("k", (1, 1, 1), values, dynamic_shared=shared, races=True)
    return results


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "gpu"), RUN, ids=str)
def test_it_computes_the_same_without_races(name: str, gpu: str):
    case = CASES[name]()
    for wanted, found in zip(case.expected, run(case, gpu), strict=True):
        assert_agrees(found.reshape(wanted.shape), case.within(wanted))


def test_what_cannot_be_sliced_goes_to_local_memory(tmp_path: Path):
    """262,144 elements, four times the registers: a store of a slice may hit what others load."""
    tile = tools.parse(ordered((512, 512), "f32"))
    module = tools.run_passes(tile, "tileir-pipeline{gpu=sm_80}", verify=False)
    said = str(module.attributes["nv_tileaa.remarks"])
    # 262,144 registers less 65,280 of 4 bytes, for 256 threads.
    assert "each spills at least 3076 bytes to local memory" in said
    assert ".entry k" in emit(module, "sm_80")
    explained, tile = tmp_path / "slices.txt", tools.parse(ordered((512, 512), "f32"))
    road = "convert-cuda-tile-to-tileaa,canonicalize,tileas-slice-and-fuse"
    tools.run_passes(tile, f'{road}{{explain="{explained}"}}')
    assert "local memory: 3076" in explained.read_text()


def test_beyond_local_memory_there_is_an_error_with_the_numbers():
    tile = tools.parse(ordered((512, 512), "f64", 3))
    with pytest.raises(ResourceExceededError, match="needs 1572864 registers") as failure:
        tools.run_passes(tile, "tileir-pipeline{gpu=sm_120a}", verify=False)
    assert "has 65536 for a block" in str(failure.value)
    assert failure.value.__notes__[-1].endswith(
        "1572864 registers are needed, 1048576 are available; tiles of 1/2 of the elements would fit"
    )
