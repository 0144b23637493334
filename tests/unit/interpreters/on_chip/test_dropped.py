"""A barrier, fence or wait that is dropped from a compiled kernel is found, by two ops."""

from dataclasses import dataclass

import pytest
from xdsl.ir import Operation

from tests.kernels import Problem
from tests.unit.interpreters.on_chip.compiled import compiled, ordering, races_of
from tileir_xdsl.dialects import nv_tileas

NOT_WAITED_FOR = "nothing waits for the first, which is asynchronous"
NO_BARRIER = "no barrier is between them"
NO_BARRIER_AFTER_WAIT = "no barrier follows the wait for the first"
NO_FENCE = "no fence_proxy is between them"
NO_TENSOR_FENCE = "no fence_tmem before and after a barrier is between them"

MISSING: dict[type[Operation], tuple[str, ...]] = {
    nv_tileas.BarrierOp: (NO_BARRIER, NO_BARRIER_AFTER_WAIT),
    nv_tileas.CommitCopiesOp: (NOT_WAITED_FOR,),
    nv_tileas.FenceProxyOp: (NO_FENCE,),
    nv_tileas.FenceTmemOp: (NO_TENSOR_FENCE,),
    nv_tileas.WaitCopiesOp: (NOT_WAITED_FOR,),
    nv_tileas.WaitOp: (NOT_WAITED_FOR,),
}
"""What is missing without an op."""


@dataclass(frozen=True)
class Drops:
    """Of how many ops of a kernel the lack is found at least, and is not found at most.

    Not found are those that the problem is too small for: a loop ends before it uses a stage again.
    """

    name: str
    gpu: str
    found: int
    not_found: int = 0
    problem: Problem | None = None

    def __str__(self) -> str:
        return f"{self.name}-{self.gpu}-{self.problem or 'typical'}"


CASES = (
    # Nine and two steps of 32 along K, of which seven are under way at once: copy groups.
    Drops("divisible/matmul_f16", "sm_80", 4, 1, (32, 32, 288)),
    Drops("divisible/matmul_f16", "sm_80", 2, 3, (32, 32, 64)),
    Drops("divisible/matmul_f16", "sm_120a", 2, 0, (32, 32, 32)),
    # 17 steps of 64 in eight stages: agents, wgmma and tcgen05, a staged epilogue.
    Drops("divisible/matmul_f16_warpgroup", "sm_90a", 4, 0, (64, 64, 1088)),
    Drops("divisible/matmul_f16_warpgroup", "sm_100a", 6, 0, (64, 64, 1088)),
    Drops("divisible/persistent_matmul_warpgroup", "sm_90a", 5),
    Drops("divisible/matmul_tf32_warpgroup", "sm_100a", 2),
    Drops("layer_norm", "sm_80", 1),
    Drops("cumulative", "sm_90a", 2),
    Drops("cube_roots_f64", "sm_80", 1),
    Drops("divisible/attention", "sm_80", 5, 2, (1, 32)),
    Drops("divisible/attention_warpgroup", "sm_90a", 3, 0, (1, 64)),
    Drops("divisible/attention_warpgroup", "sm_100a", 4, 3, (1, 64)),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_dropped_is_found(case: Drops):
    assert races_of(compiled(case.name, case.gpu), case.name, case.problem) == []
    count, found = len(ordering(compiled(case.name, case.gpu))), 0
    for number in range(count):
        module = compiled(case.name, case.gpu)
        dropped = ordering(module)[number]
        dropped.detach()
        races = races_of(module, case.name, case.problem)
        if races:
            found += 1
            assert races[0].missing in MISSING[type(dropped)]
            assert races[0].first.name in str(races[0])
            assert races[0].second.name in str(races[0])
    assert found >= case.found
    assert count - found <= case.not_found


def test_many_ops_are_dropped():
    assert sum(case.found for case in CASES) >= 20
