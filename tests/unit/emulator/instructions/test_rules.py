"""Qualifiers and operands that do not go together are refused, as the assembler refuses them."""

import pytest

from tests.ptx_grammar.comparison import emulator_refusal, module_text, ptxas_refusals
from tileir_xdsl import emulator

_EIGHT = "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}"
_LONGS = "{%d0, %d1, %d2, %d3}"

REFUSED = (
    ("ld.global.b32 %r0, [%d0], %d1", "if and only if there is .L2::cache_hint"),
    ("ld.global.L2::cache_hint.b32 %r0, [%d0]", "if and only if there is .L2::cache_hint"),
    ("ld.shared.L2::cache_hint.b32 %r0, [%d0], %d1", ".L2::cache_hint is not allowed in .shared"),
    ("ld.global.L2::cache_hint.b32 %r0, [%d0], %r1", "does not fit an operand of type .u64"),
    ("ld.local.L1::evict_last.b32 %r0, [%d0]", ".L1::evict_last is not allowed in .local"),
    ("ld.global.ca.L1::evict_last.b32 %r0, [%d0]", "exclude each other"),
    ("ld.local.L2::128B.b32 %r0, [%d0]", ".L2::128B is not allowed in .local"),
    ("ld.global.L2::evict_last.b32 %r0, [%d0]", "needs a vector of 256 bits"),
    (f"ld.shared.v8.b32 {_EIGHT}, [%d0]", "an access of 256 bits is not allowed in .shared"),
    ("st.global.v2.b128 [%d0], {%q0, %q1}", "256 bits is too wide"),
    ("ld.acquire.gpu.local.b32 %r0, [%d0]", "an access to .local cannot have a memory order"),
    (f"st.async.mbarrier::complete_tx::bytes.v4.b64 [%d0], {_LONGS}, [%d1]", "is too wide"),
    (f"mov.v4.b64 {_LONGS}, {_LONGS}", "is too wide"),
    ("atom.gpu.global.cta.add.u32 %r0, [%d0], %r1", "only one scope"),
    ("red.acquire.gpu.global.add.u32 [%d0], %r1", "its memory order cannot be .acquire"),
    ("multimem.red.sys.global.add.u32 [%d0], %r1", "a memory order and a scope together"),
    ("multimem.ld_reduce.global.add.f16x2 %d3, [%d0]", "does not fit"),
    ("mbarrier.arrive.shared::cluster.b64 %d0, [%r1]", "write '_' in its place"),
    ("mbarrier.pending_count.b64 _, %d1", "cannot be '_'"),
    ("mbarrier.test_wait.b64 %p0, [%d0], %d1, 7", "takes the operands"),
    ("mbarrier.arrive.acquire.cta.b64 %d0, [%d1]", "unknown instruction"),
    ("discard.global.L2 [%d0], 64", "the size must be a constant of 128 bytes"),
    ("createpolicy.fractional.L2::evict_first.b64 %d0, 2", "a fraction must be a float"),
    ("createpolicy.range.L2::evict_last.b64 %d0, %d1, 128, 256", "must be in brackets"),
    ("nanosleep.u32 %f0", "does not fit"),
    ("pmevent %r0", "the event of pmevent must be a constant"),
    ("barrier.sync 0, 33", "a multiple of 32"),
    ("bar.red.popc.u32 %d0, 0, %p0", "does not fit"),
    (
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16 "
        "{%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r0}, {%r0, %r1}",
        "D and C must have the same type, but have .f32 and .f16",
    ),
    ("cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r1], 24", "not 24"),
    (
        "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d0], %r0",
        "the value of a field must be a constant",
    ),
    (
        "cp.async.bulk.prefetch.tensor.2d.L2.global [%d0, {%r0}]",
        "expected 2 coordinates, found 1",
    ),
)


@pytest.mark.parametrize(("instruction", "message"), REFUSED)
def test_what_does_not_go_together(instruction: str, message: str) -> None:
    assert message in emulator_refusal(instruction, "sm_100a")


def test_ptxas_refuses_all_of_it() -> None:
    instructions = [instruction for instruction, _ in REFUSED]
    accepted = set(range(len(instructions))) - set(ptxas_refusals(instructions, "sm_100a"))
    assert [instructions[number] for number in sorted(accepted)] == []


@pytest.mark.parametrize(
    ("instruction", "target", "message"),
    [
        (
            "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1"
            ".f32.ue8m0 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r0, %r1},"
            " {%f0, %f1, %f2, %f3}, %r2, {1, 1}, %r3, {0, 1}",
            "sm_120a",
            "2 scales must begin at byte 0 or 2, not 1",
        ),
        (
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3},"
            " %d0, %d1, %p0, 1, 1, 0",
            "sm_90a",
            "with the transposition of B, that of A is needed",
        ),
    ],
)
def test_of_other_targets(instruction: str, target: str, message: str) -> None:
    assert message in emulator_refusal(instruction, target)
    assert ptxas_refusals([instruction], target)


def test_a_register_that_a_barrier_alone_reads_twice() -> None:
    text = module_text(["barrier.sync %r0, %r0"], "sm_100a")
    with pytest.raises(emulator.EmulatorError, match="barrier"):
        emulator.run(text, 1, 64, [])


def test_what_no_thread_reaches_is_checked() -> None:
    module = emulator.load(module_text(["ret", "add.u32 %r0, %r1, %d0"], "sm_100a"))
    module.launch("kernel", (1, 1, 1), [], block=(32, 1, 1))
    with pytest.raises(emulator.EmulatorError, match="does not fit"):
        module.check()
