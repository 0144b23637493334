"""Conversion plans, executed on numpy: every thread must end up with the right elements."""

import itertools
import random
from collections import Counter

import numpy as np
from numpy.typing import NDArray
from pytest import mark, raises

from tests.unit.layout.enumeration import elements_of, random_layout, table
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import MatrixAccess, VectorAccess, phase_bits, wavefronts
from tileir_xdsl.layout.constructors import (
    blocked,
    mma_accumulator,
    mma_operand_a,
    mma_operand_b,
    wgmma_accumulator,
    wgmma_operand_a,
)
from tileir_xdsl.layout.conversion import (
    ConversionStrategy,
    Plan,
    RenamePlan,
    conversion_plans,
    plan_by,
    plan_conversion,
    plan_cost,
    strategy_of,
)
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.scratch import SharedMemoryPlan, staging_layout
from tileir_xdsl.layout.shuffles import ShufflePlan, StepMap

Elements = NDArray[np.int64]
"""Element numbers at [warp, lane, register]."""


def slot_of(register: int, bits: tuple[int, ...]) -> int:
    """The number that the given register bits spell, lowest first."""
    return sum((register >> bit & 1) << index for index, bit in enumerate(bits))


def shuffled(plan: ShufflePlan, held: Elements, target: LinearLayout) -> Elements:
    warps, lanes, _ = held.shape
    words = held.reshape(warps, lanes, -1, 1 << plan.packed)
    rounds = 1 << len(plan.target_bits)
    kept = np.full((warps, lanes, rounds, 1 << plan.packed), -1)
    for warp, step_number in itertools.product(range(warps), range(rounds)):
        offered = [words[warp, lane, plan.send(step_number, lane, warp)] for lane in range(lanes)]
        for lane in range(lanes):
            word = offered[plan.source_lane(step_number, lane, warp)]
            kept[warp, lane, plan.receive(step_number, lane, warp)] = word
    result = np.full((warps, lanes, target.registers), -1)
    for register in range(target.registers):
        inside = register & ((1 << plan.packed) - 1)
        result[:, :, register] = kept[:, :, slot_of(register, plan.target_bits), inside]
    return result


def byte_offset(access: VectorAccess | MatrixAccess, register: int) -> int:
    offset = 0
    for bit, value in zip(access.registers, access.register_offsets, strict=True):
        offset ^= value * (register >> bit & 1)
    return offset


def bit_addresses(
    access: VectorAccess | MatrixAccess, register: int, element_bits: int
) -> NDArray[np.int64]:
    """Where the access puts this register of every [warp, lane], by the instruction's rules."""
    warp = table(access.warp_offsets)[:, None]
    offset = byte_offset(access, register)
    lanes = np.arange(32)
    if isinstance(access, VectorAccess):
        start = warp ^ table(access.lane_offsets)[None, :] ^ offset
        assert not np.any(start % access.vector_bytes)
        return 8 * start + slot_of(register, access.vector) * element_bits
    part = slot_of(register, access.word)
    matrix = 8 * slot_of(register, access.matrices)
    row, inside = lanes // 4, lanes % 4 * 32 + part * element_bits
    if access.transposed:
        row, inside = 2 * (lanes % 4) + part, lanes // 4 * element_bits
    start = warp ^ table(access.row_offsets)[matrix + row][None, :] ^ offset
    assert not np.any(start % 16)
    return 8 * start + inside


def through_memory(
    plan: SharedMemoryPlan, held: Elements, source: LinearLayout, target: LinearLayout
) -> Elements:
    bits = plan.addresses.element_bits
    memory = np.full((held.shape[0], 8 * plan.addresses.bytes // bits), -1)
    warps, lanes = np.arange(held.shape[0]), np.arange(32)
    stores = (warps & plan.idle_warps == 0)[:, None] & (lanes & plan.idle_lanes == 0)[None, :]
    for register in range(source.registers):
        if register & source.replicated_registers:
            continue
        where = bit_addresses(plan.store, register, bits)[stores] // bits
        # A warp sees what it stored itself, and after a barrier what the others stored.
        owner = np.broadcast_to(warps[:, None], stores.shape)[stores]
        memory[owner, where] = held[:, :, register][stores]
    if plan.crosses_warps:
        memory[:] = memory.max(axis=0)
    result = np.full((*held.shape[:2], target.registers), -1)
    for register in range(target.registers):
        where = bit_addresses(plan.load, register & ~target.replicated_registers, bits) // bits
        result[:, :, register] = memory[warps[:, None], where]
    return result


def execute(plan: Plan, held: Elements, source: LinearLayout, target: LinearLayout) -> Elements:
    match plan:
        case RenamePlan():
            return held[:, :, list(plan.sources)]
        case ShufflePlan():
            return shuffled(plan, held, target)
        case SharedMemoryPlan():
            return through_memory(plan, held, source, target)


def convert(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    *,
    stmatrix: bool = False,
    max_shuffles: int = 8,
) -> Plan:
    """The cheapest plan, once every block of the cluster has got its elements by each."""
    plans = conversion_plans(
        source, target, element_bits, stmatrix=stmatrix, max_shuffles=max_shuffles
    )
    for plan in plans:
        for block in f2.table(source.block):
            held, wanted = elements_of(source) ^ block, elements_of(target) ^ block
            assert np.array_equal(execute(plan, held, source, target), wanted), plan
    cheapest = plan_conversion(
        source, target, element_bits, stmatrix=stmatrix, max_shuffles=max_shuffles
    )
    assert plan_cost(cheapest, source) == plan_cost(plans[0], source)
    return cheapest


def shuffle_plan(source: LinearLayout, target: LinearLayout, element_bits: int) -> ShufflePlan:
    """The plan by shuffles, however many."""
    plans = conversion_plans(source, target, element_bits, max_shuffles=1 << 10)
    (plan,) = (plan for plan in plans if isinstance(plan, ShufflePlan))
    return plan


def random_pair(rng: random.Random, *, unit: bool) -> tuple[LinearLayout, LinearLayout]:
    """Two layouts of one tile over 1 to 4 warps and 1 to 4 blocks, with and without copies."""
    bits, warp, block = rng.randrange(3, 9), rng.randrange(3), rng.choice([0, 0, 1, 2])
    registers = [rng.randrange(max(0, bits - 5 - warp), 6) for _ in range(2)]
    source, target = (random_layout(rng, bits, count, warp, unit=unit) for count in registers)
    match rng.randrange(4):
        case 0:
            source = shuffle_within_warps(rng, target, unit=unit)
        case 1:
            register = rng.sample(target.register, len(target.register))
            source = LinearLayout(tuple(register), target.lane, target.warp, (), target.shape)
        case 2:
            source = keep_first_registers(rng, target)
        case _:
            pass
    return spread_over_blocks(rng, (source, target), block, unit=unit)


def keep_first_registers(rng: random.Random, target: LinearLayout) -> LinearLayout:
    """A layout that differs from the target, but has the same first register bits."""
    bases = [*target.register[3:], *target.lane, *target.warp]
    rng.shuffle(bases)
    bases = [*target.register[:3], *bases]
    lane, warp = len(target.register), len(target.register) + len(target.lane)
    return LinearLayout(
        tuple(bases[:lane]), tuple(bases[lane:warp]), tuple(bases[warp:]), (), target.shape
    )


def spread_over_blocks(
    rng: random.Random, pair: tuple[LinearLayout, LinearLayout], block: int, *, unit: bool
) -> tuple[LinearLayout, LinearLayout]:
    """The same two layouts as the part of a larger tile that each of several blocks holds."""
    inside = pair[0].size.bit_length() - 1
    mixed = random_layout(rng, inside + block, inside + block, 0, unit=unit)
    basis = [base for base in mixed.bases() if base]
    copies = (0,) * rng.randrange(2)
    source, target = (
        LinearLayout(
            f2.compose(basis, layout.register),
            f2.compose(basis, layout.lane),
            f2.compose(basis, layout.warp),
            (*basis[inside:], *copies),
            mixed.shape,
        )
        for layout in pair
    )
    return source, target


@mark.parametrize("unit", [True, False], ids=["permutations", "mixtures"])
def test_random_pairs_of_layouts(unit: bool):
    rng = random.Random(unit)
    kinds: Counter[type[Plan]] = Counter()
    packed = 0
    for _ in range(500):
        source, target = random_pair(rng, unit=unit)
        element_bits = rng.choice([1, 4, 8, 16, 32, 64])
        plan = convert(
            source,
            target,
            element_bits,
            stmatrix=rng.random() < 0.5,
            max_shuffles=rng.choice([8, 64]),
        )
        kinds[type(plan)] += 1
        if isinstance(plan, SharedMemoryPlan):
            packed += plan.addresses.element_bits < 8
            assert plan.addresses.element_bits in (element_bits, 8)
    assert min(kinds[kind] for kind in (RenamePlan, ShufflePlan, SharedMemoryPlan)) >= 25
    assert packed >= 10


def shuffle_within_warps(rng: random.Random, target: LinearLayout, *, unit: bool) -> LinearLayout:
    """A layout whose warps hold the elements that those of the target hold."""
    bases = [*target.register, *target.lane]
    rng.shuffle(bases)
    if not unit:
        for _ in range(10):
            index, other = rng.sample(range(len(bases)), 2)
            bases[index] ^= bases[other]
    count = len(target.register)
    return LinearLayout(tuple(bases[:count]), tuple(bases[count:]), target.warp, (), target.shape)


def test_random_renamings_and_broadcasts():
    rng = random.Random(7)
    for _ in range(250):
        target = random_layout(rng, 7, rng.randrange(2, 5), 1, unit=False)
        # The source holds every element of a warp in every lane: anything is in reach.
        registers = list(target.register + target.lane)
        source = LinearLayout(tuple(registers), (0,) * 5, target.warp, (), target.shape)
        convert(source, target, 32, max_shuffles=1 << 9)
        same = LinearLayout(
            tuple(rng.sample(target.register, len(target.register))),
            *(target.lane, target.warp, (), target.shape),
        )
        assert isinstance(convert(same, target, 16), RenamePlan)


SHAPE = (64, 128)
LAYOUTS: dict[str, LinearLayout] = {
    "wgmma accumulator": wgmma_accumulator(SHAPE, (1, 1)),
    "wgmma operand A": wgmma_operand_a(SHAPE, (1, 1), 16),
    "wgmma operand A, 8 bits": wgmma_operand_a(SHAPE, (1, 1), 8),
    "mma accumulator 2x2": mma_accumulator(SHAPE, (2, 2)),
    "mma accumulator 4x1": mma_accumulator(SHAPE, (4, 1)),
    "mma operand A": mma_operand_a(SHAPE, (2, 2), 16),
    "mma operand B": mma_operand_b(SHAPE, (2, 2), 16),
    "blocked, vectors of 8": blocked(SHAPE, 8, 4),
    "blocked, vectors of 4": blocked(SHAPE, 4, 4),
    "blocked, columns": blocked(SHAPE, 8, 4, order=(0, 1)),
}
PAIRS = list(itertools.permutations(LAYOUTS, 2))


@mark.one_in(6)
@mark.parametrize(("source", "target"), PAIRS)
@mark.parametrize("element_bits", [8, 16, 32])
@mark.parametrize("stmatrix", [False, True], ids=["st", "stmatrix"])
def test_layouts_of_real_kernels_convert_without_bank_conflicts(
    source: str, target: str, element_bits: int, stmatrix: bool
):
    plan = convert(LAYOUTS[source], LAYOUTS[target], element_bits, stmatrix=stmatrix)
    if isinstance(plan, SharedMemoryPlan):
        for access, layout in ((plan.store, LAYOUTS[source]), (plan.load, LAYOUTS[target])):
            registers = len(layout.register) - bin(layout.replicated_registers).count("1")
            least = max(1, (32 * element_bits << registers) // 8 // 128)
            narrow = isinstance(access, VectorAccess) and access.vector_bytes < 4
            assert access.wavefronts == (access.instructions if narrow else least)


def test_an_accumulator_is_the_next_operand_for_free():
    plan = convert(LAYOUTS["wgmma accumulator"], LAYOUTS["wgmma operand A"], 16)
    assert plan == RenamePlan(tuple(range(64)))


def test_accumulators_leave_through_stmatrix_and_come_back_as_16_byte_vectors():
    plan = convert(
        LAYOUTS["wgmma accumulator"], LAYOUTS["blocked, vectors of 8"], 16, stmatrix=True
    )
    assert isinstance(plan, SharedMemoryPlan)
    assert isinstance(plan.store, MatrixAccess) and not plan.store.transposed
    assert isinstance(plan.load, VectorAccess) and plan.load.vector_bytes == 16
    assert (plan.store.instructions, plan.load.instructions) == (8, 8)
    # 64 elements of 2 bytes for 32 lanes on each side, 128 bytes per wavefront; 8 accesses each.
    assert plan.cost == 2 * (32 + 8)
    assert plan.crosses_warps


def test_operands_come_in_through_ldmatrix():
    source, target = blocked((16, 16), 8, 1), mma_operand_a((16, 16), (1, 1), 16)
    plan = convert(source, target, 16, max_shuffles=0)
    assert isinstance(plan, SharedMemoryPlan) and not plan.crosses_warps
    assert isinstance(plan.store, VectorAccess) and plan.store.vector_bytes == 16
    assert isinstance(plan.load, MatrixAccess)
    assert (plan.load.instructions, plan.load.wavefronts) == (1, 4)


def test_transposes_use_the_transposing_instructions():
    plan = convert(LAYOUTS["wgmma accumulator"], LAYOUTS["blocked, columns"], 16, stmatrix=True)
    assert isinstance(plan, SharedMemoryPlan)
    assert isinstance(plan.store, MatrixAccess) and plan.store.transposed
    assert isinstance(plan.load, VectorAccess) and plan.load.vector_bytes == 16


def test_sub_word_elements_travel_together():
    source = blocked((256,), 2, 1)
    target = blocked((256,), 4, 1)
    plan = convert(source, target, 16)
    assert isinstance(plan, ShufflePlan)
    assert (plan.packed, plan.words, plan.shuffles) == (1, 1, 4)
    wide = shuffle_plan(source, target, 64)
    assert (wide.packed, wide.words, wide.shuffles) == (0, 2, 16 // 2 * 2)


def test_selects_count():
    """Shuffles of which every lane must first choose what it sends cost more than a round trip."""
    source, target = blocked((256,), 2, 1), blocked((256,), 4, 1)
    assert shuffle_plan(source, target, 32).selects(source.registers) == 16
    wide = conversion_plans(source, target, 64, max_shuffles=16)
    assert [strategy_of(plan) for plan in wide] == [
        ConversionStrategy.SHARED_MEMORY,
        ConversionStrategy.SHUFFLE,
    ]
    assert [plan_cost(plan, source) for plan in wide] == [52, 64]


def test_few_shuffles_are_preferred_to_shared_memory():
    source, target = blocked((256,), 2, 1), blocked((256,), 4, 1)
    assert isinstance(convert(source, target, 32, max_shuffles=8), ShufflePlan)
    plan = convert(source, target, 32, max_shuffles=7)
    assert isinstance(plan, SharedMemoryPlan)
    assert not plan.crosses_warps


def test_only_one_copy_is_stored():
    source = blocked((128,), 2, 4)
    target = LinearLayout((64, 1), (2, 4, 8, 16, 32), (0, 0), (), (128,))
    plan = convert(source, target, 32)
    assert isinstance(plan, SharedMemoryPlan)
    assert (plan.idle_lanes, plan.idle_warps, plan.crosses_warps) == (0, 0b10, True)
    half = LinearLayout((1, 2, 4), (8, 16, 32, 0, 0), (64, 0), (), (128,))
    plan = convert(half, target, 32)
    assert isinstance(plan, SharedMemoryPlan)
    assert (plan.idle_lanes, plan.idle_warps) == (0b11000, 0b10)


@mark.parametrize("unit", [True, False], ids=["permutations", "mixtures"])
def test_scratch_images_have_no_bank_conflicts_for_whole_rows(unit: bool):
    rng = random.Random(5 + unit)
    for _ in range(300):
        bits, warp = rng.randrange(5, 12), rng.randrange(3)
        registers = max(0, bits - 5 - warp) + rng.randrange(2)
        element_bits = rng.choice([8, 16, 32, 64])
        longest = 128 // element_bits
        source = random_layout(rng, bits, registers, warp, unit=unit)
        # The target keeps some registers, so that there are rows which both sides hold.
        bases = [base for base in source.bases() if base not in source.register[:2]]
        rng.shuffle(bases)
        bases = [*source.register[:2], *bases]
        row = [base for base in source.register[:2] if base][: longest.bit_length() - 1]
        bases += [0] * (len(source.bases()) - len(bases))
        target_lanes = tuple(bases[registers : registers + 5])
        row_bytes = (element_bits << len(row)) // 8
        served = phase_bits(row_bytes)
        image = staging_layout(
            source.size, row, source.lane[:served], target_lanes[:served], element_bits
        )
        for lanes in (source.lane, target_lanes):
            offsets = [f2.apply(image.bases, base) // 8 for base in lanes]
            assert wavefronts(offsets, row_bytes) == 1


def test_lanes_that_want_the_same_element_take_it_without_selects():
    source = blocked((64,), 2, 1)
    target = LinearLayout((1, 2), (4, 8, 16, 32, 0), (), (), (64,))
    plan = convert(source, target, 32)
    assert isinstance(plan, ShufflePlan)
    assert plan.receive.lane[4] == 0 and plan.source_lane.lane[4] == 0


def test_maps_add_their_parts():
    assert StepMap((1, 2), (4,), (8,))(3, 1, 1) == 15


def test_conversions_that_cannot_be_are_refused():
    layout = blocked((64,), 2, 4)
    with raises(LayoutError, match=r"tile of shape \(64,\) to one of shape \(128,\)"):
        plan_conversion(layout, blocked((128,), 2, 4), 32)
    with raises(LayoutError, match="layout of 4 warps to one of 2"):
        plan_conversion(layout, blocked((64,), 2, 2), 32)
    with raises(LayoutError, match="layout of 32 lanes to one of 16"):
        plan_conversion(layout, blocked((64,), 2, 4, lanes=16), 32)
    hollow = LinearLayout((1,), (2, 4, 8, 16, 0), (0, 0), (), (64,))
    with raises(LayoutError, match="must hold every element"):
        plan_conversion(hollow, layout, 32)
    blocks = [LinearLayout((2 - i,), (4, 8, 16, 32, 0), (), (1 + i,), (64,)) for i in range(2)]
    with raises(LayoutError, match="between the blocks of a cluster"):
        plan_conversion(blocks[0], blocks[1], 32)
    away = LinearLayout((1, 2), (4, 8, 16, 32, 0), (128,), (64,), (256,))
    home = LinearLayout((1, 2), (4, 8, 16, 32, 0), (128 ^ 64,), (64,), (256,))
    with raises(LayoutError, match="between the blocks of a cluster"):
        plan_conversion(away, home, 32)


def test_four_bit_elements_are_packed_where_both_sides_hold_whole_bytes():
    source = blocked((1024,), 8, 4)
    packed = convert(source, blocked((1024,), 2, 4), 4)
    assert isinstance(packed, SharedMemoryPlan)
    assert packed.addresses.element_bits == 4 and packed.addresses.bytes == 512
    apart = convert(source, blocked((1024,), 1, 4), 4)
    assert isinstance(apart, SharedMemoryPlan)
    assert apart.addresses.element_bits == 8 and apart.addresses.bytes == 1024


def test_rows_take_what_the_lanes_of_the_other_side_have_side_by_side():
    """Never more wavefronts than through a row-major image."""
    source = LinearLayout((128,), (1, 2, 4, 8, 16), (32, 64), (), (16, 16))
    target = LinearLayout((16, 32, 64, 128, 1, 2), (4, 8, 0, 0, 0), (0, 0), (), (16, 16))
    plan = convert(source, target, 32)
    assert isinstance(plan, SharedMemoryPlan)
    assert isinstance(plan.load, VectorAccess) and plan.load.vector_bytes == 16
    assert (plan.store.wavefronts, plan.load.wavefronts) == (2, 64)


def test_nineteen_bits_of_tf32_take_a_word():
    source, target = LAYOUTS["mma accumulator 2x2"], LAYOUTS["blocked, vectors of 4"]
    assert plan_conversion(source, target, 19) == plan_conversion(source, target, 32)


def test_every_block_has_a_scratch_image_of_its_own():
    source = LinearLayout((1, 2), (8, 16, 32, 64, 128), (256, 512), (4,), (1024,))
    target = LinearLayout((512, 256), (1, 2, 8, 16, 32), (64, 128), (4,), (1024,))
    plan = convert(source, target, 32)
    assert isinstance(plan, SharedMemoryPlan)
    assert plan.addresses.bytes == 4 * 512


@mark.parametrize("bits", (8, 16, 32, 64))
def test_each_plan_is_found_again_by_its_way(bits: int):
    """Also where a thread shuffles more often than the tile has elements."""
    source = LinearLayout((), (2, 1, 0, 0, 0), (0, 0), (), (2, 2))
    target = LinearLayout((1, 2), (0, 0, 0, 0, 0), (0, 0), (), (2, 2))
    plans = conversion_plans(source, target, bits)
    assert ConversionStrategy.SHUFFLE in map(strategy_of, plans)
    for plan in plans:
        assert plan_by(strategy_of(plan), source, target, bits) == plan
