"""Linear algebra over F2, the field of two elements, on integers read as bit vectors.

A vector is a non-negative integer: bit ``i`` is coordinate ``i``, addition is exclusive or. A
linear map is the sequence of the images of its unit vectors: ``basis[i]`` is the image of bit
``i``. So ``apply(basis, x)`` is the exclusive or of ``basis[i]`` over the set bits of ``x``. A
*combination* of vectors is an integer whose bit ``i`` says whether vector ``i`` takes part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def apply(basis: Sequence[int], vector: int) -> int:
    """The image of ``vector`` under the linear map ``basis``."""
    image = 0
    index = 0
    while vector:
        if vector & 1:
            image ^= basis[index]
        vector >>= 1
        index += 1
    return image


def table(basis: Sequence[int]) -> list[int]:
    """The images of ``0, 1, .., 2**len(basis) - 1``, in this order."""
    images = [0]
    for vector in basis:
        images += [image ^ vector for image in images]
    return images


def compose(outer: Sequence[int], inner: Sequence[int]) -> tuple[int, ...]:
    """The map ``x -> outer(inner(x))``."""
    return tuple(apply(outer, image) for image in inner)


def unit_vectors(dimension: int) -> tuple[int, ...]:
    """The identity map on ``dimension`` bits."""
    return tuple(1 << index for index in range(dimension))


class Span:
    """The subspace spanned by the vectors added so far, kept in echelon form.

    Each stored vector remembers the added vectors whose sum it is, so a membership test also
    returns the combination that proves it.
    """

    def __init__(self, vectors: Iterable[int] = ()) -> None:
        self._pivots: dict[int, tuple[int, int]] = {}
        self._added = 0
        for vector in vectors:
            self.add(vector)

    def reduce(self, vector: int) -> tuple[int, int]:
        """The remainder of ``vector`` modulo the subspace, and the combination subtracted."""
        pivots = self._pivots
        combination = 0
        remainder = 0
        while vector:
            length = vector.bit_length()
            entry = pivots.get(length)
            if entry is None:
                remainder |= 1 << (length - 1)
                vector ^= 1 << (length - 1)
            else:
                vector ^= entry[0]
                combination ^= entry[1]
        return remainder, combination

    def add(self, vector: int) -> bool:
        """Adds a vector; False if it was already in the subspace."""
        remainder, combination = self.reduce(vector)
        index = self._added
        self._added += 1
        if not remainder:
            return False
        self._pivots[remainder.bit_length()] = (remainder, combination ^ (1 << index))
        return True

    def __contains__(self, vector: int) -> bool:
        return not self.reduce(vector)[0]


def rank(vectors: Iterable[int]) -> int:
    """The dimension of the span of ``vectors``."""
    return len(independent(vectors))


def solve(vectors: Iterable[int], target: int) -> int | None:
    """A combination of ``vectors`` that sums to ``target``, or None when there is none."""
    remainder, combination = Span(vectors).reduce(target)
    return None if remainder else combination


def kernel(vectors: Sequence[int]) -> list[int]:
    """A basis of the combinations of ``vectors`` that sum to zero."""
    span = Span()
    relations: list[int] = []
    for index, vector in enumerate(vectors):
        remainder, combination = span.reduce(vector)
        if not remainder:
            relations.append(combination ^ (1 << index))
        span.add(vector)
    return relations


def independent(vectors: Iterable[int], modulo: Iterable[int] = ()) -> list[int]:
    """The vectors, in order, that enlarge the span of ``modulo`` and the earlier vectors."""
    taken: list[int] = []
    pivots: dict[int, int] = {}
    for chosen, candidates in ((None, modulo), (taken, vectors)):
        for vector in candidates:
            remainder = vector
            while remainder:
                length = remainder.bit_length()
                pivot = pivots.get(length)
                if pivot is None:
                    pivots[length] = remainder
                    if chosen is not None:
                        chosen.append(vector)
                    break
                remainder ^= pivot
    return taken


def invert(basis: Sequence[int], dimension: int) -> tuple[int, ...]:
    """A right inverse: ``apply(basis, invert(basis, n)[i]) == 1 << i`` for every ``i < n``.

    A bijective map has one inverse. If several arguments have an image, the inverse returns one of
    them.

    Raises:
        ValueError: the map does not reach every vector of ``dimension`` bits.
    """
    span = Span(basis)
    inverse: list[int] = []
    for index in range(dimension):
        remainder, combination = span.reduce(1 << index)
        if remainder:
            raise ValueError(f"bit {index} of {dimension} is not in the image of the map")
        inverse.append(combination)
    return tuple(inverse)
