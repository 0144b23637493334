"""Queues of `nv_tileaa` between agents."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.interpreter import Interpreter, PythonValues

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.interpreters.errors import where
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.pending import wait_for
from tileir_xdsl.interpreters.registration import RegionTable, StatefulTable


@dataclass(eq=False)
class Queue:
    """The values in put order and, by `consumer_idx`, how many each consumer has got."""

    stages: int
    put: list[PythonValues] = field(default_factory=list[PythonValues])
    got: dict[int | None, int] = field(default_factory=dict[int | None, int])

    def has_room(self) -> bool:
        """Whether the slowest known consumer leaves a stage free."""
        return len(self.put) - min(self.got.values(), default=0) < self.stages

    def has_more(self, consumer: int | None) -> bool:
        """Whether there are values that a consumer has not got yet."""
        return self.got.setdefault(consumer, 0) < len(self.put)

    def get(self, consumer: int | None) -> PythonValues:
        """The next values for a consumer."""
        number = self.got[consumer]
        self.got[consumer] = number + 1
        return self.put[number]


def _create(_execution: Execution, op: dialect.CreateQueueOp) -> PythonValues:
    return (Queue(op.stages.value.data),)


def _put(
    execution: Execution, interpreter: Interpreter, op: dialect.QueuePutOp, queue: Queue
) -> PythonValues:
    values = interpreter.run_ssacfg_region(op.body, (), op.name)
    execution.agents.wait_until(queue.has_room, lambda: f"{where(op)} for room in the queue")
    queue.put.append(wait_for(values))
    return ()


def _get(execution: Execution, op: dialect.QueueGetOp, queue: Queue) -> PythonValues:
    consumer = None if op.consumer_idx is None else op.consumer_idx.value.data
    execution.agents.wait_until(
        lambda: queue.has_more(consumer), lambda: f"{where(op)} for values in the queue"
    )
    return queue.get(consumer)


QUEUES: StatefulTable = {dialect.CreateQueueOp: _create, dialect.QueueGetOp: _get}

PUTS: RegionTable = {dialect.QueuePutOp: _put}
