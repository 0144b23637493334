"""Whether a tile or buffer can change its layout directly, without a third layout in between.

In registers the planner of conversions decides: it renames registers, shuffles inside of warps, or
goes through shared memory. Buffers need a copy atom from their memory to itself.
"""

from functools import lru_cache

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from tileir_xdsl.dialects.nv_tileaa.constraints import moved_bits
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr, tile_layout
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.layout.conversion import plan_conversion
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.targets.atoms import COPY_ATOMS, Memory
from tileir_xdsl.targets.target import Target


@lru_cache(maxsize=64)
def copied_memories(target: Target | None) -> frozenset[tuple[Memory, Memory]]:
    """The pairs of memories between which a target has a copy atom; without a target, those of all
    targets.
    """
    return frozenset(
        (atom.source, atom.destination)
        for atom in COPY_ATOMS.values()
        if target is None or atom.is_available(target)
    )


def is_register_tile(type: Attribute) -> bool:
    """Whether a type is a tile in registers that has a layout."""
    return isinstance(type, TensorType) and isinstance(type.encoding, LayoutAttr)


def in_one_memory(source: Attribute, result: Attribute) -> bool:
    """Whether two types name the same memory; false if either type leaves its memory open."""
    memory = memory_of(source)
    return memory is not None and memory is memory_of(result)


@lru_cache(maxsize=4096)
def is_direct(source: Attribute, result: Attribute, target: Target | None = None) -> bool:
    """Whether one conversion makes a tile or buffer of type `result` from one of type `source`.

    Buffers are converted by a copy atom of the target; registers by code that every target has.
    """
    if source == result:
        return True
    if not in_one_memory(source, result):
        return False
    memory = memory_of(source)
    if memory is not Memory.REGISTER:
        return (memory, memory) in copied_memories(target)
    try:
        held, wanted = tile_layout(source), tile_layout(result)
        assert held is not None and wanted is not None
        plan_conversion(held, wanted, moved_bits(tile_shape(source).element))
    except LayoutError:
        return False
    return True
