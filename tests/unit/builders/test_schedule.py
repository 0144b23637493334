"""Resident and pending accesses, stages from constraints, and replicas of one op."""

import pytest
from xdsl.builder import Builder
from xdsl.dialects import test
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint

from tests.unit.tools import parse
from tileir_xdsl.builders.schedule import (
    MaterializeOptions,
    Replicas,
    ScheduleAnalysis,
    Side,
    build_stages,
    expand_iteration_arguments,
    expand_single_tiled_op,
    materialize_schedule,
)

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


def test_replicas_use_replicas_of_their_own_stage():
    block = Block()
    shared, source = test.TestOp(result_types=[i32]), test.TestOp(result_types=[i32])
    user = test.TestOp([shared.results[0], source.results[0]], [i32])
    block.add_ops([shared, source, user])
    builder = Builder(InsertPoint.at_end(block))
    replicas: Replicas = {}
    sources = expand_single_tiled_op(builder, source, [0, 1], replicas)
    users = expand_single_tiled_op(builder, user, [0, 1, 2], replicas)
    for stage in (0, 1):
        assert list(users[stage].operands) == [shared.results[0], sources[stage].results[0]]
    assert list(users[2].operands) == list(user.operands)
    assert replicas == {source: sources, user: users}
