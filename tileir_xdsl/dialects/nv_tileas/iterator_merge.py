"""The rule that branches of an `scf.if` yield pipeline iterators of the same type.

`scf` does not know pipeline iterators, so this dialect attaches the rule to `scf.if`.
"""

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import when_defined

from .types import PipelineIteratorType


@dataclass(frozen=True)
class MergesPipelineIterators(OpTrait):
    """Trait: pipeline iterators that branches yield have the types of the op's results."""

    def verify(self, op: Operation) -> None:
        for region in op.regions:
            if region.first_block is None or region.first_block.last_op is None:
                continue
            yielded = region.first_block.last_op.operand_types
            for given, wanted in zip(yielded, op.result_types, strict=False):
                iterators = isinstance(given, PipelineIteratorType) or isinstance(
                    wanted, PipelineIteratorType
                )
                if iterators and given != wanted:
                    raise VerifyException("branch arms must yield matching pipeline iterator types")


def attach_iterator_merge() -> None:
    """Lets the verifier of `scf.if` check pipeline iterators."""
    when_defined(scf.IfOp, lambda op: op.traits.add_trait(MergesPipelineIterators()))
