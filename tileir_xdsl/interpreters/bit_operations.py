"""Operations on the bits of integers: counts and reversal."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.numerics import Array


def _bits(source: Array) -> Array:
    """The bits of every element, least significant first, along a new last dimension."""
    positions = np.arange(integers.width_of(source), dtype=np.uint64)
    return integers.as_unsigned(source).astype(np.uint64)[..., None] >> positions & np.uint64(1)


def _from_bits(bits: Array, like: Array) -> Array:
    positions = np.arange(bits.shape[-1], dtype=np.uint64)
    return integers.wrap((bits << positions).sum(axis=-1, dtype=np.uint64), like.dtype)


def _as_type_of(source: Array, counts: Array) -> Array:
    return integers.wrap(counts.astype(np.int64), source.dtype)


def _count_zeros(source: Array, bits: Array) -> Array:
    zeros = np.where(bits.any(axis=-1), bits.argmax(axis=-1), bits.shape[-1])
    return _as_type_of(source, zeros)


def count_ones(source: Array) -> Array:
    """The number of one bits."""
    return _as_type_of(source, _bits(source).sum(axis=-1))


def leading_zeros(source: Array) -> Array:
    """The number of zeros above the highest set bit; the width of the type for zero."""
    return _count_zeros(source, _bits(source)[..., ::-1])


def trailing_zeros(source: Array) -> Array:
    """The number of zeros below the lowest set bit; the width of the type for zero."""
    return _count_zeros(source, _bits(source))


def reverse_bits(source: Array) -> Array:
    """The bits in reverse order."""
    return _from_bits(_bits(source)[..., ::-1], source)
