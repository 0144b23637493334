"""Bitwise operations of `cuda_tile`."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.arith import without_op
from tileir_xdsl.interpreters.registration import PureTable

BITWISE: PureTable = {
    dialect.AndIOp: without_op(np.bitwise_and),
    dialect.OrIOp: without_op(np.bitwise_or),
    dialect.XOrIOp: without_op(np.bitwise_xor),
}
