"""Pipelines built around region builders."""

from ast import Call, unparse, walk
from ast import parse as parse_python
from collections.abc import Callable, Sequence
from inspect import signature
from pathlib import Path

import pytest
from xdsl.builder import Builder
from xdsl.dialects import test
from xdsl.dialects.builtin import TensorType, f16, f32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tests.unit.builders.building import build
from tileir_xdsl import transforms
from tileir_xdsl.builders.pipelines import (
    PIPELINE_BUILDERS,
    AgentSpec,
    RegionBuilder,
    build_agent_switch,
    build_consume_one,
    build_consume_one_async,
    build_consumer_handshake,
    build_pipeline,
    build_pipeline_op,
    build_produce_one,
    build_produce_one_async,
    build_producer_handshake,
)
from tileir_xdsl.dialects.nv_tileas.pipeline_enumeration import PIPELINE_ENUMERATION, PipelineOp
from tileir_xdsl.dialects.nv_tileas.pipeline_regions import PipelineYieldOp
from tileir_xdsl.dialects.nv_tileas.types import (
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
)
from tileir_xdsl.testing.tools import check

TILE = TensorType(f16, [16, 64])
PRODUCER = PipelineProducerTokenType()
CONSUMER = PipelineConsumerTokenType()
ITERATOR = PipelineIteratorType([TILE])
TRANSFORMS = Path(transforms.__path__[0])


def test_regions_get_what_a_stage_holds_and_end_by_themselves():
    text = build(
        [PRODUCER, ITERATOR],
        lambda builder, args: build_produce_one(builder, *args, body=lambda _, stage: stage),
    )
    check(
        text,
        """
        // CHECK: produce_one %a, %b {producer_types = [tile<16x64xf16>]}
        // CHECK-NEXT: ^bb0([[T:%.*]] : tile<16x64xf16>):
        // CHECK-NEXT: nv_tileas.async.pipeline.yield [[T]] : tile<16x64xf16>
        """,
    )


def test_region_that_ends_itself_is_left_alone():
    def body(builder: Builder, stage: Sequence[BlockArgument]) -> Sequence[SSAValue]:
        builder.insert(PipelineYieldOp(stage))
        return ()

    text = build(
        [PRODUCER, ITERATOR],
        lambda builder, args: build_produce_one_async(builder, *args, body=body),
    )
    assert text.count("yield") == 1
    check(text, "// CHECK: -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async_token {")


BuildConsume = Callable[
    [Builder, SSAValue, SSAValue, int, RegionBuilder, Sequence[Attribute]], Operation
]


@pytest.mark.parametrize("build_consume", [build_consume_one, build_consume_one_async])
def test_consumer_gives_the_results_that_its_body_yields(build_consume: BuildConsume):
    def body(builder: Builder, stage: Sequence[BlockArgument]) -> Sequence[SSAValue]:
        return builder.insert(test.TestOp(stage, [f32])).results

    text = build(
        [CONSUMER, ITERATOR],
        lambda builder, args: build_consume(builder, args[0], args[1], 3, body, [f32]),
    )
    check(
        text,
        """
        // CHECK: {consumer_idx = 3 : i32, consumer_types = [tile<16x64xf16>]}
        // CHECK-SAME: f32 {
        // CHECK: nv_tileas.async.pipeline.yield %{{.*}} : f32
        """,
    )


def test_handshakes_hand_the_token_on():
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        producer, consumer, iterator, tile = args
        build_producer_handshake(builder, producer, iterator, [tile])
        build_consumer_handshake(builder, consumer, iterator, 0)

    check(
        build([PRODUCER, CONSUMER, ITERATOR, TILE], body),
        """
        // CHECK: [[A:%.*]] = nv_tileas.async.pipeline.producer_acquire %a, %c
        // CHECK-NEXT: [[W:%.*]] = nv_tileas.async.pipeline.producer_write [[A]], %d
        // CHECK-NEXT: nv_tileas.async.pipeline.producer_commit [[W]]
        // CHECK-NEXT: [[C:%.*]] = nv_tileas.async.pipeline.consumer_wait %b, %c
        // CHECK-NEXT: [[R:%.*]], %{{.*}} = nv_tileas.async.pipeline.consumer_read [[C]]
        // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[R]]
        """,
    )


def test_a_stage_is_released_after_its_last_reader():
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        consumer, iterator = args
        first = builder.insert(test.TestOp([], []))
        before_it = Builder(InsertPoint.before(first))
        _, (tile,) = build_consumer_handshake(before_it, consumer, iterator, 0, first)
        first.operands = [tile]
        builder.insert(test.TestOp([], []))

    check(
        build([CONSUMER, ITERATOR], body),
        """
        // CHECK: [[R:%.*]], [[T:%.*]] = nv_tileas.async.pipeline.consumer_read
        // CHECK-NEXT: "test.op"([[T]])
        // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[R]]
        // CHECK-NEXT: "test.op"()
        """,
    )


def test_a_pipeline_has_a_buffer_for_each_tile_and_an_iterator_for_each_end():
    small = TensorType(f32, [32])
    check(
        build([], lambda builder, _: build_pipeline(builder, [TILE, small], 3)[0]),
        """
        // CHECK: [[A:%.*]] = nv_tileas.alloc_tensor : tensor<3x16x64xf16, #nv_tileas.memory<smem>>
        // CHECK-NEXT: [[B:%.*]] = nv_tileas.alloc_tensor : tensor<3x32xf32, #nv_tileas.memory<smem>>
        // CHECK-NEXT: [[P:%.*]], [[C:%.*]] = {{.*}}create_pipeline [[A]], [[B]] {numStages = 3 : i32
        // CHECK-NEXT: create_iterator [[P]]
        // CHECK-NEXT: create_iterator [[C]]
        """,
    )


def test_warps_of_agents_may_be_known():
    agents = [AgentSpec(lambda _, __: (), num_warps=4), AgentSpec(lambda _, __: (), num_warps=1)]
    text = build([], lambda builder, _: build_agent_switch(builder, (), agents, isolated=False))
    check(text, "// CHECK: agent_switch {{.*}}num_warps = array<i32: 4, 1>")


def test_agents_keep_bodies_groups_and_registers_together():
    agents = [AgentSpec(lambda _, __: (), 40), AgentSpec(lambda _, __: (), 232)]
    text = build(
        [PRODUCER],
        lambda builder, args: build_agent_switch(builder, args, agents, agents_per_group=2),
    )
    check(
        text,
        """
        // CHECK: agent_switch %a {num_agents_per_group = 2 : i32
        // CHECK-SAME: max_regs = array<i32: 40, 232>, isolated = true}
        // CHECK-SAME: (!nv_tileas.async.pipeline.producer_token) {
        """,
    )
    assert text.count("^bb0") == 2


def test_registers_of_some_agents_only_are_refused():
    agents = [AgentSpec(lambda _, __: (), 40), AgentSpec(lambda _, __: ())]
    with pytest.raises(
        ValueError, match="expected max_regs for all 2 agents or for none, but got it for 1"
    ):
        build([PRODUCER], lambda builder, args: build_agent_switch(builder, args, agents))


def test_every_entry_but_the_reserved_one_has_a_builder():
    active = [number for number in PipelineOp if PIPELINE_ENUMERATION[number] is not None]
    assert list(PIPELINE_BUILDERS) == active
    for number in active:
        entry = PIPELINE_ENUMERATION[number]
        assert entry is not None and number.name.lower() == entry.mnemonic
        # The result type of a builder is the op of its entry.
        assert signature(PIPELINE_BUILDERS[number]).return_annotation is entry.op


def whole_stage(_: Builder, stage: Sequence[BlockArgument]) -> Sequence[SSAValue]:
    return stage


def test_the_number_says_which_op_is_built():
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        token, iterator = args
        build_pipeline_op(builder, PipelineOp.INC_ITER, iterator)
        build_pipeline_op(builder, PipelineOp.CONSUME_ONE, token, iterator, 0, whole_stage, [TILE])
        agent = AgentSpec(lambda _builder, _arguments: ())
        build_pipeline_op(builder, PipelineOp.AGENT_SWITCH, [], [agent], isolated=False)

    check(
        build([CONSUMER, ITERATOR], body),
        """
        // CHECK: inc_iter %b
        // CHECK-NEXT: consume_one %a, %b
        // CHECK: agent_switch
        """,
    )


def test_the_reserved_entry_builds_nothing():
    with pytest.raises(ValueError, match="pipeline op 15 is reserved and has no builder"):
        build_pipeline_op(Builder(InsertPoint.at_end(Block())), PipelineOp.RESERVED)


def test_passes_build_pipeline_ops_by_the_builders_alone():
    names = {entry.op.__name__ for entry in PIPELINE_ENUMERATION if entry is not None}
    calls = [
        f"{path.relative_to(TRANSFORMS)}: {name}"
        for path in TRANSFORMS.rglob("*.py")
        for node in walk(parse_python(path.read_text("utf-8")))
        if isinstance(node, Call)
        and (name := unparse(node.func).rpartition(".")[2]) in names
        and (node.args or node.keywords)
    ]
    assert calls == []
