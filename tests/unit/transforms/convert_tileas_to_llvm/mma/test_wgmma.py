"""Synchronous dots by `wgmma`, as they are where nothing is made asynchronous."""

from typing import Any

import pytest

from bench.matrix_kernels import CASES
from tests.unit import tools
from tests.unit.pipelines.zoo import Lowered, run
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.transforms.tileir_pipeline import passes

CASE = CASES["product_128x128x64"]
ASYNCHRONOUS = (
    "tileas-materialize-async",
    "tileas-materialize-schedule",
    "tileas-unspecialized-pipeline",
)
"""Passes without which a dot is done when its op is."""


@pytest.fixture(scope="module")
def lowered() -> Lowered:
    module, context = tools.parse(CASE.text_path.read_text()), tools.context()
    for module_pass in passes("sm_90a"):
        if module_pass.name not in ASYNCHRONOUS:
            module_pass.apply(context, module)
    return Lowered(module, emit(module))


@pytest.mark.parametrize("modes", [{"races": True}, {"late": True, "races": True}], ids=str)
def test_a_synchronous_dot_is_waited_for(lowered: Lowered, modes: dict[str, Any]):
    """Before its result is read, and before its operands are overwritten in the next iteration."""
    assert "wgmma.mma_async" in lowered.ptx and "setmaxnreg" not in lowered.ptx
    run(CASE, lowered, (128, 128, 192), (1, 1, 1), **modes)
