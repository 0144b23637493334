"""Operations of `cuda_tile` on multicast memory, for a multicast object of one device.

Such an object has one replica: a load that reduces over the replicas is a load, and what is
stored or reduced into all replicas goes to that one.
"""

from __future__ import annotations

from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.cuda_tile.atomics import update
from tileir_xdsl.interpreters.cuda_tile.views import accessed_tile
from tileir_xdsl.interpreters.execution import TOKEN, Execution
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable
from tileir_xdsl.interpreters.views import load_tile, store_tile, tile_addresses


def _load(
    execution: Execution, op: dialect.MultimemLoadReduceViewTkoOp, *values: object
) -> PythonValues:
    view, indices = accessed_tile(op, Operands(op, values))
    return load_tile(execution.memory, view, indices), TOKEN


def _store(
    execution: Execution, op: dialect.MultimemStoreViewTkoOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    view, indices = accessed_tile(op, operands)
    store_tile(execution.memory, view, indices, operands[op.tile])
    return (TOKEN,)


def _reduce(
    execution: Execution, op: dialect.MultimemReduceViewTkoOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    view, indices = accessed_tile(op, operands)
    mode = op.reduction.data
    addresses, mask = tile_addresses(view, indices)
    update(execution, mode.value, addresses, operands[op.tile], view.tensor.element, mask)
    return (TOKEN,)


MULTIMEM: StatefulTable = {
    dialect.MultimemLoadReduceViewTkoOp: _load,
    dialect.MultimemReduceViewTkoOp: _reduce,
    dialect.MultimemStoreViewTkoOp: _store,
}
