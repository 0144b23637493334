"""Distributed layouts: which element of a tile each register of each thread holds.

Tile extents are powers of two, so the map from (register, lane, warp, block) to the element is
linear over F2. A linear map is determined by its values at the single bits of the four indices.

The example is a tile of 4 x 8 elements in two warps of only eight lanes. Each base is the element
that one bit of an index contributes:

    bit        register 0   lane 0   lane 1   lane 2   warp 0
    base           1           2        4        8       16

    >>> layout = LinearLayout(register=(1,), lane=(2, 4, 8), warp=(16,), block=(), shape=(4, 8))

The picture has `thread:register` at each element; the threads of warp 1 are numbered from 8:

    >>> from tileir_xdsl.layout.pictures import distributed_picture
    >>> print(distributed_picture(layout))
      |    0    1    2    3    4    5    6    7
    --+----------------------------------------
    0 |  0:0  0:1  1:0  1:1  2:0  2:1  3:0  3:1
    1 |  4:0  4:1  5:0  5:1  6:0  6:1  7:0  7:1
    2 |  8:0  8:1  9:0  9:1 10:0 10:1 11:0 11:1
    3 | 12:0 12:1 13:0 13:1 14:0 14:1 15:0 15:1

Register 1 of lane 5 of warp 1 (thread 13) holds the exclusive or of the bases of its set bits:

    register 1 = 1      1
    lane 5 = 101        2 ^ 8
    warp 1 = 1          16
    element             1 ^ 2 ^ 8 ^ 16 = 27 = 3 * 8 + 3

    >>> layout.element(register=1, lane=5, warp=1)
    27
    >>> layout.coordinate(register=1, lane=5, warp=1)
    (3, 3)
    >>> layout.holder(27)
    (1, 5, 1, 0)

CuTe writes the same map as shapes and strides:

    >>> print(layout.to_cute())
    (2, 8, 2, 1):(1, 2, 16, 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.cute import (
    Layout,
    LayoutError,
    bit_count,
    layout_of_bases,
    linear_bases,
    product,
)


def element_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The row-major strides of a tile: the last dimension is the fastest."""
    strides: list[int] = []
    stride = 1
    for extent in reversed(shape):
        strides.append(stride)
        stride *= extent
    return tuple(reversed(strides))


def element_coordinate(element: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The coordinate per dimension of a row-major linear element index."""
    return tuple(
        element // stride % extent
        for extent, stride in zip(shape, element_strides(shape), strict=True)
    )


def index_bits(shape: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The bits of the row-major element index that each dimension occupies, lowest first."""
    bits: list[tuple[int, ...]] = []
    last = 0
    for extent in reversed(shape):
        first, last = last, last + bit_count(extent)
        bits.append(tuple(range(first, last)))
    return tuple(reversed(bits))


def dimension_bases(shape: Sequence[int], dimension: int) -> tuple[int, ...]:
    """The element index of coordinates 1, 2, 4, .. along one dimension."""
    stride = element_strides(shape)[dimension]
    return tuple(stride << bit for bit in range(bit_count(shape[dimension])))


def _zero_mask(bases: Sequence[int]) -> int:
    return sum(1 << bit for bit, base in enumerate(bases) if base == 0)


@dataclass(frozen=True)
class LinearLayout:
    """A linear map from register, lane, warp and block bits to the elements of a tile.

    ``register[i]`` is the row-major linear element index (last dimension fastest) that bit ``i`` of
    the register number contributes, and so on. The element is the exclusive or of the
    contributions. A zero base means replication: both values of the bit hold the same element.

    Raises:
        LayoutError: an extent is not a power of two, or a base lies outside the tile.
    """

    register: tuple[int, ...]
    lane: tuple[int, ...]
    warp: tuple[int, ...]
    block: tuple[int, ...]
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        for extent in self.shape:
            bit_count(extent)
        size = self.size
        for base in self.bases():
            if not 0 <= base < size:
                raise LayoutError(f"base {base} is outside a tile of {size} elements")

    @property
    def size(self) -> int:
        """The number of elements of the tile."""
        return product(self.shape)

    @property
    def registers(self) -> int:
        """The number of elements that each thread holds, repeated ones included."""
        return 1 << len(self.register)

    @property
    def lanes(self) -> int:
        """The number of lanes of a warp."""
        return 1 << len(self.lane)

    @property
    def warps(self) -> int:
        """The number of warps of a block."""
        return 1 << len(self.warp)

    @property
    def blocks(self) -> int:
        """The number of blocks of the cluster."""
        return 1 << len(self.block)

    def bases(self) -> tuple[int, ...]:
        """All bases: register bits lowest, then lane, warp and block bits."""
        return self.register + self.lane + self.warp + self.block

    def thread_bases(self) -> tuple[int, ...]:
        """The bases of the thread index inside a block: lane bits, then warp bits."""
        return self.lane + self.warp

    def element(self, register: int = 0, lane: int = 0, warp: int = 0, block: int = 0) -> int:
        """The row-major linear index of the element in a register."""
        return (
            f2.apply(self.register, register)
            ^ f2.apply(self.lane, lane)
            ^ f2.apply(self.warp, warp)
            ^ f2.apply(self.block, block)
        )

    def coordinate(
        self, register: int = 0, lane: int = 0, warp: int = 0, block: int = 0
    ) -> tuple[int, ...]:
        """The coordinate per dimension of the element in a register."""
        return element_coordinate(self.element(register, lane, warp, block), self.shape)

    def holder(self, element: int) -> tuple[int, int, int, int] | None:
        """A (register, lane, warp, block) that holds an element; None if there is none.

        Of several copies, the one with the lowest register, lane, warp and block.
        """
        combination = f2.solve(self.bases(), element)
        if combination is None:
            return None
        holder: list[int] = []
        for group in (self.register, self.lane, self.warp, self.block):
            holder.append(combination & ((1 << len(group)) - 1))
            combination >>= len(group)
        register, lane, warp, block = holder
        return register, lane, warp, block

    def register_elements(self) -> list[int]:
        """The elements of thread 0, register by register; other threads add an offset."""
        return f2.table(self.register)

    def elements(self) -> list[int]:
        """The element of every (register, lane, warp, block), the register varying fastest."""
        return f2.table(self.bases())

    def vector_width(self, dimension: int = -1) -> int:
        """The number of adjacent elements along a dimension that consecutive registers hold."""
        neighbours = dimension_bases(self.shape, dimension) if self.shape else ()
        width = 1
        for base, neighbour in zip(self.register, neighbours, strict=False):
            if base != neighbour:
                break
            width *= 2
        return width

    @property
    def is_surjective(self) -> bool:
        """Whether some register holds each element of the tile."""
        return 1 << f2.rank(self.bases()) == self.size

    @property
    def replication(self) -> int:
        """The number of copies of each element: registers of all threads that hold it."""
        bases = self.bases()
        return 1 << (len(bases) - f2.rank(bases))

    @property
    def replicated_registers(self) -> int:
        """The mask of register bits that do not change the element."""
        return _zero_mask(self.register)

    @property
    def replicated_lanes(self) -> int:
        """The mask of lane bits that do not change the element."""
        return _zero_mask(self.lane)

    @property
    def replicated_warps(self) -> int:
        """The mask of warp bits that do not change the element."""
        return _zero_mask(self.warp)

    def to_cute(self) -> Layout:
        """The layout with the four top-level modes (register, lane, warp, block).

        Consecutive bases that double become one mode, e.g. ``((4, 2), 32, 4, 1):((1, 512), 4, 128,
        0)`` for 1024 elements over 128 threads in vectors of four.

        Raises:
            LayoutError: two bases share a bit, so there is no shape:stride form.
        """
        # Checked over all modes at once: a bit may not be shared across modes either.
        layout_of_bases(self.bases())
        groups = [
            layout_of_bases(group) for group in (self.register, self.lane, self.warp, self.block)
        ]
        return Layout(
            tuple(group.shape for group in groups), tuple(group.stride for group in groups)
        )

    @staticmethod
    def from_cute(layout: Layout, shape: Sequence[int]) -> LinearLayout:
        """The inverse of ``to_cute`` for a tile of the given shape.

        Raises:
            LayoutError: there are not four top-level modes, an extent is not a power of two, or a
                value is outside the tile. Also raised if two modes reach the same bit.
        """
        if isinstance(layout.shape, int) or layout.rank != 4:
            raise LayoutError(f"expected four modes (register, lane, warp, block), got {layout}")
        linear_bases(layout)
        register, lane, warp, block = map(linear_bases, layout.modes())
        return LinearLayout(register, lane, warp, block, tuple(shape))
