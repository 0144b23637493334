"""The greedy cleanup: removes conversions that change nothing or are unused, and merges chains.

%b = convert_layout %a : A -> B
%c = convert_layout %b : B -> C      ->      %c = convert_layout %a : A -> C
test.op %c                                   test.op %c
"""

from dataclasses import dataclass

from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from tileir_xdsl.analysis.layouts.direct_conversion import (
    in_one_memory,
    is_direct,
    is_register_tile,
)
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.rewriting import Walker
from tileir_xdsl.transforms.tileas_remove_layout_conversions.consistency_epochs import (
    Epochs,
    number_epochs,
)
from tileir_xdsl.walking import ops_in

from .log import ConversionLog


def clean_up(function: Operation, log: ConversionLog) -> bool:
    """Folds conversions until a fixed point, and erases unused ops.

    Returns:
        Whether any was folded: what is only erased leaves nothing new to fold.
    """
    folded = False
    # One cheap walk saves the greedy driver on most functions.
    if any(map(_may_fold, ops_in(function))):
        pattern = FoldConversion(log, number_epochs(function))
        folded = Walker(pattern).rewrite_region(function.regions[0])
    erase_unused(function, log)
    return folded


def erase_unused(function: Operation, log: ConversionLog) -> None:
    """Erases unused conversions and tiles, which would otherwise demand layouts."""
    if any(map(_is_unused, ops_in(function))):
        # From the end, so that one visit erases a whole chain of unused ops.
        walker = Walker(EraseUnused(log), apply_recursively=False, walk_reverse=True)
        walker.rewrite_region(function.regions[0])


def _may_fold(op: Operation) -> bool:
    """Whether an op is a conversion to the same layout, or of another conversion."""
    if not isinstance(op, nv_tileas.ConvertLayoutOp):
        return False
    source = op.source
    return source.type == op.result.type or isinstance(source.owner, nv_tileas.ConvertLayoutOp)


def _is_unused(op: Operation) -> bool:
    """Whether an op is an unused conversion, or computes unused tiles in registers without
    effects.
    """
    if not op.results or any(value.first_use is not None for value in op.results):
        return False
    makes_tiles = any(is_register_tile(value.type) for value in op.results)
    return (makes_tiles or isinstance(op, nv_tileas.ConvertLayoutOp)) and is_trivially_dead(op)


@dataclass
class FoldConversion(RewritePattern):
    """Folds a conversion to the same layout, and merges a conversion of a conversion.

    Two conversions are merged if both ends are in one memory, one conversion can replace both, and
    no op between them pins the layout. A chain back to the first register layout is erased, even
    through another memory.
    """

    log: ConversionLog
    epochs: Epochs

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileas.ConvertLayoutOp, rewriter: PatternRewriter) -> None:
        if op in self.log.kept:
            return
        if op.source.type == op.result.type:
            self.log.removed(op, "the tile is made in this layout")
            rewriter.replace(op, (), (op.source,))
            return
        inner = op.source.owner
        if not isinstance(inner, nv_tileas.ConvertLayoutOp) or inner in self.log.kept:
            return
        first, last = inner.source.type, op.result.type
        if is_register_tile(first) and first == last:
            # There and back: lanes and vectors agree, whatever memory is in between.
            self.log.removed(op, "the tile comes back in the layout that it had")
            rewriter.replace(op, (), (inner.source,))
            return
        # Memory in between is part of the meaning: the tile may have to be there.
        if not (in_one_memory(first, op.source.type) and is_direct(first, last, self.log.target)):
            return
        # From one epoch to the next the tile is transferred in the layout in between.
        if self.epochs.of_use(inner) == self.epochs.of_use(op):
            op.operands[0] = inner.source
            rewriter.notify_op_modified(op)


@dataclass
class EraseUnused(RewritePattern):
    """Erases unused conversions, and ops without effects that compute unused tiles."""

    log: ConversionLog

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op not in self.log.kept and _is_unused(op):
            self.log.removed(op, "the users take the tile in the layout that it has")
            rewriter.erase(op)
