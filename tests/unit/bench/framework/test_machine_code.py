"""Loops in listings of machine code."""

import pytest

from bench.framework.machine_code import figures, figures_of_listing, functions_of, loops, weighted
from tileir_xdsl.runtime.ptxas import assemble


def listing(*instructions: str) -> str:
    """A listing of one function, 16 bytes an instruction."""
    lines = [
        f"        /*{16 * place:04x}*/   {text} ;   /* 0x{place:016x} */\n   /* 0x{0:016x} */"
        for place, text in enumerate(instructions)
    ]
    return "\t\tFunction : k\n" + "\n".join(lines)


def weight(*instructions: str) -> int:
    (code,) = functions_of(listing(*instructions)).values()
    return weighted(code, trips=10)


@pytest.mark.parametrize(
    ("instructions", "expected"),
    [
        (("MOV R0, R1", "EXIT", "BRA 0x20", "NOP"), 2),
        (("MOV R0, R1", "@P0 BRA 0x0", "EXIT"), 21),
        (("MOV R0, R1", "BRA P0, 0x0", "EXIT"), 21),
        (("MOV R0, R1", "@!UP0 BRA 0x10", "@P1 BRA 0x0", "EXIT"), 10 + 100 + 10 + 1),
        (("BRA 0x30", "MOV R0, R1", "EXIT", "BRA 0x10"), 4),
        (("MOV R0, R1", "@P1 EXIT", "BRA 0x0", "NOP"), 30),
        (("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R2", "@!P0 BRA 0x0", "EXIT"), 3),
        (("BSSY B0, 0x40", "@P0 BRA 0x30", "MOV R1, R2", "BSYNC B0", "EXIT"), 5),
        (("BSSY B0, 0x40", "@P0 BRA 0x30", "MOV R1, R2", "BSYNC B0", "@P1 BRA 0x0", "EXIT"), 51),
        (("CALL.REL.NOINC 0x20", "EXIT", "MOV R1, R2", "RET.REL.NODEC R4 0x0"), 4),
    ],
)
def test_weights(instructions: tuple[str, ...], expected: int):
    assert weight(*instructions) == expected


def test_loops_of_a_graph_with_two_back_edges():
    assert loops([[1], [2, 3], [1], [1, 4], []]) == {1: {1, 2, 3}}
    assert loops([[1], [2], [2, 1], []]) == {1: {1, 2}, 2: {2}}


def test_figures_of_a_listing():
    usage = "Function k:\n  REG:40 STACK:0 SHARED:1024 LOCAL:8 CONSTANT[0]:600\n"
    first = figures_of_listing(usage + listing("MOV R0, R1", "EXIT", "NOP"))
    assert (first.instructions, first.weighted, first.registers) == (2, 2, 40)
    assert (first.shared, first.local) == (1024, 8)
    assert first.local_accesses == 0
    spilling = figures_of_listing(listing("STL.64 [R1], R2", "LDL R2, [R1]", "LDG.E R2, [R4]"))
    assert spilling.local_accesses == 2
    # Only the encodings count.
    assert first.digest == figures_of_listing(listing("ADD R0, R1", "EXIT", "NOP")).digest
    assert first.digest != figures_of_listing(listing("MOV R0, R1", "EXIT")).digest


NESTED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .pred %p; .reg .b32 %i, %j, %n, %x; .reg .b64 %a;
  ld.param.u64 %a, [p]; ld.param.u32 %n, [n]; mov.u32 %i, 0; mov.u32 %x, 0;
$OUTER:
  mov.u32 %j, 0;
$INNER:
  atom.global.add.u32 %x, [%a], %x;
  add.u32 %j, %j, 1; setp.lt.u32 %p, %j, %x;
  @%p bra $INNER;
  add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n;
  @%p bra $OUTER;
  ret;
}
"""


def test_figures_of_machine_code():
    found = figures(assemble(NESTED, "sm_80").cubin)
    assert 256 <= found.weighted < 40 * 256 and found.instructions < 60
    assert found == figures(assemble(NESTED, "sm_80").cubin)
    straight = NESTED.replace("  @%p bra $INNER;\n", "").replace("  @%p bra $OUTER;\n", "")
    without = figures(assemble(straight, "sm_80").cubin)
    assert without.weighted <= without.instructions and without.digest != found.digest
