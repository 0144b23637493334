"""Asynchronous work of `nv_tileas`: each wait completes it.

The memory accesses of an asynchronous op go through the launch's memory order. A late order thus
delays the accesses as long as the program allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, TensorType
from xdsl.interpreter import PythonValues
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa import MemTokenType
from tileir_xdsl.interpreters.accesses import TOKEN, Ordering, Token, join_tokens
from tileir_xdsl.interpreters.buffers import Buffer, new_buffer
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.pending import wait_for
from tileir_xdsl.interpreters.registration import StatefulTable


@dataclass(eq=False)
class Work:
    """A computation in flight; `finish` completes it and returns its value."""

    finish: Callable[[], Any]
    after: Token = TOKEN
    """The accesses that belong to the work."""

    @staticmethod
    def done(value: object = None) -> Work:
        """Work that is complete."""
        return Work(lambda: value)


def finished(value: object) -> object:
    """Waits for a value in flight, such as an accumulator, and returns it."""
    return wait_for((value.finish(),))[0] if isinstance(value, Work) else value


def start(
    execution: Execution,
    op: Operation,
    action: Callable[[], Any],
    destination: Buffer | None = None,
    token: Token | None = None,
    ordering: Ordering = Ordering(),  # noqa: B008  (frozen)
) -> Work:
    """Performs `action` after the accesses of `token`, now or later; puts its tile in a buffer."""
    if destination is None:
        value, after = execution.perform(op, token, action, ordering)
        return Work(lambda: wait_for((value,))[0], after)

    def fill() -> Buffer:
        destination.fill(action())
        return destination

    value, after = execution.perform(op, token, fill, ordering)
    execution.filling.setdefault(id(destination.storage), []).append(after)
    return Work(lambda: wait_for((value,))[0], after)


def finish_filling(execution: Execution, buffers: Sequence[Buffer]) -> None:
    """Completes all work that fills buffers, or parts of them."""
    for buffer in buffers:
        for token in execution.filling.pop(id(buffer.storage), ()):
            execution.order.complete(token)


def _wait(execution: Execution, op: dialect.WaitOp, *sources: Work) -> PythonValues:
    for source in sources:
        source.finish()
    if op.results:
        return (join_tokens([source.after for source in sources]),)
    # Without a token a store may only have read its buffer; what a token names is done.
    names = [each.owner for each in op.operands]
    tokens = [
        source.after
        for source, name in zip(sources, names, strict=True)
        if isinstance(name, dialect.TokenToAsyncOp)
    ]
    execution.order.follow(op, execution.block, join_tokens(tokens))
    return ()


def _future_wait(_execution: Execution, _op: dialect.FutureWaitOp, source: Work) -> PythonValues:
    return wait_for((source.finish(),))


def _to_async(_execution: Execution, _op: dialect.ToAsyncOp, value: object) -> PythonValues:
    return (Work.done(value),)


def _keeps_order(_execution: Execution, _op: Operation) -> PythonValues:
    """Does nothing: pipelines track what has been copied."""
    return ()


def _token_to_async(
    execution: Execution, _op: dialect.TokenToAsyncOp, token: Token
) -> PythonValues:
    return (Work(lambda: execution.order.complete(token), token),)


def _none(_execution: Execution, op: dialect.CreateNoneOp) -> PythonValues:
    """A placeholder value of the result's type."""
    return (_nothing(op.result.type),)


def _nothing(type_: Attribute) -> object:
    match type_:
        case MemTokenType():
            return TOKEN
        case dialect.AsyncTokenType():
            return Work.done()
        case ValueType():
            return Work.done(_nothing(type_.payload))
        case _ if isinstance(type_, TensorType | IntegerType | IndexType | AnyFloat):
            return new_buffer(type_)
        case _:
            return None


ASYNC_TOKENS: StatefulTable = {
    dialect.CommitCopiesOp: _keeps_order,
    dialect.CreateNoneOp: _none,
    dialect.FutureWaitOp: _future_wait,
    dialect.ToAsyncOp: _to_async,
    dialect.TokenToAsyncOp: _token_to_async,
    dialect.WaitCopiesOp: _keeps_order,
    dialect.WaitOp: _wait,
}
