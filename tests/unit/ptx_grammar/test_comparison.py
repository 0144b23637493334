"""Random instructions by grammar: the emulator and `ptxas` accept the same ones."""

from pathlib import Path

import pytest

from tests.ptx_grammar.comparison import disagreements, emulator_refusal, ptxas_refusals
from tests.ptx_grammar.families import FAMILIES
from tests.ptx_grammar.generator import PLAIN, generate, names_of_families, target_of
from tests.ptx_grammar.known import KNOWN, known
from tileir_xdsl.emulator.instructions.form import Form, FormTable
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.syntax import Instruction

ROOT = Path(__file__).parents[3]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("family", names_of_families())
def test_both_accept_the_same(family: str) -> None:
    found = disagreements(range(400 if family == PLAIN else 60), family)
    assert [d for d in found if known(d.refused_by, d.instruction, d.message) is None] == []


@pytest.mark.parametrize("family", names_of_families())
def test_many_are_accepted_and_many_refused(family: str) -> None:
    target = target_of(family)
    refused = [bool(emulator_refusal(generate(seed, family), target)) for seed in range(60)]
    assert 5 <= sum(refused) <= 55


@pytest.mark.parametrize("family", FAMILIES)
def test_every_operand_can_be_made(family: str) -> None:
    opcodes = {generate(seed, family).split(".")[0].split()[0] for seed in range(400)}
    assert opcodes == {form.opcode for form in FAMILIES[family].forms}


def test_a_seed_gives_one_instruction() -> None:
    assert [generate(seed) for seed in range(50)] == [generate(seed) for seed in range(50)]


def test_what_cannot_be_parsed_hides_nothing() -> None:
    texts = [
        "add.s32 %r0, %r1, %r2",
        "add.s32 %r0 %r1",
        "add.s32 %r0, %r1, %d2",
        "not.b32 %r0, %r1",
    ]
    assert sorted(ptxas_refusals(texts, "sm_100a")) == [1, 2]


def test_what_ptxas_dies_of_is_found_by_halves() -> None:
    dies = "red.min.noftz.L2::cache_hint.v2.bf16x2 [buffer+4], {%r0, %r1}, %d1"
    found = ptxas_refusals(["not.b32 %r0, %r1", dies, "not.b32 %r2, %r1"], "sm_100a")
    assert list(found) == [1]
    assert "Internal compiler error" in found[1]


def test_a_form_that_is_missing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    find = FormTable.find

    def without_shifts(table: FormTable, instruction: Instruction) -> tuple[Form, Match] | None:
        return None if instruction.opcode == "shl" else find(table, instruction)

    monkeypatch.setattr(FormTable, "find", without_shifts)
    seeds = [seed for seed in range(3000) if generate(seed).startswith("shl.")]
    assert any(d.refused_by == "emulator" for d in disagreements(seeds))


def test_the_documentation_has_every_reason() -> None:
    text = " ".join((ROOT / "docs/ptx_instructions.md").read_text(encoding="utf-8").split())
    assert [row.reason for row in KNOWN if row.reason not in text] == []
