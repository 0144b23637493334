"""The bodies of reductions whose partial results may be combined in any order."""

from math import inf, nan

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, Operation

from tileir_xdsl.dialects import nv_tileaa

_SUMS = (nv_tileaa.AddFOp, arith.AddfOp)
_PRODUCTS = (nv_tileaa.MulFOp, arith.MulfOp)
_GREATEST = (nv_tileaa.MaxFOp, arith.MaximumfOp, arith.MaxnumfOp)
_LEAST = (nv_tileaa.MinFOp, arith.MinimumfOp, arith.MinnumfOp)
_INTEGER_SUMS = (nv_tileaa.AddIOp, arith.AddiOp, arith.OrIOp, arith.XOrIOp)
_INTEGERS = (
    *(*_INTEGER_SUMS, arith.MuliOp, arith.AndIOp),
    *(arith.MaxSIOp, arith.MaxUIOp, arith.MinSIOp, arith.MinUIOp),
)
COMMUTATIVE = (*_SUMS, *_PRODUCTS, *_GREATEST, *_LEAST, *_INTEGERS)
"""The ops whose partial results may be combined in any order."""


def commutative_op(body: Block) -> Operation | None:
    """The only op of a reduction's body, if it is commutative; otherwise None."""
    ops = list(body.ops)
    if len(ops) != 2 or not isinstance(ops[0], COMMUTATIVE) or len(body.args) != 2:
        return None
    combining, end = ops
    is_whole = set(combining.operands) == set(body.args)
    return combining if is_whole and list(end.operands) == list(combining.results) else None


def identity_of(op: Operation) -> float:
    """The neutral element of an op, which also keeps the sign of a zero and a NaN."""
    propagates = isinstance(op, arith.MaximumfOp | arith.MinimumfOp)
    propagates = propagates or op.properties.get("propagate_nan") is not None
    if isinstance(op, _SUMS):
        return -0.0
    if isinstance(op, _PRODUCTS):
        return 1.0
    if isinstance(op, _GREATEST):
        return -inf if propagates else nan
    if isinstance(op, _LEAST):
        return inf if propagates else nan
    element = op.results[0].type
    bits = element.width.data if isinstance(element, IntegerType) else 64
    match op:
        case arith.MuliOp():
            return 1
        case arith.AndIOp() | arith.MinUIOp():
            return -1
        case arith.MaxSIOp():
            return -(1 << (bits - 1))
        case arith.MinSIOp():
            return (1 << (bits - 1)) - 1
        case _:
            return 0
