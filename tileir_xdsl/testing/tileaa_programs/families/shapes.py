"""Changes of shape, slices, reductions and scans."""

from __future__ import annotations

import math
from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, TensorType
from xdsl.ir import Operation, Region, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing.programs.elements import ELEMENT_TYPES
from tileir_xdsl.testing.tileaa_programs.draft import Shape, tile
from tileir_xdsl.testing.tileaa_programs.scope import INTEGERS, TILE_ELEMENTS, Row, Scope

_MOST_ELEMENTS = 1024

_COMBINATIONS: tuple[tuple[Callable[[SSAValue, SSAValue], Operation], int], ...] = (
    (arith.AddiOp, 0),
    (arith.MuliOp, 1),
    (arith.XOrIOp, 0),
    (arith.AndIOp, -1),
    (arith.MaxUIOp, 0),
)
"""Commutative and associative integer operations, with their identities."""


def _splat(s: Scope) -> None:
    scalar = s.value(s.choose(TILE_ELEMENTS), ())
    s.keep(s.add(nv_tileaa.SplatOp(scalar, TensorType(scalar.type, s.shape(bool)))).result)


def _broadcast(s: Scope) -> None:
    """Repeats a row or a column."""
    element, shape = s.choose(TILE_ELEMENTS), s.shape(lambda shape: len(shape) == 2)
    if len(shape) != 2:
        return
    line = (1, shape[1]) if s.chance(0.5) else (shape[0], 1)
    s.keep(s.add(nv_tileaa.BroadcastOp(s.value(element, line), tile(element, shape))).result)


def _view(s: Scope) -> None:
    element, shape = s.choose(TILE_ELEMENTS), s.shape(bool)
    count = math.prod(shape)
    others: list[Shape] = [(count,), (1, count), (count, 1)]
    if count >= 4:
        others.append((2, count // 4, 2))
    made = s.add(nv_tileaa.ViewOp(s.value(element, shape), tile(element, s.choose(others)))).result
    s.keep(made)
    if s.chance(0.5):
        s.keep(s.add(nv_tileaa.ViewOp(made, tile(element, shape))).result)


def _expand(s: Scope) -> None:
    value, element, shape = s.some(TILE_ELEMENTS)
    if not shape or len(shape) > 2:
        return
    axis = s.integer(0, len(shape))
    made = (*shape[:axis], 1, *shape[axis:])
    s.keep(s.add(nv_tileaa.ExpandDimsOp(value, tile(element, made), axis)).result)


def _permute(s: Scope) -> None:
    element, shape = s.choose(TILE_ELEMENTS), s.shape(lambda shape: len(shape) > 1)
    order = s.draft.random.sample(range(len(shape)), len(shape))
    s.keep(s.add(nv_tileaa.PermuteOp(s.value(element, shape), order)).result)


def _cat(s: Scope) -> None:
    element, shape = s.choose(TILE_ELEMENTS), s.shape(lambda h: 0 < math.prod(h) < _MOST_ELEMENTS)
    if not shape:
        return
    axis = s.integer(0, len(shape) - 1)
    s.keep(s.add(nv_tileaa.CatOp(s.value(element, shape), s.value(element, shape), axis)).result)


def _index(s: Scope, count: int) -> SSAValue:
    """A random index below a power of two."""
    if s.chance(0.5):
        return s.number(s.integer(0, count - 1))
    return s.add(arith.AndIOp(s.value("i32", ()), s.number(count - 1))).result


def _slice(s: Scope) -> None:
    """Extracts a slice of a tile, and inserts it into another tile."""
    element, shape = s.choose(TILE_ELEMENTS), s.shape(lambda h: max(h, default=0) > 1)
    axis = s.choose([i for i, extent in enumerate(shape) if extent > 1])
    parts = s.choose([n for n in (2, 4) if shape[axis] % n == 0])
    part = tuple(n // parts if i == axis else n for i, n in enumerate(shape))
    zero = s.number(0)

    def places() -> list[SSAValue]:
        return [_index(s, parts) if i == axis else zero for i in range(len(shape))]

    source = s.value(element, shape)
    cut = s.add(nv_tileaa.ExtractSliceOp(source, places(), tile(element, part))).result
    s.keep(cut)
    if s.chance(0.7):
        s.keep(s.add(nv_tileaa.InsertSliceOp(cut, s.value(element, shape), places())).result)


def _extract(s: Scope) -> None:
    """Extracts a row of a tile, or one element."""
    element, shape = s.choose(TILE_ELEMENTS), s.shape(bool)
    count = s.integer(1, len(shape))
    places = [_index(s, extent) for extent in shape[:count]]
    s.keep(s.add(nv_tileaa.ExtractOp(s.value(element, shape), places)).result)


def _histogram(s: Scope) -> None:
    element, shape = s.choose(("i32", "i8")), s.shape(bool)
    bins = s.choose((4, 16, 64))
    s.keep(s.add(nv_tileaa.HistogramOp(s.value(element, shape), tile("i32", (bins,)))).result)


def _collective(s: Scope) -> None:
    """A reduction or a scan of one or two tiles of integers."""
    shape, count = s.shape(bool), s.choose((1, 1, 2))
    elements = [s.choose(INTEGERS) for _ in range(count)]
    chosen = [s.choose(_COMBINATIONS) for _ in range(count)]
    types = [ELEMENT_TYPES[element] for element in elements]
    body = s.child([type_ for type_ in types for _ in range(2)])
    made = [
        body.add(combine(body.block.args[2 * i], body.block.args[2 * i + 1])).results[0]
        for i, (combine, _) in enumerate(chosen)
    ]
    body.add(nv_tileaa.YieldOp(made))
    identities: list[IntegerAttr] | None = None
    if s.chance(0.6):
        identities = []
        for type_, (_, identity) in zip(types, chosen, strict=True):
            assert isinstance(type_, IntegerType)
            identities.append(IntegerAttr(identity, type_))
    axis = s.integer(0, len(shape) - 1)
    values = [s.value(element, shape) for element in elements]
    region = Region(body.block)
    if s.chance(0.5):
        s.keep(*s.add(nv_tileaa.ReduceOp(values, axis, identities, region)).results)
    else:
        s.keep(
            *s.add(
                nv_tileaa.ScanOp(values, axis, identities, region, reverse=s.chance(0.4))
            ).results
        )


def _dot(s: Scope) -> None:
    """A dot of small integers, exact in any order of summation."""
    element = s.choose(("f16", "f16", "bf16", "f32"))
    m, n, k = s.choose((16, 64)), s.choose((8, 16, 32)), s.choose((16, 32))
    operands: list[SSAValue] = []
    for shape in ((m, k), (k, n)):
        base = s.draft.whole_input(element, math.prod(shape))
        operands.append(s.load(s.pointers(base, s.numbers(shape))))
    total = s.filled(0.0, "f32", (m, n))
    precision = s.choose(("ieee", "tf32")) if element == "f32" else "tf32"
    for _ in range(s.integer(1, 2)):
        dot = nv_tileaa.DotOp(operands[0], operands[1], total, input_precision=precision)
        total = s.add(dot).result
    s.keep(total)


def _hide(s: Scope) -> None:
    """Hides values from the analyses of the compiler."""
    first, second = (s.some(TILE_ELEMENTS)[0] for _ in range(2))
    s.keep(*s.add(nv_tileaa.OptimizationBarrierOp([first, second])).results)


ROWS = (
    Row(1, _splat),
    Row(1.5, _broadcast),
    Row(1.5, _view),
    Row(0.7, _expand),
    Row(1.5, _permute),
    Row(1.5, _cat),
    Row(1.5, _slice),
    Row(1, _extract),
    Row(0.5, _histogram),
    Row(2, _collective),
    Row(1, _dot),
    Row(0.5, _hide),
)
