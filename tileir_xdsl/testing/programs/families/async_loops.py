"""Loops like those of real kernels around asynchronous work: over K, and over tiles.

Loops over K have a counter, end early, or skip iterations depending on loaded values. An outer loop
goes over all tiles of a tile block, or over the tiles assigned to it, as in a persistent kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i64
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.options import UNSPECIALIZE, WARP_SPECIALIZE, OptionError, Options
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing.programs.builder import Builder
from tileir_xdsl.testing.programs.elements import element_of, shape_of, tile, type_of
from tileir_xdsl.testing.programs.families.between_blocks import (
    acquire_lock,
    plain_load,
    plain_store,
    release_lock,
)
from tileir_xdsl.testing.programs.families.loop_parts import (
    DIVIDED,
    Part,
    Trips,
    draw_part,
    is_tile,
)
from tileir_xdsl.testing.programs.families.mma_loops import MAX_TRIPS, break_if, store_sum
from tileir_xdsl.testing.programs.scale import CLUSTERED
from tileir_xdsl.testing.programs.whole_tensors import output_tensor

_MAX_TILES = 4
_ALONE = 0.5
"""The share of programs with only the loop: passes that divide tiles refuse many other ops."""
_CLUSTERED = 0.25
"""The share of programs whose tiles the thread blocks of a cluster can usually divide."""
_WITH_CLUSTERS = ("sm_90a", "sm_100a")
_STOP = 2
"""The value of a flag that ends a loop; a negative flag skips an iteration."""


@dataclass(frozen=True)
class _Body:
    """The work in the iterations of a loop over K."""

    parts: Sequence[Part]
    trips: Trips
    flags: SSAValue
    """A pointer to one flag for each iteration."""

    @property
    def initials(self) -> list[SSAValue]:
        """The initial values that all parts carry."""
        return [value for part in self.parts for value in part.initials]

    def advance(
        self, b: Builder, tile_: SSAValue, k: SSAValue, values: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """The values that all parts carry into the next iteration."""
        made, first = list[SSAValue](), 0
        for part in self.parts:
            after = first + len(part.initials)
            made += part.advance(b, tile_, k, values[first:after])
            first = after
        return made

    def restarted(self, carried: Sequence[SSAValue]) -> list[SSAValue]:
        """The values with which the next tile starts; `carried` are the last ones of this tile."""
        starts, first = list[SSAValue](), 0
        for part in self.parts:
            after = first + len(part.initials)
            starts += part.initials if part.restarts else carried[first:after]
            first = after
        return starts


_Inner = Callable[[Builder, _Body, SSAValue, Sequence[SSAValue]], list[SSAValue]]
"""Adds a loop over K; the arguments are its body, the tile's index and the initial values."""


# Loops over K.


def _end(b: Builder, trips: int) -> SSAValue:
    """The trip count: a constant or a parameter."""
    if b.chance(0.4):
        return b.draft.scalar("i32", (trips, trips, trips - 1, 0))
    return b.number(trips, "i32")


def _counted(
    b: Builder, body: _Body, tile_: SSAValue, values: Sequence[SSAValue]
) -> list[SSAValue]:
    """A `for`, whose lower bound may be positive and whose step may exceed one."""
    inner = b.child([tile("i32"), *(value.type for value in values)], repeated=True)
    k, *carried = inner.block.args
    inner.add(cuda_tile.ContinueOp(body.advance(inner, tile_, k, carried)))
    lower, step = (b.number(n, "i32") for n in (b.choose((0, 0, 0, 1)), b.choose((1, 1, 1, 2))))
    upper, unsigned = _end(b, body.trips.inner), b.chance(0.2)
    loop = cuda_tile.ForOp(lower, upper, step, values, inner.region(), unsigned=unsigned)
    return list(b.add(loop).results)


def _flag(b: Builder, body: _Body, k: SSAValue) -> SSAValue:
    return b.load(b.offset(body.flags, k))


def _below_zero(b: Builder, flag: SSAValue) -> SSAValue:
    predicate = cuda_tile.ComparisonPredicate.LESS_THAN
    return b.add(
        cuda_tile.CmpIOp(predicate, flag, b.number(0, "i32"), cuda_tile.Signedness.SIGNED)
    ).result


def _continue_if(b: Builder, condition: SSAValue, values: Sequence[SSAValue]) -> None:
    branch = b.child()
    branch.add(cuda_tile.ContinueOp(values))
    b.add(cuda_tile.IfOp(condition, [], branch.region()))


def _skipping(
    b: Builder, body: _Body, tile_: SSAValue, values: Sequence[SSAValue]
) -> list[SSAValue]:
    """A `for` that skips some iterations, as in dots of sparse matrices."""
    inner = b.child([tile("i32"), *(value.type for value in values)], repeated=True)
    k, *carried = inner.block.args
    _continue_if(inner, _below_zero(inner, _flag(inner, body, k)), carried)
    inner.add(cuda_tile.ContinueOp(body.advance(inner, tile_, k, carried)))
    bounds = b.number(0, "i32"), _end(b, body.trips.inner), b.number(1, "i32")
    return list(b.add(cuda_tile.ForOp(*bounds, values, inner.region())).results)


def _is_last(b: Builder, k: SSAValue, limit: SSAValue) -> SSAValue:
    predicate = cuda_tile.ComparisonPredicate.GREATER_THAN_OR_EQUAL
    return b.add(cuda_tile.CmpIOp(predicate, k, limit, cuda_tile.Signedness.SIGNED)).result


def _stops(b: Builder, flag: SSAValue) -> SSAValue:
    number = b.number(_STOP, "i32")
    return b.add(
        cuda_tile.CmpIOp(
            cuda_tile.ComparisonPredicate.EQUAL, flag, number, cuda_tile.Signedness.SIGNED
        )
    ).result


def _left_early(
    b: Builder, body: _Body, tile_: SSAValue, values: Sequence[SSAValue]
) -> list[SSAValue]:
    """A `loop` that loaded flags may end, before or after the work of an iteration."""
    zero, limit = b.number(0, "i32"), _end(b, body.trips.inner)
    inner = b.child([zero.type, *(value.type for value in values)], repeated=True)
    k, *carried = inner.block.args
    break_if(inner, _is_last(inner, k, limit), carried)
    flag = _flag(inner, body, k)
    following = inner.add(cuda_tile.AddIOp(k, inner.number(1, "i32"))).result
    before, skips = b.chance(0.5), b.chance(0.4)
    if skips:
        _continue_if(inner, _below_zero(inner, flag), [following, *carried])
    if before:
        break_if(inner, _stops(inner, flag), carried)
    made = body.advance(inner, tile_, k, carried)
    if not before:
        break_if(inner, _stops(inner, flag), made)
    inner.add(cuda_tile.ContinueOp([following, *made]))
    types = [value.type for value in values]
    return list(b.add(cuda_tile.LoopOp([zero, *values], types, inner.region())).results)


_INNER: dict[_Inner, float] = {_counted: 5, _skipping: 2, _left_early: 2.5}


# Loops over tiles.


def _single(b: Builder, body: _Body, inner: _Inner) -> list[SSAValue]:
    """Every tile block computes one tile."""
    return inner(b, body, b.number(0, "i32"), body.initials)


def _nested(b: Builder, body: _Body, inner: _Inner) -> list[SSAValue]:
    """Every tile block computes all tiles; loaded flags may end the loop, or skip a tile."""
    zero, initials = b.number(0, "i32"), body.initials
    outer = b.child([zero.type, *(value.type for value in initials)], repeated=True)
    tile_, *carried = outer.block.args
    limit = b.number(body.trips.outer, "i32")
    if b.chance(0.5):
        if b.chance(0.5):
            _continue_if(outer, _below_zero(outer, _flag(outer, body, tile_)), carried)
        outer.add(cuda_tile.ContinueOp(inner(outer, body, tile_, body.restarted(carried))))
        loop = cuda_tile.ForOp(zero, limit, b.number(1, "i32"), initials, outer.region())
        return list(b.add(loop).results)
    break_if(outer, _is_last(outer, tile_, limit), carried)
    following = outer.add(cuda_tile.AddIOp(tile_, outer.number(1, "i32"))).result
    if b.chance(0.5):
        _continue_if(outer, _below_zero(outer, _flag(outer, body, tile_)), [following, *carried])
    made = inner(outer, body, tile_, body.restarted(carried))
    if b.chance(0.5):
        break_if(outer, _stops(outer, _flag(outer, body, tile_)), made)
    outer.add(cuda_tile.ContinueOp([following, *made]))
    types = [value.type for value in initials]
    return list(b.add(cuda_tile.LoopOp([zero, *initials], types, outer.region())).results)


def _persistent(b: Builder, body: _Body, inner: _Inner) -> list[SSAValue]:
    """Every tile block computes the tiles from its index on, in steps of the number of tile blocks.

    A tile's results are stored before the next tile begins.
    """
    first = b.draft.block_number or b.number(0, "i32")
    outer = b.child([tile("i32")], repeated=True)
    (tile_,) = outer.block.args
    if b.chance(0.3):
        _continue_if(outer, _below_zero(outer, _flag(outer, body, tile_)), [])
    initials = body.initials
    targets = [
        output_tensor(
            b,
            element_of(value),
            shape_of(value),
            [body.trips.outer, *[1] * (len(shape_of(value)) - 1)],
            shared=True,
        )
        if is_tile(value)
        else None
        for value in initials
    ]
    made = inner(outer, body, tile_, initials)
    for value, target in zip(made, targets, strict=True):
        if target is not None:
            zeros = [outer.number(0, "i32")] * (len(shape_of(value)) - 1)
            outer.add(cuda_tile.StoreViewTkoOp(value, target.view, [tile_, *zeros]))
    outer.add(cuda_tile.ContinueOp([]))
    upper, step = _end(b, body.trips.outer), b.number(b.draft.blocks, "i32")
    b.add(cuda_tile.ForOp(first, upper, step, [], outer.region()))
    return []


# The whole.


def emit_async_loop(b: Builder) -> None:
    """Adds a loop with one to three parts, and the uses of its results."""
    inner_trips = b.integer(1, MAX_TRIPS)
    kind = b.draft.random.choices((_single, _nested, _persistent), (5, 2, 3))[0]
    tiles = 1 if kind is _single else b.integer(2, _MAX_TILES)
    trips = Trips(tiles, inner_trips, kind is _persistent)
    clustered = b.draft.target in _WITH_CLUSTERS and b.chance(_CLUSTERED)
    if clustered:
        b.draft.ctas, b.draft.scale = b.choose((2, 2, 4)), CLUSTERED
        parts = [draw_part(b, trips, DIVIDED)]
    else:
        count = b.draft.random.choices((1, 2, 3), (7, 3, 1))[0]
        parts = [draw_part(b, trips) for _ in range(count)]
    if clustered or b.chance(_ALONE):
        b.draft.steps = 0
    flags = b.draft.whole_input("i32", max(inner_trips, tiles), _STOP)
    inner = b.draft.random.choices(list(_INNER), list(_INNER.values()))[0]
    if clustered:
        # Loads of other loops are not copied to several thread blocks at once.
        inner = _counted
    for value in kind(b, _Body(parts, trips, flags), inner):
        if not is_tile(value):
            continue
        if not clustered and b.chance(0.15) and element_of(value) in ("i32", "f32"):
            _add_under_lock(b, value)
        elif clustered or b.chance(0.7):
            store_sum(b, value)
        else:
            b.keep(value)


def _add_under_lock(b: Builder, value: SSAValue) -> None:
    """Every tile block adds to the same tile of memory under a lock, as split K does."""
    element, count = element_of(value), type_of(value).element_count()
    lock = b.draft.zeros("i32", 1)
    array = b.draft.shared_sum(element, count)
    token = acquire_lock(b, lock)
    held, loaded = plain_load(b, array, value, token)
    total = b.add((cuda_tile.AddIOp if element == "i32" else cuda_tile.AddFOp)(held, value)).result
    release_lock(b, lock, plain_store(b, array, total, loaded))


def draw_kernel_hints(b: Builder) -> cuda_tile.OptimizationHintsAttr | None:
    """Random kernel hints: thread blocks per tile block, and their number on a multiprocessor."""
    if b.draft.ctas is None and b.chance(0.3):
        return None
    hints: dict[str, int] = {}
    if b.draft.ctas is not None:
        hints["num_cta_in_cga"] = b.draft.ctas
    elif b.draft.target != "sm_80" and b.chance(0.8):
        hints["num_cta_in_cga"] = b.choose((1, 2, 2, 2, 4))
    if b.chance(0.5):
        hints["occupancy"] = b.choose((1, 2, 4))
    if b.chance(0.3):
        hints["num_worker_warps_per_cta"] = b.choose((1, 2, 4, 8))
    values = DictionaryAttr({name: IntegerAttr(n, i64) for name, n in hints.items()})
    key = b.draft.target.rstrip("a") if b.chance(0.5) else "default"
    return cuda_tile.OptimizationHintsAttr({key: values})


def draw_options(b: Builder) -> Options:
    """Random compile options for the program's target: warps, stages and agents."""
    target = get_target(b.draft.target)
    try:
        options = Options(
            warps=b.choose((None, None, None, 1, 2, 4, 8)),
            stages=b.choose((None, None, 1, 2, 3, 4)),
            strategy=b.choose((None, None, UNSPECIALIZE, *[WARP_SPECIALIZE] * 3)),
            dynamic_persistent=b.chance(0.15) and b.draft.target.startswith("sm_1"),
        )
        options.check(target)
    except OptionError:
        return Options()
    return options
