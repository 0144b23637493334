"""Assumptions of a kernel in Tile IR about its arguments, and the arrays that it may write.

A launch checks the assumptions before the kernel runs.
"""

from collections.abc import Iterator, Mapping

from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.traits import IsTerminator

from tileir_xdsl.dialects import cuda_tile

_DESTINATIONS: Mapping[type[Operation], str] = {
    cuda_tile.StorePtrTkoOp: "destination",
    cuda_tile.StoreViewTkoOp: "view",
    cuda_tile.AtomicRMWTkoOp: "pointers",
    cuda_tile.AtomicCASTkoOp: "pointers",
    cuda_tile.AtomicRedViewTkoOp: "view",
    cuda_tile.MultimemReduceViewTkoOp: "view",
    cuda_tile.MultimemStoreViewTkoOp: "view",
}
"""The operand of each op that points to the memory it writes."""


def written_parameters(block: Block) -> frozenset[int]:
    """The parameters of a kernel, by number, whose memory it may write.

    Memory counts as written if its pointer is converted to a number.
    """
    return frozenset(
        number
        for number, argument in enumerate(block.args)
        if _is_address(argument.type) and _is_written(argument)
    )


def divisors(block: Block) -> dict[int, int]:
    """The assumed divisors of parameters, by number; addresses are in bytes."""
    found: dict[int, int] = {}
    for number, argument in enumerate(block.args):
        for divisor in _assumed(argument):
            found[number] = max(found.get(number, 1), divisor)
    return found


def _assumed(value: SSAValue) -> Iterator[int]:
    for use in value.uses:
        op = use.operation
        if isinstance(op, cuda_tile.AssumeOp):
            if isinstance(op.predicate, cuda_tile.DivByAttr) and op.predicate.every_value is None:
                yield op.predicate.divisor.data
            yield from _assumed(op.result)


def _is_address(type_: Attribute) -> bool:
    match type_:
        case cuda_tile.TileType():
            return isinstance(type_.element_type, cuda_tile.PointerType)
        case cuda_tile.TensorViewType() | cuda_tile.TileView():
            return True
        case _:
            return False


def _is_written(parameter: SSAValue) -> bool:
    pending, seen = [parameter], {parameter}
    while pending:
        for use in pending.pop().uses:
            if _writes(use):
                return True
            new = [v for v in _derived(use.operation) if v not in seen and _is_address(v.type)]
            seen.update(new)
            pending += new
    return False


def _writes(use: Use) -> bool:
    op = use.operation
    if isinstance(op, cuda_tile.PtrToIntOp):
        return True
    name = _DESTINATIONS.get(type(op))
    return name is not None and getattr(op, name) is op.operands[use.index]


def _derived(op: Operation) -> Iterator[SSAValue]:
    """Results and block arguments of an op to which it may forward its operands."""
    yield from op.results
    holders = [op]
    if op.has_trait(IsTerminator) and (around := op.parent_op()) is not None:
        # Ends of branches return from the loop around them, too.
        holders.append(around)
        while (outer := around.parent_op()) is not None and not isinstance(
            outer, cuda_tile.EntryOp
        ):
            around = outer
            holders.append(outer)
    for holder in holders:
        yield from holder.results
        for region in holder.regions:
            for block in region.blocks:
                yield from block.args
