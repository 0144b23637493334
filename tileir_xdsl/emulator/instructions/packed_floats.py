"""Floats of 6 and 4 bits in shared memory (PTX ISA, "Packing format for matrix A and B")."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.emulator.instructions.scaled_matrix import byte_values
from tileir_xdsl.emulator.types import Array

SPACED_FLOATS = ("e2m3", "e3m2", "e2m1")
"""Types that are packed in groups of sixteen elements, each group at a multiple of 16 bytes."""

_GROUP_BYTES = 16


def spaced_floats(octets: Array, name: str) -> Array:
    """Decodes rows of bytes to as many numbers, `[extent, k]`; narrow types are packed as above."""
    if name not in SPACED_FLOATS:
        return byte_values(name, 0)[octets]
    bits = 4 if name == "e2m1" else 6
    groups = octets.reshape(len(octets), -1, _GROUP_BYTES)
    numbers = _fields(groups[..., : _GROUP_BYTES * bits // 8], bits)
    return byte_values(name, 0)[numbers].reshape(len(octets), -1)


def four_bit_floats(octets: Array, name: str) -> Array:
    """Decodes rows of bytes to numbers, `[extent, k]`, two from each byte."""
    return byte_values(name, 0)[_fields(octets, 4)]


def _fields(octets: Array, bits: int) -> Array:
    """Splits bytes into numbers of fewer bits, lowest bits first."""
    single = np.unpackbits(octets, axis=-1, bitorder="little")
    groups = single.reshape(*octets.shape[:-1], -1, bits)
    return (groups << np.arange(bits, dtype=np.uint8)).sum(axis=-1).astype(np.uint8)
