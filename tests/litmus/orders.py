"""What each form of a fence, barrier, wait and commit orders: a table, with a test of each row where
it is enough, and one where something weaker is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.litmus.shapes import SUITE

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "memory_model.md"
BEGIN, END = "<!-- orders -->", "<!-- end of orders -->"


@dataclass(frozen=True)
class Row:
    """A form of the PTX ISA and what it orders, in a section of it.

    `pattern` matches the mnemonics of the form. A test is a litmus test, or a file of
    `tests/unit/emulator` and a function in it: one in which the form is `enough`, and one in which
    there is something `less`.
    """

    form: str
    pattern: str
    orders: str
    section: str
    enough: str
    less: str


_MEMBAR, _BAR = "membar / fence", "bar / barrier"
_CLUSTER, _MBARRIER = "barrier.cluster", "mbarrier.arrive / test_wait"
_COPY, _BULK = "cp.async", "cp.async.bulk"

ROWS: tuple[Row, ...] = (
    Row(
        "fence{.acq_rel}.SCOPE",
        r"fence(\.acq_rel)?\.(cta|cluster|gpu|sys)",
        "accesses before, for threads of the scope that a strong access after it tells; and back",
        _MEMBAR,
        "MP/MP+fences.gpu.gpu",
        "MP/MP+fences.cta.gpu",
    ),
    Row(
        "fence.sc.SCOPE, membar.LEVEL",
        r"fence\.sc\..*|membar\.(cta|gl|sys)",
        "the same, and all such fences of the scope in one order",
        _MEMBAR,
        "MP/MP+membar.gl.gpu",
        "MP/MP+membar.cta.gpu",
    ),
    Row(
        "fence.release.SCOPE",
        r"fence\.release\.(cta|cluster|gpu|sys)",
        "accesses before, and acquires nothing",
        _MEMBAR,
        "MP/MP+fence.release-fence.acquire.gpu",
        "MP/MP+fence.release-fence.release.gpu",
    ),
    Row(
        "fence.acquire.SCOPE",
        r"fence\.acquire\.(cta|cluster|gpu|sys)",
        "accesses after, and releases nothing",
        _MEMBAR,
        "MP/MP+fence.release-fence.acquire.gpu",
        "MP/MP+fence.acquire-fence.acquire.gpu",
    ),
    Row(
        "fence.acquire.sync_restrict::shared::cluster.cluster",
        r"fence\.acquire\.sync_restrict.*",
        "accesses after, of shared memory alone",
        _MEMBAR,
        "mbarrier/remote.restricted.acquire.shared",
        "mbarrier/remote.restricted.acquire.global",
    ),
    Row(
        "fence.release.sync_restrict::shared::cta.cluster",
        r"fence\.release\.sync_restrict.*",
        "accesses before, of shared memory alone",
        _MEMBAR,
        "mbarrier/remote.restricted.release.shared",
        "mbarrier/remote.restricted.release.global",
    ),
    Row(
        "fence.mbarrier_init.release.cluster",
        r"fence\.mbarrier_init\.release\.cluster",
        "the initialisation of barrier objects by the thread, for what uses them",
        _MEMBAR,
        "bulk/load.mbarrier_init",
        "bulk/load.no-fence",
    ),
    Row(
        "fence.proxy.async",
        r"(fence|membar)\.proxy\.async",
        "the generic and the asynchronous proxy, in all state spaces",
        _MEMBAR,
        "proxy/global.async",
        "bulk/store.no-fence",
    ),
    Row(
        "fence.proxy.async.global",
        r"fence\.proxy\.async\.global",
        "the same for global memory alone",
        _MEMBAR,
        "proxy/global.async.global",
        "proxy/shared.async.global",
    ),
    Row(
        "fence.proxy.async.shared::cta",
        r"fence\.proxy\.async\.shared::cta",
        "the same for shared memory of the block alone",
        _MEMBAR,
        "proxy/shared.async.shared-cta",
        "proxy/global.async.shared-cta",
    ),
    Row(
        "fence.proxy.async.shared::cluster",
        r"fence\.proxy\.async\.shared::cluster",
        "the same for shared memory of the cluster alone",
        _MEMBAR,
        "proxy/shared.async.shared-cluster",
        "proxy/global.async.shared-cluster",
    ),
    Row(
        "fence.proxy.async::generic.{acquire,release}.sync_restrict..",
        r"fence\.proxy\.async::generic\.(acquire|release)\.sync_restrict.*",
        "generic accesses before asynchronous ones, of shared memory alone",
        _MEMBAR,
        "proxy/shared.async-generic.release.sync_restrict-shared-cta.cluster",
        "proxy/global.async-generic.release.sync_restrict-shared-cta.cluster",
    ),
    Row(
        "fence.proxy.alias",
        r"(fence|membar)\.proxy\.alias",
        "two addresses of one place, of which there are none here; nothing of other proxies",
        _MEMBAR,
        "proxy/shared.async",
        "proxy/shared.alias",
    ),
    Row(
        "fence.proxy.tensormap::generic.{release,acquire}.SCOPE, tensormap.cp_fenceproxy",
        r"fence\.proxy\.tensormap.*|tensormap\.cp_fenceproxy.*",
        "changes of a tensor map before copies by it, where the acquire knows the release and the "
        "copy the acquire",
        f"{_MEMBAR}, tensormap.cp_fenceproxy",
        "test_map_proxy.py::test_released_by_a_fence",
        "test_map_proxy.py::test_the_order_of_threads",
    ),
    Row(
        "bar{rier}{.cta}.{sync,red}",
        r"(bar|barrier)(\.cta)?\.(sync|red).*",
        "accesses before by those who come, for those who wait; a warp comes when all of its "
        "threads have that have not ended",
        _BAR,
        "barriers/bar.shared",
        "barriers/bar.late",
    ),
    Row(
        "bar{rier}{.cta}.arrive",
        r"(bar|barrier)(\.cta)?\.arrive.*",
        "accesses before, and nothing after",
        _BAR,
        "barriers/bar.arrive",
        "barriers/bar.arrive.back",
    ),
    Row(
        "bar.warp.sync",
        r"bar\.warp\.sync",
        "accesses of the lanes of the mask",
        "bar.warp.sync",
        "races/test_detector.py::test_order_in_shared_memory",
        "races/test_detector.py::test_races_in_shared_memory",
    ),
    Row(
        "barrier.cluster.arrive{.release}, .wait{.acquire}",
        r"barrier\.cluster\.(arrive(\.release)?|wait(\.acquire)?)(\.aligned)?",
        "accesses before the arrival, for who waits",
        _CLUSTER,
        "barriers/cluster",
        "barriers/cluster.early",
    ),
    Row(
        "barrier.cluster.arrive.relaxed",
        r"barrier\.cluster\.arrive\.relaxed(\.aligned)?",
        "what a fence of the scope of the cluster is between",
        _CLUSTER,
        "barriers/cluster.relaxed.fence.cluster",
        "barriers/cluster.relaxed.fence.cta",
    ),
    Row(
        "mbarrier.arrive{.release.SCOPE}, arrive_drop",
        r"mbarrier\.arrive(_drop)?(?!.*relaxed).*",
        "accesses before, for who waits at a scope that has both; the block by default",
        _MBARRIER,
        "mbarrier/remote.cluster.cluster",
        "mbarrier/remote.cta.cluster",
    ),
    Row(
        "mbarrier.arrive.relaxed.SCOPE",
        r"mbarrier\.arrive(_drop)?.*relaxed.*",
        "what a fence is between",
        _MBARRIER,
        "mbarrier/remote.fence.cluster",
        "mbarrier/remote.fence.cta",
    ),
    Row(
        "mbarrier.{test,try}_wait{.acquire.SCOPE}",
        r"mbarrier\.(test|try)_wait(?!.*relaxed).*",
        "accesses after, for arrivals of a scope that has both; the block by default",
        _MBARRIER,
        "mbarrier/remote.cluster.cluster",
        "mbarrier/remote.cluster.cta",
    ),
    Row(
        "mbarrier.{test,try}_wait.relaxed.SCOPE",
        r"mbarrier\.(test|try)_wait.*relaxed.*",
        "what a fence after it acquires",
        _MBARRIER,
        "mbarrier/remote.wait.fence.cluster",
        "mbarrier/wait.relaxed",
    ),
    Row(
        "mbarrier::complete_tx::bytes, of a copy",
        r"mbarrier\.(complete_tx|expect_tx).*",
        "the copy, for who sees the phase complete, through the generic proxy",
        _BULK,
        "bulk/load",
        "bulk/load.unguarded",
    ),
    Row(
        "cp.async.commit_group",
        r"cp\.async\.commit_group",
        "puts the copies before in a group, and orders nothing",
        _COPY,
        "cp.async/wait_group",
        "cp.async/no-commit",
    ),
    Row(
        "cp.async.wait_group N, wait_all",
        r"cp\.async\.wait_(group|all)",
        "the thread's groups but the last N, or all of its copies",
        _COPY,
        "cp.async/older",
        "cp.async/newer",
    ),
    Row(
        "cp.async.mbarrier.arrive",
        r"cp\.async\.mbarrier\.arrive.*",
        "the thread's copies before, and nothing else it did",
        "cp.async.mbarrier.arrive",
        "cp.async/noinc",
        "cp.async/noinc.early",
    ),
    Row(
        "cp.async.bulk.commit_group",
        r"cp\.async\.bulk\.commit_group",
        "puts the bulk copies before in a group, and orders nothing",
        _BULK,
        "bulk/store",
        "races/test_detector.py::test_bulk_copies",
    ),
    Row(
        "cp.async.bulk.wait_group{.read} N",
        r"cp\.async\.bulk\.wait_group.*",
        "the thread's groups but the last N; with .read only what they read",
        _BULK,
        "bulk/store.reuse",
        "bulk/store.no-wait",
    ),
    Row(
        "wgmma.fence, commit_group, wait_group N",
        r"wgmma\.(fence|commit_group|wait_group).*",
        "registers before wgmma; a group; registers and shared memory after the groups but the "
        "last N",
        "wgmma",
        "races/test_registers.py::test_right_use",
        "races/test_registers.py::test_wrong_use",
    ),
    Row(
        "tcgen05.fence::before_thread_sync, ::after_thread_sync",
        r"tcgen05\.fence.*",
        "tensor memory, together with a barrier or a wait between the two, relaxed ones too; what is not "
        "asynchronous, as a deallocation, needs no second one",
        "tcgen05.fence",
        "races/test_tensor_memory.py::test_with_both_fences",
        "races/test_tensor_memory.py::test_without_one",
    ),
    Row(
        "tcgen05.commit",
        r"tcgen05\.commit.*",
        "the asynchronous work of its thread, and what came before that, for who waits for the "
        "object",
        "tcgen05.commit",
        "races/test_tensor_operands.py::test_the_kernel_is_right",
        "races/test_tensor_operands.py::test_a_barrier_after_a_commit_is_no_wait_for_it",
    ),
    Row(
        "tcgen05.wait::ld, ::st",
        r"tcgen05\.wait.*",
        "the warp's own loads or stores",
        "tcgen05.wait",
        "instructions/test_tensor_memory.py::test_load",
        "instructions/test_tensor_memory.py::test_a_load_without_its_wait_comes_too_late",
    ),
    Row(
        "griddepcontrol.wait",
        r"griddepcontrol\.wait",
        "all that the grids before have done",
        "griddepcontrol",
        "test_dependent_launch.py::test_the_second_grid_waits",
        "test_dependent_launch.py::test_a_missing_wait_is_a_race",
    ),
    Row(
        "griddepcontrol.launch_dependents",
        r"griddepcontrol\.launch_dependents",
        "nothing",
        "griddepcontrol",
        "test_dependent_launch.py::test_the_second_grid_waits",
        "test_dependent_launch.py::test_a_missing_wait_is_a_race",
    ),
)


def row_of(mnemonic: str) -> Row | None:
    """The row of an instruction, if it has one."""
    return next((row for row in ROWS if re.fullmatch(row.pattern, mnemonic)), None)


def litmus_path(test: str) -> Path:
    return SUITE / f"{test}.litmus"


def table() -> Iterator[str]:
    """The table of the page, in Markdown."""
    yield "| form | orders | PTX ISA | enough | not enough |"
    yield "|---|---|---|---|---|"
    for row in ROWS:
        form = row.form.replace("|", "\\|")
        tests = " | ".join(f"`{test}`" for test in (row.enough, row.less))
        yield f"| `{form}` | {row.orders} | {row.section} | {tests} |"
