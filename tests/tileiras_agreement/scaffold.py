"""The kernel around one operation: where values of any type come from, and where they go.

Values come from arguments and memory and results go to memory, so that neither compiler computes
the operation itself or leaves it out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float4E2M1FNType,
    FunctionType,
    IntegerType,
    ModuleOp,
    StringAttr,
    f32,
    i32,
    i64,
)
from xdsl.dialects.builtin import i8 as byte
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.dialects.cuda_tile.definition import SEGMENT_SIZES
from tileir_xdsl.dialects.cuda_tile.enums import PointerKindAttr, enum_to_integer_attr
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation
from tileir_xdsl.dialects.cuda_tile.types import DYNAMIC, STANDARD_FLOATS, element_name
from tileir_xdsl.dialects.cuda_tile.view_types import TileView
from tileir_xdsl.dialects.enumerations import MemoryOrdering

TOKEN = ct.TokenType()
ARGUMENTS = ("i1", "i8", "i16", "i32", "i64", *STANDARD_FLOATS)
"""Element types of scalars that are given to the kernel as they are."""
_WEAK = enum_to_integer_attr(MemoryOrdering.WEAK)


def placed(
    operation: type[Operation],
    operands: Sequence[Sequence[SSAValue]],
    results: Sequence[Attribute],
    properties: dict[str, Attribute],
    regions: Sequence[Region] = (),
) -> Operation:
    """An operation as it is described, not verified; operands come in the groups of the definition."""
    assert issubclass(operation, CudaTileOperation)
    stored = dict(properties)
    if operation.DEFINITION.segmented:
        stored[SEGMENT_SIZES] = DenseArrayBase.from_list(i32, [len(group) for group in operands])
    return operation.create(
        operands=[value for group in operands for value in group],
        result_types=results,
        properties=stored,
        regions=regions,
    )


def is_valid(type_: Attribute) -> bool:
    """Whether a type, which may have been made without a check, obeys its own rules."""
    try:
        type_.verify()
    except VerifyException:
        return False
    return True


class Kernel:
    """A kernel that grows at its end."""

    def __init__(self) -> None:
        self.block = Block()

    def argument(self, type_: Attribute) -> SSAValue:
        """A new argument."""
        return self.block.insert_arg(type_, len(self.block.args))

    def add(
        self,
        operation: type[Operation],
        operands: Sequence[Sequence[SSAValue]],
        *results: Attribute,
        **properties: Attribute,
    ) -> SSAValue:
        """Adds an operation; returns its first result."""
        op = placed(operation, operands, results, properties)
        self.block.add_op(op)
        return op.results[0]

    def reshaped(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A tile with the elements of another one."""
        assert isinstance(value.type, ct.TileType)
        return self.add(ct.ReshapeOp, [[value]], ct.TileType(shape, value.type.element_type))

    def pointers(self, element: Attribute, shape: Sequence[int]) -> SSAValue:
        """The addresses of consecutive elements of an array."""
        type_ = ct.PointerType(element)
        base = self.argument(ct.TileType((), type_))
        if not shape:
            return base
        same = self.spread(base, shape)
        count = ct.TileType([math.prod(shape)], i32)
        numbers = self.reshaped(self.add(ct.IotaOp, [], count), shape)
        return self.add(ct.OffsetOp, [[same], [numbers]], ct.TileType(shape, type_))

    def spread(self, scalar: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A tile of equal elements."""
        assert isinstance(scalar.type, ct.TileType)
        one = self.reshaped(scalar, [1] * len(shape))
        return self.add(ct.BroadcastOp, [[one]], ct.TileType(shape, scalar.type.element_type))

    def source(self, type_: Attribute) -> SSAValue:
        """A value of the type; an argument of the kernel where there is no other way to one."""
        if type_ == TOKEN:
            return self.add(ct.MakeTokenOp, [], TOKEN)
        if isinstance(type_, ct.TileType):
            return self.tile(type_) if is_valid(type_) else self.argument(type_)
        if isinstance(type_, ct.TensorViewType):
            return self.tensor_view(type_)
        if isinstance(type_, TileView):
            return self.view(type_)
        return self.argument(type_)

    def tile(self, type_: ct.TileType) -> SSAValue:
        """A tile from memory."""
        element, shape = type_.element_type, type_.get_shape()
        name = element_name(element)
        if isinstance(element, ct.PointerType):
            base = self.argument(ct.TileType((), element))
            return self.spread(base, shape) if shape else base
        if not shape and name in ARGUMENTS:
            return self.argument(type_)
        if name == "i4":
            wide = self.tile(ct.TileType(shape, byte))
            none = ct.IntegerOverflowAttr(ct.IntegerOverflow.NONE)
            return self.add(ct.TruncIOp, [[wide]], type_, overflow=none)
        if isinstance(element, Float4E2M1FNType):
            packed = self.tile(ct.TileType([math.prod(shape) // 2], byte))
            flat = self.add(ct.UnpackOp, [[packed]], ct.TileType([math.prod(shape)], element))
            return flat if len(shape) == 1 else self.reshaped(flat, shape)
        return self.add(
            ct.LoadPtrTkoOp,
            [[self.pointers(element, shape)], [], [], []],
            type_,
            TOKEN,
            memory_ordering_semantics=_WEAK,
        )

    def tensor_view(self, type_: ct.TensorViewType) -> SSAValue:
        """A tensor in the memory that an argument points to."""
        kind = type_.kind if isinstance(type_.kind, PointerKindAttr) else None
        element = type_.element_type if is_valid(type_) else f32
        base = self.argument(ct.TileType((), ct.PointerType(element, kind)))
        sizes, strides = (
            [self.argument(ct.TileType((), i32)) for size in each if size == DYNAMIC]
            for each in (type_.get_shape(), type_.get_strides())
        )
        return self.add(ct.MakeTensorViewOp, [[base], sizes, strides], type_)

    def view(self, type_: TileView) -> SSAValue:
        """A view of a tensor."""
        tensor = self.tensor_view(type_.get_tensor_view())
        return self.add(MAKES_VIEW[type(type_)], [[tensor]], type_)

    def indices(self, type_: TileView) -> list[SSAValue]:
        """An index for each dimension of a view, given to the kernel."""
        shape = type_.get_tile_shape()
        if isinstance(type_, ct.GatherScatterViewType):
            sparse = type_.sparse_dim.data
            return [
                self.source(ct.TileType([size] if dim == sparse else [], i32))
                for dim, size in enumerate(shape)
            ]
        return [self.argument(ct.TileType((), i32)) for _ in shape]

    def sink(self, value: SSAValue) -> None:
        """Uses a value, as far as there is a way."""
        type_ = value.type
        if not is_valid(type_):
            return
        if isinstance(type_, ct.TileType):
            self.store(value, type_)
        elif isinstance(type_, ct.TensorViewType) and type_.get_shape():
            shape = [*[1] * (len(type_.get_shape()) - 1), 2]
            view = ct.PartitionViewType(shape, type_)
            self.sink(self.add(ct.MakePartitionViewOp, [[value]], view))
        elif isinstance(type_, TileView):
            tile = ct.TileType(type_.get_tile_shape(), type_.get_tensor_view().element_type)
            operands = [[value], self.indices(type_), []]
            if is_valid(tile):
                loaded = self.add(
                    ct.LoadViewTkoOp, operands, tile, TOKEN, memory_ordering_semantics=_WEAK
                )
                self.store(loaded, tile)

    def store(self, value: SSAValue, type_: ct.TileType) -> None:
        """Puts a tile into memory."""
        element, shape = type_.element_type, type_.get_shape()
        if isinstance(element, ct.PointerType):
            numbers = ct.TileType(shape, i64)
            self.store(self.add(ct.PtrToIntOp, [[value]], numbers), numbers)
        elif isinstance(element, IntegerType) and element.width.data == 4:
            wide = ct.TileType(shape, byte)
            signed = ct.SignednessAttr(ct.Signedness.SIGNED)
            self.store(self.add(ct.ExtIOp, [[value]], wide, signedness=signed), wide)
        elif isinstance(element, Float4E2M1FNType):
            flat = value if len(shape) == 1 else self.reshaped(value, [math.prod(shape)])
            packed = ct.TileType([math.prod(shape) // 2], byte)
            self.store(self.add(ct.PackOp, [[flat]], packed), packed)
        else:
            operands = [[self.pointers(element, shape)], [value], [], []]
            self.add(ct.StorePtrTkoOp, operands, TOKEN, memory_ordering_semantics=_WEAK)

    def module(self, globals_: Sequence[Operation] = ()) -> ModuleOp:
        """The module with this kernel."""
        self.block.add_op(ct.ReturnOp.create())
        types = FunctionType.from_lists([argument.type for argument in self.block.args], [])
        entry = ct.EntryOp.create(
            properties={"sym_name": StringAttr("kernel"), "function_type": types},
            regions=[Region(self.block)],
        )
        return ModuleOp([ct.ModuleOp("kernels", [*globals_, entry])])


MAKES_VIEW: dict[type[TileView], type[Operation]] = {
    ct.PartitionViewType: ct.MakePartitionViewOp,
    ct.StridedViewType: ct.MakeStridedViewOp,
    ct.GatherScatterViewType: ct.MakeGatherScatterViewOp,
}
