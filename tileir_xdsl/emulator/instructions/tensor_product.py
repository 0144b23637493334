"""Matrix products in tensor memory, and copies into it (PTX ISA, "tcgen05.mma", "tcgen05.cp",
"tcgen05.shift", "tcgen05.commit").

A product is summed as `mma` is: in double precision, rounded once. One thread issues the work; it
is done in order, at once or, when asynchronous work is put off, when an object that a commit names
is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from tileir_xdsl.emulator import mbarriers
from tileir_xdsl.emulator.bulk_copies import each_destination, issuing_lanes
from tileir_xdsl.emulator.compile import PREDICATE, BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault
from tileir_xdsl.emulator.groups import Group
from tileir_xdsl.emulator.instructions.form import Compute, Form, Match, emit_nothing
from tileir_xdsl.emulator.instructions.matrix import element_of, round_result, truncate_to_tf32
from tileir_xdsl.emulator.instructions.tensor_memory import (
    GROUP,
    active,
    start_in_tensor_memory,
    tensor_address,
)
from tileir_xdsl.emulator.matrix_descriptors import MatrixDescriptor
from tileir_xdsl.emulator.memory import SHARED_WINDOW
from tileir_xdsl.emulator.syntax import Address, Instruction, Integer, Operand, Vector
from tileir_xdsl.emulator.tensor_memory import LANES
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_WORD = TYPES["b32"]
_DESCRIPTOR = TYPES["b64"]
ROW_BYTES = 32
"""How many bytes of a row of A, and of a column of B, one product takes."""

_MAX_SCALE = 15

# What the fields of an instruction descriptor select, by kind.
_FACTORS: dict[str, dict[int, str]] = {
    "f16": {0: "f16", 1: "bf16"},
    "tf32": {2: "tf32"},
    "f8f6f4": {0: "e4m3", 1: "e5m2"},
    "i8": {0: "u8", 1: "s8"},
}
_SUMS: dict[str, dict[int, str]] = {
    "f16": {0: "f16", 1: "f32"},
    "tf32": {1: "f32"},
    "f8f6f4": {0: "f16", 1: "f32"},
    "i8": {2: "s32"},
}


@dataclass(frozen=True)
class InstructionDescriptor:
    """What an instruction descriptor says of a product `m x n`."""

    m: int
    n: int
    a: str
    b: str
    d: str
    saturate: bool
    signs: tuple[int, int]
    transposed: tuple[bool, bool]

    @property
    def k(self) -> int:
        return ROW_BYTES // element_of(self.a).dtype.itemsize

    @staticmethod
    def decode(word: int, kind: str, blocks: int) -> InstructionDescriptor:
        """The fields of a descriptor; `blocks` is 2 for a product of a pair.

        Raises `ValueError` for values that the kind does not have.
        """
        fields = {"sums": word >> 4 & 3, "a": word >> 7 & 7, "b": word >> 10 & 7}
        d = _SUMS[kind].get(fields["sums"])
        a, b = (_FACTORS[kind].get(fields[name]) for name in "ab")
        for name, found in (("sums", d), ("a", a), ("b", b)):
            if found is None:
                raise ValueError(f"kind::{kind} has no type {fields[name]} for {name}")
        assert a is not None and b is not None and d is not None
        m, n = (word >> 24 & 31) << 4, (word >> 17 & 63) << 3
        step = 16 if m == 128 * blocks or (kind == "i8" and n > 32) else 8
        if word & 4:
            raise ValueError("sparse matrices are not supported")
        if m not in (64 * blocks, 128 * blocks):
            raise ValueError(f"a product has {64 * blocks} or {128 * blocks} rows, not {m}")
        if not step <= n <= 256 or n % (step * blocks):
            raise ValueError(f"a product with {m} rows cannot have {n} columns")
        signs = tuple(-1 if word >> bit & 1 else 1 for bit in (13, 14))
        transposed = tuple(bool(word >> bit & 1) for bit in (15, 16))
        if any(transposed) and kind == "tf32":
            raise ValueError("kind::tf32 has no transposed matrices")
        return InstructionDescriptor(
            m, n, a, b, d, bool(word >> 3 & 1), (signs[0], signs[1]), (transposed[0], transposed[1])
        )


def _rows_in_lanes(rows: int, *, folded: bool) -> tuple[Array, int]:
    """The lane of each row of a block's part of the result, and its number of column halves.

    128 rows are in their own lanes. 64 rows are in 16 lanes of each warp or, `folded`, in lanes
    0 to 63, with the upper half of the columns in the other lanes.
    """
    row = np.arange(rows)
    if rows == LANES:
        return row, 1
    return (row, 2) if folded else (row // 16 * WARP_SIZE + row % 16, 1)


def shared_places(
    group: Group, block: int, word: int, shape: tuple[int, int, int], only: Mask, *, k_major: bool
) -> Array:
    """The indices of a matrix's elements in shared memory; `shape` is extent, k, element bytes.

    Raises `LaneFault` for a wrong descriptor.
    """
    memory, size = group.memory, shape[2]
    try:
        at = MatrixDescriptor.of_tensor_memory(word).addresses(*shape, k_major=k_major)
    except ValueError as error:
        raise LaneFault(f"wrong matrix descriptor: {error}", only) from None
    limit = memory.limits["shared"]
    if at.max() + size > limit:
        raise LaneFault(
            f"wrong matrix descriptor: the matrix reaches to byte {at.max()} of shared memory, "
            f"which has {limit} bytes",
            only,
        )
    return (at + memory.shared_starts[block, 0]) // size


def _shared_matrix(
    group: Group, block: int, word: int, extent: int, name: str, only: Mask, *, k_major: bool
) -> Array:
    dtype = element_of(name).dtype
    k = ROW_BYTES // dtype.itemsize
    shape = (extent, k, dtype.itemsize)
    places = shared_places(group, block, word, shape, only, k_major=k_major)
    return group.memory.shared.vectors(np.dtype(f"u{dtype.itemsize}"), 1)[places].view(dtype)


def _factor(matrix: Array, name: str, sign: int) -> Array:
    matrix = np.ascontiguousarray(matrix)
    return (truncate_to_tf32(matrix) if name == "tf32" else matrix).astype(np.float64) * sign


def _pair(group: Group, block: int, blocks: int) -> tuple[int, ...]:
    """The blocks that a product of a pair runs in: ranks that differ in the lowest bit."""
    clusters = group.memory.clusters
    rank = 0 if clusters is None else int(clusters.ranks[block, 0])
    even = block - rank % 2
    return (block,) if blocks == 1 else (even, even + 1)


@dataclass(frozen=True)
class _Product:
    """The parts of `tcgen05.mma` that its text decides."""

    kind: str
    blocks: int
    from_tensor_memory: bool
    scale: int

    def __call__(
        self,
        group: Group,
        mask: Mask,
        d: Array,
        a: Array,
        b: Array,
        descriptor: Array,
        adds: Array,
        *disabled: Array,
    ) -> None:
        for lane, only in issuing_lanes(group, mask):
            at = [np.broadcast_to(x, group.shape)[lane] for x in (d, a, b, descriptor, adds)]
            d_at, a_at, b_at, word = (int(x) for x in at[:4])
            try:
                shape = InstructionDescriptor.decode(word, self.kind, self.blocks)
            except ValueError as error:
                raise LaneFault(f"wrong instruction descriptor: {error}", only) from None
            off = [int(np.broadcast_to(x, group.shape)[lane]) for x in disabled]
            blocks = self.blocks_of(group, group.b0 + lane[0], only)
            self.multiply(group, blocks, only, shape, (d_at, a_at, b_at), bool(at[4]), off)

    def blocks_of(self, group: Group, block: int, only: Mask) -> tuple[int, ...]:
        clusters = group.memory.clusters
        if self.blocks == 2 and (clusters is None or clusters.size % 2):
            raise LaneFault("a product of a pair needs a cluster of an even size", only)
        return _pair(group, block, self.blocks)

    def multiply(
        self,
        group: Group,
        blocks: tuple[int, ...],
        only: Mask,
        shape: InstructionDescriptor,
        addresses: tuple[int, int, int],
        adds: bool,
        disabled: Sequence[int],
    ) -> None:
        """Multiply what both blocks of a pair, or the only one, have of A and B."""
        d_at, a_at, b_at = addresses
        memory = group.memory.tensor_memory
        rows, columns = shape.m // len(blocks), shape.n // len(blocks)
        b_major, a_major = not shape.transposed[1], not shape.transposed[0]
        right = np.concatenate(
            [
                _shared_matrix(group, block, b_at, columns, shape.b, only, k_major=b_major)
                for block in blocks
            ]
        )
        right = _factor(right, shape.b, shape.signs[1])
        folded = len(blocks) == 2
        lanes, halves = _rows_in_lanes(rows, folded=folded)
        lanes = lanes + (d_at >> 16)
        width = shape.n // halves
        where = (d_at & 0xFFFF) + np.arange(width)
        result = element_of(shape.d)
        for part, block in enumerate(blocks):
            if self.from_tensor_memory:
                left = self.left_in_tensor_memory(group, block, a_at, shape, rows, only)
            else:
                left = _shared_matrix(group, block, a_at, rows, shape.a, only, k_major=a_major)
            total = _factor(left, shape.a, shape.signs[0]) @ right.T
            all_lanes = np.concatenate([lanes + 64 * half for half in range(halves)])
            memory.check(block, all_lanes, where, only)
            cells = memory.cells[block][all_lanes[:, None], where]
            folded_total = np.concatenate(np.split(total, halves, axis=1))
            if adds:
                unsigned = cells.astype(np.uint16) if result.dtype.itemsize == 2 else cells
                old = unsigned.view(result.dtype).astype(np.float64)
                folded_total = folded_total + np.ldexp(old, -self.scale)
            rounded = round_result(folded_total, result.dtype, shape.saturate)
            words = rounded.view(f"u{result.dtype.itemsize}").astype(np.uint32)
            kept = all_lanes
            if disabled:
                per_block = len(disabled) // len(blocks)
                bits = np.array(disabled[part * per_block : (part + 1) * per_block], np.uint64)
                off = bits[all_lanes // WARP_SIZE] >> (all_lanes % WARP_SIZE).astype(np.uint64) & 1
                kept, words = all_lanes[off == 0], words[off == 0]
            memory.cells[block][kept[:, None], where] = words

    def left_in_tensor_memory(
        self,
        group: Group,
        block: int,
        address: int,
        shape: InstructionDescriptor,
        rows: int,
        only: Mask,
    ) -> Array:
        """Rows of A, whose elements are packed in words."""
        dtype = element_of(shape.a).dtype
        if rows != LANES and self.blocks == 2:
            raise LaneFault("64 rows of a pair in tensor memory are not supported", only)
        lanes, _ = _rows_in_lanes(rows, folded=False)
        lanes = lanes + (address >> 16)
        columns = (address & 0xFFFF) + np.arange(ROW_BYTES // 4)
        group.memory.tensor_memory.check(block, lanes, columns, only)
        words = group.memory.tensor_memory.cells[block][lanes[:, None], columns]
        return np.ascontiguousarray(words).view(dtype)


def _blocks(match: Match) -> int:
    return int(match["pair"][-1])


def _emit_multiply(builder: BlockBuilder, match: Match) -> None:
    """After the instruction descriptor: `{lanes}` not to write, whether to add to D, a scale."""
    rest: list[Operand] = [
        match.operands[name] for name in ("x", "y", "z") if name in match.operands
    ]
    blocks, disabled = _blocks(match), []
    if isinstance(rest[0], Vector):
        lanes = builder.elements(rest.pop(0), blocks * LANES // WARP_SIZE)
        disabled = [builder.source(each, _WORD) for each in lanes]
    if not 1 <= len(rest) <= 2:
        raise match.fail("expected whether to add to D, and by what to scale it")
    scale = rest[1].value if len(rest) == 2 and isinstance(rest[1], Integer) else 0
    if not 0 <= scale <= _MAX_SCALE:
        raise match.fail(f"what is added to a product is scaled by 0 to {_MAX_SCALE} bits")
    left = match.operands["a"]
    from_tensor_memory = isinstance(left, Address)
    product = _Product(match["kind"].removeprefix("kind::"), blocks, from_tensor_memory, scale)
    operands = [
        tensor_address(builder, match, "d"),
        tensor_address(builder, match, "a")
        if from_tensor_memory
        else builder.source(left, _DESCRIPTOR),
        builder.source(match.operands["b"], _DESCRIPTOR),
        builder.source(match.operands["descriptor"], _WORD),
        builder.source(rest[0], PREDICATE),
        *disabled,
    ]
    start = builder.bind(
        partial(start_in_tensor_memory, "tensor product", match.instruction, product)
    )
    builder.line(f"{start}(group, {active(builder)}, {', '.join(operands)})")


# Rows, bytes of a row, and the lanes that each row goes to, by shape and multicast.
_ROWS_32, _ROWS_64, _ROWS_128 = (np.arange(rows)[:, None] for rows in (32, 64, 128))
_COPIES: dict[tuple[str, str], tuple[int, Array]] = {
    ("128x256b", ""): (32, _ROWS_128),
    ("128x128b", ""): (16, _ROWS_128),
    ("64x128b", "warpx2::02_13"): (16, _ROWS_64 + np.array([0, 64])),
    ("64x128b", "warpx2::01_23"): (16, _ROWS_64 + _ROWS_64 // 32 * 32 + np.array([0, 32])),
    ("32x128b", "warpx4"): (16, _ROWS_32 + np.array([0, 32, 64, 96])),
}


def _copy(
    group: Group, mask: Mask, address: Array, source: Array, *, blocks: int, size: int, lanes: Array
) -> None:
    """Rows of `size` bytes from shared memory to some lanes each, in every block of a pair."""
    for lane, only in issuing_lanes(group, mask):
        at, word = (int(np.broadcast_to(x, group.shape)[lane]) for x in (address, source))
        for block in _pair(group, group.b0 + lane[0], blocks):
            shape = (len(lanes), size, 1)
            places = shared_places(group, block, word, shape, only, k_major=True)
            rows = group.memory.shared.bytes[places].view(np.uint32)
            columns = (at & 0xFFFF) + np.arange(size // 4)
            targets = lanes + (at >> 16)
            memory = group.memory.tensor_memory
            memory.check(block, targets, columns, only)
            memory.cells[block][targets[..., None], columns] = rows[:, None]


def _emit_copy(builder: BlockBuilder, match: Match) -> None:
    size, lanes = _COPIES[match["shape"], match["multicast"]]
    function = partial(_copy, blocks=_blocks(match), size=size, lanes=lanes)
    _emit_work(builder, match, function, builder.source(match.operands["source"], _DESCRIPTOR))


def _shift(group: Group, mask: Mask, address: Array, *, blocks: int) -> None:
    """The 32 bytes of each lane of a warp go to the next lane, those of the last one nowhere."""
    for lane, only in issuing_lanes(group, mask):
        at = int(np.broadcast_to(address, group.shape)[lane])
        first, columns = at >> 16, (at & 0xFFFF) + np.arange(ROW_BYTES // 4)
        if first % WARP_SIZE:
            raise LaneFault("the lane of a shift is a multiple of 32", only)
        memory = group.memory.tensor_memory
        for block in _pair(group, group.b0 + lane[0], blocks):
            lanes = first + np.arange(WARP_SIZE)
            memory.check(block, lanes, columns, only)
            rows = memory.cells[block][lanes[:-1, None], columns]
            memory.cells[block][lanes[1:, None], columns] = rows


def _emit_shift(builder: BlockBuilder, match: Match) -> None:
    _emit_work(builder, match, partial(_shift, blocks=_blocks(match)))


def _emit_work(
    builder: BlockBuilder, match: Match, function: Callable[..., None], *operands: str
) -> None:
    """Work on the address `a` in tensor memory that a commit waits for."""
    start = builder.bind(
        partial(start_in_tensor_memory, "tensor product", match.instruction, function)
    )
    arguments = ", ".join([tensor_address(builder, match, "a"), *operands])
    builder.line(f"{start}(group, {active(builder)}, {arguments})")


def _arrive(group: Group, mask: Mask, address: Array, ctas: Array | None, *, offset: int) -> None:
    target = (address, offset)
    for lanes, _, barrier in each_destination(group, mask, ctas, target, target):
        mbarriers.update(group, *barrier, lanes, mbarriers.Change(arrivals=1))


def _commit(
    group: Group,
    mask: Mask,
    address: Array,
    ctas: Array | None,
    *,
    offset: int,
    instruction: Instruction,
) -> None:
    """Arrive at an object when all that the threads have started until now is done."""
    late = group.memory.late
    if late is None:
        _arrive(group, mask, address, ctas, offset=offset)
        return
    late.commit("tensor product", group, mask)
    until = late.commits["tensor product"].copy()
    address, ctas = address.copy(), None if ctas is None else ctas.copy()

    def arrive(group: Group, mask: Mask) -> None:
        late.wait_until("tensor product", group, mask, until)
        _arrive(group, mask, address, ctas, offset=offset)

    late.start(None, group, mask, instruction, arrive)


def _emit_commit(builder: BlockBuilder, match: Match) -> None:
    space = "shared" if match["space"] else "generic"
    base, offset = builder.address(match.operands["a"], space)
    if space == "generic":
        offset -= SHARED_WINDOW
    ctas = "None"
    if "ctas" in match.operands:
        ctas = builder.source(match.operands["ctas"], TYPES["u16"])
    function = builder.bind(partial(_commit, offset=offset, instruction=match.instruction))
    builder.line(f"{function}(group, {active(builder)}, {base}, {ctas})")


COLLECTOR = (
    "{.<collector:"
    + "|".join(f"collector::a::{use}" for use in ("fill", "use", "lastuse", "discard"))
    + ">}"
)
_MULTIPLY = Compute(_emit_multiply)

FORMS: tuple[Form, ...] = (
    Form(
        f"tcgen05.mma{GROUP}.<kind:kind::f16|kind::tf32|kind::f8f6f4|kind::i8>{COLLECTOR}"
        " d, a, b, descriptor, x{, y, z}",
        _MULTIPLY,
    ),
    *(
        Form(f"tcgen05.cp{GROUP}.<shape:{shape}>{suffix} a, source", Compute(_emit_copy))
        for shape, suffix in (
            ("128x256b|128x128b", ""),
            ("64x128b", ".<multicast:warpx2::02_13|warpx2::01_23>"),
            ("32x128b", ".<multicast:warpx4>"),
        )
    ),
    Form(f"tcgen05.shift{GROUP}.down a", Compute(_emit_shift)),
    Form(
        f"tcgen05.commit{GROUP}.mbarrier::arrive::one{{.<space:shared::cluster>}}.b64 a",
        Compute(_emit_commit),
    ),
    Form(
        f"tcgen05.commit{GROUP}.mbarrier::arrive::one{{.<space:shared::cluster>}}"
        ".multicast::cluster.b64 a, ctas",
        Compute(_emit_commit),
    ),
    Form("tcgen05.fence::before_thread_sync", Compute(emit_nothing)),
    Form("tcgen05.fence::after_thread_sync", Compute(emit_nothing)),
)
