"""Pipelines whose stages hold tuples: every form of the handshake, in one agent or two.

A stage holds a tile, and sometimes scalars or a second tile. Both endpoints draw a form: a region,
an asynchronous region with a wait for its completion, or single steps. In programs with layouts,
the tiles of stages have layouts too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa import SplatOp
from tileir_xdsl.testing.tileas_programs.draft import INDEX
from tileir_xdsl.testing.tileas_programs.families.buffers import copy_into, read
from tileir_xdsl.testing.tileas_programs.families.control_flow import nested_trip
from tileir_xdsl.testing.tileas_programs.families.registers import combined
from tileir_xdsl.testing.tileas_programs.scope import Index, Row, Scope

_MAX_ITERATIONS = 4


@dataclass(frozen=True)
class _Pipeline:
    """The endpoints of a pipeline, their iterators, and the types that a stage holds."""

    producer: SSAValue
    consumer: SSAValue
    iterators: tuple[SSAValue, SSAValue]
    payload: tuple[Attribute, ...]


def _create(s: Scope, stages: int) -> _Pipeline:
    elements: list[Attribute] = [s.element()]
    if s.chance(0.3):
        elements.append(s.element())
    shape = s.draft.shape
    # Where a stage has a layout, that of each tile is known from the start.
    payload: list[Attribute] = [
        TensorType(element, shape, s.draft.memory(shape))
        if s.draft.assigned
        else TensorType(element, shape)
        for element in elements
    ]
    for _ in range(s.choose((0, 0, 1, 2))):
        payload.insert(s.integer(0, len(payload)), i32)
    storage = [
        s.allocate(element, extents)
        for element, extents in (
            (type_.element_type, (stages, *shape))
            if isinstance(type_, TensorType)
            else (i32, (stages,))
            for type_ in payload
        )
    ]
    pipeline = s.add(nv_tileas.CreatePipelineOp(storage, stages, 0, 1))
    first = s.add(nv_tileas.CreateIteratorOp(pipeline.producer, payload)).result
    second = s.add(nv_tileas.CreateIteratorOp(pipeline.consumer, payload)).result
    return _Pipeline(pipeline.producer, pipeline.consumer, (first, second), tuple(payload))


# Payloads


def _computed(s: Scope, type_: Attribute) -> SSAValue:
    """A value to store in a stage: a number, or a tile in registers."""
    if isinstance(type_, TensorType):
        return s.tile(s.draft.tile(type_.element_type, type_.get_shape()))
    indices = s.visible_indices()
    if indices and s.chance(0.7):
        return s.add(arith.IndexCastOp(s.choose(indices).value, i32)).result
    return s.draft.scalar((-5, 3, 2**31 - 1))


def _received(s: Scope, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Tiles in registers, computed from a stage's values, that remain usable after its release."""
    tiles: list[SSAValue] = []
    for value in values:
        if not isinstance(value.type, TensorType):
            tiles.append(s.add(SplatOp(value, s.draft.tile(i32, s.draft.shape))).result)
        elif s.draft.assigned:
            tiles.append(read(s, value))
        else:
            tiles.append(combined(s, value, value))
    return tiles


# The producers' end

Produce = Callable[[Scope, SSAValue, SSAValue, Sequence[Attribute]], SSAValue]
"""Fills the iterator's stage; returns the new producer token."""


def _filling_region(s: Scope, payload: Sequence[Attribute]) -> Region:
    region = s.child(payload)
    region.step()
    values: list[SSAValue] = []
    for stage, type_ in zip(region.block.args, payload, strict=True):
        value = _computed(region, type_)
        if isinstance(type_, TensorType) and s.draft.assigned:
            copy_into(region, value, stage)
            value = stage
        values.append(value)
    region.add(nv_tileas.PipelineYieldOp(values))
    return Region(region.block)


def _by_a_region(
    s: Scope, token: SSAValue, iterator: SSAValue, payload: Sequence[Attribute]
) -> SSAValue:
    body = _filling_region(s, payload)
    return s.add(nv_tileas.ProduceOneOp(token, iterator, payload, body)).result_token


def _in_flight(
    s: Scope, token: SSAValue, iterator: SSAValue, payload: Sequence[Attribute]
) -> SSAValue:
    body = _filling_region(s, payload)
    op = s.add(nv_tileas.ProduceOneAsyncOp(token, iterator, payload, body))
    if s.chance(0.5):
        s.add(nv_tileas.WaitOp([op.completion]))
    return op.result_token


def _in_steps(
    s: Scope, token: SSAValue, iterator: SSAValue, payload: Sequence[Attribute]
) -> SSAValue:
    values = [_computed(s, type_) for type_ in payload]
    acquired = s.add(nv_tileas.ProducerAcquireOp(token, iterator)).result
    if s.chance(0.3):
        s.step()
    written = s.add(nv_tileas.ProducerWriteOp(acquired, values)).result
    return s.add(nv_tileas.ProducerCommitOp(written)).result


_PRODUCE: tuple[Produce, ...] = (_by_a_region, _in_flight, _in_steps)


# The consumers' end

Consume = Callable[[Scope, SSAValue, SSAValue, Sequence[Attribute], SSAValue], SSAValue]
"""Empties the iterator's stage; returns the read token that the next iteration carries."""


def _emptying_region(s: Scope, payload: Sequence[Attribute]) -> tuple[Region, list[Attribute]]:
    region = s.child(payload)
    region.tiles += _received(region, region.block.args)
    region.step()
    given = [region.tile() for _ in range(s.integer(1, 2))]
    region.add(nv_tileas.PipelineYieldOp(given))
    return Region(region.block), [value.type for value in given]


def _from_a_region(
    s: Scope, token: SSAValue, iterator: SSAValue, payload: Sequence[Attribute], held: SSAValue
) -> SSAValue:
    body, types = _emptying_region(s, payload)
    s.tiles += s.add(nv_tileas.ConsumeOneOp(token, iterator, 0, payload, body, types)).values
    return held


def _from_flight(
    s: Scope, token: SSAValue, iterator: SSAValue, payload: Sequence[Attribute], held: SSAValue
) -> SSAValue:
    body, types = _emptying_region(s, payload)
    op = s.add(nv_tileas.ConsumeOneAsyncOp(token, iterator, 0, payload, body, types))
    s.add(nv_tileas.WaitOp([op.completion]))
    s.tiles += op.values
    return held


def _read_stage(
    s: Scope, token: SSAValue, iterator: SSAValue, payload: Sequence[Attribute]
) -> SSAValue:
    waited = s.add(nv_tileas.ConsumerWaitOp(token, iterator, 0)).result
    op = s.add(nv_tileas.ConsumerReadOp(waited, 0, payload))
    s.tiles += _received(s, op.values)
    if s.chance(0.3):
        s.step()
    return op.result


def _from_steps(
    s: Scope, token: SSAValue, iterator: SSAValue, payload: Sequence[Attribute], held: SSAValue
) -> SSAValue:
    s.add(nv_tileas.ConsumerReleaseOp(_read_stage(s, token, iterator, payload)))
    return held


def _released_late(
    s: Scope, token: SSAValue, iterator: SSAValue, payload: Sequence[Attribute], held: SSAValue
) -> SSAValue:
    """Each iteration releases the previous iteration's stage; the first one releases a null
    token.
    """
    read = _read_stage(s, token, iterator, payload)
    s.add(nv_tileas.ConsumerReleaseOp(held))
    return read


_CONSUME: tuple[Consume, ...] = (_from_a_region, _from_flight, _from_steps, _released_late)


@dataclass(frozen=True)
class _Forms:
    """The forms of both endpoints of a pipeline, and the number of its stages."""

    produce: Produce
    consume: Consume
    stages: int

    @staticmethod
    def draw(s: Scope) -> _Forms:
        consume = s.choose(_CONSUME)
        # While one stage is still held, the next one is filled.
        return _Forms(
            s.choose(_PRODUCE), consume, s.integer(2 if consume is _released_late else 1, 3)
        )


Iteration = Callable[[Scope, Sequence[SSAValue]], list[SSAValue]]
"""Fills the body of a loop; maps carried values to the next iteration's values."""


def _loop(
    s: Scope, trips: int, initial: Sequence[SSAValue], iteration: Iteration
) -> Sequence[SSAValue]:
    body = s.child([INDEX, *(value.type for value in initial)])
    index, *arguments = body.block.args
    body.indices.append(Index(index, trips))
    body.trips, body.trip = s.trips * trips, nested_trip(s, body, index, trips)
    body.add(scf.YieldOp(*iteration(body, arguments)))
    bounds = (s.number(0), s.number(trips), s.number(1))
    return s.add(scf.ForOp(*bounds, list(initial), Region(body.block))).results


def _next(s: Scope, iterator: SSAValue) -> SSAValue:
    return s.add(nv_tileas.IncIterOp(iterator)).result


def _no_stage(s: Scope) -> SSAValue:
    return s.add(nv_tileas.CreateNullTokenOp(nv_tileas.PipelineConsumerTokenType())).result


def _one_agent(s: Scope) -> None:
    """Every iteration fills a stage and empties it."""
    forms = _Forms.draw(s)
    pipe = _create(s, forms.stages)

    def iteration(body: Scope, carried: Sequence[SSAValue]) -> list[SSAValue]:
        producer, ahead, behind, held = carried
        producer = forms.produce(body, producer, ahead, pipe.payload)
        held = forms.consume(body, pipe.consumer, behind, pipe.payload, held)
        return [producer, _next(body, ahead), _next(body, behind), held]

    initial = (pipe.producer, *pipe.iterators, _no_stage(s))
    *_, held = _loop(s, s.integer(1, _MAX_ITERATIONS), initial, iteration)
    s.add(nv_tileas.ConsumerReleaseOp(held))


def _two_agents(s: Scope) -> None:
    """One agent fills the stages, the other empties them."""
    s.draft.has_agents = True
    forms, trips = _Forms.draw(s), s.integer(1, _MAX_ITERATIONS)
    pipe = _create(s, forms.stages)

    def producer(agent: Scope) -> None:
        def iteration(body: Scope, carried: Sequence[SSAValue]) -> list[SSAValue]:
            token, iterator = carried
            token = forms.produce(body, token, iterator, pipe.payload)
            return [token, _next(body, iterator)]

        _loop(agent, trips, (pipe.producer, pipe.iterators[0]), iteration)

    def consumer(agent: Scope) -> None:
        def iteration(body: Scope, carried: Sequence[SSAValue]) -> list[SSAValue]:
            iterator, held = carried
            held = forms.consume(body, pipe.consumer, iterator, pipe.payload, held)
            return [_next(body, iterator), held]

        *_, held = _loop(agent, trips, (pipe.iterators[1], _no_stage(agent)), iteration)
        agent.add(nv_tileas.ConsumerReleaseOp(held))

    s.run_agents([_agent(s, end) for end in (producer, consumer)])


def _agent(s: Scope, end: Callable[[Scope], None]) -> Block:
    agent = s.child()
    agent.allocated = []
    end(agent)
    agent.add(nv_tileas.PipelineYieldOp())
    return agent.block


def _is_for_machine(s: Scope) -> bool:
    return s.draft.for_machine and s.depth < 2 and s.trips <= _MAX_ITERATIONS


def _is_outermost(s: Scope) -> bool:
    return _is_for_machine(s) and s.parent is None and not s.draft.has_agents


ROWS = (Row(2, _one_agent, _is_for_machine), Row(2, _two_agents, _is_outermost))
