"""Ops that passes build often: buffers, layout conversions and waits."""

from typing import Protocol, TypeVar

from xdsl.builder import Builder
from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects.nv_tileas.async_tokens import FutureWaitOp
from tileir_xdsl.dialects.nv_tileas.conversions import ConvertLayoutOp
from tileir_xdsl.dialects.nv_tileas.slices import AllocTensorOp

OperationT = TypeVar("OperationT", bound=Operation)


class Inserter(Protocol):
    """A builder, or another object that inserts ops."""

    def insert(self, op: OperationT, /) -> OperationT:
        """Inserts an op after all ops inserted so far."""
        ...


class LocatedBuilder:
    """Inserts ops that all have the location of one op."""

    def __init__(self, point: InsertPoint, location: LocationAttr) -> None:
        self._builder, self._location = Builder(point), location

    def insert(self, op: OperationT, /) -> OperationT:
        """Inserts an op after all ops inserted so far."""
        op.location = self._location
        return self._builder.insert(op)


def _insert(builder: Inserter, op: Operation, location: LocationAttr | None) -> SSAValue:
    if location is not None:
        op.location = location
    return builder.insert(op).results[0]


def convert_layout(
    builder: Inserter, tile: SSAValue, type: Attribute, location: LocationAttr | None = None
) -> SSAValue:
    """A tile in the layout or the memory of another type."""
    return _insert(builder, ConvertLayoutOp(tile, type), location)


def allocate(
    builder: Inserter, type: TensorType[Attribute], location: LocationAttr | None = None
) -> SSAValue:
    """A tile of undefined elements, or a buffer."""
    return _insert(builder, AllocTensorOp(type), location)


def wait_for(builder: Inserter, work: SSAValue, location: LocationAttr | None = None) -> SSAValue:
    """The result of asynchronous work after a wait."""
    return _insert(builder, FutureWaitOp(work), location)
