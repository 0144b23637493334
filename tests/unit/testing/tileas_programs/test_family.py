"""The passes of the layout and buffer family keep what random programs compute, bit for bit."""

import pytest

from tileir_xdsl.checking.observation import find_difference
from tileir_xdsl.interpreters.memory_order import LateOrder, RandomOrder
from tileir_xdsl.testing.programs.comparison import observe
from tileir_xdsl.testing.tileas_programs import generate
from tileir_xdsl.testing.tileas_programs.comparison import compare, run_pass
from tileir_xdsl.testing.tileas_programs.passes import FAMILY

PROGRAMS, BATCH = 2000, 50
SMALL_SIZE, LARGE_SIZE = 4, 14


def _size(seed: int) -> int:
    """Mostly small programs, which cover as much in less time; every fortieth is large."""
    return LARGE_SIZE if seed % 40 == 0 else SMALL_SIZE


@pytest.mark.one_in(20)
@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_passes_keep_what_programs_compute(first: int):
    """All passes in order, and for every program one of them alone."""
    ran = 0
    for seed in range(first, first + BATCH):
        program = generate(seed, _size(seed))
        ran += compare(program, FAMILY)
        compare(program, [FAMILY[seed % len(FAMILY)]])
    assert ran >= 0.97 * BATCH * len(FAMILY), "too many programs are refused"


def test_the_order_that_tokens_leave_open_does_not_matter_after_them():
    for seed in range(PROGRAMS, PROGRAMS + 25):
        program = generate(seed, LARGE_SIZE)
        module = program.module.clone()
        for name in FAMILY:
            run_pass(module, name)
        expected = observe(program, program.module)
        for order in (RandomOrder(seed), LateOrder()):
            actual = observe(program, module, order)
            assert find_difference(expected, actual, exact=True) is None, f"seed {seed}"
