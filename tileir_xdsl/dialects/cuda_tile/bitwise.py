"""Bitwise operations.

Source: Tile IR specification, section 8.9 (bitwise).
"""

from __future__ import annotations

from tileir_xdsl.dialects.cuda_tile.integer import BinaryIntegerOperation
from tileir_xdsl.dialects.cuda_tile.interfaces import cuda_tile_operation


@cuda_tile_operation
class AndIOp(BinaryIntegerOperation):
    """Bitwise and. Section 8.9.1."""

    name = "cuda_tile.andi"


@cuda_tile_operation
class OrIOp(BinaryIntegerOperation):
    """Bitwise or. Section 8.8.10."""

    name = "cuda_tile.ori"


@cuda_tile_operation
class XOrIOp(BinaryIntegerOperation):
    """Bitwise exclusive or. Section 8.8.15."""

    name = "cuda_tile.xori"
