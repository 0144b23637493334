"""Other views of tiles: views, slices, and tiles of which a region gives each element.

`nv_tileaa` counts slices, `nv_tileas` their elements:

    %s = nv_tileaa.extract_slice %t[%i, %j : i32, i32] : tensor<8x8xf32> -> tensor<4x8xf32>
    ->
    %0 = arith.index_cast %i : i32 to index
    %1 = arith.constant 4 : index
    %2 = arith.muli %0, %1 : index
    %s = nv_tileas.extract_slice %t[%2, 0][4, 8][1, 1] : tensor<8x8xf32> to tensor<4x8xf32>

`permute`, `cat`, `broadcast` and `extract` have no counterpart and stay.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.slices import Index, Slice
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.rewriting import replace_op
from tileir_xdsl.targets.atoms import Memory

from .patterns import Rebuild, RebuildTable

# A slice of tensor memory would need a copy of its own (PTX ISA, tcgen05.ld).
SLICED_MEMORY = (None, Memory.REGISTER, Memory.SHARED)
"""Where a tile that is cut may be; None before layouts are assigned."""


@dataclass(frozen=True)
class ConvertView(Rebuild):
    """A tile as one of another shape, without indices or offset."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        replace_op(rewriter, op, self.rebuild(op, op.operands, op.result_types, (1, 0, 0)))


@dataclass
class Offsets:
    """Where a slice starts, in elements, and the ops that compute it."""

    ops: list[Operation]

    def of(self, index: SSAValue, extent: int, slices: int) -> Index:
        """The offset of one slice of `extent` elements, of which there are so many."""
        # Any other index names a slice outside of the tile: undefined (Tile IR spec, 8.3.7).
        if slices == 1:
            return 0
        # Folded here: a constant offset lets later passes see which registers a slice is.
        if isinstance(index.owner, arith.ConstantOp):
            value = index.owner.value
            assert isinstance(value, IntegerAttr)
            return value.value.data % (1 << index_width(index)) * extent
        if index_width(index) < 32:
            # The index is unsigned, and casts to `index` extend the sign.
            index = self._add(arith.ExtUIOp(index, i32))
        number = self._add(arith.IndexCastOp(index, IndexType()))
        if extent == 1:
            return number
        scale = self._add(arith.ConstantOp(IntegerAttr(extent, IndexType())))
        return self._add(arith.MuliOp(number, scale))

    def _add(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]


def index_width(index: SSAValue) -> int:
    """The bits of an index."""
    assert isinstance(index.type, IntegerType)
    return index.type.width.data


@dataclass(frozen=True)
class ConvertSlice(Rebuild, ABC):
    """A slice that is one of many of the same shape, by its offsets."""

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
        offsets = Offsets([])
        starts = [
            offsets.of(index, extent, size // extent)
            for index, extent, size in zip(indices, extents, tile_shape(whole).shape, strict=True)
        ]
        position = Slice(tuple(starts), extents, (1,) * len(extents))
        new_op = self.slice(op, position)
        new_op.attributes.update(op.attributes)
        replace_op(rewriter, op, [*offsets.ops, new_op])

    @abstractmethod
    def parts(self, op: Operation) -> tuple[Attribute, Attribute, Sequence[SSAValue]]:
        """The types of the whole tile and of the slice, and which slice it is."""

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
        return nv_tileas.InsertSliceOp(op.source, op.destination, position)


SHAPES: RebuildTable = {
    nv_tileaa.ExpandDimsOp: Rebuild(nv_tileas.ExpandDimsOp),
    nv_tileaa.ExtractSliceOp: ConvertExtractSlice(nv_tileas.ExtractSliceOp),
    nv_tileaa.GenerateOp: Rebuild(nv_tileas.GenerateOp),
    nv_tileaa.InsertSliceOp: ConvertInsertSlice(nv_tileas.InsertSliceOp),
    nv_tileaa.ViewOp: ConvertView(nv_tileas.ViewOp),
}
