"""Random programs of every level, by seed."""

import pytest

from tileir_xdsl.testing import random_program, to_text
from tileir_xdsl.testing.generating import LEVELS
from tileir_xdsl.testing.pass_checks.checking import observed


@pytest.mark.parametrize("level", sorted(LEVELS))
def test_programs_run_and_follow_from_the_seed(level: str):
    first, again, other = (random_program(level, seed, size=4) for seed in (5, 5, 6))
    assert to_text(first.module) == to_text(again.module) != to_text(other.module)
    assert observed(first.module, first.kernel, first.launch) is not None


def test_an_unknown_level_is_an_error():
    with pytest.raises(KeyError):
        random_program("sass", 0)
