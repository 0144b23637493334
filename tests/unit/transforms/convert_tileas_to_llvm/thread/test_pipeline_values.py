"""The stages of a pipeline's iterations, against counted ones."""

import pytest
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from tests.unit.transforms.convert_tileas_to_llvm.thread.llvm_values import started, value_of
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.pipeline_values import PipelineIterator


@pytest.mark.parametrize("stages", range(1, 6))
def test_iterations_in_a_straight_line(stages: int):
    """Producers wait for a stage from the first time on that it was filled before."""
    builder, block = started([])
    iterator, used = PipelineIterator(stages), list[int]()
    for iteration in range(3 * stages + 1):
        assert iterator.stage == iteration % stages
        assert iterator.parity == used.count(iteration % stages) % 2
        assert iterator.is_first_phase == (iteration % stages not in used), iteration
        used.append(iteration % stages)
        iterator = iterator.next(builder)
    assert not block.ops


@pytest.mark.parametrize("stages", range(1, 6))
@pytest.mark.parametrize("iterations", range(4))
def test_iterations_after_a_branch(stages: int, iterations: int):
    """Nothing is known of the iterations before, so that each may be a later phase."""
    builder, block = started([i32, i32])
    iterator = PipelineIterator(stages)
    for _ in range(iterations):
        iterator = iterator.next(builder)
    parts = [value_of(part, {}) for part in iterator.parts(builder)]
    assert parts == [iterations % stages, iterations // stages % 2]
    iterator = iterator.of_parts(block.args)
    given: dict[SSAValue, int] = dict(zip(block.args, parts, strict=True))
    for iteration in range(iterations, iterations + 2 * stages + 1):
        assert not iterator.is_first_phase
        found = [value_of(part, given) % 2**32 for part in iterator.parts(builder)]
        assert found == [iteration % stages, iteration // stages % 2], iteration
        iterator = iterator.next(builder)
