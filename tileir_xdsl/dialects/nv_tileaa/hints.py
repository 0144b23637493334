"""Ops that restrict or permit compiler transformations, and change no value."""

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import TypeVar
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    IntConstraint,
    IRDLOperation,
    ParsePropInAttrDict,
    VerificationContext,
    opt_prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryWriteEffect, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.scratch import Rearranged, ScratchNeed

from .constraints import VALUES
from .types import QueueType
from .yields import verify_yields


@dataclass(frozen=True)
class _Queue(AttrConstraint):
    """Accepts a queue, or a token of the pipeline that replaces the queue in `nv_tileas`."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, QueueType) and not attr.name.startswith(_PIPELINE_TOKENS):
            raise VerifyException(f"expect operands with queue types, but got {attr}")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint:
        return self


# No dialect of a higher level imports those below it.
_PIPELINE_TOKENS = (
    "nv_tileas.async.pipeline.producer_token",
    "nv_tileas.async.pipeline.consumer_token",
)


@irdl_op_definition
class MarkForReuseOp(IRDLOperation, RegistersOpInterface):
    """Permits reuse of the memory of its operands, which are queues, after this op."""

    name = "nv_tileaa.mark_for_reuse"

    values = var_operand_def(_Queue())

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[values])

    def verify_(self) -> None:
        if not self.values:
            raise VerifyException("expects at least one operand")


@irdl_op_definition
class OptimizationBarrierOp(IRDLOperation, RegistersOpInterface):
    """Returns its operands; the compiler must assume nothing about the results."""

    name = "nv_tileaa.optimization_barrier"

    values = var_operand_def(VALUES)
    outputs = var_result_def(VALUES)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$values attr-dict `:` type($values) `->` type($outputs)"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[values], result_types=[[value.type for value in values]])

    def verify_(self) -> None:
        if list(self.operand_types) != list(self.result_types):
            raise VerifyException("requires the same types for operands and results")

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return tuple(map(Rearranged, self.values, self.outputs))


class DirectivesOp(IRDLOperation, RegistersOpInterface, ABC):
    """Returns the values that its body yields; the back end enters and leaves the body with
    directives.
    """

    enter_directives = opt_prop_def(ArrayAttr[StringAttr], prop_name="ocgEnterDirectives")
    leave_directives = opt_prop_def(ArrayAttr[StringAttr], prop_name="ocgLeaveDirectives")
    outputs = var_result_def(VALUES)
    body = region_def("single_block")

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(RecursiveMemoryEffect())
    assembly_format = "attr-dict-with-keyword (`:` type($outputs)^)? $body"

    def __init__(
        self,
        result_types: Sequence[Attribute],
        body: Region,
        enter_directives: Sequence[str] = (),
        leave_directives: Sequence[str] = (),
    ):
        def strings(words: Sequence[str]) -> ArrayAttr[StringAttr] | None:
            return ArrayAttr(map(StringAttr, words)) if words else None

        super().__init__(
            properties={
                "ocgEnterDirectives": strings(enter_directives),
                "ocgLeaveDirectives": strings(leave_directives),
            },
            result_types=[result_types],
            regions=[body],
        )


@irdl_op_definition
class PragmaOp(DirectivesOp):
    """Returns the values that its body yields; the back end enters and leaves the body with
    directives.
    """

    name = "nv_tileaa.pragma"

    def verify_(self) -> None:
        verify_yields(self.body, self.result_types)
