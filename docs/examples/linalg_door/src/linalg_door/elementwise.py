"""Scalar ops of `arith` and `math` as ops of `cuda_tile` on tiles.

Sources: MLIR's documentation of `arith` and `math`, and the Tile IR specification, section 8.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile import ComparisonOrdering, ComparisonPredicate, Signedness

Emitter = Callable[[Operation, Sequence[SSAValue], cuda_tile.TileType], Operation]
"""The op on tiles of a scalar op, of its operands as tiles, and of the type of the result."""

RELATIONS = dict(zip(["eq", "ne", "lt", "le", "gt", "ge"], ComparisonPredicate, strict=True))
"""By the end of a predicate's name, which begins with `o` or `u` of floats, `s` of integers."""

_ORDERINGS = {"o": ComparisonOrdering.ORDERED, "u": ComparisonOrdering.UNORDERED}


def predicate_of(op: arith.CmpfOp | arith.CmpiOp) -> str:
    """The predicate by its name."""
    is_float = isinstance(op, arith.CmpfOp)
    names = arith.CMPF_COMPARISON_OPERATIONS if is_float else arith.CMPI_COMPARISON_OPERATIONS
    return names[op.predicate.value.data]


def _compare(op: Operation, operands: Sequence[SSAValue], _: cuda_tile.TileType) -> Operation:
    assert isinstance(op, arith.CmpfOp | arith.CmpiOp)
    name, (lhs, rhs) = predicate_of(op), operands
    if isinstance(op, arith.CmpfOp):
        return cuda_tile.CmpFOp(RELATIONS[name[1:]], _ORDERINGS[name[0]], lhs, rhs)
    signedness = Signedness.UNSIGNED if name[0] == "u" else Signedness.SIGNED
    return cuda_tile.CmpIOp(RELATIONS[name[-2:]], lhs, rhs, signedness)


def _plain(made: Callable[..., Operation], *more: object) -> Emitter:
    return lambda op, operands, type: made(*operands, *more)


def _converting(made: Callable[..., Operation], *more: object) -> Emitter:
    return lambda op, operands, type: made(*operands, type, *more)


_EMITTERS: Mapping[type[Operation], Emitter] = {
    arith.AddfOp: _plain(cuda_tile.AddFOp),
    arith.SubfOp: _plain(cuda_tile.SubFOp),
    arith.MulfOp: _plain(cuda_tile.MulFOp),
    arith.DivfOp: _plain(cuda_tile.DivFOp),
    arith.NegfOp: _plain(cuda_tile.NegFOp),
    arith.MaximumfOp: _plain(cuda_tile.MaxFOp, True),
    arith.MinimumfOp: _plain(cuda_tile.MinFOp, True),
    arith.MaxnumfOp: _plain(cuda_tile.MaxFOp),
    arith.MinnumfOp: _plain(cuda_tile.MinFOp),
    arith.AddiOp: _plain(cuda_tile.AddIOp),
    arith.SubiOp: _plain(cuda_tile.SubIOp),
    arith.MuliOp: _plain(cuda_tile.MulIOp),
    arith.MaxSIOp: _plain(cuda_tile.MaxIOp, Signedness.SIGNED),
    arith.MinSIOp: _plain(cuda_tile.MinIOp, Signedness.SIGNED),
    arith.CmpfOp: _compare,
    arith.CmpiOp: _compare,
    arith.SelectOp: _plain(cuda_tile.SelectOp),
    arith.ExtFOp: _converting(cuda_tile.FToFOp),
    arith.TruncFOp: _converting(cuda_tile.FToFOp),
    arith.SIToFPOp: _converting(cuda_tile.IToFOp, Signedness.SIGNED),
    math.AbsFOp: _plain(cuda_tile.AbsFOp),
    math.ExpOp: _plain(cuda_tile.ExpOp),
    math.LogOp: _plain(cuda_tile.LogOp),
    math.SqrtOp: _plain(cuda_tile.SqrtOp),
    math.TanhOp: _plain(cuda_tile.TanHOp),
}
EMITTERS = {scalar.name: emitter for scalar, emitter in _EMITTERS.items()}
"""By the name of the scalar op: `tileir_xdsl` has classes of its own for some ops of `arith`."""

NEUTRAL: Mapping[type[Operation], float] = {
    arith.AddfOp: -0.0,
    arith.AddiOp: 0,
    arith.MaximumfOp: -inf,
    arith.MinimumfOp: inf,
}
"""By the op of a reduction: the value that changes no other."""


def emit(op: Operation, operands: Sequence[SSAValue], shape: Sequence[int]) -> SSAValue:
    """Adds the op on tiles of a scalar op, and returns its result."""
    type = cuda_tile.TileType(shape, op.results[0].type)
    return EMITTERS[op.name](op, operands, type).results[0]
