"""Slices: folds constants, moves views after slices, and forwards inserted tiles to extractions.

Slices are pure: an extracted slice depends on the operands alone.
"""

from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import IsTerminator, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.analysis.values.reshape_groups import slice_before_view
from tileir_xdsl.analysis.values.tile_chains import is_slice_of_storage, resolve_slice
from tileir_xdsl.dialects.nv_tileas.conversions import ViewOp
from tileir_xdsl.dialects.nv_tileas.slices import ExtractSliceOp, InsertSliceOp
from tileir_xdsl.rewriting import replace_op
from tileir_xdsl.walking import ops_in


class SimplifyExtractSlice(RewritePattern):
    """Gives a slice with constant offsets and sizes a static type.

        %s = nv_tileas.extract_slice %t[%c0, %c0][%c64, %c64][%c1, %c1] : .. to tensor<?x?xf32>
        ->
        %s = nv_tileas.extract_slice %t[0, 0][64, 64][1, 1] : .. to tensor<64x64xf32>

    Legal if all offsets and sizes are constant and within the tile. Users that need the dynamic
    type get a view.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExtractSliceOp, rewriter: PatternRewriter, /) -> None:
        part = resolve_slice(op.slice)
        # A slice that is static already would be replaced by itself for ever.
        if op.slice.is_constant or not part.is_constant:
            return
        type = op.result.type
        assert isinstance(type, TensorType)
        static = ExtractSliceOp(
            op.source,
            part,
            TensorType(type.get_element_type(), part.static_sizes, type.encoding),
        )
        # Constants outside of the tile are left to the dynamic form, and to run time.
        if not _verifies(static):
            static.erase()
            return
        static.location, static.result.name_hint = op.location, op.result.name_hint
        static.attributes.update(op.attributes)
        rewriter.insert(static)
        _forward_layout(op, static, rewriter)
        rewriter.erase(op)


def _verifies(op: Operation) -> bool:
    try:
        op.verify_()
    except VerifyException:
        return False
    return True


def _forward_layout(old: ExtractSliceOp, new: ExtractSliceOp, rewriter: PatternRewriter) -> None:
    """Replaces a slice by the static slice, or by its view for users that need the old type."""
    view: ViewOp | None = None
    for use in list(old.result.uses):
        user, position = use.operation, use.index
        user.operands[position] = new.result
        if not _takes_any_type(user):
            if view is None:
                view = ViewOp(new.result, old.result.type)
                view.location = old.location
                rewriter.insert(view)
            user.operands[position] = view.result
        rewriter.notify_op_modified(user)


def _takes_any_type(user: Operation) -> bool:
    """Whether an op accepts any operand types, and no other op depends on them."""
    # Terminators and calls verify alone, but another op has the types that they must agree with.
    if user.has_trait(IsTerminator) or user.has_trait(SymbolUserOpInterface):
        return False
    return _verifies(user)


class SimplifyExtractFromInsert(RewritePattern):
    """Replaces the extraction of a slice that has just been inserted by the inserted tile.

        extract_slice (insert_slice %x into %d[%i][%n][1])[%i][%n][1]  ->  %x

    Legal if offsets, sizes and strides are equal values or constants. No other slice of the tile
    may be inserted or extracted between both ops.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExtractSliceOp, rewriter: PatternRewriter, /) -> None:
        insert = op.source.owner
        if not isinstance(insert, InsertSliceOp) or insert.source.type != op.result.type:
            return
        if resolve_slice(insert.slice) != resolve_slice(op.slice):
            return
        # Both may be slices of one storage, which the one between has written.
        if _is_sliced_between(insert, op):
            return
        replace_op(rewriter, op, (), [insert.source])


def _is_sliced_between(insert: InsertSliceOp, extract: ExtractSliceOp) -> bool:
    """Whether another op slices the tile between both ops, or they are in different blocks."""
    current = insert.next_op
    while current is not None and current is not extract:
        if any(is_slice_of_storage(inner, insert.destination) for inner in ops_in(current)):
            return True
        current = current.next_op
    return False


class SwapViewAndExtractSlice(RewritePattern):
    """Replaces a slice of a view by a view of a slice.

        extract_slice (view %x : tensor<128x64xf32> to tensor<1x128x64xf32>)[0, %i, 0][1, 32, 64]..
        ->
        view (extract_slice %x[%i, 0][32, 64][1, 1]) : tensor<32x64xf32> to tensor<1x32x64xf32>

    Legal if both orders give the same elements. The view groups dimensions; in groups with more
    than one dimension of extent above 1, the slice must cover every element. Tiles with an encoding
    are unchanged, as their slices have another layout.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExtractSliceOp, rewriter: PatternRewriter, /) -> None:
        view = op.source.owner
        if not isinstance(view, ViewOp) or view.indices:
            return
        # A view at an offset is of storage, not of the elements of a tile.
        if view.offset is not None or view.dynamic_offset is not None:
            return
        source, result = view.source.type, view.result.type
        if not _is_plain(source) or not _is_plain(result):
            return
        assert isinstance(source, TensorType) and isinstance(result, TensorType)
        part = slice_before_view(source.get_shape(), result.get_shape(), resolve_slice(op.slice))
        if part is None:
            return
        slice_type = TensorType(source.get_element_type(), part.static_sizes)
        before = ExtractSliceOp(view.source, part, slice_type)
        if not _verifies(before):
            before.erase()
            return
        if slice_type == op.result.type:
            replace_op(rewriter, op, before)
        else:
            replace_op(rewriter, op, [before, ViewOp(before.result, op.result.type)])


def _is_plain(type: Attribute) -> bool:
    return isinstance(type, TensorType) and isinstance(type.encoding, NoneAttr)
