"""Swizzled layouts of tiles in shared memory, and the TMA boxes that copy them.

Source: PTX ISA, "Tensor swizzling modes" and "Tensor-map"; CUDA driver API, tensor maps.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tileir_xdsl.layout import cute
from tileir_xdsl.layout.constructors import dimension_order, fastest_first
from tileir_xdsl.layout.linear import index_bits

MAX_BOX_EXTENT = 256
"""The most elements of a TMA box along one dimension."""

MAX_BOX_RANK = 5
"""The most dimensions of a TMA box."""

CORE_ROW_BYTES = 16
"""The bytes of a row of a core matrix without swizzle (PTX ISA, "Matrix Descriptor Format")."""


@dataclass(frozen=True)
class AddressMap:
    """A linear map over F2 from the row-major index of an element to its bit address.

    ``bases[i]`` is the address of bit ``i`` of the element index. Addresses count bits, so that
    elements of less than a byte have addresses; they are relative to an aligned base.
    """

    bases: tuple[int, ...]
    element_bits: int

    @property
    def bytes(self) -> int:
        """The size of the buffer, including addresses without an element."""
        reach = 0
        for base in self.bases:
            reach |= base
        return (reach + self.element_bits) // 8


@dataclass(frozen=True)
class SharedLayout:
    """A tile in shared memory: one top-level mode per dimension, to element offsets.

    The swizzle acts on the byte offset of an element.
    """

    layout: cute.Layout
    element_bits: int
    swizzle: cute.Swizzle = cute.NO_SWIZZLE

    def __post_init__(self) -> None:
        # `(128)` and `128` are one layout, which types write as the latter.
        if self.layout.rank == len(self.layout.leaves()) == 1:
            object.__setattr__(self, "layout", cute.from_modes(self.layout.leaves()))

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the tile."""
        return tuple(mode.size for mode in self.layout.modes())

    @property
    def alignment(self) -> int:
        """The byte alignment of the base address: TMA needs 128, a swizzle its period."""
        return max(128, self.swizzle.period)

    @staticmethod
    def from_address_map(addresses: AddressMap, shape: Sequence[int]) -> SharedLayout:
        """The inverse of ``address_map`` for a tile of the given shape.

        Of several swizzles that produce the same layout, the one with the shortest span is used.

        Raises:
            LayoutError: none of ``SWIZZLES`` leaves a shape:stride layout of whole elements.
        """
        positions = index_bits(shape)
        for swizzle in cute.SWIZZLES:
            on_bits = _on_bits(swizzle)
            offsets = [on_bits(address) for address in addresses.bases]
            whole = all(offset % addresses.element_bits == 0 for offset in offsets)
            if not whole or not cute.share_no_bits(offsets):
                continue
            elements = [offset // addresses.element_bits for offset in offsets]
            modes = [cute.layout_of_bases([elements[bit] for bit in bits]) for bits in positions]
            layout = cute.Layout(
                tuple(mode.shape for mode in modes), tuple(mode.stride for mode in modes)
            )
            return SharedLayout(layout, addresses.element_bits, swizzle)
        raise cute.LayoutError("no swizzle turns these addresses into a shape:stride layout")

    def address_map(self) -> AddressMap:
        """The layout as a linear map from the row-major element index.

        Raises:
            LayoutError: an extent is not a power of two, or the modes overlap.
        """
        modes = self.layout.modes()
        cute.linear_bases(self.layout)
        offsets = [offset for mode in reversed(modes) for offset in cute.linear_bases(mode)]
        on_bits = _on_bits(self.swizzle)
        return AddressMap(
            tuple(on_bits(offset * self.element_bits) for offset in offsets), self.element_bits
        )


def _on_bits(swizzle: cute.Swizzle) -> cute.Swizzle:
    """The given swizzle of byte addresses as a swizzle of bit addresses."""
    return cute.Swizzle(swizzle.bits, swizzle.base + 3, swizzle.shift)


def shared(
    shape: Sequence[int],
    element_bits: int,
    swizzle: cute.Swizzle = cute.NO_SWIZZLE,
    order: Sequence[int] | None = None,
) -> SharedLayout:
    """A dense layout of the tile.

    Unswizzled, the dimensions are packed in ``order``. Swizzled, the fastest dimension is cut into
    chunks as long as the span of the swizzle (e.g. 64 16-bit elements for 128 bytes). A chunk of
    every row is packed before the next chunk, as TMA boxes and matrix descriptors require.

    Args:
        shape: extents of the tile, powers of two.
        element_bits: bits per element in memory.
        swizzle: one of ``SWIZZLES``.
        order: dimensions from fastest to slowest; default: the last dimension first.

    Raises:
        LayoutError: a row is shorter than the span of the swizzle.
    """
    dimensions = dimension_order(shape, order)
    row = shape[dimensions[0]] if dimensions else 1
    chunk = row
    if swizzle.bits:
        chunk = swizzle.span * 8 // element_bits
        if row < chunk:
            raise cute.LayoutError(
                f"rows of {row * element_bits // 8} bytes are shorter than "
                f"{swizzle.span} bytes, the span of {swizzle}"
            )
    return _chunked(shape, dimensions, chunk, element_bits, swizzle)


def _chunked(
    shape: Sequence[int],
    order: Sequence[int],
    chunk: int,
    element_bits: int,
    swizzle: cute.Swizzle,
) -> SharedLayout:
    """Packs the fastest dimension in chunks, all rows of one chunk before the next chunk."""
    strides: list[cute.IntTuple] = [0] * len(shape)
    extents: list[cute.IntTuple] = list(shape)
    stride = chunk
    for dimension in order[1:]:
        cute.bit_count(shape[dimension])
        strides[dimension] = stride
        stride *= shape[dimension]
    for dimension in order[:1]:
        chunks = shape[dimension] // chunk
        extents[dimension] = (chunk, chunks) if chunks > 1 else chunk
        strides[dimension] = (1, stride) if chunks > 1 else 1
    return SharedLayout(cute.Layout(tuple(extents), tuple(strides)), element_bits, swizzle)


def widest_swizzle(
    shape: Sequence[int], element_bits: int, order: Sequence[int] | None = None
) -> cute.Swizzle:
    """The swizzle with the longest span that fits a row, among those with 16-byte chunks."""
    dimensions = dimension_order(shape, order)
    row_bytes = shape[dimensions[0]] * element_bits // 8 if dimensions else 0
    return next(
        swizzle
        for swizzle in (cute.SWIZZLE_128B, cute.SWIZZLE_64B, cute.SWIZZLE_32B, cute.NO_SWIZZLE)
        if swizzle.span <= row_bytes or not swizzle.bits
    )


@dataclass(frozen=True)
class TMABoxes:
    """The boxes of a tile that TMA copies: equal in shape, with one instruction each."""

    box: tuple[int, ...]
    """Extents of a box per dimension of the tile."""
    order: tuple[int, ...]
    """The dimensions from fastest to slowest: the order of the tensor map."""
    shared: SharedLayout
    """The layout in shared memory after all boxes are copied."""

    @property
    def bytes_per_box(self) -> int:
        """The bytes that each box adds to the transaction count of its barrier."""
        return cute.product(self.box) * self.shared.element_bits // 8

    @property
    def counts(self) -> tuple[int, ...]:
        """How many boxes there are along each dimension of the tile."""
        shape = self.shared.shape
        return tuple(extent // length for extent, length in zip(shape, self.box, strict=True))

    @property
    def distances(self) -> tuple[int, ...]:
        """The distance in bytes of adjacent boxes in shared memory, along each dimension."""
        modes = self.shared.layout.modes()
        return tuple(
            mode(length) * self.shared.element_bits // 8 if count > 1 else 0
            for mode, length, count in zip(modes, self.box, self.counts, strict=True)
        )

    def divided(self, parts: int) -> TMABoxes | None:
        """Smaller boxes for the same layout, whose number is a multiple of `parts`.

        The slowest dimensions of the boxes are cut. None if the boxes would be too small for a
        copy.
        """
        box = list(self.box)
        for dim in reversed(self.order[1:]):
            while (
                cute.product(self.shared.shape) // cute.product(tuple(box)) % parts and box[dim] > 1
            ):
                box[dim] //= 2
        made = TMABoxes(tuple(box), self.order, self.shared)
        fits = made.bytes_per_box % self.shared.alignment == 0
        return made if fits and cute.product(made.counts) % parts == 0 else None

    def positions(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """The first coordinate of every box, per dimension, and its byte offset in memory."""
        modes = self.shared.layout.modes()
        starts = (
            range(0, extent, length)
            for extent, length in zip(self.shared.shape, self.box, strict=True)
        )
        for start in itertools.product(*starts):
            offset = sum(mode(first) for mode, first in zip(modes, start, strict=True))
            yield start, offset * self.shared.element_bits // 8


def tma_boxes(
    shape: Sequence[int],
    element_bits: int,
    swizzle: cute.Swizzle = cute.NO_SWIZZLE,
    order: Sequence[int] | None = None,
) -> TMABoxes:
    """Cuts a tile into the largest boxes that TMA accepts.

    A box has at most 256 elements along each dimension; along the fastest, it has at most the span
    of the swizzle.

    Args:
        shape: extents of the tile, powers of two.
        element_bits: bits per element in memory, at least 8.
        swizzle: one of ``SWIZZLES``.
        order: dimensions of global memory from fastest to slowest; default: the last one first.

    Raises:
        LayoutError: the rank is not 1 to 5, elements are smaller than a byte, or rows of a box do
            not suit. They must be a multiple of 16 bytes and no shorter than the span of the
            swizzle.
    """
    dimensions = dimension_order(shape, order)
    if not 1 <= len(shape) <= MAX_BOX_RANK:
        raise cute.LayoutError(f"TMA boxes have 1 to {MAX_BOX_RANK} dimensions, got {len(shape)}")
    if element_bits < 8:
        raise cute.LayoutError(
            f"TMA boxes need elements of at least a byte, got {element_bits} bits"
        )
    box = [min(extent, MAX_BOX_EXTENT) for extent in shape]
    fastest = dimensions[0]
    if swizzle.bits:
        boxes_layout = shared(shape, element_bits, swizzle, order)
        box[fastest] = swizzle.span * 8 // element_bits
    else:
        boxes_layout = _chunked(shape, dimensions, box[fastest], element_bits, swizzle)
    if box[fastest] * element_bits % 128:
        raise cute.LayoutError(
            f"TMA box rows must be multiples of 16 bytes, got {box[fastest] * element_bits // 8}"
        )
    # A box is dense, so past a dimension that is cut, slower ones are walked box by box.
    cut = False
    for dimension in dimensions[1:]:
        if cut:
            box[dimension] = 1
        cut = cut or box[dimension] < shape[dimension]
    return TMABoxes(tuple(box), dimensions, boxes_layout)


def divided_over_pair(layout: SharedLayout, dimension: int) -> SharedLayout:
    """The layout of a tile of which each of two CTAs holds a half along a dimension.

    Each CTA's half has the layout of a separate tile. The last bit of the dimension, which selects
    the CTA, has stride 0.

    Raises:
        LayoutError: no boxes write the tile, or half of it.
    """
    boxes, shape = boxes_of(layout), list(layout.shape)
    shape[dimension] //= 2
    half = tma_boxes(shape, layout.element_bits, layout.swizzle, boxes.order).shared
    extents: list[cute.IntTuple] = []
    strides: list[cute.IntTuple] = []
    for number, mode in enumerate(half.layout.modes()):
        if number == dimension:
            leaves = (*(leaf for leaf in mode.leaves() if leaf[0] > 1), (2, 0))
            extents.append(tuple(extent for extent, _ in leaves))
            strides.append(tuple(stride for _, stride in leaves))
        else:
            extents.append(mode.shape)
            strides.append(mode.stride)
    return SharedLayout(
        cute.Layout(tuple(extents), tuple(strides)), layout.element_bits, layout.swizzle
    )


def part_in_cta(layout: SharedLayout) -> tuple[SharedLayout, int | None]:
    """The part of a tile that one CTA holds, and the dimension that a pair divides, if any."""
    extents: list[cute.IntTuple] = []
    strides: list[cute.IntTuple] = []
    divided: int | None = None
    for number, mode in enumerate(layout.layout.modes()):
        leaves = mode.leaves()
        if leaves[-1] == (2, 0):
            divided = number
            mode = cute.from_modes(leaves[:-1])
        extents.append(mode.shape)
        strides.append(mode.stride)
    if divided is None:
        return layout, None
    part = cute.Layout(tuple(extents), tuple(strides))
    return SharedLayout(part, layout.element_bits, layout.swizzle), divided


@lru_cache(maxsize=512)
def boxes_of(layout: SharedLayout) -> TMABoxes:
    """The boxes that TMA copies to get a given shared layout, with any dimension fastest.

    Raises:
        LayoutError: no boxes do.
    """
    rank = len(layout.shape)
    for dimension in reversed(range(rank)):
        order = fastest_first(rank, dimension)
        try:
            boxes = tma_boxes(layout.shape, layout.element_bits, layout.swizzle, order)
        except cute.LayoutError:
            continue
        if boxes.shared == layout:
            return boxes
    raise cute.LayoutError("no TMA boxes write a tile in this shared layout")


def default_shared_layout(
    shape: Sequence[int], element_bits: int, order: Sequence[int] | None = None
) -> SharedLayout:
    """The layout of a buffer whose type has none: the widest swizzle that a row allows."""
    return shared(shape, element_bits, widest_swizzle(shape, element_bits, order), order)


def fills_core_row(extent: int, bits: int) -> bool:
    """Whether `extent` contiguous elements fill a row of a core matrix."""
    return extent * bits >= 8 * CORE_ROW_BYTES
