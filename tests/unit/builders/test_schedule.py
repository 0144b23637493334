"""Resident and pending accesses, stages from constraints, and replicas of one op."""

import random

import pytest
from xdsl.builder import Builder
from xdsl.dialects import test
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import InsertPoint

from tileir_xdsl.builders.schedule import (
    MaterializeOptions,
    ScheduleAnalysis,
    Side,
    StageValues,
    build_stages,
    expand_iteration_arguments,
    expand_single_tiled_op,
    materialize_schedule,
)
from tileir_xdsl.testing.tools import parse

BODY = """
%p, %v, %i = "test.op"() : () -> (tensor<16x!nv_tileaa.ptr<f32>>, !nv_tileas.tiled_view<16xf32, gmem>, index)
%a = nv_tileas.load weak %p {atom = #nv_tileas<atom ldgsts_128>} {nv_tile.aws.stage = 0 : i32} : tensor<16x!nv_tileaa.ptr<f32>> -> tensor<16xf32>
%b = nv_tileas.tiled_load weak %v[%i] {atom = #nv_tileas<atom tma_load_1d>} {nv_tile.aws.stage = 1 : i32} : !nv_tileas.tiled_view<16xf32, gmem>[index] -> tensor<16xf32>
%c = arith.addf %a, %b {nv_tile.aws.stage = 1 : i32} : tensor<16xf32>
nv_tileas.tiled_store weak %c, %v[%i] {nv_tile.aws.stage = 2 : i32} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[index]
nv_tileas.tiled_store weak %b, %v[%i] {nv_tile.aws.stage = 1 : i32} : tensor<16xf32>, !nv_tileas.tiled_view<16xf32, gmem>[index]
"""


def test_accesses_within_and_across_stages():
    block = parse(BODY).body.block
    _, a, b, _, late_store, store = list(block.ops)
    analysis = ScheduleAnalysis.of(block)
    assert len(analysis.stages) == 5
    plan = materialize_schedule(analysis)
    assert plan.resident_loads == plan.resident_async == (b,)
    assert plan.resident_stores == (store,)
    assert [(p.op, p.steps) for p in plan.pending_loads] == [(a, 1)]
    assert [p.op for p in plan.pending_async] == [a]
    assert [(p.op, p.steps) for p in plan.pending_stores] == [(late_store, 1)]
    assert expand_iteration_arguments(analysis, Side.READ) == plan.pending_loads


@pytest.mark.parametrize("seed", range(20))
def test_distances_are_those_of_the_farthest(seed: int):
    """A value lives until its last reader, and a store waits for its last operand."""
    drawn = random.Random(seed)
    own, others = drawn.randrange(5, 8), [drawn.randrange(10) for _ in range(drawn.randint(1, 5))]
    load: Operation = test.TestOp(result_types=[i32])
    readers: list[Operation] = [test.TestOp([load.results[0]]) for _ in others]
    analysis = ScheduleAnalysis({load: own} | dict(zip(readers, others, strict=True)))
    assert analysis.distance(load, Side.READ) == max(other - own for other in others)
    operands: list[Operation] = [test.TestOp(result_types=[i32]) for _ in others]
    store: Operation = test.TestOp([operand.results[0] for operand in operands])
    analysis = ScheduleAnalysis({store: own} | dict(zip(operands, others, strict=True)))
    assert analysis.distance(store, Side.WRITE) == min(own - other for other in others)
    assert ScheduleAnalysis({load: own}).distance(load, Side.READ) == 0
    assert ScheduleAnalysis({store: own}).distance(store, Side.WRITE) == 0


def test_nothing_is_asynchronous_when_not_wanted():
    analysis = ScheduleAnalysis.of(parse(BODY).body.block)
    plan = materialize_schedule(analysis, MaterializeOptions(use_async=False))
    assert plan.resident_async == plan.pending_async == ()


def chain() -> tuple[Operation, Operation, Operation]:
    first = test.TestOp(result_types=[i32])
    second = test.TestOp([first.results[0]], [i32])
    third = test.TestOp([first.results[0], second.results[0]], [i32])
    return first, second, third


def test_stages_follow_the_longest_path():
    first, second, third = chain()
    pairs = build_stages([first, second, third], [])
    assert [(p.stage, p.producer, p.consumer) for p in pairs] == [
        (0, first, second),
        (0, first, third),
        (1, second, third),
    ]


def test_ops_of_one_group_share_a_stage():
    first, second, third = chain()
    pairs = build_stages([first, second, third], [(second, third)])
    assert [(p.stage, p.producer, p.consumer) for p in pairs] == [
        (0, first, second),
        (0, first, third),
    ]


def test_cycle_through_a_group_is_refused():
    first, second, third = chain()
    with pytest.raises(ValueError, match="depend on each other through another stage"):
        build_stages([first, second, third], [(first, third)])


def test_values_of_one_group_taken_by_another_stage():
    first, second, third = chain()
    pairs = build_stages([first, second, third], [(first, second)])
    assert [(p.producer, p.consumer, p.value) for p in pairs] == [
        (first, third, first.results[0]),
        (second, third, second.results[0]),
    ]


def test_a_region_consumes_what_its_ops_use():
    first, second, third = chain()
    around = test.TestOp(regions=[Region(Block([third]))])
    pairs = build_stages([first, second, around], [])
    assert [(p.stage, p.producer, p.consumer) for p in pairs] == [
        (0, first, second),
        (0, first, around),
        (1, second, around),
    ]


def test_replicas_use_replicas_of_their_own_stage():
    block = Block()
    shared, source = test.TestOp(result_types=[i32]), test.TestOp(result_types=[i32])
    user = test.TestOp([shared.results[0], source.results[0]], [i32])
    block.add_ops([shared, source, user])
    builder = Builder(InsertPoint.at_end(block))
    stages: list[StageValues] = [{}, {}]
    sources = expand_single_tiled_op(builder, source, stages)
    users = expand_single_tiled_op(builder, user, [*stages, {}])
    for stage in (0, 1):
        assert list(users[stage].operands) == [shared.results[0], sources[stage].results[0]]
        assert stages[stage] == {
            source.results[0]: sources[stage].results[0],
            user.results[0]: users[stage].results[0],
        }
    assert list(users[2].operands) == list(user.operands)


def test_replicas_use_what_stands_for_an_argument():
    block = Block(arg_types=[i32])
    user = test.TestOp([block.args[0]], [i32])
    block.add_op(user)
    now, later = (test.TestOp(result_types=[i32]).results[0] for _ in range(2))
    stages: list[StageValues] = [{block.args[0]: now}, {block.args[0]: later}]
    copies = expand_single_tiled_op(Builder(InsertPoint.at_end(block)), user, stages)
    assert [copy.operands[0] for copy in copies] == [now, later]


LOOP = """
%t, %c, %i, %o = "test.op"() : () -> (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<16xf32>>, !nv_tileas.async.pipeline.iterator<tile<16xf32>>)
%p = nv_tileas.async.pipeline.produce_one %t, %i {producer_types = [tile<16xf32>], nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = ORDER : i32} : (!nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.iterator<tile<16xf32>>) -> !nv_tileas.async.pipeline.producer_token {
^bb0(%b : tile<16xf32>):
  nv_tileas.async.pipeline.yield %b : tile<16xf32>
}
%w = nv_tileas.async.pipeline.consumer_wait %c, %o {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 1 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<16xf32>> -> !nv_tileas.async.pipeline.consumer_token
"""


@pytest.mark.parametrize(("order", "iterations"), [(0, 3), (2, 2)])
def test_a_stage_is_filled_as_many_iterations_ahead_as_its_wait_is_later(
    order: int, iterations: int
):
    block = parse(LOOP.replace("ORDER", str(order))).body.block
    _, produce, wait = list(block.ops)
    analysis = ScheduleAnalysis.of(block, {produce: [wait]})
    plan = materialize_schedule(analysis)
    assert [(p.op, p.steps) for p in plan.pending_loads] == [(produce, 2)]
    assert analysis.iterations(produce) == iterations
    # Threads fill this stage.
    assert plan.pending_async == ()
