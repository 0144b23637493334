"""Every op of the tile dialects says what it does to the memory that threads share."""

from collections.abc import Iterable

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import TensorType, f16
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.traits import Pure

from tests.unit.dialects.nv_tileaa import samples as nv_tileaa_samples
from tests.unit.dialects.nv_tileas import samples as nv_tileas_samples
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.memory_effects import (
    Answer,
    Buffer,
    Effects,
    GlobalMemoryOpInterface,
    Proxy,
    RegistersOpInterface,
    SharedMemoryOpInterface,
)
from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.dialects.nv_tileas import NVTileAS
from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr, Residency
from tileir_xdsl.dialects.nv_tileas.control import ANSWER
from tileir_xdsl.dialects.nv_tileas.synchronization import Participants
from tileir_xdsl.testing.tools import parse

REGISTERS = TensorType(f16, [64, 64])
SHARED = TensorType(f16, [64, 64], MemoryAttr(Residency.SHARED))


def unanswered(ops: Iterable[type[Operation]], interface: type[Operation]) -> list[str]:
    """What is missing: for each op the interface, or the parts of it that it does not answer."""
    missing = [f"{op.name}: {interface.__name__}" for op in ops if not issubclass(op, interface)]
    return missing + [f"{op.name}: {part}" for op in ops for part in sorted(op.__abstractmethods__)]


def value(type: Attribute) -> SSAValue:
    return test.TestOp(result_types=[type]).results[0]


@pytest.mark.parametrize("dialect", [NVTileAA, NVTileAS], ids=lambda dialect: dialect.name)
def test_every_op_answers(dialect: Dialect):
    assert unanswered(dialect.operations, SharedMemoryOpInterface) == []


def test_an_op_without_an_answer_is_named():
    @irdl_op_definition
    class SilentOp(IRDLOperation):
        name = "nv_tileas.silent"

    @irdl_op_definition
    class HalfOp(IRDLOperation, SharedMemoryOpInterface):
        name = "nv_tileas.half"

    assert unanswered([SilentOp, HalfOp], SharedMemoryOpInterface) == [
        "nv_tileas.silent: SharedMemoryOpInterface",
        "nv_tileas.half: effects",
        "nv_tileas.half: scratch",
    ]


def accesses_in_order() -> dict[str, type[Operation]]:
    """The ops that take or make memory tokens, and do more than to join or to wait for them."""
    found: dict[str, type[Operation]] = {}
    for path in (*nv_tileaa_samples.VALID.values(), *nv_tileas_samples.VALID.values()):
        for op in parse(nv_tileaa_samples.text(path)).walk():
            values = (*op.operands, *op.results)
            has_tokens = any(isinstance(value.type, MemTokenType) for value in values)
            awaits = isinstance(op, SharedMemoryOpInterface) and op.effects.awaits
            joins = op.has_trait(Pure) or isinstance(op, test.TestOp)
            if has_tokens and not joins and not awaits:
                found[op.name] = type(op)
    return found


def test_every_access_in_the_order_of_tokens_answers():
    ops = accesses_in_order()
    assert len(ops) > 20
    assert unanswered(ops.values(), GlobalMemoryOpInterface) == []


def test_most_ops_touch_registers_at_most():
    answering = [op for op in NVTileAA.operations if not issubclass(op, RegistersOpInterface)]
    assert answering == []


@pytest.mark.parametrize(
    ("source", "result", "expected"),
    [
        (REGISTERS, REGISTERS, []),
        (SHARED, REGISTERS, ["read"]),
        (REGISTERS, SHARED, ["write"]),
        (SHARED, SHARED, ["read", "write"]),
    ],
)
def test_conversions(source: Attribute, result: Attribute, expected: list[str]):
    op = nv_tileas.ConvertLayoutOp(value(source), result)
    effects = op.effects.buffers
    assert ["write" if effect.writes else "read" for effect in effects] == expected
    assert all(effect.buffer is (op.result if effect.writes else op.source) for effect in effects)
    assert all(effect.tile is op.source for effect in effects if effect.writes)
    assert all(effect.proxy is Proxy.GENERIC for effect in effects)
    created = op.effects.creates
    assert created == (Buffer(op.result) if result is SHARED else None)


def test_a_request_without_a_buffer_touches_none():
    assert nv_tileas.AsyncCancelNextProgramIdOp().effects == Effects(creates=Answer())
    answer = value(ANSWER)
    effects = nv_tileas.AsyncCancelNextProgramIdOp(answer).effects
    (write,) = effects.buffers
    assert write.buffer is answer and write.writes and write.is_asynchronous
    assert write.proxy is Proxy.ASYNC and effects.has_barrier


@pytest.mark.parametrize("participants", Participants)
def test_barriers(participants: Participants):
    is_of_all = participants is not Participants.WARP
    assert nv_tileas.BarrierOp(participants).effects.meets == is_of_all
