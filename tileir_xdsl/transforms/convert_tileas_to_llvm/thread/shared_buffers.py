"""Tiles in shared memory: the address and the layout of a buffer."""

from dataclasses import dataclass

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from tileir_xdsl.layout.shared import SharedLayout

from .builder import Index, LLVMBuilder


@dataclass(frozen=True)
class SharedTile:
    """A tile in shared memory.

    The tile begins `offset` bytes after the pointer `base`; the layout determines the alignment of
    both.
    """

    base: SSAValue
    offset: Index
    layout: SharedLayout

    def pointer(self, builder: LLVMBuilder, bytes: Index = 0) -> SSAValue:
        """The address `bytes` after the start of the tile."""
        pointer = builder.element_pointer(self.base, self.offset, i8)
        return builder.element_pointer(pointer, bytes, i8)
