"""The base class of the patterns: each rebuilds one `cuda_tile` op in the target dialects."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.levels import extension_ops, missing_lowering
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

OpT = TypeVar("OpT", bound=Operation)


@dataclass(frozen=True)
class Replacement:
    """The ops and results that replace those of an op; by default the last op's results."""

    ops: Sequence[Operation]
    results: Sequence[SSAValue | None] | None = None


def build(
    op: type[IRDLOperation],
    operands: Sequence[SSAValue | Sequence[SSAValue] | None],
    properties: Mapping[str, Attribute | None],
    result_types: Sequence[Attribute],
) -> Operation:
    """Creates an op from its operand groups, properties and result types; checks the number of
    each.
    """
    # Around the constructors of the classes, which do not take properties by name.
    new_op = op.__new__(op)
    IRDLOperation.__init__(
        new_op, operands=operands, properties=properties, result_types=result_types
    )
    return new_op


@dataclass(frozen=True)
class ConvertOp(RewritePattern, Generic[OpT], ABC):
    """Base class of the patterns of one op type: `convert` returns the replacement of the op."""

    conversion: Conversion
    target: Target

    @abstractmethod
    def convert(self, op: OpT) -> Replacement | Operation:
        """Returns the ops that replace `op`; read its converted operands through
        `self.conversion`.
        """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        replacement = self.convert(cast(OpT, op))
        if isinstance(replacement, Operation):
            replacement = Replacement([replacement])
        # Attributes that are not part of the op, such as fastmath, travel with its last new op.
        if replacement.ops:
            last = replacement.ops[-1]
            for name, attribute in op.attributes.items():
                # An attribute of the name of a property would be printed twice.
                (last.properties if name in last.properties else last.attributes)[name] = attribute
        self.conversion.replace(rewriter, op, replacement.ops, replacement.results)

    @property
    def architecture(self) -> str:
        """The target's name in optimization hints, without architecture suffix."""
        return f"sm_{self.target.compute_capability}"


class ConvertTypes(ConvertOp[Operation]):
    """Converts the types of an op that belongs to both levels."""

    def convert(self, op: Operation) -> Operation:
        if type(op) not in extension_ops("nv_tileaa"):
            reason = missing_lowering(op, "cuda_tile")
            fail(op, f"'{op.name}' op cannot be converted to nv_tileaa{reason}")
        return type(op).create(
            operands=self.conversion.values(op.operands),
            result_types=self.conversion.converter.convert_all(op.result_types),
            properties=op.properties,
        )


def extension_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of ops of registered extensions."""
    return {
        op: known.parts.lowering.get("cuda_tile", ConvertTypes)(conversion, target)
        for op, known in extension_ops("cuda_tile").items()
    }
