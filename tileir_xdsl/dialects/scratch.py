"""Needs that ops declare of the scratch shared memory that they use while they are executed.

    %s = nv_tileas.reduce %t {axis = 0 : i32}       // Folded: parts of a sum that change warps
    %h = nv_tileaa.histogram %t : .. -> 64 x i32    // Staging(256, unit=4): a counter for each bin

An op states which elements change threads, and why. The layouts that they have before and after,
and so the bytes, are found by the analysis of scratch memory.
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
"""The bytes of the address that one thread allocates on the heap for all."""

TENSOR_MAP_BYTES = 128
"""The bytes of a tensor map (CUDA driver API, `CUtensorMap`)."""

SLOT_BYTES = 4
"""The bytes of the number of the slot that one thread takes for all."""


@dataclass(frozen=True)
class Staging:
    """Tiles in shared memory that threads write, and others read; `bytes` of them altogether."""

    bytes: int
    unit: int | None = None
    """The bytes of an element of a tile that may go through memory in windows; else None."""
    beside: int = 0
    """The bytes of a second tile of such elements, which is in memory together with the first."""

    def windows(self, steps: int) -> tuple[int, int]:
        """The numbers of windows of the two tiles, so that `steps` pairs of windows exist.

        Both are powers of two; the larger window is halved first.
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
    """The bytes of each of so many windows of a tile: whole elements of `unit` bytes."""
    return -(-bytes // (unit * count)) * unit


def second_offset(bytes: int) -> int:
    """Where a second tile in scratch memory begins, after a first one of so many bytes."""
    return -(-bytes // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT


@dataclass(frozen=True)
class Rearranged:
    """A tile in registers that the result has in another layout."""

    source: SSAValue
    result: SSAValue
    strategy: ConversionStrategy | None = None


@dataclass(frozen=True)
class Carried:
    """An operand whose registers become those of the result, perhaps in another layout."""

    operand: int


@dataclass(frozen=True)
class Whole:
    """A tile in memory as a whole: threads read elements of it that others have."""

    tile: SSAValue
    unless_carried: Sequence[int] = ()
    """The operands whose registers would otherwise become those of the result."""


@dataclass(frozen=True)
class Bytes:
    """A tile whose bytes are those of another element type in the result."""

    source: SSAValue
    result: SSAValue


@dataclass(frozen=True)
class Forwarded:
    """The results of transactions that one of several threads with an element executes."""

    tile: SSAValue
    """The tile whose layout says which threads have an element."""
    result: SSAValue | None


@dataclass(frozen=True)
class Along:
    """Indices that go to the threads with the elements of a tile along one dimension."""

    index: SSAValue
    tile: SSAValue
    dimension: int


@dataclass(frozen=True)
class Folded:
    """Tiles that are combined along an axis, first inside of threads and warps."""

    inputs: Sequence[SSAValue]
    results: Sequence[SSAValue]
    axis: int
    body: Block


@dataclass(frozen=True)
class Scanned:
    """Tiles of which all combinations along an axis are made."""

    inputs: Sequence[SSAValue]
    results: Sequence[SSAValue]
    axis: int


@dataclass(frozen=True)
class Multiplied:
    """Rows of A and columns of B for the threads that multiply elements, and their scales."""


@dataclass(frozen=True)
class Packed:
    """A tile that multicast memory moves in words of one or more elements."""

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
