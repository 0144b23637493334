"""Random pipelines compute the same after their regions and loops are sliced, bit for bit."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.transforms.tileas_slicing.random_stages import RandomPipeline
from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import LateOrder, MemoryOrder, ProgramOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slicing import TileASSlicingPass


def outcome(module: ModuleOp, order: MemoryOrder) -> bytes:
    """What a kernel leaves in its output."""
    given = np.arange(192, dtype=np.float32).reshape(48, 4) % 7
    right = np.arange(192, dtype=np.float32).reshape(48, 4) % 3 - 1
    out = np.zeros_like(given)
    launch(module, "k", (1, 1, 1), [given, right, out], memory_order=order)
    return out.tobytes()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_slices_compute_the_same(first: int):
    divided = 0
    for seed in range(first, first + 20):
        module = tools.parse(RandomPipeline(seed).text())
        before = outcome(module, ProgramOrder())
        inserted = tools.to_text(module).count("insert_slice")
        TileASSlicingPass().apply(tools.context(), module)
        module.verify()
        verify_dominance(module)
        text = tools.to_text(module)
        assert "sliceCount" not in text
        divided += text.count("insert_slice") > inserted
        for order in (ProgramOrder(), LateOrder()):
            assert outcome(module, order) == before, f"seed {seed}"
    assert divided > 5
