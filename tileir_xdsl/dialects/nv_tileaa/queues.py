"""Queues between agents, and ops by which a tile block takes over others.

A queue passes tuples of values, in order, from the agent that puts them to the agents that get
them.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import I32, ArrayAttr, IntegerAttr, i1, i32
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
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
    IsTerminator,
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface

from .constraints import VALUES
from .types import ProgramIdType, QueueType


@irdl_op_definition
class CurrentProgramIdOp(IRDLOperation, RegistersOpInterface):
    """The ID of the running tile block in the grid."""

    name = "nv_tileaa.current_program_id"

    result = result_def(ProgramIdType)

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self):
        super().__init__(result_types=[ProgramIdType()])


@irdl_op_definition
class CancelNextProgramIdOp(IRDLOperation, RegistersOpInterface):
    """Cancels a tile block that has not started, and returns its ID, invalid if none is left.

    Source: PTX ISA, `clusterlaunchcontrol.try_cancel`.
    """

    name = "nv_tileaa.cancel_next_program_id"

    result = result_def(ProgramIdType)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self):
        super().__init__(result_types=[ProgramIdType()])


@irdl_op_definition
class IsValidProgramIdOp(IRDLOperation, RegistersOpInterface):
    """Whether a program ID is that of a cancelled tile block, which the running tile block must
    execute.
    """

    name = "nv_tileaa.is_valid_program_id"

    program = operand_def(ProgramIdType)
    result = result_def(i1)

    traits = traits_def(Pure())
    assembly_format = "$program attr-dict `:` type($result)"

    def __init__(self, program: SSAValue):
        super().__init__(operands=[program], result_types=[i1])


@irdl_op_definition
class CreateQueueOp(IRDLOperation, RegistersOpInterface):
    """An empty queue that holds at most `stages` tuples."""

    name = "nv_tileaa.create_queue"

    stages = prop_def(IntegerAttr[I32])
    result = result_def(QueueType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, stages: int, result_type: QueueType):
        super().__init__(
            properties={"stages": IntegerAttr(stages, i32)}, result_types=[result_type]
        )

    def verify_(self) -> None:
        if self.stages.value.data < 1:
            raise VerifyException(f"expects at least one stage, but got {self.stages.value.data}")


@irdl_op_definition
class QueueYieldOp(IRDLOperation, RegistersOpInterface):
    """Ends the body of `queue.put` with the values to be put."""

    name = "nv_tileaa.queue.yield"

    values = var_operand_def(VALUES)

    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "attr-dict $values `:` type($values)"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[values])


@irdl_op_definition
class QueuePutOp(IRDLOperation, RegistersOpInterface):
    """Puts the values that its body yields into a queue; waits while the queue is full."""

    name = "nv_tileaa.queue.put"

    queue = operand_def(QueueType)
    body = region_def("single_block")

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$queue attr-dict `:` type($queue) $body"

    def __init__(self, queue: SSAValue, body: Region):
        super().__init__(operands=[queue], regions=[body])

    def verify_(self) -> None:
        assert isinstance(self.queue.type, QueueType)
        terminator = self.body.block.last_op
        if not isinstance(terminator, QueueYieldOp):
            raise VerifyException("expects regions to end with 'nv_tileaa.queue.yield'")
        if list(terminator.operand_types) != list(self.queue.type.element_types):
            raise VerifyException(
                f"expects the body to yield values of types {self.queue.type.element_types}, "
                f"but got {ArrayAttr(terminator.operand_types)}"
            )


@irdl_op_definition
class QueueGetOp(IRDLOperation, RegistersOpInterface):
    """Takes the next tuple of values from a queue; waits while the queue is empty.

    `consumer_idx` is the number of the consumer; each consumer of a queue gets every tuple. A slot
    is free again when all consumers have its tuple.
    """

    name = "nv_tileaa.queue.get"

    queue = operand_def(QueueType)
    consumer_idx = opt_prop_def(IntegerAttr[I32])
    values = var_result_def(VALUES)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$queue attr-dict `:` type($queue) `->` type($values)"

    def __init__(self, queue: SSAValue, consumer_idx: int | None = None):
        assert isinstance(queue.type, QueueType)
        index = None if consumer_idx is None else IntegerAttr(consumer_idx, i32)
        super().__init__(
            operands=[queue],
            properties={"consumer_idx": index},
            result_types=[queue.type.element_types.data],
        )

    def verify_(self) -> None:
        assert isinstance(self.queue.type, QueueType)
        if list(self.result_types) != list(self.queue.type.element_types):
            raise VerifyException(
                f"expects results of types {self.queue.type.element_types}, "
                f"but got {ArrayAttr(self.result_types)}"
            )
