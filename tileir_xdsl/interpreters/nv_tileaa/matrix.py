"""Dots and convolutions of `nv_tileaa` tiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Attribute

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.dialects.enumerations import Signedness
from tileir_xdsl.dialects.nv_tileaa.attributes import SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.convolution import ActivationLayout
from tileir_xdsl.interpreters.element_types import element_of, float_format_of
from tileir_xdsl.interpreters.numerics import TF32, Array, round_to_format, to_double
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable
from tileir_xdsl.interpreters.tile_operations import (
    convolve_floats,
    convolve_integers,
    mma_floats,
    mma_integers,
    mma_scaled,
)


def _is_signed(signedness: SignednessAttr | None) -> bool:
    return signedness is not None and signedness.data is Signedness.SIGNED


def dot(op: dialect.DotOp, *values: Array) -> Array:
    """`a x b + c`; scales, if any, first multiply blocks of `a` and `b`."""
    operands = Operands(op, values)
    scales = [operands[scale] for scale in (op.sfa, op.sfb) if scale is not None]
    tiles = operands[op.a], operands[op.b], operands[op.c]
    return mma(
        op.c.type,
        *tiles,
        scales,
        (op.signedness_a, op.signedness_b),
        None if op.input_precision is None else op.input_precision.data,
    )


def mma(
    result: Attribute,
    a: Array,
    b: Array,
    c: Array,
    scales: Sequence[Array],
    signs: tuple[SignednessAttr | None, SignednessAttr | None],
    input_precision: str | None,
) -> Array:
    """`a x b + c` as a tile of type `result`; two `scales` first multiply blocks of `a` and `b`."""
    if element_of(result).float_format is None:
        return mma_integers(a, b, c, _is_signed(signs[0]), _is_signed(signs[1]))
    if input_precision == "tf32":
        a, b = (round_to_format(to_double(values), TF32) for values in (a, b))
    fmt = float_format_of(result)
    if not scales:
        return mma_floats(a, b, c, fmt)
    return mma_scaled(a, b, c, scales[0], scales[1], fmt)


def _convolve(op: dialect.ConvDotOp, activation: Array, weights: Array, acc: Array) -> Array:
    channels_first = op.activation_layout.data is ActivationLayout.CHANNELS_FIRST
    if channels_first:
        activation, weights, acc = (np.moveaxis(t, 1, -1) for t in (activation, weights, acc))
    steps = op.conv_params.steps
    if element_of(op.acc.type).float_format is None:
        signs = _is_signed(op.signedness_a), _is_signed(op.signedness_b)
        result = convolve_integers(activation, weights, acc, steps, *signs)
    else:
        result = convolve_floats(activation, weights, acc, steps, float_format_of(op.acc.type))
    return np.moveaxis(result, -1, 1) if channels_first else result


MATRIX: PureTable = {dialect.DotOp: dot, dialect.ConvDotOp: _convolve}
