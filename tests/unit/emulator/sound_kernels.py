"""Small kernels that synchronise as they should, with what they compute, and bugs to put in.

A bug replaces a piece of the text by another one. Of the modes that find it, `F` is the plain one,
`L` does asynchronous work late, `W` runs every warp by itself in some order, `R` looks for races.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.unit.emulator import kernels
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

Array = npt.NDArray[Any]

STEP_LIMIT = 2500
"""More instructions than any of the kernels issues in any mode."""


@dataclass(frozen=True)
class Edit:
    """A bug: `old` is in the kernel exactly once, and the modes in `found_by` notice it."""

    old: str
    new: str
    found_by: str


@dataclass(frozen=True)
class SoundKernel:
    """A kernel, and a launch of it: the last argument is what it writes, `expected` what to."""

    text: str
    grid: tuple[int, int, int]
    arguments: Callable[[], Sequence[Array | int]]
    expected: Array
    bugs: Mapping[str, Edit] = field(default_factory=lambda: dict[str, Edit]())

    def solves(self, bug: str | None = None, **modes: Any) -> bool:
        """Whether a launch computes what it should. Raises `EmulatorError` where it fails."""
        text = self.text
        if bug is not None:
            edit = self.bugs[bug]
            assert text.count(edit.old) == 1
            text = text.replace(edit.old, edit.new)
        arguments = self.arguments()
        emulator.load(text).launch(None, self.grid, arguments, step_limit=STEP_LIMIT, **modes)
        out = arguments[-1]
        assert isinstance(out, np.ndarray)
        return np.array_equal(out, self.expected)


BLOCK_SUM = SoundKernel(
    kernels.BLOCK_SUM.replace("bar.sync 0;\n  mov", "bar.sync 1;\n  mov")
    .replace(", .param .u32 n)", ")")
    .replace("ld.param.u32 %r9, [n]", "mov.u32 %r9, 768"),
    (3, 1, 1),
    lambda: [np.arange(768, dtype=np.float32), np.zeros(3, np.float32)],
    np.arange(768, dtype=np.float32).reshape(3, 256).sum(axis=1),
    {
        "the elements are read before they are there": Edit("bar.sync 1;", "", "WR"),
        "a step begins before the last one is done": Edit("bar.sync 0;", "", "WR"),
        "warps meet at a step by themselves": Edit("bar.sync 0;", "bar.warp.sync -1;", "WR"),
    },
)

EXCHANGE = SoundKernel(
    kernels.PRODUCER_CONSUMER,
    (2, 1, 1),
    lambda: [np.zeros(128, np.uint32)],
    np.r_[np.zeros(32, np.uint32), np.tile(45000 + 10 * np.arange(32, dtype=np.uint32), 3)],
    {
        "the buffer is filled again before it is read": Edit(
            "@%p2 barrier.sync 2, 128;", "", "FLWR"
        ),
        "the buffer is read before it is filled": Edit("bar.sync 1, 128;", "", "WR"),
        "the readers do not say that they are done": Edit(
            "@%p3 barrier.arrive 2, 128;", "", "FLWR"
        ),
        "the barrier of a full buffer expects too few": Edit(
            "bar.arrive 1, 128;", "bar.arrive 1, 96;", "FLWR"
        ),
        "the buffer is announced at another barrier": Edit(
            "bar.arrive 1, 128;", "bar.arrive 3, 128;", "FLWR"
        ),
    },
)

LANES = SoundKernel(
    HEADER
    + """
// The lanes of a warp hand their numbers on to a neighbour through shared memory, eight times
.visible .entry lanes(.param .u64 out) .reqntid 32
{
  .reg .pred %p; .reg .b32 %i, %s, %t, %x, %n; .reg .b64 %o;
  .shared .align 4 .b32 slot[32];
  mov.u32 %i, %tid.x; ld.param.u64 %o, [out]; mad.wide.u32 %o, %i, 4, %o;
  mov.u32 %s, slot; mov.u32 %t, %s; mad.lo.u32 %s, %i, 4, %s;
  add.u32 %x, %i, 1; and.b32 %x, %x, 31; mad.lo.u32 %t, %x, 4, %t;
  mov.u32 %x, %i; mov.u32 %n, 0;
$AGAIN:
  st.shared.u32 [%s], %x;
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %x, [%t];
  bar.warp.sync 4294967295;
  add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 8;
  @%p bra $AGAIN;
  st.global.u32 [%o], %x;
  ret;
}
""",
    (1, 1, 1),
    lambda: [np.zeros(32, np.uint32)],
    (np.arange(32, dtype=np.uint32) + 8) % 32,
    {
        "lanes read before others write": Edit("bar.warp.sync 0xffffffff;", "", "R"),
        "lanes write before others read": Edit("bar.warp.sync 4294967295;", "", "R"),
        "all lanes write to one place": Edit("mad.lo.u32 %s, %i, 4, %s;", "", "FLWR"),
    },
)

LAST_BLOCK = SoundKernel(
    HEADER
    + """
// Each thread of each block stores a number; the last block to come adds up those of all
.visible .entry last(.param .u64 numbers, .param .u64 count, .param .u64 out) .reqntid 64
{
  .reg .pred %p, %q; .reg .b32 %b, %i, %k, %n, %x, %y; .reg .b64 %a, %c, %o;
  .shared .align 4 .b32 ticket;
  mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; setp.eq.u32 %p, %i, 0;
  ld.param.u64 %a, [numbers]; ld.param.u64 %c, [count]; ld.param.u64 %o, [out];
  mad.lo.u32 %k, %b, 64, %i; mad.wide.u32 %a, %k, 4, %a;
  add.u32 %x, %k, 1;
  st.global.u32 [%a], %x;
  fence.acq_rel.gpu;
  bar.sync 1;
  @!%p bra $WAIT;
  atom.relaxed.gpu.global.add.u32 %n, [%c], 1;
  st.shared.u32 [ticket], %n;
$WAIT:
  bar.sync 0;
  ld.shared.u32 %n, [ticket];
  mov.u32 %x, %nctaid.x; sub.u32 %x, %x, 1;
  setp.ne.u32 %q, %n, %x;
  @%q exit;
  fence.sc.gpu;
  ld.param.u64 %a, [numbers]; mad.wide.u32 %a, %i, 4, %a;
  mov.u32 %y, 0; mov.u32 %k, 0;
$ADD:
  ld.global.u32 %x, [%a];
  add.u32 %y, %y, %x; add.u64 %a, %a, 256; add.u32 %k, %k, 1;
  setp.le.u32 %q, %k, %n;
  @%q bra $ADD;
  mad.wide.u32 %o, %i, 4, %o;
  st.global.u32 [%o], %y;
  ret;
}
""",
    (3, 1, 1),
    lambda: [np.zeros(192, np.uint32), np.zeros(1, np.uint32), np.zeros(64, np.uint32)],
    (np.arange(192, dtype=np.uint32) + 1).reshape(3, 64).sum(axis=0, dtype=np.uint32),
    {
        "the numbers are not published": Edit("fence.acq_rel.gpu;", "", "R"),
        "the numbers are published to the block only": Edit(
            "fence.acq_rel.gpu;", "fence.acq_rel.cta;", "R"
        ),
        "a block is counted before all of it is done": Edit("bar.sync 1;", "", "R"),
        "blocks are counted at the scope of one": Edit("atom.relaxed.gpu", "atom.relaxed.cta", "R"),
        "the ticket is read before it is there": Edit("bar.sync 0;", "", "WR"),
        "the count is a plain update": Edit(
            "atom.relaxed.gpu.global.add.u32 %n, [%c], 1;",
            "ld.global.u32 %n, [%c]; add.u32 %x, %n, 1; st.global.u32 [%c], %x;",
            "FLR",
        ),
    },
)

LOCK = SoundKernel(
    kernels.SPIN.replace(".reqntid 64", ".reqntid 8"),
    (2, 1, 1),
    lambda: [np.zeros(1, np.uint32), np.zeros(1, np.uint32)],
    np.array([16], np.uint32),
    {
        "the lock is taken without an acquire": Edit("atom.acquire", "atom.relaxed", "R"),
        "the lock is given back without a release": Edit(
            "fence.acq_rel.gpu;\n  atom.release", "atom.relaxed", "R"
        ),
        "the lock is given back by a store": Edit(
            "atom.release.gpu.global.exch.b32 %r3, [%rd1], 0;", "st.global.b32 [%rd1], 0;", "R"
        ),
        "the lock is never given back": Edit(
            "atom.release.gpu.global.exch.b32 %r3, [%rd1], 0;", "", "FLWR"
        ),
    },
)

RING = SoundKernel(
    HEADER
    + """
// Warp 0 fills one buffer after the other, warp 1 adds up what is in them; objects pass them on
.visible .entry ring(.param .u64 out) .reqntid 64
{
  .reg .pred %p, %q, %first; .reg .b32 %i, %l, %s, %m, %n, %x, %y, %b, %h; .reg .b64 %o;
  .shared .align 8 .b64 full[2]; .shared .align 8 .b64 empty[2];
  .shared .align 4 .b32 buffer[64];
  mov.u32 %i, %tid.x; and.b32 %l, %i, 31; ld.param.u64 %o, [out]; mad.wide.u32 %o, %l, 4, %o;
  setp.eq.u32 %first, %l, 0; setp.ne.u32 %p, %i, 0;
  @%p bra $READY;
  mbarrier.init.shared::cta.b64 [full], 1; mbarrier.init.shared::cta.b64 [full+8], 1;
  mbarrier.init.shared::cta.b64 [empty], 1; mbarrier.init.shared::cta.b64 [empty+8], 1;
$READY:
  bar.sync 0;
  mov.u32 %n, 0; mov.u32 %y, 0; setp.ge.u32 %q, %i, 32;
$LOOP:
  and.b32 %b, %n, 1; shr.u32 %h, %n, 1; and.b32 %h, %h, 1;
  mov.u32 %s, buffer; mad.lo.u32 %s, %b, 128, %s; mad.lo.u32 %s, %l, 4, %s;
  @%q bra $READ;
  xor.b32 %h, %h, 1; mov.u32 %m, empty; mad.lo.u32 %m, %b, 8, %m;
$EMPTY:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], %h;
  @!%p bra $EMPTY;
  mad.lo.u32 %x, %n, 100, %l;
  st.shared.u32 [%s], %x;
  bar.warp.sync 0xffffffff;
  mov.u32 %m, full; mad.lo.u32 %m, %b, 8, %m;
  @%first mbarrier.arrive.release.cta.shared::cta.b64 _, [%m];
  bra $NEXT;
$READ:
  mov.u32 %m, full; mad.lo.u32 %m, %b, 8, %m;
$FULL:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p, [%m], %h;
  @!%p bra $FULL;
  ld.shared.u32 %x, [%s];
  add.u32 %y, %y, %x;
  bar.warp.sync -1;
  mov.u32 %m, empty; mad.lo.u32 %m, %b, 8, %m;
  @%first mbarrier.arrive.shared::cta.b64 _, [%m];
$NEXT:
  add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 6;
  @%p bra $LOOP;
  @%q st.global.u32 [%o], %y;
  ret;
}
""",
    (2, 1, 1),
    lambda: [np.zeros(32, np.uint32)],
    6 * np.arange(32, dtype=np.uint32) + 1500,
    {
        "objects are used before they are initialised": Edit("bar.sync 0;", "", "R"),
        "the producer does not wait for an empty buffer": Edit(
            "%p, [%m], %h;\n  @!%p bra $EMPTY;", "%p, [%m], %h;", "FLR"
        ),
        "the reader does not wait for a full buffer": Edit(
            "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p, [%m], %h;\n  @!%p bra $FULL;",
            "",
            "WR",
        ),
        "the producer waits for the phase before": Edit(
            "xor.b32 %h, %h, 1; mov.u32 %m, empty;", "mov.u32 %m, empty;", "FLWR"
        ),
        "one lane tells of a full buffer too early": Edit("bar.warp.sync 0xffffffff;", "", "R"),
        "one lane tells of an empty buffer too early": Edit("bar.warp.sync -1;", "", "R"),
        "a full buffer is told of without a release": Edit(
            "arrive.release.cta", "arrive.relaxed.cta", "R"
        ),
        "a full buffer is waited for without an acquire": Edit(
            "parity.acquire.cta", "parity.relaxed.cta", "R"
        ),
        "an object expects two arrivals": Edit("[full+8], 1;", "[full+8], 2;", "FLWR"),
        "all lanes arrive": Edit(
            "@%first mbarrier.arrive.shared", "mbarrier.arrive.shared", "FLWR"
        ),
    },
)

BULK = SoundKernel(
    HEADER
    + """
// A block stores its threads' numbers by a copy of shared memory, twice
.visible .entry bulk(.param .u64 out) .reqntid 64
{
  .reg .pred %p; .reg .b32 %i, %s, %n; .reg .b64 %o;
  .shared .align 16 .b8 tile[256];
  mov.u32 %i, %tid.x; ld.param.u64 %o, [out]; setp.ne.u32 %p, %i, 0;
  mov.u32 %s, tile; mad.lo.u32 %s, %i, 4, %s; mov.u32 %n, 0;
$AGAIN:
  st.shared.u32 [%s], %i;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p bra $MEET;
  cp.async.bulk.global.shared::cta.bulk_group [%o], [tile], 256;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
$MEET:
  bar.sync 1;
  add.u64 %o, %o, 256; add.u32 %i, %i, 64; add.u32 %n, %n, 1;
  setp.lt.u32 %p, %n, 2;
  @!%p exit;
  and.b32 %i, %i, 127; setp.ne.u32 %p, %i, 64;
  bra $AGAIN;
}
""",
    (1, 1, 1),
    lambda: [np.zeros(128, np.uint32)],
    np.arange(128, dtype=np.uint32),
    {
        "the tile is not made known to the copy": Edit("fence.proxy.async.shared::cta;", "", "R"),
        "the tile is copied before it is there": Edit("bar.sync 0;", "", "WR"),
        "the tile is written while it is copied": Edit(
            "cp.async.bulk.wait_group.read 0;", "", "LR"
        ),
        "the copy is not committed": Edit("cp.async.bulk.commit_group;", "", "LR"),
        "a copy is pending": Edit("wait_group.read 0;", "wait_group.read 1;", "LR"),
        "the others do not wait for the copy": Edit("bar.sync 1;", "", "R"),
    },
)

SOUND_KERNELS = {
    "block sum": BLOCK_SUM,
    "exchange": EXCHANGE,
    "lanes": LANES,
    "last block": LAST_BLOCK,
    "lock": LOCK,
    "ring": RING,
    "bulk": BULK,
}
