"""Liveness of loop-carried values: which of them affect what the program computes.

A carried value matters if it reaches a used result of the loop, or an op in the body with a visible
effect. A value that only circulates, such as the sum of an unused accumulation, does not matter.
"""

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator, MemoryEffectKind, RecursiveMemoryEffect, get_effects

from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp
from tileir_xdsl.dialects.nv_tileas.compute import WgmmaOp
from tileir_xdsl.walking import ops_in

VALUE_OPS = (CollectiveOp, WgmmaOp)
"""Ops whose order matters, but that have no effects besides their results."""

UNSEEN_EFFECTS = frozenset({MemoryEffectKind.READ, MemoryEffectKind.ALLOC})
"""Memory effects that cannot be observed if the results of the op are not used."""


def is_seen(op: Operation) -> bool:
    """Whether the rest of a program can see that an op has run, by more than its results."""
    if isinstance(op, VALUE_OPS) or op.has_trait(IsTerminator, value_if_unregistered=False):
        return False
    # The ops inside are asked themselves.
    if op.has_trait(RecursiveMemoryEffect, value_if_unregistered=False):
        return False
    effects = get_effects(op)
    return effects is None or any(effect.kind not in UNSEEN_EFFECTS for effect in effects)


def carried_values_that_matter(loop: scf.ForOp) -> tuple[bool, ...]:
    """For each value that a loop carries, whether it matters."""
    matters = [result.first_use is not None for result in loop.results]
    if all(matters):
        return tuple(matters)
    block = loop.body.block
    yielded = _terminator_operands(block)
    inside = set(ops_in(block))
    values = [value for value, used in zip(yielded, matters, strict=True) if used]
    needed: set[Operation] = set()
    for op in inside:
        if is_seen(op):
            values += _need(op, inside, needed)
    while values:
        value = values.pop()
        owner = value.owner
        if owner is block:
            assert isinstance(value, BlockArgument)
            if value.index and not matters[value.index - 1]:
                matters[value.index - 1] = True
                values.append(yielded[value.index - 1])
            continue
        op = owner.parent_op() if isinstance(owner, Block) else owner
        if op is not None:
            values += _need(op, inside, needed)
    return tuple(matters)


def _need(op: Operation, inside: set[Operation], needed: set[Operation]) -> list[SSAValue]:
    """Marks an op and the ops around it as needed; returns their operands and the yields of their
    regions.
    """
    values: list[SSAValue] = []
    current: Operation | None = op
    while current is not None and current in inside and current not in needed:
        needed.add(current)
        values += current.operands
        for region in current.regions:
            for block in region.blocks:
                values += _terminator_operands(block)
        current = current.parent_op()
    return values


def _terminator_operands(block: Block) -> tuple[SSAValue, ...]:
    return () if block.last_op is None else tuple(block.last_op.operands)
