"""Index maps as affine maps of xDSL, and back."""

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from .index_maps import Index, IndexMap, Shape, Term


def affine_map(index_map: IndexMap) -> AffineMap:
    """`(d0, d1) -> (d0 floordiv 4, d1)` and the like."""
    results = tuple(_expression(index, index_map.extents) for index in index_map.results)
    return AffineMap(len(index_map.extents), 0, results)


def _expression(index: Index, extents: Shape) -> AffineExpr:
    total: AffineExpr | None = None
    for term in index.terms:
        part: AffineExpr = AffineDimExpr(term.dim)
        if term.divisor != 1:
            part = part // term.divisor
        if term.modulus * term.divisor < extents[term.dim]:
            part = part % term.modulus
        if term.factor != 1:
            part = part * term.factor
        total = part if total is None else total + part
    if total is None:
        return AffineConstantExpr(index.constant)
    return total + index.constant if index.constant else total


def index_map(affine: AffineMap, extents: Shape) -> IndexMap:
    """The index map of an affine map on indices below `extents`.

    Raises ValueError for an expression that is not a sum of digits of indices.
    """
    return IndexMap(extents, tuple(_index(result, extents) for result in affine.results))


def _index(expression: AffineExpr, extents: Shape) -> Index:
    match expression:
        case AffineConstantExpr():
            return Index((), expression.value)
        case AffineBinaryOpExpr() if expression.kind is AffineBinaryOpKind.Add:
            left, right = _index(expression.lhs, extents), _index(expression.rhs, extents)
            terms = tuple(sorted((*left.terms, *right.terms)))
            return Index(terms, left.constant + right.constant)
        case _:
            term = _term(expression, extents)
            # An index of extent 1 is zero.
            return Index((term,) if term.modulus > 1 else ())


def _term(expression: AffineExpr, extents: Shape) -> Term:
    match expression:
        case AffineDimExpr():
            return Term(expression.position, 1, extents[expression.position], 1)
        case AffineBinaryOpExpr(rhs=AffineConstantExpr(value=number)):
            term = _term(expression.lhs, extents)
            match expression.kind:
                case AffineBinaryOpKind.Mul:
                    return Term(term.dim, term.divisor, term.modulus, term.factor * number)
                case AffineBinaryOpKind.FloorDiv if term.factor == 1:
                    modulus = -(-term.modulus // number)
                    return Term(term.dim, term.divisor * number, modulus, 1)
                case AffineBinaryOpKind.Mod if term.factor == 1:
                    return Term(term.dim, term.divisor, min(term.modulus, number), 1)
                case _:
                    pass
        case _:
            pass
    raise ValueError(
        "expected an index with floordiv or mod by constants, then * by "
        f"constants, but got {expression}"
    )
