"""Reading listings of `tileiras`, and asking it again about some forms."""

import random

import pytest

from tests.readings import __main__ as command
from tests.readings.answers import asked, kept, of_kernels, theirs
from tests.readings.listing import (
    COMPUTED,
    UNDEFINED,
    constant_result,
    dependent,
    functions,
    shown,
)
from tests.readings.written import written

DRAWN = 3

LISTING = """
        Function : k
    .headerflags @"EF_CUDA_SM90"
        /*0000*/  LDC R1, c[0x0][0x28] ;              /* 0x00000a00ff017b82 */
                                                      /* 0x000fe20000000800 */
        /*0010*/  LDG.E R0, desc[UR4][R2.64] ;        /* 0x00 */
        /*0020*/  IADD3 R4, P1, PT, R0, UR4, RZ ;     /* 0x00 */
        /*0030*/  FSETP.GEU.AND P0, PT, |R4|, -126, PT ;  /* 0x00 */
        /*0040*/  MOV R7, 0x3 ;                       /* 0x00 */
   /*0050*/  @!P0 FMUL R7, R7, 0.5 ;                  /* 0x00 */
        /*0060*/  MOV R0, 0x5 ;                       /* 0x00 */
        /*0070*/  FADD R8, R0, 1 ;                    /* 0x00 */
        /*0080*/  LOP3.LUT P0, RZ, R7, 0x7fffffff, RZ, 0xc0, !PT ;  /* 0x00 */
        /*0090*/  STG.E desc[UR4][R2.64], R7 ;        /* 0x00 */
"""


def test_instructions_that_depend_on_memory() -> None:
    found = [shown(each) for each in dependent(functions(LISTING)["k"])]
    assert found == ["IADD3", "FSETP.GEU.AND -126", "FMUL 0.5", "LOP3.LUT 0x7fffffff 0xc0"]


def result(*lines: str) -> int | str:
    listed = (f"        /*{place:04x}*/  {line} ;\n" for place, line in enumerate(lines))
    return constant_result(functions("Function : k\n" + "".join(listed))["k"])


STORE, WIDE = "STG.E desc[UR4][R2.64], R5", "STG.E.64 desc[UR4][R2.64], R4"


@pytest.mark.parametrize(
    ("lines", "bits"),
    [
        (("MOV R5, 0x7fc00000", STORE), 0x7FC00000),
        (("IMAD.MOV.U32 R5, RZ, RZ, -0x2", STORE), 0xFFFFFFFE),
        (("HFMA2.MMA R5, -RZ, RZ, 1.875, 0", STORE), 0x3F800000),
        (("HFMA2 R5, -RZ, RZ, +QNAN , -QNAN ", STORE), 0x7FFFFFFF),
        (("UMOV UR6, 0x9", "MOV R5, UR6", STORE), 9),
        (("MOV R5, 0x1", "MOV R4, 0x2", WIDE), 0x1_0000_0002),
        (("CS2R R4, SRZ", WIDE), 0),
        (("MOV.64 R4, 0x3", WIDE), 3),
        (("MOV.64 R4, -0x2", WIDE), 0xFFFF_FFFF_FFFF_FFFE),
        (("UMOV UR7, 0x1", "UMOV UR6, 0x2", "MOV.64 R4, UR6", WIDE), 0x1_0000_0002),
        (("STG.E.U8 desc[UR4][R2.64], RZ",), 0),
        (("MUFU.RCP R5, R6", STORE), COMPUTED),
        (("MOV R5, 0x1", "@P0 MOV R5, 0x2", STORE), COMPUTED),
        (("EXIT",), UNDEFINED),
    ],
)
def test_results_that_are_constants(lines: tuple[str, ...], bits: int | str) -> None:
    assert result(*lines) == bits


def test_tileiras_still_answers_as_stored() -> None:
    """A few forms, others every time that one is added; all in the test below."""
    forms = random.Random(len(asked())).sample(asked(), DRAWN)
    forms += [form for form in asked() if form.key == "ftoi unsigned f32 to i1"]
    scans = [each for each in written() if each.operation == "scan"][:2]
    found, stored = {**theirs(forms), **of_kernels(scans)}, kept()
    assert found == {key: stored[key] for key in found}
    assert len(found) == DRAWN + 3


@pytest.mark.soak
def test_tileiras_still_answers_all_as_stored(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 0, capsys.readouterr().out


def test_the_command_prints_what_differs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command.main(["--op", "iota"]) == 0
    monkeypatch.setattr(command, "kept", dict)
    assert command.main(["--op", "iota"]) == 1
    assert "1 forms and kernels, 1 differ from what is stored" in capsys.readouterr().out
