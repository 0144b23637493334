"""Asynchronous copies: what arrives in shared memory."""

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator


def copy_kernel(instruction: str, size: int) -> str:
    """Thread i copies `size` bytes, `count[i]` of them read, through shared memory."""
    words = size // 4
    moves = "\n".join(
        f"ld.shared.b32 %x, [%s+{4 * i}]; st.global.b32 [%o+{4 * i}], %x;" for i in range(words)
    )
    return f"""{HEADER}
.visible .entry k(.param .u64 in, .param .u64 count, .param .u64 out) .reqntid 64
{{
  .shared .align 16 .b8 buffer[1024];
  .reg .b64 %a, %c, %o, %policy; .reg .b32 %i, %n, %s, %x; .reg .pred %p;
  mov.u32 %i, %tid.x;
  ld.param.u64 %a, [in]; mad.wide.u32 %a, %i, {size}, %a;
  ld.param.u64 %c, [count]; mad.wide.u32 %c, %i, 4, %c; ld.global.u32 %n, [%c];
  ld.param.u64 %o, [out]; mad.wide.u32 %o, %i, {size}, %o;
  mov.u32 %s, buffer; mad.lo.u32 %s, %i, {size}, %s;
  createpolicy.fractional.L2::evict_first.b64 %policy;
  setp.eq.u32 %p, %n, 0;
  {instruction}
  cp.async.commit_group;
  cp.async.wait_group 0;
  cp.async.wait_all;
  bar.sync 0;
  {moves}
  ret;
}}
"""


COPIES: tuple[tuple[str, int], ...] = (
    ("cp.async.ca.shared.global [%s], [%a], 4;", 4),
    ("cp.async.ca.shared.global.L2::128B [%s], [%a], 8;", 8),
    ("cp.async.cg.shared::cta.global [%s], [%a], 16;", 16),
    ("cp.async.ca.shared.global [%s], [%a], 4, %n;", 4),
    ("cp.async.cg.shared.global [%s], [%a], 16, %n;", 16),
    ("cp.async.cg.shared.global [%s], [%a], 16, %p;", 16),
    ("cp.async.cg.shared.global.L2::cache_hint [%s], [%a], 16, %policy;", 16),
    ("cp.async.cg.shared.global.L2::cache_hint.L2::256B [%s], [%a], 16, %n, %policy;", 16),
)


@pytest.mark.parametrize(("instruction", "size"), COPIES)
def test_copy(instruction: str, size: int):
    data = np.random.default_rng(1).integers(0, 256, (64, size)).astype(np.uint8)
    count = (np.arange(64) % (size + 1)).astype(np.uint32)
    out = np.zeros_like(data)
    emulator.load(copy_kernel(instruction, size)).launch("k", (1, 1, 1), [data, count, out])
    present: Array = np.full(64, size)
    if "%n" in instruction:
        present = count
    elif "%p;" in instruction:
        present = np.where(count == 0, 0, size)
    expected = np.where(np.arange(size) < present[:, None], data, 0)
    np.testing.assert_array_equal(out, expected)


def test_bytes_past_the_end_are_not_read():
    """The last thread may point past the end of the array when it reads nothing."""
    data = np.arange(63 * 4 + 2, dtype=np.uint32)
    count = np.full(64, 16, np.uint32)
    count[63] = 8
    out = np.zeros((64, 4), np.uint32)
    text = copy_kernel("cp.async.cg.shared.global [%s], [%a], 16, %n;", 16)
    emulator.load(text).launch("k", (1, 1, 1), [data, count, out])
    np.testing.assert_array_equal(out.ravel()[:-2], data)
    assert (out[63, 2:] == 0).all()
    count[63] = 9
    with pytest.raises(emulator.EmulatorError, match="out-of-bounds 1-byte read") as caught:
        emulator.load(text).launch("k", (1, 1, 1), [data, count, out])
    assert caught.value.location == emulator.ThreadLocation((0, 0, 0), 1, 31)


def test_size_of_a_copy():
    text = copy_kernel("cp.async.cg.shared.global [%s], [%a], 8;", 8)
    data = np.zeros((64, 8), np.uint8)
    with pytest.raises(emulator.EmulatorError, match=r"cp\.async\.cg must copy 16 bytes"):
        emulator.load(text).launch("k", (1, 1, 1), [data, np.zeros(64, np.uint32), data.copy()])
