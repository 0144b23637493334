"""Declarations by ops of their need for scratch: shared memory used while the op executes.

    %s = nv_tileas.reduce %t {axis = 0 : i32}       // Folded: parts of a sum that change warps
    %h = nv_tileaa.histogram %t : .. -> 64 x i32    // Staging(256, unit=4): a counter for each bin

An op states which elements move between threads, and why. The analysis of scratch memory finds the
layouts before and after the op, and so the bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Block, SSAValue

from tileir_xdsl.layout.conversion import ConversionStrategy

SCRATCH_ALIGNMENT = 128
"""The alignment in bytes of scratch memory."""

COUNT_BYTES = 4
"""The bytes of a counter of a histogram."""

ADDRESS_BYTES = 8
"""The bytes of a heap address, which one thread allocates and passes to all."""

TENSOR_MAP_BYTES = 128
"""The bytes of a tensor map (CUDA driver API, `CUtensorMap`)."""

SLOT_BYTES = 4
"""The bytes of a slot number, which one thread reserves and passes to all."""


@dataclass(frozen=True)
class Staging:
    """Tiles in shared memory, `bytes` in total, that threads write and other threads read."""

    bytes: int
    unit: int | None = None
    """The bytes of an element if the tile may pass through memory in windows; otherwise None."""
    beside: int = 0
    """The bytes of a second tile of the same elements, in memory together with the first."""

    def windows(self, steps: int) -> tuple[int, int]:
        """The numbers of windows of the two tiles, whose product is `steps`.

        Both numbers are powers of two; the larger window is halved first.
        """
        first = second = 1
        while first * second < steps:
            if self.bytes * second >= self.beside * first:
                first *= 2
            else:
                second *= 2
        return first, second

    def bytes_in(self, steps: int) -> int:
        """The bytes of the largest pair of windows."""
        first, second = self.windows(steps)
        size = window_bytes(self.bytes, self.unit or 1, first)
        if not self.beside:
            return size
        return second_offset(size) + window_bytes(self.beside, self.unit or 1, second)


def window_bytes(bytes: int, unit: int, count: int) -> int:
    """The bytes of a window, if a tile has `count` windows of whole elements of `unit` bytes."""
    return -(-bytes // (unit * count)) * unit


def second_offset(bytes: int) -> int:
    """The offset of a second tile in scratch memory, after a first tile of `bytes` bytes."""
    return -(-bytes // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT


@dataclass(frozen=True)
class Rearranged:
    """A tile in registers whose layout changes from `source` to `result`."""

    source: SSAValue
    result: SSAValue
    strategy: ConversionStrategy | None = None


@dataclass(frozen=True)
class Carried:
    """An operand whose registers become the result, after a change of layout if necessary."""

    operand: int


@dataclass(frozen=True)
class Whole:
    """A whole tile in memory, where threads read elements that other threads hold."""

    tile: SSAValue
    unless_carried: Sequence[int] = ()
    """Operands; if all of them can be carried instead, the tile needs no memory."""


@dataclass(frozen=True)
class Bytes:
    """A tile whose bytes the result holds as another element type."""

    source: SSAValue
    result: SSAValue


@dataclass(frozen=True)
class Forwarded:
    """The results of atomic transactions; of several threads that hold an element, one executes its
    transaction.
    """

    tile: SSAValue
    """The tile whose layout says which threads hold an element."""
    result: SSAValue | None


@dataclass(frozen=True)
class Along:
    """Indices that move to the threads that hold a tile's elements along one dimension."""

    index: SSAValue
    tile: SSAValue
    dimension: int


@dataclass(frozen=True)
class Folded:
    """Tiles that are reduced along an axis, first inside of threads and warps."""

    inputs: Sequence[SSAValue]
    results: Sequence[SSAValue]
    axis: int
    body: Block


@dataclass(frozen=True)
class Scanned:
    """Tiles that are scanned along an axis."""

    inputs: Sequence[SSAValue]
    results: Sequence[SSAValue]
    axis: int


@dataclass(frozen=True)
class Multiplied:
    """Rows of A, columns of B and scales that move to the multiplying threads."""


@dataclass(frozen=True)
class Packed:
    """A tile that is loaded from or stored to multicast memory in words of one or more elements."""

    tile: SSAValue
    is_loaded: bool


ScratchNeed = (
    Along
    | Bytes
    | Carried
    | Folded
    | Forwarded
    | Multiplied
    | Packed
    | Rearranged
    | Scanned
    | Staging
    | Whole
)
