"""Computes the masks of tested powers of two after the powers.

    %kept = arith.andi %column, %row : tensor<64x128xi1, #L>
    %p = nv_tileaa.exp2 %x {nv_tileas.strategy = #nv_tileas.strategy<tested_approximation>} : ..
    %y = arith.select %kept, %p, %zeros : ..
    // becomes
    %p = nv_tileaa.exp2 %x {nv_tileas.strategy = #nv_tileas.strategy<tested_approximation>} : ..
    %kept = arith.andi %column, %row : tensor<64x128xi1, #L>
    %y = arith.select %kept, %p, %zeros : ..

The test of the powers is a branch. A thread has seven predicates; `ptxas` packs further ones that
are live across a branch into a register, by several instructions for each.
"""

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.layouts.transfer import is_elementwise
from tileir_xdsl.analysis.layouts.uniform_bits import UniformBits
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.element_interfaces import SameRegistersOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy, strategy_of

from .functions import POWERS_OF_TWO


def compute_masks_late(ops: Iterable[Operation]) -> None:
    """Moves masks whose users all come after tested powers of two, and what only these masks need,
    right after the powers, which are among `ops`.
    """
    for op in ops:
        if isinstance(op, POWERS_OF_TWO) and strategy_of(op) is Strategy.TESTED_APPROXIMATION:
            _move_masks(op)


def _move_masks(power: Operation) -> None:
    block = power.parent
    assert block is not None
    moved, later = set[Operation | None](), set[Operation | None](_after(power))
    for op in reversed(_ops_before(power, block)):
        users = {block.find_ancestor_op_in_block(use.operation) for use in op.results[0].uses}
        is_mask = tile_shape(op.results[0].type).element == i1
        if users <= (later if is_mask else moved):
            op.detach()
            block.insert_op_after(op, power)
            moved.add(op)
            later.add(op)


def _ops_before(power: Operation, block: Block) -> list[Operation]:
    """The ops from whose operands masks can be computed as well after the powers.

    These operands are results of such ops, come from around the block, where they are live on, or
    have fewer different registers than the result.
    """
    known, found = UniformBits(), dict[Operation, None]()

    def is_kept(op: Operation, operand: SSAValue) -> bool:
        owner = operand.owner
        if owner in found or (owner if isinstance(owner, Block) else owner.parent) is not block:
            return True
        return known.registers(op, operand) < known.registers(op, op.results[0])

    for op in block.ops:
        if op is power:
            break
        if _moves(op) and all(is_kept(op, operand) for operand in op.operands):
            found[op] = None
    return [*found]


def _moves(op: Operation) -> bool:
    if isinstance(op, SameRegistersOpInterface):
        return tile_layout(op.results[0].type) is not None
    return isinstance(op, nv_tileas.GenerateOp) or (is_elementwise(op) and len(op.results) == 1)


def _after(op: Operation) -> Iterator[Operation]:
    following = op.next_op
    while following is not None:
        yield following
        following = following.next_op
