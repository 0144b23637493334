"""Asynchronous work: waiting for it, and changing between its forms.

A value that is being computed is an `!async.value<T>`, work without a value an async token.
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
"""Values of work that may not be complete yet."""


class AwaitOp(OperandListOp, NoScratchOpInterface, ABC):
    """Base of the ops that wait for asynchronous work, and do nothing else."""


@irdl_op_definition
class WaitOp(AwaitOp, MemoryConsistencyOpInterface):
    """Waits until all operands are done; the token orders accesses after it."""

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
    """The value of asynchronous work, once it is done; the order is in the operand itself."""

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
    """The op that waits for asynchronous work, if nothing else uses it."""
    user = work.get_user_of_unique_use()
    return user if isinstance(user, FutureWaitOp) else None


@irdl_op_definition
class ToAsyncOp(OperandListOp, NoScratchOpInterface):
    """An available value, as an asynchronous one."""

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
    """An async token that is done when what the memory token stands for is."""

    name = "nv_tileas.async.token_to_async"

    source = operand_def(MemTokenType)
    result = result_def(AsyncTokenType)

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue):
        super().__init__(operands=[source], result_types=[AsyncTokenType()])


@irdl_op_definition
class CreateNoneOp(OperandListOp, RegistersOpInterface):
    """A value that is never read, where an op or a loop needs one."""

    name = "nv_tileas.create_none"

    result = result_def(VALUES)

    traits = traits_def(Pure())

    def __init__(self, result_type: Attribute):
        super().__init__(result_types=[result_type])
