"""Operands that both branches of an `if` load are copied asynchronously to one buffer.

    %x = scf.if %c -> (T) {                      %b = nv_tileas.alloc_tensor : B
      %l = nv_tileas.tiled_load weak %v[..]      %s = scf.if %c -> (B) {
      scf.yield %l                                 %f = nv_tileas.async.tiled_load .. into %b
    } else {                                       nv_tileas.async.wait %f
      %r = nv_tileas.tiled_load weak %w[..]        scf.yield %b
      scf.yield %r                        ->     } else {..}
    }                                            %x = nv_tileas.convert_layout %s
    %d = nv_tileas.dot %x, %y, %acc              %d = nv_tileas.dot %x, %y, %acc

In the layouts that a dot needs, a thread loads few neighbours. A tile loaded in another layout
would go through registers and then shared memory anyway. Both branches fill the same memory, and
`tileas-remove-buffer-alias` recognises that memory as the result of the `if`. Source: PTX ISA,
"cp.async".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.access.access_width import addresses_of_pointers, addresses_of_view
from tileir_xdsl.analysis.access.fragment_loads import reads_in_steps
from tileir_xdsl.analysis.layouts import uses
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.builders.tiles import allocate, convert_layout
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.constructors import fastest_first
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets import Target

from .buffer_shapes import ShapeOp, shape_chain
from .operand_buffers import buffer_type, is_accepted_along, on_buffer, operand_layouts
from .pointer_operands import (
    Load,
    has_async_copies,
    has_memory_for_loads,
    start_copy,
    takes_copies,
)


@dataclass(frozen=True)
class BranchOperand:
    """An operand of a dot that is the result of an `if`, loaded in both branches."""

    op: scf.IfOp
    number: int
    """The index of the result of the `if`."""
    loads: tuple[LoadedOperand, LoadedOperand]
    layouts: Sequence[SharedLayout]
    """The layouts of the buffer, and of the result of each shape op after the loads."""


@dataclass(frozen=True)
class LoadedOperand:
    """The value that a branch yields: a loaded tile, after shape ops."""

    load: Load
    chain: Sequence[ShapeOp]


def branch_operand(
    op: MMAOp, index: int, divisibility: DivisibilityAnalysis, target: Target
) -> BranchOperand | None:
    """The loads of an operand of a dot in both branches, if asynchronous copies can replace
    them.
    """
    operand = op.operands[index]
    branch = operand.owner
    if not isinstance(branch, scf.IfOp) or branch.parent is not op.parent:
        return None
    if not isinstance(operand, OpResult) or not operand.has_one_use():
        return None
    loads = [given for region in branch.regions for given in _loaded(region.block.last_op, operand)]
    if len(loads) != len(branch.regions):
        return None
    layouts = [_layouts(given, divisibility, target) for given in loads]
    first, second = layouts
    # Both have one buffer, and name its elements alike.
    if first is None or first != second:
        return None
    if not is_accepted_along(op, operand, first[-1], -1 if index == 0 else -2):
        return None
    return BranchOperand(branch, operand.index, (loads[0], loads[1]), first)


def _loaded(terminator: Operation | None, result: OpResult) -> Sequence[LoadedOperand]:
    """The load of the value that a branch yields, if the tile has no other use."""
    assert terminator is not None
    value = terminator.operands[result.index]
    if not value.has_one_use():
        return ()
    chain = shape_chain(value.owner) if isinstance(value.owner, ShapeOp) else []
    source = chain[0].operands[0] if chain else value
    load = source.owner
    if not isinstance(load, Load) or load.parent is not terminator.parent or load.atom is not None:
        return ()
    return (LoadedOperand(load, chain),) if source.has_one_use() else ()


def _layouts(
    given: LoadedOperand, divisibility: DivisibilityAnalysis, target: Target
) -> list[SharedLayout] | None:
    """The layouts of a buffer, and of the result of each shape op; None if no copy is possible."""
    tile = given.load.results[0]
    dimension = _copied_along(given.load, divisibility, target)
    if dimension is None:
        return None
    order = fastest_first(len(tile_shape(tile.type).shape), dimension)
    return operand_layouts(tile, given.chain, order)


def _copied_along(load: Load, divisibility: DivisibilityAnalysis, target: Target) -> int | None:
    """The dimension along which a copy moves 16 bytes; None if no copy is possible."""
    tile = tile_shape(load.results[0].type)
    if isinstance(load, nv_tileas.LoadOp):
        addresses = addresses_of_pointers(load.pointers, tile, divisibility)
        is_copied = has_async_copies(load, addresses, divisibility, target)
    else:
        addresses = addresses_of_view(load.view, tile, divisibility)
        is_copied = not load.offsets and uses.has_async_copies(load, addresses, target)
    return addresses.dimension if is_copied else None


@dataclass(frozen=True)
class CopyBranchOperands(RewritePattern):
    """Replaces loads of a dot's operands in branches by copies to one buffer, for dots in loops."""

    divisibility: DivisibilityAnalysis
    target: Target

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, MMAOp)
        if not takes_copies(op) or not has_memory_for_loads(op, self.target):
            return
        in_fragments = reads_in_steps(op)
        for index in (0, 1):
            found = branch_operand(op, index, self.divisibility, self.target)
            if found is not None:
                tile = _fill(found, rewriter)
                if in_fragments:
                    before = Builder(InsertPoint.before(op))
                    tile = convert_layout(before, tile, op.operands[index].type)
                op.operands[index] = tile
                rewriter.notify_op_modified(op)


def _fill(found: BranchOperand, rewriter: PatternRewriter) -> SSAValue:
    """Lets both branches fill one buffer, which replaces the result of the `if`."""
    result = found.op.results[found.number]
    tile = found.loads[0].load.results[0]
    before = Builder(InsertPoint.before(found.op))
    buffer = allocate(before, buffer_type(tile.type, found.layouts[0]), found.op.location)
    for given in found.loads:
        insert = Builder(InsertPoint.before(given.load)).insert
        # The buffer itself, which either branch yields, is waited for.
        insert(nv_tileas.WaitOp([start_copy(given.load, buffer, insert)]))
        value = buffer
        for shape_op, layout in zip(given.chain, found.layouts[1:], strict=True):
            named = on_buffer(shape_op, value, layout)
            named.location = shape_op.location
            rewriter.insert(named, InsertPoint.before(shape_op))
            value = named.results[0]
        replaced = given.chain[-1].results[0] if given.chain else given.load.results[0]
        replaced.replace_all_uses_with(value)
        for op in (*reversed(given.chain), given.load):
            rewriter.erase(op)
    return rewriter.replace_value_with_new_type(result, buffer_type(result.type, found.layouts[-1]))
