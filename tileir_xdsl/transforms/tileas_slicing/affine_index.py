"""Integers that are affine functions of induction variables: `4 * %i + %j + 16`.

The analysis handles constants, sums, differences, products and shifts by constants, casts to a
wider type or to `index` and back, and `affine.apply`. The analysis assumes that no operation wraps
around.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)


@dataclass(frozen=True)
class AffineIndex:
    """A sum of induction variables, each with a coefficient other than 0, and of a constant."""

    terms: tuple[tuple[SSAValue, int], ...] = ()
    constant: int = 0

    def coefficient(self, variable: SSAValue) -> int:
        """The coefficient of an induction variable."""
        return dict(self.terms).get(variable, 0)

    def plus(self, other: AffineIndex) -> AffineIndex:
        """The sum."""
        terms = dict(self.terms)
        for variable, coefficient in other.terms:
            terms[variable] = terms.get(variable, 0) + coefficient
        # Without zeros, so that equal functions compare equal.
        kept = tuple((variable, c) for variable, c in terms.items() if c)
        return AffineIndex(kept, self.constant + other.constant)

    def times(self, operand: int) -> AffineIndex:
        """Multiplies by a constant."""
        if not operand:
            return AffineIndex()
        terms = tuple((variable, c * operand) for variable, c in self.terms)
        return AffineIndex(terms, self.constant * operand)


Combination = Callable[[AffineIndex, AffineIndex], AffineIndex | None]


def _difference(lhs: AffineIndex, rhs: AffineIndex) -> AffineIndex:
    return lhs.plus(rhs.times(-1))


def _product(lhs: AffineIndex, rhs: AffineIndex) -> AffineIndex | None:
    if not rhs.terms:
        return lhs.times(rhs.constant)
    return rhs.times(lhs.constant) if not lhs.terms else None


def _shifted(lhs: AffineIndex, rhs: AffineIndex) -> AffineIndex | None:
    # A shift by the width of its type or more is poison (MLIR, "arith.shli").
    return lhs.times(1 << rhs.constant) if not rhs.terms and 0 <= rhs.constant < 64 else None


_COMBINATIONS: Mapping[type[Operation], Combination] = {
    arith.AddiOp: AffineIndex.plus,
    arith.SubiOp: _difference,
    arith.MuliOp: _product,
    arith.ShLIOp: _shifted,
}

# An unsigned extension makes another number of a negative one.
_CASTS = (arith.IndexCastOp, arith.ExtSIOp)


def affine_index(value: SSAValue) -> AffineIndex | None:
    """An integer as an affine function; None if it is not known to be one."""
    known: dict[SSAValue, AffineIndex | None] = {}
    pending = [value]
    while pending:
        current = pending[-1]
        # A stack, as chains of index arithmetic may be longer than Python's.
        missing = [operand for operand in _followed(current) if operand not in known]
        if missing:
            pending += missing
            continue
        known[pending.pop()] = _combined(current, known)
    return known[value]


def _followed(value: SSAValue) -> Sequence[SSAValue]:
    """The operands of an op whose result may be affine in them."""
    op = value.owner
    if isinstance(op, (*_COMBINATIONS, *_CASTS, affine.ApplyOp)):
        return tuple(op.operands)
    return ()


def _combined(value: SSAValue, known: Mapping[SSAValue, AffineIndex | None]) -> AffineIndex | None:
    """The affine function of a value, from those of its operands."""
    if isinstance(value, BlockArgument):
        # Other arguments of loops are carried, and may be anything.
        is_variable = isinstance(value.block.parent_op(), scf.ForOp) and value.index == 0
        return AffineIndex(((value, 1),)) if is_variable else None
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, arith.ConstantOp):
        number = op.value
        return AffineIndex((), number.value.data) if isinstance(number, IntegerAttr) else None
    operands: list[AffineIndex] = []
    for operand in _followed(value):
        if (index := known[operand]) is None:
            return None
        operands.append(index)
    if isinstance(op, affine.ApplyOp):
        return _of_expression(op.map.data.results[0], op.map.data.num_dims, operands)
    if isinstance(op, _CASTS):
        return operands[0]
    combine = next((c for cls, c in _COMBINATIONS.items() if isinstance(op, cls)), None)
    return None if combine is None else combine(*operands)


_EXPRESSIONS: Mapping[AffineBinaryOpKind, Combination] = {
    AffineBinaryOpKind.Add: AffineIndex.plus,
    AffineBinaryOpKind.Mul: _product,
}
"""The kinds of affine expressions without remainders and rounded quotients."""


def _of_expression(
    expression: AffineExpr, dims: int, operands: Sequence[AffineIndex]
) -> AffineIndex | None:
    match expression:
        case AffineConstantExpr():
            return AffineIndex((), expression.value)
        case AffineDimExpr():
            return operands[expression.position]
        case AffineSymExpr():
            return operands[dims + expression.position]
        case AffineBinaryOpExpr(kind=kind) if kind in _EXPRESSIONS:
            lhs = _of_expression(expression.lhs, dims, operands)
            rhs = _of_expression(expression.rhs, dims, operands)
            return None if lhs is None or rhs is None else _EXPRESSIONS[kind](lhs, rhs)
        case _:
            return None
