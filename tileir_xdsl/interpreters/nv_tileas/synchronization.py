"""Barriers and fences: an agent runs as one thread, whose accesses happen in program order."""

from __future__ import annotations

from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.registration import StatefulTable


def _orders_threads(_execution: Execution, _op: Operation) -> PythonValues:
    """Does nothing: an agent's accesses happen in program order."""
    return ()


SYNCHRONIZATION: StatefulTable = {
    dialect.BarrierOp: _orders_threads,
    dialect.FenceProxyOp: _orders_threads,
    dialect.FenceTmemOp: _orders_threads,
    dialect.WaitMMAsOp: _orders_threads,
}
