"""Random `nv_tileas` programs have no races as `tileas-insert-barriers` leaves them."""

import io

import numpy as np
import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.target_attributes import TARGET_ATTRIBUTE
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.tileas_programs.machine import generate_for_machine
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.transforms.tileas_assign_dot_layouts import TileASAssignDotLayoutsPass

SIZE = 8


def _races(seed: int) -> list[OnChipRace] | None:
    """The races of the program of a seed; None where it is refused."""
    program = generate_for_machine(seed, SIZE)
    module = program.module.clone()
    module.attributes[TARGET_ATTRIBUTE] = StringAttr(program.target)
    passes = [step.module_pass for step in steps(program.target)]
    first, last = (
        next(i for i, each in enumerate(passes) if isinstance(each, kind))
        for kind in (TileASAssignDotLayoutsPass, ConvertTileASToLLVMPass)
    )
    try:
        for each in passes[first:last]:
            each.apply(tools.context(), module)
    except PassFailedException:
        return None
    races: list[OnChipRace] = []
    arguments = program.arguments(np.random.default_rng(seed))
    listeners = (OnChipRaces(races.append),)
    launch(
        module, program.kernel, program.grid, arguments, output=io.StringIO(), listeners=listeners
    )
    return races


BATCHES = [range(first, first + 15) for first in range(0, 240, 15)]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_no_races(seeds: range):
    found = [_races(seed) for seed in seeds]
    assert [races for races in found if races] == []
    assert found.count(None) < len(seeds) // 2
