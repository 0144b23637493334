"""Races in tensor memory: between warps of one quarter of the lanes, which a barrier alone does not
order.
"""

import re

import numpy as np
import pytest

from tests.unit.emulator.instructions.test_tcgen05_mma import Dot
from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError

KERNEL = """
.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %tid, %warp, %lane, %at, %base, %value;
    .reg .b64 %to, %offset;
    .reg .pred %first, %early;
    .shared .align 4 .b32 address;
    mov.u32 %tid, %tid.x;
    shr.u32 %warp, %tid, 5;
    setp.eq.u32 %first, %warp, 0;
    @%first tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [address], 32;
    bar.sync 0;
    ld.shared.b32 %base, [address];
    and.b32 %lane, %warp, 3;
    shl.b32 %lane, %lane, 21;
    add.s32 %at, %base, %lane;
    setp.lt.u32 %early, %warp, 4;
    @!%early bra $MEET;
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%at], {%tid};
    tcgen05.wait::st.sync.aligned;
    tcgen05.fence::before_thread_sync;
$MEET:
    bar.sync 0;
    @%early bra $END;
    tcgen05.fence::after_thread_sync;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%value}, [%at];
    tcgen05.wait::ld.sync.aligned;
    ld.param.u64 %to, [out];
    mul.wide.u32 %offset, %tid, 4;
    add.s64 %to, %to, %offset;
    st.global.b32 [%to], %value;
    tcgen05.fence::before_thread_sync;
$END:
    bar.sync 0;
    @%first tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 32;
    ret;
}
"""

WITHOUT = {
    "tcgen05.fence::before_thread_sync;": "a tcgen05.fence::before_thread_sync is missing",
    "tcgen05.fence::after_thread_sync;": "a tcgen05.fence::after_thread_sync is missing",
    "bar.sync 0;\n    @%early": "nothing waited for",
}
"""What is left out, and what the race then lacks."""


def launch(ptx: str, *, races: bool = True) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    out = np.zeros(256, np.uint32)
    emulator.load(ptx).launch("k", (1, 1, 1), [out], block=(256, 1, 1), races=races)
    return out


@pytest.mark.parametrize("races", [False, True])
def test_with_both_fences(races: bool):
    assert (launch(KERNEL, races=races)[128:] == np.arange(128)).all()


@pytest.mark.parametrize("part", WITHOUT)
def test_without_one(part: str):
    assert part in KERNEL
    rest = part.partition("\n")[2]
    with pytest.raises(EmulatorError, match=re.escape(WITHOUT[part])) as error:
        launch(KERNEL.replace(part, rest))
    assert "race: this read of tensor memory and the write at PTX line" in str(error.value)


def test_a_deallocation_comes_after_what_is_fenced_and_met():
    """It is not asynchronous, so that no second fence is wanted."""
    before, _, end = KERNEL.rpartition("    tcgen05.fence::before_thread_sync;\n")
    missing = re.escape("a tcgen05.fence::before_thread_sync is missing")
    race = "race: this deallocation of tensor memory and the read at PTX line .*: "
    with pytest.raises(EmulatorError, match=race + missing):
        launch(before + end)
    with pytest.raises(EmulatorError, match=f"{race}nothing waited for"):
        launch(KERNEL.replace("$END:\n    bar.sync 0;", "$END:"))


STORED = """
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%base], {%tid};
    tcgen05.wait::st.sync.aligned;
"""
LOADED = """
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%value}, [%base];
    tcgen05.wait::ld.sync.aligned;
"""


@pytest.mark.parametrize("first", [STORED, STORED + LOADED], ids=["stored", "loaded"])
@pytest.mark.parametrize("second", [STORED, STORED + LOADED], ids=["stored", "loaded"])
def test_columns_that_are_allocated_anew_have_no_past(first: str, second: str):
    """Two warps of one quarter of the lanes take all columns in turn, and meet nowhere."""

    def owner(accesses: str, variable: str) -> str:
        return f"""
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [{variable}], 512;
    bar.warp.sync 0xFFFFFFFF;
    ld.shared.b32 %base, [{variable}];{accesses}
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 512;"""

    ptx = f"""
.version 8.7
.target sm_100a
.address_size 64
.visible .entry k()
{{
    .reg .b32 %tid, %warp, %base, %value;
    .reg .pred %is_first, %is_second;
    .shared .align 4 .b32 one, other;
    mov.u32 %tid, %tid.x;
    shr.u32 %warp, %tid, 5;
    setp.eq.u32 %is_first, %warp, 0;
    setp.eq.u32 %is_second, %warp, 4;
    @%is_first bra $FIRST;
    @%is_second bra $SECOND;
    ret;
$FIRST:{owner(first, "one")}
    ret;
$SECOND:{owner(second, "other")}
    ret;
}}
"""
    emulator.load(ptx).launch("k", (1, 1, 1), [], block=(160, 1, 1), races=True)


RELAXED = """mbarrier.arrive.relaxed.cta.shared::cta.b64 %state, [object];
$WAIT:
    mbarrier.try_wait.relaxed.cta.shared::cta.b64 %met, [object], %state;
    @!%met bra $WAIT;
    @%early"""


def met_by_an_object() -> str:
    """The kernel whose warps meet by a barrier object, whose arrivals and waits order nothing else."""
    ptx = KERNEL.replace(
        "    .reg .pred",
        "    .reg .b64 %state;\n    .shared .b64 object;\n    .reg .pred %met, %one;"
        "\n    .reg .pred",
        1,
    )
    set_up = "setp.eq.u32 %one, %tid, 0;\n    @%one mbarrier.init.shared::cta.b64 [object], 256;"
    ptx = ptx.replace("bar.sync 0;", f"{set_up}\n    bar.sync 0;", 1)
    return ptx.replace("bar.sync 0;\n    @%early", RELAXED, 1)


def test_relaxed_arrivals_order_what_is_fenced():
    """PTX ISA, "tcgen05 Memory Consistency Model", has them in its patterns."""
    ptx = met_by_an_object()
    assert (launch(ptx)[128:] == np.arange(128)).all()
    for part in tuple(WITHOUT)[:2]:
        with pytest.raises(EmulatorError, match="race: this read of tensor memory and the write"):
            launch(ptx.replace(part, "", 1))


PAIR = Dot("f16", 256, 32, "f32 f16 f16", swizzle=128, blocks=2)
BY_THE_FIRST = "mov.u32 %x, %cluster_ctarank; setp.eq.u32 %p, %x, 0; @%p "
"""What leaves an instruction to the first block of a pair."""


def multiplied_by_a_pair(ptx: str) -> None:
    image, words = np.zeros((2, 65536), np.uint8), np.zeros((2, 128, 8), np.uint32)
    sums = np.zeros((2, 128, PAIR.n), np.uint32)
    arguments = [image, words, sums, np.zeros_like(sums)]
    emulator.load(ptx).launch("k", (2, 1, 1), arguments, races=True, late=True)


def test_what_the_threads_of_the_other_block_of_a_pair_do():
    """Its threads store before the dot that the first block issues, and load after it."""
    ptx, before, after = (
        PAIR.kernel(),
        "tcgen05.fence::before_thread_sync;",
        "tcgen05.fence::after_thread_sync;",
    )
    multiplied_by_a_pair(ptx)
    for where, access in ((ptx.index(before), "write"), (ptx.rindex(after), "read")):
        changed = f"{ptx[:where]}{BY_THE_FIRST}{ptx[where:]}"
        missing = before[:-1] if access == "write" else after[:-1]
        with pytest.raises(
            EmulatorError, match=f"race: this {access} of .* the write .*: a {missing} is missing"
        ):
            multiplied_by_a_pair(changed)
