"""`ub.poison`: a value that a correct program never reads, and that is not zero."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import ub
from xdsl.dialects.builtin import TensorType
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects.cuda_tile.types import TileType, TokenType
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.interpreters.accesses import Token
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.registration import StatefulTable

PATTERN = 0x5A
"""The byte that fills a poison value."""


def _poison(_execution: Execution, op: Operation) -> PythonValues:
    type_ = op.results[0].type
    if isinstance(type_, MemTokenType | TokenType):
        return (Token(),)
    shape = type_.get_shape() if isinstance(type_, TensorType | TileType) else ()
    value = np.empty(shape, element_of(type_).dtype)
    if value.dtype == np.bool_:
        value[...] = True
    else:
        value.reshape(-1).view(np.uint8)[:] = PATTERN
    return (value,)


UB: StatefulTable = {ub.PoisonOp: _poison}
"""The one op of `ub`."""
