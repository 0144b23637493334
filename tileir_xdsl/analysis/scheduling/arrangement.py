"""Where in a loop's body early products are started, and late ones waited for.

What follows the early products is written once more behind the loop, which ends before it starts
any that nobody wants. So they stand behind all that costs instructions of its own. A late product
is waited for before its sum is changed, and before the registers that it reads are written again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.layout_groups import is_tile
from tileir_xdsl.analysis.products_in_flight import runs_beside_threads
from tileir_xdsl.analysis.register_pressure import REARRANGING, Holders
from tileir_xdsl.analysis.tensor_memory_products import (
    RENAMINGS,
    is_tensor_memory_product,
    stage_of,
)
from tileir_xdsl.dialects.nv_tileas.async_handshakes import ConsumerReleaseOp, ConsumerWaitOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import ProductOp

from .dependences import body_ops
from .in_order import LoopOrder
from .occupancy import Occupancy
from .overlap import EarlyProducts, LateProduct

NEXT, PREVIOUS = 1, -1


@dataclass(frozen=True)
class Overlap:
    """The products of a loop that run beside its other ops, and the order of all its ops."""

    early: EarlyProducts
    late: tuple[LateProduct, ...]
    order: LoopOrder


def arranged(
    loop: scf.ForOp,
    early: EarlyProducts,
    late: Sequence[LateProduct],
    occupancies: Mapping[Operation, Occupancy],
    holders: Holders,
) -> Overlap:
    """The order of the ops of a body with early and late products."""
    offsets = dict.fromkeys(early.moved, NEXT)
    for product in late:
        offsets |= dict.fromkeys((product.wait, *product.releases), PREVIOUS)
    ops = [op for op in body_ops(loop) if op not in offsets]
    for product in late:
        _insert_wait(product, ops, loop, holders)
    _take_stages_at_products(ops)
    behind = (op in offsets or _is_costly(op, occupancies) for op in ops)
    place = max((number + 1 for number, is_behind in enumerate(behind) if is_behind), default=0)
    ops[place:place] = [op for op in body_ops(loop) if op in early.moved]
    return Overlap(early, tuple(late), LoopOrder(tuple(ops), offsets))


def _insert_wait(
    product: LateProduct, ops: list[Operation], loop: scf.ForOp, holders: Holders
) -> None:
    """Puts the wait for a late product, and the releases of its stages, where they must be.

    The stages that it will read next are waited for before that: a wait in which the warps stand
    keeps the assembler from having them wait for the product earlier.
    """
    block = loop.body.block
    carried = block.args[product.position + 1]
    changed = {block.find_ancestor_op_in_block(use.operation) for use in carried.uses}
    written = {tile.owner for tile in register_factors(product, holders)}
    place = next(i for i, op in enumerate(ops) if op in changed or op in written)
    reads = [token.owner for token in product.tokens]
    takes = [op for op in ops[place:] if op in reads or _is_read_by(op, reads)]
    for op in takes:
        ops.remove(op)
    ops[place:place] = [*takes, product.wait, *product.releases]


def _take_stages_at_products(ops: list[Operation]) -> None:
    """Puts the waits for stages that a product in tensor memory alone reads right before it.

    The thread that issues the product waits for them, and no other.
    """
    for dot in [op for op in ops if isinstance(op, ProductOp) and is_tensor_memory_product(op)]:
        takes = _stage_ops(dot)
        ordered = [op for op in ops if op in takes]
        for op in ordered:
            ops.remove(op)
        place = ops.index(dot)
        ops[place:place] = ordered


def _stage_ops(dot: ProductOp) -> set[Operation]:
    """The ops that give a product its factors from stages, as far as nothing else looks at them."""
    found: set[Operation] = set()
    for factor in (dot.a, dot.b):
        read = stage_of(factor)
        if read is None or not isinstance(read.token.owner, ConsumerWaitOp):
            continue
        found |= {read, read.token.owner}
        while isinstance(factor.owner, RENAMINGS):
            found.add(factor.owner)
            factor = factor.owner.operands[0]
    users = {use.operation for op in found for result in op.results for use in result.uses}
    others = {user for user in users if not isinstance(user, ConsumerReleaseOp)}
    return found if others <= {*found, dot} else set()


def _is_read_by(op: Operation, reads: Sequence[Operation | Block]) -> bool:
    """Whether an op waits for a stage that others read."""
    return isinstance(op, ConsumerWaitOp) and any(use.operation in reads for use in op.result.uses)


def register_factors(product: LateProduct, holders: Holders) -> frozenset[SSAValue]:
    """The tiles in registers that a product reads until it is done.

    Also those that may be computed again at every use, as the product uses them all the time.
    """
    found: set[SSAValue] = set()
    for factor in (product.dot.a, product.dot.b):
        if is_tile(factor):
            while isinstance(factor.owner, REARRANGING):
                factor = factor.owner.operands[0]
            found |= {factor, *holders.get(factor, ())}
    return frozenset(found)


def _is_costly(op: Operation, occupancies: Mapping[Operation, Occupancy]) -> bool:
    beside = isinstance(op, ProduceOp) or runs_beside_threads(op)
    return not beside and occupancies[op].cycles > 0
