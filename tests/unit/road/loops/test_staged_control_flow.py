"""Random control flow around tiles in shared memory: the same values, and no races."""

import numpy as np
import pytest

from tests.unit.road.agreement import Array
from tests.unit.road.loops.staged_control_flow import arguments, program
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools

SEEDS = {"sm_80": range(2), "sm_90a": (3, 7, 208, 216, 219, 223, 225, 229), "sm_100a": range(4, 8)}
"""Programs of each target; those from 200 on have had a race, or have read a register too early."""

CASES = [(gpu, seed) for gpu, seeds in SEEDS.items() for seed in seeds]


def copies(values: list[Array | int]) -> list[Array | int]:
    return [value.copy() if isinstance(value, np.ndarray) else value for value in values]


@pytest.mark.one_in(14, "sm_80-0", "sm_90a-7", "sm_90a-208", "sm_90a-216")
@pytest.mark.parametrize(("gpu", "seed"), CASES, ids=str)
def test_programs(gpu: str, seed: int):
    """Late asynchronous work and races looked for at once."""
    text, values = program(seed), arguments(seed)
    first, last = copies(values), copies(values)
    module = tools.parse(text)
    interpreters.launch(module, "k", (1, 1, 1), first)
    tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}")
    emulator.load(emit(module, gpu)).launch(
        "k",
        (1, 1, 1),
        with_tensor_maps(module, "k", last),
        dynamic_shared=dynamic_shared_memory(module, "k"),
        races=True,
        late=True,
    )
    np.testing.assert_array_equal(last[1], first[1])
