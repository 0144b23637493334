"""Shape:stride layouts in the notation of CuTe, and swizzles.

A layout is a pair of congruent nested tuples. A layout maps a coordinate to the sum, over modes, of
coordinate times stride. A plain integer is read as a coordinate with the FIRST mode fastest
(colexicographic order), as in CuTe. The textual form ``<(128, 64), (64, 1), swizzle<3, 4, 3>,
elem=nvfp4>`` has the grammar of the TileAS layout descriptor. This module checks the rules of
descriptors; the attribute of the dialect prints and parses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

IntTuple: TypeAlias = "int | tuple[IntTuple, ...]"


class LayoutError(ValueError):
    """A layout that breaks a rule, or a request that a layout cannot meet."""


def flatten(value: IntTuple) -> tuple[int, ...]:
    """The integers of a nested tuple, from left to right."""
    return tuple(_leaves(value))


def _leaves(value: IntTuple) -> Iterator[int]:
    if isinstance(value, int):
        yield value
    else:
        for item in value:
            yield from _leaves(item)


def product(value: IntTuple) -> int:
    """The product of the integers of a nested tuple; 1 when there are none."""
    result = 1
    for factor in _leaves(value):
        result *= factor
    return result


def congruent(first: IntTuple, second: IntTuple) -> bool:
    """Whether two nested tuples have the same nesting and the same lengths."""
    if isinstance(first, int) or isinstance(second, int):
        return isinstance(first, int) and isinstance(second, int)
    return len(first) == len(second) and all(map(congruent, first, second))


def is_power_of_two(value: int) -> bool:
    """Whether ``value`` is 1, 2, 4, 8, ..."""
    return value > 0 and value & (value - 1) == 0


def bit_count(extent: int) -> int:
    """log2 of a power of two.

    Raises:
        LayoutError: ``extent`` is not a power of two.
    """
    if not is_power_of_two(extent):
        raise LayoutError(f"expected a power of two, got {extent}")
    return extent.bit_length() - 1


@dataclass(frozen=True)
class Swizzle:
    """XOR of ``bits`` address bits from bit ``base + shift`` up into the bits from ``base`` up.

    In a layout descriptor the triple acts on byte offsets.
    """

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        if min(self.bits, self.base, self.shift) < 0:
            raise LayoutError(f"swizzle parameters must not be negative, got {self}")
        if self.shift < self.bits:
            raise LayoutError(
                f"expected a swizzle whose shift is at least its number of bits, got {self}"
            )

    def __call__(self, offset: int) -> int:
        """The swizzled offset. The swizzled offset: linear over F2, and its own inverse."""
        mask = ((1 << self.bits) - 1) << self.base
        return offset ^ ((offset >> self.shift) & mask)

    @property
    def span(self) -> int:
        """The length of a contiguous range whose chunks are permuted, in the unit of the offset."""
        return 1 << (self.base + self.bits)

    @property
    def period(self) -> int:
        """The length after which the pattern repeats: the alignment that a buffer needs."""
        return 1 << (self.base + self.shift + self.bits)

    def __str__(self) -> str:
        return f"swizzle<{self.bits}, {self.base}, {self.shift}>"


NO_SWIZZLE = Swizzle(0, 4, 3)
SWIZZLE_32B = Swizzle(1, 4, 3)
SWIZZLE_64B = Swizzle(2, 4, 3)
SWIZZLE_128B = Swizzle(3, 4, 3)
SWIZZLE_128B_ATOM_32B = Swizzle(2, 5, 2)

SWIZZLES: tuple[Swizzle, ...] = (
    NO_SWIZZLE,
    SWIZZLE_32B,
    SWIZZLE_64B,
    SWIZZLE_128B,
    SWIZZLE_128B_ATOM_32B,
)
"""All swizzles that a shared-memory descriptor can encode. Only tcgen05 has the last swizzle."""

ELEMENT_BITS: dict[str, int] = {
    "i1": 8,
    "i8": 8,
    "i16": 16,
    "i32": 32,
    "i64": 64,
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "tf32": 32,
    "f64": 64,
    "f8E4M3FN": 8,
    "f8E5M2": 8,
    "f8E8M0FNU": 8,
    "f4E2M1FN": 4,
    "mxf4": 4,
    "nvfp4": 4,
}
"""The element types that a layout descriptor may name, with their bits in memory."""


def listed_swizzle(bits: int, base: int, shift: int) -> Swizzle:
    """The member of ``SWIZZLES`` with the given parameters.

    Raises:
        LayoutError: the triple is not in the closed set.
    """
    for swizzle in SWIZZLES:
        if (swizzle.bits, swizzle.base, swizzle.shift) == (bits, base, shift):
            return swizzle
    raise LayoutError(f"unsupported swizzle, got <{bits}, {base}, {shift}>")


def element_bits(name: str) -> int:
    """The bits of an element of the named type in memory.

    Raises:
        LayoutError: the name is not one of ``ELEMENT_BITS``.
    """
    bits = ELEMENT_BITS.get(name)
    if bits is None:
        raise LayoutError(f"unknown element type '{name}' in layout")
    return bits


@dataclass(frozen=True)
class Layout:
    """A shape:stride layout.

    Raises:
        LayoutError: shape and stride are not congruent, an extent is not positive, or a stride is
            negative.
    """

    shape: IntTuple
    stride: IntTuple

    def __post_init__(self) -> None:
        if not congruent(self.shape, self.stride):
            raise LayoutError(
                "shape and stride of a layout must have the same nesting, got "
                f"{format_tuple(self.shape)} and {format_tuple(self.stride)}"
            )
        for extent in _leaves(self.shape):
            if extent < 1:
                raise LayoutError(f"layout extents must be positive, got {extent}")
        for stride in _leaves(self.stride):
            if stride < 0:
                raise LayoutError(f"layout strides must not be negative, got {stride}")

    @property
    def rank(self) -> int:
        """The number of top-level modes."""
        return 1 if isinstance(self.shape, int) else len(self.shape)

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return product(self.shape)

    @property
    def cosize(self) -> int:
        """One more than the largest value of the layout."""
        return 1 + sum((extent - 1) * stride for extent, stride in self.leaves())

    def modes(self) -> tuple[Layout, ...]:
        """The top-level modes, each a layout of its own."""
        if isinstance(self.shape, int) or isinstance(self.stride, int):
            return (self,)
        return tuple(map(Layout, self.shape, self.stride))

    def leaves(self) -> tuple[tuple[int, int], ...]:
        """The (extent, stride) pairs from left to right, nesting dropped."""
        return tuple(zip(_leaves(self.shape), _leaves(self.stride), strict=True))

    def __call__(self, coordinate: IntTuple) -> int:
        """The value at a coordinate: an integer, or a tuple with one item per top-level mode.

        Raises:
            LayoutError: the coordinate is out of bounds or has the wrong nesting.
        """
        if isinstance(coordinate, int):
            if not 0 <= coordinate < self.size:
                raise LayoutError(f"coordinate {coordinate} is out of bounds for {self}")
            value = 0
            for extent, stride in self.leaves():
                value += coordinate % extent * stride
                coordinate //= extent
            return value
        if isinstance(self.shape, int) or len(coordinate) != self.rank:
            raise LayoutError(f"coordinate {format_tuple(coordinate)} does not fit {self}")
        return sum(mode(item) for mode, item in zip(self.modes(), coordinate, strict=True))

    def coalesce(self) -> Layout:
        """The layout with as few modes as possible that maps integers equally."""
        modes: list[tuple[int, int]] = []
        for extent, stride in self.leaves():
            if extent == 1:
                continue
            if modes and stride == modes[-1][0] * modes[-1][1]:
                modes[-1] = (modes[-1][0] * extent, modes[-1][1])
            else:
                modes.append((extent, stride))
        return from_modes(modes)

    def compose(self, inner: Layout) -> Layout:
        """The layout ``x -> self(inner(x))``, with the nesting of ``inner`` at the top.

        Raises:
            LayoutError: the composition is not a shape:stride layout. An extent of ``self`` and a
                mode of ``inner`` do not divide each other, or the modes of ``inner`` overlap.
        """
        reach = 1
        for stride, extent in sorted((stride, extent) for extent, stride in inner.leaves()):
            if stride and extent > 1:
                if stride % reach:
                    raise LayoutError(f"cannot compose with {inner}, whose modes overlap")
                reach = stride * extent
        return _compose(self.coalesce().leaves(), inner)

    def inverse(self) -> Layout:
        """The layout ``y`` with ``self(y(x)) == x`` for every ``x`` below the size.

        Raises:
            LayoutError: the values are not 0, 1, .., size - 1, each once.
        """
        modes: list[tuple[int, int]] = []
        # The mode whose stride is the size of all modes with smaller ones comes next.
        coordinates: dict[int, tuple[int, int]] = {}
        reach = 1
        for extent, stride in self.leaves():
            if extent > 1:
                coordinates[stride] = (extent, reach)
            reach *= extent
        value = 1
        while value < self.size:
            if value not in coordinates:
                raise LayoutError(f"{self} is not a bijection: no mode has stride {value}")
            extent, coordinate = coordinates[value]
            modes.append((extent, coordinate))
            value *= extent
        return from_modes(modes)

    def __str__(self) -> str:
        return f"{format_tuple(self.shape)}:{format_tuple(self.stride)}"


def _compose(outer: Sequence[tuple[int, int]], inner: Layout) -> Layout:
    if isinstance(inner.shape, int) and isinstance(inner.stride, int):
        return from_modes(_compose_mode(outer, inner.shape, inner.stride))
    modes = [_compose(outer, mode) for mode in inner.modes()]
    return Layout(tuple(mode.shape for mode in modes), tuple(mode.stride for mode in modes))


def _compose_mode(
    outer: Sequence[tuple[int, int]], extent: int, stride: int
) -> list[tuple[int, int]]:
    """The modes of ``outer`` composed with the mode ``extent:stride``."""
    if stride == 0:
        return [(extent, 0)]
    modes: list[tuple[int, int]] = []
    for outer_extent, outer_stride in outer[:-1]:
        if outer_extent % stride and stride % outer_extent:
            raise LayoutError(
                f"neither of stride {stride} and extent {outer_extent} divides the other"
            )
        step = max(1, outer_extent // stride)
        taken = min(step, extent)
        if extent % taken:
            raise LayoutError(f"extent {extent} is not a multiple of {taken}")
        if taken > 1:
            modes.append((taken, stride * outer_stride))
        extent //= taken
        stride = max(1, stride // outer_extent)
    return [*modes, (extent, stride * outer[-1][1])] if extent > 1 else modes


def from_modes(modes: Sequence[tuple[int, int]]) -> Layout:
    """The layout of (extent, stride) modes: 1:0 without modes, a flat pair for one mode."""
    if not modes:
        return Layout(1, 0)
    if len(modes) == 1:
        return Layout(*modes[0])
    return Layout(tuple(extent for extent, _ in modes), tuple(stride for _, stride in modes))


def format_tuple(value: IntTuple) -> str:
    """A nested tuple as the descriptor grammar writes it, e.g. ``((4, 2), 32)``."""
    if isinstance(value, int):
        return str(value)
    return f"({', '.join(map(format_tuple, value))})"


def share_no_bits(bases: Sequence[int]) -> bool:
    """Whether no two bases have a bit in common, so that their sum is their exclusive or."""
    used = 0
    for base in bases:
        if used & base:
            return False
        used |= base
    return True


def linear_bases(layout: Layout) -> tuple[int, ...]:
    """The layout as a linear map over F2: the value of each bit of its integer coordinate.

    Addition equals exclusive or if no two modes share a bit of the value.

    Raises:
        LayoutError: an extent is not a power of two, or sums carry since two bits of the
            coordinate reach the same bit of the value.
    """
    bases: list[int] = []
    for extent, stride in layout.leaves():
        bases += [stride << bit for bit in range(bit_count(extent))]
    if not share_no_bits(bases):
        raise LayoutError(f"{layout} is not linear over F2: sums of its strides carry")
    return tuple(bases)


def layout_of_bases(bases: Sequence[int]) -> Layout:
    """The shape:stride layout of a linear map: runs of doubling (or zero) bases become modes.

    Raises:
        LayoutError: two bases share a bit, so that exclusive or is not a sum.
    """
    if not share_no_bits(bases):
        raise LayoutError("a map whose bases share bits has no shape:stride form")
    modes: list[tuple[int, int]] = []
    for base in bases:
        if modes and base == modes[-1][0] * modes[-1][1]:
            modes[-1] = (2 * modes[-1][0], modes[-1][1])
        else:
            modes.append((2, base))
    return from_modes(modes)
