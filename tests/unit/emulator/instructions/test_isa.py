"""Every instruction of the PTX ISA is executed or refused by its name."""

from pathlib import Path

import pytest

from docs import ptx_instructions
from tests.unit.emulator.assembler import assemble
from tileir_xdsl import emulator
from tileir_xdsl.emulator.instructions.isa import CHAPTERS, REFUSED, describes
from tileir_xdsl.emulator.instructions.table import FORM_TABLE

NAMES = sorted({name for names in CHAPTERS.values() for name in names})
EXECUTED = [name for name in NAMES if name not in REFUSED]

# An instruction for each name that is refused, as ptxas takes it.
REFUSED_TEXTS = {
    "tex": "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%d1, {%r5}];",
    "tld4": "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}];",
    "txq": "txq.width.b32 %r1, [%d1];",
    "istypep": "istypep.texref %p1, %d1;",
    "suld": "suld.b.1d.b32.trap {%r1}, [%d1, {%r2}];",
    "sust": "sust.b.2d.v2.b32.trap [%d1, {%r2, %r3}], {%r4, %r5};",
    "sured": "sured.b.add.2d.u32.trap [%d1, {%r2, %r3}], %r4;",
    "suq": "suq.width.b32 %r1, [%d1];",
    "stacksave": "stacksave.u64 %d1;",
    "stackrestore": "stackrestore.u64 %d1;",
    "alloca": "alloca.u64 %d1, 64, 8;",
    "multimem.cp.async.bulk": (
        "multimem.cp.async.bulk.bulk_group.global.shared::cta [%d1], [%r1], 16;"
    ),
    "multimem.cp.reduce.async.bulk": (
        "multimem.cp.reduce.async.bulk.bulk_group.global.shared::cta.add.u32 [%d1], [%r1], 16;"
    ),
    "tcgen05.ld.red": ("tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32 {%f1, %f2}, %f3, [%r1];"),
    "brkpt": "brkpt;",
}


def kernel(body: str, target: str = "sm_103a") -> str:
    return f""".version 9.1
.target {target}
.address_size 64
.visible .entry k() {{
.reg .pred %p<2>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<4>;
{body}
ret; }}
"""


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.load(kernel(REFUSED_TEXTS[name]))
    assert caught.value.message == f"instruction '{name}' is not supported: {REFUSED[name]}"
    assert caught.value.line == 6


def test_ptxas_takes_what_is_refused(tmp_path: Path):
    said = assemble(kernel("\n".join(REFUSED_TEXTS.values())), "sm_103a", tmp_path)
    # `alloca` has no known bound.
    assert said.split(" : ")[1:] == [
        "Stack size for entry function 'k' cannot be statically determined\n"
    ]


@pytest.mark.parametrize("name", EXECUTED)
def test_executed(name: str):
    assert any(describes(form, name) for form in FORM_TABLE.forms)


def test_no_form_describes_what_is_refused():
    described = [name for name in REFUSED for form in FORM_TABLE.forms if describes(form, name)]
    assert described == []


def test_every_form_is_an_instruction_of_the_manual():
    missing = [
        form.syntax
        for form in FORM_TABLE.forms
        if not any(describes(form, name) for name in EXECUTED)
    ]
    assert missing == []


def test_page():
    assert ptx_instructions.PAGE.read_text() == ptx_instructions.page(), (
        "run python -m docs.ptx_instructions"
    )
