"""Accesses to every state space."""

import sys

import numpy as np
import pytest

from tileir_xdsl.emulator.clusters import ClusterBarrier
from tileir_xdsl.emulator.errors import LaneFault
from tileir_xdsl.emulator.grid import Grid
from tileir_xdsl.emulator.memory import Memory, Parts
from tileir_xdsl.emulator.register_pool import RegisterPool
from tileir_xdsl.emulator.registers import Geometry
from tileir_xdsl.emulator.state_spaces import (
    GLOBAL_WINDOW,
    LOCAL_WINDOW,
    SHARED_WINDOW,
    Heap,
    InstructionAccess,
    Space,
    place,
)
from tileir_xdsl.emulator.tensor_memory import TensorMemory
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array

_WORD = np.dtype(np.uint32)
_BLOCKS = np.array([[0, 0, 0], [1, 0, 0]])


def memory(shared: int = 256, local: int = 16) -> Memory:
    heap = Heap(place({"a": 100, "b": 0, "c": 64}))
    geometry = Geometry((2, 1, 1), (32, 1, 1), _BLOCKS, 0, shared)
    waiting = Grid(geometry, None, None, cancels=False)
    barrier, pool = ClusterBarrier(geometry), RegisterPool(None, 2, 1)
    parts = Parts(None, barrier, waiting, pool, TensorMemory(2), None, None, sys.stdout)
    return Memory(heap, geometry, bytes(range(8)), local, parts)


def threads(b0: int, b1: int) -> Threads:
    """All threads of some blocks."""
    return Threads(b0, b1, 0, 32, None, 32 * (b1 - b0))


_ALL = threads(0, 2)


def access(space: Space, elements: int = 1) -> InstructionAccess:
    return InstructionAccess(space, _WORD, elements, "read")


def lanes(step: int, start: int = 0) -> Array:
    return (start + step * np.arange(32))[None, :].repeat(2, 0).astype(np.uint64)


def test_shared_memory_belongs_to_a_block_and_local_memory_to_a_thread():
    space = memory()
    values = np.arange(64, dtype=np.uint32).reshape(2, 32)
    write = InstructionAccess("shared", _WORD, 1, "write")
    space.store(_ALL, lanes(4), 0, (values,), None, write)
    found = space.load(_ALL, lanes(4), 0, None, access("shared"))
    np.testing.assert_array_equal(found, values)
    write = InstructionAccess("local", _WORD, 1, "write")
    space.store(_ALL, np.full((1, 1), 8), 4, (values,), None, write)
    found = space.load(_ALL, np.full((1, 1), 12), 0, None, access("local"))
    np.testing.assert_array_equal(found, values)
    second_block = threads(1, 2)
    found = space.load(second_block, np.full((1, 1), 12), 0, None, access("local"))
    np.testing.assert_array_equal(found, values[1:])


def test_generic_addresses_of_several_spaces():
    space = memory()
    heap = space.heap
    heap.write(heap.by_name["c"], np.arange(16, dtype=np.uint32).tobytes())
    space.shared.bytes[...] = 1
    space.local.bytes[...] = 2
    address = np.full((2, 32), heap.by_name["c"].address + 8, np.uint64)
    address[:, ::3] = SHARED_WINDOW
    address[:, 1::3] = LOCAL_WINDOW + 4
    found = space.load(_ALL, address, 0, None, access("generic"))
    wanted = np.full((2, 32), 2, np.uint32)
    wanted[:, ::3], wanted[:, 1::3] = 0x01010101, 0x02020202
    np.testing.assert_array_equal(found, wanted)


def test_parameters():
    found = memory().load(_ALL, np.full((1, 1), 4), 0, None, access("param"))
    assert found.tobytes() == bytes([4, 5, 6, 7])


@pytest.mark.parametrize(
    ("space", "address", "elements", "message"),
    [
        ("shared", 256, 1, "out-of-bounds 4-byte read at shared address 0x100"),
        ("shared", 252, 2, "misaligned 8-byte read at shared address 0xfc"),
        ("shared", -4, 1, "out-of-bounds 4-byte read at shared address -0x4"),
        ("local", 16, 1, "local memory has 16 bytes"),
        ("param", 8, 1, "param memory has 8 bytes"),
        ("global", GLOBAL_WINDOW - 8, 1, "out-of-bounds 4-byte read at global address"),
        ("global", (1 << 63) + 4, 1, "far from every allocation"),
        ("global", GLOBAL_WINDOW + 2, 1, "misaligned 4-byte read at global address"),
        ("generic", 0, 1, "out-of-bounds 4-byte read at global address 0x0"),
    ],
)
def test_faults_name_their_lanes(space: Space, address: int, elements: int, message: str):
    addresses = np.zeros((2, 32), np.uint64)
    valid = {"global": memory().heap.by_name["a"].address, "generic": SHARED_WINDOW}
    addresses[...] = valid.get(space, 0)
    addresses[1, 7] = address % (1 << 64)
    with pytest.raises(LaneFault) as caught:
        memory().load(_ALL, addresses, 0, None, access(space, elements))
    assert message in caught.value.message
    np.testing.assert_array_equal(np.argwhere(caught.value.lanes), [[1, 7]])
    mask = np.ones((2, 32), np.bool_)
    mask[1, 7] = False
    memory().load(_ALL, addresses, 0, mask, access(space, elements))


def test_last_bytes_of_an_allocation():
    space = memory()
    start = np.full((1, 1), space.heap.by_name["a"].address, np.uint64)
    space.load(_ALL, start, 96, None, access("global"))
    with pytest.raises(LaneFault, match=r"16-byte read .*byte 96 of a, which has 100 bytes"):
        space.load(_ALL, start, 96, None, access("global", 4))


def test_negative_intermediate_address_in_32_bits():
    """A base below the variable wraps around and comes back when its offset is added."""
    space = memory()
    base = np.full((1, 1), 2**32 - 16, np.uint32)
    space.load(_ALL, base, 16, None, access("shared"))
