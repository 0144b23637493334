"""Per-thread asynchronous copies from global to shared memory (`cp.async`).

    %x = nv_tileas.async.tiled_load weak %view[%i, %j] into %buffer : .. {atom = ..ldgsts_128>}
    ->
    nvvm.cp.async.shared.global %p0, %g0, 16, cache = cg        // one for each 16 bytes of a thread

The layout on the op, or by default row vectors distributed over consecutive lanes, determines which
thread copies what. Elements that are masked off or out of bounds are zero-filled by the copy
itself: the number of source bytes is an operand. In a producer of a pipeline every thread arrives
at the barrier of the stage once its copies are done; any other load is a copy group that is waited
for. Source: PTX ISA, "cp.async".
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i8, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.enumerations import CacheModifier, PaddingValue
from tileir_xdsl.dialects.nv_tileas.layout import REGISTER_MODES, linear_layout
from tileir_xdsl.dialects.nvvm.copies import (
    CpAsyncCommitGroupOp,
    CpAsyncOp,
    CpAsyncWaitGroupOp,
)
from tileir_xdsl.layout.banks import VectorAccess
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.scratch import staging_plan
from tileir_xdsl.targets.atoms import CopyKind
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.constants import is_zero

from ..shared_memory.pipelines import Produce
from ..shared_memory.scratch import stores_copies, vector_addresses
from ..shared_memory.single_transactions import masks_of
from ..thread.agent_warps import THREADS_PER_WARP
from ..thread.device_calls import go_on, only_where
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadProgram
from ..thread.shared_buffers import SharedTile
from .memory_order import order_access
from .tile_addresses import TileAccess, tile_access

SIZES = (4, 8, 16)
"""The bytes that one instruction copies."""

AsyncLoad = nv_tileas.AsyncLoadOp | nv_tileas.AsyncTiledLoadOp

Bytes = Callable[[int], SSAValue | None]
"""How many bytes are read for the vector that begins in a register; None where all are."""


def copied_bytes(op: AsyncLoad) -> int:
    """The bytes that one instruction copies, as the atom says."""
    atom = None if op.atom is None else op.atom.copy_atom
    if atom is None or atom.kind is not CopyKind.ASYNC_COPY:
        fail(op, f"'{op.name}' op expects an atom of asynchronous copies")
    return atom.vector_bytes


def copy_layout(op: AsyncLoad, tile: SharedTile, program: ThreadProgram) -> LinearLayout:
    """The layout that distributes the copies of a view's tile over threads."""
    shape, element = tile.layout.shape, tile.layout.element_bits // 8
    if op.layout is not None and op.layout.data.layout.rank == REGISTER_MODES:
        return linear_layout(op.layout.data.layout, shape)
    strides = [mode(1) if mode.size > 1 else 0 for mode in tile.layout.layout.modes()]
    order = sorted(range(len(shape)), key=lambda dim: (shape[dim] == 1, strides[dim]))
    warps = program.threads // THREADS_PER_WARP
    return blocked(shape, max(1, copied_bytes(op) // element), warps, order=order)


def start_copies(
    op: AsyncLoad,
    layout: LinearLayout,
    pointers: Mapping[int, SSAValue],
    inside: Bytes,
    tile: SharedTile,
    program: ThreadProgram,
) -> None:
    """Issues a copy for every vector that a thread holds in a layout.

    Raises `PassFailedException` where the elements of a vector are not contiguous in the buffer.
    """
    builder, size = program.builder, copied_bytes(op)
    try:
        plan = staging_plan(layout, tile.layout.address_map(), stmatrix=False)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    access = plan.store
    assert isinstance(access, VectorAccess)
    if access.vector_bytes < size:
        fail(op, f"'{op.name}' op copies {size} bytes that do not lie together in the buffer")
    width = max(1, size * 8 // tile.layout.element_bits)
    stores = stores_copies(plan, layout, program)
    after = None if stores is None else only_where(program, stores)
    modifier = CacheModifier.CG if size == max(SIZES) else CacheModifier.CA
    for first, position in vector_addresses(tile.pointer(builder), access, program):
        for part in range(0, 1 << len(access.vector), width):
            register, offset = first | part, part * tile.layout.element_bits // 8
            destination = builder.element_pointer(position, offset, i8)
            copy = CpAsyncOp(destination, pointers[register], size, modifier, inside(register))
            builder.insert_without_result(copy)
    if after is not None:
        go_on(program, after)


def bytes_inside(
    masks: Sequence[SSAValue | None], size: int, width: int, together: bool, program: ThreadProgram
) -> Bytes:
    """How many leading bytes of a vector are not masked off.

    `together`: the elements of a vector are all masked off, or none.
    """
    builder = program.builder
    zero = builder.integer(0, i32)

    def count(first: int) -> SSAValue | None:
        if masks[first] is None:
            return None
        each = builder.integer(size if together else size // width, i32)
        total: SSAValue | None = None
        for mask in masks[first : first + (1 if together else width)]:
            part = each if mask is None else builder.select(mask, each, zero)
            total = part if total is None else builder.insert(llvm.AddOp(total, part))
        return total

    return count


def begin(op: AsyncLoad, program: ThreadProgram) -> SharedTile:
    """The buffer that a load fills, after all earlier reads of it."""
    if op.destination is None:
        fail(op, f"'{op.name}' op expects a buffer to load into")
    if not fills_stage(program) and program.shared_accesses.may_be_read(program.builder.block):
        program.barrier()
    program.shared_tiles[op.result] = program.shared_tiles[op.destination]
    return program.shared_tiles[op.destination]


def finish(program: ThreadProgram) -> None:
    """Commits a copy group, unless the copies fill a stage of a pipeline."""
    if not fills_stage(program):
        program.builder.insert_without_result(CpAsyncCommitGroupOp())


def fills_stage(program: ThreadProgram) -> bool:
    """Whether the program point is in a producer of a pipeline."""
    return any(isinstance(around, Produce) for around in program.enclosing)


class LowerAsyncTiledLoad(LowerOp[nv_tileas.AsyncTiledLoadOp]):
    """A tile of a view; elements out of bounds are zero."""

    def lower(self, op: nv_tileas.AsyncTiledLoadOp, program: ThreadProgram) -> None:
        if op.padding_value is not None and op.padding_value.data is not PaddingValue.ZERO:
            fail(op, f"'{op.name}' op fills with zeros only, not with {op.padding_value.data}")
        order_access(op, op.token, program, writes=False)
        tile = begin(op, program)
        layout, size = copy_layout(op, tile, program), copied_bytes(op)
        access = tile_access(op, op.operands[-1], program, layout)
        width = max(1, size * 8 // tile.layout.element_bits)
        together = isinstance(access, TileAccess) and not access.splits_vectors(width)
        inside = bytes_inside(access.masks(), size, width, together, program)
        start_copies(op, layout, access.pointers(width), inside, tile, program)
        finish(program)


class LowerAsyncLoad(LowerOp[nv_tileas.AsyncLoadOp]):
    """The elements that a tile of pointers addresses; zeros where the mask is off."""

    def lower(self, op: nv_tileas.AsyncLoadOp, program: ThreadProgram) -> None:
        if op.other is not None and not all(map(is_zero, program.registers[op.other])):
            fail(op, f"'{op.name}' op fills with zeros only")
        order_access(op, op.token, program, writes=False)
        tile, layout = begin(op, program), layout_of(op, op.pointers)
        assert layout is not None
        pointers, size = program.registers[op.pointers], copied_bytes(op)
        width = max(1, size * 8 // tile.layout.element_bits)
        masks = masks_of(op.mask, len(pointers), program)
        inside = bytes_inside(masks, size, width, together=False, program=program)
        start_copies(op, layout, dict(enumerate(pointers)), inside, tile, program)
        finish(program)


def wait_for_group(_op: Operation, _value: SSAValue, program: ThreadProgram) -> None:
    """Each thread waits for its own copies; readers of the buffer synchronise all threads."""
    program.builder.insert_without_result(CpAsyncWaitGroupOp(0))
    program.shared_accesses.write()


class LowerCommitCopies(LowerOp[nv_tileas.CommitCopiesOp]):
    """Commits the copies of this thread as a group."""

    def lower(self, op: nv_tileas.CommitCopiesOp, program: ThreadProgram) -> None:
        program.builder.insert_without_result(CpAsyncCommitGroupOp())


class LowerWaitCopies(LowerOp[nv_tileas.WaitCopiesOp]):
    """Each thread waits for its own copies, then all threads synchronise."""

    def lower(self, op: nv_tileas.WaitCopiesOp, program: ThreadProgram) -> None:
        program.builder.insert_without_result(CpAsyncWaitGroupOp(op.pending.value.data))
        program.barrier()


PATTERNS: Patterns = {
    nv_tileas.AsyncLoadOp: LowerAsyncLoad,
    nv_tileas.AsyncTiledLoadOp: LowerAsyncTiledLoad,
    nv_tileas.CommitCopiesOp: LowerCommitCopies,
    nv_tileas.WaitCopiesOp: LowerWaitCopies,
}

WAITS: Mapping[type[Operation], Callable[[Any, SSAValue, ThreadProgram], None]] = {
    nv_tileas.AsyncLoadOp: wait_for_group,
    nv_tileas.AsyncTiledLoadOp: wait_for_group,
}
"""How copies are waited for, by the op that starts them."""
