"""Elements in registers of 32 bits: a vector stands for its elements only if all follow in order."""

from itertools import product

import pytest
from xdsl.dialects.builtin import VectorType, f16, i8

from tests.unit.transforms.convert_tileas_to_llvm.thread.llvm_values import started
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.packed_registers import whole_vector


@pytest.mark.parametrize("positions", tuple(product(range(2), repeat=2)))
def test_a_vector_is_its_elements_in_order(positions: tuple[int, int]):
    builder, block = started([VectorType(f16, (2,))] * 2)
    vector, other = block.args
    first, second = (builder.elements(each, 2) for each in (vector, other))
    taken = [first[position] for position in positions]
    assert whole_vector(taken) is (vector if positions == (0, 1) else None)
    assert whole_vector([first[positions[0]], second[positions[1]]]) is None


@pytest.mark.parametrize("count", (1, 2, 3))
def test_a_part_of_a_vector_is_no_vector(count: int):
    builder, block = started([VectorType(i8, (4,))])
    assert whole_vector(builder.elements(block.args[0], 4)[:count]) is None


def test_an_argument_is_no_element():
    _, block = started([f16, f16])
    assert whole_vector(block.args) is None
