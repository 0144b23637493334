"""Random instructions by grammar: the emulator and `ptxas` accept the same ones."""

from pathlib import Path

import pytest

from tests.ptx_grammar.comparison import disagreements, emulator_refusal, ptxas_refusals
from tests.ptx_grammar.generator import generate
from tests.ptx_grammar.known import KNOWN, known
from tileir_xdsl.emulator.instructions.form import Form, FormTable
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.syntax import Instruction

ROOT = Path(__file__).parents[3]


def test_both_accept_the_same() -> None:
    found = disagreements(range(400))
    assert [d for d in found if known(d.refused_by, d.instruction, d.message) is None] == []


def test_many_are_accepted_and_many_refused() -> None:
    refused = [bool(emulator_refusal(generate(seed))) for seed in range(100)]
    assert 20 < sum(refused) < 80


def test_a_seed_gives_one_instruction() -> None:
    assert [generate(seed) for seed in range(50)] == [generate(seed) for seed in range(50)]


def test_what_cannot_be_parsed_hides_nothing() -> None:
    texts = [
        "add.s32 %r0, %r1, %r2",
        "add.s32 %r0 %r1",
        "add.s32 %r0, %r1, %d2",
        "not.b32 %r0, %r1",
    ]
    assert sorted(ptxas_refusals(texts)) == [1, 2]


def test_a_form_that_is_missing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    find = FormTable.find

    def without_shifts(table: FormTable, instruction: Instruction) -> tuple[Form, Match] | None:
        return None if instruction.opcode == "shl" else find(table, instruction)

    monkeypatch.setattr(FormTable, "find", without_shifts)
    seeds = [seed for seed in range(3000) if generate(seed).startswith("shl.")]
    assert any(d.refused_by == "emulator" for d in disagreements(seeds))


def test_the_documentation_has_every_reason() -> None:
    text = " ".join((ROOT / "docs/emulator.md").read_text(encoding="utf-8").split())
    assert [row.reason for row in KNOWN if row.reason not in text] == []
