"""Number formats that numpy lacks: tf32 in float32, and pairs of four-bit floats in a byte."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array


def cut_to_tf32(values: Array, added: Array | int = 0) -> Array:
    """Floats truncated to 10 fraction bits, after `added` is added to the 13 dropped bits."""
    bits = values.view(np.uint32) + np.uint32(added)
    return (bits & np.uint32(0xFFFFE000)).view(np.float32)


def round_to_tf32(values: Array) -> Array:
    """Floats rounded to 10 fraction bits, ties to even."""
    odd = (values.view(np.uint32) >> 13) & 1
    return cut_to_tf32(values, 0xFFF + odd)


def pack_four_bits(values: Array) -> Array:
    """Values rounded to four bits and packed in pairs per byte, the first in the lower half."""
    bits = values.astype(ml_dtypes.float4_e2m1fn).view(np.uint8).reshape(-1, 2)
    return bits[:, 0] | bits[:, 1] << 4


def unpack_four_bits(packed: Array) -> Array:
    """The numbers that are packed in pairs per byte along the last axis."""
    bits = np.stack([packed & 15, packed >> 4], axis=-1)
    return bits.reshape(*packed.shape[:-1], -1).view(ml_dtypes.float4_e2m1fn)
