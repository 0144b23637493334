"""The fields of the descriptors of `tcgen05.mma`.

Source: PTX ISA, "Instruction descriptor", "Zero-column mask descriptor".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.tensor_memory import LANES
from tileir_xdsl.emulator.types import Array

# Operand types by the fields of an instruction descriptor, by kind.
_OPERANDS: Mapping[str, Mapping[int, str]] = {
    "f16": {0: "f16", 1: "bf16"},
    "tf32": {2: "tf32"},
    "f8f6f4": {0: "e4m3", 1: "e5m2", 3: "e2m3", 4: "e3m2", 5: "e2m1"},
    "i8": {0: "u8", 1: "s8"},
}
_ACCUMULATORS: Mapping[str, Mapping[int, str]] = {
    "f16": {0: "f16", 1: "f32"},
    "tf32": {1: "f32"},
    "f8f6f4": {0: "f16", 1: "f32"},
    "i8": {2: "s32"},
}
SELECTED_KINDS = ("f16", "tf32")
"""Kinds of mma whose sparsity selector chooses one of two columns of metadata."""

_STATIONARY_ROWS = (32, 64, 128)
_STATIONARY_COLUMNS = (64, 128, 256)
_LARGEST_SHIFTS = (0, 8, 16, 32)


@dataclass(frozen=True)
class MMAVariant:
    """The variant of a `tcgen05.mma`: kind, number of blocks, `.sp`, `.ws`, `.ashift`."""

    kind: str
    blocks: int = 1
    sparse: bool = False
    weight_stationary: bool = False
    shifts_rows: bool = False

    def check_shape(self, m: int, n: int) -> None:
        """Raises `ValueError` unless the variant supports an mma of this shape."""
        if self.weight_stationary:
            if m not in _STATIONARY_ROWS:
                raise ValueError(f"a weight stationary mma has 32, 64 or 128 rows, not {m}")
            if n not in _STATIONARY_COLUMNS:
                raise ValueError(f"a weight stationary mma cannot have {n} columns")
            return
        rows = LANES // 2 * self.blocks, LANES * self.blocks
        if m not in rows:
            raise ValueError(f"an mma has {rows[0]} or {rows[1]} rows, not {m}")
        if self.shifts_rows and m != rows[1]:
            raise ValueError(f"an mma that shifts the rows of A has {rows[1]} rows, not {m}")
        step = 16 if m == rows[1] or (self.kind == "i8" and n > 32) else 8
        if not step <= n <= 256 or n % (step * self.blocks):
            raise ValueError(f"an mma with {m} rows cannot have {n} columns")


@dataclass(frozen=True)
class InstructionDescriptor:
    """The fields of an instruction descriptor of an mma `m x n`.

    `selector` is the sparsity selector; columns of B may be shifted by up to `largest_shift`.
    """

    m: int
    n: int
    a: str
    b: str
    d: str
    saturate: bool
    signs: tuple[int, int]
    transposed: tuple[bool, bool]
    selector: int
    largest_shift: int

    @staticmethod
    def decode(word: int, variant: MMAVariant) -> InstructionDescriptor:
        """Unpacks the 32 bits of a descriptor.

        Raises `ValueError` for field values that the instruction does not support.
        """
        kind = variant.kind
        fields = {"d": word >> 4 & 3, "a": word >> 7 & 7, "b": word >> 10 & 7}
        d = _ACCUMULATORS[kind].get(fields["d"])
        a, b = (_OPERANDS[kind].get(fields[name]) for name in "ab")
        for name, found in (("d", d), ("a", a), ("b", b)):
            if found is None:
                raise ValueError(
                    f"kind::{kind} does not support type {fields[name]} for matrix {name}"
                )
        assert a is not None and b is not None and d is not None
        sparse = bool(word >> 2 & 1)
        if sparse != variant.sparse:
            raise ValueError(
                f"bit 2 says that A is {'sparse' if sparse else 'dense'}, but the "
                "instruction says otherwise"
            )
        selector = word & 3 if sparse else 0
        if selector > (kind in SELECTED_KINDS):
            raise ValueError(f"kind::{kind} does not support sparsity selector {selector}")
        m, n = (word >> 24 & 31) << 4, (word >> 17 & 63) << 3
        variant.check_shape(m, n)
        signs = tuple(-1 if word >> bit & 1 else 1 for bit in (13, 14))
        transposed = tuple(bool(word >> bit & 1) for bit in (15, 16))
        if any(transposed) and kind == "tf32":
            raise ValueError("kind::tf32 does not support transposed matrices")
        return InstructionDescriptor(
            m,
            n,
            a,
            b,
            d,
            bool(word >> 3 & 1),
            (signs[0], signs[1]),
            (transposed[0], transposed[1]),
            selector,
            _LARGEST_SHIFTS[word >> 30 & 3] if variant.weight_stationary else 0,
        )


@dataclass(frozen=True, eq=False)
class ColumnMask:
    """Which columns of B count as zero, `[n]`, and by how many columns B is shifted."""

    zero: Array
    first: int

    @staticmethod
    def decode(word: int, shape: InstructionDescriptor) -> ColumnMask:
        """Unpacks the 64 bits of a zero-column mask descriptor.

        An mma of 64 or 32 rows has two or four masks for adjacent ranges of columns. Each mask
        alternates spans of used and of zero columns. The fields are read as in the examples of the
        manual: "skip span" is the number of zero columns, less one.

        Raises `ValueError` for an invalid descriptor.
        """
        if word >> 62 or word >> 36 & 7:
            raise ValueError("bits 36 to 38, 62 and 63 must be 0")
        shift = word >> 56 & 63
        largest = min(shape.largest_shift, 16 if shape.m == 32 else 32)
        if shift > largest:
            raise ValueError(f"columns can be shifted by at most {largest}, not {shift}")
        zero = np.zeros(shape.n, np.bool_)
        if word >> 39 & 1:
            masks = LANES // shape.m
            zeros, used = (word >> 40 & 255) + 1, (word >> 48 & 255) + 1
            for mask, columns in enumerate(np.split(np.arange(shape.n), masks)):
                start, begins_with_zeros = word >> 8 * mask & 255, word >> (32 + mask) & 1
                span = zeros if begins_with_zeros else used
                if start >= span:
                    raise ValueError(
                        f"mask {mask} begins at column {start}, outside of a span of {span} columns"
                    )
                position = (columns - columns[0] + start) % (zeros + used)
                zero[columns] = position < zeros if begins_with_zeros else position >= used
        return ColumnMask(zero, shift)
