"""Which layouts convert to each other at once."""

import pytest
from xdsl.dialects.builtin import IndexType, TensorType, f16, f32, i1
from xdsl.ir import Attribute

from tileir_xdsl.analysis.layouts.direct_conversion import (
    copied_memories,
    in_one_memory,
    is_direct,
    is_register_tile,
)
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.attributes import Residency
from tileir_xdsl.dialects.nv_tileas.layout import register_layout
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.atoms import Memory

ROWS = register_layout(blocked((16, 64), 4, 4))
COLUMNS = register_layout(blocked((16, 64), 4, 4, order=(0, 1)))
FEWER_WARPS = register_layout(blocked((16, 64), 4, 2))
PARTIAL = register_layout(LinearLayout((), (1, 2, 4, 8, 16), (32, 0), (), (16, 64)))
SHARED = nv_tileas.MemoryAttr(Residency.SHARED)
TENSOR = nv_tileas.MemoryAttr(Residency.TENSOR)


def tile(encoding: Attribute, element: Attribute = f32) -> TensorType[Attribute]:
    return TensorType(element, (16, 64), encoding)


@pytest.mark.parametrize(
    "element", (f32, f16, i1, IndexType(), nv_tileaa.PointerType(f32)), ids=str
)
def test_registers_convert_to_registers(element: Attribute):
    assert is_direct(tile(ROWS, element), tile(COLUMNS, element))


@pytest.mark.parametrize(
    ("source", "result"),
    [
        (ROWS, FEWER_WARPS),
        (PARTIAL, ROWS),
        (ROWS, SHARED),
        (SHARED, ROWS),
        (SHARED, TENSOR),
        (TENSOR, nv_tileas.MemoryAttr(Residency.TENSOR, ROWS)),
        (SHARED, nv_tileas.MemoryAttr(Residency.SHARED, ROWS)),
    ],
    ids=(
        "other warps",
        "missing elements",
        "to memory",
        "from memory",
        "between memories",
        "in tensor memory",
        "in shared memory",
    ),
)
def test_others_do_not(source: Attribute, result: Attribute):
    assert not is_direct(tile(source), tile(result))


def test_nothing_has_to_be_done_for_one_layout():
    assert is_direct(tile(SHARED), tile(SHARED))


def test_memories():
    assert in_one_memory(tile(ROWS), tile(COLUMNS))
    assert not in_one_memory(tile(ROWS), tile(SHARED))
    assert not in_one_memory(TensorType(f32, (16, 64)), TensorType(f32, (16, 64)))
    assert is_register_tile(tile(ROWS))
    assert not is_register_tile(tile(SHARED))


@pytest.mark.parametrize(
    ("gpu", "pair", "copied"),
    [
        ("sm_80", (Memory.GLOBAL, Memory.SHARED), True),
        ("sm_80", (Memory.SHARED, Memory.TENSOR), False),
        ("sm_90a", (Memory.SHARED, Memory.GLOBAL), True),
        ("sm_100a", (Memory.SHARED, Memory.TENSOR), True),
        ("sm_120a", (Memory.SHARED, Memory.TENSOR), False),
    ],
)
def test_copies_are_those_of_the_target(gpu: str, pair: tuple[Memory, Memory], copied: bool):
    assert (pair in copied_memories(get_target(gpu))) == copied
    assert pair in copied_memories(None)
