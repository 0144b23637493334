"""The search for the first wrong execution: what it finds, and in how many runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir_xdsl.checking.bisection import first_wrong


@dataclass
class Program:
    """Executions that each write one of some variables, from others; `faulty` ones write a wrong
    value, and so do those that read one.

    A run looks at `space` executions. Those of `uncertain` read memory, too.
    """

    writes: Sequence[int]
    reads: Sequence[Sequence[int]]
    faulty: frozenset[int]
    space: int
    uncertain: frozenset[int] = frozenset()
    runs: list[Sequence[int]] = field(default_factory=list[Sequence[int]])

    def __post_init__(self) -> None:
        wrong: set[int] = set()
        self.wrong: list[bool] = []
        for number, (variable, read) in enumerate(zip(self.writes, self.reads, strict=True)):
            is_wrong = number in self.faulty or not wrong.isdisjoint(read)
            self.wrong.append(is_wrong)
            wrong = wrong | {variable} if is_wrong else wrong - {variable}

    @property
    def count(self) -> int:
        return len(self.writes)

    def parts(self, numbers: Sequence[int]) -> list[Sequence[int]]:
        return [numbers[i : i + self.space] for i in range(0, len(numbers), self.space)]

    def run(self, numbers: Sequence[int]) -> int | None:
        assert len(numbers) <= self.space
        self.runs.append(numbers)
        return next((number for number in numbers if self.wrong[number]), None)

    def current(self, end: int) -> Sequence[int]:
        return sorted({self.writes[number]: number for number in range(end)}.values())

    def is_certain(self, number: int) -> bool:
        return number not in self.uncertain


def loop(iterations: int, faulty: int, space: int) -> Program:
    """A loop of five ops, of which the first adds to a variable that the others read."""
    return Program(
        [0, 1, 2, 3, 4] * iterations,
        [(0,), (0,), (1,), (2,), (1, 3)] * iterations,
        frozenset({faulty}),
        space,
    )


@pytest.mark.parametrize("iterations", [100, 1000, 10_000])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.99])
def test_runs_grow_with_the_logarithm(iterations: int, part: float):
    faulty = int(iterations * part) * 5
    program = loop(iterations, faulty, 20)
    assert first_wrong(program) == faulty
    assert len(program.runs) <= ceil(log2(5 * iterations / 20)) + 1


def test_what_fits_into_a_run_takes_one():
    program = loop(4, 10, 20)
    assert first_wrong(program) == 10
    assert len(program.runs) == 1


def test_without_a_fault_everything_is_looked_at():
    program = loop(100, 1000, 20)
    assert first_wrong(program) is None
    assert {number for run in program.runs for number in run} == set(range(500))


def test_a_fault_that_comes_through_memory_is_found():
    """Execution 9 writes a wrong value that only memory has later on: execution 1500 reads it."""
    right = loop(1000, 0, 20)
    faulty, uncertain = frozenset({9, 1500}), frozenset({1500})
    assert first_wrong(Program(right.writes, right.reads, faulty, 20, uncertain)) == 9


@st.composite
def programs(draw: st.DrawFn) -> Program:
    count, variables = draw(st.integers(1, 60)), draw(st.integers(1, 5))
    variable = st.integers(0, variables - 1)
    writes = draw(st.lists(variable, min_size=count, max_size=count))
    reads = draw(st.lists(st.lists(variable, max_size=3), min_size=count, max_size=count))
    faulty = draw(st.frozensets(st.integers(0, count - 1), max_size=3))
    return Program(writes, reads, faulty, draw(st.integers(1, 12)))


@given(programs())
def test_a_faulty_execution_is_found(program: Program):
    found = first_wrong(program)
    assert found in program.faulty if program.faulty else found is None
