"""The neutral elements of integers leave every number as it is."""

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import i8

from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.transforms.tileas_slice_and_fuse.neutral import integer_element


def unsigned(combine: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda a, b: combine(a.view(np.uint8), b.view(np.uint8)).view(np.int8)


MEANINGS: dict[type[arith.AddiOp], Callable[[Array, Array], Array]] = {
    arith.AddiOp: np.add,
    arith.MuliOp: np.multiply,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.MaxSIOp: np.maximum,
    arith.MinSIOp: np.minimum,
    arith.MaxUIOp: unsigned(np.maximum),
    arith.MinUIOp: unsigned(np.minimum),
}  # pyright: ignore[reportAssignmentType]


@pytest.mark.parametrize("kind", MEANINGS, ids=lambda kind: kind.name)
def test_it_changes_no_number(kind: type[arith.AddiOp]):
    a, b = test.TestOp(result_types=[i8, i8]).results
    element = integer_element(kind(a, b), 8)
    assert element is not None
    numbers = np.arange(-128, 128).astype(np.int8)
    neutral = np.full_like(numbers, np.array(element, np.int8))
    np.testing.assert_array_equal(MEANINGS[kind](neutral, numbers), numbers)
