"""Divergence, reconvergence, barriers and deadlocks."""

from typing import Any

import numpy as np
import pytest

from tests.unit.emulator import kernels
from tileir_xdsl import emulator


@pytest.mark.parametrize("size", [1, 255, 256, 1000])
def test_block_sum(size: int):
    values = np.random.default_rng(size).integers(-50, 50, size).astype(np.float32)
    blocks = -(-size // 256)
    out = np.zeros(blocks, np.float32)
    statistics = emulator.load(kernels.BLOCK_SUM).launch(None, (blocks, 1, 1), [values, out, size])
    padded = np.resize(np.r_[values, np.zeros(256, np.float32)], blocks * 256)
    padded[size:] = 0
    np.testing.assert_array_equal(out, padded.reshape(-1, 256).sum(1))
    assert statistics.barriers == 9


def test_lanes_leave_a_loop_at_different_times():
    steps = np.zeros(192, np.uint32)
    statistics = emulator.load(kernels.COLLATZ).launch(None, (2, 1, 1), [steps], block=(96, 1, 1))

    def length(n: int) -> int:
        return 0 if n == 1 else 1 + length(n // 2 if n % 2 == 0 else 3 * n + 1)

    np.testing.assert_array_equal(steps, [length(i + 1) for i in range(192)])
    # The threads run together wherever they can: the longest sequence bounds what is issued.
    longest = int(steps.max())
    assert statistics.instructions < 20 * longest


def test_indexed_branch():
    out = np.zeros(40, np.uint32)
    emulator.load(kernels.SWITCH).launch(None, (1, 1, 1), [out], block=(40, 1, 1))
    np.testing.assert_array_equal(out, (np.arange(40) % 3 + 1) * 10)


def test_barrier_reductions():
    out = np.zeros(6, np.uint32)
    emulator.load(kernels.BARRIER_REDUCTIONS).launch(None, (1, 1, 1), [out])
    np.testing.assert_array_equal(out, [64, 0, 1, 32, 0, 1])


def test_named_barriers_between_warps():
    out = np.zeros(128, np.uint32)
    emulator.load(kernels.PRODUCER_CONSUMER).launch(None, (3, 1, 1), [out])
    np.testing.assert_array_equal(out[32:], np.tile(45000 + 10 * np.arange(32), 3))
    assert (out[:32] == 0).all()


def test_lock_taken_by_every_lane():
    lock, counter = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    emulator.load(kernels.SPIN).launch(None, (2, 1, 1), [lock, counter])
    assert counter[0] == 128
    assert lock[0] == 0


def test_three_dimensional_grid():
    out = np.zeros((4, 6, 12), np.uint32)
    emulator.load(kernels.GRID_INDEX).launch(None, (3, 2, 2), [out])
    np.testing.assert_array_equal(out.ravel(), np.arange(out.size))


def test_instructions_for_the_hardware_only():
    statistics = emulator.load(kernels.NOTHING).launch(None, (2, 1, 1), [0])
    assert statistics.lane_instructions == 2 * 128 * statistics.instructions
    statistics = emulator.load(kernels.REGISTERS).launch(None, (1, 1, 1), [])
    assert statistics.instructions == 3


def failing(body: str, *, threads: int = 64, blocks: int = 1) -> emulator.EmulatorError:
    """The error of a kernel whose instructions are `body`, one on each line from line 10 on."""
    text = (
        ".version 8.3\n.target sm_90\n.address_size 64\n"
        f".visible .entry k(.param .u64 out) .reqntid {threads}\n{{\n"
        ".reg .pred %p, %q; .reg .b32 %i, %r, %w; .reg .b64 %a, %b;\n"
        "ld.param.u64 %a, [out];\nmov.u32 %i, %tid.x;\nmov.u32 %w, %warpid;\n" + body + "\n}\n"
    )
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.load(text).launch(
            None, (blocks, 1, 1), [np.zeros(64, np.uint32)], step_limit=100_000
        )
    return caught.value


def location(block: int, warp: int, lane: int) -> emulator.ThreadLocation:
    return emulator.ThreadLocation((block, 0, 0), warp, lane)


def test_barrier_that_part_of_the_block_never_reaches():
    error = failing(
        "setp.eq.u32 %p, %w, 1;\n@%p bra OTHER;\nbar.sync 0;\nret;\nOTHER:\nbar.sync 1;\nret;"
    )
    assert error.line == 12
    assert error.location == location(0, 0, 0)
    assert "deadlock: barrier 0 has 32 of 64 threads" in error.message
    assert "warp 1, lane 0 waits at PTX line 15" in error.message


def test_lanes_of_a_warp_at_two_barrier_instructions():
    error = failing(
        "and.b32 %r, %i, 1;\nsetp.eq.u32 %p, %r, 1;\n@%p bra ODD;\nbar.sync 0;\nret;\n"
        "ODD:\nbar.sync 0;\nret;"
    )
    assert error.line in (13, 16)
    assert "barrier mismatch" in error.message
    assert error.location == location(0, 0, 0)


def test_two_barrier_instructions_for_whole_warps_are_legal():
    text = (
        kernels.HEADER
        + """
.visible .entry k() .reqntid 64
{
  .reg .pred %p; .reg .b32 %w;
  mov.u32 %w, %warpid;
  setp.eq.u32 %p, %w, 1;
  @%p bra OTHER;
  bar.sync 0;
  ret;
OTHER:
  bar.sync 0;
  ret;
}
"""
    )
    emulator.load(text).launch(None, (2, 1, 1), [])


def test_unaligned_barrier_may_divide_a_warp():
    text = (
        kernels.HEADER
        + """
.visible .entry k() .reqntid 64
{
  .reg .pred %p; .reg .b32 %i;
  mov.u32 %i, %tid.x;
  and.b32 %i, %i, 1;
  setp.eq.u32 %p, %i, 1;
  @%p bra ODD;
  barrier.sync 0;
  ret;
ODD:
  barrier.sync 0;
  ret;
}
"""
    )
    emulator.load(text).launch(None, (1, 1, 1), [])


def test_barrier_counts_that_differ():
    error = failing(
        "setp.eq.u32 %p, %w, 1;\n@%p bra OTHER;\nbar.sync 0, 32;\nbar.sync 1, 64;\nret;\n"
        "OTHER:\nbar.sync 1, 96;\nret;"
    )
    assert "barrier mismatch: " in error.message
    assert error.line in (13, 16)


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        ("bar.sync 0, 40;", "multiple of 32"),
        ("mov.u32 %r, 16; bar.sync %r, 64;", "barrier number is below 16"),
    ],
)
def test_barrier_operands(instruction: str, message: str):
    error = failing(instruction + "\nret;")
    assert message in error.message
    assert error.line == 10


def test_too_many_arrivals():
    error = failing("bar.arrive 0, 32;\nbar.sync 1;\nbar.sync 0, 96;\nret;", threads=96)
    assert error.message == "barrier mismatch: 96 threads arrived where 32 are expected"
    assert error.line == 10


WARPS: dict[str, tuple[int, str]] = {
    "other threads of a warp have ended": (
        64,
        "setp.eq.u32 %p, %i, 40; @%p exit; bar.sync 1, 64; ret;",
    ),
    "one thread of each warp is left": (
        64,
        "and.b32 %r, %i, 31; setp.ne.u32 %p, %r, 3; @%p exit; bar.sync 1, 64; ret;",
    ),
    "the last warp is not whole": (40, "bar.sync 1, 64; bar.sync 1, 64; ret;"),
    "all threads, few of them in the last warp": (40, "bar.sync 0; bar.sync 0; ret;"),
    "fewer threads than a warp has": (5, "bar.sync 0; barrier.sync 1; ret;"),
    "one of all threads in the last warp": (65, "barrier.sync 0; bar.arrive 1, 96; ret;"),
    "some of all threads have ended": (
        40,
        "setp.eq.u32 %p, %i, 35; @%p exit; bar.sync 0; ret;",
    ),
    "a warp of all threads has ended": (
        70,
        "setp.lt.u32 %p, %i, 32; @%p exit; bar.sync 0; ret;",
    ),
    "a warp arrives and ends": (
        64,
        "setp.ge.u32 %p, %i, 32; @%p bra OTHER; bar.arrive 1, 64; ret;"
        " OTHER: nanosleep.u32 20; bar.sync 1, 64; ret;",
    ),
    "threads of a warp end while others wait": (
        64,
        "setp.eq.u32 %p, %i, 40; @%p bra LATE; barrier.sync 1, 64; ret;"
        " LATE: nanosleep.u32 20; ret;",
    ),
}
"""Threads of a block, and what they do."""


@pytest.mark.parametrize("name", WARPS)
@pytest.mark.parametrize("modes", [{}, {"warp_seed": 3}, {"races": True}])
def test_a_barrier_counts_warps(name: str, modes: dict[str, Any]):
    """PTX ISA, "bar, barrier": for the threads of a warp that have not ended the whole warp comes."""
    threads, body = WARPS[name]
    text = kernels.HEADER + (
        ".visible .entry k() { .reg .pred %p; .reg .b32 %i, %r; mov.u32 %i, %tid.x;\n" + body + "}"
    )
    emulator.load(text).launch(None, (2, 1, 1), [], block=(threads, 1, 1), **modes)


def test_a_barrier_waits_for_all_threads_of_a_warp():
    """64 threads have come, of three warps."""
    error = failing(
        "setp.lt.u32 %p, %i, 48;\n@%p bra WAIT;\nsetp.ge.u32 %p, %i, 80;\n@%p bra WAIT;\n"
        "barrier.sync 2;\nret;\nWAIT:\nbarrier.sync 1, 64;\nret;",
        threads=96,
    )
    assert "deadlock: barrier 2 has 0 of 96 threads; warp 0, lane 0 waits" in error.message


def test_endless_loop():
    error = failing("LOOP:\nadd.u32 %r, %r, 1;\nbra LOOP;", blocks=2)
    assert error.line == 11
    assert error.location == location(0, 0, 0)
    assert "step limit of 100000 instructions" in error.message


def test_endless_loop_of_one_lane():
    error = failing(
        "setp.ne.u32 %p, %i, 37;\n@%p bra OUT;\nLOOP:\nadd.u32 %r, %r, 1;\nbra LOOP;\nOUT:\nret;"
    )
    assert error.line == 13
    assert error.location == location(0, 1, 5)


def test_trap_names_its_thread():
    error = failing("setp.eq.u32 %p, %i, 40;\n@%p trap;\nret;")
    assert error.line == 11
    assert error.location == location(0, 1, 8)
    assert error.message == "trap"


def test_branch_index_outside_its_list():
    error = failing("T: .branchtargets A, B;\nbrx.idx %i, T;\nA:\nret;\nB:\nret;")
    assert error.line == 11
    assert error.location == location(0, 0, 2)
    assert "outside the list" in error.message


@pytest.mark.parametrize(
    ("access", "message", "where"),
    [
        ("ld.global.u32 %r, [%b];", "out-of-bounds 4-byte read at global address", (1, 0)),
        ("ld.global.u8 %r, [%b+1];", "byte 257 of argument 0 ('out'), which has 256", (1, 31)),
        ("st.global.v2.b32 [%a+4], {%r, %r};", "misaligned 8-byte write at global", (0, 0)),
        ("red.global.add.u32 [%b], 1;", "out-of-bounds 4-byte atomic access", (1, 0)),
        ("ld.shared.u32 %r, [%r];", "shared memory has 0 bytes", (0, 0)),
        ("ld.u32 %r, [0];", "far from every allocation", (0, 0)),
        ("ld.global.u32 %r, [%a+-4];", "4 bytes before argument 0", (0, 0)),
    ],
)
def test_memory_faults(access: str, message: str, where: tuple[int, int]):
    prefix = "mad.wide.u32 %b, %i, 8, %a; mov.u32 %r, 0;"
    if "%b+1" in access:
        prefix = "mad.wide.u32 %b, %i, 4, %a; add.u64 %b, %b, 4; mov.u32 %r, 0;"
    error = failing(f"{prefix}\n{access}\nret;")
    assert message in error.message
    assert error.line == 11
    assert error.location == location(0, *where)
    assert str(error).startswith("PTX line 11: ")
    assert str(error).endswith(f" in '{access.rstrip(';')}' ({error.location})")


def test_fault_behind_a_guard_only_counts_active_lanes():
    error = failing(
        "mad.wide.u32 %b, %i, 8, %a;\nsetp.gt.u32 %p, %i, 45;\n@%p ld.u32 %r, [%b];\nret;"
    )
    assert error.location == location(0, 1, 14)


def test_shared_memory_ends_with_its_last_variable():
    text = (
        kernels.HEADER
        + """
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k() .reqntid 32
{
  .shared .align 4 .b8 fixed[8];
  .reg .b32 %i, %s;
  mov.u32 %i, %tid.x;
  mov.u32 %s, dynamic;
  mad.lo.u32 %s, %i, 4, %s;
  st.shared.u32 [%s], %i;
  ret;
}
"""
    )
    module = emulator.load(text)
    assert module.kernels["k"].shared_size == 8
    module.launch("k", (1, 1, 1), [], dynamic_shared=128)
    with pytest.raises(emulator.EmulatorError, match="shared memory has 140 bytes") as caught:
        module.launch("k", (1, 1, 1), [], dynamic_shared=124)
    assert caught.value.location == location(0, 0, 31)


# Warps in random order


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(4))
def test_kernels_do_not_rely_on_the_order_of_warps(seed: int):
    values = np.arange(1000, dtype=np.float32)
    out = np.zeros(4, np.float32)
    module = emulator.load(kernels.BLOCK_SUM)
    module.launch(None, (4, 1, 1), [values, out, 1000], warp_seed=seed)
    padded = np.r_[values, np.zeros(24, np.float32)]
    np.testing.assert_array_equal(out, padded.reshape(4, 256).sum(1))
    exchanged = np.zeros(128, np.uint32)
    module = emulator.load(kernels.PRODUCER_CONSUMER)
    module.launch(None, (3, 1, 1), [exchanged], warp_seed=seed)
    np.testing.assert_array_equal(exchanged[32:], np.tile(45000 + 10 * np.arange(32), 3))
    steps = np.zeros(192, np.uint32)
    emulator.load(kernels.COLLATZ).launch(
        None, (2, 1, 1), [steps], block=(96, 1, 1), warp_seed=seed
    )
    assert steps[26] == 111
    lock, counter = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    emulator.load(kernels.SPIN).launch(None, (2, 1, 1), [lock, counter], warp_seed=seed)
    assert counter[0] == 128


def test_a_missing_barrier_shows_in_some_order():
    """Together, all threads store before any of them loads."""
    text = kernels.BLOCK_SUM.replace(
        "st.shared.f32 [%r6], %f1;\n  bar.sync 0;", "st.shared.f32 [%r6], %f1;"
    )
    assert text != kernels.BLOCK_SUM
    module = emulator.load(text)
    values = np.ones(256, np.float32)

    def total(seed: int | None) -> float:
        out = np.zeros(1, np.float32)
        module.launch(None, (1, 1, 1), [values, out, 256], warp_seed=seed)
        return float(out[0])

    assert total(None) == 256
    assert any(total(seed) != 256 for seed in range(8))
