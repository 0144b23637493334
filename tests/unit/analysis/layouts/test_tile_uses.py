"""What ops offer: legality by shape, memory, alignment and target, and the families."""

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Region

from tests.unit.analysis.layouts.sample_uses import answered, global_use, names
from tileir_xdsl.analysis.access.copy_costs import FREE, CopyCost
from tileir_xdsl.analysis.layouts.candidates import Conversions, Family, TileUse
from tileir_xdsl.analysis.layouts.dot_layouts import Axis
from tileir_xdsl.analysis.layouts.exchanges import is_scannable, scan_layout
from tileir_xdsl.analysis.layouts.global_uses import (
    box_transfer,
)
from tileir_xdsl.analysis.layouts.tile_uses import (
    OperandUse,
    ReductionUse,
    ScanUse,
    SharedUse,
    TensorMemoryUse,
)
from tileir_xdsl.analysis.layouts.uses import OperationUse, frequency_of
from tileir_xdsl.dialects.nv_tileas import FenceOp
from tileir_xdsl.layout.constructors import blocked, mma_accumulator, mma_operand_a
from tileir_xdsl.layout.cute import SWIZZLE_128B
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import default_shared_layout, shared
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.target import CostWeights
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.group_choice import (
    LayoutGroup,
    OptionTable,
    answer_in,
    choose_layout,
)

HOPPER = get_target("sm_90a")
WEIGHTS = HOPPER.cost_weights


def test_shared_memory_offers_matrices_to_fragments_and_vectors_to_rows():
    use = SharedUse(shared((64, 64), 16, SWIZZLE_128B), True, 4, HOPPER)
    assert answered(use, mma_operand_a((64, 64), (4, 1), 16)).atom == "ldsm_m88_x4"
    assert answered(use, blocked((64, 64), 8, 4)).atom == "lds_128"
    transposed = answered(use, blocked((64, 64), 8, 4, order=(0, 1)))
    assert transposed.atom == "lds_16"
    store = SharedUse(use.shared, False, 4, HOPPER)
    fragments = mma_accumulator((64, 64), (4, 1))
    assert answered(store, fragments).atom == "stsm_m88_x4"
    # Before sm_90 there is no stmatrix.
    older = SharedUse(use.shared, False, 4, get_target("sm_80"))
    assert answered(older, fragments).atom == "sts_32"
    assert answered(use, use.shared).cost == FREE
    assert use.in_layout(shared((64, 64), 16)) == "another image of the tile is in shared memory"


def test_tensor_memory_fills_its_own_fragments_alone():
    use = TensorMemoryUse((128, 32), 32, True, 4)
    assert [c.name.rpartition("_x")[0] for c in use.own] == [
        "tmem_load_32x32b",
        "tmem_load_16x64b",
        "tmem_load_16x128b",
        "tmem_load_16x256b",
    ]
    cycles = [candidate.cost.cycles for candidate in use.own]
    assert cycles == [0.25, 0.5, 0.5, 0.5]
    assert use.in_layout(blocked((128, 32), 1, 4)) == (
        "no shape of tcgen05.ld or .st fills these registers"
    )
    # With 64 rows only the first half of a warp's lanes is used.
    assert not any("32x32b" in name for name in names(TensorMemoryUse((64, 32), 32, False, 4)))


def test_operands():
    fragment, shared_layout = (
        mma_operand_a((64, 64), (4, 1), 16),
        default_shared_layout((64, 64), 16),
    )
    use = OperandUse("wgmma", (fragment, shared_layout), 16, Axis.B)
    assert [candidate.bucket for candidate in use.own] == ["B register", "B memory"]
    assert [candidate.family for candidate in use.own] == [Family.DOT_OPERAND, Family.SHARED]
    assert isinstance(use.in_layout(blocked((64, 64), 8, 4)), str)


def test_reductions_prefer_what_stays_in_a_thread():
    use = ReductionUse(1, 32)
    along_registers = answered(use, blocked((128, 64), 64, 4))
    along_lanes = answered(use, blocked((128, 64), 2, 4))
    along_warps = answered(use, blocked((32, 128), 1, 4))
    assert along_registers.cost == FREE
    assert 0 < along_lanes.cost.transactions < along_warps.cost.transactions
    assert use.own == ()
    assert isinstance(use.in_layout(default_shared_layout((64, 64), 32)), str)


def test_scans_want_registers_before_lanes_before_warps():
    use = ScanUse((1024,), 0, 32, 4)
    (own,) = use.own
    assert own.layout == blocked((1024,), 8, 4)
    assert isinstance(use.in_layout(blocked((1024,), 4, 4)), str)
    assert isinstance(use.in_layout(blocked((1024,), 1, 4)), str)


def test_scans_of_rows_keep_neighbours_in_threads():
    use = ScanUse((32, 64), 1, 128, 4)
    (own,) = use.own
    assert own.layout == blocked((32, 64), 16, 4)
    across = answered(use, blocked((32, 64), 2, 4))
    # One row and two lanes' steps, and the total before: three shuffles of four words; or eight
    # rows and five steps.
    assert across.cost.transactions / own.cost.transactions == 8 * 6 / 3
    assert answered(use, blocked((32, 64), 64, 4)).cost == FREE


@pytest.mark.parametrize(
    ("lane", "is_right"),
    [
        ((16, 32, 64, 128, 256), True),
        ((64, 16, 32, 128, 256), True),
        ((16, 64, 32, 128, 256), False),
        ((32, 16, 64, 128, 256), False),
        ((16, 16, 64, 128, 256), False),
        ((16, 32 + 64, 64, 128, 256), False),
    ],
)
def test_lanes_of_scans_are_neighbours(lane: tuple[int, ...], is_right: bool):
    layout = LinearLayout((1, 2, 4, 8), lane, (512, 1024), (), (32, 64))
    assert is_scannable(layout, 1) == is_right
    wanted = layout if is_right else blocked((32, 64), 16, 4)
    assert scan_layout(layout, 1) == wanted


# The choice


def use_of(use: TileUse, conversions: Conversions, frequency: int = 1) -> OperationUse:
    return OperationUse(FenceOp.create(), use, (0,), (), conversions, frequency)


def group(*uses: OperationUse) -> LayoutGroup:
    return LayoutGroup(list(uses))


def test_a_candidate_in_another_memory_is_a_last_resort():
    registers, shared_layout = blocked((64, 64), 8, 4), default_shared_layout((64, 64), 16)
    load = global_use(box=box_transfer((64, 64), 16, 1))
    answer = answer_in(load, registers, Conversions((), (16,)), WEIGHTS)
    assert not isinstance(answer, str) and answer.candidate.name == "ldg_128"
    operand = OperandUse("wgmma", (shared_layout,), 16, Axis.B)
    answer = answer_in(operand, registers, Conversions((16,), ()), WEIGHTS)
    assert not isinstance(answer, str) and answer.converted
    assert answer.conversion.transactions == 4


def test_conversions_leave_loops():
    """A tile that is loaded outside of a loop and multiplied inside is converted outside."""
    fragment = mma_operand_a((64, 64), (4, 1), 16)
    load = use_of(global_use(), Conversions((), (16,)))
    operand = OperandUse("mma", (fragment,), 16, Axis.A)
    for frequency in (1, 8):
        inside = use_of(operand, Conversions((16,), ()), frequency)
        choice = choose_layout(group(load, inside), OptionTable(WEIGHTS, 4), {})
        assert choice.chosen is not None
        assert (choice.chosen.layout == fragment) == (frequency > 1)
        converted = [answer.converted for answer in choice.chosen.answers]
        assert converted == [frequency > 1, frequency == 1]


def test_weights_decide():
    """Where sectors are free, registers alone count: the layout of the product is taken."""
    fragment = mma_operand_a((64, 64), (4, 1), 16)
    uses = (
        use_of(global_use(), Conversions((), (16,))),
        use_of(OperandUse("mma", (fragment,), 16, Axis.A), Conversions((16,), ())),
    )
    weights = CostWeights(global_memory=0.0)
    choice = choose_layout(group(*uses), OptionTable(weights, 4), {})
    assert choice.chosen is not None and choice.chosen.layout == fragment
    assert not any(answer.converted for answer in choice.chosen.answers)


def test_a_group_bound_to_registers_prunes_memory():
    load = use_of(global_use(box=box_transfer((64, 64), 16, 1)), Conversions((), (16,)))
    shared_layout = default_shared_layout((64, 64), 16)
    operand = use_of(OperandUse("wgmma", (shared_layout,), 16, Axis.B), Conversions((16,), ()))
    table = OptionTable(WEIGHTS, 4)
    free = choose_layout(group(load, operand), table, {})
    assert free.chosen is not None and free.chosen.layout == shared_layout
    bound = LayoutGroup([load, operand], FenceOp.create())
    choice = choose_layout(bound, table, {})
    assert choice.chosen is not None and isinstance(choice.chosen.layout, LinearLayout)
    problems = [option.problem for option in choice.options if option.layout == shared_layout]
    assert problems == ["keeps the tile in memory, but 'nv_tileas.fence' takes it in registers"]
    alone = choose_layout(group(load), table, {})
    (problem,) = (option.problem for option in alone.options if option.layout == shared_layout)
    assert problem == "keeps the tile in memory, but no op takes it from there"


def test_an_operand_from_memory_that_is_made_in_registers():
    shared_layout = default_shared_layout((64, 64), 16)
    operand = use_of(OperandUse("wgmma", (shared_layout,), 16, Axis.B), Conversions((16,), ()))
    choice = choose_layout(LayoutGroup([operand], FenceOp.create()), OptionTable(WEIGHTS, 4), {})
    assert choice.chosen is not None
    assert choice.chosen.layout == blocked((64, 64), 8, 4)
    (answer,) = choice.chosen.answers
    assert answer.converted and answer.candidate.layout == shared_layout


@pytest.mark.parametrize("depth", [1, 10, 400])
def test_costs_in_nested_loops_are_finite_and_keep_those_outside(depth: int):
    number = arith.ConstantOp.from_int_and_width(1, 32)
    added = outer = arith.AddiOp(number, number)
    for _ in range(depth):
        body = Region(Block([outer, scf.YieldOp()], arg_types=[i32]))
        outer = scf.ForOp(number, number, number, [], body)
    inside = CopyCost(1.0).repeated(frequency_of(added))
    assert inside.transactions >= 8
    assert (inside + CopyCost(1.0)).score(WEIGHTS) > inside.score(WEIGHTS)
