"""Pipelines whose stages the CTAs of a cluster fill for each other are marked."""

import pytest
from xdsl.dialects.builtin import IntegerAttr, i32

from tests.unit.transforms.dot_loops import LOOP, TWO_USERS, kernel
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.allocations import CLUSTER_STAGES
from tileir_xdsl.testing import tools


@pytest.mark.parametrize("shared", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize(("loop", "pipelines"), [(LOOP, ((0, 1),)), (TWO_USERS, ((0,), (1,)))])
def test_a_load_for_several_ctas_marks_its_pipeline(
    loop: str, pipelines: tuple[tuple[int, ...], ...], shared: tuple[int, ...]
):
    """Loads 0 and 1 are of A and B, in one pipeline or in one each."""
    text = kernel(loop).replace("num_ctas = 1", "num_ctas = 2")
    module = tools.run_passes(tools.parse(text), "tileas-materialize-async")
    loads = [op for op in module.walk() if isinstance(op, nv_tileas.AsyncTiledTmaLoadOp)]
    for number in shared:
        loads[number].num_multicast = IntegerAttr(2, i32)
        loads[number].multicast_stride = IntegerAttr(1, i32)
    tools.run_passes(module, "tileas-allocate-shared-memory")
    created = [op for op in module.walk() if isinstance(op, nv_tileas.CreatePipelineOp)]
    marked = [CLUSTER_STAGES in op.attributes for op in created]
    assert sorted(marked) == sorted(bool(set(loads) & set(shared)) for loads in pipelines)
