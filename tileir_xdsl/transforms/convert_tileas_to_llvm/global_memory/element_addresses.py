"""Per-element addresses and bounds, for tiles that `tile_access` does not support.

Such a tile may have a dimension that walks several dimensions of the memory object in row-major
order. Such a tile may also start at any element. Positions are unsigned 64-bit numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.layout.linear import LinearLayout, element_coordinate

from ..thread.builder import Index, LLVMBuilder
from ..thread.memory_objects import TiledView
from .tile_bounds import tile_start

Positions = Callable[[int, int], Index]
"""Returns the position in the memory object of a register's element, along a dimension of the
tile.
"""


class TestedElements:
    """One thread's elements of a tile that are bounds-checked one by one."""

    def whole(self, width: int) -> SSAValue | None:
        """None: every element is checked."""
        return None


@dataclass(frozen=True)
class ElementAccess(TestedElements):
    """One thread's elements of a tile of a view."""

    builder: LLVMBuilder
    view: TiledView
    layout: LinearLayout
    positions: Positions
    checked: Sequence[bool]
    """For each dimension, whether elements may be out of bounds."""
    element: Attribute

    def pointers(self, width: int) -> dict[int, SSAValue]:
        """The address of the element in every `width`-th register."""
        return {
            register: self.builder.element_pointer(
                self.view.memref.base, self._offset(register), self.element
            )
            for register in range(0, self.layout.registers, width)
        }

    def masks(self) -> list[SSAValue | None]:
        """For each register, whether its element is in bounds; None if known to be in bounds."""
        builder = self.builder
        return [
            builder.conjunction(
                [
                    builder.compare(
                        "ult",
                        builder.integer(self.positions(register, dim), i64),
                        builder.integer(group_size(builder, self.view, dim), i64),
                    )
                    for dim, checked in enumerate(self.checked)
                    if checked
                ]
            )
            for register in range(self.layout.registers)
        ]

    def _offset(self, register: int) -> Index:
        """The offset of a register's element from the start of the memory object, in elements."""
        builder, memref = self.builder, self.view.memref
        offset: Index = 0
        for dim, group in enumerate(self.view.groups):
            rest = self.positions(register, dim)
            # The first dimension of a group takes the remaining quotient.
            for memref_dim in reversed(group):
                position = rest
                # Row-major: the outermost dimension has what the inner ones leave.
                if memref_dim != group[0]:
                    rest, position = divide(builder, rest, memref.sizes[memref_dim])
                part = builder.multiply(position, memref.strides[memref_dim], i64)
                offset = builder.add(offset, part, i64)
        return offset


def divide(builder: LLVMBuilder, value: Index, divisor: Index) -> tuple[Index, Index]:
    """Quotient and remainder of an unsigned division."""
    if isinstance(value, int) and isinstance(divisor, int):
        # A dimension of size 0 has no elements; its masks are off, so any quotient will do.
        return divmod(value, max(1, divisor))
    lhs, rhs = builder.integer(value, i64), builder.integer(divisor, i64)
    return builder.compute(llvm.UDivOp, lhs, rhs), builder.compute(llvm.URemOp, lhs, rhs)


def group_size(builder: LLVMBuilder, view: TiledView, dim: int) -> Index:
    """The number of positions of a memory object along a dimension of its tiles."""
    size: Index = 1
    for memref_dim in view.groups[dim]:
        size = builder.multiply(size, view.memref.sizes[memref_dim], i64)
    return size


def first_position(
    builder: LLVMBuilder,
    view: TiledView,
    dim: int,
    coordinate: Index,
    offset: SSAValue | None = None,
) -> Index:
    """The first position of a tile along a dimension: from its index in tiles, and an offset in
    elements.
    """
    # Last, in elements: `tile_start` is bounded so that this sum cannot wrap.
    start = tile_start(builder, coordinate, view.steps[dim])
    return start if offset is None else builder.add(start, offset, i64)


def tile_positions(
    builder: LLVMBuilder, layout: LinearLayout, starts: Sequence[Index]
) -> Positions:
    """The positions of a tile's elements, from the tile's first position along each dimension."""
    elements = layout.register_elements()
    threads = [element_coordinate(base, layout.shape) for base in layout.thread_bases()]
    firsts = [
        builder.add(
            start,
            builder.zero_extend(builder.thread_offset(tuple(c[dim] for c in threads)), i64),
            i64,
        )
        for dim, start in enumerate(starts)
    ]

    def position(register: int, dim: int) -> Index:
        known = element_coordinate(elements[register], layout.shape)[dim]
        return builder.add(firsts[dim], known, i64)

    return position
