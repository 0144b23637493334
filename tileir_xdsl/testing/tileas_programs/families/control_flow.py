"""Loops and branches that forward tiles and buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Attribute, Region, SSAValue

from tileir_xdsl.dialects.arith import CmpIOp
from tileir_xdsl.testing.tileas_programs.draft import INDEX
from tileir_xdsl.testing.tileas_programs.families.buffers import aliases, view_of
from tileir_xdsl.testing.tileas_programs.scope import Allocation, Buffer, Index, Row, Scope, type_of

_MAX_DEPTH = 2
_MAX_TRIPS = 4


@dataclass(frozen=True)
class Carried:
    """A value that enters and leaves regions: a tile, or a buffer of some allocation.

    An `idle` value is forwarded, but never used.
    """

    value: SSAValue
    allocation: Allocation | None = None
    idle: bool = False

    @property
    def type(self) -> Attribute:
        return self.value.type

    def offer(self, s: Scope, value: SSAValue) -> None:
        """Makes a block argument or result for this value usable in a scope."""
        if self.idle:
            return
        if self.allocation is None:
            s.tiles.append(value)
        else:
            s.buffers.append(Buffer(value, self.allocation))

    def successor(self, s: Scope, current: SSAValue) -> SSAValue:
        """The value to forward to the next iteration; `current` is this iteration's value."""
        if self.idle:
            return current
        if self.allocation is None:
            return s.tile(type_of(self.value))
        buffer = Buffer(current, self.allocation)
        if s.chance(0.3):
            candidate = view_of(s, s.choose(s.visible_buffers()))
            s.buffers.append(candidate)
        return s.choose(aliases(s, buffer)).value


def _carried(s: Scope) -> list[Carried]:
    """Up to four usable values; often several buffers of one type and allocation."""
    carried: list[Carried] = []
    for _ in range(s.integer(0, 2)):
        carried.append(Carried(s.tile(), idle=s.chance(0.15)))
    buffers = s.visible_buffers()
    if buffers and s.chance(0.7):
        first = s.choose(buffers)
        carried.append(Carried(first.value, first.allocation, idle=s.chance(0.1)))
        if s.chance(0.5):
            second = s.choose(aliases(s, first))
            carried.append(Carried(second.value, second.allocation))
    return carried


def _fill(s: Scope) -> None:
    for _ in range(s.integer(1, 4)):
        s.step()


def _types(carried: Sequence[Carried]) -> list[Attribute]:
    return [value.type for value in carried]


def _offer_results(s: Scope, carried: Sequence[Carried], results: Sequence[SSAValue]) -> None:
    for value, result in zip(carried, results, strict=True):
        value.offer(s, result)


def _successors(
    s: Scope, carried: Sequence[Carried], current: Sequence[SSAValue]
) -> list[SSAValue]:
    """The values to forward; sometimes the current values with two swapped."""
    values = [c.successor(s, value) for c, value in zip(carried, current, strict=True)]
    if len(values) > 1 and values[-1].type == values[-2].type and s.chance(0.4):
        return [*current[:-2], current[-1], current[-2]]
    return values


# Loops.


@dataclass(frozen=True)
class _Range:
    """Bounds of a loop: at most `trips` iterations, and an index below `end`."""

    lower: SSAValue
    upper: SSAValue
    step: int
    trips: int
    end: int
    is_constant: bool


def _range(s: Scope) -> _Range:
    """Constant bounds, an upper bound from a parameter, or a lower bound from an outer loop's
    index.
    """
    step, trips = s.choose((1, 1, 1, 2, 3)), s.integer(1, _MAX_TRIPS)
    kind, outer = s.draft.random.random(), [i for i in s.visible_indices() if i.end <= 4]
    if kind < 0.2:
        parameter = s.draft.scalar(tuple(range(trips + 1)))
        upper = s.add(arith.IndexCastOp(parameter, INDEX)).result
        return _Range(s.number(0), upper, 1, trips, trips, False)
    if kind < 0.35 and outer:
        index = s.choose(outer)
        end = index.end + trips
        upper = s.number(end)
        return _Range(index.value, upper, 1, end, end, False)
    lower = s.choose((0, 0, 0, 1, 5))
    # The last trip may be cut short.
    end = lower + trips * step - s.integer(0, step - 1)
    return _Range(s.number(lower), s.number(end), step, trips, end, True)


def _for(s: Scope) -> None:
    carried, bounds = _carried(s), _range(s)
    body = s.child([INDEX, *_types(carried)])
    index, *arguments = body.block.args
    body.indices.append(Index(index, bounds.end))
    body.trips = s.trips * bounds.trips
    body.trip = _trip(s, body, index, bounds)
    _offer_results(body, carried, arguments)
    _fill(body)
    body.add(scf.YieldOp(*_successors(body, carried, arguments)))
    initial = [value.value for value in carried]
    step = s.number(bounds.step)
    loop = s.add(scf.ForOp(bounds.lower, bounds.upper, step, initial, Region(body.block)))
    if bounds.is_constant and bounds.trips > 1 and s.chance(0.3):
        loop.attributes["sliceCount"] = IntegerAttr(s.integer(2, bounds.trips), i32)
    _offer_results(s, carried, loop.results)


def _trip(outer: Scope, body: Scope, index: SSAValue, bounds: _Range) -> SSAValue:
    """The number of previous runs of a loop's body."""
    trip = index
    if bounds.lower != body.number(0):
        trip = body.add(arith.SubiOp(index, bounds.lower)).result
    if bounds.step != 1:
        trip = body.add(arith.DivUIOp(trip, body.number(bounds.step))).result
    return nested_trip(outer, body, trip, bounds.trips)


def nested_trip(outer: Scope, body: Scope, trip: SSAValue, trips: int) -> SSAValue:
    """The number of previous runs of a nested loop's body; each run of the loop has at most
    `trips`.
    """
    if outer.trip is None:
        return trip
    before = body.add(arith.MuliOp(outer.trip, body.number(trips))).result
    return body.add(arith.AddiOp(before, trip)).result


def _while(s: Scope) -> None:
    """A loop that counts up to a number, and tests the counter before the body."""
    carried, trips = _carried(s), s.integer(0, _MAX_TRIPS)
    types = [INDEX, *_types(carried)]
    before, after = s.child(types), s.child(types)
    count, *arguments = before.block.args
    _offer_results(before, carried, arguments)
    if s.chance(0.3):
        before.trip, before.trips = nested_trip(s, before, count, trips + 1), s.trips * (trips + 1)
        before.step()
    below = before.add(CmpIOp(count, s.number(trips), "ult")).result
    before.add(scf.ConditionOp(below, count, *_successors(before, carried, arguments)))
    count, *arguments = after.block.args
    after.indices.append(Index(count, max(1, trips)))
    after.trip, after.trips = nested_trip(s, after, count, max(1, trips)), s.trips * max(1, trips)
    _offer_results(after, carried, arguments)
    _fill(after)
    values = _successors(after, carried, arguments)
    following = after.add(arith.AddiOp(count, s.number(1))).result
    after.add(scf.YieldOp(following, *values))
    initial = [s.number(0), *(value.value for value in carried)]
    loop = s.add(scf.WhileOp(initial, types, Region(before.block), Region(after.block)))
    _offer_results(s, carried, loop.results[1:])


def _if(s: Scope) -> None:
    carried, flag = _carried(s), s.flag()
    arms: list[Region] = []
    for _ in range(2):
        arm = s.child()
        _fill(arm)
        arm.add(scf.YieldOp(*_successors(arm, carried, [c.value for c in carried])))
        arms.append(Region(arm.block))
    first, second = arms
    if not carried and s.chance(0.5):
        second = Region()
    op = s.add(scf.IfOp(flag, _types(carried), first, second))
    _offer_results(s, carried, op.results)


def _is_shallow(s: Scope) -> bool:
    return s.depth < _MAX_DEPTH and s.trips <= _MAX_TRIPS


ROWS = (Row(5, _for, _is_shallow), Row(1.5, _while, _is_shallow), Row(4, _if, _is_shallow))
