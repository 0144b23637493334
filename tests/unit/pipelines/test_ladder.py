"""Kernels that a thread block cannot hold at once compile on every target, and compute the same.

Of each family one kernel runs in the emulator, with races looked for; all are assembled, without a
spilled register, each on one target. `python -m tests.unit.pipelines.ladder_kernels` has them all.
"""

import numpy as np
import pytest

from tests.kernels.agreement import assert_agrees
from tests.unit import tools
from tests.unit.pipelines.ladder_kernels import CASES, GPUS, LadderKernel, compiled
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.runtime.ptxas import assemble

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


@pytest.mark.parametrize("number", range(len(ASSEMBLED)))
def test_nothing_is_spilled(number: int):
    gpu = GPUS[number % len(GPUS)]
    found = assemble(compiled(CASES[ASSEMBLED[number]]().text, gpu), gpu).kernels["k"]
    assert found.spill_stores == 0


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


@pytest.mark.parametrize(("name", "gpu"), RUN, ids=str)
def test_it_computes_the_same_without_races(name: str, gpu: str):
    case = CASES[name]()
    for wanted, found in zip(case.expected, run(case, gpu), strict=True):
        assert_agrees(found.reshape(wanted.shape), case.within(wanted))
