"""Named barriers: what reductions give in each phase, and that blocks do not see each other's."""

from typing import Any

import numpy as np
import pytest

from tests.unit.emulator import kernels
from tileir_xdsl import emulator

REGISTERS = """
.reg .pred %p, %q, %r; .reg .b32 %i, %w, %b, %k, %t, %x, %y; .reg .b64 %a, %c;
ld.param.u64 %a, [out]; mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; shr.u32 %w, %i, 5;
"""


def launch(body: str, out: np.ndarray[Any, Any], *, blocks: int, threads: int) -> None:
    text = (
        kernels.HEADER
        + f".visible .entry k(.param .u64 out) .reqntid {threads}\n{{{REGISTERS}{body}\n}}\n"
    )
    emulator.load(text).launch(None, (blocks, 1, 1), [out], step_limit=100_000)


PHASES, THREADS, BLOCKS = 4, 96, 3
REDUCTIONS = {
    "popc.u32": "barrier.cta.red.popc.u32 %y, 2, %q;",
    "and.pred": "barrier.cta.red.and.pred %r, 2, %q; selp.u32 %y, 1, 0, %r;",
    "or.pred": "barrier.cta.red.or.pred %r, 2, !%q; selp.u32 %y, 1, 0, %r;",
}


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_each_phase_reduces_its_own_predicates(kind: str) -> None:
    """Threads bring true in one phase and false in the next, or have ended: a warp after each."""
    body = f"""
    mov.u32 %k, 0;
    AGAIN:
    mad.lo.u32 %t, %k, 5, %i; add.u32 %t, %t, %b;
    shr.u32 %x, %k, 1; add.u32 %x, %x, 1; rem.u32 %t, %t, %x;
    setp.eq.u32 %q, %t, 0;
    {REDUCTIONS[kind]}
    mad.lo.u32 %t, %b, {PHASES}, %k; mad.lo.u32 %t, %t, {THREADS}, %i;
    mul.wide.u32 %c, %t, 4; add.u64 %c, %a, %c; st.global.u32 [%c], %y;
    sub.u32 %t, {THREADS // 32 - 1}, %k; setp.eq.u32 %p, %t, %w; setp.gt.and.u32 %p, %t, 0, %p; @%p bra END;
    add.u32 %k, %k, 1; setp.lt.u32 %p, %k, {PHASES}; @%p bra AGAIN;
    END: ret;
    """
    out = np.zeros((BLOCKS, PHASES, THREADS), np.uint32)
    launch(body, out, blocks=BLOCKS, threads=THREADS)
    block, phase, thread = np.indices(out.shape)
    brought = (phase * 5 + thread + block) % (phase // 2 + 1) == 0
    come = thread // 32 < np.maximum(THREADS // 32 - phase, 1)
    reduced = {
        "popc.u32": (brought & come).sum(axis=-1),
        "and.pred": (brought | ~come).all(axis=-1),
        "or.pred": (~brought & come).any(axis=-1),
    }[kind]
    np.testing.assert_array_equal(out, np.where(come, reduced[..., None], 0))


def test_blocks_may_expect_other_numbers_of_threads() -> None:
    """Block n has warps 0 to n at a barrier of as many threads, the first warp last."""
    body = """
    setp.gt.u32 %p, %w, %b; @%p bra END;
    add.u32 %t, %b, 1; shl.b32 %t, %t, 5;
    setp.ne.u32 %q, %w, 0; @%q bra COME;
    mov.u32 %k, 0;
    LATE: add.u32 %k, %k, 1; setp.lt.u32 %r, %k, 20; @%r bra LATE;
    COME: barrier.cta.sync 1, %t;
    mad.lo.u32 %x, %b, 96, %i; mul.wide.u32 %c, %x, 4; add.u64 %c, %a, %c;
    st.global.u32 [%c], %t;
    END: ret;
    """
    out = np.zeros((3, 96), np.uint32)
    launch(body, out, blocks=3, threads=96)
    block, thread = np.indices(out.shape)
    np.testing.assert_array_equal(out, np.where(thread // 32 <= block, 32 * (block + 1), 0))


def test_a_warp_that_ends_has_arrived_with_all_its_threads() -> None:
    """A barrier counts warps (PTX ISA): of one that has ended, a thread that came is enough."""
    body = """
    and.b32 %t, %i, 31; setp.eq.u32 %p, %w, 0; @%p bra FIRST;
    setp.eq.u32 %p, %w, 2; @%p bra END;
    setp.ge.u32 %q, %t, 5; @%q bra END;
    barrier.cta.arrive 1, 64;
    END: ret;
    FIRST: barrier.cta.sync 1, 64;
    mul.wide.u32 %c, %i, 4; add.u64 %c, %a, %c; st.global.u32 [%c], 1;
    ret;
    """
    out = np.zeros(32, np.uint32)
    launch(body, out, blocks=1, threads=96)
    assert out.all()
