"""On random kernels: canonicalizing changes no value, and touches no op whose order matters."""

import io
import re
from functools import cache

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tests.unit.interpreters.nv_tileas.kernels import kernel
from tests.unit.transforms.canonicalization_patterns.slice_programs import random_body
from tileir_xdsl.dialects.nv_tileas.interfaces import MemoryConsistencyOpInterface
from tileir_xdsl.dialects.nv_tileas.tiled_memory import TiledMemoryOp
from tileir_xdsl.interpreters import launch
from tileir_xdsl.testing.tools import parse, run_passes, to_text

SEEDS = range(50)


def output(module: ModuleOp) -> bytes:
    data = np.random.default_rng(0).integers(-8, 8, (16, 8)).astype(np.float32)
    out = np.zeros_like(data)
    launch(module, "k", (1, 1, 1), [data, out], output=io.StringIO())
    return out.tobytes()


def ordered_ops(module: ModuleOp) -> list[tuple[object, ...]]:
    """The ops that no fold may touch, in their order: what they are, say and stand in."""
    ops: list[tuple[object, ...]] = []
    for op in module.walk():
        if isinstance(op, MemoryConsistencyOpInterface | TiledMemoryOp):
            ops.append((op.name, op.properties, op.attributes, surroundings(op)))
    return ops


def surroundings(op: Operation) -> tuple[str, ...]:
    """The ops around an op whose order matters; plain accesses may move with their loop."""
    if not isinstance(op, MemoryConsistencyOpInterface):
        return ()
    names: list[str] = []
    parent = op.parent_op()
    while parent is not None:
        names.append(parent.name)
        parent = parent.parent_op()
    return tuple(names)


@cache
def programs(seed: int) -> tuple[ModuleOp, ModuleOp]:
    """A kernel, and what `canonicalize` makes of it."""
    module = parse(kernel(random_body(seed)))
    return module, run_passes(module.clone(), "canonicalize")


def without_weak_loads(ops: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """All but the loads that go when nobody uses them."""
    return [op for op in ops if op[0] != "nv_tileas.tiled_load" or "weak" not in str(op[1])]


def is_subsequence(part: list[tuple[object, ...]], whole: list[tuple[object, ...]]) -> bool:
    """Whether `part` is `whole` with elements left out."""
    rest = iter(whole)
    return all(op in rest for op in part)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_values_and_ordered_ops_are_kept(seed: int):
    before, after = programs(seed)
    ops_before, ops_after = ordered_ops(before), ordered_ops(after)
    assert without_weak_loads(ops_after) == without_weak_loads(ops_before)
    assert is_subsequence(ops_after, ops_before)
    assert output(after) == output(before)


def test_every_pattern_fires_somewhere():
    before = "".join(to_text(programs(seed)[0]) for seed in SEEDS)
    after = "".join(to_text(programs(seed)[1]) for seed in SEEDS)
    assert "arith.divsi" not in before and "arith.divsi" in after
    own_allocation = re.compile(r"else {\n +%\w+ = nv_tileas.alloc_tensor")
    assert len(own_allocation.findall(after)) > len(own_allocation.findall(before))
    for sign_of_a_pattern in ("iter_args", "tensor<?x?xf32>", "tensor<1x1x8xf32>"):
        assert before.count(sign_of_a_pattern) > after.count(sign_of_a_pattern)
