"""The order in which a reduction combines the n elements of a dimension; n is a power of two.

With `L = min(32, n)`, partial result `l` combines the elements `l, l + L, l + 2 L, ..` from left to
right. Then partial results are halved: `p[l] = p[l] o p[l + h]` for `h = L / 2, L / 4, .., 1`. The
result is `p[0]`. So the order depends on n alone: not on the width of vectors, the dimension, or
threads.

A reduction whose body is not one commutative op combines the elements from left to right.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode, lanes_of

PARTIAL_RESULTS = 32
"""The most partial results: two vectors of AVX-512, to hide the latency of an addition."""

Values: TypeAlias = list[SSAValue]
"""One value for each operand of the reduction."""

Combine: TypeAlias = Callable[[Values, Values], Values]
"""The body of a reduction as a function of earlier and later values, scalars or vectors."""


def partial_results(extent: int) -> int:
    """The number of partial results along a dimension."""
    return min(PARTIAL_RESULTS, extent)


def fold_halves(code: LLVMCode, partials: Sequence[Sequence[SSAValue]], combine: Combine) -> Values:
    """Combines partial results to scalars.

    `partials` has, for each operand, the vectors that hold its partial results in order.
    """
    vectors = [*zip(*partials, strict=True)]
    # Whole vectors are combined first, then halves of one vector.
    while len(vectors) > 1:
        half = len(vectors) // 2
        pairs = zip(vectors[:half], vectors[half:], strict=True)
        vectors = [tuple(combine([*first], [*second])) for first, second in pairs]
    values = [*vectors[0]]
    lanes = lanes_of(values[0].type)
    while lanes is not None and lanes > 1:
        half = lanes // 2
        lower = [code.shuffle(value, value, range(half)) for value in values]
        upper = [code.shuffle(value, value, range(half, lanes)) for value in values]
        values, lanes = combine(lower, upper), half
    return values if lanes is None else [code.extract(value, 0) for value in values]
