"""Qualifiers in an order other than that of the manual's forms, as ptxas takes them, too."""

from pathlib import Path

import pytest

from tests.unit.emulator.assembler import assemble
from tileir_xdsl.emulator.instructions.table import FORM_TABLE

_EIGHT = "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}"
_FOUR = "{%r0,%r1,%r2,%r3}"
_FLOATS = "{%f0,%f1,%f2,%f3}"
# What is written, its operands, and the order of the forms.
SPELLINGS: tuple[tuple[str, str, str], ...] = (
    (
        "wmma.load.a.sync.aligned.m16n16k16.row.f16",
        f"{_EIGHT}, [%d0]",
        "wmma.load.a.sync.aligned.row.m16n16k16.f16",
    ),
    (
        "wmma.load.b.sync.aligned.m16n16k16.shared.col.f16",
        f"{_EIGHT}, [s], 16",
        "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16",
    ),
    (
        "wmma.store.d.sync.aligned.m16n16k16.row.global.f16",
        f"[%d0], {_FOUR}",
        "wmma.store.d.sync.aligned.row.m16n16k16.global.f16",
    ),
    (
        "wmma.mma.sync.aligned.m16n16k16.row.col.f16.f16",
        f"{_FOUR}, {_EIGHT}, {_EIGHT}, {_FOUR}",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16",
    ),
    (
        "mma.sync.aligned.row.col.m16n8k16.f16.f16.f16.f16",
        "{%r0,%r1}, {%r0,%r1,%r2,%r3}, {%r0,%r1}, {%r0,%r1}",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
    ),
    ("ld.global.relaxed.gpu.u32", "%r0, [%d0]", "ld.relaxed.gpu.global.u32"),
    ("red.global.v4.f32.add", f"[%d0], {_FLOATS}", "red.global.add.v4.f32"),
    ("atom.global.v2.f32.add", "{%f0,%f1}, [%d0], {%f2,%f3}", "atom.global.add.v2.f32"),
    ("max.s16x2.relu", "%r0, %r1, %r2", "max.relu.s16x2"),
)


@pytest.mark.parametrize(("written", "operands", "ordered"), SPELLINGS)
def test_another_order(written: str, operands: str, ordered: str):
    del operands
    assert not FORM_TABLE.fitting(written)
    assert FORM_TABLE.fitting(ordered)[0] in FORM_TABLE.fitting_in_order(written)


@pytest.mark.parametrize(
    "mnemonic", ["cvt.rn.f32.f16", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16"]
)
def test_an_order_that_matters_is_kept(mnemonic: str):
    found = FORM_TABLE.fitting_in_order(mnemonic)
    assert found and found == FORM_TABLE.fitting(mnemonic)


def test_ptxas_takes_them(tmp_path: Path):
    body = "\n".join(f"{written} {operands};" for written, operands, _ in SPELLINGS)
    text = f""".version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x) {{
.reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<2>; .shared .align 16 .b8 s[1024];
ld.param.u64 %d0, [x];
{body}
ret; }}
"""
    assert assemble(text, "sm_90a", tmp_path) == ""
