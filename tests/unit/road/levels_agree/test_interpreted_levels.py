"""Products of agents and of accumulators in tensor memory: all that passes make of them is executed.

The interpreter runs what every pass leaves, down to the last module of `nv_tileas`: accumulators in
flight in the stages of a pipeline, two of them for a tile, pairs of blocks, and blocks that ask for
tile blocks.
"""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from bench.matrix_units import ALL_CASES, is_taken
from tests.unit.road.persistent_tiles import BIAS, BIAS_AND_RELU, Tiles
from tests.unit.road.zoo import lower
from tileir_xdsl import interpreters
from tileir_xdsl.analysis.buffers.pipelines import holds_accumulators
from tileir_xdsl.dialects.nv_tileas import CreatePipelineOp
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.case import KernelCase, Problem, launch_arguments

GPU = "sm_100a"


def interpret_levels(
    case: KernelCase, problem: Problem, *, dynamic_persistent: bool = False
) -> tuple[int, int]:
    """Takes a kernel down the road, and checks that what every pass leaves computes what numpy
    computes.

    Returns how many modules were run, and how many of them have accumulators in stages.
    """
    last, counts = "", [0, 0]

    def interpret(_step: ModulePass, module: ModuleOp) -> None:
        nonlocal last
        text = tools.to_text(module)
        # The rest of the road has the level of the emulator.
        if text == last or "llvm.func" in text:
            return
        last = text
        arguments = case.make_arguments(problem)
        expected = case.expected(arguments)
        values = launch_arguments(arguments)
        interpreters.launch(module, case.name, case.grid(problem), values)
        case.check(arguments, expected)
        pipelines = [op for op in module.walk() if isinstance(op, CreatePipelineOp)]
        counts[0] += 1
        counts[1] += any(holds_accumulators(op) for op in pipelines)

    module = tools.parse(case.text_path.read_text())
    lower(module, GPU, interpret, dynamic_persistent=dynamic_persistent)
    return counts[0], counts[1]


FORMS: dict[str, tuple[Tiles, bool]] = {
    "bf16": (Tiles(columns=32), False),
    "bf16 on request": (Tiles(columns=32), True),
    "f8 and a maximum": (
        Tiles(operands="f8", columns=32, depth=128, epilogue=BIAS_AND_RELU),
        False,
    ),
    "64 rows and a bias": (Tiles(rows=64, columns=32, epilogue=BIAS), False),
    "two accumulators a tile": (Tiles(columns=32, is_gated=True), False),
    "two accumulators a tile on request": (Tiles(columns=32, is_gated=True), True),
}
QUICK = ("bf16", "two accumulators a tile on request")
EACH = [name if name in QUICK else pytest.param(name, marks=pytest.mark.soak) for name in FORMS]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EACH)
def test_persistent_dots(name: str, tmp_path: Path):
    tiles, is_dynamic = FORMS[name]
    problem = (2 * tiles.rows + 9, tiles.columns, tiles.depth + 16, 0)
    modules, with_stages = interpret_levels(
        tiles.case(tmp_path), problem, dynamic_persistent=is_dynamic
    )
    assert modules > with_stages > 5


ROWS = [name for name in ALL_CASES if is_taken(name, GPU)]


@pytest.mark.soak
@pytest.mark.parametrize("name", ROWS)
def test_rows_of_matrix_kernels(name: str):
    case = ALL_CASES[name]
    _, with_stages = interpret_levels(case, case.problems[0])
    assert bool(with_stages) == name.startswith("persistent")
