"""The work of loops in each iteration: dots, attention, streams and updates in place.

All numbers are small integers, or halves of them, so sums are exact in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import FloatAttr, f32
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing.programs.builder import Builder
from tileir_xdsl.testing.programs.elements import ELEMENT_TYPES, Shape, element_of, shape_of, tile
from tileir_xdsl.testing.programs.families import mma_loops
from tileir_xdsl.testing.programs.families.tile_sources import TileAt, draw_source
from tileir_xdsl.testing.programs.targets import MISSING_OPERATIONS
from tileir_xdsl.testing.programs.values import clamped, converted
from tileir_xdsl.testing.programs.whole_tensors import WholeTensor, output_tensor, rewritten_tensor

Values = Sequence[SSAValue]


@dataclass(frozen=True)
class Trips:
    """The trip counts of loops: `inner` iterations at most, for each of `outer` tiles.

    If tiles are `shared`, tile blocks divide them; otherwise each block computes all.
    """

    outer: int
    inner: int
    shared: bool


@dataclass(frozen=True)
class Part:
    """The values that one part of a loop's work carries, and how an iteration updates them."""

    initials: Values
    advance: Callable[[Builder, SSAValue, SSAValue, Values], list[SSAValue]]
    """Computes the carried values for the next iteration, from the tile's and this iteration's
    index.
    """
    restarts: bool = True
    """Whether the next tile may start from `initials`."""


# Operands.


def _operand(b: Builder, element: str, shape: Shape, k_axis: int, trips: Trips) -> TileAt:
    """A source of an operand's tiles, one for each iteration and perhaps for each outer tile."""
    rows = (k_axis - 1) % len(shape) if len(shape) == 2 else 0 if k_axis else 1
    counts = [b.integer(1, 2) for _ in shape]
    fixed = [b.number(b.integer(0, count - 1), "i32") for count in counts]
    counts[k_axis] = trips.inner
    if trips.outer > 1:
        counts[rows] = trips.outer
    source = draw_source(b, element, shape, counts)

    def at(body: Builder, indices: Values) -> SSAValue:
        places = list(fixed)
        if trips.outer > 1:
            places[rows] = indices[0]
        places[k_axis] = indices[1]
        return source(body, places)

    return at


def _operands(b: Builder, mma: mma_loops.MMA, trips: Trips) -> tuple[TileAt, TileAt]:
    rank = len(mma.lhs)
    lhs = _operand(b, mma.element, mma.lhs, rank - 1, trips)
    rhs = _operand(b, mma.element, mma.rhs, rank - 2, trips)
    return lhs, rhs


def _draw(b: Builder, elements: Sequence[str] = ()) -> mma_loops.MMA:
    smallest = min(b.draft.scale.rows) * min(b.draft.scale.columns)
    while True:
        element = mma_loops.draw_element(b)
        fits = smallest <= mma_loops.LARGEST.get(element, mma_loops.LARGEST_OF_TENSOR_CORES)
        if fits and (not elements or element in elements):
            return mma_loops.draw_mma(b, element)


# Products.


def _dot(b: Builder, trips: Trips) -> Part:
    mma = _draw(b)
    lhs, rhs = _operands(b, mma, trips)

    def advance(body: Builder, tile_: SSAValue, k: SSAValue, values: Values) -> list[SSAValue]:
        at = (tile_, k)
        return [mma_loops.add_mma(body, mma, lhs(body, at), rhs(body, at), values[0])]

    return Part([mma_loops.initial_sum(b, mma)], advance)


def _two_dots(b: Builder, trips: Trips) -> Part:
    """Two dots that share an operand; each iteration may swap the accumulators."""
    mma = _draw(b)
    lhs, rhs = _operands(b, mma, trips)
    other = _operand(b, mma.element, mma.rhs, len(mma.rhs) - 2, trips)
    swapped = b.chance(0.5)

    def advance(body: Builder, tile_: SSAValue, k: SSAValue, values: Values) -> list[SSAValue]:
        at = (tile_, k)
        shared = lhs(body, at)
        first = mma_loops.add_mma(body, mma, shared, rhs(body, at), values[0])
        second = mma_loops.add_mma(body, mma, shared, other(body, at), values[1])
        return [second, first] if swapped else [first, second]

    return Part([mma_loops.initial_sum(b, mma), mma_loops.zero_sum(b, mma)], advance)


def _prefetched(b: Builder, trips: Trips) -> Part:
    """A dot of carried operands; each iteration loads the operands of the next one."""
    mma = _draw(b)
    lhs, rhs = _operands(b, mma, trips)
    zero = b.number(0, "i32")

    def advance(body: Builder, tile_: SSAValue, k: SSAValue, values: Values) -> list[SSAValue]:
        x, y, total = values
        following = body.add(cuda_tile.AddIOp(k, body.number(1, "i32"))).result
        last = body.number(trips.inner - 1, "i32")
        at = (
            tile_,
            body.add(cuda_tile.MinIOp(following, last, cuda_tile.Signedness.SIGNED)).result,
        )
        return [lhs(body, at), rhs(body, at), mma_loops.add_mma(body, mma, x, y, total)]

    initials = [lhs(b, (zero, zero)), rhs(b, (zero, zero)), mma_loops.initial_sum(b, mma)]
    return Part(initials, advance)


def _carried_views(b: Builder, trips: Trips) -> Part:
    """A dot whose left operand is loaded alternately from two arrays.

    Loops cannot carry views, so the body makes a view from a carried pointer.
    """
    mma = _draw(b)
    if mma.batch or mma.element == "f64":
        return _dot(b, trips)
    rhs = _operand(b, mma.element, mma.rhs, 0, trips)
    sizes = (mma.m, trips.inner * mma.k)
    bases: list[SSAValue] = []
    type_ = cuda_tile.TensorViewType(sizes, ELEMENT_TYPES[mma.element], (sizes[1], 1))
    for _ in range(2):
        bases.append(b.draft.whole_input(mma.element, sizes[0] * sizes[1], 2))
    view_type = cuda_tile.PartitionViewType(mma.lhs, type_, None, cuda_tile.PaddingValue.ZERO)

    def advance(body: Builder, tile_: SSAValue, k: SSAValue, values: Values) -> list[SSAValue]:
        base, other, total = values
        aligned = body.add(cuda_tile.AssumeOp(base, cuda_tile.DivByAttr(16))).result
        tensor = body.add(cuda_tile.MakeTensorViewOp(aligned, [], [], type_)).result
        tiles = body.add(cuda_tile.MakePartitionViewOp(tensor, view_type)).result
        x = body.add(cuda_tile.LoadViewTkoOp(tiles, [body.number(0, "i32"), k])).tile
        return [other, base, mma_loops.add_mma(body, mma, x, rhs(body, (tile_, k)), total)]

    return Part([*bases, mma_loops.initial_sum(b, mma)], advance)


def _carried_pointers(b: Builder, trips: Trips) -> Part:
    """A dot whose left operand is loaded through carried pointers, which each iteration
    increments.
    """
    mma = _draw(b)
    rhs = _operand(b, mma.element, mma.rhs, len(mma.rhs) - 2, trips)
    count = mma.m * mma.k * (mma.batch[0] if mma.batch else 1)
    base = b.draft.whole_input(mma.element, count * trips.inner, 2)
    pointers = b.offset(base, b.linear(mma.lhs))

    def advance(body: Builder, tile_: SSAValue, k: SSAValue, values: Values) -> list[SSAValue]:
        places, total = values
        x = body.add(cuda_tile.LoadPtrTkoOp(places)).result
        moved = body.add(cuda_tile.OffsetOp(places, body.number(count, "i32", mma.lhs))).result
        return [moved, mma_loops.add_mma(body, mma, x, rhs(body, (tile_, k)), total)]

    return Part([pointers, mma_loops.initial_sum(b, mma)], advance)


def _scaled(b: Builder, trips: Trips) -> Part:
    """Block-scaled dots, whose scale factors are loaded too."""
    if cuda_tile.MmaFScaledOp in MISSING_OPERATIONS.get(b.draft.target, ()):
        return _dot(b, trips)
    forms = (
        ("f8E4M3FN", "f8E8M0FNU", 32),
        ("f8E5M2", "f8E8M0FNU", 32),
        ("f4E2M1FN", "f8E8M0FNU", 32),
        ("f4E2M1FN", "f8E4M3FN", 16),
        ("f4E2M1FN", "fnv8E5M3FNU", 16),
    )
    element, scale, block = b.choose([form for form in forms if form[1] not in b.draft.missing])
    m, n = b.choose(b.draft.scale.rows), b.choose((16, 32, 64))
    mma = mma_loops.MMA((), m, n, b.choose((32, 64)), element, "f32")
    stored = "f16" if element == "f4E2M1FN" else element
    lhs = _operand(b, stored, mma.lhs, 1, trips)
    rhs = _operand(b, stored, mma.rhs, 0, trips)
    scales = [_scales(b, scale, shape) for shape in ((m, mma.k // block), (mma.k // block, n))]

    def advance(body: Builder, tile_: SSAValue, k: SSAValue, values: Values) -> list[SSAValue]:
        at = (tile_, k)
        operands = [lhs(body, at), rhs(body, at)]
        if stored != element:
            operands = [converted(body, operand, element) for operand in operands]
        factors = [factor(body) for factor in scales]
        return [
            body.add(cuda_tile.MmaFScaledOp(operands[0], operands[1], values[0], *factors)).result
        ]

    return Part([mma_loops.initial_sum(b, mma)], advance)


def _scales(b: Builder, element: str, shape: Shape) -> Callable[[Builder], SSAValue]:
    """Loads scale factors, the same in every iteration, in the iteration or before the loop."""
    base = b.draft.power_input(element, shape[0] * shape[1])
    pointers = b.offset(base, b.linear(shape))
    if b.chance(0.4):
        value = b.load(pointers)
        return lambda _body: value
    return lambda body: body.load(pointers)


# Attention.


def _attention(b: Builder, trips: Trips) -> Part:
    """The loop of flash attention, with powers of two instead of exponentials.

    It carries an accumulator, and a sum of weights and a maximum for each row. Weights are 0, 1 and
    2, by a score's distance from the maximum; a larger maximum halves the carried sums.
    """
    elements = ("f16", "bf16", "f8E4M3FN", "f8E5M2", "tf32")
    first = _draw(b, elements)
    m, n = first.m, first.n
    scores = mma_loops.MMA((), m, n, first.k, first.element, "f32")
    columns = b.choose(
        [c for c in b.draft.scale.columns if m * c <= mma_loops.LARGEST_OF_TENSOR_CORES]
    )
    sums = mma_loops.MMA((), m, columns, n, first.element, "f32")
    queries = draw_source(b, first.element, scores.lhs, [trips.outer, 1])
    keys = _operand(b, first.element, scores.rhs, 1, trips)
    values_of = _operand(b, first.element, sums.rhs, 0, Trips(1, trips.inner, trips.shared))
    masked = b.integer(0, 2 * n) if b.chance(0.4) else None
    once = trips.outer == 1 and b.chance(0.7)
    zero = b.number(0, "i32")
    early = queries(b, (zero, zero)) if once else None

    def advance(body: Builder, tile_: SSAValue, k: SSAValue, values: Values) -> list[SSAValue]:
        total, weight, maximum = values
        query = early or queries(body, (tile_, zero))
        score = mma_loops.add_mma(
            body, scores, query, keys(body, (tile_, k)), mma_loops.zero_sum(body, scores)
        )
        if masked is not None:
            score = _causal(body, score, k, masked)
        larger = body.add(
            cuda_tile.MaxFOp(maximum, _reduced(body, score, cuda_tile.MaxFOp, float("-inf")))
        ).result
        below = body.add(cuda_tile.SubFOp(score, _along(body, larger, score))).result
        shifted = body.add(cuda_tile.AddFOp(below, body.number(2.0, "f32", shape_of(score)))).result
        weights = clamped(body, shifted, (0.0, 2.0))
        halved = _halved(body, larger, maximum)
        added = _reduced(body, weights, cuda_tile.AddFOp, 0.0)
        weight = body.add(
            cuda_tile.AddFOp(body.add(cuda_tile.MulFOp(weight, halved)).result, added)
        ).result
        rescaled = body.add(cuda_tile.MulFOp(total, _along(body, halved, total))).result
        operand = mma_loops.narrowed(body, weights, first.element)
        total = mma_loops.add_mma(body, sums, operand, values_of(body, (tile_, k)), rescaled)
        return [total, weight, larger]

    lowest = b.number(-1000.0, "f32", (m,))
    return Part([mma_loops.zero_sum(b, sums), b.number(0.0, "f32", (m,)), lowest], advance)


def _causal(b: Builder, score: SSAValue, k: SSAValue, diagonal: int) -> SSAValue:
    """Replaces scores in columns beyond a diagonal by a very low value."""
    rows, columns = shape_of(score)
    column = b.add(
        cuda_tile.AddIOp(_iota(b, score, 1), b.spread(_times(b, k, columns), (rows, columns)))
    )
    limit = b.add(
        cuda_tile.AddIOp(_iota(b, score, 0), b.number(diagonal, "i32", (rows, columns)))
    ).result
    predicate = cuda_tile.ComparisonPredicate.LESS_THAN_OR_EQUAL
    seen = b.add(
        cuda_tile.CmpIOp(predicate, column.result, limit, cuda_tile.Signedness.SIGNED)
    ).result
    return b.add(cuda_tile.SelectOp(seen, score, b.number(-500.0, "f32", (rows, columns)))).result


def _times(b: Builder, value: SSAValue, factor: int) -> SSAValue:
    return b.add(cuda_tile.MulIOp(value, b.number(factor, "i32"))).result


def _iota(b: Builder, like: SSAValue, dim: int) -> SSAValue:
    """The index of every element along a dimension."""
    shape = shape_of(like)
    line = tuple(extent if i == dim else 1 for i, extent in enumerate(shape))
    return _broadcast(
        b, b.add(cuda_tile.ReshapeOp(b.linear((shape[dim],)), tile("i32", line))).result, shape
    )


def _broadcast(b: Builder, value: SSAValue, shape: Shape) -> SSAValue:
    return b.add(cuda_tile.BroadcastOp(value, tile(element_of(value), shape))).result


def _along(b: Builder, rows: SSAValue, like: SSAValue) -> SSAValue:
    """One number for each row, broadcast along the columns of a tile."""
    shape = shape_of(like)
    column = b.add(cuda_tile.ReshapeOp(rows, tile(element_of(rows), (shape[0], 1)))).result
    return _broadcast(b, column, shape)


def _reduced(
    b: Builder, value: SSAValue, combine: type[cuda_tile.MaxFOp | cuda_tile.AddFOp], identity: float
) -> SSAValue:
    """Reduces each row of a tile."""
    body = b.child([tile("f32"), tile("f32")])
    first, second = body.block.args
    body.add(cuda_tile.YieldOp([body.add(combine(first, second)).result]))
    return b.add(cuda_tile.ReduceOp([value], 1, [FloatAttr(identity, f32)], body.region())).results[
        0
    ]


def _halved(b: Builder, larger: SSAValue, maximum: SSAValue) -> SSAValue:
    """0.5 where the maximum has grown, otherwise 1."""
    predicate, ordering = (
        cuda_tile.ComparisonPredicate.GREATER_THAN,
        cuda_tile.ComparisonOrdering.ORDERED,
    )
    grew = b.add(cuda_tile.CmpFOp(predicate, ordering, larger, maximum)).result
    shape = shape_of(maximum)
    return b.add(
        cuda_tile.SelectOp(grew, b.number(0.5, "f32", shape), b.number(1.0, "f32", shape))
    ).result


# Streams and updates.


def _position(b: Builder, tile_: SSAValue, k: SSAValue, trips: Trips) -> SSAValue:
    """The index of an iteration among the iterations of all tiles."""
    return b.add(cuda_tile.AddIOp(_times(b, tile_, trips.inner), k)).result


def _stream(b: Builder, trips: Trips) -> Part:
    """Loads tiles, changes them and stores them."""
    mma = _draw(b, ("f16", "bf16", "f32"))
    shape = mma.sum[-2:]
    element = "f32" if b.chance(0.5) else mma.element
    source = _operand(b, element, shape, 1, trips)
    target = output_tensor(b, element, shape, [trips.outer * trips.inner, 1], shared=trips.shared)
    other = b.number(b.choose((1.0, -2.0, 3.0)), element, shape)

    def advance(body: Builder, tile_: SSAValue, k: SSAValue, values: Values) -> list[SSAValue]:
        value = body.add(cuda_tile.AddFOp(source(body, (tile_, k)), other)).result
        _store(body, value, target, _position(body, tile_, k, trips))
        return []

    return Part([], advance)


def _store(b: Builder, value: SSAValue, target: WholeTensor, row: SSAValue) -> SSAValue:
    zeros = [b.number(0, "i32")] * (len(shape_of(value)) - 1)
    return b.add(cuda_tile.StoreViewTkoOp(value, target.view, [row, *zeros])).result_token


def _stored_dots(b: Builder, trips: Trips) -> Part:
    """A dot in each iteration, whose result is stored immediately."""
    mma = _draw(b)
    if mma.batch:
        return _dot(b, trips)
    lhs, rhs = _operands(b, mma, trips)
    target = output_tensor(
        b, mma.accumulator, mma.sum, [trips.outer * trips.inner, 1], shared=trips.shared
    )

    def advance(body: Builder, tile_: SSAValue, k: SSAValue, values: Values) -> list[SSAValue]:
        at = (tile_, k)
        made = mma_loops.add_mma(
            body, mma, lhs(body, at), rhs(body, at), mma_loops.zero_sum(body, mma)
        )
        _store(body, made, target, _position(body, tile_, k, trips))
        return []

    return Part([], advance)


def _in_place(b: Builder, trips: Trips) -> Part:
    """A dot with an operand in memory that every iteration loads and overwrites in token order.

    The operand is the same tile in every iteration, or the tile that the previous iteration has
    written. Threads write the operand's memory, so asynchronous-proxy reads need a fence.
    """
    mma = replace(_draw(b, ("f16", "bf16")), accumulator="f32")
    if trips.shared or mma.batch:
        return _dot(b, trips)
    is_lhs, moves = b.chance(0.6), b.chance(0.5)
    axis, shape = (1, mma.lhs) if is_lhs else (0, mma.rhs)
    other = _operand(b, mma.element, *((mma.rhs, 0) if is_lhs else (mma.lhs, 1)), trips)
    counts = [1 + trips.inner * moves if dim == axis else 1 for dim in range(2)]
    read, written = rewritten_tensor(b, mma.element, shape, counts)
    zero = b.number(0, "i32")
    start = draw_source(b, mma.element, shape, [1, 1])(b, [zero, zero])
    fresh = b.add(cuda_tile.MakeTokenOp()).result
    token = b.add(cuda_tile.StoreViewTkoOp(start, written.view, [zero, zero], fresh)).result_token

    def place(number: SSAValue) -> list[SSAValue]:
        return [number if moves and dim == axis else zero for dim in range(2)]

    def advance(body: Builder, tile_: SSAValue, k: SSAValue, values: Values) -> list[SSAValue]:
        before, total = values
        load = body.add(cuda_tile.LoadViewTkoOp(read.view, place(k), before))
        met = other(body, (tile_, k))
        operands = (load.tile, met) if is_lhs else (met, load.tile)
        total = mma_loops.add_mma(body, mma, *operands, total)
        if mma.sum == shape and body.chance(0.5):
            changed = mma_loops.narrowed(body, total, mma.element)
        else:
            negative = body.add(
                cuda_tile.SubFOp(body.number(0.0, mma.element, shape), load.tile)
            ).result
            changed = body.add(
                cuda_tile.AddFOp(negative, body.number(1.0, mma.element, shape))
            ).result
        following = place(body.add(cuda_tile.AddIOp(k, body.number(1, "i32"))).result)
        store = cuda_tile.StoreViewTkoOp(changed, written.view, following, load.result_token)
        return [body.add(store).result_token, total]

    return Part([token, mma_loops.zero_sum(b, mma)], advance, restarts=False)


PARTS: Mapping[Callable[[Builder, Trips], Part], float] = {
    _dot: 4,
    _two_dots: 2,
    _attention: 4,
    _prefetched: 1.5,
    _carried_views: 1,
    _carried_pointers: 1,
    _scaled: 1,
    _stream: 1.5,
    _stored_dots: 1.5,
    _in_place: 2,
}
"""The kinds of parts, with weights for the random choice."""


DIVIDED: Mapping[Callable[[Builder, Trips], Part], float] = {
    _dot: 3,
    _two_dots: 1,
    _attention: 2,
}
"""The kinds of parts that the thread blocks of a cluster can divide, with weights."""


def draw_part(
    b: Builder,
    trips: Trips,
    parts: Mapping[Callable[[Builder, Trips], Part], float] = PARTS,
) -> Part:
    """Draws what a loop does in every iteration."""
    return b.draft.random.choices(list(parts), list(parts.values()))[0](b, trips)


def is_tile(value: SSAValue) -> bool:
    """Whether a value is a tile of numbers, which can be stored."""
    type_ = value.type
    return isinstance(type_, cuda_tile.TileType) and type_.element_type in ELEMENT_TYPES.values()
