"""Random programs as code of this processor, next to the interpreter."""

from typing import cast

import pytest
from xdsl.dialects import arith
from xdsl.ir import Operation

from tests.cpu_programs.comparison import PROCESSORS, find_cpu_failure, is_covered, program_of
from tileir_xdsl.runtime.cpu.host import has_llvm, machine, resolved
from tileir_xdsl.targets.cpu import missing
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.elementwise import ELEMENTWISE, Emit

SIZE = 1
SEEDS = [seed for seed in range(250) if seed % 5 != 4 or seed % 100 == 4][:200]
"""Few of the pipelined programs: one takes as long as four others."""


def usable() -> list[str]:
    """The processors among the targets that this machine is; none without LLVM."""
    if not has_llvm():
        return []
    return [name for name in PROCESSORS if not missing(resolved(name), *machine())]


def failure(program: Program, seed: int) -> object:
    names = usable()
    if not names or not is_covered(program.module):
        return None
    return find_cpu_failure(program, program.module, names[seed % len(names)], level=1)


@pytest.mark.parametrize("seed", SEEDS)
def test_code_computes_what_the_interpreter_does(seed: int) -> None:
    assert failure(program_of(seed, SIZE), seed) is None


def test_most_programs_are_covered() -> None:
    assert sum(is_covered(program_of(seed, SIZE).module) for seed in range(0, 20, 2)) > 6


def test_another_meaning_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    emitters = cast(dict[type[Operation], Emit], ELEMENTWISE)
    monkeypatch.setitem(emitters, arith.AddiOp, emitters[arith.SubiOp])
    assert not usable() or any(failure(program_of(seed, SIZE), seed) for seed in (0, 1, 2, 5))


def test_a_seed_gives_one_program() -> None:
    assert str(program_of(5).module) == str(program_of(5).module)
    assert str(program_of(5).module) != str(program_of(6).module)
