"""A reproducer is read as it was written, arrays with their memory included."""

import ml_dtypes
import numpy as np
import pytest

from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.testing.reproducers.reproducer import Reproducer, read_reproducer

BASE = np.arange(64, dtype=np.float32)
LAUNCH = LaunchInput(
    (2, 1, 3),
    (
        BASE[3:40:2],
        BASE,
        np.array([1, -2], ml_dtypes.bfloat16),
        np.float16(0.5),
        7,
        float("nan"),
        np.zeros(0, np.int32),
    ),
)


def test_it_is_read_as_it_was_written():
    words = ("check", "%s", "--pass", "x")
    written = str(Reproducer(words, "builtin.module {\n}", "it fails: 3", 4, "{}", LAUNCH))
    found = read_reproducer(written)
    assert found is not None and found.launch is not None
    assert (found.words, found.fails, found.seed) == (words, "it fails: 3", 4)
    assert found.ir == "builtin.module {\n}"
    assert found.launch.grid == (2, 1, 3)
    part, whole, narrow, number, seven, nan, empty = found.launch.arguments
    assert isinstance(part, np.ndarray) and isinstance(whole, np.ndarray)
    assert part.strides == (8,) and np.shares_memory(part, whole)
    assert (whole == BASE).all() and (part == BASE[3:40:2]).all()
    assert isinstance(narrow, np.ndarray) and narrow.dtype == ml_dtypes.bfloat16
    assert (number, seven) == (np.float16(0.5), 7) and nan != nan
    assert isinstance(empty, np.ndarray) and empty.shape == (0,)


def test_other_files_are_not_reproducers():
    assert read_reproducer("builtin.module {}") is None


@pytest.mark.parametrize("command", ['["check"]', "3", '["check", 3]', "{"])
def test_a_damaged_heading_is_an_error(command: str):
    text = str(Reproducer(("check", "%s"), "", "it fails"))
    damaged = text.replace('["check", "%s"]', command)
    with pytest.raises(ValueError, match=r"heading is damaged|Expecting"):
        read_reproducer(damaged)
