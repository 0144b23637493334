"""mma in tensor memory (PTX ISA, "tcgen05.mma", "tcgen05.mma.sp", "tcgen05.mma.ws").

As for `mma`, sums are computed in double precision and rounded once. One thread issues mma, which
execute in order. If asynchronous work is delayed, they execute when a thread waits for the barrier
object of a commit. A sparse A is stored as half of its columns, and tensor memory has its metadata.
Collectors are ignored: each mma reads its operands from memory. With `.ashift`, rows of A, with
their metadata, take part shifted by one as by `tcgen05.shift`, but A in memory stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instruction_descriptors import (
    SELECTED_KINDS,
    ColumnMask,
    InstructionDescriptor,
    MMAVariant,
)
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.matrix import element_of, round_result, truncate_to_tf32
from tileir_xdsl.emulator.instructions.packed_floats import SPACED_FLOATS, spaced_floats
from tileir_xdsl.emulator.instructions.sparse import (
    IN_TENSOR_MEMORY,
    Sparsity,
    sparse_mma,
    sparsity,
)
from tileir_xdsl.emulator.instructions.tensor_memory import (
    GROUP,
    active,
    start_in_tensor_memory,
    tensor_address,
)
from tileir_xdsl.emulator.issuers import Issuer, issuers
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.matrix_descriptors import MatrixDescriptor
from tileir_xdsl.emulator.syntax import Address, Integer, Operand, Vector
from tileir_xdsl.emulator.tensor_memory import LANES
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_WORD = TYPES["b32"]
_DESCRIPTOR = TYPES["b64"]
ROW_BYTES = 32
"""The bytes of a row of A, and of a column of B, in a dense mma."""

_MAX_SCALE = 15


@dataclass(frozen=True, eq=False)
class _Part:
    """The lanes, `[rows]`, that hold a block's rows of some columns of the result."""

    lanes: Array
    columns: slice


def _parts(rows: int, shape: InstructionDescriptor, variant: MMAVariant) -> tuple[_Part, ...]:
    """The lanes that hold each part of a block's result.

    128 rows fill all lanes, 64 rows the first 16 lanes of each warp. In other cases rows fill the
    lowest lanes, and later columns of the same rows the lanes above. These cases are
    weight-stationary mma, and dense mma of 64 rows per block of a pair.
    """
    row = np.arange(rows)
    folded = variant.weight_stationary or (variant.blocks == 2 and not variant.sparse)
    if rows < LANES and not folded:
        return (_Part(row // 16 * WARP_SIZE + row % 16, slice(0, shape.n)),)
    count = LANES // rows
    width = shape.n // count
    return tuple(
        _Part(row + rows * part, slice(part * width, (part + 1) * width)) for part in range(count)
    )


def shared_positions(
    issuer: Issuer, word: int, shape: tuple[int, int, int], *, k_major: bool
) -> Array:
    """Indices of matrix elements in shared memory; `shape` is extent, k, and bytes of an element.

    Reports the reads to the race detector. Raises `LaneFault` for a wrong descriptor, and for a
    race.
    """
    memory, size = issuer.group.memory, shape[2]
    try:
        at = MatrixDescriptor.of_tensor_memory(word).addresses(*shape, k_major=k_major)
    except ValueError as error:
        raise issuer.fault(f"wrong matrix descriptor: {error}") from None
    limit = memory.limits["shared"]
    if at.max() + size > limit:
        raise issuer.fault(
            f"wrong matrix descriptor: the matrix reaches to byte {at.max()} of shared memory, "
            f"which has {limit} bytes"
        )
    positions = at + memory.shared_starts[issuer.block, 0]
    if memory.races is not None:
        memory.races.operand(issuer.group, issuer.only, positions, size)
    return positions // size


def _shared_matrix(
    issuer: Issuer, word: int, extent: int, size: int, name: str, *, k_major: bool
) -> Array:
    """The matrix that a descriptor names, of `extent` rows or columns of `size` bytes."""
    shared = issuer.group.memory.shared
    if name in SPACED_FLOATS:
        if not k_major:
            raise issuer.fault("transposed operands with 6- or 4-bit elements are not supported")
        places = shared_positions(issuer, word, (extent, size, 1), k_major=True)
        return spaced_floats(shared.bytes[places], name)
    dtype = element_of(name).dtype
    shape = (extent, size // dtype.itemsize, dtype.itemsize)
    places = shared_positions(issuer, word, shape, k_major=k_major)
    return shared.vectors(np.dtype(f"u{dtype.itemsize}"), 1)[places].view(dtype)


def _signed_operand(matrix: Array, name: str, sign: int) -> Array:
    matrix = np.ascontiguousarray(matrix)
    return (truncate_to_tf32(matrix) if name == "tf32" else matrix).astype(np.float64) * sign


def pair(issuer: Issuer, blocks: int) -> tuple[Issuer, ...]:
    """The issuer for each block that its work runs in; ranks of a pair differ in the lowest bit.

    Raises `LaneFault` if tensor memory was allocated for another number of blocks.
    """
    memory, block = issuer.group.memory, issuer.block
    allocated = int(memory.tensor_memory.groups[block])
    if allocated not in (0, blocks):
        raise issuer.fault(
            f"cta_group::{blocks} contradicts cta_group::{allocated}, with which tensor "
            "memory was allocated"
        )
    if blocks == 1:
        return (issuer,)
    rank = 0 if memory.clusters is None else int(memory.clusters.ranks[block, 0])
    even = block - rank % 2
    return tuple(replace(issuer, block=each) for each in (even, even + 1))


@dataclass(frozen=True)
class Metadata:
    """The metadata of a sparse A in tensor memory: `chunks` chunks for each row.

    Without a selector each lane holds the metadata of its row, 32 bits in each column. A selector
    names one column, 0 or 1 after the address. Of 16 lanes there, the first 8 hold the first half
    of k, the last 8 the second half. Each of these lanes has 16 bits of each of two rows, 8 apart.
    """

    address: int
    chunks: int
    selector: int | None

    def places(self, issuer: Issuer, lanes: Array, stored: Sparsity, first: int) -> Array:
        """The positions along k of the stored elements of rows in `lanes`, `[rows, k / 2]`.

        Raises `LaneFault` for invalid bits; it numbers rows from `first` on.
        """
        row, chunk = np.arange(len(lanes))[:, None], np.arange(self.chunks)[None, :]
        if self.selector is None:
            lane, column, shift = lanes[row], chunk // 8, 4 * (chunk % 8)
        else:
            lane, column = lanes[row // 16 * 16] + chunk // 4 * 8 + row % 8, self.selector
            shift = 16 * (row // 8 % 2) + 4 * (chunk % 4)
        lane = lane + (self.address >> 16)
        column = (self.address & 0xFFFF) + column + 0 * chunk
        words = issuer.tensor_cells(lane, column, writes=False)[lane, column]
        bits = (words >> shift.astype(np.uint32) & 15).astype(np.int64)
        wrong = np.argwhere(stored.meaningless(bits))
        if len(wrong):
            i, j = (int(x) for x in wrong[0])
            raise issuer.fault(stored.describe(int(bits[i, j]), first + i, j))
        return stored.along_k(bits)


@dataclass(frozen=True)
class _Dot:
    """The operands of one mma: shape, addresses or descriptors, and whether to add to D.

    `metadata` is 0 for a dense mma. `mask` selects the columns of B that are zero.
    """

    shape: InstructionDescriptor
    d: int
    a: int
    b: int
    metadata: int
    adds: bool
    mask: ColumnMask | None


@dataclass(frozen=True)
class _MMA:
    """The parts of a `tcgen05.mma` that are constant in its text."""

    variant: MMAVariant
    from_tensor_memory: bool
    scale: int

    def __call__(
        self,
        group: ThreadGroup,
        mask: Mask,
        d: Array,
        a: Array,
        b: Array,
        metadata: Array,
        descriptor: Array,
        adds: Array,
        *rest: Array,
    ) -> None:
        """Executes the mma; `rest` has a mask of zero columns, or masks of lanes not to write."""
        for issuer in issuers(group, mask):
            at = [issuer.value(x) for x in (d, a, b, metadata, descriptor, adds, *rest)]
            try:
                shape = InstructionDescriptor.decode(at[4], self.variant)
            except ValueError as error:
                raise issuer.fault(f"wrong instruction descriptor: {error}") from None
            columns, disabled = None, at[6:]
            if self.variant.weight_stationary and disabled:
                try:
                    columns = ColumnMask.decode(disabled.pop(), shape)
                except ValueError as error:
                    raise issuer.fault(f"wrong mask of zero columns: {error}") from None
            group.memory.work.mma_bits += shape.m * shape.n * 8 * ROW_BYTES
            dot = _Dot(shape, *at[:4], adds=bool(at[5]), mask=columns)
            self.mma(self.both(issuer), dot, disabled)

    def both(self, issuer: Issuer) -> tuple[Issuer, ...]:
        """The issuer for both blocks of a pair, or for the only block."""
        clusters, blocks = issuer.group.memory.clusters, self.variant.blocks
        if blocks == 2 and (clusters is None or clusters.size % 2):
            raise issuer.fault("an mma of a CTA pair needs a cluster of an even size")
        return pair(issuer, blocks)

    def mma(self, both: tuple[Issuer, ...], dot: _Dot, disabled: Sequence[int]) -> None:
        """Multiplies the parts of A and B of both blocks of a pair, or of the only block."""
        right, shape = self.right(both, dot), dot.shape
        rows = shape.m // len(both)
        for index, issuer in enumerate(both):
            per_block = len(disabled) // len(both)
            off = disabled[index * per_block : (index + 1) * per_block]
            for part in _parts(rows, shape, self.variant):
                left = self.left(issuer, dot, part.lanes)
                # The first row has none before it, and stays.
                taken = np.maximum(np.arange(rows) - self.variant.shifts_rows, 0)
                left = _signed_operand(left, shape.a, shape.signs[0])[taken]
                columns = right[part.columns].T
                if self.variant.sparse:
                    stored = sparsity(shape.a, IN_TENSOR_MEMORY)
                    metadata = Metadata(
                        dot.metadata,
                        right.shape[1] // stored.width,
                        shape.selector if self.variant.kind in SELECTED_KINDS else None,
                    )
                    places = metadata.places(issuer, part.lanes, stored, index * rows)
                    total = sparse_mma(left, places[taken], columns)
                else:
                    total = left @ columns
                self.store(issuer, dot, total, part.lanes, off)

    def right(self, both: tuple[Issuer, ...], dot: _Dot) -> Array:
        """Reads the columns of B, `[n, k]`."""
        shape, mask = dot.shape, dot.mask
        size = ROW_BYTES * (2 if self.variant.sparse else 1)
        extent, major = shape.n // len(both), not shape.transposed[1]
        first = 0 if mask is None else mask.first
        right = np.concatenate(
            [
                _shared_matrix(issuer, dot.b, first + extent, size, shape.b, k_major=major)
                for issuer in both
            ]
        )
        right = _signed_operand(right, shape.b, shape.signs[1])
        return right if mask is None else np.where(mask.zero[:, None], 0, right[first:])

    def left(self, issuer: Issuer, dot: _Dot, lanes: Array) -> Array:
        """Reads the stored elements of A; tensor memory packs them in words of the row's lane."""
        shape = dot.shape
        if not self.from_tensor_memory:
            major = not shape.transposed[0]
            return _shared_matrix(issuer, dot.a, len(lanes), ROW_BYTES, shape.a, k_major=major)
        if len(lanes) != LANES and self.variant.blocks == 2 and not self.variant.sparse:
            raise issuer.fault(
                "a CTA pair cannot have a dense A of 64 rows per block in tensor memory"
            )
        if shape.a in SPACED_FLOATS:
            raise issuer.fault("an A with 6- or 4-bit elements is not supported in tensor memory")
        lanes = lanes + (dot.a >> 16)
        columns = (dot.a & 0xFFFF) + np.arange(ROW_BYTES // 4)
        words = issuer.tensor_cells(lanes, columns, writes=False)[lanes[:, None], columns]
        return np.ascontiguousarray(words).view(element_of(shape.a).dtype)

    def store(
        self, issuer: Issuer, dot: _Dot, total: Array, lanes: Array, disabled: Sequence[int]
    ) -> None:
        """Writes rows of the result to their lanes, except for disabled lanes."""
        dtype = element_of(dot.shape.d).dtype
        lanes = lanes + (dot.d >> 16)
        where = (dot.d & 0xFFFF) + np.arange(total.shape[1])
        cells = issuer.tensor_cells(lanes, where, writes=True)
        if dot.adds:
            old = cells[lanes[:, None], where]
            unsigned = old.astype(np.uint16) if dtype.itemsize == 2 else old
            total = total + np.ldexp(unsigned.view(dtype).astype(np.float64), -self.scale)
        rounded = round_result(total, dtype, dot.shape.saturate)
        words = rounded.view(f"u{dtype.itemsize}").astype(np.uint32)
        if disabled:
            bits = np.array(disabled, np.uint64)
            off = bits[lanes // WARP_SIZE] >> (lanes % WARP_SIZE).astype(np.uint64) & 1
            lanes, words = lanes[off == 0], words[off == 0]
        cells[lanes[:, None], where] = words


def blocks_of_group(match: Match) -> int:
    return int(match["pair"][-1])


def _emit_with_mask(builder: BlockBuilder, match: Match) -> None:
    """Parses `{lanes}` not to write, whether to add to D, and a scale; then emits the mma."""
    rest: list[Operand] = [
        match.operands[name] for name in ("x", "y", "z") if name in match.operands
    ]
    blocks, disabled = blocks_of_group(match), []
    if isinstance(rest[0], Vector):
        lanes = builder.elements(rest.pop(0), blocks * LANES // WARP_SIZE)
        disabled = [builder.source(each, _WORD) for each in lanes]
    if not 1 <= len(rest) <= 2:
        raise match.fail(
            "expected a predicate that says whether to add to D, then at most a scale of D"
        )
    scale = rest[1].value if len(rest) == 2 and isinstance(rest[1], Integer) else 0
    if not 0 <= scale <= _MAX_SCALE:
        raise match.fail(f"expected a scale of D from 0 to {_MAX_SCALE}")
    _emit_mma(builder, match, rest[0], disabled, scale)


def _emit_stationary(builder: BlockBuilder, match: Match) -> None:
    """Parses whether to add to D and a mask of zero columns; then emits the mma."""
    masks = (
        [builder.source(match.operands["mask"], _DESCRIPTOR)] if "mask" in match.operands else []
    )
    _emit_mma(builder, match, match.operands["adds"], masks)


def _emit_mma(
    builder: BlockBuilder, match: Match, adds: Operand, rest: list[str], scale: int = 0
) -> None:
    left = match.operands["a"]
    from_tensor_memory = isinstance(left, Address)
    variant = MMAVariant(
        match["kind"].removeprefix("kind::"),
        blocks_of_group(match),
        sparse=match.has("sp"),
        weight_stationary=match.has("ws"),
        shifts_rows=match.has("ashift"),
    )
    if variant.shifts_rows and not from_tensor_memory:
        raise match.fail("rows of A can be shifted only if A is in tensor memory")
    operands = [
        tensor_address(builder, match, "d"),
        tensor_address(builder, match, "a")
        if from_tensor_memory
        else builder.source(left, _DESCRIPTOR),
        builder.source(match.operands["b"], _DESCRIPTOR),
        tensor_address(builder, match, "metadata")
        if variant.sparse
        else builder.bind(np.uint32(0)),
        builder.source(match.operands["descriptor"], _WORD),
        builder.source(adds, PREDICATE),
        *rest,
    ]
    mma = _MMA(variant, from_tensor_memory, scale)
    start = builder.bind(partial(start_in_tensor_memory, "tensor mma", match.instruction, mma))
    builder.line(f"{start}(group, {active(builder)}, {', '.join(operands)})")


_USES = ("fill", "use", "lastuse", "discard")
_KINDS = ".<kind:kind::f16|kind::tf32|kind::f8f6f4|kind::i8>"


def _collectors(buffers: Sequence[str]) -> str:
    """The qualifier for collectors: one may hold A, and up to four may hold B."""
    names = "|".join(f"collector::{buffer}::{use}" for buffer in buffers for use in _USES)
    return f"{{.<collector:{names}>}}"


COLLECTOR = _collectors("a")
_B_COLLECTOR = _collectors([f"b{number}" for number in range(4)])

FORMS: tuple[Form, ...] = tuple(
    form
    for sparse, metadata in (("", ""), (".sp", "metadata, "))
    for form in (
        Form(
            f"tcgen05.mma{sparse}{GROUP}{_KINDS}{{.ashift}}{COLLECTOR}"
            f" d, a, b, {metadata}descriptor, x{{, y, z}}",
            Compute(_emit_with_mask),
        ),
        Form(
            f"tcgen05.mma.ws{sparse}.<pair:cta_group::1>{_KINDS}{_B_COLLECTOR}"
            f" d, a, b, {metadata}descriptor, adds{{, mask}}",
            Compute(_emit_stationary),
        ),
    )
)
