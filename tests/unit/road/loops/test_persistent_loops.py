"""Loads of the next tile start while the last one is still worked on, however a kernel goes on."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from bench.clusters import with_ctas
from bench.matrix_kernels import persistent_matmul_case
from bench.variants import CASES
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road import zoo
from tests.unit.road.zoo import lower, run
from tileir_xdsl.emulator.instructions import bulk_copy
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.options import Options
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.transforms.pipeline_road import Step, steps
from tileir_xdsl.transforms.tileas_materialize_schedule import TileASMaterializeSchedulePass

TILES, STEPS = 4, 3
PROBLEM = (256, 256, STEPS * 64)
"""Rows, columns and depth: so many tiles of 128x128, each of so many steps of 64."""


@dataclass
class Events:
    """The bulk copies that a launch has started, in order: loads and stores."""

    stores: list[bool] = field(default_factory=list[bool])

    def loads_before_store(self, number: int) -> int:
        """How many loads had been started before a store of a tile was."""
        seen = -1
        for position, is_store in enumerate(self.stores):
            seen += is_store
            if seen == number:
                return position - number
        raise AssertionError("no such store")


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> Events:
    """What launches start from here on."""
    recorded = Events()
    start_work = bulk_copy.start_work

    def record(kind: Any, instruction: Instruction, *rest: Any) -> None:
        recorded.stores.append(".global.shared" in instruction.mnemonic)
        start_work(kind, instruction, *rest)

    monkeypatch.setattr(bulk_copy, "start_work", record)
    return recorded


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "gpu"),
    [("persistent", "sm_90a"), ("persistent", "sm_100a"), ("half", "sm_100a")],
)
def test_loads_run_ahead_into_the_next_tile(name: str, gpu: str, events: Events, tmp_path: Path):
    """`half` goes on with other tile blocks of the grid, `persistent` with other tiles."""
    case = replace(CASES[name], folder=tmp_path)
    program = text(case)
    case.text_path.write_text(program)
    kernel = lower(tools.parse(program), gpu, dynamic_persistent=name == "half")
    said = assemble(kernel.ptx, gpu)
    assert "(C75" not in said and " 0 bytes spill stores" in said
    run(case, kernel, PROBLEM, case.grid(PROBLEM), late=True, races=True)
    check(events)


@pytest.mark.parametrize(("gpu", "rows"), [("sm_90a", 128), ("sm_100a", 256)])
def test_clusters_run_ahead_into_the_next_tile(gpu: str, rows: int, events: Events, tmp_path: Path):
    """Each CTA of a cluster has a part of each tile; on sm_100a a pair multiplies it together."""
    case = replace(persistent_matmul_case(rows, 128, 64), folder=tmp_path)
    program = with_ctas(case, 2)
    case.text_path.write_text(program)
    kernel = lower(tools.parse(program), gpu)
    assert ".reqnctapercluster 2, 1, 1" in kernel.ptx
    assert ("tcgen05.mma.cta_group::2" in kernel.ptx) == (gpu == "sm_100a")
    said = assemble(kernel.ptx, gpu)
    assert "(C75" not in said and " 0 bytes spill stores" in said
    run(case, kernel, (2 * rows, *PROBLEM[1:]), (1, 1, 1), late=True, races=True)
    check(events)


def test_one_agent_runs_ahead_into_the_next_tile(
    events: Events, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    case = replace(CASES["persistent"], folder=tmp_path)
    program = text(case)
    case.text_path.write_text(program)
    one_agent = TileASMaterializeSchedulePass(pipeline_strategy="unspecialize")
    road = [
        replace(step, make=lambda: one_agent) if step.name == one_agent.name else step
        for step in steps("sm_90a")
    ]

    def with_one_agent(_gpu: str, _options: Options) -> list[Step]:
        return road

    monkeypatch.setattr(zoo, "steps", with_one_agent)
    kernel = lower(tools.parse(program), "sm_90a")
    assert "setmaxnreg" not in kernel.ptx
    run(case, kernel, PROBLEM, case.grid(PROBLEM), late=True, races=True)
    check(events)


def test_threads_copy_ahead_into_the_next_tile(tmp_path: Path):
    """Copies by threads are counted in groups, through all tiles."""
    case = replace(CASES["persistent"], folder=tmp_path)
    program = text(case)
    case.text_path.write_text(program)
    kernel = lower(tools.parse(program), "sm_80")
    assert re.search(r"cp\.async\.wait_group [1-9]", kernel.ptx)
    for problem in (PROBLEM, case.typical):
        run(case, kernel, problem, case.grid(problem), late=True, races=True)
        run(case, kernel, problem, case.grid(problem), warp_seed=3)


def check(events: Events) -> None:
    """Before a tile is stored, some loads of the next one have started."""
    stores = sum(events.stores)
    boxes = (len(events.stores) - stores) // (TILES * STEPS)
    for tile in range(TILES - 1):
        of_this_and_before = (tile + 1) * STEPS * boxes
        assert events.loads_before_store(tile * stores // TILES) >= of_this_and_before + boxes
