"""Loops and branches that carry tiles, tokens, pointers and views, and agents with queues."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Region, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.arith import CmpIOp
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import memory_order_properties
from tileir_xdsl.testing.programs.elements import ELEMENT_TYPES
from tileir_xdsl.testing.tileaa_programs.draft import ARRAY, Buffer, row_major
from tileir_xdsl.testing.tileaa_programs.families.memory import store_whole
from tileir_xdsl.testing.tileaa_programs.scope import TILE_ELEMENTS, TOKEN, Row, Scope

_MAX_DEPTH = 2
_MAX_TRIPS = 4


def _is_shallow(s: Scope) -> bool:
    return s.depth < _MAX_DEPTH


def _fill(s: Scope) -> None:
    for _ in range(s.integer(1, 3)):
        s.step()


def _carried(s: Scope) -> list[tuple[str, tuple[int, ...]]]:
    """Random element types and shapes of carried tiles; often two are equal."""
    made = [(s.choose(TILE_ELEMENTS), s.shape()) for _ in range(s.integer(0, 2))]
    return [*made, made[0]] if made and s.chance(0.4) else made


def _enter(s: Scope, inner: Scope, buffers: Sequence[Buffer], values: Sequence[SSAValue]) -> None:
    """Makes the values that enter a region usable in it: tiles, then the tokens of buffers."""
    count = len(values) - len(buffers)
    inner.keep(*values[:count])
    inner.tokens.update(zip(buffers, values[count:], strict=True))


def _leave(s: Scope, buffers: Sequence[Buffer], results: Sequence[SSAValue]) -> None:
    _enter(s, s, buffers, results)


def _forwarded(
    s: Scope, tiles: Sequence[tuple[str, tuple[int, ...]]], buffers: Sequence[Buffer]
) -> list[SSAValue]:
    """Values for a region to forward: tiles of the given types, then the tokens of buffers."""
    return [*(s.value(*each) for each in tiles), *(s.token(buffer) for buffer in buffers)]


def _some_buffers(s: Scope) -> list[Buffer]:
    return [buffer for buffer in s.tokens if s.chance(0.7)]


def _for(s: Scope) -> None:
    """A loop whose bounds are constants, or whose upper bound is a parameter or computed."""
    tiles, buffers = _carried(s), _some_buffers(s)
    initials = _forwarded(s, tiles, buffers)
    body = s.child([i32, *(value.type for value in initials)], repeated=True)
    index, *values = body.block.args
    body.keep(index)
    _enter(s, body, buffers, values)
    _fill(body)
    body.add(scf.YieldOp(*_forwarded(body, tiles, buffers)))
    lower = s.number(s.choose((0, 0, 1)))
    trips = s.number(s.integer(1, _MAX_TRIPS))
    kind = s.integer(0, 2)
    if kind == 1:
        trips = s.draft.scalar((0, 1, _MAX_TRIPS))
    elif kind == 2:
        mask = s.number(_MAX_TRIPS - 1)
        trips = s.add(arith.AndIOp(s.value("i32", ()), mask)).result
    loop = scf.ForOp(lower, trips, s.number(s.choose((1, 1, 2))), initials, Region(body.block))
    _leave(s, buffers, s.add(loop).results)


def _while(s: Scope) -> None:
    """A loop with a counter, which a computed condition may end earlier."""
    tiles, buffers = _carried(s), _some_buffers(s)
    initials = [s.number(0), *_forwarded(s, tiles, buffers)]
    types = [value.type for value in initials]
    before, after = s.child(types, repeated=True), s.child(types, repeated=True)
    count, *values = before.block.args
    _enter(s, before, buffers, values)
    if s.chance(0.4):
        before.step()
    goes_on = before.add(CmpIOp(count, s.number(s.integer(1, _MAX_TRIPS)), "slt")).result
    if s.chance(0.5):
        goes_on = before.add(arith.AndIOp(goes_on, before.flag())).result
    before.add(scf.ConditionOp(goes_on, count, *_forwarded(before, tiles, buffers)))
    count, *values = after.block.args
    after.keep(count)
    _enter(s, after, buffers, values)
    _fill(after)
    following = after.add(nv_tileaa.AddIOp(count, s.number(1))).result
    after.add(scf.YieldOp(following, *_forwarded(after, tiles, buffers)))
    regions = Region(before.block), Region(after.block)
    loop = s.add(scf.WhileOp(initials, types, *regions))
    s.keep(loop.results[0])
    _leave(s, buffers, loop.results[1:])


def _if(s: Scope) -> None:
    tiles, buffers, flag = _carried(s), _some_buffers(s), s.flag()
    arms: list[Region] = []
    types: list[Attribute] = []
    for _ in range(2):
        arm = s.child()
        arm.tokens.update({buffer: s.tokens[buffer] for buffer in buffers})
        _fill(arm)
        forwarded = _forwarded(arm, tiles, buffers)
        types = [value.type for value in forwarded]
        arm.add(scf.YieldOp(*forwarded))
        arms.append(Region(arm.block))
    _leave(s, buffers, s.add(scf.IfOp(flag, types, arms[0], arms[1])).results)


# Values carried besides tiles.


def _carried_pointers(s: Scope) -> None:
    """A loop that carries and increments a tile of pointers, and sums the loaded elements."""
    element, shape = s.choose(("i32", "i64", "i8")), s.shape(bool)
    pointers = s.pointers(s.draft.input(element), s.numbers(shape))
    total = s.filled(0, element, shape)
    body = s.child([i32, pointers.type, total.type], repeated=True)
    _, places, sum_ = body.block.args
    added = body.add(nv_tileaa.AddIOp(sum_, body.load(places))).result
    step = body.filled(s.choose((1, 7, 32)), "i32", shape)
    body.add(scf.YieldOp(body.add(nv_tileaa.AddPtrOp(places, step)).result, added))
    bounds = s.number(0), s.number(3), s.number(1)
    loop = scf.ForOp(*bounds, [pointers, total], Region(body.block))
    s.keep(s.add(loop).results[1])


def _carried_views(s: Scope) -> None:
    """A loop that swaps two carried views in each iteration."""
    element, shape, sizes = s.choose(("i32", "f16")), (8, 8), (16, 24)
    type_ = nv_tileaa.MemRefType(sizes, ELEMENT_TYPES[element], row_major(sizes))
    carries_tiles = s.chance(0.5)
    views: list[SSAValue] = []
    for _ in range(2):
        base = s.draft.whole_input(element, ARRAY)
        view: SSAValue = s.add(nv_tileaa.MakeMemRefOp(base, [], [], type_)).result
        if carries_tiles:
            view = s.add(nv_tileaa.BlockTileOp(view, shape, [[0], [1]])).result
        views.append(view)
    result = TensorType(ELEMENT_TYPES[element], shape)
    start = s.filled(0, element, shape)
    body = s.child([i32, *(view.type for view in views), result], repeated=True)
    index, first, second, _ = body.block.args
    view = (
        first if carries_tiles else body.add(nv_tileaa.BlockTileOp(first, shape, [[0], [1]])).result
    )
    load = nv_tileaa.TiledLoadOp(
        operands=[view, [s.number(1), index], None],
        properties=memory_order_properties(MemoryOrdering.WEAK, None),
        result_types=[result, TOKEN],
    )
    body.add(scf.YieldOp(second, first, body.add(load).tile))
    bounds = s.number(0), s.number(s.integer(1, 3)), s.number(1)
    loop = scf.ForOp(*bounds, [*views, start], Region(body.block))
    s.keep(s.add(loop).results[2])


# Agents.


def _agents(s: Scope) -> None:
    """One agent that puts numbers and tiles into a queue, and one or two that get them."""
    s.draft.has_agents = True
    shape, trips = s.shape(bool), s.integer(1, 5)
    tile_type = TensorType(i32, shape)
    queue_type = nv_tileaa.QueueType([i32, tile_type])
    queue = s.add(nv_tileaa.CreateQueueOp(s.integer(1, 3), queue_type)).result
    offset = s.draft.scalar((0, 5, -3))
    consumers = s.choose((1, 1, 2))
    bodies = [_producer(s, queue_type, trips, offset, tile_type)]
    # Consumers of one queue are in one group, and groups are of one size.
    bodies += [_idle(s, queue_type) for _ in range(consumers - 1)]
    for consumer in range(consumers):
        bodies.append(_consumer(s, queue_type, trips, tile_type, consumer, consumers))
    s.add(nv_tileaa.ExecuteOp([queue], bodies, consumers))
    if s.chance(0.5):
        s.add(nv_tileaa.MarkForReuseOp([queue]))


def _producer(
    s: Scope, queue_type: nv_tileaa.QueueType, trips: int, offset: SSAValue, tile_type: Attribute
) -> Region:
    agent = s.child([queue_type])
    loop = agent.child([i32], repeated=True)
    (index,) = loop.block.args
    put = loop.child()
    number = put.add(nv_tileaa.AddIOp(index, offset)).result
    assert isinstance(tile_type, TensorType)
    tile_ = put.spread(number, tile_type.get_shape())
    put.add(nv_tileaa.QueueYieldOp([number, tile_]))
    loop.add(nv_tileaa.QueuePutOp(agent.block.args[0], Region(put.block)))
    loop.add(scf.YieldOp())
    bounds = s.number(0), s.number(trips), s.number(1)
    agent.add(scf.ForOp(*bounds, [], Region(loop.block)))
    agent.add(nv_tileaa.YieldOp())
    return Region(agent.block)


def _idle(s: Scope, queue_type: nv_tileaa.QueueType) -> Region:
    """An agent without work."""
    agent = s.child([queue_type])
    agent.add(nv_tileaa.YieldOp())
    return Region(agent.block)


def _consumer(
    s: Scope,
    queue_type: nv_tileaa.QueueType,
    trips: int,
    tile_type: Attribute,
    number: int,
    of: int,
) -> Region:
    assert isinstance(tile_type, TensorType)
    shape = tile_type.get_shape()
    agent = s.child([queue_type])
    start = agent.filled(0, "i32", shape)
    loop = agent.child([i32, tile_type], repeated=True)
    got = loop.add(nv_tileaa.QueueGetOp(agent.block.args[0], number if of > 1 else None))
    value, tile_ = got.results
    scaled = loop.add(arith.MuliOp(tile_, loop.spread(value, shape))).result
    loop.add(scf.YieldOp(loop.add(nv_tileaa.AddIOp(loop.block.args[1], scaled)).result))
    bounds = s.number(0), s.number(trips), s.number(1)
    total = agent.add(scf.ForOp(*bounds, [start], Region(loop.block))).results[0]
    store_whole(agent, total, "i32", shape)
    agent.add(nv_tileaa.YieldOp())
    return Region(agent.block)


def _has_no_agents(s: Scope) -> bool:
    return not s.draft.has_agents and s.depth == 0 and s.draft.target != "sm_80"


ROWS = (
    Row(2.5, _for, _is_shallow),
    Row(1.5, _while, _is_shallow),
    Row(2, _if, _is_shallow),
    Row(0.7, _carried_pointers),
    Row(0.7, _carried_views),
    Row(2, _agents, _has_no_agents),
)
