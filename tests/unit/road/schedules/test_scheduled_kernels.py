"""Products and attention after each scheduling pass: what the IR looks like, and what it computes."""

import re

import pytest

from bench.matrix_kernels import CASES
from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import Problem, launch_arguments
from tileir_xdsl.transforms.pipeline_road import passes

FORMS: dict[str, tuple[str, ...]] = {
    "tileas-assign-load-store-layouts": (
        r"tiled_load weak .* \{atom = #nv_tileas<atom tma_load_",
        r"async\.dot .*#nv_tileas\.memory<smem, .*swizzle<3, 4, 3>",
    ),
    "lower-tma-load-store-to-async": (
        r"make_tiled_tma_desc",
        r"scf\.for",
        r"async\.tiled_tma_load .* tx_count = \d+",
        r"async\.dot",
        r"async\.tiled_tma_store",
    ),
    "tileas-materialize-async": (
        r"create_pipeline .* \{numStages = [3-8]",
        r"scf\.for",
        r"produce_one_async",
        r"async\.tiled_tma_load",
        r"consumer_wait",
        r"consumer_read",
        r"async\.dot",
        r"consumer_release",
    ),
    "tileas-generate-schedule": (
        r"produce_one_async",
        r"consumer_wait .*nv_tile\.aws\.stage = \d+ : i32, nv_tile\.aws\.order = \d+",
    ),
    "tileas-materialize-schedule": (
        r"agent_switch .*num_warps = array<i32: 8, 1>",
        r"consumer_wait",
        r"async\.dot",
        r"async\.tiled_tma_store",
        r"\}, \{",
        r"produce_one_async",
        r"async\.tiled_tma_load",
    ),
}
"""What stands in the IR after a pass, in this order."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "problem"),
    # Two steps of the loop, the second of them cut off by the bounds.
    [("product_128x128x64", (144, 128, 80)), ("attention_128x128x128", (1, 144))],
)
def test_forms_and_values_after_each_pass(name: str, problem: Problem):
    case = CASES[name]
    module = tools.parse(case.text_path.read_text())
    context, seen = tools.context(), set[str]()
    for module_pass in passes("sm_90a"):
        if module_pass.name == "tileas-attach-tma-desc-args":
            break
        module_pass.apply(context, module)
        if (forms := FORMS.get(module_pass.name)) is None:
            continue
        seen.add(module_pass.name)
        assert re.search(r"(?s:.*)".join(forms), str(module)), module_pass.name
        module.verify()
        arguments = case.make_arguments(problem)
        expected = case.expected(arguments)
        grid = case.grid(problem)
        interpreters.launch(module, case.name, grid, launch_arguments(arguments))
        case.check(arguments, expected)
    assert seen == set(FORMS)
