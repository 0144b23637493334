"""The steps of a pipeline's handshake, and the iterator that selects the stage.

Types do not show a missing commit or an early release: only execution of the program detects these
errors. Source: the TileAS operation roster, "Pipeline Op Operand/Result Tables".
"""

from abc import ABC
from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import I32, IntegerAttr, i32
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, SSAValue
from xdsl.irdl import (
    BaseAttr,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    Effects,
    NoScratchOpInterface,
    RegistersOpInterface,
    StageEffect,
)
from tileir_xdsl.dialects.nv_tileaa.constraints import VALUES
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.interfaces import ThreadMovesOpInterface

from .async_pipeline import verify_consumer_index
from .buffer_effects import buffer_reads
from .interfaces import (
    StageTokenOpInterface,
    TypeOnlyOpInterface,
)
from .operand_list_syntax import OperandListOp
from .types import (
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
)

PIPELINE_TOKEN = BaseAttr(PipelineProducerTokenType) | BaseAttr(PipelineConsumerTokenType)


@irdl_op_definition
class CreateIteratorOp(OperandListOp, TypeOnlyOpInterface, RegistersOpInterface):
    """An iterator at the first stage of the pipeline of `token`."""

    name = "nv_tileas.async.pipeline.create_iterator"

    token = operand_def(PIPELINE_TOKEN)
    result = result_def(PipelineIteratorType)

    traits = traits_def(Pure())

    def __init__(self, token: SSAValue, payload: Sequence[Attribute]):
        super().__init__(operands=[token], result_types=[PipelineIteratorType(payload)])


@irdl_op_definition
class IncIterOp(OperandListOp, RegistersOpInterface):
    """The iterator at the next stage; the first stage follows the last."""

    name = "nv_tileas.async.pipeline.inc_iter"

    iterator = operand_def(PipelineIteratorType)
    result = result_def(PipelineIteratorType)

    traits = traits_def(Pure())

    def __init__(self, iterator: SSAValue):
        super().__init__(operands=[iterator], result_types=[iterator.type])

    def verify_(self) -> None:
        if self.iterator.type != self.result.type:
            raise VerifyException("requires the same type for operand and result")


@irdl_op_definition
class CreateNullTokenOp(OperandListOp, RegistersOpInterface):
    """A token that owns no stage, as the initial value of a loop."""

    name = "nv_tileas.async.pipeline.create_null_token"

    result = result_def(PIPELINE_TOKEN)

    traits = traits_def(Pure())

    def __init__(self, result_type: PipelineProducerTokenType | PipelineConsumerTokenType):
        super().__init__(result_types=[result_type])


class HandshakeOp(OperandListOp, StageTokenOpInterface, ABC):
    """Base of the handshake steps; passes must not remove or move any step."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


class ProducerStepOp(HandshakeOp, ABC):
    """Base of the steps of a producer, which fills a stage."""


class ConsumerStepOp(HandshakeOp, ABC):
    """Base of the steps of a consumer, which empties a stage."""


@irdl_op_definition
class ProducerAcquireOp(ProducerStepOp, RegistersOpInterface):
    """Waits until the stage is empty; the result token owns the stage."""

    name = "nv_tileas.async.pipeline.producer_acquire"

    token = operand_def(PipelineProducerTokenType)
    iterator = operand_def(PipelineIteratorType)
    result = result_def(PipelineProducerTokenType)

    def __init__(self, token: SSAValue, iterator: SSAValue):
        super().__init__(operands=[token, iterator], result_types=[token.type])

    def verify_(self) -> None:
        verify_producer_iterator(self.iterator)


@irdl_op_definition
class ProducerWriteOp(ProducerStepOp, ThreadMovesOpInterface, NoScratchOpInterface):
    """Writes values to the stage; the result token still owns the stage."""

    name = "nv_tileas.async.pipeline.producer_write"

    token = operand_def(PipelineProducerTokenType)
    values = var_operand_def(VALUES)
    result = result_def(PipelineProducerTokenType)

    def __init__(self, token: SSAValue, values: Sequence[SSAValue]):
        super().__init__(operands=[token, values], result_types=[token.type])

    def verify_(self) -> None:
        if not self.values:
            raise VerifyException("expects at least one value")
        # Values come from registers or from a buffer, so that they may differ in their encodings.
        _verify_payload(self.token, ProducerAcquireOp, self.values.types, _tile_of)

    @property
    def effects(self) -> Effects:
        # A stage that has been written since it was acquired is written again by other threads.
        follows = isinstance(self.token.owner, ProducerAcquireOp)
        stage = StageEffect(self.token, self.values, writes=True, follows_handshake=follows)
        return Effects(buffer_reads(*self.values), stage)

    @property
    def moved_tiles(self) -> Sequence[tuple[SSAValue, SSAValue | None]]:
        return [(value, None) for value in self.values]


@irdl_op_definition
class ProducerCommitOp(ProducerStepOp, RegistersOpInterface):
    """Publishes the stage to consumers; the result token owns no stage."""

    name = "nv_tileas.async.pipeline.producer_commit"

    token = operand_def(PipelineProducerTokenType)
    result = result_def(PipelineProducerTokenType)

    def __init__(self, token: SSAValue):
        super().__init__(operands=[token], result_types=[token.type])


@irdl_op_definition
class ConsumerWaitOp(ConsumerStepOp, RegistersOpInterface):
    """Waits until the stage is published; the result token permits reads of the stage.

    `consumer_idx` is the index of the consumer in its group.
    """

    name = "nv_tileas.async.pipeline.consumer_wait"

    token = operand_def(PipelineConsumerTokenType)
    iterator = operand_def(PipelineIteratorType)
    consumer_idx = prop_def(IntegerAttr[I32])
    result = result_def(PipelineConsumerTokenType)

    def __init__(self, token: SSAValue, iterator: SSAValue, consumer_idx: int):
        super().__init__(
            operands=[token, iterator],
            properties={"consumer_idx": IntegerAttr(consumer_idx, i32)},
            result_types=[token.type],
        )

    def verify_(self) -> None:
        verify_consumer_index(self, self.consumer_idx)


@irdl_op_definition
class ConsumerReadOp(ConsumerStepOp, NoScratchOpInterface):
    """Reads the values of a stage; the result token still permits reads of the stage."""

    name = "nv_tileas.async.pipeline.consumer_read"

    token = operand_def(PipelineConsumerTokenType)
    consumer_idx = prop_def(IntegerAttr[I32])
    result = result_def(PipelineConsumerTokenType)
    values = var_result_def(VALUES)

    def __init__(self, token: SSAValue, consumer_idx: int, result_types: Sequence[Attribute]):
        super().__init__(
            operands=[token],
            properties={"consumer_idx": IntegerAttr(consumer_idx, i32)},
            result_types=[token.type, result_types],
        )

    def verify_(self) -> None:
        verify_consumer_index(self, self.consumer_idx)
        _verify_payload(self.token, ConsumerWaitOp, self.values.types)

    @property
    def effects(self) -> Effects:
        return Effects(stage=StageEffect(self.token, self.values, writes=False))


@irdl_op_definition
class ConsumerReleaseOp(ConsumerStepOp, RegistersOpInterface):
    """Releases the stage to the producers; the result token owns no stage."""

    name = "nv_tileas.async.pipeline.consumer_release"

    token = operand_def(PipelineConsumerTokenType)
    result = result_def(PipelineConsumerTokenType)

    def __init__(self, token: SSAValue):
        super().__init__(operands=[token], result_types=[token.type])


def verify_producer_iterator(iterator: SSAValue) -> None:
    """Raises `VerifyException` if an iterator is known to come from a consumer token.

    A consumer, however, may use the producer's iterator.
    """
    origin = _first_iterator(iterator)
    if origin is not None and isinstance(origin.token.type, PipelineConsumerTokenType):
        raise VerifyException(
            "expects an iterator of a producer token, but got one of a consumer token"
        )


def _first_iterator(iterator: SSAValue) -> CreateIteratorOp | None:
    """The op that creates an iterator, searched through increments and loop-carried values."""
    while True:
        owner = iterator.owner
        if isinstance(owner, CreateIteratorOp):
            return owner
        if isinstance(owner, IncIterOp):
            iterator = owner.iterator
            continue
        if not isinstance(iterator, BlockArgument | OpResult):
            return None
        # The first argument of a loop's body is the induction variable.
        loop, before = (owner.parent_op(), 1) if isinstance(owner, Block) else (owner, 0)
        if not isinstance(loop, scf.ForOp):
            return None
        iterator = loop.iter_args[iterator.index - before]


def _tile_of(type: Attribute) -> object:
    """The shape and the elements of a tile, which may be an accumulator of MMAs in flight."""
    return tile_shape(type.payload if isinstance(type, ValueType) else type)


def _verify_payload(
    token: SSAValue,
    opening: type[ProducerAcquireOp | ConsumerWaitOp],
    types: Sequence[Attribute],
    aspect: Callable[[Attribute], object] = lambda type: type,
) -> None:
    """Checks the types of a stage's values against the iterator that acquired the token, if known.

    `aspect` selects what must agree, such as the shape and the elements of a tile.
    """
    if not isinstance(token.owner, opening):
        return
    iterator = token.owner.iterator.type
    assert isinstance(iterator, PipelineIteratorType)
    if [aspect(type) for type in iterator.payload] != [aspect(type) for type in types]:
        names = ", ".join(map(str, types))
        raise VerifyException(f"expects values of types {iterator.payload}, but got [{names}]")
