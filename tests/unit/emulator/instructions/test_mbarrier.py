"""Barrier objects: phases, counts, bytes, waiting, and what is wrong with a use of them."""

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator


def kernel(body: str, *, threads: int = 64) -> str:
    """A kernel in which thread 0 initialises a barrier that expects `n` arrivals.

    `%s` is its shared address, `%i` the thread, `%o` the address of `out[i]`; the body begins on
    line 13.
    """
    return f"""{HEADER}
.visible .entry k(.param .u64 out, .param .u32 n) .reqntid {threads}
{{
  .shared .align 16 .b8 buffer[1024]; .shared .align 8 .b64 object;
  .reg .b64 %o, %a, %state, %x64; .reg .b32 %i, %n, %s, %x, %y; .reg .pred %first, %p, %q;
  mov.u32 %i, %tid.x; ld.param.u64 %o, [out]; mad.wide.u32 %o, %i, 4, %o;
  ld.param.u32 %n, [n]; mov.u32 %s, object; setp.eq.u32 %first, %i, 0;
  @%first mbarrier.init.shared::cta.b64 [%s], %n;
  bar.sync 0;
{body}
  ret;
}}
"""


def run(body: str, arrivals: int, *, threads: int = 64, blocks: int = 1) -> list[int]:
    out = np.zeros(threads, np.uint32)
    module = emulator.load(kernel(body, threads=threads))
    module.launch("k", (blocks, 1, 1), [out, arrivals], step_limit=20_000)
    return [int(x) for x in out]


def error(body: str, arrivals: int, *, threads: int = 64) -> emulator.EmulatorError:
    with pytest.raises(emulator.EmulatorError) as raised:
        run(body, arrivals, threads=threads)
    return raised.value


STORE = "selp.u32 %x, 1, 0, %p; st.global.u32 [%o], %x;"

# Bodies, the arrivals that a phase expects, and what thread 0 stores.
BODIES: dict[str, tuple[str, int, int]] = {
    "a new barrier has completed the phase before": (
        f"mbarrier.try_wait.parity.shared::cta.b64 %p, [%s], 1; {STORE}",
        1,
        1,
    ),
    "and not its first one": (f"mbarrier.test_wait.parity.shared.b64 %p, [%s], 0; {STORE}", 1, 0),
    "all arrivals complete a phase": (
        "mbarrier.arrive.shared::cta.b64 _, [%s];"
        f"mbarrier.try_wait.parity.shared::cta.b64 %p, [%s], 0, %n; {STORE}",
        64,
        1,
    ),
    "one is missing": (
        "mbarrier.arrive.release.cta.shared::cta.b64 _, [%s];"
        f"mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p, [%s], 0; {STORE}",
        65,
        0,
    ),
    "arrivals count": (
        "@%first mbarrier.arrive.shared::cta.b64 _, [%s], 2;"
        f"mbarrier.test_wait.parity.shared::cta.b64 %p, [%s], 0; {STORE}",
        2,
        1,
    ),
    "a state remembers its phase": (
        "@!%first bra $END;"
        "mbarrier.arrive.shared::cta.b64 %state, [%s];"
        "mbarrier.test_wait.shared::cta.b64 %p, [%s], %state;"
        "mbarrier.arrive.shared::cta.b64 %x64, [%s];"
        "mbarrier.try_wait.shared::cta.b64 %q, [%s], %x64;"
        "selp.u32 %y, 2, 0, %q; selp.u32 %x, 1, 0, %p; add.u32 %x, %x, %y;"
        "st.global.u32 [%o], %x; $END:",
        1,
        3,
    ),
    "pending arrivals of a state": (
        "@!%first bra $END;"
        "mbarrier.arrive.noComplete.shared::cta.b64 %state, [%s], 2;"
        "mbarrier.arrive.noComplete.release.cta.shared.b64 %state, [%s], 1;"
        "mbarrier.pending_count.b64 %x, %state; st.global.u32 [%o], %x; $END:",
        7,
        5,
    ),
    "a phase waits for its bytes": (
        "@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], 48;"
        f"mbarrier.test_wait.parity.shared::cta.b64 %p, [%s], 0; {STORE}",
        1,
        0,
    ),
    "bytes that came complete it": (
        "@%first mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%s], 48;"
        "@%first mbarrier.arrive.shared::cta.b64 %state, [%s];"
        "@%first mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%s], 16;"
        "@%first mbarrier.complete_tx.shared::cluster.b64 [%s], 32;"
        f"mbarrier.test_wait.parity.shared::cta.b64 %p, [%s], 0; {STORE}",
        1,
        1,
    ),
    "bytes may come before they are expected": (
        "@%first mbarrier.complete_tx.shared::cta.b64 [%s], 16;"
        "@%first mbarrier.arrive.expect_tx.release.cta.shared::cluster.b64 _, [%s], 16;"
        f"mbarrier.test_wait.parity.shared::cta.b64 %p, [%s], 0; {STORE}",
        1,
        1,
    ),
    "one that drops out is not expected again": (
        "@!%first bra $END;"
        "mbarrier.arrive_drop.shared::cta.b64 _, [%s];"
        "mbarrier.arrive.shared::cta.b64 _, [%s];"
        "mbarrier.arrive.shared::cta.b64 _, [%s];"
        f"mbarrier.try_wait.parity.shared::cta.b64 %p, [%s], 1; {STORE} $END:",
        2,
        1,
    ),
    "one drops out for bytes, one without an end": (
        "@!%first bra $END;"
        "mbarrier.arrive_drop.noComplete.release.cta.shared::cta.b64 %state, [%s], 1;"
        "mbarrier.arrive_drop.expect_tx.shared::cta.b64 _, [%s], 8;"
        "mbarrier.complete_tx.shared::cta.b64 [%s], 8;"
        "mbarrier.arrive.shared::cta.b64 _, [%s];"
        "mbarrier.arrive.shared::cta.b64 %state, [%s];"
        f"mbarrier.test_wait.shared::cta.b64 %p, [%s], %state; {STORE} $END:",
        3,
        1,
    ),
    "copies that are complete arrive": (
        "ld.param.u64 %a, [out]; mov.u32 %x, buffer;"
        "@%first cp.async.ca.shared.global [%x], [%a], 4;"
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%s];"
        "cp.async.mbarrier.arrive.shared::cta.b64 [%s];"
        f"mbarrier.try_wait.parity.shared::cta.b64 %p, [%s], 0; {STORE}",
        64,
        1,
    ),
    "generic addresses": (
        "cvt.u64.u32 %a, %s; cvta.shared.u64 %a, %a;"
        "mbarrier.arrive.b64 %state, [%a]; bar.sync 0;"
        f"mbarrier.try_wait.b64 %p, [%a], %state; {STORE}",
        64,
        1,
    ),
    "a barrier of another count": (
        "@!%first bra $END;"
        "mbarrier.inval.shared::cta.b64 [%s]; mbarrier.init.shared.b64 [%s], 1;"
        "mbarrier.arrive.shared::cta.b64 %state, [%s];"
        f"mbarrier.test_wait.shared::cta.b64 %p, [%s], %state; {STORE} $END:",
        64,
        1,
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_state(name: str):
    body, arrivals, expected = BODIES[name]
    assert run(body, arrivals)[0] == expected


PIPELINE = """
// Warp 0 fills two buffers in turn, warps 1 to 3 add up what is in them, ten times
  .reg .b32 %full, %empty, %stage, %phase, %turn, %sum, %lane, %v;
  mov.u32 %full, buffer; add.u32 %empty, %full, 16; mov.u32 %lane, %laneid;
  @!%first bra $READY;
  mbarrier.init.shared::cta.b64 [%full], 1;
  mbarrier.init.shared::cta.b64 [%full+8], 1;
  mbarrier.init.shared::cta.b64 [%empty], 3;
  mbarrier.init.shared::cta.b64 [%empty+8], 3;
$READY:
  bar.sync 0;
  mov.u32 %turn, 0; mov.u32 %sum, 0;
  setp.lt.u32 %q, %i, 32;
$LOOP:
  and.b32 %stage, %turn, 1; shr.u32 %phase, %turn, 1; and.b32 %phase, %phase, 1;
  shl.b32 %y, %stage, 3; add.u32 %x, %full, %y; add.u32 %y, %empty, %y;
  mad.lo.u32 %v, %stage, 128, %full; mad.lo.u32 %v, %lane, 4, %v;
  @!%q bra $CONSUME;
  xor.b32 %phase, %phase, 1;
$FREE:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%y], %phase;
  @!%p bra $FREE;
  mad.lo.u32 %n, %turn, 1000, %lane;
  st.shared.u32 [%v+64], %n;
  bar.warp.sync 0xffffffff;
  @%first mbarrier.arrive.shared::cta.b64 _, [%x];
  bra $NEXT;
$CONSUME:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%x], %phase;
  @!%p bra $CONSUME;
  ld.shared.u32 %n, [%v+64]; add.u32 %sum, %sum, %n;
  bar.warp.sync 0xffffffff;
  setp.eq.u32 %p, %lane, 0;
  @%p mbarrier.arrive.shared::cta.b64 _, [%y];
$NEXT:
  add.u32 %turn, %turn, 1;
  setp.lt.u32 %p, %turn, 10;
  @%p bra $LOOP;
  st.global.u32 [%o], %sum;
"""


def test_two_buffers_between_warps():
    assert run(PIPELINE, 1, threads=128, blocks=3) == [0] * 32 + 3 * [
        45000 + 10 * lane for lane in range(32)
    ]


SPIN_ON_MEMORY = """
// Warp 1 asks once whether thread 0 has arrived, then tells warp 0, which waits for it in memory
  setp.ge.u32 %q, %i, 32;
  @%q bra $ASK;
$SPIN:
  ld.volatile.shared.u32 %x, [buffer]; setp.eq.u32 %p, %x, 7;
  @!%p bra $SPIN;
  mbarrier.arrive.shared::cta.b64 _, [%s];
  bra $END;
$ASK:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%s], 0;
  st.shared.u32 [buffer], 7;
$AGAIN:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%s], 0;
  @!%p bra $AGAIN;
$END:
  st.global.u32 [%o], 5;
"""


def test_a_wait_in_vain_ends():
    assert run(SPIN_ON_MEMORY, 32) == [5] * 64


FAULTS: dict[str, tuple[str, int, str]] = {
    "no barrier": (
        "mbarrier.arrive.shared::cta.b64 _, [buffer];",
        1,
        "no mbarrier is initialised at this address",
    ),
    "no barrier any more": (
        "@%first mbarrier.inval.shared::cta.b64 [%s]; @%first mbarrier.inval.shared::cta.b64 [%s];",
        1,
        "no mbarrier is initialised at this address",
    ),
    "a barrier already": (
        "@%first mbarrier.init.shared::cta.b64 [%s], 1;",
        1,
        "an mbarrier at this address has not been invalidated",
    ),
    "no count": ("", 0, "an mbarrier expects 1 to 1048575 arrivals"),
    "too many arrivals": (
        "@%first mbarrier.arrive.shared::cta.b64 _, [%s], 3;",
        2,
        "more arrivals than the mbarrier expects",
    ),
    "too many bytes": (
        "@%first mbarrier.expect_tx.shared::cta.b64 [%s], 1048576;",
        1,
        "an mbarrier counts at most 1048575 bytes",
    ),
    "an arrival that must not complete": (
        "@%first mbarrier.arrive.noComplete.shared::cta.b64 %state, [%s], 1;",
        1,
        "a .noComplete arrival completes the phase",
    ),
    "misaligned": (
        "@%first mbarrier.init.shared::cta.b64 [buffer+4], 1;",
        1,
        "misaligned 8-byte atomic access at shared address",
    ),
    "outside of shared memory": (
        "@%first mbarrier.arrive.b64 %state, [%o];",
        1,
        "out-of-bounds 8-byte atomic access at shared address",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str):
    body, arrivals, message = FAULTS[name]
    found = error(body, arrivals)
    assert message in found.message
    assert found.location == emulator.ThreadLocation((0, 0, 0), 0, 0)


def test_a_deadlock_names_every_wait():
    found = error(
        "  setp.lt.u32 %q, %i, 32;\n"
        "  @%q bra $SECOND;\n"
        "$FIRST: mbarrier.try_wait.parity.shared::cta.b64 %p, [%s], 0;\n"
        "  @!%p bra $FIRST;\n"
        "$SECOND: mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], 8;\n"
        "$THIRD: mbarrier.try_wait.parity.shared::cta.b64 %p, [%s], 0;\n"
        "  @!%p bra $THIRD;",
        33,
    )
    state = "phase 0, 1 of 33 arrivals pending, 256 bytes outstanding"
    assert "deadlock: waits for ever for the mbarrier at shared address 0x" in found.message
    assert found.message.count(state) == 2
    assert "; block (0, 0, 0), warp " in found.message
    assert "mbarrier.try_wait.parity" in str(found)


@pytest.mark.parametrize("seed", range(4))
def test_two_buffers_between_warps_in_any_order(seed: int):
    out = np.zeros(128, np.uint32)
    module = emulator.load(kernel(PIPELINE, threads=128))
    module.launch("k", (3, 1, 1), [out, 1], warp_seed=seed)
    np.testing.assert_array_equal(out[32:], np.tile(45000 + 10 * np.arange(32), 3))
