"""Matrix products and convolutions of `nv_tileaa` tiles."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.dialects.nv_tileaa.attributes import Signedness, SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.convolution import ActivationLayout
from tileir_xdsl.interpreters.element_types import element_of, float_format_of
from tileir_xdsl.interpreters.numerics import TF32, Array, round_to_format, to_double
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable
from tileir_xdsl.interpreters.tile_operations import (
    convolve_floats,
    convolve_integers,
    multiply_floats,
    multiply_integers,
    multiply_scaled,
)


def _is_signed(signedness: SignednessAttr | None) -> bool:
    return signedness is not None and signedness.data is Signedness.SIGNED


def dot(op: dialect.DotOp, *values: Array) -> Array:
    """`a x b + c`, blocks of inputs scaled first if there are scales."""
    operands = Operands(op, values)
    a, b, c = operands[op.a], operands[op.b], operands[op.c]
    if element_of(op.c.type).float_format is None:
        return multiply_integers(a, b, c, _is_signed(op.signedness_a), _is_signed(op.signedness_b))
    if op.input_precision is not None and op.input_precision.data == "tf32":
        a, b = (round_to_format(to_double(values), TF32) for values in (a, b))
    fmt = float_format_of(op.c.type)
    if op.sfa is None or op.sfb is None:
        return multiply_floats(a, b, c, fmt)
    return multiply_scaled(a, b, c, operands[op.sfa], operands[op.sfb], fmt)


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
