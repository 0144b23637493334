"""Shared-memory accesses of a warp and what they cost.

Shared memory has 32 banks of 4 bytes. A warp is served in phases of 128 bytes. A phase has all 32
lanes for accesses of up to 4 bytes, 16 lanes for 8 bytes, 8 lanes for 16 bytes. Instructions
ldmatrix and stmatrix take one phase per matrix. Within a phase each bank delivers one word per
wavefront; lanes that read the same word share it. For addresses that are linear over F2 the number
of wavefronts follows from two ranks, without visiting lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.cute import LayoutError, bit_count
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate
from tileir_xdsl.layout.shared import AddressMap

WORD_BYTES = 4
BANKS = 32
PHASE_BYTES = WORD_BYTES * BANKS
MAX_VECTOR_BYTES = 16
ROW_BYTES = 16
"""The bytes of a row of a matrix that ldmatrix and stmatrix move."""


def phase_bits(vector_bytes: int) -> int:
    """log2 of the number of lanes that one phase serves.

    Raises:
        LayoutError: the vector has no power of two of 1 to 16 bytes.
    """
    if bit_count(vector_bytes) > bit_count(MAX_VECTOR_BYTES):
        raise LayoutError(f"shared-memory vectors have up to 16 bytes, got {vector_bytes}")
    return bit_count(PHASE_BYTES // max(WORD_BYTES, vector_bytes))


def wavefronts(lane_offsets: Sequence[int], vector_bytes: int) -> int:
    """The wavefronts that one phase takes: 1 is free of bank conflicts.

    ``lane_offsets[i]`` is the byte offset that bit ``i`` of the lane contributes, a multiple of the
    vector. Phases differ by a constant offset, which only permutes the banks, so all phases cost
    the same.

    Raises:
        LayoutError: the vector has no power of two of 1 to 16 bytes.
    """
    bits = phase_bits(vector_bytes)
    unit = max(WORD_BYTES, vector_bytes)
    units = [offset // unit for offset in lane_offsets[:bits]]
    banks = [offset & (PHASE_BYTES // unit - 1) for offset in units]
    return 1 << (f2.rank(units) - f2.rank(banks))


def access_wavefronts(lane_offsets: Sequence[int], vector_bytes: int, idle_lanes: int = 0) -> int:
    """The wavefronts that one access of a warp takes, all phases together.

    Lanes with a bit of ``idle_lanes`` do not access memory: phases of idle lanes cost nothing.

    Raises:
        LayoutError: the vector has no power of two of 1 to 16 bytes.
    """
    phases = phase_count(len(lane_offsets), vector_bytes, idle_lanes)
    return phases * wavefronts(lane_offsets, vector_bytes)


def phase_count(lane_bits: int, vector_bytes: int, idle_lanes: int = 0) -> int:
    """The phases of one access in which some lane accesses memory."""
    return 1 << sum(
        1 for bit in range(phase_bits(vector_bytes), lane_bits) if not idle_lanes >> bit & 1
    )


@dataclass(frozen=True)
class VectorAccess:
    """One ld.shared or st.shared per value of the register bits outside the vector.

    Offsets are in bytes, one per bit, and combine by exclusive or. Register bits that hold copies
    are neither in ``vector`` nor in ``registers``: only one copy is stored or loaded.
    """

    vector: tuple[int, ...]
    """The register bits inside a vector, lowest first."""
    registers: tuple[int, ...]
    """The register bits outside a vector."""
    register_offsets: tuple[int, ...]
    lane_offsets: tuple[int, ...]
    warp_offsets: tuple[int, ...]
    vector_bytes: int
    idle_lanes: int = 0
    """Lanes with a bit of this mask hold copies and do not access memory."""

    @property
    def instructions(self) -> int:
        """Accesses per thread."""
        return 1 << len(self.registers)

    @property
    def wavefronts_each(self) -> int:
        """Wavefronts of one access of a warp."""
        return access_wavefronts(self.lane_offsets, self.vector_bytes, self.idle_lanes)

    @property
    def wavefronts(self) -> int:
        """Wavefronts per warp for the whole tile."""
        return self.instructions * self.wavefronts_each


@dataclass(frozen=True)
class MatrixAccess:
    """One ldmatrix or stmatrix per value of the register bits outside the instruction.

    Offsets are in bytes, one per bit, and combine by exclusive or. Register bits that hold copies
    are in no field.
    """

    transposed: bool
    word: tuple[int, ...]
    """The register bits inside a 32-bit register, lowest first."""
    matrices: tuple[int, ...]
    """The register bits that number the matrices of one instruction: none, one or two."""
    registers: tuple[int, ...]
    """The register bits outside an instruction."""
    register_offsets: tuple[int, ...]
    row_offsets: tuple[int, ...]
    """Per lane bit: the row address that the lane supplies. Lanes without a row contribute 0."""
    warp_offsets: tuple[int, ...]

    @property
    def instructions(self) -> int:
        """Accesses per warp."""
        return 1 << len(self.registers)

    @property
    def wavefronts_each(self) -> int:
        """Wavefronts of one access of a warp."""
        return wavefronts(self.row_offsets[:3], ROW_BYTES) << len(self.matrices)

    @property
    def wavefronts(self) -> int:
        """Wavefronts per warp for the whole tile."""
        return self.instructions * self.wavefronts_each


def vector_access(
    layout: LinearLayout,
    addresses: AddressMap,
    max_bytes: int = MAX_VECTOR_BYTES,
    idle_lanes: int = 0,
) -> VectorAccess:
    """The widest plain accesses between registers and shared memory.

    Args:
        layout: where the registers hold the tile.
        addresses: where shared memory holds it.
        max_bytes: limit on the vector, a power of two.
        idle_lanes: lanes with a bit of this mask take no part.

    Raises:
        LayoutError: not even a byte of the tile is contiguous, which elements of 4 bits may bring.
    """
    registers = [f2.apply(addresses.bases, base) for base in layout.register]
    lanes = [f2.apply(addresses.bases, base) for base in layout.lane]
    warps = [f2.apply(addresses.bases, base) for base in layout.warp]
    vector: list[int] = []
    bits = addresses.element_bits
    while 2 * bits <= 8 * max_bytes and bits in registers:
        vector.append(registers.index(bits))
        bits *= 2
    outer = [bit for bit, offset in enumerate(registers) if offset and bit not in vector]
    reach = 0
    for offset in (*(registers[bit] for bit in outer), *lanes, *warps):
        reach |= offset
    # Every vector must be aligned to its size: no other bit may lead inside it.
    while bits > addresses.element_bits and reach & (bits - 1):
        bits //= 2
        outer.append(vector.pop())
        reach |= bits
    if bits < 8 or reach & (bits - 1):
        raise LayoutError(
            f"no thread holds adjacent elements of {addresses.element_bits} bits that fill a byte"
        )
    outer.sort()
    return VectorAccess(
        vector=tuple(vector),
        registers=tuple(outer),
        register_offsets=tuple(registers[bit] // 8 for bit in outer),
        lane_offsets=tuple(offset // 8 for offset in lanes),
        warp_offsets=tuple(offset // 8 for offset in warps),
        vector_bytes=bits // 8,
        idle_lanes=idle_lanes,
    )


def _block_of_matrices(
    layout: LinearLayout, word: Sequence[int], outer: Sequence[int]
) -> list[int]:
    """The register bits that number the matrices of one instruction: up to two of `outer`.

    For an operand of an MMA, the two bits are along different dimensions, so that an instruction
    loads for few steps along K. Adjacent words of a thread are in one instruction.
    """
    bases = [layout.register[bit] for bit in outer]
    if not word or not bases or bases[0] == 2 * layout.register[word[-1]]:
        return list(outer[:2])
    along = [[part > 0 for part in element_coordinate(base, layout.shape)] for base in bases]
    others = [bit for bit, dimensions in zip(outer, along, strict=True) if dimensions != along[0]]
    return sorted({outer[0], *(others or outer[1:])[:1]})


def matrix_access(
    layout: LinearLayout, addresses: AddressMap, *, transposed: bool = False
) -> MatrixAccess | None:
    """How ldmatrix or stmatrix moves the tile, or None when its fragments do not match.

    Without transposition each group of four lanes must hold 16 contiguous bytes in lane order. With
    transposition (16-bit elements), the eight groups of four must hold eight contiguous elements.
    With or without transposition, all further bits must move 16-byte rows as a whole.
    """
    bits = addresses.element_bits
    if len(layout.lane) != 5 or bits > 32 or (transposed and bits != 16):
        return None
    row = [bits << bit for bit in range(bit_count(8 * ROW_BYTES // bits))]
    word_bits = bit_count(32 // bits)
    lanes = [f2.apply(addresses.bases, base) for base in layout.lane]
    if lanes[2:] != row if transposed else lanes[:2] != row[word_bits:]:
        return None
    registers = [f2.apply(addresses.bases, base) for base in layout.register]
    if transposed:
        if not registers or not registers[0]:
            return None
        # The lower register bit of a word and lane bits 0 and 1 number the rows.
        word = [0]
        rows = [registers[0], *lanes[:2]]
    else:
        if any(offset not in registers for offset in row[:word_bits]):
            return None
        word = [registers.index(offset) for offset in row[:word_bits]]
        rows = lanes[2:]
    outer = [bit for bit, offset in enumerate(registers) if offset and bit not in word]
    matrices = _block_of_matrices(layout, word, outer)
    outer = [bit for bit in outer if bit not in matrices]
    rows += [registers[bit] for bit in matrices]
    rows += [0] * (5 - len(rows))
    warps = [f2.apply(addresses.bases, base) for base in layout.warp]
    others = [*rows, *(registers[bit] for bit in outer), *warps]
    if any(offset % (8 * ROW_BYTES) for offset in others):
        return None
    return MatrixAccess(
        transposed=transposed,
        word=tuple(word),
        matrices=tuple(matrices),
        registers=tuple(outer),
        register_offsets=tuple(registers[bit] // 8 for bit in outer),
        row_offsets=tuple(offset // 8 for offset in rows),
        warp_offsets=tuple(offset // 8 for offset in warps),
    )
