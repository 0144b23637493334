"""Operand layouts and memories of dots, as the hardware requires them.

`mma.sync` takes all its operands in registers, in fragments; where a tile has fewer rows or columns
than the instruction, lanes hold copies. `wgmma` takes B from shared memory and A from there or from
registers. `tcgen05.mma` takes B from shared memory, and A from there or from tensor memory, where
threads store it from registers. The accumulator of `tcgen05.mma` is in tensor memory, and
`tcgen05.ld` loads it to registers. A dot without an atom is made of fused multiply-adds. Each
thread holds the rows of A and the columns of B that its elements of C need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from tileir_xdsl.layout import fragments
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.fragments import Fragment
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases, element_coordinate
from tileir_xdsl.layout.shared import SharedLayout, fills_core_row, shared, widest_swizzle
from tileir_xdsl.layout.tensor_memory import (
    OPERAND_A_ACCESSES,
    AccessShape,
    tensor_memory_accumulator,
    tensor_memory_operand_a,
    tensor_memory_registers,
)
from tileir_xdsl.targets.mma import MMAAtom, MMAKind
from tileir_xdsl.targets.target import Target

WARPS_PER_GROUP = 4
WARPGROUP_ROWS = 64
OPERAND_A_BITS = 16
"""The size of elements of A that threads store to tensor memory."""
IN_TENSOR_MEMORY = "_tmem_a"
"""The suffix of the name of a strategy with A in tensor memory."""
VECTOR_COLUMNS = 4
"""Neighbours along a row of C that one thread computes by fused multiply-adds."""


class Axis(Enum):
    """Which operand of a dot a tile is; SFA and SFB are the block scales, D is the result."""

    A = "A"
    B = "B"
    SFA = "SFA"
    SFB = "SFB"
    C = "C"
    D = "D"


@dataclass(frozen=True)
class DotShape:
    """The extents of a matrix multiplication, or of `batch` of them."""

    batch: tuple[int, ...]
    m: int
    n: int
    k: int

    @property
    def a(self) -> tuple[int, ...]:
        """The shape of A."""
        return (*self.batch, self.m, self.k)

    @property
    def b(self) -> tuple[int, ...]:
        """The shape of B."""
        return (*self.batch, self.k, self.n)

    @property
    def c(self) -> tuple[int, ...]:
        """The shape of C and of the result."""
        return (*self.batch, self.m, self.n)


@dataclass(frozen=True)
class DotLayouts:
    """One distribution of a dot over the warps of a block.

    An operand that may be both in registers and in shared memory has two entries. The accumulator
    is the tile in registers, before the dot and after it.
    """

    name: str
    a: tuple[LinearLayout | SharedLayout, ...]
    b: tuple[LinearLayout | SharedLayout, ...]
    accumulator: LinearLayout
    scales: tuple[LinearLayout, ...] = ()
    """The block scales of A and of B, where the instruction has operands for them."""

    def accepted(self, axis: Axis) -> tuple[LinearLayout | SharedLayout, ...]:
        """The layouts that an operand may have."""
        match axis:
            case Axis.A:
                return self.a
            case Axis.B:
                return self.b
            case Axis.SFA:
                return self.scales[:1]
            case Axis.SFB:
                return self.scales[1:]
            case Axis.C | Axis.D:
                return (self.accumulator,)


@lru_cache(maxsize=512)
def layouts_of_dot(
    shape: DotShape, atom: MMAAtom | None, target: Target, warps: int, element_bits: int
) -> tuple[DotLayouts, ...]:
    """All lowerings of a dot with one atom; without an atom, by multiply-adds.

    Args:
        shape: the extents.
        atom: the matrix instruction, None for multiply-adds.
        target: the GPU, which has the atom.
        warps: warps of the block.
        element_bits: bits of an element of A and B in memory.
    """
    found: tuple[DotLayouts, ...] = ()
    if atom is not None:
        strategies = {
            MMAKind.WARP: _mma_sync,
            MMAKind.WARPGROUP: _wgmma,
            MMAKind.TENSOR_MEMORY: _tcgen05_mma,
        }[atom.kind]
        found = tuple(strategies(shape, atom, target, warps, element_bits))
    return found or (_fused_multiply_adds(shape, warps),)


def warp_splits(warps: int, rows: int, columns: int) -> tuple[tuple[int, int, int], ...]:
    """Ways to deal warps to `rows` x `columns` instructions, as (along M, along N, copies).

    As few warps as possible repeat the work of others.
    """
    splits: list[tuple[int, int, int]] = []
    copies = max(1, warps // (rows * columns))
    along_m = 1
    while along_m <= warps // copies:
        along_n = warps // copies // along_m
        if along_m <= rows and along_n <= columns:
            splits.append((along_m, along_n, copies))
        along_m *= 2
    return tuple(splits)


def _largest_power(value: int) -> int:
    return value & -value


def _mma_sync(
    shape: DotShape, atom: MMAAtom, target: Target, warps: int, element_bits: int
) -> Iterator[DotLayouts]:
    """mma.sync: every split of the warps over M and N."""
    step = next(iter(atom.dividing_shapes(target, shape.m, shape.n, shape.k)), None)
    if step is None:
        return
    accumulator = fragments.ACCUMULATOR if step.m == 16 else fragments.ACCUMULATOR_8_ROWS
    accumulator = accumulator.within(shape.m, shape.n)
    operands = (
        fragments.operand_a(atom.operand_bits, step.m).within(shape.m, shape.k),
        fragments.operand_b(atom.operand_bits).within(shape.k, shape.n),
    )
    rows, columns = max(1, shape.m // step.m), max(1, shape.n // step.n)
    for along_m, along_n, copies in warp_splits(warps, rows, columns):
        split = ((0, along_m), (1, along_n), (None, copies))
        try:
            yield DotLayouts(
                f"{atom.name}_{along_m}x{along_n}",
                (fragments.tile(operands[0], shape.a, ((0, along_m), (None, along_n * copies))),),
                (_operand_b(operands[1], shape.b, along_m, along_n, copies),),
                fragments.tile(accumulator, shape.c, split),
                _scales(shape, atom, along_m, along_n, copies) if atom.scale else (),
            )
        except LayoutError:
            continue


def _scales(
    shape: DotShape, atom: MMAAtom, along_m: int, along_n: int, copies: int
) -> tuple[LinearLayout, LinearLayout]:
    """The block scales of A and of B, those of neighbouring blocks in neighbouring registers."""
    blocks = shape.k // atom.scale_block
    a, b = fragments.scales_a(shape.m // along_m), fragments.scales_b(shape.n // along_n)
    split_a = ((0, along_m), (None, along_n * copies))
    return (
        fragments.tile(a.within(shape.m, blocks), (*shape.batch, shape.m, blocks), split_a),
        _operand_b(
            b.within(blocks, shape.n), (*shape.batch, blocks, shape.n), along_m, along_n, copies
        ),
    )


def _operand_b(
    fragment: Fragment, shape: Sequence[int], along_m: int, along_n: int, copies: int
) -> LinearLayout:
    split = ((None, along_m), (1, along_n), (None, copies))
    return fragments.tile(fragment, shape, split, order=(0, 1))


def _wgmma(
    shape: DotShape, atom: MMAAtom, target: Target, warps: int, element_bits: int
) -> Iterator[DotLayouts]:
    """wgmma: every split of the warpgroups; A from registers or, like B, from shared memory."""
    # `wgmma` is executed by whole warpgroups.
    groups = warps // WARPS_PER_GROUP
    narrowest = atom.shapes[-1].n
    operand = fragments.warpgroup_operand_a(atom.operand_bits)
    shared_layouts = _operand_layouts(shape, element_bits)
    if not groups or shape.m % WARPGROUP_ROWS or shared_layouts is None:
        return
    columns = max(1, _largest_power(shape.n) // narrowest)
    for along_m, along_n, copies in warp_splits(groups, shape.m // WARPGROUP_ROWS, columns):
        split = ((0, along_m), (1, along_n), (None, copies))
        repeated = ((0, along_m), (None, along_n * copies))
        try:
            yield DotLayouts(
                f"{atom.name}_{along_m}x{along_n}",
                (fragments.tile(operand, shape.a, repeated), shared_layouts[0]),
                (shared_layouts[1],),
                fragments.tile(fragments.WARPGROUP_ACCUMULATOR, shape.c, split),
            )
        except LayoutError:
            continue


def _tcgen05_mma(
    shape: DotShape, atom: MMAAtom, target: Target, warps: int, element_bits: int
) -> Iterator[DotLayouts]:
    """tcgen05.mma: every shape in which tcgen05.ld can bring the accumulator to registers."""
    # A warp reaches the quarter of the lanes that its rank in the warpgroup names (PTX ISA).
    groups = warps // WARPS_PER_GROUP
    shared_layouts = _operand_layouts(shape, element_bits)
    # Bytes may follow each other along N, too: B stays as it is loaded, whichever way it lies.
    may_be_along_n = atom.transposes_bytes and fills_core_row(shape.n, element_bits)
    along_n = _operand_layouts(shape, element_bits, along_n=True) if may_be_along_n else None
    # Tensor memory has rows and columns, and no further dimension for a batch.
    if not groups or shape.batch or shared_layouts is None:
        return
    for access in AccessShape:
        try:
            accumulator = tensor_memory_accumulator((shape.m, shape.n))
            registers = tensor_memory_registers(accumulator, access, groups)
        except LayoutError:
            continue
        yield DotLayouts(
            f"{atom.name}_{access.value}",
            (shared_layouts[0],),
            tuple(pair[1] for pair in (along_n, shared_layouts) if pair is not None),
            registers,
            _tensor_memory_scales(shape, atom, warps) if atom.scale else (),
        )
    if atom.scale or atom.operand_bits != OPERAND_A_BITS:
        return
    # The same with A in tensor memory: its columns hold two elements of a row each.
    for access in OPERAND_A_ACCESSES:
        try:
            accumulator = tensor_memory_accumulator((shape.m, shape.n))
            registers = tensor_memory_registers(accumulator, access, groups)
            operand = tensor_memory_operand_a(shape.a, access, groups)
        except LayoutError:
            continue
        name = f"{atom.name}_{access.value}{IN_TENSOR_MEMORY}"
        yield DotLayouts(name, (operand,), (shared_layouts[1],), registers)


def _tensor_memory_scales(
    shape: DotShape, atom: MMAAtom, warps: int
) -> tuple[LinearLayout, LinearLayout]:
    """The block scales in registers; each warp stores copies to its quarter of tensor memory."""
    shapes = (shape.m, shape.k // atom.scale_block), (shape.k // atom.scale_block, shape.n)
    fragment_pair = fragments.TENSOR_MEMORY_SCALES_A, fragments.TENSOR_MEMORY_SCALES_B
    a, b = (
        fragments.tile(fragment.within(*extents), extents, ((None, warps),), order=order)
        for fragment, extents, order in zip(fragment_pair, shapes, ((1, 0), (0, 1)), strict=True)
    )
    return a, b


def _operand_layouts(
    shape: DotShape, element_bits: int, *, along_n: bool = False
) -> tuple[SharedLayout, SharedLayout] | None:
    """A and B in shared memory, swizzled as widely as their rows allow; None if they cannot be.

    Elements of B are contiguous along K, or, if they have 16 bits and `along_n`, along N.
    """
    rank = len(shape.a)
    # Of wgmma, only 16-bit operands have a transpose bit (PTX ISA, "wgmma.mma_async").
    along_n |= element_bits == 16
    order = None if along_n else (rank - 2, rank - 1, *reversed(range(rank - 2)))
    try:
        return (
            shared(shape.a, element_bits, widest_swizzle(shape.a, element_bits)),
            shared(shape.b, element_bits, widest_swizzle(shape.b, element_bits, order), order),
        )
    except LayoutError:
        return None


def _fused_multiply_adds(shape: DotShape, warps: int) -> DotLayouts:
    """Fused multiply-adds: C dealt out in short vectors, A and B by the rows and columns of C."""
    accumulator = blocked(shape.c, VECTOR_COLUMNS, warps)
    rank = len(shape.c)
    return DotLayouts(
        "fma",
        (_whole_along(accumulator, shape.a, rank - 1),),
        (_whole_along(accumulator, shape.b, rank - 2),),
        accumulator,
    )


def _whole_along(accumulator: LinearLayout, shape: Sequence[int], summed: int) -> LinearLayout:
    """The layout of an operand in which a thread has all elements that it needs along `summed`."""
    strides = [dimension_bases(shape, dim) for dim in range(len(shape))]

    def carry(bases: Sequence[int]) -> tuple[int, ...]:
        carried: list[int] = []
        for base in bases:
            coordinate = element_coordinate(base, accumulator.shape)
            carried.append(
                sum(
                    position * strides[dim][0]
                    for dim, position in enumerate(coordinate)
                    if dim != summed and position
                )
            )
        return tuple(carried)

    kept = tuple(base for base in carry(accumulator.register) if base)
    return LinearLayout(
        strides[summed] + kept,
        carry(accumulator.lane),
        carry(accumulator.warp),
        (),
        tuple(shape),
    )
