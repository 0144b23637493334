"""Regions of pipeline ops: their terminators, arguments and yielded values.

Source: the TileAS verifier notes, "Region-Op Verifier Template".
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import BaseAttr, traits_def, var_operand_def
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    NO_EFFECTS,
    Effects,
    NoScratchOpInterface,
)
from tileir_xdsl.dialects.nv_tileaa.constraints import VALUES

from .interfaces import ProducerRegionOpInterface
from .operand_list_syntax import OperandListOp
from .types import PipelineIteratorType

TYPE_ARRAY = BaseAttr(ArrayAttr)


@irdl_op_definition
class PipelineYieldOp(OperandListOp, NoScratchOpInterface):
    """Ends a region of a pipeline op and yields its operands."""

    name = "nv_tileas.async.pipeline.yield"

    values = var_operand_def(VALUES)

    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])

    @property
    def effects(self) -> Effects:
        around = self.parent_op()
        is_producer = isinstance(around, ProducerRegionOpInterface)
        return around.yield_effects if is_producer else NO_EFFECTS


def _names(types: Sequence[Attribute]) -> str:
    return "[" + ", ".join(map(str, types)) + "]"


def _payload(types: Sequence[Attribute]) -> list[Attribute]:
    """The types, with each pipeline iterator replaced by its payload types."""
    payload: list[Attribute] = []
    for type in types:
        payload += type.payload if isinstance(type, PipelineIteratorType) else [type]
    return payload


def verify_pipeline_yield(region: Region) -> PipelineYieldOp:
    """The terminator of a region; raises `VerifyException` if it is not a pipeline yield."""
    terminator = region.block.last_op
    if not isinstance(terminator, PipelineYieldOp):
        raise VerifyException("pipeline regions must end with 'nv_tileas.async.pipeline.yield'")
    return terminator


def verify_pipeline_region(
    region: Region,
    iterator: SSAValue,
    types: ArrayAttr[Attribute],
    values: Sequence[SSAValue],
) -> None:
    """Checks the region of a `produce_one` or `consume_one`.

    The region's arguments are the contents of a stage, of the types of the iterator and `types`.
    The region yields the results other than tokens or, without such results, the contents of the
    stage.

    Raises:
        VerifyException: with the texts of the verifier notes, their spelling included.
    """
    assert isinstance(iterator.type, PipelineIteratorType)
    terminator = verify_pipeline_yield(region)
    expected = types.data
    if iterator.type.payload.data != expected:
        raise VerifyException(
            f"expects iterator payload to match with producer types {_names(expected)}, "
            f"but got: {_names(iterator.type.payload.data)}"
        )
    arguments = _payload(region.block.arg_types)
    if arguments != list(expected):
        raise VerifyException(
            "expects region arguement types to match with producer types "
            f"{_names(expected)}, but got: {_names(arguments)}"
        )
    results = [value.type for value in values] or list(expected)
    if list(terminator.operand_types) != results:
        raise VerifyException(
            "expects region result types to be match with operation result types "
            f"{_names(results)}, but got: {_names(list(terminator.operand_types))}"
        )
