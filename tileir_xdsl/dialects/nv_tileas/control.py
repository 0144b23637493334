"""Terminators, fences, directives for the back end, and ops that take over other tile blocks.

Source: the TileAS operation roster, family "control and metadata".
"""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    Answer,
    Effects,
    NoScratchOpInterface,
    RegistersOpInterface,
)
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, MemScopeAttr, MemSemanticAttr
from tileir_xdsl.dialects.nv_tileaa.constraints import VALUES
from tileir_xdsl.dialects.nv_tileaa.hints import DirectivesOp
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import memory_order_properties
from tileir_xdsl.dialects.nv_tileaa.syntax import MemoryOrder
from tileir_xdsl.dialects.nv_tileaa.types import ProgramIdType
from tileir_xdsl.dialects.nv_tileaa.yields import verify_yields
from tileir_xdsl.dialects.scratch import Rearranged, ScratchNeed

from .attributes import MemoryAttr, Residency
from .buffer_effects import buffer_reads, bulk_load
from .interfaces import (
    BulkLoadOpInterface,
    MemoryConsistencyOpInterface,
)


@irdl_op_definition
class YieldOp(IRDLOperation, RegistersOpInterface):
    """Ends a region and yields its operands."""

    name = "nv_tileas.yield"

    values = var_operand_def(VALUES)

    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])


@irdl_op_definition
class PragmaOp(DirectivesOp):
    """Returns the values that its body yields; the back end enters and leaves the body with
    directives.
    """

    name = "nv_tileas.pragma"

    def verify_(self) -> None:
        verify_yields(self.body, self.result_types, YieldOp)

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        terminator = self.body.block.last_op
        assert terminator is not None
        return tuple(map(Rearranged, terminator.operands, self.outputs))


@irdl_op_definition
class FenceOp(IRDLOperation, MemoryConsistencyOpInterface, RegistersOpInterface):
    """`nv_tileas.fence acq_rel gpu`: orders accesses of these threads before and after the fence.

    Source: PTX ISA, "membar/fence".
    """

    name = "nv_tileas.fence"

    mem_semantic = prop_def(MemSemanticAttr)
    mem_scope = opt_prop_def(MemScopeAttr)

    custom_directives = (MemoryOrder,)
    assembly_format = "custom<MemoryOrder>($mem_semantic, $mem_scope) attr-dict"

    def __init__(self, mem_semantic: MemSemantic, mem_scope: MemScope):
        super().__init__(properties=memory_order_properties(mem_semantic, mem_scope))

    def verify_(self) -> None:
        if self.mem_semantic.data in (MemSemantic.WEAK, MemSemantic.RELAXED):
            raise VerifyException(f"unsupported mem_semantic: {self.mem_semantic.data}")
        if self.mem_scope is None:
            raise VerifyException("mem_scope required when mem_semantic is not weak")


class ProgramIdRequestOp(IRDLOperation, NoScratchOpInterface, ABC):
    """Base of the requests for a tile block."""


@irdl_op_definition
class CancelNextProgramIdOp(ProgramIdRequestOp):
    """Cancels a tile block that has not started, and returns its ID, invalid if none is left.

    Source: PTX ISA, `clusterlaunchcontrol.try_cancel`.
    """

    name = "nv_tileas.cancel_next_program_id"

    result = result_def(ProgramIdType)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self):
        super().__init__(result_types=[ProgramIdType()])

    @property
    def effects(self) -> Effects:
        return Effects(creates=Answer())


ANSWER = TensorType(i32, [4], MemoryAttr(Residency.SHARED))
"""The buffer of 16 bytes for the answer to a request for a tile block."""


@irdl_op_definition
class AsyncCancelNextProgramIdOp(ProgramIdRequestOp, BulkLoadOpInterface):
    """Requests a tile block as `cancel_next_program_id` does, without waiting for the answer.

    `%v = nv_tileas.async.cancel_next_program_id into %b of B : !async.value<B>` writes the answer
    to a buffer, such as a pipeline stage, for `read_program_id`.
    """

    name = "nv_tileas.async.cancel_next_program_id"

    destination = opt_operand_def(TensorType)
    result = result_def(ValueType)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "(`into` $destination^ `of` type($destination))? attr-dict `:` type($result)"

    def __init__(self, destination: SSAValue | None = None):
        payload = ProgramIdType() if destination is None else destination.type
        super().__init__(operands=[destination], result_types=[ValueType(payload)])

    def verify_(self) -> None:
        if self.destination is not None:
            verify_answer(self.destination.type)
        payload = ProgramIdType() if self.destination is None else self.destination.type
        if self.result.type != ValueType(payload):
            raise VerifyException(
                f"expects a result of type {ValueType(payload)}, but got {self.result.type}"
            )

    @property
    def effects(self) -> Effects:
        if self.destination is None:
            return Effects(creates=Answer())
        return bulk_load(self.destination)

    @property
    def filled(self) -> SSAValue | None:
        return self.destination


@irdl_op_definition
class ReadProgramIdOp(IRDLOperation, NoScratchOpInterface):
    """The ID of the tile block in an answer in shared memory; the ID may be invalid."""

    name = "nv_tileas.read_program_id"

    answer = operand_def(TensorType)
    result = result_def(ProgramIdType)

    traits = traits_def(MemoryReadEffect())
    assembly_format = "$answer attr-dict `:` type($answer) `->` type($result)"

    def __init__(self, answer: SSAValue):
        super().__init__(operands=[answer], result_types=[ProgramIdType()])

    def verify_(self) -> None:
        verify_answer(self.answer.type)

    @property
    def effects(self) -> Effects:
        return Effects(buffer_reads(self.answer))


def verify_answer(type: Attribute) -> None:
    """Raises `VerifyException` unless a buffer has the type of an answer to a request."""
    if type != ANSWER:
        raise VerifyException(f"expects an answer of type {ANSWER}, but got {type}")
