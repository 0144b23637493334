"""Steady-state loops of listings, counted by hand."""

import pytest

from bench.framework.machine_code import functions_of
from bench.framework.steady_loops import (
    LoopFigures,
    Work,
    loop_figures,
    multiply_adds_of,
    path_figures,
)
from tests.unit.bench.framework.test_machine_code import listing

DOT = Work(multiply_adds=2048 * 4, tensor_mmas=1)
"""One MMA for each of four warps."""

PLAIN = (
    "MOV R0, RZ",
    "LDGSTS.E.128 [R2], [R4.64]",
    "LDSM.16.M88.4 R4, [R2]",
    "HMMA.16816.F32.BF16 R8, R4, R6, R8",
    "ISETP.NE.AND P0, PT, R0, R3, PT",
    "@P0 BRA 0x10",
    "EXIT",
)


def measured(*instructions: str, warps: int, work: Work = DOT) -> LoopFigures:
    (code,) = functions_of(listing(*instructions)).values()
    found = loop_figures(code, warps, work)
    assert found is not None
    return found


def test_a_loop_of_four_warps():
    found = measured(*PLAIN, warps=4)
    assert (found.instructions, found.busiest, found.unrolled) == (20, 5, 1)
    assert found.kinds == {
        "asynchronous copies": 4,
        "shared": 4,
        "mma": 4,
        "integer": 4,
        "control": 4,
    }
    assert (found.wavefronts, found.synchronous_loads, found.local_accesses) == (16, 0, 0)


def test_an_unrolled_loop_has_several_iterations():
    copies = ("HMMA.16816.F32.BF16 R8, R4, R6, R8", "LDG.E R2, [R4]")
    found = measured("MOV R0, RZ", *2 * copies, "@P0 BRA 0x10", "EXIT", warps=4)
    assert (found.unrolled, found.instructions, found.synchronous_loads) == (2, 10, 4)


@pytest.mark.parametrize(
    ("opcode", "multiply_adds"),
    [
        ("HMMA.16816.F32", 2048),
        ("DMMA.8x8x4", 256),
        ("DMMA.16x8x16", 2048),
        ("IMMA.16832.S8.S8", 4096),
    ],
)
def test_multiply_adds_of_matrix_instructions(opcode: str, multiply_adds: int):
    (code,) = functions_of(listing(f"{opcode} R8, R4, R6, R8", "EXIT")).values()
    assert multiply_adds_of(code[0]) == multiply_adds


SPECIALIZED = (
    "S2R R0, SR_TID.X",
    "SHF.R.U32.HI R2, RZ, 0x5, R0",
    "ISETP.GT.U32.AND P0, PT, R2, 0x3, PT",
    "@P0 BRA 0x90",
    # The warpgroup waits, of which the failed attempt is out of line, and multiplies.
    "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], R3",
    "@!P1 BRA 0xf0",
    "HGMMA.64x8x16.F32.BF16 R24, gdesc[UR8], R24",
    "@P2 BRA 0x40",
    "EXIT",
    # One warp copies.
    "ISETP.NE.U32.AND P1, PT, R2, 0x4, PT",
    "@P1 EXIT",
    "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR5], R3",
    "UTMALDG.2D [UR8], [UR4]",
    "@P2 BRA 0xb0",
    "EXIT",
    "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], R3",
    "@!P1 BRA 0xf0",
    "BRA 0x60",
)


def test_each_warp_has_the_loop_of_its_agent():
    found = measured(*SPECIALIZED, warps=8, work=Work(64 * 8 * 16, 1))
    # Four instructions of four warps, three of the fifth, which is on the first scheduler.
    assert (found.instructions, found.busiest, found.unrolled) == (19, 7, 1)
    assert found.kinds["asynchronous copies"] == 1 and found.kinds["mma"] == 4


def test_of_two_arms_the_longer_one_counts():
    body = ("@P1 BRA 0x40", "MOV R1, R2", "MOV R1, R2", "BRA 0x50", "NOP")
    code = (*body, "HMMA.16816.F32.BF16 R8, R4, R6, R8", "@P0 BRA 0x0", "EXIT")
    assert measured(*code, warps=4).instructions == 4 * 6


def test_rare_loops_do_not_count():
    rare = ("@P1 BRA 0x30", "MUFU.EX2 R1, R2", "@P2 BRA 0x10")
    code = (*rare, "HMMA.16816.F32.BF16 R8, R4, R6, R8", "@P0 BRA 0x0", "EXIT")
    assert measured(*code, warps=4).instructions == 4 * 3


def test_parts_of_a_dot_are_counted_together():
    # An inner loop with half of the multiply-adds runs twice.
    code = ("LDS R1, [R2]", "FFMA R3, R1, R1, R3", "@P1 BRA 0x10", "@P0 BRA 0x0", "EXIT")
    found = measured(*code, warps=1, work=Work(64, 1))
    assert (found.instructions, found.unrolled) == (2 * 2 + 2, 1)


def test_instructions_of_tensor_memory_are_told_by_their_number():
    code = ("UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8], tmem[UR10], idesc[UR11], UP0",)
    found = measured(*2 * code, "@P0 BRA 0x0", "EXIT", warps=1, work=Work(2048, 2))
    assert (found.instructions, found.kinds["mma"]) == (3, 2)


@pytest.mark.parametrize(
    ("instructions", "expected"),
    [
        (("LDG.E.128 R4, [R2]", "STG.E.128 [R2], R4", "EXIT"), 3),
        (("@P0 BRA 0x30", "MOV R1, R2", "EXIT", "EXIT"), 3),
        (("MOV R1, R2", "MUFU.EX2 R1, R1", "@P1 BRA 0x10", "EXIT"), 2),
    ],
)
def test_whole_kernels(instructions: tuple[str, ...], expected: int):
    (code,) = functions_of(listing(*instructions)).values()
    assert path_figures(code, 2).instructions == 2 * expected
