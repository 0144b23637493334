"""Where memory is in kernels of the zoo, and that what pipelines were planned with suffices."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.tools import REPOSITORY
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.allocations import SHARED_MEMORY_BYTES, total_of
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.written import WRITTEN
from tileir_xdsl.testing.programs import generate
from tileir_xdsl.testing.programs.generator import DEFAULT_SIZE
from tileir_xdsl.testing.programs.scale import PIPELINED
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_allocate_tensor_memory import TileASAllocateTensorMemoryPass
from tileir_xdsl.transforms.tileas_materialize_async import (
    TileASMaterializeAsyncPass,
    plan_pipelines,
)
from tileir_xdsl.transforms.tileas_materialize_async.fragments import sink_fragment_loads
from tileir_xdsl.transforms.tileas_materialize_async.stage_counts import MOST_STAGES


def allocated(module: ModuleOp, gpu: str) -> dict[str, tuple[int, int]]:
    """Runs the pipeline until memory is allocated.

    Of each function with pipelines the bytes that it may need by their plan, and those that it has.
    """
    context, planned = tools.context(), dict[str, int]()
    for module_pass in passes(gpu):
        if isinstance(module_pass, TileASMaterializeAsyncPass):
            for function in functions(module):
                sink_fragment_loads(function)
                plans = plan_pipelines(function, target_or_default(module), MOST_STAGES)
                if plans.pipelines:
                    planned[function.sym_name.data] = plans.bytes
        module_pass.apply(context, module)
        if isinstance(module_pass, TileASAllocateTensorMemoryPass):
            break
    return {
        name: (planned[name], total_of(function, SHARED_MEMORY_BYTES) or 0)
        for function in functions(module)
        if (name := function.sym_name.data) in planned
    }


def functions(module: ModuleOp) -> list[nv_tileaa.FuncOp]:
    return [op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp)]


STAGES = """
// CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>}
// CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 65536, size = 65536>}
"""

CHECKS = {
    ("matmul_f16_warpgroup", "sm_80"): f"""
    // CHECK: nv_tileas.smem_bytes = 131072 : i32
    {STAGES}
    // CHECK: convert_layout {{{{.*}}}} {{nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 8192>
    """,
    ("matmul_f16_warpgroup", "sm_90a"): f"""
    // CHECK: nv_tileas.smem_bytes = 131200 : i32
    {STAGES}
    // CHECK: create_pipeline {{{{.*}}}}nv_tileas.smem = #nv_tileas.allocation<offset = 131072, size = 128>
    // CHECK: alloc_tensor {{nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>}}
    """,
    ("matmul_f16_warpgroup", "sm_100a"): f"""
    // CHECK: nv_tileas.smem = #nv_tileas.allocation<offset = 131072, size = 8>
    {STAGES}
    // CHECK: create_pipeline {{{{.*}}}}nv_tileas.smem = #nv_tileas.allocation<offset = 131080, size = 128>
    // CHECK: alloc_tensor {{nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>}}
    // CHECK: to_async {{{{.*}}}}nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>
    // CHECK: async.dot {{{{.*}}}}nv_tileas.smem = #nv_tileas.allocation<offset = 131208, size = 8>
    """,
    ("attention_warpgroup", "sm_80"): """
    // CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>}
    // CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 65536, size = 65536>}
    // CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 131072, size = 8192>}
    """,
    ("attention_warpgroup", "sm_90a"): """
    // CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>}
    // CHECK: create_pipeline {{.*}}nv_tileas.smem = #nv_tileas.allocation<offset = 139264, size = 128>
    // CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 65536, size = 65536>}
    // CHECK: create_pipeline {{.*}}nv_tileas.smem = #nv_tileas.allocation<offset = 139392, size = 128>
    // CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 131072, size = 8192>}
    // CHECK: alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>}
    // CHECK: tiled_tma_load {{.*}}nv_tileas.smem = #nv_tileas.allocation<offset = 139520, size = 8>
    """,
    ("attention_warpgroup", "sm_100a"): """
    // CHECK: to_async {{.*}}nv_tileas.tmem = #nv_tileas.allocation<offset = 64, size = 64>
    // CHECK: async.dot {{.*}}nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>
    // CHECK: convert_layout {{.*}}nv_tileas.smem = #nv_tileas.allocation<offset = 139264, size = 8192>
    // CHECK: async.dot {{.*}}nv_tileas.tmem = #nv_tileas.allocation<offset = 64, size = 64>
    """,
} | {
    ("layer_norm", gpu): """
    // CHECK-COUNT-2: reduce {{.*}} {{{.*}}nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 16>
    """
    for gpu in ("sm_80", "sm_90a", "sm_100a")
}
"""Where memory is: of matmuls with pipelines, of attention, and of reductions."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "gpu"), CHECKS, ids="-".join)
def test_offsets(name: str, gpu: str, filecheck: Callable[[str, str], None]):
    folder = REPOSITORY / "tileir_xdsl" / "testing" / "kernels"
    divisible = folder / "divisible" / f"{name}.mlir"
    path = divisible if divisible.exists() else folder / f"{name}.mlir"
    module = tools.parse(path.read_text())
    for planned, bytes in allocated(module, gpu).values():
        assert bytes <= planned
    text = tools.to_text(module)
    assert tools.to_text(tools.parse(text)) == text
    filecheck(text, CHECKS[name, gpu])


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("name", ["product_by_pointers", "joined_product"])
def test_copied_operands_fit_into_what_is_planned(name: str, gpu: str):
    module = tools.parse(WRITTEN[name].text_path.read_text("utf-8"))
    ((planned, bytes),) = allocated(module, gpu).values()
    assert bytes <= planned


SEEDS = (885, 861, 914, 951)
"""Programs with pipelines; 885 converts a stage to another buffer in each iteration, 951 also
before the loop, for an MMA that is started there.
"""


@pytest.mark.parametrize(
    "seed", [*SEEDS, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1000, 1400))]
)
def test_what_is_planned_can_be_placed(seed: int):
    scale = PIPELINED if seed in SEEDS else None
    program = generate(seed, DEFAULT_SIZE, exact=True, scale=scale)
    found = allocated(program.module.clone(), program.target)
    assert found or seed not in SEEDS
    for planned, bytes in found.values():
        assert bytes <= planned


STAGES_OF_ONE_CTA = REPOSITORY / "tests/filecheck/transforms/convert-tileas-to-llvm-pipelines.mlir"


def test_a_mark_of_shared_stages_goes_where_no_cta_fills_them():
    """One that was written before clusters were given up would make CTAs wait for each other."""
    text = STAGES_OF_ONE_CTA.read_text()
    marked = text.replace("{numStages =", "{nv_tileas.cluster_stages, numStages =")
    assert marked != text
    expected = str(tools.run_passes(tools.parse(text), "tileas-allocate-shared-memory"))
    assert str(tools.run_passes(tools.parse(marked), "tileas-allocate-shared-memory")) == expected
