"""Shared memory of other blocks, the barrier of a cluster, and copies to several blocks."""

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.kernels import HEADER, RESTRICTED_FENCES
from tileir_xdsl import emulator
from tileir_xdsl.emulator import TensorMap

# Copies to several blocks are slow on other targets, says the assembler.
_HEADER = HEADER.replace("sm_90", "sm_90a")
_SYNC = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"


def kernel(body: str, *, threads: int = 32, directives: str = ".reqnctapercluster 4, 1, 1") -> str:
    """Every block begins with `shared = 100 * rank` in `%s`; each thread stores `%v` at the end.

    `%r` is the rank, `%n` the next one, `%i` the thread, `%s` a word, `%t` 512 bytes, `%m` a
    barrier object for one arrival, `%d` the data.
    """
    return f"""{_HEADER}
.visible .entry k(.param .u64 data, .param .u64 out, .param .align 64 .b8 map[128])
.reqntid {threads} {directives}
{{
  .shared .align 128 .b8 tile[512]; .shared .align 8 .b8 object[8]; .shared .align 16 .b8 word[16];
  .reg .pred %p, %first, %q; .reg .b16 %h; .reg .f32 %f;
  .reg .b32 %r, %n, %i, %s, %t, %m, %v, %x, %y, %z; .reg .b64 %d, %o, %a, %b, %state, %map;
  mov.u32 %r, %cluster_ctarank; mov.u32 %i, %tid.x; mov.u32 %s, word; mov.u32 %m, object;
  mov.u32 %t, tile; ld.param.u64 %d, [data]; mov.u64 %map, map; cvta.param.u64 %map, %map;
  add.u32 %n, %r, 1; and.b32 %n, %n, 3; setp.eq.u32 %first, %i, 0; mov.u32 %v, 0;
  mul.lo.u32 %x, %r, 100;
  @%first st.shared.u32 [word], %x;
  @%first mbarrier.init.shared::cta.b64 [object], 1;
  fence.mbarrier_init.release.cluster;
  {_SYNC}
  {body}
  mov.u32 %x, %ctaid.x; mad.lo.u32 %x, %x, {threads}, %i;
  ld.param.u64 %o, [out]; mad.wide.u32 %o, %x, 4, %o; st.global.u32 [%o], %v;
  {_SYNC}
  ret;
}}
"""


_WAIT = "LOOP: mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0; @!%p bra LOOP;"
_EXPECT = "@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], {};"
_R = np.repeat(np.arange(4), 32)
_N = (_R + 1) % 4
_I = np.tile(np.arange(32), 4)

# What each body makes `%v` of rank `_R` and thread `_I`.
BODIES: dict[str, Array] = {
    "mapa.shared::cluster.u32 %x, %s, %n; ld.shared::cluster.u32 %v, [%x];": 100 * _N,
    "mapa.shared::cluster.u32 %x, word, 2; ld.shared::cluster.u32 %v, [%x];": 200 + 0 * _N,
    "cvt.u64.u32 %a, %s; cvta.shared.u64 %a, %a; mapa.u64 %a, %a, %n; ld.u32 %v, [%a];": 100 * _N,
    "cvta.shared.u64 %a, word; ld.u32 %v, [%a];": 100 * _R,
    "ld.shared::cluster.u32 %v, [%s];": 100 * _R,
    "ld.shared.u32 %v, [%s]; ld.shared::cta.u32 %x, [word]; add.u32 %v, %v, %x;": 200 * _R,
    "mapa.shared::cluster.u32 %x, %s, %n; getctarank.shared::cluster.u32 %v, %x;": _N,
    "cvt.u64.u32 %a, %s; cvta.shared.u64 %a, %a; mapa.u64 %a, %a, 3; getctarank.u64 %v, %a;": 3
    + 0 * _N,
    "cvt.u64.u32 %a, %s; cvta.shared.u64 %a, %a; isspacep.shared::cta %p, %a; selp.u32 %v, 1, 0, %p; "
    "mapa.u64 %a, %a, %n; isspacep.shared::cta %p, %a; selp.u32 %x, 2, 0, %p; "
    "isspacep.shared::cluster %q, %a; selp.u32 %y, 4, 0, %q; add.u32 %v, %v, %x; "
    "add.u32 %v, %v, %y;": 5 + 0 * _N,
    "mapa.shared::cluster.u32 %x, %s, 0; atom.shared::cluster.add.u32 %y, [%x], 1;"
    "barrier.cluster.arrive.release; barrier.cluster.wait.acquire; ld.shared.u32 %v, [word];": (
        np.where(_R == 0, 128, 100 * _R)
    ),
    "mapa.shared::cluster.u32 %x, %s, %n; st.shared::cluster.u32 [%x], %i;"
    "barrier.cluster.arrive.relaxed; barrier.cluster.wait; ld.shared.u32 %v, [word];": 31 + 0 * _N,
    "mov.u32 %v, %cluster_nctarank; mov.u32 %x, %nclusterid.x; mad.lo.u32 %v, %v, 10, %x;"
    "mov.u32 %x, %clusterid.x; mad.lo.u32 %v, %v, 10, %x; mov.u32 %x, %cluster_ctaid.x;"
    "mad.lo.u32 %v, %v, 10, %x;": 4100 + _R,
    # Arrival at an object of the next block.
    "mapa.shared::cluster.u32 %x, %m, %n;"
    f"@%first mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%x]; {_WAIT}": 0 * _N,
    # A store and an update that an object of the next block counts.
    "mapa.shared::cluster.u32 %x, %m, %n; mapa.shared::cluster.u32 %y, %s, %n;"
    f"{_EXPECT.format(4)}"
    "@%first st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%y], %r, [%x];"
    f"{_WAIT} ld.shared.u32 %v, [word];": (_R + 3) % 4,
    "mapa.shared::cluster.u32 %x, %m, %n; mapa.shared::cluster.u32 %y, %s, %n;"
    f"{_EXPECT.format(16)}"
    "@%first st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%y],"
    f"{{%r, %n, %r, %r}}, [%x]; {_WAIT} ld.shared.u32 %v, [word+4];": _R,
    **{
        "mapa.shared::cluster.u32 %x, %m, %n; mapa.shared::cluster.u32 %y, %s, %n;"
        f"mov.u32 %z, 7; {_EXPECT.format(4)}"
        f"@%first red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}"
        f" [%y], %z, [%x]; {_WAIT} ld.shared.u32 %v, [word];": value
        for op, value in (
            ("add.u32", 100 * _R + 7),
            ("inc.u32", np.where(_R == 0, 1, 0)),
            ("min.s32", np.minimum(100 * _R, 7)),
            ("or.b32", 100 * _R | 7),
        )
    },
    # Bulk copies: to the next block, and from global memory to blocks 1 and 3.
    "mapa.shared::cluster.u32 %x, %m, %n; mapa.shared::cluster.u32 %y, %t, %n;"
    "mad.lo.u32 %z, %i, 4, %t; add.u32 %v, %i, %r; st.shared.u32 [%z], %v;"
    f"fence.proxy.async.shared::cta; bar.sync 0; {_SYNC} {_EXPECT.format(128)}"
    "add.u32 %y, %y, 128;"
    "@%first cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%y], [%t], 128, [%x];"
    f"{_WAIT} ld.shared.u32 %v, [%z+128];": _I + (_R + 3) % 4,
    "mov.b16 %h, 10; and.b32 %x, %r, 1; setp.eq.u32 %q, %x, 1; mad.lo.u32 %z, %i, 4, %t;"
    f"st.shared.u32 [%z], %r; @!%q bra ISSUE; {_EXPECT.format(128)} {_SYNC} {_WAIT} bra DONE;"
    f"ISSUE: {_SYNC} setp.eq.u32 %q, %r, 0; @!%q bra DONE; @%first "
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
    " [%t], [%d], 128, [%m], %h; DONE: ld.shared.u32 %v, [%z];": np.where(_R % 2, _I + 1000, _R),
    # A variable that is named is the block's own.
    f"mad.wide.u32 %a, %r, 16, %d; {_EXPECT.format(16)}"
    "@%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%a], 16,"
    f" [object]; {_WAIT} ld.shared.u32 %v, [%t];": 1000 + 4 * _R,
    # Each block loads a row of the tensor into all blocks.
    f"{_EXPECT.format(512)} {_SYNC} mov.b16 %h, 15; mad.lo.u32 %x, %r, 128, %t;"
    "@%first cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    f".multicast::cluster [%x], [%map, {{0, %r}}], [%m], %h; {_WAIT}"
    "mad.lo.u32 %z, %n, 128, %t; mad.lo.u32 %z, %i, 4, %z; ld.shared.u32 %v, [%z];": (
        2000 + 32 * _N + _I
    ),
}


def run(text: str, **options: int | bool | None) -> Array:
    data, out = np.arange(1000, 1032, dtype=np.uint32), np.zeros(128, np.uint32)
    tensor = np.arange(2000, 2128, dtype=np.uint32).reshape(4, 32)
    args = [data, out, TensorMap(tensor, (1, 32))]
    seed, late = options.get("warp_seed"), bool(options.get("late"))
    races = bool(options.get("races"))
    emulator.load(text).launch("k", (4, 1, 1), args, warp_seed=seed, late=late, races=races)
    return out


@pytest.mark.parametrize("number", range(len(BODIES)))
def test_body(number: int):
    body, expected = list(BODIES.items())[number]
    np.testing.assert_array_equal(run(kernel(body)), expected)
    np.testing.assert_array_equal(run(kernel(body), warp_seed=1, late=True), expected)


@pytest.mark.parametrize("body", [body for body in BODIES if "red.async" in body])
def test_updates_that_are_counted_do_not_race(body: str):
    np.testing.assert_array_equal(run(kernel(body), late=True, races=True), BODIES[body])


_TENSOR = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"


def pair_kernel(issuer: int, parity: int, *, multicast: bool) -> str:
    """A block loads a row for all blocks, or for itself, counted at objects of one parity."""
    size = 256 if multicast else 128
    copy = ".multicast::cluster.cta_group::2 [%t], [%map, {0, 2}], [%x], %h;"
    copy = copy if multicast else ".cta_group::2 [%t], [%map, {0, 2}], [%x];"
    counting = issuer // 2 * 2 + parity
    counts = f"setp.eq.u32 %q, %r, {counting};"
    if multicast:
        counts = f"and.b32 %x, %r, 1; setp.eq.u32 %q, %x, {parity};"
    text = kernel(
        f"{counts} @!%q bra READY; {_EXPECT.format(size)} READY:"
        f"{_SYNC} setp.eq.u32 %p, %r, {issuer}; @!%p bra ISSUED; mov.b16 %h, 15;"
        f"mapa.shared::cluster.u32 %x, %m, {counting}; @%first {_TENSOR}{copy}"
        f"ISSUED: @!%q bra DONE; {_WAIT} DONE: {_SYNC}"
        "mad.lo.u32 %z, %i, 4, %t; ld.shared.u32 %v, [%z];"
    )
    return text.replace("8.3", "8.6").replace("sm_90a", "sm_100a")


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("multicast", [False, True])
@pytest.mark.parametrize("parity", [0, 1])
@pytest.mark.parametrize("issuer", range(4))
def test_copies_are_counted_in_the_pair(issuer: int, parity: int, multicast: bool, late: bool):
    """PTX ISA, `.cta_group::2`: at the block of each destination's pair with that parity."""
    found = run(pair_kernel(issuer, parity, multicast=multicast), late=late)
    loaded = np.full(_R.shape, True) if multicast else np.isin(_R, issuer)
    np.testing.assert_array_equal(found[loaded], (2000 + 64 + _I)[loaded])


def built_kernels() -> list[str]:
    return [kernel(body) for body in BODIES]


FAULTS: dict[str, tuple[str, str]] = {
    "rank": (
        "mapa.shared::cluster.u32 %x, %s, 4;",
        "a cluster of 4 blocks has no block of rank 4",
    ),
    "own memory": (
        "mapa.shared::cluster.u32 %x, %s, %n; ld.shared::cta.u32 %v, [%x];",
        "an address names the shared memory of another block of the cluster",
    ),
    "no block": (
        "add.u32 %x, %s, 0x7000000; ld.shared::cluster.u32 %v, [%x];",
        "an address of shared memory names no block of a cluster of 4",
    ),
    "bounds": (
        "mapa.shared::cluster.u32 %x, %s, %n; ld.shared::cluster.u32 %v, [%x+2000];",
        "out-of-bounds 4-byte read at shared address",
    ),
    "mask": (
        "mov.b16 %h, 16; @%first "
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%t], [%d], 128, [%m], %h;",
        "mask 0x10 names blocks that a cluster of 4 blocks does not have",
    ),
    "arrives twice": (
        "barrier.cluster.arrive.aligned; barrier.cluster.arrive.aligned;",
        "a thread arrives twice at the barrier of its cluster without waiting",
    ),
    "not arrived": (
        "barrier.cluster.wait;",
        "a thread waits at the barrier of its cluster without having arrived",
    ),
    "ended": (
        "setp.eq.u32 %p, %r, 2; @%p exit; mapa.shared::cluster.u32 %x, %s, 2;"
        "barrier.cluster.arrive; barrier.cluster.wait; ld.shared::cluster.u32 %v, [%x];",
        "an address names the shared memory of a block that has ended",
    ),
    "deadlock": (
        "setp.eq.u32 %p, %r, 2; @%p bra SKIP; barrier.cluster.arrive; barrier.cluster.wait; SKIP:"
        f"@%p bra.uni SKIP2; bra OVER; SKIP2: {_WAIT} OVER:",
        "cluster barrier: 96 of 128 threads have arrived",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str):
    body, message = FAULTS[name]
    with pytest.raises(emulator.EmulatorError) as raised:
        run(kernel(body))
    assert message in raised.value.message
    assert raised.value.line is not None and raised.value.location is not None


@pytest.mark.parametrize("group", ["", ".cta_group::1", ".cta_group::2"])
def test_copies_are_not_counted_elsewhere(group: str):
    """At an object of the destination's block, or of its pair where the instruction says so."""
    rank = 2 if group.endswith("2") else 1
    body = (
        f"mapa.shared::cluster.u32 %x, %m, {rank}; setp.eq.u32 %p, %r, 0; @!%p bra DONE;"
        f"@%first {_TENSOR}{group} [%t], [%map, {{0, 2}}], [%x]; DONE:"
    )
    with pytest.raises(
        emulator.EmulatorError,
        match="the mbarrier and the destination of a copy are in different blocks",
    ):
        run(kernel(body).replace("8.3", "8.6").replace("sm_90a", "sm_100a"))


def test_blocks_that_end_are_not_waited_for():
    body = "setp.eq.u32 %p, %r, 2; @%p exit;"
    expected = np.where(_R == 2, 7, 0)
    data, out = np.zeros(32, np.uint32), np.full(128, 7, np.uint32)
    tensor = TensorMap(np.zeros((4, 32), np.uint32), (1, 32))
    emulator.load(kernel(body)).launch("k", (4, 1, 1), [data, out, tensor])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("races", [False, True])
def test_restricted_fences(races: bool):
    out = np.zeros(32, np.uint32)
    emulator.load(RESTRICTED_FENCES).launch(None, (1, 1, 1), [out], races=races)
    np.testing.assert_array_equal(out, np.arange(32))
