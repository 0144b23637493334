"""Ops that build tiles from scalars, or change the shape of tiles.

Source: Tile IR specification, section "Core".
"""

from abc import ABC
from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    I32,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    TensorType,
    i32,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import element_interfaces
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.scratch import COUNT_BYTES, Carried, ScratchNeed, Staging, Whole

from .constraints import (
    INTEGERS,
    TILES,
    element_type,
    rank_of,
    verify_axis,
    verify_inferred,
    verify_pure_body,
)
from .types import tile_shape, tile_type
from .yields import verify_yields


@irdl_op_definition
class SplatOp(
    IRDLOperation,
    element_interfaces.RepeatedElementsOpInterface,
    element_interfaces.SameRegistersOpInterface,
    RegistersOpInterface,
):
    """A tile whose elements all equal the scalar operand."""

    name = "nv_tileaa.splat"

    value = operand_def(TILES)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue, result_type: Attribute):
        super().__init__(operands=[value], result_types=[result_type])

    def verify_(self) -> None:
        if tile_shape(self.result.type).element != self.value.type:
            raise VerifyException(
                f"expects a result tensor with elements of type {self.value.type}, but "
                f"got {self.result.type}"
            )


@irdl_op_definition
class BroadcastOp(
    IRDLOperation,
    element_interfaces.RepeatedElementsOpInterface,
    element_interfaces.SameRegistersOpInterface,
    element_interfaces.ReindexedOpInterface,
    RegistersOpInterface,
):
    """Repeats a tile along its dimensions of extent 1; the rank does not change."""

    name = "nv_tileaa.broadcast"

    source = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source, result = tile_shape(self.source.type), tile_shape(self.result.type)
        if source.element != result.element or len(source.shape) != len(result.shape):
            raise VerifyException("requires the same rank and element type for source and result")
        for extent, repeated in zip(source.shape, result.shape, strict=True):
            if extent not in (1, repeated):
                raise VerifyException(
                    f"expects a source extent of 1 or {repeated}, that of the result, but got "
                    f"{extent}"
                )

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Carried(0),)

    def reindexed(self, operand: int) -> element_interfaces.Reindexed:
        return element_interfaces.Broadcast()


@irdl_op_definition
class ViewOp(
    IRDLOperation,
    element_interfaces.OrderedElementsOpInterface,
    element_interfaces.SameRegistersOpInterface,
    element_interfaces.ReindexedOpInterface,
    RegistersOpInterface,
):
    """The same elements in the same row-major order, as a tile of another shape."""

    name = "nv_tileaa.view"

    source = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source, result = self.source.type, self.result.type
        assert isinstance(source, TensorType) and isinstance(result, TensorType)
        if source.element_type != result.element_type:
            raise VerifyException("requires the same element type for source and result")
        if source.element_count() != result.element_count():
            raise VerifyException("requires the same number of elements in source and result")

    def reindexed(self, operand: int) -> element_interfaces.Reindexed:
        return element_interfaces.InOrder()


@irdl_op_definition
class ExtractOp(
    IRDLOperation, element_interfaces.RepeatedElementsOpInterface, RegistersOpInterface
):
    """The scalar of a tile of one element, or the subtile at `indices`.

    `indices` select along the first dimensions, which the result lacks.
    """

    name = "nv_tileaa.extract"

    source = operand_def(TensorType)
    indices = var_operand_def(IntegerType)
    result = result_def(TILES)

    traits = traits_def(Pure())
    assembly_format = (
        "$source (`[` $indices^ `:` type($indices) `]`)? attr-dict "
        "`:` type($source) `->` type($result)"
    )

    def __init__(
        self,
        source: SSAValue,
        indices: Sequence[SSAValue] = (),
        result_type: Attribute | None = None,
    ):
        tile = tile_shape(source.type)
        shape = tile.shape[len(indices) :] if indices else ()
        super().__init__(
            operands=[source, indices],
            result_types=[result_type or tile_type(shape, tile.element)],
        )

    def verify_(self) -> None:
        source, result = tile_shape(self.source.type), tile_shape(self.result.type)
        if not self.indices and prod(source.shape) != 1:
            raise VerifyException("expects a source of one element where no indices are given")
        if source.element != result.element:
            raise VerifyException("requires the same element type for source and result")
        if len(self.indices) > len(source.shape):
            raise VerifyException(
                f"expects at most {len(source.shape)} indices, but got {len(self.indices)}"
            )
        shape = source.shape[len(self.indices) :] if self.indices else ()
        verify_inferred(self.result.type, tile_type(shape, source.element))

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Whole(self.source),) if self.indices else ()


class InsertedDimensionOp(
    IRDLOperation,
    element_interfaces.OrderedElementsOpInterface,
    element_interfaces.SameRegistersOpInterface,
    element_interfaces.ReindexedOpInterface,
    RegistersOpInterface,
    ABC,
):
    """The same tile with a dimension of extent 1 at `axis`."""

    source = operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    result = result_def(TensorType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute, axis: int):
        super().__init__(
            operands=[source],
            properties={"axis": IntegerAttr(axis, i32)},
            result_types=[result_type],
        )

    def verify_(self) -> None:
        axis, source = self.axis.value.data, tile_shape(self.source.type)
        verify_axis(axis, len(source.shape) + 1)
        shape = (*source.shape[:axis], 1, *source.shape[axis:])
        verify_inferred(self.result.type, TensorType(source.element, shape))

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Carried(0),)

    def reindexed(self, operand: int) -> element_interfaces.Reindexed:
        return element_interfaces.InOrder()


@irdl_op_definition
class ExpandDimsOp(InsertedDimensionOp):
    """The same tile with a dimension of extent 1 at `axis`."""

    name = "nv_tileaa.expand_dims"


@irdl_op_definition
class PermuteOp(
    IRDLOperation,
    element_interfaces.BufferViewOpInterface,
    element_interfaces.ReindexedOpInterface,
    RegistersOpInterface,
):
    """The tile whose dimension i is dimension `permutation[i]` of the source."""

    name = "nv_tileaa.permute"

    source = operand_def(TensorType)
    permutation = prop_def(DenseArrayBase.constr(i32))
    result = result_def(TensorType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(
        self, source: SSAValue, permutation: Sequence[int], result_type: Attribute | None = None
    ):
        tile = tile_shape(source.type)
        inferred = TensorType(tile.element, [tile.shape[dim] for dim in permutation])
        super().__init__(
            operands=[source],
            properties={"permutation": DenseArrayBase.from_list(i32, permutation)},
            result_types=[result_type or inferred],
        )

    def get_permutation(self) -> tuple[int, ...]:
        """Source dimension of every result dimension."""
        return tuple(int(dim) for dim in self.permutation.get_values())

    def verify_(self) -> None:
        permutation, source = self.get_permutation(), tile_shape(self.source.type)
        if sorted(permutation) != list(range(len(source.shape))):
            raise VerifyException(
                f"expects a permutation of {len(source.shape)} dimensions, "
                f"but got {list(permutation)}"
            )
        shape = [source.shape[dim] for dim in permutation]
        verify_inferred(self.result.type, TensorType(source.element, shape))

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Carried(0),)

    def reindexed(self, operand: int) -> element_interfaces.Reindexed:
        return element_interfaces.Permuted(self.get_permutation())


@irdl_op_definition
class CatOp(
    IRDLOperation,
    element_interfaces.ReindexedOpInterface,
    element_interfaces.SameRegistersOpInterface,
    RegistersOpInterface,
):
    """Two tiles one after the other along `axis`."""

    name = "nv_tileaa.cat"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    result = result_def(TensorType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, axis: int, result_type: Attribute | None = None
    ):
        left, right = tile_shape(lhs.type), tile_shape(rhs.type)
        shape = list(left.shape)
        shape[axis] += right.shape[axis]
        super().__init__(
            operands=[lhs, rhs],
            properties={"axis": IntegerAttr(axis, i32)},
            result_types=[result_type or TensorType(left.element, shape)],
        )

    def verify_(self) -> None:
        axis = self.axis.value.data
        left, right = tile_shape(self.lhs.type), tile_shape(self.rhs.type)
        if left.element != right.element or len(left.shape) != len(right.shape):
            raise VerifyException("requires the same rank and element type for lhs and rhs")
        verify_axis(axis, len(left.shape))
        shape = list(left.shape)
        shape[axis] = right.shape[axis]
        if tuple(shape) != right.shape:
            raise VerifyException(f"requires the same extents for lhs and rhs outside axis {axis}")
        shape[axis] += left.shape[axis]
        verify_inferred(self.result.type, TensorType(left.element, shape))

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Whole(self.result, (0, 1)), Carried(0), Carried(1))

    def reindexed(self, operand: int) -> element_interfaces.Reindexed:
        shape, axis = tile_shape(self.lhs.type).shape, self.axis.value.data
        offsets = [operand * extent * (i == axis) for i, extent in enumerate(shape)]
        return element_interfaces.PartAt(offsets, [1] * len(shape), of_result=True)


def _verify_slices(whole: Attribute, part: Attribute, indices: Sequence[SSAValue]) -> None:
    """Checks that tiles of type `part` divide a tile of type `whole`, with one index per
    dimension.
    """
    outer, inner = tile_shape(whole), tile_shape(part)
    if outer.element != inner.element or len(outer.shape) != len(inner.shape):
        raise VerifyException("requires the same rank and element type for tile and slice")
    for extent, step in zip(outer.shape, inner.shape, strict=True):
        if step == 0 or extent % step:
            raise VerifyException(
                f"expects slice extents that divide the extents of {whole}, but got {part}"
            )
    if len(indices) != len(outer.shape):
        raise VerifyException(f"expects {len(outer.shape)} indices, but got {len(indices)}")


@irdl_op_definition
class ExtractSliceOp(IRDLOperation, RegistersOpInterface):
    """One slice of a tile that is cut into slices of the result's shape.

    An index counts slices; one beyond the last slice is undefined.
    """

    name = "nv_tileaa.extract_slice"

    source = operand_def(TensorType)
    indices = var_operand_def(IntegerType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$source `[` $indices `:` type($indices) `]` attr-dict `:` type($source) `->` type($result)"
    )

    def __init__(self, source: SSAValue, indices: Sequence[SSAValue], result_type: Attribute):
        super().__init__(operands=[source, indices], result_types=[result_type])

    def verify_(self) -> None:
        _verify_slices(self.source.type, self.result.type, self.indices)


@irdl_op_definition
class InsertSliceOp(IRDLOperation, RegistersOpInterface):
    """`destination` with one slice replaced by `source`; indices as in `extract_slice`."""

    name = "nv_tileaa.insert_slice"

    source = operand_def(TensorType)
    destination = operand_def(TensorType)
    indices = var_operand_def(IntegerType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$source `into` $destination `[` $indices `:` type($indices) `]` attr-dict "
        "`:` type($source) `,` type($destination) `->` type($result)"
    )

    def __init__(
        self,
        source: SSAValue,
        destination: SSAValue,
        indices: Sequence[SSAValue],
        result_type: Attribute | None = None,
    ):
        super().__init__(
            operands=[source, destination, indices],
            result_types=[result_type or destination.type],
        )

    def verify_(self) -> None:
        _verify_slices(self.destination.type, self.source.type, self.indices)
        verify_inferred(self.result.type, self.destination.type)


@irdl_op_definition
class GenerateOp(IRDLOperation, RegistersOpInterface):
    """A tile whose elements the body computes from their indices, which are i32 block arguments."""

    name = "nv_tileaa.generate"

    body = region_def("single_block")
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result) $body"

    def __init__(self, result_type: Attribute, body: Region):
        super().__init__(result_types=[result_type], regions=[body])

    def verify_(self) -> None:
        rank = rank_of(self.result)
        if list(self.body.block.arg_types) != [i32] * rank:
            raise VerifyException(f"expects {rank} block arguments of type i32")
        verify_yields(self.body, [element_type(self.result)])
        verify_pure_body(self)


@irdl_op_definition
class HistogramOp(IRDLOperation, RegistersOpInterface):
    """How often each of 0, 1, .., n - 1 occurs in a tile of unsigned integers.

    n is the extent of the result; other values are not counted.
    """

    name = "nv_tileaa.histogram"

    source = operand_def(INTEGERS)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        result = tile_shape(self.result.type)
        if len(result.shape) != 1 or not isinstance(result.element, IntegerType):
            raise VerifyException(
                f"expects the result to be a rank-1 tensor of integers, but got {self.result.type}"
            )

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        (bins,) = tile_shape(self.result.type).shape
        return (Staging(COUNT_BYTES * bins, COUNT_BYTES),)
