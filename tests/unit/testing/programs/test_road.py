"""The whole road on random programs: every stage is valid and computes the same, or an op is named.

Not every op has code in a thread's program yet; then the last conversion says which one.
"""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.checking.observation import find_difference
from tileir_xdsl.levels import LLVM, check_legal
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs import generate
from tileir_xdsl.testing.programs.comparison import observe
from tileir_xdsl.testing.programs.targets import NEWEST
from tileir_xdsl.transforms.pipeline_road import steps

SIZE, BATCH = 6, 2


def _lower(seed: int) -> None:
    """Lowers a program for the target that has every element type."""
    program = generate(seed, SIZE)
    before, module = observe(program, program.module), program.module.clone()
    last = module.clone()
    for step in steps(NEWEST):
        try:
            step.module_pass.apply(tools.context(), module)
        except PassFailedException as failure:
            assert step.level is LLVM, failure
            assert str(failure).startswith("'"), failure
            return
        check_legal(module, step.level)
        if module.is_structurally_equivalent(last):
            continue
        last = module.clone()
        module.verify()
        verify_dominance(module)
        if step.level is not LLVM:
            after = observe(program, module)
            assert find_difference(before, after, exact=True) is None, step.module_pass.name


@pytest.mark.one_in(10)
@pytest.mark.parametrize("first", range(0, 80, BATCH))
def test_every_stage_is_valid_and_computes_the_same(first: int):
    for seed in range(first, first + BATCH):
        _lower(seed)
