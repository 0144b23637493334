"""Products that may run beside the other ops of a loop, and what that is worth."""

import pytest
from xdsl.dialects import arith, scf
from xdsl.ir import Operation

from tests.unit.transforms.chained_dots import chained
from tests.unit.transforms.dot_loops import LOOP, kernel
from tileir_xdsl.analysis.regions.scopes import scope_of
from tileir_xdsl.analysis.scheduling.arrangement import Overlap, arranged
from tileir_xdsl.analysis.scheduling.dependences import body_ops
from tileir_xdsl.analysis.scheduling.in_order import LoopOrder, in_order_timing
from tileir_xdsl.analysis.scheduling.occupancy import FREE, Occupancy
from tileir_xdsl.analysis.scheduling.overlap import find_early_mmas, find_late_mmas
from tileir_xdsl.analysis.threads.register_pressure import holding_tiles
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.targets.throughput import Resource
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_generate_schedule.modulo import modulo_schedule
from tileir_xdsl.transforms.tileas_generate_schedule.overlapped import (
    overlap_gain,
    overlapped_schedule,
)

COSTS: dict[type[Operation], Occupancy] = {
    nv_tileas.AsyncDotOp: Occupancy(Resource.MATRIX, 100, 150),
    nv_tileas.ProduceOneAsyncOp: Occupancy(Resource.COPY, 30, 530),
    nv_tileaa.FpToFpOp: Occupancy(Resource.ARITHMETIC, 80, 84),
    nv_tileaa.MulFOp: Occupancy(Resource.ARITHMETIC, 20, 24),
}


def loop_of(text: str, stages: int = 2) -> scf.ForOp:
    passes = f"tileas-materialize-async{{num-stages={stages}}}"
    module = tools.run_passes(tools.parse(text), passes)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    return loop


def costs(loop: scf.ForOp) -> dict[Operation, Occupancy]:
    return {op: COSTS.get(type(op), FREE) for op in body_ops(loop)}


def overlap_of(loop: scf.ForOp) -> Overlap:
    early = find_early_mmas(loop)
    assert early is not None
    return arranged(loop, early, find_late_mmas(loop), costs(loop), holding_tiles(scope_of(loop)))


def names(ops: tuple[Operation, ...]) -> list[str]:
    """The names of ops that are not scalar, without their dialects."""
    return [op.name.rpartition(".")[2] for op in ops if not isinstance(op, arith.MuliOp)]


def test_the_first_product_is_early_and_the_second_late():
    loop = loop_of(chained())
    first, second = (op for op in loop.body.block.ops if isinstance(op, nv_tileas.AsyncDotOp))
    early = find_early_mmas(loop)
    assert early is not None
    assert early.dots == (first,)
    assert sorted(names(tuple(early.moved))) == [
        "consumer_read",
        "consumer_wait",
        "dot",
        "inc_iter",
    ]
    (late,) = find_late_mmas(loop)
    assert late.dot is second
    assert len(late.tokens) == len(late.releases) == 1


NOT_EARLY = {
    "a product of what is carried": chained().replace("%w, %a_tile, %zero", "%w, %a_tile, %acc"),
    "a product of registers": chained()
    .replace(
        "%at = arith.muli",
        "%own = nv_tileaa.fp_to_fp %acc : tensor<16x16xf32> to "
        "tensor<16x16xf16>\n    %at = arith.muli",
        1,
    )
    .replace("async.dot %w, %a_tile, %zero", "async.dot %own, %a_tile, %zero")
    .replace(
        "tensor<16x16xf16, #nv_tileas.memory<smem>>, tensor<16x16xf16, #nv_tileas.memory"
        "<smem>>, tensor<16x16xf32> ->",
        "tensor<16x16xf16>, tensor<16x16xf16, #nv_tileas.memory<smem>>, tensor<16x16xf32> ->",
        1,
    ),
    "a tile that others read too": chained().replace("%weights, %b_tile", "%weights, %a_tile"),
    "a sum in flight": kernel(LOOP),
}


@pytest.mark.parametrize("text", NOT_EARLY.values(), ids=NOT_EARLY)
def test_not_early(text: str):
    assert find_early_mmas(loop_of(text)) is None


def test_a_single_stage_cannot_be_held():
    loop = loop_of(chained(), 1)
    assert find_early_mmas(loop) is None
    assert not find_late_mmas(loop)


def test_a_sum_that_is_looked_at_is_not_late():
    looked_at = chained().replace(
        "scf.yield %sum",
        "%same = nv_tileaa.mulf %sum, %minus : tensor<16x16xf32>\n scf.yield %same",
    )
    assert not find_late_mmas(loop_of(looked_at))


def test_the_order():
    """The late product is waited for when its next stage is there, before its weights change."""
    overlap = overlap_of(loop_of(chained()))
    ops = overlap.order.ops
    assert names(ops) == [
        "produce_one_async",
        "future_wait",
        "consumer_release",
        "consumer_wait",
        "consumer_read",
        "future_wait",
        "consumer_release",
        "fp_to_fp",
        "mulf",
        "consumer_wait",
        "consumer_read",
        "dot",
        "inc_iter",
        "produce_one_async",
        "dot",
        *["inc_iter"] * 3,
    ]
    offsets = [overlap.order.offset(op) for op in ops if isinstance(op, nv_tileas.AsyncDotOp)]
    waits = [overlap.order.offset(op) for op in ops if isinstance(op, nv_tileas.FutureWaitOp)]
    assert offsets == [1, 0] and waits == [0, -1]


def test_what_it_is_worth():
    loop = loop_of(chained())
    before = LoopOrder(body_ops(loop), {})
    # A product is there after 150 cycles: one, 80 for the weights, 20 for the factors, another.
    assert in_order_timing(loop, before, costs(loop)).interval == 150 + 80 + 20 + 150
    # Beside the second product, which starts 100 cycles after the first, that is waited for.
    timing = in_order_timing(loop, overlap_of(loop).order, costs(loop))
    assert timing.interval == 100 + 150 + 80 + 20


def test_the_schedule():
    loop = loop_of(chained())
    occupancies = costs(loop)
    gain = overlap_gain(loop, occupancies)
    assert gain is not None
    found = overlapped_schedule(gain, modulo_schedule(body_ops(loop), (), occupancies), occupancies)
    assert found.interval == 350 and gain.interval_before == 400
    assert list(found.order()) == list(gain.overlap.order.ops)
    stages = {
        offset: {found.stage(op) for op, o in gain.overlap.order.offsets.items() if o == offset}
        for offset in (1, -1)
    }
    (early,), (late,) = stages[1], stages[-1]
    assert late - early == 2
    waits = [op for op in body_ops(loop) if isinstance(op, nv_tileas.ConsumerWaitOp)]
    fills = [op for op in body_ops(loop) if isinstance(op, nv_tileas.ProduceOneAsyncOp)]
    for fill, wait in zip(fills, waits, strict=True):
        assert found.start[wait] - found.start[fill] == 530
