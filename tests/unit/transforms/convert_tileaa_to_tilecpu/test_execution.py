"""Programs compute the same as loop nests, with buffers of their own and in the arena."""

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tests.unit.interpreters.evaluation import Tile
from tests.unit.interpreters.nv_tileaa.evaluation import program
from tests.unit.transforms.convert_tileaa_to_tilecpu.programs import PROGRAMS, Program
from tileir_xdsl.dialects import nv_tileaa, tilecpu
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.arguments import Argument
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileaa_to_tilecpu import (
    WHOLE_OPS,
    ConvertTileAAToTileCPUPass,
)
from tileir_xdsl.transforms.tilecpu_assign_buffers import TileCPUAssignBuffersPass
from tileir_xdsl.transforms.tilecpu_group import TileCPUGroupPass
from tileir_xdsl.walking import ops_in

PASSES: tuple[ModulePass, ...] = (
    TileCPUGroupPass(),
    ConvertTileAAToTileCPUPass(),
    TileCPUAssignBuffersPass(),
)


def parsed(case: Program) -> ModuleOp:
    tiles = [Tile(text) for text in case.inputs]
    return tools.parse(program(case.body, tiles, [Tile(text) for text in case.results]))


def inputs(case: Program) -> list[Argument]:
    """Arguments for a program, small integers."""
    random = np.random.default_rng(5)
    values: list[Argument] = []
    for text in case.inputs:
        tile = Tile(text)
        if not tile.shape:
            values.append(3)
            continue
        numbers = random.integers(-50, 50, tile.shape)
        values.append(tile.to_memory(numbers.astype(tile.empty().dtype)))
    return values


def _run(module: ModuleOp, case: Program) -> Sequence[np.ndarray]:
    results = [Tile(text).empty() for text in case.results]
    launch(module, "k", (1, 1, 1), [*inputs(case), *results])
    return results


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_stay_after_each_pass(name: str):
    case = PROGRAMS[name]
    module = parsed(case)
    expected = _run(module, case)
    for module_pass in PASSES:
        module_pass.apply(tools.context(), module)
        module.verify()
        # Sums of such integers are exact in every order.
        for found, wanted in zip(_run(module, case), expected, strict=True):
            assert (found == wanted).all(), module_pass.name


def test_each_op_with_a_conversion_of_its_own_occurs():
    found = {type(op) for case in PROGRAMS.values() for op in ops_in(parsed(case))}
    # A print has text, and tests/unit/runtime/cpu/test_printing.py reads it.
    assert not WHOLE_OPS.keys() - found - {nv_tileaa.PrintOp}


def _buffers(name: str) -> list[tilecpu.AllocOp]:
    module = parsed(PROGRAMS[name])
    for module_pass in PASSES:
        module_pass.apply(tools.context(), module)
    return [op for op in ops_in(module) if isinstance(op, tilecpu.AllocOp)]


@pytest.mark.parametrize("name", ["add", "halves", "transposed", "reshaped", "rows and columns"])
def test_no_tile_between_ops_of_a_group_has_a_buffer(name: str):
    assert not _buffers(name)


def test_a_row_that_is_read_twice_has_one():
    shapes = [op.buffer.type for op in _buffers("centered")]
    assert [str(shape) for shape in shapes] == [
        "!tilecpu.buffer<8x64xf32>",
        "!tilecpu.buffer<8xf32>",
    ]


def test_a_dot_adds_to_its_accumulator_where_nothing_else_reads_it():
    # Two operands and the accumulator; of the second program that is copied first.
    assert len(_buffers("dot")) == 3
    transposed = _buffers("dot with a transposed operand")
    assert sum(str(op.buffer.type) == "!tilecpu.buffer<16x16xf32>" for op in transposed) >= 2
