"""Operands that a loop loads through pointers are copied asynchronously to shared memory.

    scf.for .. {                                scf.for .. {
      %x = nv_tileas.load weak %p, ..             %b = nv_tileas.alloc_tensor : B
      %d = nv_tileas.dot %x, %y, %acc      ->     %v = nv_tileas.async.load weak %p into %b ..
                                                  %m = nv_tileas.async.future_wait %v
                                                  %x = nv_tileas.convert_layout %m
                                                  %d = nv_tileas.dot %x, %y, %acc

In the layouts of a matrix unit each thread holds few neighbours of a row, so that a thread would
load single words. A copy moves 16 bytes, and pipelines start copies iterations ahead. A copy
requires 16 bytes at aligned addresses with equal mask elements, and 0 for masked-off elements.
`tileas-assign-load-store-layouts` assigns the atom. Source: PTX ISA, "cp.async".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.access.access_width import AccessedAddresses, addresses_of_pointers
from tileir_xdsl.analysis.access.fragment_loads import reads_in_steps
from tileir_xdsl.analysis.layouts.uses import LOOPS, stored_bits
from tileir_xdsl.analysis.regions.scopes import scope_of
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.builders.dots import is_positive_zero
from tileir_xdsl.builders.tiles import allocate, convert_layout, wait_for
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.banks import MAX_VECTOR_BYTES
from tileir_xdsl.layout.constructors import fastest_first
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.targets.mma import MMA_ATOMS
from tileir_xdsl.transforms.lower_ldgsts_load_to_async import SHARED_PROPERTIES
from tileir_xdsl.walking import ops_in

from .buffer_shapes import ShapeOp, shape_chain
from .operand_buffers import buffer_type, is_accepted_along, on_buffer, operand_layouts

Load = nv_tileas.LoadOp | nv_tileas.TiledLoadOp
"""The loads that asynchronous copies can replace."""

BARRIER_BYTES = 1024
"""Shared memory reserved for the mbarriers of pipelines, in bytes."""

PROPERTIES = ("mem_semantic", "mem_scope")
"""Properties that a copy inherits from the load; the atom follows from the buffer."""


@dataclass(frozen=True)
class PointerOperand:
    """An operand loaded through pointers, and the layout of its buffer."""

    load: nv_tileas.LoadOp
    chain: Sequence[ShapeOp]
    layouts: Sequence[SharedLayout]
    """The layouts of the loaded tile, and of the result of each op in the chain."""


def pointer_operand(
    op: MMAOp, index: int, divisibility: DivisibilityAnalysis, target: Target
) -> PointerOperand | None:
    """The load of an operand of a dot, if an asynchronous copy can replace it."""
    operand = op.operands[index]
    # For another user the tile would have to be in registers too.
    if not operand.has_one_use():
        return None
    chain = shape_chain(operand.owner) if isinstance(operand.owner, ShapeOp) else []
    source = chain[0].operands[0] if chain else operand
    load = source.owner
    if not isinstance(load, nv_tileas.LoadOp) or not source.has_one_use():
        return None
    if load.parent is not op.parent or load.atom is not None:
        return None
    tile = tile_shape(source.type)
    addresses = addresses_of_pointers(load.pointers, tile, divisibility)
    if not has_async_copies(load, addresses, divisibility, target):
        return None
    order = fastest_first(len(tile.shape), addresses.dimension)
    layouts = operand_layouts(source, chain, order)
    k = -1 if index == 0 else -2
    if layouts is None or not is_accepted_along(op, operand, layouts[-1], k):
        return None
    return PointerOperand(load, chain, layouts)


def has_async_copies(
    load: nv_tileas.LoadOp,
    addresses: AccessedAddresses,
    divisibility: DivisibilityAnalysis,
    target: Target,
) -> bool:
    """Whether `cp.async` can load a tile to shared memory: 16 bytes at once, 0 for masked-off
    elements.
    """
    width = addresses.width.elements
    return (
        Feature.CP_ASYNC in target.features
        and load.mem_semantic.data == MemoryOrdering.WEAK
        and width * addresses.element_bytes == MAX_VECTOR_BYTES
        and (load.other is None or is_positive_zero(load.other))
        and (
            load.mask is None or divisibility.of(load.mask).constancy[addresses.dimension] >= width
        )
    )


def takes_copies(op: MMAOp) -> bool:
    """Whether a dot is in a loop and can read its operands from shared memory.

    Either a matrix instruction reads shared memory, or threads load fragments step by step along K.
    """
    reads_buffers = reads_in_steps(op) or (op.atom is not None and op.atom.data in MMA_ATOMS)
    return reads_buffers and not op.scales and isinstance(op.parent_op(), LOOPS)


@dataclass(frozen=True)
class CopyPointerOperands(RewritePattern):
    """Replaces loads of a dot's operands through pointers by copies to buffers, for dots in
    loops.
    """

    divisibility: DivisibilityAnalysis
    target: Target

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, MMAOp)
        if not takes_copies(op):
            return
        in_fragments = reads_in_steps(op)
        found = {
            index: operand
            for index in (0, 1)
            if (operand := pointer_operand(op, index, self.divisibility, self.target)) is not None
        }
        if found and has_memory_for_loads(op, self.target):
            for index, operand in found.items():
                _copy(op, index, operand, in_fragments, rewriter)


def has_memory_for_loads(op: MMAOp, target: Target) -> bool:
    """Whether all loaded tiles of a function fit in shared memory together, each once."""
    limit = target.limits.shared_memory_per_block - BARRIER_BYTES
    staged = (nv_tileas.LoadOp, nv_tileas.TiledLoadOp, nv_tileas.AllocTensorOp)
    types = (inner.results[0].type for inner in ops_in(scope_of(op)) if isinstance(inner, staged))
    bits = sum(prod(tile_shape(type).shape) * stored_bits(type) for type in types)
    return bits <= 8 * limit


def _copy(
    op: MMAOp, index: int, found: PointerOperand, in_fragments: bool, rewriter: PatternRewriter
) -> None:
    """Replaces a load by a copy, and the operand by the tile of the copy's buffer."""
    load, operand = found.load, op.operands[index]
    at_load = Builder(InsertPoint.before(load))
    buffer = allocate(at_load, buffer_type(load.value.type, found.layouts[0]), load.location)
    tile = wait_for(at_load, start_copy(load, buffer, at_load.insert), load.location)
    tile.name_hint = load.value.name_hint
    before = Builder(InsertPoint.before(op))
    for shape_op, layout in zip(found.chain, found.layouts[1:], strict=True):
        tile = before.insert(on_buffer(shape_op, tile, layout)).results[0]
        tile.name_hint = shape_op.results[0].name_hint
    # A dot of a warp reads fragments in registers, which it loads from the buffer step by step.
    if in_fragments:
        tile = convert_layout(before, tile, operand.type)
    op.operands[index] = tile
    rewriter.notify_op_modified(op)
    for shape_op in reversed(found.chain):
        rewriter.erase(shape_op)
    rewriter.erase(load)


def start_copy(
    load: Load,
    buffer: SSAValue,
    insert: Callable[[Operation], Operation],
) -> SSAValue:
    """Starts the copy that replaces a load; returns the async value to wait for."""
    types = [ValueType(buffer.type)]
    copy: nv_tileas.AsyncLoadOp | nv_tileas.AsyncTiledLoadOp
    if isinstance(load, nv_tileas.LoadOp):
        # Zeros are what a copy fills with itself.
        operands = [load.pointers, load.mask, None, load.token, buffer]
        properties = {name: load.properties.get(name) for name in PROPERTIES}
        copy = nv_tileas.AsyncLoadOp.build(
            operands=operands, properties=properties, result_types=types
        )
    else:
        properties = {name: load.properties.get(name) for name in SHARED_PROPERTIES}
        copy = nv_tileas.AsyncTiledLoadOp.build(
            operands=[load.view, load.coords, load.offsets, load.token, buffer],
            properties=properties,
            result_types=types,
        )
    copy.location = load.location
    insert(copy)
    if load.result_token is not None:
        # Where the tile is waited for, the load is done, and so is all that it waited for.
        before = load.token
        if before is None or before.type != load.result_token.type:
            before = nv_tileaa.CreateMemTokenOp().result
            assert isinstance(before.owner, Operation)
            insert(before.owner)
        load.result_token.replace_all_uses_with(before)
    return copy.result
