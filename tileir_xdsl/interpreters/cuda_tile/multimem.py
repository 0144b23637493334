"""Operations of `cuda_tile` on multicast memory, for a multicast object of one device.

A multicast object of one device has one replica. A load that reduces over the replicas is a plain
load; a store or reduction to all replicas accesses the only one.
"""

from __future__ import annotations

from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.cuda_tile.pointer_accesses import ordering_of
from tileir_xdsl.interpreters.cuda_tile.views import accessed_tile, load_view, store_view
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.modifications import modify
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable
from tileir_xdsl.interpreters.views import tile_addresses


def _reduce(
    execution: Execution, op: dialect.MultimemReduceViewTkoOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    view, indices = accessed_tile(execution, op, operands)
    mode = op.reduction.data
    addresses, mask = tile_addresses(view, indices)
    tile, element = operands[op.tile], view.tensor.element

    def action() -> None:
        modify(execution.memory, mode.value, addresses, tile, element, mask)

    _, token = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return (token,)


MULTIMEM: StatefulTable = {
    dialect.MultimemLoadReduceViewTkoOp: load_view,
    dialect.MultimemReduceViewTkoOp: _reduce,
    dialect.MultimemStoreViewTkoOp: store_view,
}
