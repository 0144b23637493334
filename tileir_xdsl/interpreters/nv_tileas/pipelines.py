"""Pipelines of `nv_tileas` between agents: the owner of each stage, and its contents.

An iterator counts iterations: iteration `n` uses stage `n mod numStages`. A producer acquires an
iteration once every consumer has released the stage's previous one, and commits it when the stage
is full. A consumer waits for the commit, and releases the iteration. Until it releases the
iteration, a consumer can use the stage's values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.nv_tileas.copy_groups import COPY_GROUPS
from tileir_xdsl.interpreters.buffers import Buffer, new_buffer, tiles_of
from tileir_xdsl.interpreters.errors import ExecutionError, where
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.functions import run_agents
from tileir_xdsl.interpreters.nv_tileas.async_work import Work, finish_filling, finished
from tileir_xdsl.interpreters.nv_tileas.consumers import consumer, consumers_of
from tileir_xdsl.interpreters.pending import Pending, wait_for
from tileir_xdsl.interpreters.registration import RegionTable, StatefulTable
from tileir_xdsl.interpreters.stages import Pipeline, Stage


@dataclass(frozen=True)
class ProducerToken:
    """A producer token: the pipeline, and the iteration that its holder has acquired."""

    pipeline: Pipeline | None
    iteration: int | None = None


@dataclass(frozen=True)
class ConsumerToken:
    """A consumer token: the pipeline, the consumer, and the iteration that it may read."""

    pipeline: Pipeline | None
    consumer: int = 0
    iteration: int | None = None


@dataclass(frozen=True)
class Iterator:
    """An iteration of a pipeline."""

    pipeline: Pipeline
    iteration: int = 0


@dataclass(eq=False)
class StageValue(Pending):
    """The content of a stage, which a consumer may read until it releases the stage."""

    stage: Stage
    consumer: int
    iteration: int
    buffer: Buffer

    def wait(self) -> Array:
        if self.stage.released.get(self.consumer, -1) >= self.iteration:
            raise ExecutionError(
                f"uses a value of iteration {self.iteration} after releasing its stage"
            )
        return self.buffer.array.copy()


def _pipeline(token: ProducerToken | ConsumerToken) -> Pipeline:
    if token.pipeline is None:
        raise ExecutionError("takes a token that belongs to no pipeline")
    return token.pipeline


def _iteration(token: ProducerToken | ConsumerToken, iterator: Iterator) -> int:
    if iterator.pipeline is not token.pipeline:
        raise ExecutionError("takes a token and an iterator of different pipelines")
    return iterator.iteration


def _owned(token: ProducerToken | ConsumerToken, what: str) -> int:
    if token.iteration is None:
        raise ExecutionError(f"{what} a stage without owning one")
    return token.iteration


def _create_pipeline(
    execution: Execution, op: dialect.CreatePipelineOp, *views: object
) -> PythonValues:
    stages = [Stage() for _ in range(op.num_stages.value.data)]
    if op not in execution.consumers:
        execution.consumers[op] = consumers_of(op)
    has_barriers = COPY_GROUPS not in op.attributes
    pipeline = Pipeline(stages, execution.consumers[op], views, has_barriers)
    return ProducerToken(pipeline), ConsumerToken(pipeline)


def _create_iterator(
    _execution: Execution, _op: dialect.CreateIteratorOp, token: ProducerToken | ConsumerToken
) -> PythonValues:
    return (Iterator(_pipeline(token)),)


def _advance(_execution: Execution, _op: dialect.IncIterOp, iterator: Iterator) -> PythonValues:
    return (replace(iterator, iteration=iterator.iteration + 1),)


def _null_token(_execution: Execution, op: dialect.CreateNullTokenOp) -> PythonValues:
    produces = isinstance(op.result.type, dialect.PipelineProducerTokenType)
    return (ProducerToken(None) if produces else ConsumerToken(None),)


# The producers' side


def _storage(
    execution: Execution, pipeline: Pipeline, stage: Stage, iterator_type: object
) -> tuple[Buffer, ...]:
    """The buffers of a stage, which the first producer allocates."""
    if stage.storage is None:
        assert isinstance(iterator_type, dialect.PipelineIteratorType)
        stage.storage = tuple(new_buffer(type_) for type_ in iterator_type.payload)
        for listener in execution.listeners:
            listener.made_stage(pipeline, stage)
    return stage.storage


def _acquire(
    execution: Execution, op: Operation, token: ProducerToken, iterator: Iterator
) -> ProducerToken:
    pipeline, iteration = _pipeline(token), _iteration(token, iterator)
    if token.iteration is not None:
        raise ExecutionError(
            f"acquires a stage before committing the stage of iteration {token.iteration}"
        )
    stage = pipeline.stage(iteration)
    if stage.committed is not None and stage.committed >= iteration:
        raise ExecutionError(f"acquires iteration {iteration}, which is committed already")
    execution.agents.wait_until(
        lambda: pipeline.is_empty(iteration),
        lambda: (
            f"{where(op)} to fill iteration {iteration} of a pipeline with {pipeline.describe()}"
        ),
    )
    stage.acquired = iteration
    for listener in execution.listeners:
        listener.acquired(pipeline, stage)
    return replace(token, iteration=iteration)


def _commit(execution: Execution, token: ProducerToken) -> ProducerToken:
    iteration, pipeline = _owned(token, "commits"), _pipeline(token)
    stage = pipeline.stage(iteration)
    if stage.acquired != iteration:
        raise ExecutionError(f"commits iteration {iteration} twice")
    for listener in execution.listeners:
        listener.committed(pipeline, stage)
    stage.acquired, stage.committed = None, iteration
    return replace(token, iteration=None)


def _write(token: ProducerToken, buffers: Sequence[Buffer], values: Sequence[Any]) -> None:
    _owned(token, "writes")
    for buffer, value in zip(buffers, tiles_of(values), strict=True):
        buffer.fill(value)


def _producer_acquire(
    execution: Execution, op: dialect.ProducerAcquireOp, token: ProducerToken, iterator: Iterator
) -> PythonValues:
    token = _acquire(execution, op, token, iterator)
    assert token.pipeline is not None
    stage = token.pipeline.stage(iterator.iteration)
    _storage(execution, token.pipeline, stage, op.iterator.type)
    return (token,)


def _producer_write(
    _execution: Execution, _op: dialect.ProducerWriteOp, token: ProducerToken, *values: object
) -> PythonValues:
    storage = _pipeline(token).stage(_owned(token, "writes")).storage
    assert storage is not None
    # Accumulators come from MMAs in flight, which publish them.
    _write(token, storage, [finished(value) for value in values])
    return (token,)


def _producer_commit(
    execution: Execution, _op: dialect.ProducerCommitOp, token: ProducerToken
) -> PythonValues:
    return (_commit(execution, token),)


def _produce(
    execution: Execution,
    interpreter: Interpreter,
    op: dialect.ProduceOneOp | dialect.ProduceOneAsyncOp,
    token: ProducerToken,
    iterator: Iterator,
) -> PythonValues:
    token = _acquire(execution, op, token, iterator)
    pipeline = _pipeline(token)
    storage = _storage(execution, pipeline, pipeline.stage(iterator.iteration), op.iterator.type)
    given = _arguments(op, iterator, storage)
    values = interpreter.run_ssacfg_region(op.body, given, op.name)
    if not op.values:
        # Buffers filled in place are yielded as they are.
        changed = [(b, v) for b, v in zip(storage, values, strict=True) if b is not v]
        buffers = [b for b, _ in changed]
        _write(token, buffers, [v for _, v in changed])
        for listener in execution.listeners if changed else ():
            listener.accessed_stage(op, buffers, writes=True)
    asynchronous = isinstance(op, dialect.ProduceOneAsyncOp)
    completion = (Work(lambda: finish_filling(execution, storage)),) if asynchronous else ()
    if not asynchronous:
        finish_filling(execution, storage)
    return (_commit(execution, token), *completion, *(values if op.values else ()))


def _arguments(
    op: dialect.ProduceOneOp
    | dialect.ProduceOneAsyncOp
    | dialect.ConsumeOneOp
    | dialect.ConsumeOneAsyncOp,
    iterator: Iterator,
    payload: tuple[Any, ...],
) -> tuple[Any, ...]:
    """The arguments of a region: the contents of a stage, or an iterator instead of these."""
    types = op.body.block.arg_types
    if len(types) == 1 and isinstance(types[0], dialect.PipelineIteratorType):
        return (iterator,)
    return payload


# The consumers' side


def _await(
    execution: Execution,
    op: Operation,
    token: ConsumerToken,
    iterator: Iterator,
    consumer: int,
) -> ConsumerToken:
    pipeline, iteration = _pipeline(token), _iteration(token, iterator)
    if token.iteration is not None:
        raise ExecutionError(
            f"waits for a stage before releasing the stage of iteration {token.iteration}"
        )
    stage = pipeline.stage(iteration)
    if stage.released.get(consumer, -1) >= iteration:
        raise ExecutionError(
            f"waits for iteration {iteration}, which consumer {consumer} has released"
        )
    execution.agents.wait_until(
        lambda: stage.committed is not None and stage.committed >= iteration,
        lambda: f"{where(op)} for iteration {iteration} of a pipeline with {pipeline.describe()}",
    )
    assert stage.storage is not None
    finish_filling(execution, stage.storage)
    for listener in execution.listeners:
        listener.awaited(pipeline, stage)
    return ConsumerToken(pipeline, consumer, iteration)


def _stage_values(token: ConsumerToken) -> tuple[StageValue, ...]:
    iteration = _owned(token, "reads")
    stage = _pipeline(token).stage(iteration)
    assert stage.storage is not None
    return tuple(StageValue(stage, token.consumer, iteration, buffer) for buffer in stage.storage)


def _release(execution: Execution, token: ConsumerToken) -> ConsumerToken:
    iteration, pipeline = _owned(token, "releases"), _pipeline(token)
    stage = pipeline.stage(iteration)
    if stage.released.get(token.consumer, -1) >= iteration:
        raise ExecutionError(f"releases the stage of iteration {iteration} twice")
    for listener in execution.listeners:
        listener.released(pipeline, stage)
    stage.released[token.consumer] = iteration
    return replace(token, iteration=None)


def _consumer_wait(
    execution: Execution, op: dialect.ConsumerWaitOp, token: ConsumerToken, iterator: Iterator
) -> PythonValues:
    return (_await(execution, op, token, iterator, consumer(op)),)


def _load_scalars(
    execution: Execution, op: Operation, names: Sequence[SSAValue], values: Sequence[StageValue]
) -> None:
    """Reports the loads of scalars, which happen when the stage is available, not at their uses."""
    loaded = [
        value.buffer
        for name, value in zip(names, values, strict=True)
        if not isinstance(name.type, TensorType) and name.uses
    ]
    for listener in execution.listeners if loaded else ():
        listener.accessed_stage(op, loaded, writes=False)


def _consumer_read(
    execution: Execution, op: dialect.ConsumerReadOp, token: ConsumerToken
) -> PythonValues:
    values = _stage_values(token)
    _load_scalars(execution, op, op.values, values)
    return (token, *values)


def _consumer_release(
    execution: Execution, _op: dialect.ConsumerReleaseOp, token: ConsumerToken
) -> PythonValues:
    """Releases a stage, unless the token has no pipeline."""
    return (token if token.pipeline is None else _release(execution, token),)


def _consume(
    execution: Execution,
    interpreter: Interpreter,
    op: dialect.ConsumeOneOp | dialect.ConsumeOneAsyncOp,
    token: ConsumerToken,
    iterator: Iterator,
) -> PythonValues:
    """Waits for a stage, runs the body, and releases the stage unless the body has done so."""
    owning = _await(execution, op, token, iterator, consumer(op))
    held = _stage_values(owning)
    given = _arguments(op, iterator, held)
    if given is held:
        _load_scalars(execution, op, op.body.block.args, held)
    values = interpreter.run_ssacfg_region(op.body, given, op.name)
    results = wait_for(values) if op.values else ()
    stage = _pipeline(owning).stage(iterator.iteration)
    if stage.released.get(owning.consumer, -1) < iterator.iteration:
        _release(execution, owning)
    asynchronous = isinstance(op, dialect.ConsumeOneAsyncOp)
    return (replace(owning, iteration=None), *((Work.done(),) if asynchronous else ()), *results)


def _switch(
    execution: Execution, interpreter: Interpreter, op: dialect.AgentSwitchOp, *inputs: object
) -> PythonValues:
    run_agents(execution, interpreter, op.bodies, inputs, op.name)
    return ()


HANDSHAKES: StatefulTable = {
    dialect.ConsumerReadOp: _consumer_read,
    dialect.ConsumerReleaseOp: _consumer_release,
    dialect.ConsumerWaitOp: _consumer_wait,
    dialect.CreateIteratorOp: _create_iterator,
    dialect.CreateNullTokenOp: _null_token,
    dialect.CreatePipelineOp: _create_pipeline,
    dialect.IncIterOp: _advance,
    dialect.ProducerAcquireOp: _producer_acquire,
    dialect.ProducerCommitOp: _producer_commit,
    dialect.ProducerWriteOp: _producer_write,
}
"""The single steps."""

WHOLE_HANDSHAKES: RegionTable = {
    dialect.AgentSwitchOp: _switch,
    dialect.ConsumeOneAsyncOp: _consume,
    dialect.ConsumeOneOp: _consume,
    dialect.ProduceOneAsyncOp: _produce,
    dialect.ProduceOneOp: _produce,
}
"""The implementations of ops with regions."""
