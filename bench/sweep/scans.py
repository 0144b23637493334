"""Scans along rows: sums, and of tuples linear recurrences, segmented sums and running maxima."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cuda.tile as ct
import numpy as np

from bench.sweep.kinds import ELEMENTS, FLAG, Axes, Generated, Kind, Values, argument, case, number
from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, kernel

LARGEST_TILE = 16384


def axes(_gpu: str) -> Axes:
    return {
        "op": ("sum", "linear", "segmented", "maximum"),
        "width": (16, 64, 256, 1024, 4096, 16384),
        "others": (1, 4, 32),
        "type": ("f32", "f64"),
        "axis": (0, 1),
        "reverse": FLAG,
    }


def allowed(values: Values) -> bool:
    return number(values, "width") * number(values, "others") <= LARGEST_TILE


def _linear(a: Any, b: Any, c: Any, d: Any) -> Any:
    # (a, b) then (c, d): x -> c * (a * x + b) + d.
    return a * c, b * c + d


def _segmented(a: Any, b: Any, c: Any, d: Any) -> Any:
    # A flag begins a new sum.
    return ct.maximum(a, c), ct.where(c > 0.5, d, b + d)


def _maximum(a: Any, b: Any, c: Any, d: Any) -> Any:
    # The value, and what stands beside the first largest one.
    return ct.where(c > a, c, a), ct.where(c > a, d, b)


_STEPS = {"linear": _linear, "segmented": _segmented, "maximum": _maximum}
_IDENTITIES = {"linear": (1.0, 0.0), "segmented": (0.0, 0.0), "maximum": (-1e30, 0.0)}


def make(values: Values) -> Generated:
    op, element = str(values["op"]), ELEMENTS[str(values["type"])]
    width, others = number(values, "width"), number(values, "others")
    axis, reverse = number(values, "axis"), bool(values["reverse"])
    shape = (others, width) if axis else (width, others)
    step, identities = _STEPS.get(op), _IDENTITIES.get(op)

    @kernel
    def scan(first: Any, second: Any, out: Any) -> None:
        i = ct.bid(0)
        x = ct.load(first, index=(i, 0), shape=shape)
        if step is None:
            value = ct.cumsum(x, axis, reverse=reverse)
        else:
            y = ct.load(second, index=(i, 0), shape=shape)
            found: Any = ct.scan((x, y), axis, step, identities, reverse=reverse)
            _, value = found
        ct.store(out, index=(i, 0), tile=value)

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        stored = (2 * shape[0], shape[1])
        first, second = rng.standard_normal((2, *stored)).astype(element.numpy)
        if op == "linear":
            first = rng.uniform(-0.9, 0.9, stored).astype(element.numpy)
        if op == "segmented":
            first = (rng.uniform(size=stored) < 0.1).astype(element.numpy)
        return [first, second, np.zeros(stored, element.numpy)]

    def reference(first: Array, second: Array, out: Array) -> list[Expected]:
        def scanned(x: Array) -> Array:
            """With the axis of the scan first, in its order."""
            x = np.moveaxis(x.astype(np.float64).reshape(2, *shape), axis + 1, 0)
            return x[::-1] if reverse else x

        x, y = scanned(first), scanned(second)
        value, size = np.zeros(x.shape), np.zeros(x.shape)
        state, bound = (np.full(x.shape[1:], -1e30 if op == "maximum" else 0.0) for _ in range(2))
        beside = np.zeros(x.shape[1:])
        for place, (a, b) in enumerate(zip(x, y, strict=True)):
            match op:
                case "sum":
                    state, bound = state + a, np.abs(a) + bound
                case "linear":
                    state, bound = a * state + b, np.abs(a) * bound + np.abs(b)
                case "segmented":
                    state = np.where(a > 0.5, b, state + b)
                    bound = np.where(a > 0.5, np.abs(b), bound + np.abs(b))
                case _:
                    beside = np.where(a > state, b, beside)
                    state, bound = np.maximum(a, state), np.zeros_like(bound)
            value[place], size[place] = beside if op == "maximum" else state, bound

        def stored(x: Array) -> Array:
            return np.moveaxis(x[::-1] if reverse else x, 0, axis + 1).reshape(out.shape)

        if op == "maximum":
            return [Expected(stored(value).astype(element.numpy))]
        return [within_roundings(stored(value), stored(size), out.dtype, 64, element.numpy)]

    parameters = [argument(element, 2)] * 3
    if shape[1] % 16:
        parameters = [argument(element, 2, 1)] * 3
    return Generated(
        case("scan", scan, parameters, arguments, (2, 1, 1), reference, (2,)),
        width * others,
        "element",
    )


KIND = Kind("scan", 7, axes, make, allowed)
