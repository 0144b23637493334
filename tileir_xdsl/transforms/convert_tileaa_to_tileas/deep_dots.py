"""Turns dots of tiles that are loaded whole along K into loops over parts of K.

    %x = nv_tileas.tiled_load weak %a[%i, %n] : .. -> tensor<64x2048xf16>
    %y = nv_tileas.tiled_load weak %b[%n, %j] : .. -> tensor<2048x64xf16>
    %d = nv_tileas.dot %x, %y, %c
    ->
    %d = scf.for %part = 0 to 32 step 1 iter_args(%acc = %c) {
      %x = nv_tileas.tiled_load weak %a_parts[%i, %n * 32 + %part] : .. -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load weak %b_parts[%n * 32 + %part, %j] : .. -> tensor<64x64xf16>
      %s = nv_tileas.dot %x, %y, %acc
      scf.yield %s
    }

Loads in a loop are pipelined, so that the next part is loaded during the dot of another, and tiles
in shared memory are small. A dot is divided if it is outside of loops, and its operands and the
tokens of their loads have no other uses. In a loop, loads overlap with other iterations already.
"""

from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.builders.arithmetic import constant
from tileir_xdsl.builders.dots import (
    DotAttributes,
    DotInputs,
    build_async_dot,
    build_dot,
    build_dot_loop,
)
from tileir_xdsl.builders.tile_parts import coordinate_type, part_of_coordinate
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.async_tokens import only_wait
from tileir_xdsl.dialects.nv_tileas.compute import AsyncDotOp, DotOp
from tileir_xdsl.walking import ops_in

PART_BYTES = 128
"""The bytes of a row of a part: the span of a 128-byte swizzle."""

# Fewer parts all fit the stages of a pipeline, and are in flight at once without a loop, too.
FEWEST_PARTS = 8


@dataclass(frozen=True)
class _Operand:
    """An operand whose load only the dot uses, and the index of its dimension K."""

    load: nv_tileas.TiledLoadOp
    cut: nv_tileaa.BlockTileOp
    dimension: int

    @staticmethod
    def of(value: SSAValue, dimension: int, dot: Operation) -> "_Operand | None":
        load = value.owner
        if not isinstance(load, nv_tileas.TiledLoadOp) or load.parent is not dot.parent:
            return None
        cut = load.view.owner
        is_alone = value.has_one_use() and not (load.result_token and load.result_token.uses)
        if not is_alone or not isinstance(cut, nv_tileaa.BlockTileOp):
            return None
        # Other forms name elements by more than the tile of two dimensions that is divided here.
        is_plain = not load.offsets and load.mask is None and len(load.coords) == 2
        if not is_plain or load.mem_semantic.data is not MemoryOrdering.WEAK:
            return None
        # Parts follow each other without gaps only where tiles do.
        sizes, strides = cut.get_tile_sizes(), cut.get_tile_strides()
        return _Operand(load, cut, dimension) if sizes[dimension] == strides[dimension] else None

    def cut_into(self, count: int) -> SSAValue:
        """A view of the same memory object, with tiles divided into `count` parts along K."""
        sizes = list(self.cut.get_tile_sizes())
        sizes[self.dimension] //= count
        new = self.cut.with_smaller_tiles(sizes)
        new.location = self.cut.location
        Rewriter.insert_op(new, InsertPoint.after(self.cut))
        return new.result

    def load_part(self, builder: Builder, view: SSAValue, count: int, part: SSAValue) -> SSAValue:
        """Loads one part."""
        new = self.load.clone()
        largest = UnsignedRanges().of(self.load.coords[self.dimension])
        type = coordinate_type(self.load.coords[0].type, [largest], [count])
        first = list(new.operands).index(new.coords[0])
        for number, coordinate in enumerate(self.load.coords):
            is_divided = number == self.dimension
            ops = part_of_coordinate(
                coordinate, type, count if is_divided else 1, part if is_divided else None
            )
            for op in ops:
                op.location = self.load.location
                builder.insert(op)
            new.operands[first + number] = ops[-1].results[0] if ops else coordinate
        new.operands[0] = view
        builder.insert(new)
        shape = list(tile_shape(new.tile.type).shape)
        shape[self.dimension] //= count
        type = TensorType(tile_shape(new.tile.type).element, shape)
        return Rewriter.replace_value_with_new_type(new.tile, type)


class LoopOverDeepDot(RewritePattern):
    """Divides a dot along K, as the module describes, if K has enough parts."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp | AsyncDotOp, rewriter: PatternRewriter) -> None:
        wait = only_wait(op.result) if isinstance(op, AsyncDotOp) else op
        if wait is None or op.scales:
            return
        if not isinstance(op.parent_op(), nv_tileaa.FuncOp):
            return
        operands = [_Operand.of(value, k, op) for value, k in ((op.a, 1), (op.b, 0))]
        a, b = operands
        count = _parts(op.a.type, op.b.type)
        if a is None or b is None or count < FEWEST_PARTS or a.load is b.load:
            return
        views = [operand.cut_into(count) for operand in (a, b)]

        def load(builder: Builder, part: SSAValue) -> tuple[DotInputs, None]:
            x, y = (
                operand.load_part(builder, view, count, part)
                for operand, view in zip((a, b), views, strict=True)
            )
            return DotInputs(x, y), None

        start, end, step = (constant(rewriter, number, i32) for number in (0, count, 1))
        build = build_dot if isinstance(op, DotOp) else build_async_dot
        attributes = DotAttributes.of(op, op.atom)
        result = build_dot_loop(rewriter, (start, end, step), op.c, load, attributes, build)
        assert isinstance(result.owner, Operation)
        for made in (result.owner, *ops_in(result.owner)):
            made.location = op.location
        rewriter.replace(wait, (), [result])
        if wait is not op:
            rewriter.erase(op)
        for operand in (a, b):
            rewriter.erase(operand.load)
            if operand.cut.result.first_use is None:
                rewriter.erase(operand.cut)


def _parts(a: Attribute, b: Attribute) -> int:
    """The number of parts of K, whose rows have `PART_BYTES` of the wider element; 0 for batched
    dots.
    """
    shape = tile_shape(a).shape
    if len(shape) != 2:
        return 0
    bytes = max(element_bytes(tile_shape(type).element) for type in (a, b))
    return int(shape[1] * bytes // PART_BYTES)
