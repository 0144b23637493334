"""What counts as a race, what does not, and what a report says."""

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER, VECTOR_ADD
from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError, ThreadLocation

REGISTERS = """.reg .pred %p, %q; .reg .b16 %h; .reg .b32 %i, %b, %s, %x, %y, %z, %zero;
  .reg .b64 %a, %o, %t;"""


def kernel(body: str, *, threads: int = 64, cluster: int = 0) -> str:
    """A kernel whose body begins on line 13.

    `%i` is the thread, `%b` the block, `%s` the address of a word of shared memory for each thread,
    `%a` that of the argument and `%o` that of its word for the thread.
    """
    extent = f".explicitcluster .reqnctapercluster {cluster}" if cluster else ""
    return f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid {threads} {extent}
{{
  {REGISTERS}
  .shared .align 16 .b8 buffer[1024];
  mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %zero, 0;
  ld.param.u64 %a, [out]; mad.wide.u32 %o, %i, 4, %a; mov.u32 %s, buffer; mad.lo.u32 %s, %i, 4, %s;
{body}
  ret;
}}
"""


def run(body: str, *, threads: int = 64, blocks: int = 1, cluster: int = 0) -> list[int]:
    """What a body stores. Raises `EmulatorError` for a race."""
    out = np.zeros(1024, np.uint32)
    module = emulator.load(kernel(body, threads=threads, cluster=cluster))
    module.launch("k", (blocks, 1, 1), [out], step_limit=20_000, races=True)
    return [int(x) for x in out]


def race(body: str, *, threads: int = 64, blocks: int = 1, cluster: int = 0) -> EmulatorError:
    with pytest.raises(EmulatorError, match="race: ") as caught:
        run(body, threads=threads, blocks=blocks, cluster=cluster)
    return caught.value


def test_a_report_names_both_accesses_and_what_is_missing():
    found = race("st.shared.u32 [%s], %i;\nxor.b32 %s, %s, 128;\nld.shared.u32 %x, [%s];")
    assert found.message == (
        "race: this read of shared address 0x80 and the write at PTX line 13 "
        "('st.shared.u32 [%s], %i') by block (0, 0, 0), warp 1, lane 0 are not ordered: "
        "no barrier is between the two"
    )
    assert found.line == 15
    assert found.instruction == "ld.shared.u32 %x, [%s]"
    assert found.location == ThreadLocation((0, 0, 0), 0, 0)


@pytest.mark.parametrize("times", [1, 2])
def test_warps_that_use_a_barrier_after_others(times: int):
    """Who meets at a barrier learns nothing of those that met there before."""
    first = "bar.sync 1, 64;" * times
    found = race(
        f"""setp.lt.u32 %p, %i, 64; @!%p bra LATER;
st.shared.u32 [%s], %i; {first} bra END;
LATER: bar.sync 1, 64; xor.b32 %s, %s, 256; ld.shared.u32 %x, [%s];
END:""",
        threads=128,
    )
    assert "no barrier is between the two" in found.message


def test_blocks_that_have_ended_between_blocks_that_meet():
    """Half of a warp waits alone, so that the detector looks at each block by itself."""
    body = """setp.eq.u32 %p, %b, 1;
@%p exit;
and.b32 %x, %i, 31; setp.lt.u32 %q, %x, 16;
st.shared.u32 [%s], %i;
@%q bar.warp.sync 0xffff;
bar.sync 0;
xor.b32 %s, %s, 128; ld.shared.u32 %y, [%s]; setp.eq.u32 %p, %b, 0; @%p st.global.u32 [%o], %y;"""
    assert run(body, blocks=3)[:64] == [i ^ 32 for i in range(64)]


def test_a_report_of_global_memory_names_its_array():
    found = race("st.global.u32 [%o], %i;\nxor.b32 %x, %i, 32;\nmad.wide.u32 %o, %x, 4, %a;\n"
                 "ld.global.u32 %y, [%o];")  # fmt: skip
    assert "of global address 0x1000100080 (byte 128 of argument 0 ('out')" in found.message


SHARED_RACES = {
    "write and read of two warps": "st.shared.u32 [%s], %i; xor.b32 %s, %s, 128;"
    " ld.shared.u32 %x, [%s];",
    "read and write of two warps": "ld.shared.u32 %x, [%s]; xor.b32 %s, %s, 128;"
    " st.shared.u32 [%s], %x;",
    "write and write of two warps": "st.shared.u32 [%s], %i; xor.b32 %s, %s, 128;"
    " st.shared.u32 [%s], %i;",
    "lanes of a warp": "st.shared.u32 [%s], %i; xor.b32 %s, %s, 4; ld.shared.u32 %x, [%s];",
    "a generic address": "cvt.u64.u32 %t, %s; cvta.shared.u64 %t, %t; st.u32 [%t], %i;"
    " xor.b32 %s, %s, 128; ld.shared.u32 %x, [%s];",
    "vectors": "shl.b32 %x, %i, 3; mov.u32 %s, buffer; add.u32 %s, %s, %x;"
    " st.shared.v2.b32 [%s], {%i, %i}; xor.b32 %s, %s, 256; ld.shared.u32 %x, [%s+4];",
    "a plain read of an atomic": "red.shared.add.u32 [buffer], 1; ld.shared.u32 %x, [buffer];",
    "a plain write to an atomic": "atom.shared.add.u32 %x, [buffer], 1;"
    " st.shared.u32 [buffer], 0;",
    "an atomic of what is written": "st.shared.u32 [%s], %i; red.shared.add.u32 [buffer], 1;",
    "a plain store of a flag": "setp.lt.u32 %p, %i, 32; @%p st.shared.u32 [buffer], 1;"
    " @!%p ld.volatile.shared.u32 %x, [buffer];",
    "a barrier of one warp only": "setp.lt.u32 %p, %i, 32; st.shared.u32 [%s], %i;"
    " @%p bar.sync 1, 32; xor.b32 %s, %s, 128; ld.shared.u32 %x, [%s];",
    "lanes that do not meet": "setp.lt.u32 %p, %i, 16; st.shared.u32 [%s], %i;"
    " @%p bar.warp.sync 0xffff; xor.b32 %s, %s, 64; ld.shared.u32 %x, [%s];",
    "a plain read before a swap": "ld.shared.u32 %x, [buffer]; add.u32 %y, %x, 1;"
    " atom.shared.cas.b32 %z, [buffer], %x, %y;",
    "a plain read after a swap": "setp.eq.u32 %p, %i, 0; @%p st.shared.u32 [buffer], 0;"
    " bar.sync 0; atom.shared.cas.b32 %z, [buffer], 0, 1;"
    " ld.shared.u32 %x, [buffer];",
    "a plain write to where a swap fails": "atom.shared.cas.b32 %z, [buffer], 1, 2;"
    " st.shared.u32 [buffer], 0;",
    "a swap that fails of what is written": "setp.eq.u32 %p, %i, 40; @%p st.shared.u32 [buffer], 0;"
    " atom.shared.cas.b32 %z, [buffer], 1, 2;",
    "rows of a matrix": "mov.u32 %s, buffer; mad.lo.u32 %s, %i, 16, %s;"
    " st.shared.u32 [%s], %i; xor.b32 %s, %s, 512;"
    " ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [%s];",
}  # fmt: skip


@pytest.mark.parametrize("body", SHARED_RACES.values(), ids=SHARED_RACES)
def test_races_in_shared_memory(body: str):
    race(body)


SHARED_ORDER = {
    "a barrier": "st.shared.u32 [%s], %i; bar.sync 0; xor.b32 %s, %s, 128;"
    " ld.shared.u32 %x, [%s];",
    "a barrier with a count": "st.shared.u32 [%s], %i; bar.sync 3, 64; xor.b32 %s, %s, 128;"
    " ld.shared.u32 %x, [%s];",
    "a reduction": "st.shared.u32 [%s], %i; setp.eq.u32 %p, %i, 0; bar.red.popc.u32 %y, 0, %p;"
    " xor.b32 %s, %s, 128; ld.shared.u32 %x, [%s];",
    "a barrier on two paths": "setp.lt.u32 %p, %i, 32; @%p bra FIRST;\nbar.sync 1;\n"
    "ld.shared.u32 %x, [buffer]; bra END;\nFIRST: st.shared.u32 [%s], %i; bar.sync 1;\nEND:",
    "an arrival": "setp.lt.u32 %p, %i, 32; @%p bra FIRST;\nbar.sync 1, 64;\n"
    "ld.shared.u32 %x, [buffer]; bra END;\nFIRST: st.shared.u32 [%s], %i; bar.arrive 1, 64;\nEND:",
    "a meeting of lanes": "st.shared.u32 [%s], %i; bar.warp.sync -1; xor.b32 %s, %s, 4;"
    " ld.shared.u32 %x, [%s];",
    "a meeting of some lanes": "setp.ge.u32 %p, %i, 16; @%p bra END; st.shared.u32 [%s], %i;"
    " bar.warp.sync 0xffff; xor.b32 %s, %s, 4; ld.shared.u32 %x, [%s];\nEND:",
    "the same thread": "st.shared.u32 [%s], %i; ld.shared.u32 %x, [%s]; st.shared.u32 [%s], %x;",
    "atomic accesses": "red.shared.add.u32 [buffer], 1; atom.shared.max.u32 %x, [buffer], 7;",
    "atomic accesses after a barrier": "setp.eq.u32 %p, %i, 0; @%p st.shared.u32 [buffer], 0;"
    " bar.sync 0; red.shared.add.u32 [buffer], 1; bar.sync 0; ld.shared.u32 %x, [buffer];",
    "all store the same": "st.shared.u32 [buffer], 7; bar.sync 0; ld.shared.u32 %x, [buffer];",
    "warps store the same one by one": "setp.lt.u32 %p, %i, 32; @%p st.shared.u32 [buffer], 7;"
    " @!%p st.shared.u32 [buffer], 7;",
    "bytes of a word": "mov.u32 %s, buffer; add.u32 %s, %s, %i; st.shared.u8 [%s], %i;"
    " ld.shared.u8 %x, [%s];",
    "halves of a word": "mov.u32 %s, buffer; mad.lo.u32 %s, %i, 2, %s; mov.b32 {%h, _}, %i;"
    " st.shared.b16 [%s], %h; ld.shared.u16 %x, [%s];",
    "a guess before a swap": "ld.volatile.shared.u32 %x, [buffer]; add.u32 %y, %x, 1;"
    " atom.shared.cas.b32 %z, [buffer], %x, %y;",
    "a plain read before swaps that fail": "ld.shared.u32 %x, [buffer]; add.u32 %y, %x, 1;"
    " atom.shared.cas.b32 %z, [buffer], %y, 7; ld.shared.u32 %x, [buffer];",
    "a flag": "setp.eq.u32 %p, %i, 0; @%p st.shared.u32 [buffer], 0; bar.sync 0;"
    " setp.eq.u32 %p, %i, 40; @%p bra SET; setp.ne.u32 %p, %i, 3; @%p bra END;\n"
    "WAIT: ld.acquire.cta.shared.u32 %x, [buffer]; setp.eq.u32 %p, %x, 0; @%p bra WAIT;\n"
    "ld.shared.u32 %y, [buffer+64]; bra END;\n"
    "SET: st.shared.u32 [buffer+64], 5; st.release.cta.shared.u32 [buffer], 1;\nEND:",
    "a volatile flag and fences": "setp.eq.u32 %p, %i, 0; @%p st.shared.u32 [buffer], 0;"
    " bar.sync 0; setp.eq.u32 %p, %i, 40; @%p bra SET; setp.ne.u32 %p, %i, 3; @%p bra END;\n"
    "WAIT: ld.volatile.shared.u32 %x, [buffer]; setp.eq.u32 %p, %x, 0; @%p bra WAIT;\n"
    "membar.cta; ld.shared.u32 %y, [buffer+64]; bra END;\n"
    "SET: st.shared.u32 [buffer+64], 5; membar.cta; st.volatile.shared.u32 [buffer], 1;\nEND:",
}  # fmt: skip


@pytest.mark.parametrize("body", SHARED_ORDER.values(), ids=SHARED_ORDER)
def test_order_in_shared_memory(body: str):
    run(body)


def test_lanes_of_one_swap_write_or_fail():
    """The first lane writes, and those after it fail: only what it writes races with other blocks."""
    body = """setp.eq.u32 %p, %b, 0; @%p atom.relaxed.{scope}.global.cas.b32 %x, [%a], 0, 1;
@!%p {other}"""
    run(body.format(scope="gpu", other="ld.relaxed.gpu.global.u32 %x, [%a];"), blocks=2)
    narrow = body.format(scope="cta", other="ld.relaxed.gpu.global.u32 %x, [%a];")
    assert "the atomic access at PTX line 13" in race(narrow, blocks=2).message
    fails = narrow.replace("[%a], 0, 1", "[%a], 5, 1")
    run(fails, blocks=2)
    found = race(
        fails.replace("ld.relaxed.gpu.global.u32 %x, [%a]", "st.global.u32 [%a], 7"), blocks=2
    )
    assert "and the read at PTX line 13" in found.message


def test_a_swap_of_128_bits_that_fails_releases_nothing():
    """One half is as expected, the other is not."""
    body = """.reg .b128 %c, %n, %d; mov.u64 %t, 0; mov.b128 %c, {{%t, {expected}}};
mov.b128 %n, {{%t, 9}}; setp.eq.u32 %p, %i, 32; @%p bra WRITE; setp.ne.u32 %p, %i, 0; @%p bra END;
WAIT: ld.relaxed.gpu.global.u32 %x, [%a+16]; setp.eq.u32 %p, %x, 0; @%p bra WAIT;
ld.acquire.gpu.global.u64 %t, [%a]; ld.global.u32 %y, [%a+32]; bra END;
WRITE: st.global.u32 [%a+32], 5; atom.acq_rel.gpu.global.cas.b128 %d, [%a], %c, %n;
st.relaxed.gpu.global.u32 [%a+16], 1;
END:"""
    assert run(body.format(expected=0))[:9] == [0, 0, 9, 0, 1, 0, 0, 0, 5]
    assert "this read of global address" in race(body.format(expected=7)).message


def test_different_values_in_one_instruction():
    found = race("st.shared.u32 [buffer], %i;")
    assert (
        "threads write different values to shared address 0x0 in one instruction" in found.message
    )
    assert found.location == ThreadLocation((0, 0, 0), 0, 1)


def test_blocks_race_with_each_other():
    found = race("setp.eq.u32 %p, %i, 0; @%p st.global.u32 [%a], %b;", blocks=2)
    assert "different values to global address" in found.message
    store = "mad.lo.u32 %x, %b, 64, %i; mad.wide.u32 %o, %x, 4, %a; st.global.u32 [%o], %x;"
    run(store, blocks=3)
    found = race(f"{store} ld.global.u32 %y, [%a+256];", blocks=3)
    assert found.message.endswith("no release and acquire at .gpu scope is between the blocks")
    assert "by block (1, 0, 0), warp 0, lane 0" in found.message


def test_blocks_that_do_not_run_at_the_same_time_race_all_the_same():
    """Of blocks of 1,024 threads eight are resident at a time."""
    body = """and.b32 %x, %b, 7; mad.lo.u32 %x, %x, 1024, %i; mad.wide.u32 %o, %x, 4, %a;
  st.global.u32 [%o], %b;"""
    module = emulator.load(kernel(body, threads=1024))
    module.launch("k", (8, 1, 1), [np.zeros(8192, np.uint32)], races=True)
    with pytest.raises(EmulatorError, match=r"by block \(0, 0, 0\), warp 0, lane 0") as caught:
        module.launch("k", (9, 1, 1), [np.zeros(8192, np.uint32)], races=True)
    assert caught.value.location == ThreadLocation((8, 0, 0), 0, 0)


def test_reads_of_what_nobody_writes():
    a = np.arange(512, dtype=np.float32)
    out = np.zeros_like(a)
    emulator.load(VECTOR_ADD).launch(None, (4, 1, 1), [a, a, out, 512], races=True)
    np.testing.assert_array_equal(out, 2 * a)


CLUSTER = """setp.ne.u32 %p, %i, 0; @%p bra MEET;
  st.shared.u32 [buffer], %b;
MEET: {arrive} {wait}
  and.b32 %x, %b, 1; xor.b32 %x, %x, 1; mov.u32 %s, buffer; mapa.shared::cluster.u32 %s, %s, %x;
  ld.shared::cluster.u32 %y, [%s];
  barrier.cluster.arrive; barrier.cluster.wait;"""


def test_blocks_of_a_cluster():
    arrive, wait = "barrier.cluster.arrive;", "barrier.cluster.wait;"
    run(CLUSTER.format(arrive=arrive, wait=wait), blocks=4, cluster=2)
    relaxed = CLUSTER.format(arrive="barrier.cluster.arrive.relaxed;", wait=wait)
    found = race(relaxed, blocks=4, cluster=2)
    assert "no release and acquire at .gpu scope" in found.message
    race(CLUSTER.format(arrive="", wait=""), blocks=2, cluster=2)


READ = "cp.async.bulk.wait_group.read 0;"

COPY = """cp.async.ca.shared.global [%s], [%o], 4;
  {commit} {wait} {meet}
  xor.b32 %s, %s, 128; ld.shared.u32 %x, [%s];"""


@pytest.mark.parametrize(
    ("commit", "wait", "meet", "message"),
    [
        ("cp.async.commit_group;", "cp.async.wait_group 0;", "bar.sync 0;", ""),
        ("", "cp.async.wait_all;", "bar.sync 0;", ""),
        ("cp.async.commit_group;", "", "bar.sync 0;", "waited for the cp.async group"),
        ("", "cp.async.wait_group 0;", "bar.sync 0;", "waited for the cp.async group"),
        ("cp.async.commit_group;", "cp.async.wait_group 1;", "bar.sync 0;", "the cp.async group"),
        ("cp.async.commit_group;", "cp.async.wait_group 0;", "", "waited for the cp.async group"),
    ],
)
def test_copies_of_threads(commit: str, wait: str, meet: str, message: str):
    body = COPY.format(commit=commit, wait=wait, meet=meet)
    if message:
        assert message in race(body).message
    else:
        run(body)


@pytest.mark.parametrize(
    ("between", "message"),
    [
        ("cp.async.wait_all; fence.proxy.async; bar.sync 0;", ""),
        ("cp.async.wait_all; bar.sync 0; fence.proxy.async;", ""),
        ("cp.async.wait_all; bar.sync 0;", "a fence.proxy.async is missing between the two"),
        ("fence.proxy.async; cp.async.wait_all; bar.sync 0;", "a fence.proxy.async is missing"),
        ("fence.proxy.async; bar.sync 0;", "nothing waited for the cp.async group"),
    ],
)
def test_copies_of_threads_before_bulk_copies(between: str, message: str):
    """`cp.async` writes through the generic proxy."""
    body = f"""st.global.u32 [%o], %i;
  cp.async.ca.shared.global [%s], [%o], 4; {between}
  setp.ne.u32 %p, %i, 0; @%p bra END;
  cp.async.bulk.global.shared::cta.bulk_group [%a+1024], [buffer], 256;
  cp.async.bulk.commit_group; {READ}
END:"""
    if message:
        assert message in race(body).message
    else:
        assert run(body)[256:320] == list(range(64))


BULK_STORE = """st.shared.u32 [%s], %i;
  {fence} bar.sync 0; {fence_of_one}
  setp.ne.u32 %p, %i, 0; @%p bra END;
  cp.async.bulk.global.shared::cta.bulk_group [%a], [buffer], 256;
  cp.async.bulk.commit_group;
  {wait}
END:"""
FENCE = "fence.proxy.async;"


@pytest.mark.parametrize(
    ("fence", "fence_of_one", "wait", "message"),
    [
        (FENCE, "", READ, ""),
        ("", FENCE, READ, ""),
        (FENCE, "", f"{READ} st.shared.u32 [buffer], 5;", ""),
        (FENCE, "", "cp.async.bulk.wait_group 0; ld.global.u32 %x, [%a];", ""),
        ("", "", READ, "a fence.proxy.async is missing between the two"),
        (FENCE, "", "", "a thread ends before cp.async.bulk.wait_group for its bulk copies"),
        (FENCE, "", f"st.shared.u32 [buffer], 5; {READ}", "the bulk group of the copy"),
        (FENCE, "", f"{READ} ld.global.u32 %x, [%a];", "the bulk group of the copy"),
    ],
)
def test_bulk_copies(fence: str, fence_of_one: str, wait: str, message: str):
    body = BULK_STORE.format(fence=fence, fence_of_one=fence_of_one, wait=wait)
    if message:
        assert message in race(body).message
    else:
        assert run(body)[:64] == list(range(64))


DOT = """.reg .b32 %d0, %d1, %d2, %d3, %w; .reg .b64 %m;
  .shared .align 1024 .b8 operands[2048];
  mov.u32 %w, operands; mad.lo.u32 %w, %i, 16, %w;
  mad.wide.u32 %t, %i, 16, %a;
  {write}
  mov.u32 %x, operands; shr.u32 %x, %x, 4; cvt.u64.u32 %m, %x; or.b64 %m, %m, 0x800080000;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%d0, %d1, %d2, %d3}}, %m, %m, 0, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"""
WRITES = {
    "st.shared": "st.shared.v4.b32 [%w], {%i, %i, %i, %i};",
    "cp.async": "cp.async.cg.shared.global [%w], [%t], 16; cp.async.wait_all;",
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(
    ("between", "message"),
    [
        ("fence.proxy.async; bar.sync 0;", ""),
        ("bar.sync 0;", "a fence.proxy.async is missing between the two"),
        ("fence.proxy.async;", "are not ordered: no"),
    ],
)
def test_dots_read_what_threads_wrote(write: str, between: str, message: str):
    body = DOT.format(write=f"{WRITES[write]} {between}")
    if message:
        found = race(body, threads=128).message
        assert message in found
        assert f"('{WRITES[write].partition(';')[0]}')" in found
    else:
        run(body, threads=128)
