"""Operands that either branch of an `if` loads go to one buffer by asynchronous copies.

    %x = scf.if %c -> (T) {                      %b = nv_tileas.alloc_tensor : B
      %l = nv_tileas.tiled_load weak %v[..]      %s = scf.if %c -> (B) {
      scf.yield %l                                 %f = nv_tileas.async.tiled_load .. into %b
    } else {                                       nv_tileas.async.wait %f
      %r = nv_tileas.tiled_load weak %w[..]        scf.yield %b
      scf.yield %r                        ->     } else {..}
    }                                            %x = nv_tileas.convert_layout %s
    %d = nv_tileas.dot %x, %y, %acc              %d = nv_tileas.dot %x, %y, %acc

A dot wants its operands in layouts in which threads load few neighbours. Loaded in another one, a
tile would go through shared memory anyway, and through registers before. Both branches fill the
same memory, and `tileas-remove-buffer-alias` sees that it is what the `if` gives. Source: PTX ISA,
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
from tileir_xdsl.analysis.layouts.uses import LOOPS
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.constructors import fastest_first
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.mma import MMA_ATOMS

from .operand_buffers import buffer_type, is_accepted_along, operand_layouts
from .pointer_operands import has_async_copies, has_memory_for_loads, start_copy

Load = nv_tileas.LoadOp | nv_tileas.TiledLoadOp


@dataclass(frozen=True)
class BranchOperand:
    """An operand that an `if` gives, of which each branch loads its own."""

    op: scf.IfOp
    number: int
    """Of the result."""
    loads: tuple[Load, Load]
    layout: SharedLayout
    """Of the buffer."""


def branch_operand(
    op: MMAOp, index: int, divisibility: DivisibilityAnalysis, target: Target
) -> BranchOperand | None:
    """What loads an operand of a dot in either branch, if it can as well be copied."""
    operand = op.operands[index]
    branch = operand.owner
    if not isinstance(branch, scf.IfOp) or branch.parent is not op.parent:
        return None
    if not isinstance(operand, OpResult) or not operand.has_one_use():
        return None
    loads = [load for region in branch.regions for load in _loaded(region.block.last_op, operand)]
    dimensions = {_copied_along(load, divisibility, target) for load in loads}
    if len(loads) != len(branch.regions) or len(dimensions) > 1 or None in dimensions:
        return None
    (dimension,) = dimensions
    assert dimension is not None
    order = fastest_first(len(tile_shape(operand.type).shape), dimension)
    layouts = operand_layouts(operand, [], order)
    if layouts is None or not is_accepted_along(op, operand, layouts[0], -1 if index == 0 else -2):
        return None
    first, second = loads
    return BranchOperand(branch, operand.index, (first, second), layouts[0])


def _loaded(terminator: Operation | None, result: OpResult) -> Sequence[Load]:
    """The load of what a branch gives, if nothing else uses its tile."""
    assert terminator is not None
    value = terminator.operands[result.index]
    load = value.owner
    if not isinstance(load, Load) or load.parent is not terminator.parent or load.atom is not None:
        return ()
    return (load,) if value is load.results[0] and value.has_one_use() else ()


def _copied_along(load: Load, divisibility: DivisibilityAnalysis, target: Target) -> int | None:
    """The dimension along which a copy moves 16 bytes; None if there is no such copy."""
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
    """Copies operands of a dot in a loop to buffers that both branches of an `if` fill."""

    divisibility: DivisibilityAnalysis
    target: Target

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, MMAOp)
        in_fragments = reads_in_steps(op)
        if op.scales or (not in_fragments and (op.atom is None or op.atom.data not in MMA_ATOMS)):
            return
        if not isinstance(op.parent_op(), LOOPS) or not has_memory_for_loads(op, self.target):
            return
        for index in (0, 1):
            found = branch_operand(op, index, self.divisibility, self.target)
            if found is not None:
                tile = _fill(found, rewriter)
                if in_fragments:
                    before = Builder(InsertPoint.before(op))
                    wanted = op.operands[index].type
                    tile = before.insert(nv_tileas.ConvertLayoutOp(tile, wanted)).result
                op.operands[index] = tile
                rewriter.notify_op_modified(op)


def _fill(found: BranchOperand, rewriter: PatternRewriter) -> SSAValue:
    """Has both branches fill one buffer, and gives what the `if` gives in the place of the tile."""
    result = found.op.results[found.number]
    buffer = nv_tileas.AllocTensorOp(buffer_type(result.type, found.layout))
    buffer.location = found.op.location
    rewriter.insert(buffer, InsertPoint.before(found.op))
    for load in found.loads:
        insert = Builder(InsertPoint.before(load)).insert
        # What is waited for is the buffer itself, which either branch gives.
        insert(nv_tileas.WaitOp([start_copy(load, buffer.result, insert)]))
        load.results[0].replace_all_uses_with(buffer.result)
        rewriter.erase(load)
    return rewriter.replace_value_with_new_type(result, buffer.result.type)
