"""Matrix descriptors: the layout of matrices in shared memory (PTX ISA, "wgmma", "tcgen05").

A descriptor packs the start, two byte offsets and the swizzle mode of a matrix. The offsets are the
distances between rows of the swizzle span or, without swizzling, between cores of 8 rows of 16
bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from tileir_xdsl.emulator.tensor_maps import swizzled
from tileir_xdsl.emulator.types import Array

# The span in bytes of the swizzle mode that bits 62 and 63 select.
_SPANS = (0, 128, 64, 32)
# The same for bits 61 to 63 in descriptors of the instructions on tensor memory.
_TENSOR_SPANS = {0: 0, 2: 128, 4: 64, 6: 32}


@dataclass(frozen=True)
class MatrixDescriptor:
    """The fields of a descriptor, all in bytes; `span` is 0 for no swizzling."""

    start: int
    leading_offset: int
    stride_offset: int
    base_offset: int
    span: int

    @staticmethod
    def decode(word: int) -> MatrixDescriptor:
        return MatrixDescriptor(
            (word & 0x3FFF) << 4,
            (word >> 16 & 0x3FFF) << 4,
            (word >> 32 & 0x3FFF) << 4,
            word >> 49 & 7,
            _SPANS[word >> 62],
        )

    @staticmethod
    def of_tensor_memory(word: int) -> MatrixDescriptor:
        """Unpacks a descriptor of `tcgen05` instructions, whose swizzle modes are in other bits.

        Raises `ValueError` for an invalid or unsupported descriptor.
        """
        found = replace(MatrixDescriptor.decode(word), span=_TENSOR_SPANS.get(word >> 61, -1))
        problems = (
            (word >> 46 & 7 != 1, "bits 46 to 48 are 1"),
            (found.base_offset != 0, "a matrix begins at a multiple of its swizzle pattern"),
            (word >> 52 & 1 == 1, "an absolute leading offset is not supported"),
            (found.span == -1, f"swizzle mode {word >> 61} is not supported"),
        )
        for wrong, message in problems:
            if wrong:
                raise ValueError(message)
        return found

    def addresses(self, extent: int, k: int, size: int, *, k_major: bool) -> Array:
        """The address in shared memory of each element of `size` bytes, `[extent, k]`.

        `extent` counts rows of the left matrix or columns of the right one.
        """
        offsets = _offsets(
            extent, k, size, self.leading_offset, self.stride_offset, self.span, k_major
        )
        return swizzled(self.start + offsets, self.span)


@cache
def _offsets(
    extent: int, k: int, size: int, leading: int, stride: int, span: int, k_major: bool
) -> Array:
    outer, inner = np.arange(extent)[:, None], np.arange(k)[None, :]
    if k_major:
        # A row holds consecutive elements along k.
        row = span or 16
        byte = inner * size
        return outer // 8 * stride + outer % 8 * row + byte // row * leading + byte % row
    byte = outer * size
    if not span:
        return byte // 16 * stride + inner // 8 * leading + inner % 8 * 16 + byte % 16
    return byte // span * leading + inner // 8 * stride + inner % 8 * span + byte % span
