"""A slice of `python -m tests.ptx_mutations`, and what it must be able to find."""

from random import Random

import pytest

from tests.ptx_mutations import execution
from tests.ptx_mutations.execution import execute
from tests.ptx_mutations.mutate import MUTATIONS, mutate, split_operands
from tests.ptx_mutations.seeds import instruction_kernels

SLICES = 8
SEEDS = 20


@pytest.mark.parametrize("part", range(SLICES))
def test_only_errors_of_the_emulator_come_out(part: int):
    """Whatever else is raised, numpy's warnings included, fails the test."""
    refused = 0
    for seed in range(part * SEEDS, (part + 1) * SEEDS):
        random = Random(seed)
        refused += bool(execute(mutate(random.choice(instruction_kernels()), random), random))
    assert 0 < refused < SEEDS


def test_every_mutation_changes_some_kernel():
    for mutation in MUTATIONS:
        random = Random(1)
        texts = [random.choice(instruction_kernels()) for _ in range(30)]
        assert any(mutation(text, random) != text for text in texts)


def test_what_the_checks_raise_is_not_hidden(monkeypatch: pytest.MonkeyPatch):
    def broken(text: str, boxes: object) -> None:
        raise IndexError

    monkeypatch.setattr(execution, "lint", broken)
    with pytest.raises(IndexError):
        execute(instruction_kernels()[0], Random(0))


def test_split_operands():
    assert split_operands("%a, {%b, %c}, [%d, {%e}], 1") == ["%a", "{%b, %c}", "[%d, {%e}]", "1"]
    assert split_operands("") == []
