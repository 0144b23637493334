"""The cost terms: the worked example of the notes, and enumeration for other tiles and types."""

import itertools
from dataclasses import replace
from math import prod

import numpy as np
import pytest

from tileir_xdsl.analysis.access.copy_costs import (
    FREE,
    ContiguousRun,
    CopyCost,
    bulk_transactions,
    conversion_cost,
    fragment_registers,
    global_sectors,
    live_registers,
    matrix_transactions,
    shared_transactions,
    tensor_memory_cycles,
    vector_transactions,
)
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.constructors import (
    blocked,
    mma_accumulator,
    mma_operand_a,
    wgmma_operand_a,
)
from tileir_xdsl.layout.cute import NO_SWIZZLE, SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B, Swizzle
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import AddressMap, SharedLayout, shared, tma_boxes, widest_swizzle
from tileir_xdsl.layout.tensor_memory import (
    AccessShape,
    tensor_memory_accumulator,
    tensor_memory_registers,
)
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyAtom
from tileir_xdsl.targets.target import CostWeights

WEIGHTS = get_target("sm_100a").cost_weights
TILE = (128, 64)
LAYOUT = shared(TILE, 16, SWIZZLE_128B)
THREADS = 128


def fragment_cost(atom: CopyAtom) -> CopyCost:
    """A load of the example's tile into fragments."""
    return CopyCost(
        transactions=matrix_transactions(TILE, atom, LAYOUT.address_map()),
        registers=live_registers(TILE, 16, THREADS, atom.expansion),
    )


EXAMPLE = {
    "ldsm_m88_x4": fragment_cost(COPY_ATOMS["ldsm_m88_x4"]),
    "ldsm_m816_x4": fragment_cost(COPY_ATOMS["ldsm_m816_x4"]),
    "tma_load_2d": CopyCost(bulk_transactions(tma_boxes(TILE, 16, SWIZZLE_128B)), 0.0, 0.0),
}


@pytest.mark.parametrize(
    ("name", "transactions", "cycles", "registers", "score"),
    [
        ("ldsm_m88_x4", 4, None, 32, 12),
        ("ldsm_m816_x4", 2, None, 64, 18),
        ("tma_load_2d", 1, 0, 0, 1),
    ],
)
def test_the_worked_example(
    name: str, transactions: int, cycles: int | None, registers: int, score: int
):
    cost = EXAMPLE[name]
    assert (cost.transactions, cost.cycles, cost.registers) == (transactions, cycles, registers)
    assert cost.score(WEIGHTS) == score


def test_the_choices_of_the_worked_example():
    def cheapest(*names: str) -> str:
        return min(names, key=lambda name: EXAMPLE[name].order(WEIGHTS))

    assert cheapest(*EXAMPLE) == "tma_load_2d"
    assert cheapest("ldsm_m816_x4", "ldsm_m88_x4") == "ldsm_m88_x4"


THREE_TERMS = replace(WEIGHTS, global_memory=0.0)


def test_the_notes_have_three_terms():
    weights = (THREE_TERMS.shared_memory, THREE_TERMS.tensor_memory, THREE_TERMS.registers)
    assert weights == (1, 4, 0.25)
    for terms in itertools.product((0.0, 3.0), (None, 5.0), (0.0, 16.0), (0.0, 7.0)):
        transactions, cycles, registers, _ = terms
        expected = transactions + 4 * (cycles or 0) + registers / 4
        assert CopyCost(*terms).score(THREE_TERMS) == expected
    for cost in EXAMPLE.values():
        assert cost.score(THREE_TERMS) == cost.score(WEIGHTS)


def test_without_the_fourth_term_a_transposition_stores_columns():
    rows, columns = blocked((32, 32), 1, 4), blocked((32, 32), 1, 4, order=(0, 1))
    run = ContiguousRun(1, 32)
    exchanged = conversion_cost(columns, rows, 16) + CopyCost(
        sectors=global_sectors(rows, 2, 1, run)
    )
    direct = CopyCost(sectors=global_sectors(columns, 2, 1, run))
    assert (exchanged.sectors, direct.sectors) == (3, 33)
    assert direct.order(THREE_TERMS) < exchanged.order(THREE_TERMS)
    assert exchanged.order(WEIGHTS) < direct.order(WEIGHTS)


def test_ties_are_broken_by_registers_then_transactions():
    tied = [CopyCost(4.0, None, 16.0), CopyCost(8.0, None, 0.0), CopyCost(0.0, None, 32.0)]
    assert len({cost.score(WEIGHTS) for cost in tied}) == 1
    assert min(tied, key=lambda cost: cost.order(WEIGHTS)) == tied[1]
    weights = CostWeights(shared_memory=0.0, global_memory=1.0)
    tied = [CopyCost(3.0, sectors=1.0), CopyCost(2.0, sectors=1.0)]
    assert min(tied, key=lambda cost: cost.order(weights)) == tied[1]


def test_costs_add_up():
    total = CopyCost(1.0, None, 2.0, 3.0) + CopyCost(4.0, 5.0, 6.0, 7.0) + FREE
    assert total == CopyCost(5.0, 5.0, 8.0, 10.0)
    assert total.score(CostWeights(1.0, 2.0, 0.5, 0.25)) == 5 + 10 + 4 + 2.5


# Enumeration: every lane of every warp, every instruction.


def words(shared_layout: AddressMap, elements: list[int]) -> set[int]:
    """The 4-byte words that elements lie in."""
    return {f2.apply(shared_layout.bases, element) // 32 for element in elements}


def wavefronts_of_words(asked: set[int]) -> int:
    """How often the busiest bank has to answer."""
    banks = np.bincount([word % 32 for word in asked], minlength=32)
    return int(banks.max())


def counted_vector_transactions(
    layout: LinearLayout, shared_layout: SharedLayout, vector: int
) -> float:
    """Four times the wavefronts per row, instruction by instruction and phase by phase."""
    addresses = shared_layout.address_map()
    lanes = min(32, 128 // max(4, vector * shared_layout.element_bits // 8))
    total = 0
    for warp, first in itertools.product(range(layout.warps), range(0, layout.registers, vector)):
        for phase in range(0, 32, lanes):
            held = [
                layout.element(register, lane, warp)
                for register in range(first, first + vector)
                for lane in range(phase, phase + lanes)
            ]
            total += wavefronts_of_words(words(addresses, held))
    return 4 * total / prod(layout.shape[:-1])


@pytest.mark.parametrize("swizzle", [NO_SWIZZLE, SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B])
@pytest.mark.parametrize(
    ("layout", "bits", "vector"),
    [
        pytest.param(blocked((32, 64), 8, 4), 16, 8, id="f16 rows"),
        pytest.param(blocked((32, 64), 1, 2, order=(0, 1)), 16, 1, id="f16 columns"),
        pytest.param(blocked((16, 128), 16, 2), 8, 16, id="i8"),
        pytest.param(blocked((32, 64), 2, 4), 32, 2, id="f32 pairs"),
        pytest.param(mma_accumulator((32, 64), (2, 2)), 32, 2, id="accumulator"),
    ],
)
def test_vector_transactions(layout: LinearLayout, bits: int, vector: int, swizzle: Swizzle):
    shared_layout = shared(layout.shape, bits, swizzle)
    expected = counted_vector_transactions(layout, shared_layout, vector)
    counted = vector_transactions(layout, shared_layout.address_map(), vector * bits // 8)
    assert counted == expected


@pytest.mark.parametrize("swizzle", [NO_SWIZZLE, SWIZZLE_64B, SWIZZLE_128B])
@pytest.mark.parametrize(
    ("shape", "bits"), [((128, 64), 16), ((64, 128), 8), ((32, 32), 32), ((16, 128), 16)]
)
def test_matrix_transactions(shape: tuple[int, int], bits: int, swizzle: Swizzle):
    shared_layout = shared(shape, bits, swizzle)
    columns = 128 // bits
    total = 0
    for row, column in itertools.product(range(0, shape[0], 8), range(0, shape[1], columns)):
        matrix = [(row + i) * shape[1] + column + j for i in range(8) for j in range(columns)]
        total += wavefronts_of_words(words(shared_layout.address_map(), matrix))
    atom = COPY_ATOMS["ldsm_m88_x4"]
    expected = 4 * total / shape[0]
    assert matrix_transactions(shape, atom, shared_layout.address_map()) == expected


def test_matrix_transactions_are_those_of_the_layout():
    for shape, bits in (((128, 64), 16), ((64, 128), 8)):
        shared_layout = shared(shape, bits, SWIZZLE_128B)
        layout = mma_operand_a(shape, (4, 1), bits)
        atom = COPY_ATOMS["ldsm_m88_x4"]
        assert matrix_transactions(shape, atom, shared_layout.address_map()) == shared_transactions(
            layout, shared_layout
        )


@pytest.mark.parametrize(
    ("shape", "bits", "swizzle"),
    [((64, 256), 16, SWIZZLE_128B), ((32, 512), 8, NO_SWIZZLE), ((8, 16, 32), 32, SWIZZLE_64B)],
)
def test_bulk_transactions(shape: tuple[int, ...], bits: int, swizzle: Swizzle):
    boxes = tma_boxes(shape, bits, swizzle)
    lines = 0
    for _ in boxes.positions():
        for _ in itertools.product(*(range(extent) for extent in boxes.box[:-1])):
            lines += len(range(0, boxes.box[-1] * bits // 8, 128))
    assert bulk_transactions(boxes) == lines / prod(shape[:-1])


@pytest.mark.parametrize(
    ("rows", "columns", "access"),
    [(128, 64, access) for access in AccessShape]
    + [(64, 32, a) for a in AccessShape if a is not AccessShape.LANES_32_BITS_32],
)
def test_tensor_memory_cycles(rows: int, columns: int, access: AccessShape):
    tile = tensor_memory_accumulator((rows, columns))
    layout = tensor_memory_registers(tile, access)
    atom = COPY_ATOMS[f"tmem_load_{access.value}_x1"]
    cycles: set[tuple[int, int]] = set()
    for register, lane in itertools.product(range(layout.registers), range(32)):
        address = tile.address(layout.element(register, lane))
        # One access serves the lanes of its shape in one column at a time.
        cycles.add((address & 0xFFFF, (address >> 16) // atom.shape[0]))
    assert tensor_memory_cycles((rows, columns), rows, atom) == len(cycles) / rows


@pytest.mark.parametrize(
    ("layout", "bits", "expected"),
    [
        (wgmma_operand_a((128, 64), (1, 1), 16), 16, 32),
        (blocked((1024,), 4, 4), 32, 8),
        (mma_operand_a((64, 64), (2, 2), 16), 16, 32),
        (blocked((64,), 1, 4), 8, 1),
    ],
)
def test_registers(layout: LinearLayout, bits: int, expected: int):
    held = {register * bits // 32 for register in range(layout.registers)}
    assert fragment_registers(layout, bits) == len(held) == expected


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("run", [ContiguousRun(1, 64), ContiguousRun(0, 32), ContiguousRun(1, 8)])
@pytest.mark.parametrize(
    ("layout", "vector"),
    [
        (blocked((32, 64), 1, 4), 1),
        (blocked((32, 64), 8, 4), 8),
        (blocked((32, 64), 4, 1, order=(0, 1)), 4),
        (mma_accumulator((32, 64), (2, 2)), 2),
    ],
)
def test_global_sectors(layout: LinearLayout, vector: int, bits: int, run: ContiguousRun):
    def sector(element: int) -> tuple[int, ...]:
        place = list(divmod(element, 64))
        offset = place[run.dimension] % run.elements
        place[run.dimension] //= run.elements
        return (*place, offset * bits // 8 // 32)

    total = 0
    for warp, first in itertools.product(range(layout.warps), range(0, layout.registers, vector)):
        asked = {
            sector(layout.element(register, lane, warp))
            for register in range(first, first + vector)
            for lane in range(32)
        }
        total += len(asked) + 1
    assert global_sectors(layout, bits // 8, vector, run) == total / 32


def test_conversions():
    rows, fragment = blocked((64, 64), 8, 4), mma_operand_a((64, 64), (4, 1), 16)
    shared_layout = shared((64, 64), 16, widest_swizzle((64, 64), 16))
    assert conversion_cost(rows, rows, 16) == FREE
    # 8 KiB are 64 wavefronts; four transactions each, over 64 rows, there and back.
    assert conversion_cost(rows, fragment, 16).transactions == 8
    assert conversion_cost(rows, shared_layout, 16).transactions == 4
    assert conversion_cost(shared_layout, fragment, 16).transactions == 4
    assert conversion_cost(shared_layout, shared((64, 64), 16), 16).transactions == 8
    accumulator = mma_accumulator((64, 64), (4, 1))
    assert conversion_cost(accumulator, fragment, 16) == FREE
    narrow, wide = blocked((256,), 2, 1), blocked((256,), 4, 1)
    assert conversion_cost(narrow, wide, 16).transactions == 16
