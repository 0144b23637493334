"""The notation in which instruction forms are written."""

import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.instructions.form import Compute, Form, FormTable
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.table import FORM_TABLE
from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.emulator.syntax import Instruction, Register


def nothing(builder: BlockBuilder, match: Match) -> None:
    del builder, match


_FORM = Form(
    "op{.<round:rn|rz>}{.ftz}{.<space:a|a::b>}.L1::x.<type:f32|f64> d, a, b{, c}", Compute(nothing)
)


@pytest.mark.parametrize(
    ("mnemonic", "qualifiers"),
    [
        ("op.L1::x.f32", {"L1__x": "L1::x", "type": "f32"}),
        ("op.rz.L1::x.f64", {"round": "rz", "L1__x": "L1::x", "type": "f64"}),
        ("op.rn.ftz.L1::x.f32", {"round": "rn", "ftz": "ftz", "L1__x": "L1::x", "type": "f32"}),
        ("op.a.L1::x.f32", {"space": "a", "L1__x": "L1::x", "type": "f32"}),
        ("op.a::b.L1::x.f32", {"space": "a::b", "L1__x": "L1::x", "type": "f32"}),
        ("op.ftz.rn.L1::x.f32", None),
        ("op.rm.L1::x.f32", None),
        ("op.L1::x.f321", None),
        ("op.L1::x", None),
        ("opp.L1::x.f32", None),
    ],
)
def test_qualifiers(mnemonic: str, qualifiers: dict[str, str] | None):
    assert _FORM.qualifiers(mnemonic) == qualifiers


def test_operands():
    assert _FORM.opcode == "op"
    assert _FORM.operand_names == (("d", "a", "b", "c"), 3)


def instruction(mnemonic: str, operands: int) -> Instruction:
    registers = tuple(Register(f"%r{index}") for index in range(operands))
    return Instruction(mnemonic, registers, None, 7, f"{mnemonic} ...")


def test_match_names_operands():
    table = FormTable((_FORM,))
    form, match = table.match(instruction("op.ftz.L1::x.f64", 4))
    assert form is _FORM
    assert match["round"] == ""
    assert match.has("ftz")
    assert not match.has("round")
    assert match.type().bits == 64
    assert match.operands["c"] == Register("%r3")
    _, match = table.match(instruction("op.ftz.L1::x.f64", 3))
    assert "c" not in match.operands


def test_wrong_number_of_operands():
    with pytest.raises(EmulatorError, match=r"takes the operands d, a, b\{, c\}, but has 2"):
        FormTable((_FORM,)).match(instruction("op.L1::x.f32", 2))


def test_forms_do_not_shadow_each_other():
    """No mnemonic of the tests' kernels is described by two forms for the same operands."""
    seen: dict[tuple[str, int], str] = {}
    for form in FORM_TABLE.forms:
        names, required = form.operand_names
        for count in range(required, len(names) + 1):
            key = (form.mnemonic, count)
            assert key not in seen, form.syntax
            seen[key] = form.syntax


def test_header_is_parsed():
    module = parse_module(HEADER)
    assert (module.version, module.target) == ("8.3", "sm_90")
