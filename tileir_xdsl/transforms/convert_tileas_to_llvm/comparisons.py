"""Comparisons of integers: one for all registers whose elements are known to compare alike.

That is so of neighbours that are compared with a multiple of their number, such as the positions in
a row with its length.
"""

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.divisibility import DivisibilityAnalysis
from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.layout.linear import element_coordinate

from .elementwise import Emitter
from .patterns import Lowering, LowerOp
from .values import ThreadProgram


class LowerCompare(LowerOp[arith.CmpiOp]):
    """Registers that differ only within groups of equal elements share a comparison."""

    def __init__(self, lowering: Lowering, emitter: Emitter):
        super().__init__(lowering)
        self.emitter = emitter

    def lower(self, op: arith.CmpiOp, program: ThreadProgram) -> None:
        layout = layout_of(op, op.result)
        pairs = [program.registers[operand] for operand in op.operands]
        count = max(map(len, pairs))
        lhs, rhs = (values if len(values) == count else values * count for values in pairs)
        places: list[tuple[int, ...]] = [()]
        if layout is not None:
            constancy = DivisibilityAnalysis().of(op.result).constancy
            places = [
                tuple(
                    position & -equal
                    for position, equal in zip(
                        element_coordinate(element, layout.shape), constancy, strict=True
                    )
                )
                for element in layout.register_elements()
            ]
        known: dict[tuple[int, ...] | tuple[SSAValue, SSAValue], SSAValue] = {}
        results: list[SSAValue] = []
        for place, left, right in zip(places, lhs, rhs, strict=True):
            result = known.get(place) or known.get((left, right))
            if result is None:
                result = self.emitter(op, program, left, right)
            known[place] = known[left, right] = result
            results.append(result)
        program.registers[op.result] = tuple(results)
