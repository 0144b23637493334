"""The base class of the patterns: each rebuilds one `nv_tileaa` op as its counterpart in
`nv_tileas`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.dialects.nv_tileaa.interfaces import CopyAtomAttrInterface
from tileir_xdsl.dialects.nv_tileas import AtomAttr
from tileir_xdsl.rewriting import replace_op

SEGMENTS = "operandSegmentSizes"
COPY_WITNESS = "copy_atom"


def segments(sizes: Sequence[int]) -> DenseArrayBase:
    """The sizes of operand groups as a property."""
    return DenseArrayBase.from_list(i32, sizes)


@dataclass(frozen=True)
class Rebuild(RewritePattern):
    """Rebuilds an op as its counterpart, with the same operands, results and regions.

    Properties and attributes are copied, as properties where the counterpart has them, otherwise as
    attributes. A copy witness also becomes the counterpart's atom.
    """

    counterpart: type[IRDLOperation]

    introduced: ClassVar[tuple[type[IRDLOperation], ...]] = ()
    """The ops that the pattern may create in addition to the counterpart."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        replace_op(rewriter, op, self.rebuild(op, op.operands, op.result_types))

    def rebuild(
        self,
        op: Operation,
        operands: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        sizes: Sequence[int] | None = None,
    ) -> Operation:
        """Creates the counterpart, which takes over the regions of `op`.

        Args:
            op: the op to rebuild.
            operands: those of the new op.
            result_types: those of the new op.
            sizes: how the operands are grouped, where not as in `op`.
        """
        properties, attributes = self.described(op)
        if sizes is not None:
            properties[SEGMENTS] = segments(sizes)
        return self.counterpart.create(
            operands=operands,
            result_types=result_types,
            properties=properties,
            attributes=attributes,
            regions=[op.detach_region(region) for region in tuple(op.regions)],
        )

    def described(self, op: Operation) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
        """The properties and attributes of an op's counterpart."""
        known = self.counterpart.get_irdl_definition().properties
        properties: dict[str, Attribute] = {}
        attributes: dict[str, Attribute] = {}
        for key, value in (*op.properties.items(), *op.attributes.items()):
            # `nv_tileas` names atoms by one attribute for all kinds, which later passes read.
            if key == COPY_WITNESS and isinstance(value, CopyAtomAttrInterface):
                properties["atom"] = AtomAttr(value.copy_atom.name)
                if key not in known:
                    continue
            (properties if key in known else attributes)[key] = value
        return properties, attributes


RebuildTable = Mapping[type[Operation], Rebuild]
