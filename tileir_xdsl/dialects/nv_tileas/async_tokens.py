"""Waits for asynchronous work, and conversions of async values and tokens.

`!async.value<T>` is the type of work with a result value, an async token that of work without one.
Source: the TileAS operation roster, family "async tokens".
"""

from abc import ABC
from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    BaseAttr,
    operand_def,
    opt_result_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    ColumnEffect,
    Effects,
    NoScratchOpInterface,
    RegistersOpInterface,
)
from tileir_xdsl.dialects.nv_tileaa.constraints import VALUES
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType

from .interfaces import MemoryConsistencyOpInterface
from .operand_list_syntax import OperandListOp
from .types import AsyncTokenType

ASYNC = BaseAttr(ValueType) | BaseAttr(AsyncTokenType)
"""The types of asynchronous work."""


class AwaitOp(OperandListOp, NoScratchOpInterface, ABC):
    """Base of the ops that wait for asynchronous work, and do nothing else."""


@irdl_op_definition
class WaitOp(AwaitOp, MemoryConsistencyOpInterface):
    """Waits until all operands are complete; the result token orders later accesses after this
    op.
    """

    name = "nv_tileas.async.wait"

    sources = var_operand_def(ASYNC)
    result_token = opt_result_def(MemTokenType)

    def __init__(self, values: Sequence[SSAValue], *, with_token: bool = False):
        super().__init__(operands=[values], result_types=[MemTokenType() if with_token else None])

    def verify_(self) -> None:
        if not self.sources:
            raise VerifyException("expects at least one operand")

    @property
    def effects(self) -> Effects:
        return Effects(awaits=self.sources)


@irdl_op_definition
class FutureWaitOp(AwaitOp):
    """Waits for asynchronous work and returns its value; only the operand orders the wait."""

    name = "nv_tileas.async.future_wait"

    source = operand_def(ValueType)
    result = result_def(VALUES)

    traits = traits_def(MemoryReadEffect())

    def __init__(self, source: SSAValue):
        assert isinstance(source.type, ValueType)
        super().__init__(operands=[source], result_types=[source.type.payload])

    def verify_(self) -> None:
        _verify_payload(self.source.type, self.result.type)

    @property
    def effects(self) -> Effects:
        loads = ColumnEffect(self.source, self.result, writes=False)
        return Effects(columns=loads, awaits=(self.source,))


def only_wait(work: SSAValue) -> FutureWaitOp | None:
    """The op that waits for asynchronous work, if the work has no other use."""
    user = work.get_user_of_unique_use()
    return user if isinstance(user, FutureWaitOp) else None


@irdl_op_definition
class ToAsyncOp(OperandListOp, NoScratchOpInterface):
    """Converts an available value to an async value."""

    name = "nv_tileas.async.to_async"

    source = operand_def(VALUES)
    result = result_def(ValueType)

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue):
        super().__init__(operands=[source], result_types=[ValueType(source.type)])

    def verify_(self) -> None:
        _verify_payload(self.result.type, self.source.type)

    @property
    def effects(self) -> Effects:
        return Effects(columns=ColumnEffect(self.result, self.source, writes=True))


def _verify_payload(asynchronous: Attribute, payload: Attribute) -> None:
    assert isinstance(asynchronous, ValueType)
    if asynchronous.payload != payload:
        raise VerifyException(f"expects a payload of type {asynchronous.payload}, got {payload}")


@irdl_op_definition
class TokenToAsyncOp(OperandListOp, RegistersOpInterface):
    """An async token that completes with the accesses that the memory token represents."""

    name = "nv_tileas.async.token_to_async"

    source = operand_def(MemTokenType)
    result = result_def(AsyncTokenType)

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue):
        super().__init__(operands=[source], result_types=[AsyncTokenType()])


@irdl_op_definition
class CreateNoneOp(OperandListOp, RegistersOpInterface):
    """A placeholder value that is never read, for an op or a loop that needs an operand."""

    name = "nv_tileas.create_none"

    result = result_def(VALUES)

    traits = traits_def(Pure())

    def __init__(self, result_type: Attribute):
        super().__init__(result_types=[result_type])
