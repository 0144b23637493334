"""Global variables of `nv_tileaa`."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.interpreters.address_space import to_bytes
from tileir_xdsl.interpreters.element_types import constant_value, element_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import ADDRESS_DTYPE
from tileir_xdsl.interpreters.registration import StatefulTable
from tileir_xdsl.walking import ops_in


def allocate_globals(module: ModuleOp, execution: Execution) -> None:
    """Allocates every global variable of the module, with its initial value."""
    for op in ops_in(module):
        if isinstance(op, dialect.GlobalOp):
            name, type_ = op.sym_name.data, op.value.type
            data = to_bytes(constant_value(op.value, type_), element_of(type_))
            writable = op.constant is None
            execution.symbols[name] = execution.memory.allocate(f"global @{name}", data, writable)


def _get_global(execution: Execution, op: dialect.GetGlobalOp) -> PythonValues:
    return (np.asarray(execution.symbols[op.symbol.root_reference.data], ADDRESS_DTYPE),)


GLOBALS: StatefulTable = {dialect.GetGlobalOp: _get_global}
