"""Kernels that move elements: transposes, gathers, stencils in three dimensions, butterflies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
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
from tileir_xdsl.testing.kernels.problems import cdiv

ORDERS = {"".join(map(str, order)): order for order in permutations(range(3)) if order != (0, 1, 2)}
LARGEST_TRANSPOSE = 32768


def transpose_axes(_gpu: str) -> Axes:
    return {
        "order": tuple(ORDERS),
        "first": (1, 4, 32),
        "second": (8, 32, 128),
        "third": (16, 64, 128),
        "type": ("i8", "f16", "f32", "f64"),
    }


def transpose_allowed(values: Values) -> bool:
    return _elements(values, "first", "second", "third") <= LARGEST_TRANSPOSE


def _elements(values: Values, *names: str) -> int:
    product = 1
    for name in names:
        product *= number(values, name)
    return product


def transpose(values: Values) -> Generated:
    shape = tuple(number(values, name) for name in ("first", "second", "third"))
    order, element = ORDERS[str(values["order"])], ELEMENTS[str(values["type"])]

    @kernel
    def permute(x: Any, out: Any) -> None:
        tile = ct.load(x, index=(0, 0, ct.bid(0)), shape=shape)
        block = ct.bid(0)
        result = ct.permute(tile, order)
        if order[0] == 2:
            ct.store(out, index=(block, 0, 0), tile=result)
        elif order[1] == 2:
            ct.store(out, index=(0, block, 0), tile=result)
        else:
            ct.store(out, index=(0, 0, block), tile=result)

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        x = random_array((*shape[:2], 2 * shape[2] - 8), element, rng)
        # Rows are promised to be multiples of 8, also where they are shorter tiles.
        *outer, row = x.transpose(order).shape
        return [x, np.zeros((*outer, cdiv(row, 8) * 8), x.dtype)]

    def reference(x: Array, out: Array) -> list[Expected]:
        result = x.transpose(order)
        out[..., : result.shape[-1]] = result
        return [Expected(out)]

    parameter = argument(element, 3, 8)
    return Generated(
        case("permute", permute, [parameter] * 2, arguments, (2, 1, 1), reference, (1,)),
        float(np.prod(shape)),
        "element",
    )


def gather_axes(_gpu: str) -> Axes:
    return {
        "of": ("rows", "elements", "view", "scatter"),
        "count": (1, 8, 32, 128),
        "width": (16, 64, 256, 1024),
        "type": ("f16", "f32", "f64"),
        "masked": (0, 1),
    }


def gather_allowed(values: Values) -> bool:
    return _elements(values, "count", "width") <= LARGEST_TRANSPOSE


def gather(values: Values) -> Generated:
    """Rows by number, elements by two indices, rows of a gather view, rows into places."""
    of, element = str(values["of"]), ELEMENTS[str(values["type"])]
    count, width, masked = (
        number(values, "count"),
        number(values, "width"),
        number(values, "masked"),
    )
    table_rows, zero = 64 + count, ct.PaddingMode.ZERO

    @kernel
    def gather_tile(table: Any, numbers: Any, shifts: Any, out: Any, limit: int) -> None:
        i = ct.bid(0)
        chosen = ct.load(numbers, index=(i,), shape=(count,), padding_mode=zero)
        at = ct.expand_dims(ct.arange(width, dtype=ct.int32), 0)
        rows = ct.expand_dims(chosen, 1)
        if of == "view":
            tile = ct.load_advanced_indexing(table, (chosen, ct.Slice(0, width)), padding_mode=zero)
            ct.store(out, index=(i, 0), tile=tile)
        elif of == "scatter":
            tile = ct.load(table, index=(i, 0), shape=(count, width), padding_mode=zero)
            if masked:
                ct.scatter(out, (rows, at), tile, mask=rows < limit)
            else:
                ct.scatter(out, (rows, at), tile)
        else:
            columns = at
            if of == "elements":
                columns = (at + ct.load(shifts, index=(i,), shape=()).item()) % width
            if masked:
                tile = ct.gather(table, (rows, columns), mask=rows < limit, padding_value=0)
            else:
                tile = ct.gather(table, (rows, columns))
            ct.store(out, index=(i, 0), tile=tile)

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        numbers = rng.permutation(table_rows)[:count].astype(np.int32)
        out = np.zeros((table_rows if of == "scatter" else count, width), element.numpy)
        shifts = rng.integers(0, width, 1).astype(np.int32)
        return [random_array((table_rows, width), element, rng), numbers, shifts, out, 40]

    def reference(
        table: Array, numbers: Array, shifts: Array, out: Array, limit: int
    ) -> list[Expected]:
        kept = (numbers < limit) if masked and of != "view" else np.ones(count, np.bool_)
        if of == "scatter":
            out[numbers[kept]] = table[:count][kept]
            return [Expected(out)]
        found = table[numbers]
        if of == "elements":
            found = found[:, (np.arange(width) + shifts[0]) % width]
        return [Expected(np.where(kept[:, None], found, np.zeros_like(found)))]

    matrix, indices = argument(element, 2), array(ct.int32)
    parameters = [matrix, indices, indices, matrix, ScalarConstraint(ct.int32)]
    return Generated(
        case("gather_tile", gather_tile, parameters, arguments, (1, 1, 1), reference, (3,)),
        count * width,
        "element",
    )


def stencil_axes(_gpu: str) -> Axes:
    return {
        "depth": (1, 2, 8),
        "height": (1, 8, 16),
        "width": (16, 64, 128),
        "type": ("f16", "f32", "f64"),
        "points": ("seven", "twenty_seven"),
    }


def stencil(values: Values) -> Generated:
    """The sum of weighted neighbours in three dimensions, zeros outside."""
    depth, height, width = (number(values, name) for name in ("depth", "height", "width"))
    element, seven = ELEMENTS[str(values["type"])], values["points"] == "seven"
    offsets = tuple(
        (z, y, x)
        for z in (-1, 0, 1)
        for y in (-1, 0, 1)
        for x in (-1, 0, 1)
        if not seven or abs(z) + abs(y) + abs(x) <= 1
    )

    @kernel
    def stencil_tile(x: Any, weights: Any, out: Any) -> None:
        i, j, k = ct.bid(0), ct.bid(1), ct.bid(2)
        planes = ct.reshape(i * depth + ct.arange(depth, dtype=ct.int32), (depth, 1, 1))
        rows = ct.reshape(j * height + ct.arange(height, dtype=ct.int32), (1, height, 1))
        columns = ct.reshape(k * width + ct.arange(width, dtype=ct.int32), (1, 1, width))
        total = ct.zeros((depth, height, width), dtype=out.dtype)
        for tap in ct.static_iter(range(len(offsets))):
            dz, dy, dx = offsets[tap]
            weight: Any = ct.load(weights, index=(tap,), shape=()).item()
            near = ct.gather(x, (planes + dz, rows + dy, columns + dx), padding_value=0)
            total = total + near * weight
        ct.store(out, index=(i, j, k), tile=total)

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        shape = (depth + 1, height + 1, width + 16)
        # Sums of small integers are exact.
        x = rng.integers(-4, 5, shape).astype(element.numpy)
        return [x, rng.integers(-2, 3, len(offsets)).astype(element.numpy), np.zeros_like(x)]

    def reference(x: Array, weights: Array, out: Array) -> list[Expected]:
        padded, total = np.pad(x, 1), np.zeros_like(out)
        for (z, y, w), weight in zip(offsets, weights, strict=True):
            total += (
                weight
                * padded[
                    1 + z : 1 + z + x.shape[0],
                    1 + y : 1 + y + x.shape[1],
                    1 + w : 1 + w + x.shape[2],
                ]
            )
        return [Expected(total)]

    parameters = [argument(element, 3), array(element.tile), argument(element, 3)]
    return Generated(
        case("stencil_tile", stencil_tile, parameters, arguments, (2, 2, 2), reference, (2,)),
        depth * height * width,
        "element",
    )


def butterfly_axes(_gpu: str) -> Axes:
    return {
        "rows": (1, 4, 16, 64),
        "points": (16, 64, 256, 1024),
        "type": ("f32", "f64"),
        "radix_steps": ("all", "two"),
    }


def butterfly(values: Values) -> Generated:
    """Steps of a Fourier transform of rows, sorted on the way (Stockham)."""
    rows, points = number(values, "rows"), number(values, "points")
    element = ELEMENTS[str(values["type"])]
    steps = 2 if values["radix_steps"] == "two" else points.bit_length() - 1
    half = points // 2

    @kernel
    def butterflies(x: Any, roots: Any, out: Any) -> None:
        i = ct.bid(0)
        shape = (1, rows, points)
        re = ct.reshape(ct.load(x, index=(0, i, 0), shape=shape), (rows, points))
        im = ct.reshape(ct.load(x, index=(1, i, 0), shape=shape), (rows, points))
        for step in ct.static_iter(range(steps)):
            halves = (rows, 1, half)
            split, joined = (rows, 2, half), (rows, half >> step, 1, 1 << step)
            re, im = ct.reshape(re, split), ct.reshape(im, split)
            re_0, re_1 = ct.extract(re, (0, 0, 0), halves), ct.extract(re, (0, 1, 0), halves)
            im_0, im_1 = ct.extract(im, (0, 0, 0), halves), ct.extract(im, (0, 1, 0), halves)
            c = ct.load(roots, index=(0, step, 0), shape=(1, 1, half))
            s = ct.load(roots, index=(1, step, 0), shape=(1, 1, half))
            re_d, im_d = re_0 - re_1, im_0 - im_1
            re_p, im_p = re_d * c - im_d * s, re_d * s + im_d * c
            re_s, im_s = re_0 + re_1, im_0 + im_1
            re = ct.cat((ct.reshape(re_s, joined), ct.reshape(re_p, joined)), 2)
            im = ct.cat((ct.reshape(im_s, joined), ct.reshape(im_p, joined)), 2)
            re, im = ct.reshape(re, (rows, points)), ct.reshape(im, (rows, points))
        ct.store(out, index=(0, i, 0), tile=ct.reshape(re, shape))
        ct.store(out, index=(1, i, 0), tile=ct.reshape(im, shape))

    def root_array() -> Array:
        angles = np.zeros((steps, half))
        for step in range(steps):
            groups = half >> step
            angles[step] = np.repeat(-np.pi * np.arange(groups) / groups, 1 << step)
        return np.stack([np.cos(angles), np.sin(angles)]).astype(element.numpy)

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        x = rng.standard_normal((2, rows, points)).astype(element.numpy)
        return [x, root_array(), np.zeros_like(x)]

    def reference(x: Array, roots: Array, out: Array) -> list[Expected]:
        z: Array = x[0].astype(np.complex128) + 1j * x[1]
        turns = roots[0].astype(np.complex128) + 1j * roots[1]
        size = np.broadcast_to(np.abs(z).sum(axis=1, keepdims=True), z.shape)
        for step in range(steps):
            first, second = z[:, :half], z[:, half:]
            shape = (-1, half >> step, 1, 1 << step)
            parts = [(first + second).reshape(shape)]
            parts.append(((first - second) * turns[step]).reshape(shape))
            z = np.concatenate(parts, axis=2).reshape(-1, points)
        sizes = np.stack([size, size])
        return [
            within_roundings(
                np.stack([np.real(z), np.imag(z)]), sizes, out.dtype, 64, element.numpy
            )
        ]

    parameters = [argument(element, 3), argument(element, 3, 8), argument(element, 3)]
    return Generated(
        case("butterflies", butterflies, parameters, arguments, (1, 1, 1), reference, (2,)),
        rows * points * steps,
        "element",
    )


KINDS = (
    Kind("transpose", 6, transpose_axes, transpose, transpose_allowed),
    Kind("gather", 6, gather_axes, gather, gather_allowed),
    Kind("stencil", 4, stencil_axes, stencil),
    Kind("butterfly", 3, butterfly_axes, butterfly),
)
