"""Random kernels compute the same after slicing, bit for bit."""

import random

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tests.unit.transforms.tileas_slicing.random_loops import RandomKernel
from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import MemoryOrder, RandomOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slicing import TileASSlicingPass


def outcome(module: ModuleOp, seed: int, order: MemoryOrder | None = None) -> bytes:
    """What a kernel leaves in its arrays, for drawn arguments."""
    rng = random.Random(seed)
    arrays = [np.arange(128, dtype=np.int32).reshape(16, 8) * factor for factor in (3, 5)]
    numbers = [rng.randint(-4, 9), rng.randint(-4, 9), rng.randint(1, 4)]
    launch(module, "k", (1, 1, 1), [*arrays, *numbers], memory_order=order)
    return arrays[1].tobytes()


@pytest.mark.one_in(10)
@pytest.mark.parametrize("first", range(0, 300, 25))
def test_slices_compute_the_same(first: int):
    slices = 0
    for seed in range(first, first + 25):
        module = tools.parse(RandomKernel(seed).text())
        before = outcome(module, seed)
        loops = sum(isinstance(op, scf.ForOp) for op in module.walk())
        TileASSlicingPass().apply(tools.context(), module)
        module.verify()
        verify_dominance(module)
        assert "sliceCount" not in tools.to_text(module)
        assert outcome(module, seed) == before, f"seed {seed}"
        slices += sum(isinstance(op, scf.ForOp) for op in module.walk()) - loops
    assert slices > 50


def test_memory_is_in_the_same_order():
    """What tokens order before is ordered after slicing as well, however accesses are delayed."""
    ordered = 0
    for seed in range(12):
        module = tools.parse(RandomKernel(seed).text())
        before = {outcome(module, seed, RandomOrder(number)) for number in range(4)}
        if len(before) == 1:
            ordered += 1
            TileASSlicingPass().apply(tools.context(), module)
            after = {outcome(module, seed, RandomOrder(number)) for number in range(4)}
            assert after == before, f"seed {seed}"
    assert ordered > 5
