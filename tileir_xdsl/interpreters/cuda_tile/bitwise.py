"""Bitwise operations of `cuda_tile`."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.dialects.cuda_tile import bitwise
from tileir_xdsl.interpreters.arith import without_op
from tileir_xdsl.interpreters.registration import PureTable

BITWISE: PureTable = {
    bitwise.AndIOp: without_op(np.bitwise_and),
    bitwise.OrIOp: without_op(np.bitwise_or),
    bitwise.XOrIOp: without_op(np.bitwise_xor),
}
