"""Every barrier, fence or wait that is dropped from a compiled kernel is found, by its two ops."""

import pytest

from tests.unit.interpreters.on_chip.compiled import ordering, races_of, written
from tileir_xdsl.testing.kernels import Problem

NOT_WAITED_FOR = "nothing waits for the first, which is asynchronous"
NO_BARRIER = "no barrier is between them"
NO_BARRIER_AFTER_WAIT = "no barrier follows the wait for the first"
NO_FENCE = "no fence_proxy is between them"
NO_TENSOR_FENCE = "no fence_tmem before and after a barrier is between them"

Found = tuple[str, str, str, str]
"""What is dropped, the two ops that race then, and what is missing between them."""

DROPS: dict[tuple[str, str, Problem | None], tuple[Found | None, ...]] = {
    # Nine and two steps of 32 along K, of which seven are under way at once: copy groups.
    ("divisible/matmul_f16", "sm_80", (32, 32, 288)): (
        ("async.commit_copies", "async.tiled_load", "convert_layout", NOT_WAITED_FOR),
        None,
        ("async.wait_copies", "async.tiled_load", "convert_layout", NOT_WAITED_FOR),
        ("async.commit_copies", "async.tiled_load", "convert_layout", NOT_WAITED_FOR),
        ("barrier", "convert_layout", "convert_layout", NO_BARRIER),
    ),
    ("divisible/matmul_f16", "sm_80", (32, 32, 64)): (
        None,
        ("async.wait_copies", "async.tiled_load", "convert_layout", NOT_WAITED_FOR),
        None,
        None,
        None,
    ),
    ("divisible/matmul_f16", "sm_120a", (32, 32, 32)): (
        ("barrier", "convert_layout", "copy", NO_BARRIER),
        ("fence_proxy", "copy", "async.tiled_tma_store", NO_FENCE),
        ("barrier", "copy", "async.tiled_tma_store", NO_BARRIER),
    ),
    # 17 steps of 64 in eight stages: agents, wgmma and tcgen05, a staged epilogue.
    ("divisible/matmul_f16_warpgroup", "sm_90a", (64, 64, 1088)): (
        ("async.wait", "async.dot", "async.tiled_tma_load", NOT_WAITED_FOR),
        ("barrier", "async.dot", "copy", NO_BARRIER_AFTER_WAIT),
        ("fence_proxy", "copy", "async.tiled_tma_store", NO_FENCE),
        ("barrier", "copy", "async.tiled_tma_store", NO_BARRIER),
    ),
    ("divisible/matmul_f16_warpgroup", "sm_100a", (64, 64, 1088)): (
        ("fence_tmem", "async.to_async", "async.dot", NO_TENSOR_FENCE),
        ("barrier", "async.to_async", "async.dot", NO_BARRIER),
        ("fence_tmem", "async.to_async", "async.dot", NO_TENSOR_FENCE),
        ("async.wait", "async.dot", "async.tiled_tma_load", NOT_WAITED_FOR),
        ("barrier", "convert_layout", "copy", NO_BARRIER),
        ("fence_proxy", "copy", "async.tiled_tma_store", NO_FENCE),
        ("barrier", "copy", "async.tiled_tma_store", NO_BARRIER),
    ),
    ("divisible/persistent_matmul_warpgroup", "sm_90a", None): (
        ("barrier", "async.dot", "convert_layout", NO_BARRIER_AFTER_WAIT),
        ("fence_proxy", "convert_layout", "async.dot", NO_FENCE),
        ("barrier", "convert_layout", "async.dot", NO_BARRIER),
        ("barrier", "async.tiled_tma_store", "copy", NO_BARRIER_AFTER_WAIT),
        ("fence_proxy", "copy", "async.tiled_tma_store", NO_FENCE),
        ("barrier", "copy", "async.tiled_tma_store", NO_BARRIER),
    ),
    ("divisible/matmul_tf32_warpgroup", "sm_100a", None): (
        ("fence_proxy", "convert_layout", "async.dot", NO_FENCE),
        ("fence_proxy", "copy", "async.tiled_tma_store", NO_FENCE),
        ("barrier", "copy", "async.tiled_tma_store", NO_BARRIER),
    ),
    ("layer_norm", "sm_80", None): (("barrier", "reduce", "reduce", NO_BARRIER),),
    ("cumulative", "sm_80", None): (
        ("barrier", "scan", "scan", NO_BARRIER),
        ("barrier", "scan", "scan", NO_BARRIER),
    ),
    ("cube_roots_f64", "sm_80", None): (("barrier", "reduce", "reduce", NO_BARRIER),),
    ("divisible/attention", "sm_80", (1, 32)): (
        ("async.commit_copies", "async.tiled_load", "convert_layout", NOT_WAITED_FOR),
        ("async.wait_copies", "async.tiled_load", "convert_layout", NOT_WAITED_FOR),
        None,
        None,
        ("barrier", "reduce", "reduce", NO_BARRIER),
        ("barrier", "reduce", "convert_layout", NO_BARRIER),
        ("barrier", "convert_layout", "convert_layout", NO_BARRIER),
    ),
    ("divisible/attention_warpgroup", "sm_90a", (1, 64)): (
        ("barrier", "async.dot", "copy", NO_BARRIER_AFTER_WAIT),
        None,
        None,
    ),
    ("divisible/attention_warpgroup", "sm_100a", (1, 64)): (
        None,
        None,
        ("fence_proxy", "convert_layout", "async.dot", NO_FENCE),
        None,
        ("barrier", "convert_layout", "copy", NO_BARRIER),
        None,
        None,
    ),
}
"""By kernel, target and problem, what dropping each op gives, in the order of the program.

None where that is not tried: the problem is too small for the op to matter, or another kernel has
the same. A wait for a bulk store is none of these ops: without it the store waits by itself.
"""


@pytest.mark.one_in(
    3, *[f"divisible/attention_warpgroup-{gpu}-(1, 64)" for gpu in ("sm_90a", "sm_100a")]
)
@pytest.mark.parametrize("case", DROPS, ids=lambda case: f"{case[0]}-{case[1]}-{case[2]}")
def test_what_is_dropped_is_found(case: tuple[str, str, Problem | None]):
    name, gpu, problem = case
    assert races_of(written(name, gpu), name, problem) == []
    assert len(ordering(written(name, gpu))) == len(DROPS[case])
    for number, expected in enumerate(DROPS[case]):
        if expected is None:
            continue
        module = written(name, gpu)
        dropped = ordering(module)[number]
        dropped.detach()
        race, *_ = races_of(module, name, problem)
        ops = (dropped, race.first, race.second)
        assert (*(op.name.removeprefix("nv_tileas.") for op in ops), race.missing) == expected


def test_many_ops_are_dropped():
    found = [expected for drops in DROPS.values() for expected in drops if expected is not None]
    assert len(found) >= 20
    assert len(set(found)) >= 12
