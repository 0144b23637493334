"""Allocation of tiles, and slices of tiles.

    %s = nv_tileas.extract_slice %t[0, %j][64, 64][1, 1] : tensor<128x128xf32> to tensor<64x64xf32>
    %u = nv_tileas.insert_slice %s into %t[%i, 0][64, 64][1, 1]
         : tensor<64x64xf32> into tensor<128x128xf32>

Each dimension has an offset, a size and a stride in elements: constants or `index` values. All ops
are pure: an insertion returns a new tile. Source: the TileAS operation roster, family "tensor
slices", and the notes on folds.
"""

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerType,
    TensorType,
    i64,
)
from xdsl.dialects.utils import DynamicIndexList
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    IRDLOperation,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    ParsingState,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.element_interfaces import (
    InOrder,
    PartAt,
    Reindexed,
    ReindexedOpInterface,
    SameRegistersOpInterface,
)
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import Effects, NoScratchOpInterface, RegistersOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import TileShape, tile_shape
from tileir_xdsl.dialects.scratch import Carried, ScratchNeed, Whole

from .buffer_effects import created_buffer
from .interfaces import (
    AllocationOpInterface,
    Index,
    PartOfTile,
    TilePartOpInterface,
    TileStructureOpInterface,
)
from .verification import verified_by_signature


class AllocatesResult(MemoryEffect):
    """The effect of an op that allocates the buffer of its result. So the op is dead without users,
    and no other op shares the buffer.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.ALLOC, op.results[0])}


@irdl_op_definition
class AllocTensorOp(
    IRDLOperation,
    AllocationOpInterface,
    TileStructureOpInterface,
    SameRegistersOpInterface,
    NoScratchOpInterface,
):
    """A tile of undefined elements in registers, or, with a memory encoding, in a new buffer."""

    name = "nv_tileas.alloc_tensor"

    result = result_def(TensorType)

    traits = traits_def(AllocatesResult())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, result_type: TensorType[Attribute]):
        super().__init__(result_types=[result_type])

    def verify_(self) -> None:
        assert isinstance(self.result.type, TensorType)
        shape = self.result.type.get_shape()
        if DYNAMIC_INDEX in shape:
            raise VerifyException(
                f"all dimensions must be positive constants, got {_extents(shape)}"
            )

    @property
    def effects(self) -> Effects:
        return Effects(creates=created_buffer(self.result))


@dataclass(frozen=True)
class Slice:
    """The position of a slice: an offset, size and stride for each dimension, in elements."""

    offsets: tuple[Index, ...]
    sizes: tuple[Index, ...]
    strides: tuple[Index, ...]

    @property
    def is_constant(self) -> bool:
        """Whether all offsets, sizes and strides are constants."""
        return all(isinstance(x, int) for x in (*self.offsets, *self.sizes, *self.strides))

    @property
    def static_sizes(self) -> tuple[int, ...]:
        """The extents of the slice as in types, with `DYNAMIC_INDEX` for extents that are not
        constant.
        """
        return tuple(x if isinstance(x, int) else DYNAMIC_INDEX for x in self.sizes)


def _split(indices: Sequence[Index]) -> tuple[list[SSAValue], DenseArrayBase[IntegerType]]:
    """The values, and the constants, in which `DYNAMIC_INDEX` stands for a value."""
    values = [x for x in indices if isinstance(x, SSAValue)]
    constants = [DYNAMIC_INDEX if isinstance(x, SSAValue) else x for x in indices]
    return values, DenseArrayBase.from_list(i64, constants)


def _joined(values: Sequence[SSAValue], constants: Sequence[int]) -> tuple[Index, ...]:
    """The constants, with each `DYNAMIC_INDEX` replaced by the next value."""
    rest = iter(values)
    return tuple(next(rest) if number == DYNAMIC_INDEX else number for number in constants)


def payload_shape(type: Attribute) -> TileShape:
    """The shape of a tile, or of the payload of an async value."""
    return tile_shape(type.payload if isinstance(type, ValueType) else type)


@irdl_custom_directive
class SliceIndexList(DynamicIndexList):
    """xDSL's list of constants and values, with a parse error for constants beyond 64 bits."""

    # The decorator takes the variables from the annotations of the class alone.
    dynamic_position: VariadicOperandVariable
    static_position: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        try:
            super().parse(parser, state)
        except ValueError as error:
            # Not caught by xDSL, so that a user would see a traceback.
            parser.raise_error(str(error))


class SliceOp(IRDLOperation, RegistersOpInterface, ABC):
    """Base of the ops on one slice of a tile."""

    offsets = var_operand_def(IndexType)
    sizes = var_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    static_offsets = prop_def(DenseArrayBase.constr(i64))
    static_sizes = prop_def(DenseArrayBase.constr(i64))
    static_strides = prop_def(DenseArrayBase.constr(i64))

    custom_directives = (SliceIndexList,)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def _indices(self) -> list[tuple[str, Sequence[SSAValue], Sequence[int]]]:
        """Offsets, sizes and strides: their name, values and constants."""
        return [
            ("offsets", self.offsets, self.static_offsets.get_values()),
            ("sizes", self.sizes, self.static_sizes.get_values()),
            ("strides", self.strides, self.static_strides.get_values()),
        ]

    @property
    def slice(self) -> Slice:
        """The position of the slice."""
        return Slice(*(_joined(values, constants) for _, values, constants in self._indices()))

    def verify_slice(self, whole: Attribute, part: Attribute) -> None:
        """Checks that the slice of a tile of type `whole` has type `part`."""
        outer, inner = payload_shape(whole), payload_shape(part)
        if outer.element != inner.element or len(outer.shape) != len(inner.shape):
            raise VerifyException("requires the same rank and element type for tile and slice")
        rank = len(outer.shape)
        indices = self._indices()
        for name, values, constants in indices:
            if len(constants) != rank or constants.count(DYNAMIC_INDEX) != len(values):
                raise VerifyException(
                    f"expects {rank} {name}, and an operand for each dynamic one, "
                    f"but got {len(constants)}, and {len(values)} operands"
                )
        (_, _, offsets), (_, _, sizes), (_, _, strides) = indices
        if inner.shape != sizes:
            raise VerifyException(
                f"expects a slice of sizes {_extents(sizes)}, but got {_extents(inner.shape)}"
            )
        for extent, offset, size, stride in zip(outer.shape, offsets, sizes, strides, strict=True):
            _verify_dimension(extent, offset, size, stride)


def _extents(shape: Sequence[int]) -> str:
    return "[" + ", ".join("?" if x == DYNAMIC_INDEX else str(x) for x in shape) + "]"


def _verify_dimension(extent: int, offset: int, size: int, stride: int) -> None:
    """Checks the constants of one dimension of a slice."""
    for name, value, least in (("offsets", offset, 0), ("sizes", size, 1), ("strides", stride, 1)):
        if value < least and value != DYNAMIC_INDEX:
            raise VerifyException(f"expects {name} of at least {least}, but got {value}")
    if DYNAMIC_INDEX in (offset, extent):
        return
    steps = 0 if size == DYNAMIC_INDEX else size - 1
    last = offset + steps * (1 if stride == DYNAMIC_INDEX else stride)
    if last >= extent:
        raise VerifyException(
            f"slice reaches index {last} of a dimension whose extent is only {extent}"
        )


def _slice_operands(part: Slice) -> tuple[list[list[SSAValue]], dict[str, Attribute]]:
    offsets, static_offsets = _split(part.offsets)
    sizes, static_sizes = _split(part.sizes)
    strides, static_strides = _split(part.strides)
    properties: dict[str, Attribute] = {
        "static_offsets": static_offsets,
        "static_sizes": static_sizes,
        "static_strides": static_strides,
    }
    return [offsets, sizes, strides], properties


SLICE = (
    "`` custom<SliceIndexList>($offsets, $static_offsets) `` "
    "custom<SliceIndexList>($sizes, $static_sizes) `` "
    "custom<SliceIndexList>($strides, $static_strides) attr-dict "
)


class ExtractOp(SliceOp, TilePartOpInterface, ABC):
    """Base of the ops that take a slice out of a tile."""

    def __init__(self, source: SSAValue, part: Slice, result_type: Attribute):
        operands, properties = _slice_operands(part)
        super().__init__(
            operands=[source, *operands], properties=properties, result_types=[result_type]
        )

    def verify_(self) -> None:
        self.verify_slice(self.operands[0].type, self.results[0].type)

    @property
    def accessed_part(self) -> PartOfTile:
        return PartOfTile("source", self.slice.offsets)


class InsertOp(SliceOp, TilePartOpInterface, ABC):
    """Base of the ops that return a tile with one slice replaced."""

    def __init__(self, source: SSAValue, destination: SSAValue, part: Slice):
        operands, properties = _slice_operands(part)
        super().__init__(
            operands=[source, destination, *operands],
            properties=properties,
            result_types=[destination.type],
        )

    def verify_(self) -> None:
        source, destination = self.operands[:2]
        self.verify_slice(destination.type, source.type)

    @property
    def accessed_part(self) -> PartOfTile:
        return PartOfTile("destination", self.slice.offsets)


@verified_by_signature
@irdl_op_definition
class ExtractSliceOp(ExtractOp, TileStructureOpInterface, ReindexedOpInterface):
    """One slice of a tile."""

    name = "nv_tileas.extract_slice"

    source = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$source " + SLICE + "`:` type($source) `to` type($result)"

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Whole(self.source, (0,)), Carried(0))

    def reindexed(self, operand: int) -> Reindexed:
        return PartAt(self.slice.offsets, self.slice.strides, of_result=False)


@verified_by_signature
@irdl_op_definition
class InsertSliceOp(
    InsertOp, TileStructureOpInterface, ReindexedOpInterface, SameRegistersOpInterface
):
    """`destination` with one slice replaced by `source`."""

    name = "nv_tileas.insert_slice"

    T: ClassVar = VarConstraint("T", BaseAttr(TensorType))

    source = operand_def(TensorType)
    destination = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = (
        "$source `into` $destination " + SLICE + "`:` type($source) `into` type($destination)"
    )

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Whole(self.destination, (0, 1)), Carried(0), Carried(1))

    def reindexed(self, operand: int) -> Reindexed:
        if operand:
            return InOrder()
        return PartAt(self.slice.offsets, self.slice.strides, of_result=True)


@irdl_op_definition
class AsyncExtractSliceOp(ExtractOp):
    """One slice of an async tile."""

    name = "nv_tileas.async.extract_slice"

    source = operand_def(ValueType)
    result = result_def(ValueType)

    traits = traits_def(Pure())
    assembly_format = "$source " + SLICE + "`:` type($source) `to` type($result)"


@irdl_op_definition
class AsyncInsertSliceOp(InsertOp):
    """`destination` with one slice replaced by a tile; both may be async values."""

    name = "nv_tileas.async.insert_slice"

    T: ClassVar = VarConstraint("T", BaseAttr(ValueType))

    source = operand_def(BaseAttr(ValueType) | BaseAttr(TensorType))
    destination = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = (
        "$source `into` $destination " + SLICE + "`:` type($source) `into` type($destination)"
    )
