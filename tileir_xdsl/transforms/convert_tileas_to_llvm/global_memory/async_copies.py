"""Per-thread asynchronous copies from global to shared memory (`cp.async`).

    %x = nv_tileas.async.tiled_load weak %view[%i, %j] into %buffer : .. {atom = ..ldgsts_128>}
    ->
    nvvm.cp.async.shared.global %p0, %g0, 16, cache = cg        // one for each 16 bytes of a thread

The op's register layout determines which thread copies which elements. The default layout
distributes row vectors over consecutive lanes. If the buffer has fewer contiguous bytes than the
atom copies, copies are narrower. The copies themselves write zeros for masked-off and out-of-bounds
elements: their number of source bytes is an operand. In a pipeline's producer, every thread arrives
at the stage's barrier when its copies have completed. Any other load becomes a copy group with a
wait. Source: PTX ISA, "cp.async".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i8, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import is_in_pipeline
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.threads.agent_warps import THREADS_PER_WARP
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.enumerations import CacheModifier, PaddingValue
from tileir_xdsl.dialects.nv_tileaa.attributes import padding_of
from tileir_xdsl.dialects.nv_tileas.layout import REGISTER_MODES, linear_layout
from tileir_xdsl.dialects.nv_tileas.types import layout_of as layout_in_memory
from tileir_xdsl.dialects.nvvm.copies import (
    CpAsyncCommitGroupOp,
    CpAsyncOp,
    CpAsyncWaitGroupOp,
)
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import VectorAccess
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.scratch import SharedMemoryPlan, staging_plan
from tileir_xdsl.targets.atoms import CopyKind
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.constants import is_zero

from ..shared_memory.scratch import stores_copies, vector_addresses
from ..shared_memory.single_transactions import masks_of
from ..thread.device_calls import go_on, only_where
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.shared_buffers import SharedTile
from .tile_addresses import TileAccess, tile_access

SIZES = (4, 8, 16)
"""The bytes that one instruction copies."""

AsyncLoad = nv_tileas.AsyncLoadOp | nv_tileas.AsyncTiledLoadOp

Bytes = Callable[[int], SSAValue | None]
"""The number of source bytes of the vector that begins in a register; None if all are read."""


def copied_bytes(op: AsyncLoad) -> int:
    """The bytes that one instruction copies, according to the atom."""
    atom = None if op.atom is None else op.atom.copy_atom
    if atom is None or atom.kind is not CopyKind.ASYNC_COPY:
        fail(op, f"'{op.name}' op expects an asynchronous copy atom")
    return atom.vector_bytes


def copy_layout(op: AsyncLoad, tile: SharedTile, rewriter: ThreadRewriter) -> LinearLayout:
    """The layout that distributes the copies of a tile over threads."""
    shape, element = tile.layout.shape, tile.layout.element_bits // 8
    # The layout of a tile of four dimensions in memory has as many modes as one of registers.
    is_of_memory = op.destination is not None and op.layout == layout_in_memory(op.destination.type)
    modes = 0 if op.layout is None or is_of_memory else op.layout.data.layout.rank
    # A layout of memory says where bytes are and not which thread copies them.
    if op.layout is not None and modes == REGISTER_MODES:
        return linear_layout(op.layout.data.layout, shape)
    strides = [mode(1) if mode.size > 1 else 0 for mode in tile.layout.layout.modes()]
    # Fastest dimension of the buffer first: a copy writes contiguous bytes of shared memory.
    order = sorted(range(len(shape)), key=lambda dim: (shape[dim] == 1, strides[dim]))
    if rewriter.region.threads < THREADS_PER_WARP:
        # One thread executes a function that is called.
        fail(
            op,
            f"'{op.name}' op must be in a kernel: a single thread executes a "
            "function that is called",
        )
    warps = rewriter.layout_warps
    return blocked(shape, max(1, copied_bytes(op) // element), warps, order=order)


@dataclass(frozen=True)
class Copies:
    """The copies of a tile: each thread's vectors, and their offsets in the buffer."""

    layout: LinearLayout
    plan: SharedMemoryPlan
    access: VectorAccess
    size: int
    """The bytes that one copy moves."""
    width: int
    """The elements that one copy moves, in consecutive registers of the layout."""

    def start(
        self,
        pointers: Mapping[int, SSAValue],
        inside: Bytes,
        tile: SharedTile,
        rewriter: ThreadRewriter,
    ) -> None:
        """Issues a copy for every vector of a thread."""
        builder = rewriter.builder
        stores = stores_copies(self.plan, self.layout, rewriter)
        # Threads that hold copies of the same elements need not all fetch them.
        after = None if stores is None else only_where(rewriter, stores)
        # `.cg` exists for 16 bytes only, and leaves L1 to others (PTX ISA, "cp.async").
        modifier = CacheModifier.CG if self.size == max(SIZES) else CacheModifier.CA
        parts = f2.table([1 << bit for bit in self.access.vector])[:: self.width]
        for first, position in vector_addresses(tile.pointer(builder), self.access, rewriter):
            for number, part in enumerate(parts):
                register, offset = first | part, number * self.size
                destination = builder.element_pointer(position, offset, i8)
                source = pointers[register]
                copy = CpAsyncOp(destination, source, self.size, modifier, inside(register))
                builder.insert_without_result(copy)
        if after is not None:
            go_on(rewriter, after)


def plan_copies(op: AsyncLoad, layout: LinearLayout, tile: SharedTile) -> Copies:
    """Plans the copies of a tile in a layout; each copies at most as many bytes as its atom.

    The destination of a `cp.async` is contiguous (PTX ISA, "cp.async"), so a buffer with fewer
    contiguous elements needs narrower copies. Raises `PassFailedException` if no instruction is
    narrow enough.
    """
    try:
        plan = staging_plan(layout, tile.layout.address_map())
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    access = plan.store
    assert isinstance(access, VectorAccess)
    neighbours = 0
    # Neighbours in the buffer: what one copy writes must be contiguous.
    while access.vector[neighbours : neighbours + 1] == (neighbours,):
        neighbours += 1
    element = tile.layout.element_bits // 8
    size = min(copied_bytes(op), element << neighbours)
    if size < min(SIZES):
        fail(op, f"'{op.name}' op expects copies of at least {min(SIZES)} bytes, but got {size}")
    return Copies(layout, plan, access, size, max(1, size // element))


def bytes_inside(
    masks: Sequence[SSAValue | None],
    size: int,
    width: int,
    together: bool,
    rewriter: ThreadRewriter,
) -> Bytes:
    """The number of leading bytes of each vector that the masks enable.

    `together` means that the elements of a vector have equal masks.
    """
    builder = rewriter.builder
    zero = builder.integer(0, i32)

    def count(first: int) -> SSAValue | None:
        if masks[first] is None:
            return None
        # `cp.async` zero-fills what exceeds its source size, and reads nothing where that is 0.
        each = builder.integer(size if together else size // width, i32)
        total: SSAValue | None = None
        # Counted from the front: the part of a vector that is in bounds always is its beginning.
        for mask in masks[first : first + (1 if together else width)]:
            part = each if mask is None else builder.select(mask, each, zero)
            total = part if total is None else builder.insert(llvm.AddOp(total, part))
        return total

    return count


def bytes_counted(counts: Mapping[int, SSAValue], size: int, rewriter: ThreadRewriter) -> Bytes:
    """The bytes of leading elements, from their counts and the element size."""

    def count(first: int) -> SSAValue | None:
        bytes = rewriter.builder.multiply(counts[first], size, i32)
        assert isinstance(bytes, SSAValue)
        return bytes

    return count


def begin(op: AsyncLoad, rewriter: ThreadRewriter) -> SharedTile:
    """The buffer that a load fills."""
    if op.destination is None:
        fail(op, f"'{op.name}' op expects a buffer to load into")
    rewriter.replace(op.result, rewriter.shared_tile(op.destination))
    return rewriter.shared_tile(op.destination)


def finish(op: AsyncLoad, rewriter: ThreadRewriter) -> None:
    """Commits a copy group, unless the copies fill a stage of a pipeline."""
    # Copies of a stage are counted by its barrier object (PTX ISA, "cp.async.mbarrier.arrive").
    if not is_in_pipeline(op):
        rewriter.builder.insert_without_result(CpAsyncCommitGroupOp())


class LowerAsyncTiledLoad(LowerOp[nv_tileas.AsyncTiledLoadOp]):
    """Lowers a load of one tile of a view, with zeros for out-of-bounds elements."""

    def lower(self, op: nv_tileas.AsyncTiledLoadOp, rewriter: ThreadRewriter) -> None:
        padding = padding_of(op.padding_value)
        if padding not in (None, PaddingValue.ZERO):
            # The hardware has no other fill value (PTX ISA, "cp.async", `src-size`).
            fail(op, f"'{op.name}' op expects padding of zero, but got {padding}")
        tile = begin(op, rewriter)
        copies = plan_copies(op, copy_layout(op, tile, rewriter), tile)
        access = tile_access(op, op.operands[-1], rewriter, copies.layout)
        width = copies.width
        together = isinstance(access, TileAccess) and not access.splits_vectors(width)
        # Elements along one dimension are counted at once, others one by one.
        counts = access.leading(width) if isinstance(access, TileAccess) and not together else None
        if counts is None:
            inside = bytes_inside(access.masks(), copies.size, width, together, rewriter)
        else:
            inside = bytes_counted(counts, copies.size // width, rewriter)
        copies.start(access.pointers(width), inside, tile, rewriter)
        finish(op, rewriter)


class LowerAsyncLoad(LowerOp[nv_tileas.AsyncLoadOp]):
    """Lowers a load through a tile of pointers, with zeros where the mask is off."""

    def lower(self, op: nv_tileas.AsyncLoadOp, rewriter: ThreadRewriter) -> None:
        if op.other is not None and not all(map(is_zero, rewriter.registers(op.other))):
            fail(op, f"'{op.name}' op expects padding of zero")
        tile, layout = begin(op, rewriter), layout_of(op, op.pointers)
        assert layout is not None
        copies, pointers = plan_copies(op, layout, tile), rewriter.registers(op.pointers)
        masks = masks_of(op.mask, len(pointers), rewriter)
        together = op.mask is None or _is_same_along(op.mask, op.pointers, copies.width)
        inside = bytes_inside(masks, copies.size, copies.width, together, rewriter)
        copies.start(dict(enumerate(pointers)), inside, tile, rewriter)
        finish(op, rewriter)


def _is_same_along(mask: SSAValue, pointers: SSAValue, width: int) -> bool:
    """Whether the mask is known to be equal for `width` elements that are neighbours in memory."""
    facts = DivisibilityAnalysis()
    contiguity, constancy = facts.of(pointers).contiguity, facts.of(mask).constancy
    return constancy[contiguity.index(max(contiguity))] >= width


def wait_for_group(op: AsyncLoad, _value: SSAValue, rewriter: ThreadRewriter) -> None:
    """Makes each thread wait for its own copies; a barrier follows before elements are read."""
    if is_in_pipeline(op):
        # Copies that fill a stage are in no group until somebody waits for them here.
        rewriter.builder.insert_without_result(CpAsyncCommitGroupOp())
    # A wait counts back from the youngest group, and more may have been committed: all of them.
    rewriter.builder.insert_without_result(CpAsyncWaitGroupOp(0))


class LowerCommitCopies(LowerOp[nv_tileas.CommitCopiesOp]):
    """Commits the copies of this thread as a group."""

    def lower(self, op: nv_tileas.CommitCopiesOp, rewriter: ThreadRewriter) -> None:
        rewriter.builder.insert_without_result(CpAsyncCommitGroupOp())


class LowerWaitCopies(LowerOp[nv_tileas.WaitCopiesOp]):
    """Makes each thread wait for its own copies, and then synchronises all threads."""

    def lower(self, op: nv_tileas.WaitCopiesOp, rewriter: ThreadRewriter) -> None:
        # A thread waits for its own groups only (PTX ISA, "cp.async.wait_group").
        rewriter.builder.insert_without_result(CpAsyncWaitGroupOp(op.pending.value.data))
        rewriter.barrier()


PATTERNS: Patterns = {
    nv_tileas.AsyncLoadOp: LowerAsyncLoad,
    nv_tileas.AsyncTiledLoadOp: LowerAsyncTiledLoad,
    nv_tileas.CommitCopiesOp: LowerCommitCopies,
    nv_tileas.WaitCopiesOp: LowerWaitCopies,
}

WAITS: Mapping[type[Operation], Callable[[Any, SSAValue, ThreadRewriter], None]] = {
    nv_tileas.AsyncLoadOp: wait_for_group,
    nv_tileas.AsyncTiledLoadOp: wait_for_group,
}
"""The wait for each copy op."""
