"""Converts the types and attributes of the `scf` ops from `control_flow`."""

from xdsl.dialects import scf, ub
from xdsl.ir import Operation, Region

from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .patterns import ConvertOp


class ConvertStructure(ConvertOp[Operation]):
    """Rebuilds an op with converted types; its block arguments are converted too."""

    def convert(self, op: Operation) -> Operation:
        return type(op).create(
            operands=self.conversion.values(op.operands),
            result_types=self.conversion.converter.convert_all(op.result_types),
            properties=op.properties,
            regions=[
                Region([self.conversion.move_block(block) for block in region.blocks])
                for region in op.regions
            ],
        )


def structure_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of the ops that `control_flow` creates."""
    structured = (scf.ConditionOp, scf.ForOp, scf.IfOp, scf.WhileOp, scf.YieldOp, ub.PoisonOp)
    return {op: ConvertStructure(conversion, target) for op in structured}
