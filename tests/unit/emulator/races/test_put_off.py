"""Which of the accesses that were put off take effect when."""

from itertools import product

import numpy as np
import pytest

from tileir_xdsl.emulator.races.flags import Thread
from tileir_xdsl.emulator.races.put_off import PutOff, PutOffAccesses

WIDTHS = (1, 2, 4, 8, 16)
PUT_OFF = (True, 32)
"""The place of an access: in global memory, at this byte."""


def is_settled(size: int, address: tuple[bool, int], later: int, thread: Thread | None) -> bool:
    """Whether an access of so many bytes takes effect before a later one of others."""
    done: list[int] = []

    def take_effect() -> np.ndarray:
        done.append(size)
        return np.zeros(1)

    accesses = PutOffAccesses()
    accesses.add((0, 0), PutOff((0, 0), 0, 0, PUT_OFF, size, False, take_effect))
    accesses.settle_overlapping(address, later, thread)
    assert len(done) + len(accesses.pending) == 1
    return bool(done)


@pytest.mark.parametrize("size", WIDTHS)
def test_an_access_to_one_of_the_bytes_comes_after(size: int):
    for later, start in product(WIDTHS, range(12, 56)):
        shares = not set(range(start, start + later)).isdisjoint(range(32, 32 + size))
        assert is_settled(size, (True, start), later, None) == shares, (later, start)
        assert is_settled(size, (True, start), later, (0, 0)) == shares, (later, start)
        assert not is_settled(size, (True, start), later, (0, 1))
        assert not is_settled(size, (False, start), later, None)
