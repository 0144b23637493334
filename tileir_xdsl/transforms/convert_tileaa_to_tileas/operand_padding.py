"""Padding of operands of dots: zeros of either sign, of which hardware fills in one.

%a, %t = nv_tileaa.tiled_load .. {padding_value = neg_zero}
%d = nv_tileaa.dot %a, %b, %zeros        // becomes {padding_value = zero}
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.builders.dots import is_positive_zero
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.nv_tileaa.attributes import PaddingValueAttr
from tileir_xdsl.dialects.nv_tileaa.constraints import bit_width, element_type
from tileir_xdsl.walking import ops_in

NARROW_BITS = 16
"""The widest operands of matrix units that add in a wider type, in an order of their own."""


def pad_operands_with_zeros(module: ModuleOp) -> None:
    """Makes padding of -0.0 that only dots read 0.0.

    Products with zeros of either sign add the same to a sum that starts from 0.0, which is -0.0 at
    most where it has underflowed, and PTX leaves the order of these sums open ("mma").
    """
    for op in ops_in(module):
        if (
            isinstance(op, nv_tileaa.TiledLoadOp)
            and op.padding_value is not None
            and op.padding_value.data is PaddingValue.NEG_ZERO
            and _is_only_multiplied(op.tile)
        ):
            op.properties["padding_value"] = PaddingValueAttr(PaddingValue.ZERO)


def _is_only_multiplied(tile: SSAValue) -> bool:
    """Whether a tile is read by dots alone, whose sums start from 0.0."""
    element = element_type(tile)
    if not isinstance(element, AnyFloat) or bit_width(element) > NARROW_BITS:
        return False
    return all(
        isinstance(user, nv_tileaa.DotOp)
        and index < 2
        and user.sfa is None
        and starts_from_zero(user.c)
        for user, index in _users(tile)
    )


def _users(tile: SSAValue) -> Iterator[tuple[Operation, int]]:
    """The ops that read a tile, also in another shape, and by which of their operands."""
    for use in tile.uses:
        if isinstance(use.operation, nv_tileaa.PermuteOp | nv_tileaa.ViewOp):
            yield from _users(use.operation.results[0])
        else:
            yield use.operation, use.index


def starts_from_zero(accumulator: SSAValue) -> bool:
    """Whether an accumulator is 0.0, or carried by a loop that starts from it and adds by dots."""
    if not isinstance(accumulator.owner, Block):
        return is_positive_zero(accumulator)
    loop = accumulator.owner.parent_op()
    if not isinstance(loop, scf.ForOp):
        return False
    number = accumulator.owner.args.index(accumulator) - 1
    if number < 0 or not starts_from_zero(loop.iter_args[number]):
        return False
    last = accumulator.owner.last_op
    assert last is not None
    added = last.operands[number].owner
    return isinstance(added, nv_tileaa.DotOp) and added.c is accumulator
