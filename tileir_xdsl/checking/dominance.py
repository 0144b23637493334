"""SSA dominance: every value is defined before it is used, on every path. xDSL never checks it."""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

_Scope = dict[SSAValue, None]


def verify_dominance(op: Operation) -> None:
    """Raises `VerifyException` that names the first op with an operand not defined before it.

    Only operands inside of `op` are read; `op` itself is the outermost scope.
    """
    for region in op.regions:
        _verify_region(region, {})


def _verify_region(region: Region, visible: _Scope) -> None:
    blocks = list(region.blocks)
    if len(blocks) == 1:
        _verify_block(blocks[0], visible)
        return
    if not blocks:
        return
    # Definitions in the dominators of a block are visible in it; without predecessors, none are.
    dominance = DominanceInfo(region)
    for block in blocks:
        scope = dict(visible)
        for other in blocks:
            if dominance.strictly_dominates(other, block):
                scope.update(dict.fromkeys(_defined_in(other)))
        _verify_block(block, scope)


def _defined_in(block: Block) -> list[SSAValue]:
    return [*block.args, *(result for op in block.ops for result in op.results)]


def _verify_block(block: Block, visible: _Scope) -> None:
    added: list[SSAValue] = list(block.args)
    visible.update(dict.fromkeys(added))
    for op in block.ops:
        for index, operand in enumerate(op.operands):
            if operand not in visible:
                raise VerifyException(
                    f"'{op.name}' op at {op.location} uses operand #{index} at a place "
                    "that its definition does not dominate"
                )
        inner = {} if op.has_trait(IsolatedFromAbove) else visible
        for region in op.regions:
            _verify_region(region, inner)
        added += op.results
        visible.update(dict.fromkeys(op.results))
    for value in added:
        del visible[value]
