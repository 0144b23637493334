"""mma in tensor memory with block-scaled operands (PTX ISA, "tcgen05.mma" with `.block_scale`).

Tensor memory has the scales, in lanes 0 to 31 after their address. The scales of row (or column)
`r` are bytes in lane `r mod 32` and column `r div 32`. Operands of 6 and 4 bits are packed in
shared memory: for kind mxf8f6f4, each group of sixteen begins at a multiple of 16 bytes. With a
sparse A, twice as many elements along k share a scale, counting those that are not stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.packed_floats import four_bit_floats, spaced_floats
from tileir_xdsl.emulator.instructions.scaled_matrix import SCALES
from tileir_xdsl.emulator.instructions.sparse import (
    IN_TENSOR_MEMORY,
    sparse_mma,
    sparsity,
)
from tileir_xdsl.emulator.instructions.tcgen05_mma import (
    COLLECTOR,
    ROW_BYTES,
    Metadata,
    shared_positions,
)
from tileir_xdsl.emulator.instructions.tensor_memory import (
    active,
    start_in_tensor_memory,
    tensor_address,
)
from tileir_xdsl.emulator.issuers import Issuer, issuers
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.syntax import Address
from tileir_xdsl.emulator.tensor_memory import LANES
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_WORD = TYPES["b32"]
_DESCRIPTOR = TYPES["b64"]
_SCALE_LANES = 32

# Operand types by the fields of an instruction descriptor, by kind.
_OPERANDS: Mapping[str, Mapping[int, str]] = {
    "mxf8f6f4": {0: "e4m3", 1: "e5m2", 3: "e2m3", 4: "e3m2", 5: "e2m1"},
    "mxf4": {1: "e2m1"},
    "mxf4nvf4": {1: "e2m1"},
}
_SCALE_TYPES = ("ue4m3", "ue8m0")
# How many scales a row has in one dot: what the kind implies, or a qualifier says.
_COUNTS: Mapping[tuple[str, str], int] = {
    ("mxf8f6f4", ""): 1,
    ("mxf8f6f4", "scale_vec::1X"): 1,
    ("mxf8f6f4", "block32"): 1,
    ("mxf4", ""): 2,
    ("mxf4", "scale_vec::2X"): 2,
    ("mxf4", "block32"): 2,
    ("mxf4nvf4", "scale_vec::2X"): 2,
    ("mxf4nvf4", "block32"): 2,
    ("mxf4nvf4", "scale_vec::4X"): 4,
    ("mxf4nvf4", "block16"): 4,
}


@dataclass(frozen=True)
class ScaledDescriptor:
    """The fields of an instruction descriptor: types, columns, and the first byte of the scales."""

    n: int
    a: str
    b: str
    scales: str
    signs: tuple[int, int]
    first: tuple[int, int]

    @staticmethod
    def decode(word: int, kind: str, *, sparse: bool) -> ScaledDescriptor:
        """Unpacks a descriptor; raises `ValueError` for values that do not exist."""
        numbers = word >> 7 & 7, word >> 10 & 7
        a, b = (_OPERANDS[kind].get(number) for number in numbers)
        if a is None or b is None:
            raise ValueError(
                f"kind::{kind} does not support A of type {numbers[0]} with B of type {numbers[1]}"
            )
        m, n = (word >> 27 & 3) << 7, (word >> 17 & 63) << 3
        if m != LANES or not 8 <= n <= 256 or n % 8:
            raise ValueError(
                f"a block-scaled mma has {LANES} rows, and 8 to 256 columns in steps of 8"
            )
        if sparse != bool(word >> 2 & 1):
            found = "dense" if sparse else "sparse"
            raise ValueError(f"bit 2 says that A is {found}, but the instruction says otherwise")
        if word >> 15 & 3:
            raise ValueError("a block-scaled mma does not support transposed matrices")
        signs = tuple(-1 if word >> bit & 1 else 1 for bit in (13, 14))
        first = word >> 29 & 3, word >> 4 & 3
        return ScaledDescriptor(n, a, b, _SCALE_TYPES[word >> 23 & 1], (signs[0], signs[1]), first)


@dataclass(frozen=True)
class _ScaledMMA:
    """The parts of the instruction that are constant in its text; each row has `count` scales."""

    kind: str
    count: int
    sparse: bool

    def __call__(
        self,
        group: ThreadGroup,
        mask: Mask,
        d: Array,
        a: Array,
        b: Array,
        metadata: Array,
        descriptor: Array,
        a_scales: Array,
        b_scales: Array,
        adds: Array,
    ) -> None:
        operands = (d, a, b, metadata, descriptor, a_scales, b_scales)
        for issuer in issuers(group, mask):
            d_at, a_at, b_at, e_at, word, a_from, b_from = map(issuer.value, operands)
            try:
                shape = ScaledDescriptor.decode(word, self.kind, sparse=self.sparse)
            except ValueError as error:
                raise issuer.fault(f"wrong instruction descriptor: {error}") from None
            group.memory.work.mma_bits += LANES * shape.n * 8 * ROW_BYTES
            size = ROW_BYTES * (1 + self.sparse)
            left = self.operand(issuer, a_at, (LANES, ROW_BYTES), shape.a)
            right = self.operand(issuer, b_at, (shape.n, size), shape.b)
            left, right = left * shape.signs[0], right * shape.signs[1]
            k = right.shape[1]
            of_a = self.scales(issuer, a_from, LANES, shape.first[0], shape.scales)
            of_b = self.scales(issuer, b_from, shape.n, shape.first[1], shape.scales)
            of_a, of_b = (np.repeat(of, k // self.count, axis=1) for of in (of_a, of_b))
            right *= of_b
            if self.sparse:
                stored = sparsity(shape.a, IN_TENSOR_MEMORY, paired=self.kind != "mxf8f6f4")
                own = Metadata(e_at, k // stored.width, None)
                places = own.places(issuer, np.arange(LANES), stored, 0)
                left *= np.take_along_axis(of_a, places, axis=1)
                total = sparse_mma(left, places, right.T)
            else:
                total = (left * of_a) @ right.T
            lanes, columns = (d_at >> 16) + np.arange(LANES), (d_at & 0xFFFF) + np.arange(shape.n)
            cells = issuer.tensor_cells(lanes, columns, writes=True)
            if issuer.value(adds):
                total += cells[lanes[:, None], columns].view(np.float32)
            cells[lanes[:, None], columns] = total.astype(np.float32).view(np.uint32)

    def operand(self, issuer: Issuer, word: int, shape: tuple[int, int], name: str) -> Array:
        """Reads an operand; `shape` is the number of rows or columns, and the bytes of each."""
        places = shared_positions(issuer, word, (*shape, 1), k_major=True)
        octets = issuer.group.memory.shared.bytes[places]
        spaced = self.kind == "mxf8f6f4"
        return spaced_floats(octets, name) if spaced else four_bit_floats(octets, name)

    def scales(self, issuer: Issuer, address: int, extent: int, first: int, type_: str) -> Array:
        """Reads the scales of each row or column, `[extent, count]`."""
        row = np.arange(extent)
        lanes = (address >> 16) + row % _SCALE_LANES
        columns = (address & 0xFFFF) + row // _SCALE_LANES
        cells = issuer.tensor_cells(lanes, columns, writes=False)
        if first + self.count > 4:
            raise issuer.fault("wrong instruction descriptor: scales reach into the next word")
        words = np.ascontiguousarray(cells[lanes, columns])
        octets = words.view(np.uint8).reshape(-1, 4)[:, first : first + self.count]
        dtype, mask = SCALES[type_]
        return (octets & np.uint8(mask)).view(dtype).astype(np.float64)


def _emit_mma(builder: BlockBuilder, match: Match) -> None:
    if isinstance(match.operands["a"], Address):
        raise match.fail("A in tensor memory is not supported for an mma with block scales")
    kind = match["kind"].removeprefix("kind::")
    sparse = match.has("sp")
    mma = _ScaledMMA(kind, _COUNTS[kind, match["vector"]], sparse)
    operands = [
        tensor_address(builder, match, "d"),
        builder.source(match.operands["a"], _DESCRIPTOR),
        builder.source(match.operands["b"], _DESCRIPTOR),
        tensor_address(builder, match, "metadata") if sparse else builder.bind(np.uint32(0)),
        builder.source(match.operands["descriptor"], _WORD),
        tensor_address(builder, match, "a_scales"),
        tensor_address(builder, match, "b_scales"),
        builder.source(match.operands["adds"], PREDICATE),
    ]
    start = builder.bind(partial(start_in_tensor_memory, "tensor mma", match.instruction, mma))
    builder.line(f"{start}(group, {active(builder)}, {', '.join(operands)})")


def _vectors(kind: str) -> str:
    """The qualifiers for the number of scales per row, optional if the kind has a default."""
    names = "|".join(name for of_kind, name in _COUNTS if of_kind == kind and name)
    qualifier = f".<vector:{names}>"
    return f"{{{qualifier}}}" if (kind, "") in _COUNTS else qualifier


FORMS: tuple[Form, ...] = tuple(
    Form(
        f"tcgen05.mma{sparse}.cta_group::1.<kind:kind::{kind}>.block_scale{_vectors(kind)}"
        f"{COLLECTOR} d, a, b, {metadata}descriptor, a_scales, b_scales, adds",
        Compute(_emit_mma),
    )
    for sparse, metadata in (("", ""), (".sp", "metadata, "))
    for kind in _OPERANDS
)
