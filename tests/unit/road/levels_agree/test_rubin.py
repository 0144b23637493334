"""Kernels for sm_107: ptxas assembles them, the emulator runs them, and tileiras takes them too."""

import pytest

from bench.matrix_kernels import matmul_case, scaled_matmul_case
from tests.unit.backend.ptx.harness import assemble
from tests.unit.bytecode.reference import compile_to_cubin
from tests.unit.road.zoo import lower, run
from tileir_xdsl import bytecode
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, KernelCase

VARIANTS = ("sm_107", "sm_107a", "sm_107f")
WITH_TCGEN05 = VARIANTS[1:]

TENSOR_MEMORY = matmul_case(128, 128, 64)
BLOCK_SCALED = scaled_matmul_case("mxfp8", 128, 128, 128)

CASES = [
    *((KERNELS["vector_add"], gpu) for gpu in VARIANTS),
    *((KERNELS["matmul_f16"], gpu) for gpu in VARIANTS),
    *((KERNELS["softmax_f32"], gpu) for gpu in VARIANTS),
    *((KERNELS["attention"], gpu) for gpu in VARIANTS),
    (TENSOR_MEMORY, "sm_107f"),
    *((BLOCK_SCALED, gpu) for gpu in WITH_TCGEN05),
]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("case", "gpu"), CASES, ids=lambda each: each.name if isinstance(each, KernelCase) else each
)
def test_kernel(case: KernelCase, gpu: str):
    lowered = lower(tools.parse(case.text_path.read_text()), gpu)
    assert f".version 9.4\n.target {gpu}\n" in lowered.ptx
    uses_tensor_memory = case in (TENSOR_MEMORY, BLOCK_SCALED)
    assert ("tcgen05.mma" in lowered.ptx) == uses_tensor_memory
    assemble(lowered.ptx, gpu)
    problem = case.problems[0]
    run(case, lowered, problem, case.grid(problem))


@pytest.mark.parametrize("case", [KERNELS["vector_add"], BLOCK_SCALED], ids=lambda case: case.name)
def test_tileiras_takes_it(case: KernelCase):
    assert compile_to_cubin(
        bytecode.write(tools.parse(case.text_path.read_text()), "13.5"), "sm_107"
    )
