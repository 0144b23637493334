"""Pipelines: stages of a buffer that producers fill and consumers empty, in phases.

    %p, %c = nv_tileas.async.pipeline.create_pipeline %view {numStages = 2 : i32, ..} : V -> P, C
    %i = nv_tileas.async.pipeline.create_iterator %p : P -> I
    %p1 = nv_tileas.async.pipeline.producer_acquire %p, %i : P, I -> P
    ..
    %p2 = nv_tileas.async.pipeline.producer_commit %p1 : P -> P

A token owns a stage: a producer's from acquire to commit, a consumer's from wait to release. An
iterator selects the stage, and returns to the first after the last. `produce_one` and `consume_one`
execute a whole handshake around their region. Source: the TileAS operation roster, "PipelineOp
Enum".
"""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    I8,
    I32,
    ArrayAttr,
    IntegerAttr,
    TensorType,
    i8,
    i32,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    BaseAttr,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import (
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    NO_EFFECTS,
    Barriers,
    Effects,
    NoScratchOpInterface,
    StageEffect,
)
from tileir_xdsl.dialects.nv_tileaa.constraints import VALUES

from .agents import agents_per_group_around
from .copy_groups import COPY_GROUPS
from .interfaces import (
    AllocationOpInterface,
    ProducerRegionOpInterface,
    StageTokenOpInterface,
    TypeOnlyOpInterface,
)
from .operand_list_syntax import OperandListOp
from .pipeline_regions import TYPE_ARRAY, verify_pipeline_region
from .types import (
    AsyncTokenType,
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
    TiledViewType,
    View,
)

STAGE_KEY = "nv_tile.aws.stage"
"""The schedule stage of an op: how many initiation intervals ago its iteration began."""
ORDER_KEY = "nv_tile.aws.order"
"""The position of a scheduled op in the initiation interval."""


@irdl_op_definition
class CreatePipelineOp(
    OperandListOp, AllocationOpInterface, TypeOnlyOpInterface, NoScratchOpInterface
):
    """A pipeline of `numStages` stages, stored in the buffer views.

    The first dimension of a view counts the stages; a stage holds one tile of each view. The agents
    of group `producerGroupId` fill the stages, the agents of `consumerGroupId` empty them.
    `sharedMem` requires shared memory, `dynamic` allows a number of stages known only at run time.
    """

    name = "nv_tileas.async.pipeline.create_pipeline"

    buffer_views = var_operand_def(
        BaseAttr(nv_tileaa.TiledViewType) | BaseAttr(TiledViewType) | BaseAttr(TensorType)
    )
    num_stages = prop_def(IntegerAttr[I32], prop_name="numStages")
    producer_group_id = prop_def(IntegerAttr[I8], prop_name="producerGroupId")
    consumer_group_id = prop_def(IntegerAttr[I8], prop_name="consumerGroupId")
    shared_mem = opt_prop_def(IntegerAttr[I1], prop_name="sharedMem")
    dynamic = opt_prop_def(IntegerAttr[I1])
    producer = result_def(PipelineProducerTokenType)
    consumer = result_def(PipelineConsumerTokenType)

    traits = traits_def(MemoryAllocEffect())

    def __init__(
        self,
        buffer_views: Sequence[SSAValue],
        num_stages: int,
        producer_group_id: int,
        consumer_group_id: int,
        shared_mem: bool | None = None,
        dynamic: bool | None = None,
    ):
        def flag(value: bool | None) -> IntegerAttr | None:
            return None if value is None else IntegerAttr.from_bool(value)

        super().__init__(
            operands=[buffer_views],
            properties={
                "numStages": IntegerAttr(num_stages, i32),
                "producerGroupId": IntegerAttr(producer_group_id, i8),
                "consumerGroupId": IntegerAttr(consumer_group_id, i8),
                "sharedMem": flag(shared_mem),
                "dynamic": flag(dynamic),
            },
            result_types=[PipelineProducerTokenType(), PipelineConsumerTokenType()],
        )

    def verify_(self) -> None:
        stages = self.num_stages.value.data
        if stages < 1:
            raise VerifyException(f"expects at least one stage, but got {stages}")
        if not self.buffer_views:
            raise VerifyException("expects at least one buffer view")
        if (STAGE_KEY in self.attributes) != (ORDER_KEY in self.attributes):
            raise VerifyException(
                f"expects both attributes, {STAGE_KEY} and {ORDER_KEY}, or neither"
            )
        for view in self.buffer_views.types:
            assert isinstance(view, View | TensorType)
            shape = view.get_shape()
            if not shape or shape[0] != stages:
                raise VerifyException(
                    f"expects a buffer view whose first extent is {stages}, the "
                    f"number of stages, but got {view}"
                )

    @property
    def effects(self) -> Effects:
        # A full and an empty one for each stage; none where copy groups are waited for.
        has_barriers = COPY_GROUPS not in self.attributes
        return Effects(creates=Barriers(2 * self.num_stages.value.data) if has_barriers else None)


class ProduceOp(
    OperandListOp, ProducerRegionOpInterface, StageTokenOpInterface, NoScratchOpInterface, ABC
):
    """Base of the ops that acquire a stage, fill the stage by their region, and commit it."""

    TYPES_IN_PARENTHESES: ClassVar[bool] = True
    TOKENS: ClassVar[tuple[Attribute, ...]]
    """The types of the results before the values."""

    token = operand_def(PipelineProducerTokenType)
    iterator = operand_def(PipelineIteratorType)
    producer_types = prop_def(TYPE_ARRAY)
    body = region_def("single_block")

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        token: SSAValue,
        iterator: SSAValue,
        producer_types: Sequence[Attribute],
        body: Region,
        result_types: Sequence[Attribute] = (),
    ):
        super().__init__(
            operands=[token, iterator],
            properties={"producer_types": ArrayAttr(producer_types)},
            result_types=[*self.TOKENS, result_types],
            regions=[body],
        )

    def verify_(self) -> None:
        values = self.results[len(self.TOKENS) :]
        verify_pipeline_region(self.body, self.iterator, self.producer_types, values)

    @property
    def effects(self) -> Effects:
        return Effects(stage=StageEffect(self.token, self.body.block.args, writes=False))

    @property
    def has_values(self) -> bool:
        """Whether the values that the region yields are results."""
        return len(self.results) > len(self.TOKENS)

    @property
    def stores_values(self) -> bool:
        """Whether the region yields a value that must still be stored in the stage."""
        return not self.has_values and list(self._yielded) != list(self.body.block.args)

    @property
    def yield_effects(self) -> Effects:
        if not self.stores_values:
            return NO_EFFECTS
        return Effects(stage=StageEffect(self.token, self._yielded, writes=True))

    @property
    def _yielded(self) -> Sequence[SSAValue]:
        terminator = self.body.block.last_op
        assert terminator is not None
        return terminator.operands


@irdl_op_definition
class ProduceOneOp(ProduceOp):
    """Fills one stage. Its region has the contents of the stage as arguments, and yields values of
    the same types.
    """

    name = "nv_tileas.async.pipeline.produce_one"

    TOKENS: ClassVar[tuple[Attribute, ...]] = (PipelineProducerTokenType(),)

    result_token = result_def(PipelineProducerTokenType)
    values = var_result_def(VALUES)


@irdl_op_definition
class ProduceOneAsyncOp(ProduceOp):
    """Fills one stage asynchronously; the second result is the completion token."""

    name = "nv_tileas.async.pipeline.produce_one_async"

    TOKENS: ClassVar[tuple[Attribute, ...]] = (PipelineProducerTokenType(), AsyncTokenType())

    result_token = result_def(PipelineProducerTokenType)
    completion = result_def(AsyncTokenType)
    values = var_result_def(VALUES)


def verify_consumer_index(op: OperandListOp, index: IntegerAttr) -> None:
    """Raises `VerifyException` unless a consumer of this index exists.

    Inside an `agent_switch`, there are as many consumers as agents in a group.
    """
    agents = agents_per_group_around(op)
    if index.value.data < 0 or (agents is not None and index.value.data >= agents):
        raise VerifyException("consumer_idx out of range for consumer group")


class ConsumeOp(OperandListOp, StageTokenOpInterface, NoScratchOpInterface, ABC):
    """Base of the ops that wait for a stage, run their region on the stage, and release it."""

    TYPES_IN_PARENTHESES: ClassVar[bool] = True
    TOKENS: ClassVar[tuple[Attribute, ...]]
    """The types of the results before the values."""

    token = operand_def(PipelineConsumerTokenType)
    iterator = operand_def(PipelineIteratorType)
    consumer_idx = prop_def(IntegerAttr[I32])
    consumer_types = prop_def(TYPE_ARRAY)
    body = region_def("single_block")

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        token: SSAValue,
        iterator: SSAValue,
        consumer_idx: int,
        consumer_types: Sequence[Attribute],
        body: Region,
        result_types: Sequence[Attribute] = (),
    ):
        super().__init__(
            operands=[token, iterator],
            properties={
                "consumer_idx": IntegerAttr(consumer_idx, i32),
                "consumer_types": ArrayAttr(consumer_types),
            },
            result_types=[*self.TOKENS, result_types],
            regions=[body],
        )

    def verify_(self) -> None:
        values = self.results[len(self.TOKENS) :]
        verify_pipeline_region(self.body, self.iterator, self.consumer_types, values)
        verify_consumer_index(self, self.consumer_idx)

    @property
    def effects(self) -> Effects:
        return Effects(stage=StageEffect(self.token, self.body.block.args, writes=False))


@irdl_op_definition
class ConsumeOneOp(ConsumeOp):
    """Empties one stage. Its region has the contents of the stage as arguments, and yields the
    results.
    """

    name = "nv_tileas.async.pipeline.consume_one"

    TOKENS: ClassVar[tuple[Attribute, ...]] = (PipelineConsumerTokenType(),)

    result_token = result_def(PipelineConsumerTokenType)
    values = var_result_def(VALUES)


@irdl_op_definition
class ConsumeOneAsyncOp(ConsumeOp):
    """Empties one stage asynchronously; the second result is the completion token."""

    name = "nv_tileas.async.pipeline.consume_one_async"

    TOKENS: ClassVar[tuple[Attribute, ...]] = (PipelineConsumerTokenType(), AsyncTokenType())

    result_token = result_def(PipelineConsumerTokenType)
    completion = result_def(AsyncTokenType)
    values = var_result_def(VALUES)
