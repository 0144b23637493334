"""The check of passes finds what is wrong with them, and shows it in a small program."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.cuda_tile import AbsIOp, EntryOp, OrIOp
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs import Disagreement, Program, compare, generate
from tileir_xdsl.testing.programs.__main__ import main

BATCHES = [range(first, first + 5) for first in range(0, 40, 5)]


def _programs_with(operation: type[Operation]) -> Iterator[Program]:
    """Programs in which an operation occurs."""
    programs = (generate(seed) for seed in range(200))
    return (p for p in programs if any(isinstance(op, operation) for op in p.module.walk()))


def _pass(monkeypatch: pytest.MonkeyPatch, change: Callable[[ModuleOp], None]) -> None:
    """Lets every pipeline do nothing but `change`."""

    def run(module: ModuleOp, _pipeline: str) -> ModuleOp:
        change(module)
        return module

    monkeypatch.setattr(tools, "run_passes", run)


def _is_much_smaller(text: str, program: Program) -> bool:
    """Whether `text` has less than a third of a program's operations."""
    return 3 * len(text.splitlines()) < sum(1 for _ in program.module.walk())


def _forget_absolute_values(module: ModuleOp) -> None:
    """Replaces `absi` by its operand."""
    for op in list(module.walk()):
        if isinstance(op, AbsIOp):
            op.result.replace_all_uses_with(op.source)
            op.detach()
            op.erase()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_canonicalize_keeps_what_programs_compute(seeds: range) -> None:
    for seed in seeds:
        compare(generate(seed), "canonicalize")


def test_a_wrong_value_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    _pass(monkeypatch, _forget_absolute_values)
    candidates = _programs_with(AbsIOp)
    program = next(candidates)
    with pytest.raises(Disagreement) as raised:
        while True:
            compare(program, "wrong")
            program = next(candidates)
    head, _, text = str(raised.value).partition("\n")
    assert " differ, the first at " in head
    assert text.count(" absi ") == 1
    assert _is_much_smaller(text, program)


def test_a_pass_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(module: ModuleOp) -> None:
        if any(isinstance(op, OrIOp) for op in module.walk()):
            raise PassFailedException("no ori")

    _pass(monkeypatch, fail)
    program = next(_programs_with(OrIOp))
    with pytest.raises(Disagreement) as raised:
        compare(program, "wrong")
    head, _, text = str(raised.value).partition("\n")
    assert head == (
        f"seed {program.seed}, size {program.size}, grid {program.grid}, {program.target}: "
        "the passes fail: PassFailedException: no ori"
    )
    assert text.count("ori %") == 1
    assert _is_much_smaller(text, program)


def test_a_module_without_meaning_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def drop_kernels(module: ModuleOp) -> None:
        for op in [op for op in module.walk() if isinstance(op, EntryOp)]:
            op.detach()

    _pass(monkeypatch, drop_kernels)
    with pytest.raises(Disagreement, match="what the passes make cannot be interpreted"):
        compare(generate(0), "wrong", reduce=False)


def test_without_reduction_the_program_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_module: ModuleOp) -> None:
        raise PassFailedException("never")

    _pass(monkeypatch, fail)
    program = generate(0)
    with pytest.raises(Disagreement) as raised:
        compare(program, "wrong", reduce=False)
    operations = sum(1 for _ in program.module.walk())
    assert len(str(raised.value).splitlines()) > operations / 2


def test_the_command_counts_disagreements(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--seeds", "3", "--passes", "canonicalize"]) == 0
    assert capsys.readouterr().out == "3 programs, 0 disagreements\n"

    def fail(_module: ModuleOp) -> None:
        raise PassFailedException("never")

    _pass(monkeypatch, fail)
    assert main(["--seeds", "2", "--first", "5", "--passes", "wrong", "--whole"]) == 1
    out = capsys.readouterr().out
    assert "seed 5, size 12" in out and "seed 6, size 12" in out
    assert out.endswith("2 programs, 2 disagreements\n")
