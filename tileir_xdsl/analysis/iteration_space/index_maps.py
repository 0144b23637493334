"""Maps from the indices of a loop nest to those of a tile, as plain data.

A reshape of 64 elements to 4 x 16, read at (i, j), is element 16 i + j:

    reshape((64,), (4, 16)).results == (Index((Term(0, 1, 4, 16), Term(1, 1, 16, 1))),)

A term is `factor * (index[dim] // divisor % modulus)`. So every map is made of digits of indices,
which do not overlap: sums never carry from one into another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

Shape = tuple[int, ...]


class NotRepresentableError(ValueError):
    """A map that is not made of whole digits, such as one between shapes of 4 x 6 and 3 x 8."""


@dataclass(frozen=True, order=True)
class Term:
    """`factor * (index[dim] // divisor % modulus)`."""

    dim: int
    divisor: int
    modulus: int
    factor: int


@dataclass(frozen=True)
class Index:
    """The sum of terms and a constant."""

    terms: tuple[Term, ...] = ()
    constant: int = 0

    def along(self, dim: int) -> tuple[Term, ...]:
        """The terms of one dimension."""
        return tuple(term for term in self.terms if term.dim == dim)


@dataclass(frozen=True)
class IndexMap:
    """One index for each dimension of a tile, of indices below `extents`."""

    extents: Shape
    results: tuple[Index, ...]

    def is_identity(self) -> bool:
        """Whether results are the indices themselves, except in dimensions of extent 1."""
        kept = tuple(n for n, extent in enumerate(self.extents) if extent > 1)
        moving = tuple(index for index in self.results if index != Index())
        return moving == tuple(Index((Term(n, 1, self.extents[n], 1),)) for n in kept)


def strides_of(shape: Shape) -> Shape:
    """The row-major strides of a shape, in elements."""
    return tuple(prod(shape[n + 1 :]) for n in range(len(shape)))


def identity(shape: Shape) -> IndexMap:
    """The map of each index to itself."""
    return IndexMap(shape, tuple(_whole(n, extent) for n, extent in enumerate(shape)))


def _whole(dim: int, extent: int) -> Index:
    return Index((Term(dim, 1, extent, 1),) if extent > 1 else ())


def broadcast(source: Shape, result: Shape) -> IndexMap:
    """The source index of each element of a tile repeated along its dimensions of extent 1."""
    pairs = enumerate(zip(source, result, strict=True))
    return IndexMap(
        result, tuple(_whole(n, extent) if old > 1 else Index() for n, (old, extent) in pairs)
    )


def permute(result: Shape, permutation: Sequence[int]) -> IndexMap:
    """The source index of each element; `permutation` has the source dimension of each one."""
    places = [permutation.index(dim) for dim in range(len(result))]
    return IndexMap(result, tuple(_whole(place, result[place]) for place in places))


def reshape(source: Shape, result: Shape) -> IndexMap:
    """The source index of each element if the row-major order is kept.

    Raises NotRepresentableError unless the shapes are made of the same digits.
    """
    linear = linearize(identity(result), strides_of(result))
    return IndexMap(result, delinearize(linear, source))


def delinearize(linear: Index, shape: Shape) -> tuple[Index, ...]:
    """The indices of a tile for a row-major position. Raises NotRepresentableError."""
    strides = strides_of(shape)
    return tuple(
        _digits(linear, stride, extent) for stride, extent in zip(strides, shape, strict=True)
    )


def linearize(index_map: IndexMap, strides: Sequence[int]) -> Index:
    """The sum of the results times strides, with neighbouring digits merged."""
    terms: list[Term] = []
    constant = 0
    for result, stride in zip(index_map.results, strides, strict=True):
        terms += [replace(term, factor=term.factor * stride) for term in result.terms]
        constant += result.constant * stride
    return Index(_joined(terms), constant)


def _joined(terms: Sequence[Term]) -> tuple[Term, ...]:
    """The terms, with neighbouring digits of one index merged."""
    joined: list[Term] = []
    for term in sorted(terms):
        if joined:
            low = joined[-1]
            follows = term.divisor == low.divisor * low.modulus
            if low.dim == term.dim and follows and term.factor == low.factor * low.modulus:
                joined[-1] = replace(low, modulus=low.modulus * term.modulus)
                continue
        joined.append(term)
    return tuple(joined)


def compose(outer: IndexMap, inner: IndexMap) -> IndexMap:
    """The map that applies `inner`, then `outer`. Raises NotRepresentableError."""
    return IndexMap(inner.extents, tuple(_substitute(index, inner) for index in outer.results))


def _substitute(index: Index, inner: IndexMap) -> Index:
    terms: list[Term] = []
    constant = index.constant
    for term in index.terms:
        part = _digits(inner.results[term.dim], term.divisor, term.modulus)
        terms += [
            replace(inner_term, factor=inner_term.factor * term.factor) for inner_term in part.terms
        ]
        constant += part.constant * term.factor
    return Index(_joined(terms), constant)


def _digits(index: Index, divisor: int, modulus: int) -> Index:
    """`index // divisor % modulus`, for digits that do not overlap."""
    if index.constant and (divisor != 1 or _bound(index) > modulus):
        raise NotRepresentableError(
            "cannot apply floordiv or mod to an index with an added constant"
        )
    quotients = [_quotient(term, divisor) for term in index.terms]
    remainders = [_remainder(term, modulus) for term in quotients if term is not None]
    return Index(_joined([term for term in remainders if term is not None]), index.constant)


def _bound(index: Index) -> int:
    """One more than the greatest value of an index."""
    return 1 + index.constant + sum(term.factor * (term.modulus - 1) for term in index.terms)


def _quotient(term: Term, divisor: int) -> Term | None:
    if term.factor % divisor == 0:
        return replace(term, factor=term.factor // divisor)
    if term.factor * term.modulus <= divisor:
        return None
    count, rest = divmod(divisor, term.factor)
    if rest or term.modulus % count:
        raise NotRepresentableError(f"{term} divided by {divisor} is not a sum of digits")
    return Term(term.dim, term.divisor * count, term.modulus // count, 1)


def _remainder(term: Term, modulus: int) -> Term | None:
    if term.factor % modulus == 0:
        return None
    if term.factor * term.modulus <= modulus:
        return term
    count, rest = divmod(modulus, term.factor)
    if rest:
        raise NotRepresentableError(f"{term} modulo {modulus} is not a sum of digits")
    return replace(term, modulus=count)


def squeezed(shape: Shape) -> Shape:
    """A shape without its dimensions of extent 1."""
    return tuple(extent for extent in shape if extent > 1)


def offset(shape: Shape, offsets: Sequence[int]) -> IndexMap:
    """The index in the whole tile of each element of a slice that begins at `offsets`."""
    whole = identity(shape).results
    pairs = zip(whole, offsets, strict=True)
    return IndexMap(shape, tuple(replace(index, constant=first) for index, first in pairs))
