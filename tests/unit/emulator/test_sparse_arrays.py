"""Arrays that the emulator only pretends to hold: what is in memory is what was touched."""

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator.sparse_arrays import SPARSE_BYTES, held_ranges, zeros
from tileir_xdsl.emulator.state_spaces import PARAM_WINDOW
from tileir_xdsl.emulator.types import Array

TERABYTE = 1 << 40

COPY = f"""{HEADER}
.visible .entry copy(.param .u64 a, .param .u64 b, .param .u64 from, .param .u64 to)
.reqntid 32, 1, 1
{{
  .reg .b32 %r<2>; .reg .b64 %rd<6>;
  ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b];
  ld.param.u64 %rd2, [from]; ld.param.u64 %rd3, [to];
  mov.u32 %r0, %tid.x;
  mad.wide.u32 %rd4, %r0, 4, %rd0; add.s64 %rd4, %rd4, %rd2;
  mad.wide.u32 %rd5, %r0, 4, %rd1; add.s64 %rd5, %rd5, %rd3;
  ld.global.u32 %r1, [%rd4];
  st.global.u32 [%rd5], %r1;
  ret;
}}
"""


def held(array: Array) -> int:
    """The bytes of an array that are in memory."""
    return sum(part.stop - part.start for part in held_ranges(array.view(np.uint8)))


def test_pages_exist_once_touched():
    array = emulator.sparse_array((TERABYTE // 4,), np.int32)
    assert array.nbytes == TERABYTE and held(array) == 0
    array[0], array[-1], array[1 << 34] = 1, 2, 3
    assert 0 < held(array) <= 3 << 21
    parts = list(held_ranges(array.view(np.uint8)))
    assert parts[0].start == 0 and parts[-1].stop == TERABYTE
    assert array[1 << 33] == 0 and array[1 << 34] == 3


def test_ranges_of_a_part():
    array = emulator.sparse_array((1 << 33,), np.uint8)
    array[1 << 32] = 1
    assert list(held_ranges(array[: 1 << 31])) == []
    (found,) = held_ranges(array[1 << 32 :][:16])
    assert (found.start, found.stop) == (0, 16)
    (found,) = held_ranges(array[(1 << 32) - 8 :][:16])
    assert (found.start, found.stop) == (8, 16)


def test_a_plain_array_is_held_whole():
    assert list(held_ranges(np.zeros(100, np.uint8))) == [slice(0, 100)]
    assert held(zeros((100,), np.int32)) == 400
    assert held(zeros((SPARSE_BYTES // 4,), np.int32)) == 0


@pytest.mark.parametrize("races", [False, True])
@pytest.mark.parametrize("place", [0, (1 << 31) - 64, (1 << 31) - 4, 1 << 32, (1 << 33) - 128])
def test_a_launch_copies_what_there_is(place: int, races: bool):
    a, b = (emulator.sparse_array((1 << 31,), np.uint32) for _ in range(2))
    first = place // 4
    a[first : first + 32] = np.arange(1, 33)
    b[5] = 7
    emulator.load(COPY).launch("copy", (1, 1, 1), [a, b, place, place], races=races)
    np.testing.assert_array_equal(b[first : first + 32], np.arange(1, 33))
    assert b[5] == (7 if place else 6)
    assert held(a) + held(b) <= 4 << 21


def test_a_read_only_array():
    a = emulator.sparse_array((1 << 31,), np.uint32)
    a.flags.writeable = False
    module, b = emulator.load(COPY), np.ones(32, np.uint32)
    module.launch("copy", (1, 1, 1), [a, b, 1 << 32, 0])
    assert not b.any()
    with pytest.raises(emulator.EmulatorError, match=r"wrote to argument 1 .*read-only"):
        module.launch("copy", (1, 1, 1), [b + 1, a, 0, 1 << 32])


def test_accesses_past_the_end():
    a, b = emulator.sparse_array((1 << 31,), np.uint32), np.zeros(32, np.uint32)
    with pytest.raises(emulator.EmulatorError, match=f"byte {1 << 33} of argument 0"):
        emulator.load(COPY).launch("copy", (1, 1, 1), [a, b, (1 << 33) - 124, 0])


def test_more_than_there_are_addresses():
    a = emulator.sparse_array((PARAM_WINDOW,), np.uint8)
    with pytest.raises(emulator.EmulatorError, match="exceed the addresses of global memory"):
        emulator.load(COPY).launch("copy", (1, 1, 1), [a, a, 0, 0])
