"""Asynchronous work done as late as kernels allow: right kernels stay right, others show it."""

import numpy as np
import pytest

from tests.unit.emulator.instructions import test_bulk_copy as bulk
from tests.unit.emulator.instructions import test_mbarrier as mbarrier
from tests.unit.emulator.instructions import test_warpgroup as warpgroup
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.test_asynchronous import COPIES, copy_kernel
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator import TensorMap


def copied(text: str, size: int, *, late: bool) -> tuple[Array, Array]:
    data = np.random.default_rng(1).integers(0, 256, (64, size)).astype(np.uint8)
    out = np.zeros_like(data)
    count = np.full(64, size, np.uint32)
    emulator.load(text).launch("k", (1, 1, 1), [data, count, out], late=late)
    return data, out


@pytest.mark.parametrize(("instruction", "size"), COPIES)
def test_copies_of_threads(instruction: str, size: int):
    text = copy_kernel(instruction, size)
    data, out = copied(text, size, late=True)
    np.testing.assert_array_equal(out, data)
    hasty = text.replace("cp.async.wait_group 0;", "").replace("cp.async.wait_all;", "")
    _, out = copied(hasty, size, late=False)
    np.testing.assert_array_equal(out, data)
    _, out = copied(hasty, size, late=True)
    assert not np.array_equal(out, data)


def test_a_wait_that_leaves_one_group_pending():
    text = copy_kernel("cp.async.ca.shared.global [%s], [%a], 4;", 4).replace(
        "cp.async.wait_all;", ""
    )
    one = text.replace("cp.async.wait_group 0", "cp.async.wait_group 1")
    data, out = copied(one, 4, late=True)
    assert not np.array_equal(out, data)
    two = one.replace("cp.async.commit_group;", "cp.async.commit_group; cp.async.commit_group;")
    data, out = copied(two, 4, late=True)
    np.testing.assert_array_equal(out, data)


def test_an_arrival_waits_for_the_copies_of_its_thread():
    body = """
  ld.param.u64 %a, [out]; mad.wide.u32 %a, %i, 4, %a; add.u64 %a, %a, 256;
  mov.u32 %x, buffer; mad.lo.u32 %x, %i, 4, %x;
  cp.async.ca.shared.global [%x], [%a], 4;
  cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%s];
  cp.async.mbarrier.arrive.shared::cta.b64 [%s];
$AGAIN:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%s], 0;
  @!%p bra $AGAIN;
  ld.shared.b32 %y, [%x]; st.global.b32 [%o], %y;
"""
    out = np.r_[np.zeros(64, np.uint32), np.arange(64, dtype=np.uint32)]
    emulator.load(mbarrier.kernel(body)).launch("k", (1, 1, 1), [out, 64], late=True)
    np.testing.assert_array_equal(out[:64], out[64:])


def boxed(text: str, array: Array, box: tuple[int, int]) -> Array:
    out = np.zeros(4096, np.uint32)
    emulator.load(text).launch("k", (1, 1, 1), [out, out, TensorMap(array, box)], late=True)
    return out.view(np.float32)[: box[0] * box[1]].reshape(box)


def test_boxes_come_before_their_phase_ends():
    array = np.arange(20 * 48, dtype=np.float32).reshape(20, 48)
    text = bulk.kernel(bulk.box_load(2, 1024, (3, 8)), bulk.MAP)
    np.testing.assert_array_equal(boxed(text, array, (8, 32)), array[3:11, 8:40])
    wait = "  mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0;\n  @!%p bra $AGAIN;\n"
    hasty = text.replace(wait, "")
    assert hasty != text
    assert not np.array_equal(boxed(hasty, array, (8, 32)), array[3:11, 8:40])


STORE = """
  st.shared.b32 [%s], 7;
  fence.proxy.async;
  cp.async.bulk.global.shared::cta.bulk_group [%o], [%s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
  st.shared.b32 [%s], 9;
"""


def test_stores_read_shared_memory_until_they_are_waited_for():
    for text, late, expected in (
        (STORE, True, 7),
        (STORE.replace("cp.async.bulk.wait_group.read 0;", ""), False, 7),
        (STORE.replace("cp.async.bulk.wait_group.read 0;", ""), True, 9),
    ):
        out = np.zeros(4, np.uint32)
        kernel = emulator.load(bulk.kernel(text))
        kernel.launch("k", (1, 1, 1), [out.copy(), out], late=late)
        assert out[0] == expected


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dot", warpgroup.MMA_OPS, ids=repr)
def test_products(dot: warpgroup.Dot):
    found, expected = warpgroup.run(dot, late=True)
    np.testing.assert_array_equal(found, expected)


def test_a_product_that_nobody_waits_for():
    dot = warpgroup.Dot(("f32", "f16", "f16"), 8)
    text = dot.kernel()
    for missing in ("wgmma.wait_group.sync.aligned 0;", "wgmma.commit_group.sync.aligned;"):
        found, expected = warpgroup.run(dot, late=True, text=text.replace(missing, ""))
        assert not np.array_equal(found, expected)
        found, expected = warpgroup.run(dot, text=text.replace(missing, ""))
        np.testing.assert_array_equal(found, expected)


def test_a_fault_names_the_instruction_that_started_the_work():
    text = copy_kernel("cp.async.ca.shared.global [%s+1024], [%a], 4;", 4)
    with pytest.raises(emulator.EmulatorError, match="out-of-bounds 4-byte write") as raised:
        copied(text, 4, late=True)
    assert "cp.async.ca.shared.global" in str(raised.value)


def test_the_number_of_groups_is_a_constant():
    text = HEADER + (
        ".visible .entry k() .reqntid 32 { .reg .b32 %n; mov.u32 %n, 1;\n"
        "cp.async.wait_group %n; ret; }"
    )
    with pytest.raises(
        emulator.EmulatorError, match="the number of commit groups must be a constant"
    ):
        emulator.load(text).launch("k", (1, 1, 1), [])
