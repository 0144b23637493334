"""Operands of wgmma and tcgen05.mma in shared memory: matrix descriptors.

A descriptor locates the part of a matrix that an instruction reads: its start, and two distances
between groups of rows of one swizzle span. An offset is added to the start address before the
swizzle. Source: PTX ISA, "Matrix Descriptor Format" and "Strides".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.shared import CORE_ROW_BYTES, SharedLayout

CORE_ROWS = 8
"""The number of rows that one stride offset skips."""

UNIT_BYTES = 16
"""The unit of addresses and distances in a descriptor."""
ADDRESS_MASK = 0x3FFFF
"""The bits of a shared address that a descriptor holds."""

_WARPGROUP_SWIZZLES = {0: 0, 128: 1 << 62, 64: 2 << 62, 32: 3 << 62}
_TENSOR_MEMORY_SWIZZLES = {0: 0, 128: 2 << 61, 64: 4 << 61, 32: 6 << 61}
_TENSOR_MEMORY_VERSION = 1 << 46


@dataclass(frozen=True)
class MatrixOperand:
    """A tile in shared memory as an operand: A has dimensions M and K, B has N and K. `outer` is
    the tile's dimension along M or N, `inner` along K. Distances are in bytes.
    """

    layout: SharedLayout
    outer: int
    inner: int
    is_k_major: bool
    leading: int
    stride: int

    @staticmethod
    def of(layout: SharedLayout, outer: int, extent: int, inner: int, depth: int) -> MatrixOperand:
        """The operand of instructions that read `extent` rows or columns, and `depth` along K.

        Raises:
            LayoutError: no descriptor describes the layout.
        """
        size = layout.element_bits // 8
        span = layout.swizzle.span if layout.swizzle.bits else 0
        row = span or CORE_ROW_BYTES

        def distance(dimension: int, steps: int) -> int:
            coordinate = [0] * len(layout.shape)
            coordinate[dimension] = steps
            return offset_of(layout, coordinate) if steps < layout.shape[dimension] else 0

        is_k_major = distance(inner, 1) == size
        fast, slow = (inner, outer) if is_k_major else (outer, inner)
        past_row = distance(fast, row // size)
        past_rows = distance(slow, CORE_ROWS)
        leading, stride = past_row, past_rows
        if not span and not is_k_major:
            leading, stride = past_rows, past_row

        def wanted(dimension: int, step: int) -> int:
            if dimension == slow:
                return step * row if step < CORE_ROWS else step // CORE_ROWS * past_rows
            return step * size if step * size < row else step * size // row * past_row

        for dimension, steps in ((outer, extent), (inner, depth)):
            for step in takewhile(lambda step, steps=steps: step < steps, _powers()):
                if distance(dimension, step) != wanted(dimension, step):
                    raise LayoutError(f"no matrix descriptor describes the layout {layout.layout}")
        return MatrixOperand(layout, outer, inner, is_k_major, leading, stride)

    def offset(self, coordinate: Sequence[int]) -> int:
        """Bytes from the start of the tile to an element, before the swizzle."""
        return offset_of(self.layout, coordinate)

    @property
    def warpgroup_bits(self) -> int:
        """All fields of a descriptor of wgmma except the start address."""
        return self._distances | _WARPGROUP_SWIZZLES[self._span]

    @property
    def tensor_memory_bits(self) -> int:
        """All fields of a descriptor of tcgen05.mma except the start address."""
        return self._distances | _TENSOR_MEMORY_SWIZZLES[self._span] | _TENSOR_MEMORY_VERSION

    @property
    def _span(self) -> int:
        return self.layout.swizzle.span if self.layout.swizzle.bits else 0

    @property
    def _distances(self) -> int:
        return self.stride // UNIT_BYTES << 32 | self.leading // UNIT_BYTES << 16


def offset_of(layout: SharedLayout, coordinate: Sequence[int]) -> int:
    """Bytes from the start of a shared layout to an element, before the swizzle."""
    modes = layout.layout.modes()
    elements = sum(mode(position) for mode, position in zip(modes, coordinate, strict=True))
    return elements * layout.element_bits // 8


def _powers():
    step = 1
    while True:
        yield step
        step *= 2
