"""Special registers, typed views of registers, and what registers hold before they are written."""

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator.registers import UNINITIALIZED, Geometry, RegisterFile, Slot
from tileir_xdsl.emulator.types import TYPES, Array, packed_bits

_THREADS, _GRID, _BLOCK = 96, (2, 3, 2), (8, 6, 2)


def special(name: str, type_: str = "u32") -> Array:
    """The value of a special register in every thread, `[blocks, threads]`."""
    bits = TYPES[type_].bits
    convert = "cvt.u64.u32 %x, %r; st.global.u64 [%o], %x;"
    text = f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid 8, 6, 2
{{
  .reg .b64 %o, %x; .reg .b32 %r, %i, %j, %k, %n;
  mov.u32 %i, %tid.z; mov.u32 %n, %ntid.y; mov.u32 %j, %tid.y; mad.lo.u32 %i, %i, %n, %j;
  mov.u32 %n, %ntid.x; mov.u32 %j, %tid.x; mad.lo.u32 %i, %i, %n, %j;
  mov.u32 %j, %ctaid.z; mov.u32 %n, %nctaid.y; mov.u32 %k, %ctaid.y; mad.lo.u32 %j, %j, %n, %k;
  mov.u32 %n, %nctaid.x; mov.u32 %k, %ctaid.x; mad.lo.u32 %j, %j, %n, %k;
  mad.lo.u32 %i, %j, 96, %i;
  ld.param.u64 %o, [out];
  mad.wide.u32 %o, %i, 8, %o;
  mov.{type_} {"%x" if bits == 64 else "%r"}, {name};
  {"st.global.u64 [%o], %x;" if bits == 64 else convert}
  ret;
}}
"""
    out = np.zeros((12, _THREADS), np.uint64)
    emulator.load(text).launch("k", _GRID, [out])
    return out


_THREAD = np.arange(_THREADS)
_BLOCKS = np.arange(12)[:, None]
_LANE = _THREAD % 32


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("%tid.x", _THREAD % 8),
        ("%tid.y", _THREAD // 8 % 6),
        ("%tid.z", _THREAD // 48),
        ("%ntid.x", 8),
        ("%ntid.y", 6),
        ("%ntid.z", 2),
        ("%ctaid.x", _BLOCKS % 2),
        ("%ctaid.y", _BLOCKS // 2 % 3),
        ("%ctaid.z", _BLOCKS // 6),
        ("%nctaid.x", 2),
        ("%nctaid.y", 3),
        ("%nctaid.z", 2),
        ("%clusterid.y", _BLOCKS // 2 % 3),
        ("%nclusterid.x", 2),
        ("%cluster_ctaid.x", 0),
        ("%cluster_nctaid.x", 1),
        ("%cluster_ctarank", 0),
        ("%cluster_nctarank", 1),
        ("%laneid", _LANE),
        ("%warpid", _THREAD // 32),
        ("%nwarpid", 3),
        ("%lanemask_eq", 1 << _LANE),
        ("%lanemask_le", (2 << _LANE) - 1),
        ("%lanemask_lt", (1 << _LANE) - 1),
        ("%lanemask_ge", 2**32 - (1 << _LANE)),
        ("%lanemask_gt", 2**32 - (2 << _LANE)),
        ("%dynamic_smem_size", 0),
        ("%total_smem_size", 0),
    ],
)
def test_special_registers(name: str, expected: Array | int):
    np.testing.assert_array_equal(special(name), np.broadcast_to(expected, (12, _THREADS)))


def test_clocks_count_instructions():
    earlier = special("%clock64", "u64")
    assert (earlier > 0).all()
    np.testing.assert_array_equal(special("%clock"), earlier)
    assert (special("%clock_hi") == 0).all()
    assert (special("%globaltimer", "u64") == earlier).all()


def geometry(block: tuple[int, int, int] = (40, 1, 1)) -> Geometry:
    return Geometry((3, 1, 1), block, np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0]]))


def test_views_of_one_register_share_its_storage():
    slots = [
        Slot("%r", TYPES["u32"]),
        Slot("%r", TYPES["f32"]),
        Slot("%r", TYPES["f16x2"]),
        Slot("%r", TYPES["s8"]),
        Slot("%r", packed_bits(4, 32)),
    ]
    file = RegisterFile(slots, {"%r": TYPES["b32"]}, geometry())
    assert file.geometry.columns == 64
    word, single, halves, byte, bytes_ = file.rectangle((1, 3, 32, 64))
    assert word.shape == (2, 32)
    assert (word == UNINITIALIZED * 0x01010101).all()
    single[0, 0] = -1.0
    assert word[0, 0] == 0xBF800000
    np.testing.assert_array_equal(bytes_[0, 0], [0, 0, 0x80, 0xBF])
    halves[1, 2] = [1.0, -2.0]
    assert word[1, 2] == 0xC0003C00
    word[1, 3] = 0x1234_56FE
    assert byte[1, 3] == -2


def test_wide_and_predicate_registers():
    slots = [Slot("%q", TYPES["b128"]), Slot("%p", TYPES["pred"])]
    file = RegisterFile(slots, {"%q": TYPES["b128"], "%p": TYPES["pred"]}, geometry())
    wide, predicate = file.rectangle((0, 3, 0, 64))
    assert wide.shape == (3, 64, 2)
    assert wide.dtype == np.uint64
    assert predicate.dtype == np.bool_


def test_slots_may_be_added_later():
    slots = [Slot("%a", TYPES["u32"])]
    registers = {"%a": TYPES["b32"], "%b": TYPES["b32"]}
    file = RegisterFile(slots, registers, geometry())
    file.rectangle((0, 3, 0, 64))[0][...] = 7
    slots.append(Slot("%b", TYPES["u32"]))
    first, second = file.rectangle((0, 3, 0, 64))
    assert (first == 7).all()
    assert (second != 7).all()
