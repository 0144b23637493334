"""The identity that a reduction implies: the neutral element of the body's single op.

The neutral element of a float sum is `0.0` (Tile IR specification, section 8.3.15).
"""

from collections.abc import Callable, Sequence
from math import inf

from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation

from tileir_xdsl.dialects.cuda_tile.bitwise import AndIOp, OrIOp, XOrIOp
from tileir_xdsl.dialects.cuda_tile.enums import Signedness
from tileir_xdsl.dialects.cuda_tile.floating_point import AddFOp, MaxFOp, MinFOp, MulFOp
from tileir_xdsl.dialects.cuda_tile.integer import AddIOp, MaxIOp, MinIOp, MulIOp

FLOAT_ELEMENTS: dict[type[Operation], float] = {
    AddFOp: 0.0,
    MulFOp: 1.0,
    MaxFOp: -inf,
    MinFOp: inf,
}
INTEGER_ELEMENTS: dict[type[Operation], int] = {
    AddIOp: 0,
    MulIOp: 1,
    AndIOp: -1,
    OrIOp: 0,
    XOrIOp: 0,
}
EXTREME_ELEMENTS: dict[type[Operation], Callable[[int, int], int]] = {
    MaxIOp: min,
    MinIOp: max,
}
"""Selects the neutral end of a type's range."""


def neutral_element(op: Operation, element: Attribute) -> Attribute | None:
    """The neutral element of `op` for type `element`; None if unknown."""
    kind = type(op)
    if isinstance(element, AnyFloat):
        value = FLOAT_ELEMENTS.get(kind)
        return None if value is None else FloatAttr(value, element)
    if not isinstance(element, IntegerType):
        return None
    if isinstance(op, MaxIOp | MinIOp):
        low, high = _value_range(op, element)
        return IntegerAttr(EXTREME_ELEMENTS[kind](low, high), element)
    number = INTEGER_ELEMENTS.get(kind)
    return None if number is None else IntegerAttr(number, element)


def _value_range(op: MaxIOp | MinIOp, element: IntegerType) -> tuple[int, int]:
    width = element.bitwidth
    if op.signedness.data is Signedness.UNSIGNED:
        return 0, (1 << width) - 1
    return -(1 << width - 1), (1 << width - 1) - 1


def implied_identity(body: Block, element: Attribute) -> Attribute | None:
    """The identity that the single op of a body implies; None if there is no such op."""
    op = body.first_op
    # `addf %x, %x` has one op too, but combines nothing.
    if op is None or op.next_op is not body.last_op or {*op.operands} != {*body.args}:
        return None
    return neutral_element(op, element)


def needed_identities(body: Block, identities: Sequence[Attribute]) -> Sequence[Attribute] | None:
    """The identities, or None where the single op of the body implies them."""
    element = identities[0]
    # Several operands need several ops, whose neutral elements depend on each other.
    if len(identities) > 1 or not isinstance(element, IntegerAttr | FloatAttr):
        return identities
    return None if _same(implied_identity(body, element.type), element) else identities


def is_wrong(neutral: Attribute | None, identity: Attribute) -> bool:
    """Whether an identity differs from the neutral element; signs of zeros do not count."""
    if isinstance(neutral, FloatAttr) and isinstance(identity, FloatAttr):
        return neutral.value.data != identity.value.data
    if isinstance(neutral, IntegerAttr) and isinstance(identity, IntegerAttr):
        return not _same(neutral, identity)
    return False


def _same(neutral: Attribute | None, identity: IntegerAttr | FloatAttr) -> bool:
    """Whether two constants have the same bits, unlike `-0.0` and `0.0`; 255 as an i8 is -1."""
    if isinstance(neutral, FloatAttr) and isinstance(identity, FloatAttr):
        # As text: `==` takes -0.0 for 0.0, but a sum that starts at 0.0 is never -0.0.
        return repr(neutral.value.data) == repr(identity.value.data)
    if isinstance(neutral, IntegerAttr) and isinstance(identity, IntegerAttr):
        assert isinstance(identity.type, IntegerType)
        return (neutral.value.data - identity.value.data) % (1 << identity.type.bitwidth) == 0
    return False
