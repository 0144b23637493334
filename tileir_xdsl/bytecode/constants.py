"""Elements of dense constants.

Source: Tile IR specification, bytecode. Elements are stored as in the dialect, except that eight i1
are packed into a byte, the first in the lowest bit. A splat is stored as one element; for i1 that
is one byte with all bits equal.
"""

from __future__ import annotations

import math
from functools import cached_property

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile import DenseConstantAttr, TileType
from tileir_xdsl.dialects.cuda_tile.literals import element_bytes, numeric_name

_ALL_FALSE, _ALL_TRUE = b"\x00", b"\xff"


class StoredConstant:
    """The bytes of a constant, which constants of several types share."""

    def __init__(self, payload: bytes):
        self._payload = payload

    @cached_property
    def _booleans(self) -> bytes:
        import numpy as np

        bits = np.frombuffer(self._payload, np.uint8)
        return np.unpackbits(bits, bitorder="little").tobytes()

    def read_as(self, type_: Attribute) -> DenseConstantAttr:
        """The constant of this type; raises `VerifyException` if the bytes do not fit it."""
        if not isinstance(type_, TileType):
            raise VerifyException(f"a constant must be a tile, but got '{type_}'")
        count = math.prod(type_.get_shape())
        if type_.element_type == i1:
            return DenseConstantAttr(type_, self._read_booleans(count))
        size = element_bytes(numeric_name(type_.element_type))
        if len(self._payload) not in (size, size * count):
            raise VerifyException("failed to validate buffer size and format")
        return DenseConstantAttr(type_, self._payload)

    def _read_booleans(self, count: int) -> bytes:
        payload = self._payload
        if payload in (_ALL_FALSE, _ALL_TRUE):
            return bytes([payload == _ALL_TRUE])
        if len(payload) == 1 and count > 8:
            # Too few bits for the elements: the lowest one is that of all, as tileiras reads it.
            return bytes([payload[0] & 1])
        if len(payload) != (count + 7) // 8:
            raise VerifyException(
                f"i1 dense attribute payload size {len(payload)} is not a recognized encoding for "
                f"{count} elements"
            )
        return self._booleans[:count]


def encode_constant(constant: DenseConstantAttr) -> bytes:
    """The bytes of a constant."""
    data = constant.data.data
    if constant.type.element_type != i1:
        return data
    if constant.is_splat:
        return _ALL_TRUE if constant.splat_value else _ALL_FALSE
    import numpy as np

    return np.packbits(np.frombuffer(data, np.bool_), bitorder="little").tobytes()
