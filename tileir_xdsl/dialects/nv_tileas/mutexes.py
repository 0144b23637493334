"""Mutexes: agents, or the warpgroups of an agent, use a resource one after another.

    %Mutex_0 = nv_tileas.async.pipeline.create_mutex {participants = 2 : i32,
                   nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 1 : i32} : M
    nv_tileas.async.pipeline.acquire_mutex %Mutex_0 {participant = 0 : i32} : M
    ..
    nv_tileas.async.pipeline.release_mutex %Mutex_0 {participant = 0 : i32} : M

Participants acquire a mutex in a fixed cyclic order: each waits until the previous participant has
released the mutex. Unlike a pipeline, a mutex transfers no values, and always has a schedule stage
and an order. Source: the TileAS notes on Pipe and Mutex values.
"""

from abc import ABC

from xdsl.dialects.builtin import I32, IntegerAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.plain_type import PlainType

from .async_pipeline import ORDER_KEY, STAGE_KEY
from .operand_list_syntax import OperandListOp


@irdl_attr_definition
class MutexType(PlainType):
    """`!nv_tileas.async.pipeline.mutex`: a mutex, which protects a resource."""

    name = "nv_tileas.async.pipeline.mutex"


@irdl_op_definition
class CreateMutexOp(OperandListOp, RegistersOpInterface):
    """A mutex with its number of participants, and its stage and order in the schedule."""

    name = "nv_tileas.async.pipeline.create_mutex"

    participants = prop_def(IntegerAttr[I32])
    stage = prop_def(IntegerAttr[I32], prop_name=STAGE_KEY)
    order = prop_def(IntegerAttr[I32], prop_name=ORDER_KEY)
    result = result_def(MutexType)

    traits = traits_def(MemoryAllocEffect())

    def __init__(self, participants: int, stage: int, order: int):
        super().__init__(
            properties={
                "participants": IntegerAttr(participants, i32),
                STAGE_KEY: IntegerAttr(stage, i32),
                ORDER_KEY: IntegerAttr(order, i32),
            },
            result_types=[MutexType()],
        )

    def verify_(self) -> None:
        if self.participants.value.data < 2:
            raise VerifyException(
                f"expects at least two participants, but got {self.participants.value.data}"
            )


class MutexOp(OperandListOp, RegistersOpInterface, ABC):
    """Base of the ops by which a participant acquires or releases a mutex.

    `participant` is the participant's number; without it, each warpgroup of the agent is a
    participant.
    """

    mutex = operand_def(MutexType)
    participant = opt_prop_def(IntegerAttr[I32])

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, mutex: SSAValue, participant: int | None = None):
        super().__init__(
            operands=[mutex],
            properties={
                "participant": None if participant is None else IntegerAttr(participant, i32)
            },
        )

    def verify_(self) -> None:
        owner, participant = self.mutex.owner, self.participant
        if participant is None or not isinstance(owner, CreateMutexOp):
            return
        if not 0 <= participant.value.data < owner.participants.value.data:
            raise VerifyException(
                "expects a participant of at least 0 and below "
                f"{owner.participants.value.data}, but got {participant.value.data}"
            )


@irdl_op_definition
class AcquireMutexOp(MutexOp):
    """Acquires the mutex for a participant."""

    name = "nv_tileas.async.pipeline.acquire_mutex"


@irdl_op_definition
class ReleaseMutexOp(MutexOp):
    """Releases the mutex for the next participant."""

    name = "nv_tileas.async.pipeline.release_mutex"
