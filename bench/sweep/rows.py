"""Rows: normalisations, exponentials and reductions of 64 to 65,536 elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cuda.tile as ct
import numpy as np
from cuda.tile.compilation import ScalarConstraint

from bench.sweep.kinds import (
    ELEMENTS,
    Axes,
    Generated,
    Kind,
    Values,
    argument,
    case,
    number,
    random_array,
)
from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, array, kernel

LARGEST_TILE = 65536
EPSILON = 1e-5
TO_ROWS = ("softmax", "log_softmax", "layer_norm", "rms_norm")
TO_NUMBERS = ("sum", "max", "argmax", "cross_entropy")


def axes(_gpu: str) -> Axes:
    return {
        "op": (*TO_ROWS, *TO_NUMBERS),
        "width": (64, 256, 1024, 4096, 16384, 65536),
        "rows": (1, 4),
        "type": ("f32", "f16", "bf16"),
        "partial": (0, 1),
    }


def allowed(values: Values) -> bool:
    return number(values, "width") * number(values, "rows") <= LARGEST_TILE


def _function(op: str, rows: int, columns: int) -> Any:
    lowest, zero = ct.PaddingMode.NEG_INF, ct.PaddingMode.ZERO
    is_norm = op in ("layer_norm", "rms_norm")
    padding = zero if is_norm or op == "sum" else lowest

    def load(x: Any) -> Any:
        tile = ct.load(x, index=(ct.bid(0), 0), shape=(rows, columns), padding_mode=padding)
        return ct.astype(tile, ct.float32)

    @kernel
    def exponentials(x: Any, out: Any) -> None:
        row = load(x)
        centred = row - ct.max(row, 1, keepdims=True)
        weights = ct.exp(centred)
        total = ct.sum(weights, 1, keepdims=True)
        result = weights / total if op == "softmax" else centred - ct.log(total)
        ct.store(out, index=(ct.bid(0), 0), tile=ct.astype(result, out.dtype))

    @kernel
    def norm(x: Any, out: Any, weight: Any, bias: Any, epsilon: float) -> None:
        row, size = load(x), x.shape[1]
        if op == "layer_norm":
            inside = ct.expand_dims(ct.arange(columns, dtype=ct.int32), 0) < size
            row = ct.where(inside, row - ct.sum(row, 1, keepdims=True) / size, 0.0)
        scale = ct.rsqrt(ct.sum(row * row, 1, keepdims=True) / size + epsilon)
        w = ct.load(weight, index=(0,), shape=(columns,), padding_mode=zero)
        result = row * scale * ct.astype(ct.expand_dims(w, 0), ct.float32)
        if op == "layer_norm":
            b = ct.load(bias, index=(0,), shape=(columns,), padding_mode=zero)
            result = result + ct.astype(ct.expand_dims(b, 0), ct.float32)
        ct.store(out, index=(ct.bid(0), 0), tile=ct.astype(result, out.dtype))

    @kernel
    def reduction(x: Any, out: Any) -> None:
        row = load(x)
        if op == "sum":
            result = ct.sum(row, 1)
        elif op == "max":
            result = ct.max(row, 1)
        else:
            result = ct.argmax(row, 1)
        ct.store(out, index=(ct.bid(0),), tile=result)

    @kernel
    def cross_entropy(x: Any, out: Any, labels: Any) -> None:
        row = load(x)
        label = ct.load(labels, index=(ct.bid(0),), shape=(rows,), padding_mode=zero)
        largest = ct.max(row, 1, keepdims=True)
        total = ct.sum(ct.exp(row - largest), 1, keepdims=True)
        at = ct.expand_dims(ct.arange(columns, dtype=ct.int32), 0)
        chosen = ct.sum(ct.where(at == ct.expand_dims(label, 1), row, 0.0), 1, keepdims=True)
        loss = ct.log(total) + largest - chosen
        ct.store(out, index=(ct.bid(0),), tile=ct.reshape(loss, (rows,)))

    if is_norm:
        return norm
    if op in TO_ROWS:
        return exponentials
    return cross_entropy if op == "cross_entropy" else reduction


def make(values: Values) -> Generated:
    op, element = str(values["op"]), ELEMENTS[str(values["type"])]
    rows, columns = number(values, "rows"), number(values, "width")
    width = columns - 16 * number(values, "partial")
    shape = (2 * rows - 1, width)
    is_norm = op in ("layer_norm", "rms_norm")

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        x = random_array(shape, element, rng)
        if op in TO_ROWS:
            out = np.zeros_like(x)
        else:
            out = np.zeros(shape[0], np.int32 if op == "argmax" else np.float32)
        if is_norm:
            w, b = (random_array((width,), element, rng) for _ in range(2))
            return [x, out, w, b, EPSILON]
        labels = rng.integers(0, width, shape[0]).astype(np.int32)
        return [x, out, labels] if op == "cross_entropy" else [x, out]

    def reference(x: Array, out: Array, *others: Any) -> list[Expected]:
        wide = x.astype(np.float64)
        if op == "argmax":
            return [Expected(wide.argmax(axis=1).astype(np.int32))]
        if op == "max":
            return [Expected(wide.max(axis=1).astype(np.float32))]
        if op == "sum":
            return [close(wide.sum(axis=1), np.abs(wide).sum(axis=1), out)]
        if is_norm:
            weight, bias, epsilon = others
            weight, bias = weight.astype(np.float64), bias.astype(np.float64)
            average = wide.mean(axis=1, keepdims=True) if op == "layer_norm" else 0.0
            centred = wide - average
            scale = 1 / np.sqrt((centred**2).mean(axis=1, keepdims=True) + epsilon)
            value = centred * scale * weight
            size = (np.abs(wide) + np.abs(average)) * scale * np.abs(weight)
            if op == "layer_norm":
                value, size = value + bias, size + np.abs(bias)
            return [close(value, size, out)]
        largest = wide.max(axis=1, keepdims=True)
        total = np.exp(wide - largest).sum(axis=1, keepdims=True)
        if op == "softmax":
            value = np.exp(wide - largest) / total
            return [close(value, value * (1 + np.abs(wide - largest)), out)]
        if op == "log_softmax":
            value = wide - largest - np.log(total)
            return [close(value, np.abs(wide - largest) + np.log(total), out)]
        chosen = np.take_along_axis(wide, others[0][:, None], 1)
        value = (np.log(total) + largest - chosen)[:, 0]
        return [close(value, (np.log(total) + np.abs(largest) + np.abs(chosen))[:, 0], out)]

    def close(value: Array, size: Array, out: Array) -> Expected:
        return within_roundings(value, size, out.dtype, 64, np.float32)

    matrix, vector = argument(element, 2), argument(element, 1)
    if op in TO_ROWS:
        parameters = [matrix, matrix]
    else:
        parameters = [matrix, array(ct.int32 if op == "argmax" else ct.float32)]
    if is_norm:
        parameters += [vector, vector, ScalarConstraint(ct.float32)]
    if op == "cross_entropy":
        parameters.append(array(ct.int32))
    function = _function(op, rows, columns)
    return Generated(
        case(op, function, parameters, arguments, (2, 1, 1), reference, (1,)),
        rows * columns,
        "element",
    )


KIND = Kind("row", 14, axes, make, allowed)
