"""Requests to cancel the launch of a cluster, and their answers."""

from typing import Any

import numpy as np
import pytest

from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.emulator.types import Array

_TRY = "clusterlaunchcontrol.try_cancel.async{}.mbarrier::complete_tx::bytes{}.b128 [{}], [{}];"
TRY = "@%first " + _TRY.format(".shared::cta", "", "%answer", "%object")
TRY_FOR_ALL = "@%leads " + _TRY.format(
    ".shared::cta", ".multicast::cluster::all", "%answer", "%object"
)
TRY_GENERIC = f"""
  cvt.u64.u32 %a, %answer; cvta.shared.u64 %a, %a;
  cvt.u64.u32 %b, %object; cvta.shared.u64 %b, %b;
  @%first {_TRY.format("", "", "%a", "%b")}
"""
COORDINATES = """
  clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %x, %q;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %y, %q;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %z, %q;
"""
VECTOR = "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%x, %y, %z, _}, %q;"
IS_CANCELED = "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %q;"
WAIT = """
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%object], %phase;
  @!%p bra wait;
"""


def kernel(
    request: str = TRY,
    wait: str = WAIT,
    coordinates: str = COORDINATES,
    is_canceled: str = IS_CANCELED,
    directives: str = "",
    between: str = "bar.sync 0;",
    target: str = "sm_100",
) -> str:
    """Each block counts its own tile, and those of the blocks that it takes over, as done.

    Beside the count of a tile is the number of the block that did it.
    """
    return f"""
.version 8.6
.target {target}
.address_size 64

.visible .entry k(.param .u64 counts, .param .u64 owners) .reqntid 64 {directives}
{{
  .reg .b64 %c, %o, %a, %b; .reg .b32 %x, %y, %z, %t, %n, %phase, %own, %answer, %object, %r;
  .reg .pred %p, %first, %leads; .reg .b128 %q;
  .shared .align 16 .b8 place[16]; .shared .align 8 .b8 bar[8];
  mov.u32 %answer, place; mov.u32 %object, bar;
  ld.param.u64 %c, [counts]; ld.param.u64 %o, [owners];
  mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; mov.u32 %z, %ctaid.z; mov.u32 %phase, 0;
  mov.u32 %t, %tid.x; setp.eq.u32 %first, %t, 0;
  mov.u32 %r, %cluster_ctarank; setp.eq.and.u32 %leads, %r, 0, %first;
  @%first mbarrier.init.shared::cta.b64 [%object], 1;
  @%first fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive; barrier.cluster.wait;
  mov.u32 %own, 1000;
next:
  mov.u32 %n, %nctaid.y; mad.lo.u32 %z, %z, %n, %y;
  mov.u32 %n, %nctaid.x; mad.lo.u32 %z, %z, %n, %x;
  setp.eq.u32 %p, %own, 1000; @%p mov.u32 %own, %z;
  mad.wide.u32 %a, %z, 4, %c; @%first atom.global.add.u32 %n, [%a], 1;
  mad.wide.u32 %a, %z, 4, %o; @%first st.global.u32 [%a], %own;
  @%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%object], 16;
  {request}
  {wait}
  xor.b32 %phase, %phase, 1;
  ld.shared.b128 %q, [%answer];
  {is_canceled}
  @!%p bra done;
  {coordinates}
  add.u32 %x, %x, %r;
  fence.proxy.async.shared::cta;
  {between}
  bra next;
done:
  ret;
}}
"""


def run(
    text: str, grid: tuple[int, int, int] = (5, 3, 2), resident: int | None = None, **modes: Any
) -> tuple[emulator.LaunchStatistics, Array]:
    """The statistics, and for each tile the number of the block that did it; all are done once."""
    counts, owners = (np.zeros(grid[::-1], np.uint32) for _ in range(2))
    loaded = emulator.load(text)
    statistics = loaded.launch("k", grid, [counts, owners], resident_blocks=resident, **modes)
    assert (counts == 1).all()
    return statistics, owners


@pytest.mark.parametrize("coordinates", [COORDINATES, VECTOR], ids=["single", "vector"])
@pytest.mark.parametrize("request_", [TRY, TRY_GENERIC], ids=["shared", "generic"])
def test_blocks_take_over_all_others(request_: str, coordinates: str):
    text = kernel(request_, coordinates=coordinates)
    modes: list[dict[str, Any]] = [{}, {"late": True}, {"races": True}, {"late": 1, "races": 1}]
    for mode in modes:
        statistics, owners = run(text, resident=4, **mode)
        assert statistics.canceled_blocks == 26
        assert set(owners.flat) == {0, 1, 2, 3}


def test_a_quarter_of_the_grid_starts_by_default():
    statistics, owners = run(kernel(TRY))
    assert statistics.canceled_blocks == 30 - 7 and set(owners.flat) == set(range(7))
    statistics, _ = run(kernel(TRY), (1, 1, 1))
    assert statistics.canceled_blocks == 0


@pytest.mark.parametrize("seed", range(3))
def test_requests_fail_now_and_then_in_random_orders(seed: int):
    statistics, owners = run(kernel(TRY), resident=2, warp_seed=seed, races=True)
    assert 0 < statistics.canceled_blocks < 28
    # Others have started after them.
    assert len(set(owners.flat)) == 30 - statistics.canceled_blocks


IN_CLUSTERS = kernel(
    TRY_FOR_ALL,
    directives=".reqnctapercluster 2, 1, 1",
    between="barrier.cluster.arrive; barrier.cluster.wait;",
    target="sm_100a",
)


def test_clusters_are_taken_over_together():
    modes: list[dict[str, Any]] = [{}, {"late": True}, {"races": True}, {"warp_seed": 1}]
    for mode in modes:
        statistics, owners = run(IN_CLUSTERS, (8, 2, 2), 4, **mode)
        assert statistics.canceled_blocks % 2 == 0 and statistics.canceled_blocks > 8
        assert (owners[..., 0::2] + 1 == owners[..., 1::2]).all()


ALONE = kernel("", wait="", is_canceled="setp.ne.u32 %p, %t, %t;").replace("ld.shared.b128", "//")


@pytest.mark.parametrize("resident", [1, 7, 1000])
def test_at_most_so_many_blocks_run_at_once(resident: int):
    statistics, owners = run(ALONE, resident=resident)
    assert statistics.canceled_blocks == 0 and len(set(owners.flat)) == 30


def test_a_kernel_runs_in_some_block():
    with pytest.raises(EmulatorError, match="expected at least 1 resident block, not 0"):
        run(ALONE, resident=0)


FAULTS: dict[str, tuple[str, dict[str, bool]]] = {
    "after it has seen an earlier request fail": (
        kernel(is_canceled=f"{IS_CANCELED} @!%p {TRY.removeprefix('@%first ')}"),
        {},
    ),
    "the request has canceled no launch": (kernel(is_canceled=IS_CANCELED + COORDINATES), {}),
    "the operand is not a response of clusterlaunchcontrol.try_cancel": (
        kernel(wait=""),
        {"late": True},
    ),
    "race: this read of shared address": (kernel(wait=""), {"races": True}),
    "misaligned 16-byte write at shared address": (
        kernel().replace("%answer, place;", "%answer, place+8;"),
        {},
    ),
    "race: this write of shared address": (kernel(between=""), {"races": True}),
    "8 bytes outstanding": (
        kernel(f"@%first mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%object], 8; {TRY}"),
        {},
    ),
    "a block that has ended": (
        IN_CLUSTERS.replace("next:", "setp.eq.u32 %p, %r, 1; @%p ret;\nnext:"),
        {},
    ),
}


@pytest.mark.parametrize("message", FAULTS)
def test_faults(message: str):
    text, modes = FAULTS[message]
    with pytest.raises(EmulatorError, match=message):
        run(text, (4, 1, 1), 1, **modes)


def built_kernels() -> list[str]:
    """The kernels, for ptxas."""
    return [kernel(), kernel(TRY_GENERIC, coordinates=VECTOR), IN_CLUSTERS]
