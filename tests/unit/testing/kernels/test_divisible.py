"""Twins of the zoo: the same kernels on arrays whose rows are apart by a multiple of 16."""

import numpy as np
import pytest

from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS
from tileir_xdsl.testing.kernels.divisible import DIVISOR, FOLDER, divisible_twins, with_pitch


@pytest.mark.parametrize("name", [name for name in DIVISIBLE if name in KERNELS])
def test_twins_get_the_same_values_at_divisible_strides(name: str) -> None:
    plain, twin = KERNELS[name], DIVISIBLE[name]
    differs = False
    pairs = zip(plain.make_arguments(plain.typical), twin.make_arguments(twin.typical), strict=True)
    for first, second in pairs:
        if not isinstance(first, np.ndarray):
            assert first == second
            continue
        assert isinstance(second, np.ndarray)
        assert first.tobytes() == second.tobytes()
        differs |= first.strides != second.strides
        if first.strides != second.strides:
            *outer, last = (stride // second.itemsize for stride in second.strides)
            assert last == 1 and all(stride % DIVISOR == 0 for stride in outer)
    text = twin.text_path.read_text()
    assert text != plain.text_path.read_text() and f"div_by<{DIVISOR}>" in text
    assert twin.folder == FOLDER


def test_vectors_and_constant_strides_have_no_twin() -> None:
    assert not divisible_twins([KERNELS["vector_add"], KERNELS["double_in_place"]])


def test_rows_are_padded() -> None:
    array = np.arange(6, dtype=np.int8).reshape(1, 2, 3)
    pitched = with_pitch(array)
    assert np.array_equal(pitched, array)
    assert pitched.strides == (2 * DIVISOR, DIVISOR, 1)
