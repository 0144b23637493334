"""Which warps reach which instructions of a listing."""

import pytest

from bench.framework.machine_code import functions_of
from bench.framework.steady_loops import flow
from bench.framework.warps import reached_by
from tests.unit.bench.framework.test_machine_code import listing


def reached(*instructions: str, warp: int) -> list[int]:
    (code,) = functions_of(listing(*instructions)).values()
    return sorted(reached_by(code, flow(code), warp))


AGENTS = (
    "S2R R0, SR_TID.X",
    "SHF.R.U32.HI R2, RZ, 0x5, R0",
    "ISETP.GT.U32.AND P0, PT, R2, 0x3, PT",
    "@P0 BRA 0x60",
    "MOV R1, R4",
    "EXIT",
    "ISETP.NE.U32.AND P1, PT, R2, 0x4, PT",
    "@P1 EXIT",
    "UTMALDG.2D [UR8], [UR4]",
    "EXIT",
)
"""Four warps that compute, one that copies, and idle ones."""


@pytest.mark.parametrize(
    ("warp", "expected"),
    [(0, [0, 1, 2, 3, 4, 5]), (3, [0, 1, 2, 3, 4, 5]), (4, [0, 1, 2, 3, 6, 7, 8, 9]),
     (5, [0, 1, 2, 3, 6, 7])],
)  # fmt: skip
def test_agents(warp: int, expected: list[int]):
    assert reached(*AGENTS, warp=warp) == expected


@pytest.mark.parametrize(
    ("instructions", "warp", "expected"),
    [
        # An unknown number decides nothing.
        (("LDC R2, c[0x0][0x28]", "ISETP.EQ.AND P0, PT, R2, RZ, PT", "@P0 BRA 0x40", "EXIT",
          "EXIT"), 0, [0, 1, 2, 3, 4]),
        # One known part of a conjunction does.
        (("S2R R0, SR_TID.X", "ISETP.NE.AND P1, PT, R0, RZ, PT",
          "ISETP.GE.OR P0, PT, RZ, UR12, P1", "@P0 EXIT", "EXIT"), 1, [0, 1, 2, 3]),
        (("S2R R0, SR_TID.X", "ISETP.NE.AND P1, PT, R0, RZ, PT",
          "ISETP.GE.OR P0, PT, RZ, UR12, P1", "@P0 EXIT", "EXIT"), 0, [0, 1, 2, 3, 4]),
        # One lane goes on; its number is that of the warp's first thread.
        (("ELECT P0, URZ, PT", "@!P0 EXIT", "S2R R0, SR_TID.X",
          "ISETP.NE.AND P1, PT, R0, 0x20, PT", "@P1 BRA 0x60", "EXIT", "EXIT"), 1,
         [0, 1, 2, 3, 4, 5]),
        # What a loop changes is not known.
        (("UMOV UR4, 0x0", "UIADD3 UR4, UR4, 0x1, URZ", "UISETP.NE.AND UP0, UPT, UR4, 0x4, UPT",
          "BRA.U UP0, 0x10", "EXIT"), 0, [0, 1, 2, 3, 4]),
        # A wide load overwrites what was known of the second register.
        (("MOV R3, 0x0", "LDG.E.64 R2, [R4]", "ISETP.EQ.AND P0, PT, R3, RZ, PT", "@P0 EXIT",
          "EXIT"), 0, [0, 1, 2, 3, 4]),
        (("MOV R3, 0x0", "LDG.E R2, [R4]", "ISETP.EQ.AND P0, PT, R3, RZ, PT", "@P0 EXIT",
          "EXIT"), 0, [0, 1, 2, 3]),
        # A test of bits, and a shift.
        (("S2R R0, SR_TID.X", "LOP3.LUT P0, RZ, R0, 0x40, RZ, 0xc0, !PT", "@P0 EXIT", "EXIT"), 1,
         [0, 1, 2, 3]),
        (("S2R R0, SR_TID.X", "LOP3.LUT P0, RZ, R0, 0x40, RZ, 0xc0, !PT", "@P0 EXIT", "EXIT"), 2,
         [0, 1, 2]),
    ],
)  # fmt: skip
def test_what_is_known(instructions: tuple[str, ...], warp: int, expected: list[int]):
    assert reached(*instructions, warp=warp) == expected


def test_a_region_ends_where_it_began():
    # Both regions have one barrier: the end of the first is not that of the second.
    code = ("BSSY B0, 0x30", "NOP", "BSYNC B0", "BSSY B0, 0x60", "EXIT", "BSYNC B0", "EXIT")
    assert reached(*code, warp=0) == [0, 1, 2, 3, 4]
