"""Pipelines: stages that are filled and emptied in phases, in one agent or two.

Only programs without layouts have such pipelines; layout assignment then also assigns the stages'
layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Region, SSAValue

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing.tileas_programs.draft import INDEX, TileType
from tileir_xdsl.testing.tileas_programs.families.control_flow import nested_trip
from tileir_xdsl.testing.tileas_programs.scope import Index, Row, Scope, type_of

_MAX_ITERATIONS = 4

Iteration = Callable[[Scope, Sequence[SSAValue]], list[SSAValue]]
"""Adds one iteration to a loop's body; maps carried values to the next iteration's values."""


@dataclass(frozen=True)
class _Pipeline:
    """The two endpoints of a pipeline, and the types that its stages hold."""

    producer: SSAValue
    consumer: SSAValue
    iterator: SSAValue
    payload: TileType


def _create(s: Scope) -> _Pipeline:
    shape, element, stages = s.draft.shape, s.element(), s.integer(1, 3)
    storage = s.allocate(element, (stages, *shape))
    pipeline = s.add(nv_tileas.CreatePipelineOp([storage], stages, 0, 1))
    payload: TileType = TensorType(element, shape)
    iterator = s.add(nv_tileas.CreateIteratorOp(pipeline.producer, [payload])).result
    return _Pipeline(pipeline.producer, pipeline.consumer, iterator, payload)


def _loop(
    s: Scope, iterations: int, initial: Sequence[SSAValue], iteration: Iteration
) -> Sequence[SSAValue]:
    """Adds a loop of some iterations; returns its results."""
    body = s.child([INDEX, *(value.type for value in initial)])
    index, *arguments = body.block.args
    body.indices.append(Index(index, iterations))
    body.trips, body.trip = s.trips * iterations, nested_trip(s, body, index, iterations)
    body.add(scf.YieldOp(*iteration(body, arguments)))
    bounds = (s.number(0), s.number(iterations), s.number(1))
    return s.add(scf.ForOp(*bounds, list(initial), Region(body.block))).results


def _produce(body: Scope, token: SSAValue, iterator: SSAValue, payload: TileType) -> SSAValue:
    """Fills a stage with a tile; returns the new producer token."""
    region = body.child([payload])
    region.step()
    tile = region.tile(payload)
    region.add(nv_tileas.PipelineYieldOp([tile]))
    return body.add(
        nv_tileas.ProduceOneOp(token, iterator, [payload], Region(region.block))
    ).result_token


def _consume(body: Scope, token: SSAValue, iterator: SSAValue, payload: TileType) -> SSAValue:
    """Computes with a stage's value; returns the new consumer token."""
    region = body.child([payload])
    (argument,) = region.block.args
    region.tiles.append(argument)
    for _ in range(body.integer(1, 2)):
        region.step()
    given = region.tile()
    region.add(nv_tileas.PipelineYieldOp([given]))
    op = body.add(
        nv_tileas.ConsumeOneOp(
            token, iterator, 0, [payload], Region(region.block), [type_of(given)]
        )
    )
    body.tiles.append(op.values[0])
    return op.result_token


def _next(body: Scope, iterator: SSAValue) -> SSAValue:
    return body.add(nv_tileas.IncIterOp(iterator)).result


def _one_agent(s: Scope) -> None:
    """Every iteration fills a stage and empties it; the loop carries the last value read."""
    pipe = _create(s)
    first = s.tile(pipe.payload)

    def iteration(body: Scope, carried: Sequence[SSAValue]) -> list[SSAValue]:
        producer, consumer, iterator, last = carried
        body.tiles.append(last)
        producer = _produce(body, producer, iterator, pipe.payload)
        consumer = _consume(body, consumer, iterator, pipe.payload)
        last = body.tile(pipe.payload)
        return [producer, consumer, _next(body, iterator), last]

    initial = (pipe.producer, pipe.consumer, pipe.iterator, first)
    *_, last = _loop(s, s.integer(1, _MAX_ITERATIONS), initial, iteration)
    s.tiles.append(last)


def _two_agents(s: Scope) -> None:
    """One agent fills the stages, the other empties them."""
    s.draft.has_agents = True
    pipe, iterations = _create(s), s.integer(1, _MAX_ITERATIONS)

    def end(token: SSAValue, step: Callable[..., SSAValue]) -> Block:
        agent = s.child()
        agent.allocated = []

        def iteration(body: Scope, carried: Sequence[SSAValue]) -> list[SSAValue]:
            token, iterator = carried
            return [step(body, token, iterator, pipe.payload), _next(body, iterator)]

        _loop(agent, iterations, (token, pipe.iterator), iteration)
        agent.add(nv_tileas.PipelineYieldOp())
        return agent.block

    s.run_agents([end(pipe.producer, _produce), end(pipe.consumer, _consume)])


def _has_no_layouts(s: Scope) -> bool:
    return not s.draft.assigned and s.depth < 2 and s.trips <= _MAX_ITERATIONS


def _is_outermost(s: Scope) -> bool:
    return _has_no_layouts(s) and s.parent is None and not s.draft.has_agents


ROWS = (Row(2, _one_agent, _has_no_layouts), Row(2, _two_agents, _is_outermost))
