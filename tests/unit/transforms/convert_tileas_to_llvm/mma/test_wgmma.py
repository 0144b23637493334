"""Synchronous dots by `wgmma`: no pass makes them, but they are valid."""

from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from bench.matrix_kernels import CASES
from tests.unit.road.zoo import Lowered, run
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import passes

CASE = CASES["product_128x128x64"]
ASYNCHRONOUS = (
    "tileas-materialize-async",
    "tileas-materialize-schedule",
    "tileas-unspecialized-pipeline",
)
"""Passes without which work is waited for where it is started."""


def _make_synchronous(module: ModuleOp) -> None:
    """A dot in place of every asynchronous one and the wait for it."""
    for wait in [op for op in module.walk() if isinstance(op, nv_tileas.FutureWaitOp)]:
        start = wait.operands[0].owner
        if isinstance(start, nv_tileas.AsyncDotOp):
            dot = nv_tileas.DotOp.create(
                operands=list(start.operands),
                properties=start.properties,
                result_types=[wait.result.type],
            )
            Rewriter.replace_op(wait, dot)
            Rewriter.erase_op(start)


@pytest.fixture(scope="module")
def lowered() -> Lowered:
    module, context = tools.parse(CASE.text_path.read_text()), tools.context()
    for module_pass in passes("sm_90a"):
        if module_pass.name == "tileas-select-lowering":
            _make_synchronous(module)
        if module_pass.name not in ASYNCHRONOUS:
            module_pass.apply(context, module)
    return Lowered(module, emit(module))


@pytest.mark.parametrize("modes", [{"races": True}, {"late": True, "races": True}], ids=str)
def test_a_synchronous_dot_is_waited_for(lowered: Lowered, modes: dict[str, Any]):
    """Before its result is read, and before its operands are overwritten in the next iteration."""
    assert "wgmma.mma_async" in lowered.ptx and "setmaxnreg" not in lowered.ptx
    run(CASE, lowered, (128, 128, 192), (1, 1, 1), **modes)
