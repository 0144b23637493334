"""Mutexes of `nv_tileas`: which participant has its turn, and whether it holds the mutex."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.interpreters.errors import ExecutionError, where
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.registration import StatefulTable


@dataclass(eq=False)
class Mutex:
    """The number of turns that have ended, and whether the mutex is held."""

    participants: int
    passed: int = 0
    is_held: bool = False

    def is_phase_of(self, participant: int) -> bool:
        return self.passed % self.participants == participant


def _participant(op: dialect.AcquireMutexOp | dialect.ReleaseMutexOp) -> int:
    """The participant of an op; the first one if the op is for all of an agent."""
    return 0 if op.participant is None else op.participant.value.data


def _create(_execution: Execution, op: dialect.CreateMutexOp) -> PythonValues:
    return (Mutex(op.participants.value.data),)


def _acquire(execution: Execution, op: dialect.AcquireMutexOp, mutex: Mutex) -> PythonValues:
    participant = _participant(op)
    if mutex.is_held and mutex.is_phase_of(participant):
        raise ExecutionError("acquires a mutex that it already holds")
    execution.agents.wait_until(
        lambda: not mutex.is_held and mutex.is_phase_of(participant),
        lambda: (
            f"{where(op)} for participant {participant} of a mutex that is at "
            f"participant {mutex.passed % mutex.participants}"
        ),
    )
    mutex.is_held = True
    return ()


def _release(_execution: Execution, op: dialect.ReleaseMutexOp, mutex: Mutex) -> PythonValues:
    if not mutex.is_held or not mutex.is_phase_of(_participant(op)):
        raise ExecutionError("releases a mutex without holding it")
    mutex.is_held = False
    # The warpgroups of an agent are run as one: all of them have had their turn.
    mutex.passed += 1 if op.participant is not None else mutex.participants
    return ()


MUTEXES: StatefulTable = {
    dialect.AcquireMutexOp: _acquire,
    dialect.CreateMutexOp: _create,
    dialect.ReleaseMutexOp: _release,
}
