"""Stores from registers where a staging buffer would leave no second stage to loads."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from bench.matrix_kernels import persistent_matmul_case, scaled_matmul_case, typed_matmul_case
from tileir_xdsl.analysis.layouts.store_staging import leaves_stages
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.options import DEFAULT_OPTIONS
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.transforms.pipeline_road import steps


def before_layouts(case: KernelCase, gpu: str) -> ModuleOp:
    """A kernel as the pass that decides how it stores sees it."""
    context, module = tools.context(), tools.parse(text(case))
    for step in steps(gpu, DEFAULT_OPTIONS):
        if step.name == "tileas-assign-load-store-layouts":
            break
        step.module_pass.apply(context, module)
    return module


KERNELS = (
    # One tile: the buffer takes the memory of the stages.
    (typed_matmul_case("f8", 128, 256, 256), "sm_100a", True),
    # In slices of 128 KiB: next to stages of 48 KiB, or of 96.
    (typed_matmul_case("f8", 256, 256, 128), "sm_100a", True),
    (typed_matmul_case("f8", 256, 256, 256), "sm_100a", False),
    # Stages with 1.5 KiB of scales more, loaded by threads and by TMA.
    (scaled_matmul_case("mxfp8", 256, 256, 128), "sm_100a", False),
    (scaled_matmul_case("mxfp8", 256, 256, 128, ordered=True), "sm_100a", False),
    (persistent_matmul_case(128, 256, 64), "sm_100a", True),
    # Two stages would not fit in any case.
    (persistent_matmul_case(128, 256, 256), "sm_100a", True),
    # Accumulators in registers are in short parts of rows.
    (persistent_matmul_case(256, 128, 128), "sm_90a", True),
)


@pytest.mark.parametrize(
    ("case", "gpu", "expected"), KERNELS, ids=[f"{case.name}-{gpu}" for case, gpu, _ in KERNELS]
)
def test_two_stages_fit_next_to_the_buffer(case: KernelCase, gpu: str, expected: bool):
    module = before_layouts(case, gpu)
    (store,) = (op for op in module.walk() if isinstance(op, nv_tileas.TiledStoreOp))
    assert leaves_stages(store, get_target(gpu)) == expected
