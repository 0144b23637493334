"""Numbers of 6 and 4 bits, by the figures of the manual."""

import numpy as np
import pytest

from tests.unit.emulator.instructions.test_sparse_matrix import TYPES
from tileir_xdsl.emulator.instructions.packed_floats import four_bit_floats, spaced_floats


@pytest.mark.parametrize("name", ["e2m3", "e3m2", "e2m1", "e4m3"])
def test_sixteen_numbers_begin_every_sixteen_bytes(name: str):
    dtype, _, bits, _ = TYPES[name]
    raw = np.random.default_rng(bits).integers(0, 100, (3, 32)) % (1 << bits)
    octets = np.zeros((3, 32), np.uint8)
    for row, half in np.ndindex(3, 2):
        numbers = raw[row, 16 * half : 16 * half + 16]
        word = sum(int(number) << bits * i for i, number in enumerate(numbers))
        data = np.frombuffer(word.to_bytes(16, "little"), np.uint8)
        octets[row, 16 * half : 16 * half + 16] = data
    expected = raw.astype(np.uint8).view(dtype).astype(np.float64)
    np.testing.assert_array_equal(spaced_floats(octets, name), expected)


def test_two_numbers_of_four_bits_are_in_a_byte():
    found = four_bit_floats(np.array([[0x21, 0xF7]], np.uint8), "e2m1")
    np.testing.assert_array_equal(found, [[0.5, 1, 6, -6]])
