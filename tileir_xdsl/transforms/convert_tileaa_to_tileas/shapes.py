"""Converts shape ops: views, slices, reinterpretations of bytes, and generated tiles.

The indices of `nv_tileaa` count slices, those of `nv_tileas` elements:

    %s = nv_tileaa.extract_slice %t[%i, %j : i32, i32] : tensor<8x8xf32> -> tensor<4x8xf32>
    ->
    %0 = arith.index_cast %i : i32 to index
    %1 = arith.constant 4 : index
    %2 = arith.muli %0, %1 : index
    %s = nv_tileas.extract_slice %t[%2, 0][4, 8][1, 1] : tensor<8x8xf32> to tensor<4x8xf32>

Offsets are computed where their indices are defined, so that a slice can move to its tile's
definition. A fold makes constant offsets of an extraction static (`tileas-canonicalize`). An
undefined tile into which slices are inserted becomes an allocation.

`permute`, `cat`, `broadcast` and `extract` have no counterpart and stay.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, scf, ub
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, TensorType, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.values.tile_chains import OFFSET_ARITHMETIC, resolve_slice
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.slices import Index, Slice
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.rewriting import PatternTable, replace_op
from tileir_xdsl.targets.atoms import Memory

from .patterns import Rebuild, RebuildTable

# A slice of tensor memory would need a copy of its own (PTX ISA, tcgen05.ld).
SLICED_MEMORY = (None, Memory.REGISTER, Memory.SHARED)
"""The possible memories of a sliced tile; None before layouts are assigned."""


@dataclass(frozen=True)
class ConvertView(Rebuild):
    """Converts a reshape to a view without indices or offset."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        replace_op(rewriter, op, self.rebuild(op, op.operands, op.result_types, (1, 0, 0)))


def offset_ops(index: SSAValue, extent: int) -> list[Operation]:
    """Ops that compute the first element of a slice of `extent` elements from its index; the last
    has the result.
    """
    if isinstance(index.owner, arith.ConstantOp):
        value = index.owner.value
        assert isinstance(value, IntegerAttr)
        offset = value.value.data % (1 << index_width(index)) * extent
        return [arith.ConstantOp(IntegerAttr(offset, IndexType()))]
    ops: list[Operation] = []
    if index_width(index) < 32:
        # The index is unsigned, and casts to `index` extend the sign.
        ops.append(arith.ExtUIOp(index, i32))
        index = ops[0].results[0]
    ops.append(cast := arith.IndexCastOp(index, IndexType()))
    if extent == 1:
        return ops
    ops.append(scale := arith.ConstantOp(IntegerAttr(extent, IndexType())))
    return [*ops, arith.MuliOp(cast.result, scale.result)]


def offset_at(point: InsertPoint, new: Sequence[Operation]) -> SSAValue | None:
    """The result of equal ops at the insertion point, which slices share; None if there are
    none.
    """
    op = point.insert_before
    while isinstance(op, OFFSET_ARITHMETIC):
        if _computes_same(op.results[0], new[-1].results[0]):
            return op.results[0]
        op = op.next_op
    return None


def _computes_same(first: SSAValue, second: SSAValue) -> bool:
    """Whether two offsets are computed by equal ops from the same index."""
    if first is second:
        return True
    left, right = first.owner, second.owner
    if not isinstance(left, OFFSET_ARITHMETIC) or type(left) is not type(right):
        return False
    assert isinstance(right, Operation)
    return (
        left.result.type == right.results[0].type
        and left.properties == right.properties
        and all(map(_computes_same, left.operands, right.operands))
    )


def after_definition(value: SSAValue) -> InsertPoint:
    """The first insertion point where a value can be used."""
    owner = value.owner
    return InsertPoint.at_start(owner) if isinstance(owner, Block) else InsertPoint.after(owner)


def index_width(index: SSAValue) -> int:
    """The bit width of an index."""
    assert isinstance(index.type, IntegerType)
    return index.type.width.data


def offset_of(index: SSAValue, extent: int, user: Operation, rewriter: PatternRewriter) -> SSAValue:
    """The offset of a slice in elements, computed at the definition of its index."""
    ops, point = offset_ops(index, extent), after_definition(index)
    if (known := offset_at(point, ops)) is not None:
        for op in reversed(ops):
            op.erase()
        return known
    for op in ops:
        op.location = user.location
    rewriter.insert(ops, point)
    return ops[-1].results[0]


@dataclass(frozen=True)
class ConvertSlice(Rebuild, ABC):
    """Converts a slice whose indices count slices to one whose offsets count elements."""

    introduced: ClassVar[tuple[type[IRDLOperation], ...]] = (
        arith.ConstantOp,
        arith.ExtUIOp,
        arith.IndexCastOp,
        arith.MuliOp,
    )

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if memory_of(op.operands[0].type) not in SLICED_MEMORY:
            fail(op, "TODO: only reg and smem layouts are supported at the moment")
        whole, part, indices = self.parts(op)
        extents = tile_shape(part).shape
        starts: list[Index] = []
        for index, extent, size in zip(indices, extents, tile_shape(whole).shape, strict=True):
            # Any other index names a slice outside of the tile: undefined (Tile IR spec, 8.3.7).
            if size == extent:
                starts.append(0)
                continue
            starts.append(offset_of(index, extent, op, rewriter))
        position = Slice(tuple(starts), extents, (1,) * len(extents))
        new_op = self.slice(op, position)
        new_op.attributes.update(op.attributes)
        replace_op(rewriter, op, new_op)

    @abstractmethod
    def parts(self, op: Operation) -> tuple[Attribute, Attribute, Sequence[SSAValue]]:
        """The types of the whole tile and of the slice, and the slice's indices."""

    @abstractmethod
    def slice(self, op: Operation, position: Slice) -> Operation:
        """The counterpart."""


@dataclass(frozen=True)
class ConvertExtractSlice(ConvertSlice):
    def parts(self, op: Operation) -> tuple[Attribute, Attribute, Sequence[SSAValue]]:
        assert isinstance(op, nv_tileaa.ExtractSliceOp)
        return op.source.type, op.result.type, op.indices

    def slice(self, op: Operation, position: Slice) -> Operation:
        assert isinstance(op, nv_tileaa.ExtractSliceOp)
        return nv_tileas.ExtractSliceOp(op.source, position, op.result.type)


@dataclass(frozen=True)
class ConvertInsertSlice(ConvertSlice):
    def parts(self, op: Operation) -> tuple[Attribute, Attribute, Sequence[SSAValue]]:
        assert isinstance(op, nv_tileaa.InsertSliceOp)
        return op.destination.type, op.source.type, op.indices

    def slice(self, op: Operation, position: Slice) -> Operation:
        assert isinstance(op, nv_tileaa.InsertSliceOp)
        # No fold makes these static, and an insertion at constants moves no register.
        return nv_tileas.InsertSliceOp(op.source, op.destination, resolve_slice(position))


@dataclass(frozen=True)
class ConvertPoison(RewritePattern):
    """Converts a poison tile to an allocation if slices are inserted into it."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ub.PoisonOp)
        if isinstance(op.result.type, TensorType) and is_destination(op.result):
            replace_op(rewriter, op, nv_tileas.AllocTensorOp(op.result.type))


def is_destination(tile: SSAValue) -> bool:
    """Whether slices are inserted into a tile, directly or in a loop that carries it."""
    for use in tile.uses:
        user = use.operation
        if isinstance(user, nv_tileaa.InsertSliceOp) and use.index == 1:
            return True
        if isinstance(user, scf.ForOp) and use.index > 2:
            argument = user.body.block.args[use.index - 2]
            if any(
                isinstance(inner.operation, nv_tileaa.InsertSliceOp) and inner.index == 1
                for inner in argument.uses
            ):
                return True
    return False


SHAPES: RebuildTable = {
    nv_tileaa.ExpandDimsOp: Rebuild(nv_tileas.ExpandDimsOp),
    nv_tileaa.ExtractSliceOp: ConvertExtractSlice(nv_tileas.ExtractSliceOp),
    nv_tileaa.GenerateOp: Rebuild(nv_tileas.GenerateOp),
    nv_tileaa.InsertSliceOp: ConvertInsertSlice(nv_tileas.InsertSliceOp),
    nv_tileaa.PackOp: Rebuild(nv_tileas.ReinterpretOp),
    nv_tileaa.UnpackOp: Rebuild(nv_tileas.ReinterpretOp),
    nv_tileaa.ViewOp: ConvertView(nv_tileas.ViewOp),
}
ALLOCATIONS: PatternTable = {ub.PoisonOp: ConvertPoison()}
"""Ops that may stay, or become allocations if slices are inserted."""
