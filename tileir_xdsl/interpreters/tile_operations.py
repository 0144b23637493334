"""Operations on whole tiles that several dialects share: slices, bit casts, mma."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters.convolution import WindowDimension
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.integer_operations import (
    as_signed,
    as_unsigned,
    width_of,
    wrap,
)
from tileir_xdsl.interpreters.numerics import (
    F32,
    F64,
    Array,
    Element,
    FloatFormat,
    to_double,
    with_canonical_nan,
)


def slice_positions(
    whole: Sequence[int], part: Sequence[int], indices: Sequence[Array]
) -> tuple[slice, ...]:
    """The positions of slice `indices` of a tile of shape `whole` cut into slices of `part`.

    Raises `ExecutionError` for a slice that does not exist.
    """
    numbers = [int(as_unsigned(index)) for index in indices]
    counts = [size // step for size, step in zip(whole, part, strict=True)]
    if any(number >= count for number, count in zip(numbers, counts, strict=True)):
        raise ExecutionError(f"slice {numbers} does not exist: the tile has {counts} slices")
    return tuple(slice(n * step, (n + 1) * step) for n, step in zip(numbers, part, strict=True))


def reinterpret_bits(
    source: Array, width: int, element: Element, element_width: int, shape: Sequence[int]
) -> Array:
    """A bit cast of `source`, whose elements have `width` bits, to `element` and `shape`.

    Bits are in the order of the elements, each from its lowest bit up.
    """
    bits = _bits(source, width).reshape(-1, element_width)
    storage = 8 * element.dtype.itemsize
    padded = np.zeros((len(bits), storage), np.uint8)
    padded[:, :element_width] = bits
    if element.name == "i4":
        padded[:, element_width:] = bits[:, -1:]  # stored with its sign extended
    data = np.packbits(padded, axis=1, bitorder="little")
    return data.reshape(-1).view(element.dtype).reshape(shape)


def _bits(values: Array, width: int) -> Array:
    """The `width` bits of every element, least significant first."""
    data = np.ascontiguousarray(values).view(np.uint8).reshape(values.size, -1)
    bits = np.unpackbits(data, axis=1, bitorder="little")
    return bits[:, :width]


# Sums are formed in double precision and rounded once to the type of the accumulator. This is more
# exact than any hardware, so a result is judged by its distance from the true one.


def mma_floats(lhs: Array, rhs: Array, acc: Array, fmt: FloatFormat) -> Array:
    """`lhs @ rhs + acc` for each matrix of the batch, in the format of `acc`."""
    a, b = to_double(lhs), to_double(rhs)
    outer = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], acc.shape[:-2])
    shape = *outer, lhs.shape[-2], rhs.shape[-1]
    if math.prod(shape) <= _CACHED_ELEMENTS:
        return floats.convert(a @ b + to_double(acc), F64, fmt)
    # One matrix after the other, so that sums in double precision stay in the cache.
    matrices = [np.broadcast_to(each, outer + each.shape[-2:]) for each in (a, b, acc)]
    result, total = np.empty(shape, fmt.dtype), np.empty(shape[-2:])
    with np.errstate(over="ignore"):
        for index in np.ndindex(outer):
            left, right, addend = (each[index] for each in matrices)
            np.matmul(left, right, out=total)
            # numpy widens its own floats a part at a time.
            np.add(total, addend if addend.dtype.kind == "f" else to_double(addend), out=total)
            # The CPU rounds to f32 to nearest even.
            result[index] = total if fmt is F32 else floats.convert(total, F64, fmt)
    return with_canonical_nan(result, fmt)


_CACHED_ELEMENTS = 1 << 16
"""The number of double-precision accumulators that fit in the cache."""


def mma_scaled(
    lhs: Array, rhs: Array, acc: Array, lhs_scale: Array, rhs_scale: Array, fmt: FloatFormat
) -> Array:
    """`mma_floats` on block-scaled operands.

    A block is a run of consecutive elements along K. Scales have no sign: instructions read
    f8E4M3FN as ue4m3, of seven bits (PTX ISA, "Block Scaling").
    """
    lhs_scale, rhs_scale = (np.abs(to_double(scale)) for scale in (lhs_scale, rhs_scale))
    a = to_double(lhs) * np.repeat(lhs_scale, lhs.shape[-1] // lhs_scale.shape[-1], axis=-1)
    b = to_double(rhs) * np.repeat(rhs_scale, rhs.shape[-2] // rhs_scale.shape[-2], axis=-2)
    return floats.convert(a @ b + to_double(acc), F64, fmt)


def mma_integers(lhs: Array, rhs: Array, acc: Array, lhs_signed: bool, rhs_signed: bool) -> Array:
    """`lhs @ rhs + acc`, wrapping."""
    a, b = _wide(lhs, lhs_signed), _wide(rhs, rhs_signed)
    if width_of(lhs) <= 8:
        # Dots of 8-bit integers sum up exactly in double precision, which is faster.
        return wrap((a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64) + acc, acc.dtype)
    return wrap(a @ b + as_signed(acc), acc.dtype)


def convolve_floats(
    activation: Array,
    weights: Array,
    acc: Array,
    window: Sequence[WindowDimension],
    fmt: FloatFormat,
) -> Array:
    """`acc` plus a convolution, channels last, in the format of `acc`; see `_convolve`."""
    total = _convolve(to_double(activation), to_double(weights), to_double(acc), window)
    return floats.convert(total, F64, fmt)


def convolve_integers(
    activation: Array,
    weights: Array,
    acc: Array,
    window: Sequence[WindowDimension],
    activation_signed: bool,
    weights_signed: bool,
) -> Array:
    """`acc` plus a convolution of integers, wrapping; see `_convolve`."""
    a, b = _wide(activation, activation_signed), _wide(weights, weights_signed)
    return wrap(_convolve(a, b, as_signed(acc).astype(np.int64), window), acc.dtype)


def _wide(values: Array, signed: bool) -> Array:
    return (as_signed(values) if signed else as_unsigned(values)).astype(np.int64)


def _convolve(
    activation: Array, weights: Array, acc: Array, window: Sequence[WindowDimension]
) -> Array:
    """`acc` plus the dots of the weights with activations, summed over filter positions.

    `activation` is N x (spatial) x C, `weights` K x (filter) x C, `acc` N x (outputs) x K.
    """
    padding = [(0, 0), *((padding, padding) for padding, _, _ in window), (0, 0)]
    padded = np.pad(activation, padding)
    outputs = acc.shape[1:-1]
    for tap in np.ndindex(weights.shape[1:-1]):
        met = tuple(
            slice(position * dilation, position * dilation + (extent - 1) * stride + 1, stride)
            for position, extent, (_, stride, dilation) in zip(tap, outputs, window, strict=True)
        )
        acc = acc + padded[(slice(None), *met)] @ weights[(slice(None), *tap)].T
    return acc
