"""Shared-memory accesses against a model of the 32 banks and of ldmatrix."""

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pytest import mark, raises

from tests.unit.layout.enumeration import addresses_of, elements_of, random_layout, table
from tileir_xdsl.layout.banks import (
    MatrixAccess,
    VectorAccess,
    matrix_access,
    phase_bits,
    vector_access,
    wavefronts,
)
from tileir_xdsl.layout.constructors import (
    blocked,
    matrices,
    mma_accumulator,
    mma_operand_a,
    mma_operand_b,
)
from tileir_xdsl.layout.cute import (
    NO_SWIZZLE,
    SWIZZLE_32B,
    SWIZZLE_64B,
    SWIZZLE_128B,
    LayoutError,
    Swizzle,
)
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import AddressMap, shared


def counted_wavefronts(addresses: NDArray[np.int64], vector_bytes: int) -> NDArray[np.int64]:
    """The most different words that one bank must deliver, in each row of byte addresses."""
    words = np.unique(np.arange(max(4, vector_bytes)) // 4 * 4)
    wanted = (addresses[:, :, None] + words).reshape(len(addresses), -1) // 4
    wanted.sort(axis=1)
    new = np.ones_like(wanted, bool)
    new[:, 1:] = wanted[:, 1:] != wanted[:, :-1]
    banks = np.arange(len(addresses))[:, None] * 32 + wanted % 32
    return np.bincount(banks[new], minlength=32 * len(addresses)).reshape(-1, 32).max(axis=1)


@mark.parametrize("vector_bytes", [1, 2, 4, 8, 16])
def test_the_formula_counts_the_bank_conflicts_of_random_maps(vector_bytes: int):
    """10,000 maps, each phase of each counted lane by lane."""
    rng = np.random.default_rng(vector_bytes)
    sizes = rng.choice([1 << 7, 1 << 9, 1 << 12, 1 << 16], (2_000, 1))
    offsets = rng.integers(0, sizes, (2_000, 5)) // vector_bytes * vector_bytes
    lanes = np.arange(32)[:, None] >> np.arange(5) & 1
    addresses = np.bitwise_xor.reduce(lanes * offsets[:, None, :], axis=2)
    expected = np.array([wavefronts(row, vector_bytes) for row in offsets.tolist()])
    served = 1 << phase_bits(vector_bytes)
    for first in range(0, 32, served):
        counted = counted_wavefronts(addresses[:, first : first + served], vector_bytes)
        np.testing.assert_array_equal(counted, expected)
    assert len(set(expected.tolist())) > 3


@mark.parametrize(
    ("swizzle", "expected"),
    [(NO_SWIZZLE, 8), (SWIZZLE_32B, 4), (SWIZZLE_64B, 2), (SWIZZLE_128B, 1)],
    ids=str,
)
def test_eight_rows_of_16_bytes_in_128_byte_rows(swizzle: Swizzle, expected: int):
    rows = [swizzle(128 << bit) for bit in range(3)]
    assert wavefronts(rows, 16) == expected


def test_vectors_have_up_to_16_bytes():
    with raises(LayoutError, match="up to 16 bytes, got 32"):
        wavefronts([32], 32)


def read_vectors(
    access: VectorAccess, layout: LinearLayout, addresses: AddressMap
) -> NDArray[np.int64]:
    """What ld.shared returns at [warp, lane, register], element numbers standing for data."""
    at_address = np.full(1 << 20, -1)
    at_address[addresses_of(addresses)] = np.arange(layout.size)
    result = np.full((layout.warps, layout.lanes, layout.registers), -1)
    for register in range(layout.registers):
        offset = 0
        for bit, value in zip(access.registers, access.register_offsets, strict=True):
            offset ^= value * (register >> bit & 1)
        position = sum((register >> bit & 1) << index for index, bit in enumerate(access.vector))
        byte = table(access.warp_offsets)[:, None] ^ table(access.lane_offsets)[None, :] ^ offset
        assert not np.any(byte % access.vector_bytes)
        result[:, :, register] = at_address[8 * byte + position * addresses.element_bits]
    return result


@mark.parametrize("element_bits", [8, 16, 32, 64])
def test_vector_accesses_reach_every_element(element_bits: int):
    rng = random.Random(element_bits)
    for step_number in range(100):
        layout = random_layout(rng, 9, rng.randrange(2, 6), 2, unit=step_number % 2 == 0)
        addresses = shared(layout.shape, element_bits).address_map()
        if step_number % 3:
            # Any bijection is an image.
            other = random_layout(rng, 9, 4, 0, unit=False)
            bases = tuple(base * element_bits for base in other.bases())
            addresses = AddressMap(bases, element_bits)
        access = vector_access(layout, addresses)
        assert np.array_equal(read_vectors(access, layout, addresses), elements_of(layout))
        assert access.vector_bytes == (element_bits // 8) << len(access.vector)
        copies = bin(layout.replicated_registers).count("1")
        assert access.instructions << len(access.vector) << copies == layout.registers


def test_vector_widths_and_costs():
    layout = blocked((64, 64), vector=8, warps=4)
    plain = vector_access(layout, shared((64, 64), 16).address_map())
    assert (plain.vector_bytes, plain.instructions, plain.wavefronts) == (16, 4, 16)
    narrow = vector_access(layout, shared((64, 64), 16).address_map(), max_bytes=4)
    assert (narrow.vector_bytes, narrow.instructions) == (4, 16)
    across = vector_access(layout, shared((64, 64), 16, order=(0, 1)).address_map())
    assert (across.vector_bytes, across.instructions) == (2, 32)
    packed = vector_access(layout, shared((64, 64), 4).address_map())
    assert packed.vector_bytes == 4
    with raises(LayoutError, match="no thread holds adjacent elements of 4 bits that fill a byte"):
        vector_access(layout, shared((64, 64), 4, order=(0, 1)).address_map())


def test_phases_of_idle_lanes_cost_nothing():
    addresses = shared((16, 8), 32).address_map()
    copied = LinearLayout((1, 2), (4, 8, 16, 32, 0), (64,), (), (16, 8))
    assert copied.replicated_lanes == 16
    everyone = vector_access(copied, addresses)
    half = vector_access(copied, addresses, idle_lanes=copied.replicated_lanes)
    assert (everyone.vector_bytes, everyone.wavefronts_each) == (16, 4)
    assert (half.vector_bytes, half.wavefronts_each, half.wavefronts) == (16, 2, 2)
    # The idle lanes of one phase leave it to the others.
    copied = LinearLayout((1, 2), (0, 4, 8, 16, 32), (64,), (), (16, 8))
    assert vector_access(copied, addresses, idle_lanes=1).wavefronts_each == 4


def test_columns_of_a_row_major_tile_conflict_without_swizzle():
    accumulator = mma_accumulator((64, 64), (4, 1))
    plain = vector_access(accumulator, shared((64, 64), 16).address_map())
    swizzled = vector_access(accumulator, shared((64, 64), 16, SWIZZLE_128B).address_map())
    # 16 registers of 4 bytes: eight rows 128 bytes apart meet in four banks.
    assert (plain.vector_bytes, plain.wavefronts) == (4, 16 * 8)
    assert (swizzled.vector_bytes, swizzled.wavefronts) == (4, 16)


def read_matrices(
    access: MatrixAccess, layout: LinearLayout, addresses: AddressMap
) -> NDArray[np.int64]:
    """What ldmatrix returns at [warp, lane, register], by the definition of the instruction."""
    bits = addresses.element_bits
    at_address = np.full(1 << 20, -1)
    at_address[addresses_of(addresses)] = np.arange(layout.size)
    result = np.full((layout.warps, 32, layout.registers), -1)
    word, row_elements = 32 // bits, 128 // bits
    for register in range(layout.registers):
        offset = 0
        for bit, value in zip(access.registers, access.register_offsets, strict=True):
            offset ^= value * (register >> bit & 1)
        matrix = sum((register >> bit & 1) << index for index, bit in enumerate(access.matrices))
        part = sum((register >> bit & 1) << index for index, bit in enumerate(access.word))
        # rows[warp, r] is the address that lane 8 * matrix + r supplies.
        supplied = table(access.warp_offsets)[:, None] ^ table(access.row_offsets)[None, :]
        rows = (supplied ^ offset)[:, 8 * matrix : 8 * matrix + 8]
        assert not np.any(rows % 16)
        data = at_address[8 * rows[:, :, None] + bits * np.arange(row_elements)[None, None, :]]
        lane = np.arange(32)
        if access.transposed:
            result[:, :, register] = data[:, 2 * (lane % 4) + part, lane // 4]
        else:
            result[:, :, register] = data[:, lane // 4, word * (lane % 4) + part]
    return result


@mark.parametrize("swizzle", [NO_SWIZZLE, SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B], ids=str)
@mark.parametrize(
    ("layout", "element_bits", "order", "transposed"),
    [
        (mma_operand_a((64, 64), (2, 2), 16), 16, None, False),
        (mma_operand_a((64, 128), (4, 1), 8), 8, None, False),
        (mma_operand_a((64, 64), (2, 2), 32), 32, None, False),
        (mma_operand_a((64, 64), (2, 2), 16), 16, (0, 1), True),
        (mma_operand_b((64, 128), (2, 2), 16), 16, (0, 1), False),
        (mma_operand_b((64, 128), (2, 2), 16), 16, None, True),
        (mma_operand_b((128, 64), (1, 4), 8), 8, (0, 1), False),
        (mma_accumulator((64, 64), (2, 2)), 16, None, False),
        (matrices(4), 16, None, False),
        (matrices(2, transposed=True), 16, None, True),
        (matrices(1, 8), 8, None, False),
    ],
)
def test_ldmatrix_reads_operands_from_shared_memory(
    layout: LinearLayout,
    element_bits: int,
    order: Sequence[int] | None,
    transposed: bool,
    swizzle: Swizzle,
):
    row = layout.shape[order[0] if order else -1] * element_bits // 8
    used = swizzle if swizzle.span <= row else NO_SWIZZLE
    addresses = shared(layout.shape, element_bits, used, order).address_map()
    access = matrix_access(layout, addresses, transposed=transposed)
    assert access is not None
    assert np.array_equal(read_matrices(access, layout, addresses), elements_of(layout))
    if element_bits == 16:
        assert matrix_access(layout, addresses, transposed=not transposed) is None
    conflict_free = access.instructions << len(access.matrices)
    if used.span == row:
        assert access.wavefronts == conflict_free


def test_the_row_addresses_of_the_usual_operands():
    a = shared((16, 16), 16).address_map()
    operand_a = matrix_access(mma_operand_a((16, 16), (1, 1), 16), a)
    assert operand_a is not None
    # Row lane % 16, byte column 16 * (lane / 16).
    expected = [lane % 16 * 32 + lane // 16 * 16 for lane in range(32)]
    assert table(operand_a.row_offsets).tolist() == expected
    n_by_k = shared((16, 16), 16, order=(0, 1)).address_map()
    operand_b = matrix_access(mma_operand_b((16, 16), (1, 1), 16), n_by_k)
    assert operand_b is not None
    # Row lane % 8 + 8 * (lane / 16), 16-byte chunk lane / 8 % 2.
    expected = [(lane % 8 + lane // 16 * 8) * 32 + lane // 8 % 2 * 16 for lane in range(32)]
    assert table(operand_b.row_offsets).tolist() == expected


def test_an_instruction_loads_as_few_steps_along_k_as_possible():
    """Of B 16 rows along K and 16 columns, where 32 along K of eight columns would wait longer."""
    operand_b = mma_operand_b((64, 64), (1, 1), 16)
    addresses = shared((64, 64), 16, order=(0, 1)).address_map()
    access = matrix_access(operand_b, addresses)
    assert access is not None
    assert [operand_b.register[bit] // 64 for bit in access.matrices] == [8, 0]
    assert [operand_b.register[bit] % 64 for bit in access.matrices] == [0, 8]
    operand_a = mma_operand_a((64, 64), (1, 1), 16)
    access = matrix_access(operand_a, shared((64, 64), 16).address_map())
    assert access is not None
    assert [operand_a.register[bit] for bit in access.matrices] == [8 * 64, 8]


def test_neighbours_of_a_thread_stay_in_one_instruction():
    """Four words side by side, which are stored as a vector, though rows follow them."""
    layout = LinearLayout((1, 2, 4, 64, 128), (8, 16, 256, 512, 1024), (), (), (32, 64))
    bases = (16, 128, 256, *(16 << bit for bit in (1, 2)), *(64 << bit for bit in range(3, 9)))
    # Lanes 0 and 1 hold the other words of the rows of 16 bytes that their matrices have.
    access = matrix_access(layout, AddressMap(bases, 16))
    assert access is not None
    assert [layout.register[bit] for bit in access.matrices] == [2, 4]


def test_matrices_need_rows_of_16_bytes():
    addresses = shared((64, 64), 16).address_map()
    assert matrix_access(blocked((64, 64), 8, 4), addresses) is None
    wide = shared((64, 64), 64).address_map()
    assert matrix_access(mma_accumulator((64, 64), (2, 2)), wide) is None
    assert matrix_access(blocked((64, 64), 8, 4, lanes=16), addresses) is None
    by_columns = shared((64, 64), 16, order=(0, 1)).address_map()
    assert matrix_access(mma_accumulator((64, 64), (2, 2)), by_columns) is None
    # Contiguous along the row, but its upper 8 bytes are swapped with those of the next row.
    bases = (16, 32, 128, 64, *(128 << bit for bit in range(1, 9)))
    broken = AddressMap(bases, 16)
    assert matrix_access(mma_accumulator((64, 64), (2, 2)), broken) is None
