"""Why a weaker form at a site is not among those that were found.

`NO_WEAKER` says that what is emitted there is not stronger than the form. `UNNEEDED` says what else
orders the accesses, so that the compiler could emit the weaker form. `COARSE` says what the emulator
counts as more than the PTX ISA does (docs/memory_model.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.weakened.forms import FORMS
from tests.weakened.planting import Weakening
from tests.weakened.sites import Site, sites

_LLVM = "transforms/convert_tileas_to_llvm"
_WITHIN = f"{_LLVM}/shared_memory"
_GLOBAL = f"{_LLVM}/global_memory"
_MMA = f"{_LLVM}/mma"
_CONTROL = f"{_LLVM}/control"

NO_WEAKER: Mapping[tuple[str, str], str] = {
    (f"{_CONTROL}/barriers.py: LowerFenceProxy.lower: FenceProxyOp", "for shared memory"): (
        "the fence for all state spaces is emitted where global memory needs it"
    ),
    **{
        (site, "for shared memory"): "it is for shared memory"
        for site in (
            f"{_CONTROL}/program_ids.py: LowerReadProgramId.lower: FenceProxyOp",
            f"{_CONTROL}/program_ids.py: _ask: FenceProxyOp",
            f"{_GLOBAL}/padding.py: _pad_buffer: FenceProxyOp",
            f"{_WITHIN}/mma_stages.py: await_stages: FenceProxyOp",
        )
    },
    **{
        (site, "of the block"): "it is of the block"
        for site in (
            f"{_CONTROL}/program_ids.py: _ask: MBarrierArriveOp",
            f"{_MMA}/tensor_memory_accumulators.py: _arrive: MBarrierArriveOp",
            f"{_MMA}/tensor_memory_accumulators.py: meet_pair: MBarrierArriveOp",
            f"{_WITHIN}/mbarriers.py: arrive: MBarrierArriveOp",
            f"{_WITHIN}/mbarriers.py: wait.is_pending: MBarrierTestWaitOp",
            f"{_LLVM}/tiles/generated_tiles.py: LowerHistogram._count.count: AtomicRMWOp",
        )
    },
    **{
        (site, "relaxed"): "it is relaxed"
        for site in (
            f"{_GLOBAL}/atomics.py: exchange_until_equal: LoadOp",
            f"{_LLVM}/tiles/generated_tiles.py: LowerHistogram._count.count: AtomicRMWOp",
        )
    },
    **{
        (f"{site}: Tcgen05CommitOp 1", "of the own block"): "it is of the own block"
        for site in (
            f"{_MMA}/tensor_memory_accumulators.py: commit_accumulator",
            f"{_WITHIN}/pipelines.py: LowerProducerCommit.lower",
        )
    },
    (f"{_WITHIN}/mbarriers.py: wait.is_pending: MBarrierTestWaitOp", "relaxed"): (
        "only targets before sm_90 test again and again, and `.relaxed` needs sm_90"
    ),
    (f"{_GLOBAL}/device_tensor_maps.py: _make: InlinePtxOp", "of the block"): (
        "it writes a field of a tensor map, and orders nothing"
    ),
}

_SAME_BLOCK = "the block that makes a tensor map is the only one that uses it"
_ANSWER = (
    "the asynchronous proxy writes what threads have read: the PTX ISA has the fence in its example of "
    "clusterlaunchcontrol.try_cancel, and the emulator does not miss it"
)
_STATE = "threads arrive to learn the phase, and release nothing by it: a commit completes it"

UNNEEDED: Mapping[tuple[str, str], str] = {
    (f"{_WITHIN}/mbarriers.py: arrive_and_expect: MBarrierArriveExpectTxOp", "relaxed"): (
        "the thread has only started copies, whose bytes the object counts"
    ),
    (f"{_CONTROL}/program_ids.py: _ask: MBarrierArriveOp", "relaxed"): _STATE,
    (f"{_MMA}/tensor_memory_accumulators.py: _arrive: MBarrierArriveOp", "relaxed"): _STATE,
    (f"{_MMA}/tensor_memory_accumulators.py: meet_pair: MBarrierArriveOp", "relaxed"): (
        "tcgen05.fence::before_thread_sync in front of it orders tensor memory with any arrival, also a "
        "relaxed one (PTX ISA, 'tcgen05 Memory Consistency Model'), and nothing else is passed on"
    ),
    (
        f"{_GLOBAL}/device_tensor_maps.py: LowerMakeDeviceTmaDescs.lower: InlinePtxOp",
        "of the block",
    ): (_SAME_BLOCK),
    (
        f"{_GLOBAL}/device_tensor_maps.py: LowerMakeDeviceTmaDescs.lower: FenceProxyAcquireOp",
        "of the block",
    ): _SAME_BLOCK,
    (
        f"{_GLOBAL}/device_tensor_maps.py: LowerMakeDeviceTmaDescs.lower: barrier 1",
        "warps meet by themselves",
    ): "the warp that publishes acquires for the block, where another barrier follows",
    **{
        (f"{_CONTROL}/program_ids.py: {function}: FenceProxyOp", form): _ANSWER
        for function in ("LowerReadProgramId.lower", "_ask")
        for form in ("for global memory", "dropped")
    },
    (
        f"{_LLVM}/tiles/print_and_assert.py: LowerGridDependency.lower: GriddepcontrolOp",
        "dropped",
    ): (
        "one grid alone has nothing to wait for: tests/unit/road/launches/test_dependent_launch.py has two"
    ),
}


_ENDED = (
    "nothing is read after it, and fences order tensor memory with it (PTX ISA, 'tcgen05.fence'); the "
    "emulator lets arrivals at objects of another CTA take effect at once, not after that has ended"
)

COARSE: Mapping[tuple[str, str], str] = {
    (f"{_GLOBAL}/tma_copies.py: LowerFence.lower: barrier", "warps meet by themselves"): (
        "the emulator counts fences of several threads before a barrier for the store of one after it"
    ),
    (f"{_CONTROL}/functions.py: LowerReturn.lower: cluster_barrier", "relaxed"): _ENDED,
    (f"{_WITHIN}/tensor_memory.py: release: cluster_barrier", "relaxed"): _ENDED,
}


def forms_of(site: Site) -> tuple[str, ...]:
    """The weaker forms of what a site emits."""
    wrapped = {"barrier": "BarrierOp", "cluster_barrier": "ClusterArriveOp"}
    name = wrapped.get(site.callee, site.callee)
    return next(tuple(forms) for kind, forms in FORMS.items() if kind.__name__ == name)


def all_weakenings() -> Iterator[Weakening]:
    """Every form at every site."""
    for site in sites():
        for form in forms_of(site):
            yield Weakening(str(site), form)


def explained() -> dict[Weakening, str]:
    """The weaker forms that need not be found, and why."""
    return {Weakening(*key): reason for key, reason in {**NO_WEAKER, **UNNEEDED, **COARSE}.items()}
