"""From the tile of a result to tiles of arguments: one pattern for each producer of a tensor.

Each is rooted at `linalg_door.tile`, and asks for the tiles of its operands by the same op. So a
chain of ops becomes one kernel, and what a loop needs is computed in the loop.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, TensorType, i32
from xdsl.dialects.builtin import UnrealizedConversionCastOp as Argument
from xdsl.dialects.linalg.abstract_ops import ElementwiseOperation
from xdsl.dialects.linalg.ops import FillOp, GenericOp, MatmulOp, ReduceOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from linalg_door.elementwise import NEUTRAL, emit
from linalg_door.legality import loops_of
from linalg_door.tiles import TileOp, constant, element_type, inside, loop, shape_of, spread
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile import DYNAMIC, PaddingValue, TileType


class TilePattern(RewritePattern, ABC):
    """Computes the tile of a tensor that an op of certain classes makes.

    It waits for the ops that use the tensor, so that they share the tile where they ask for one.
    """

    PRODUCERS: ClassVar[tuple[type[Operation], ...]]

    @abstractmethod
    def tile(self, producer: Operation, op: TileOp) -> SSAValue:
        """Adds the ops that compute the tile, and returns it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TileOp, rewriter: PatternRewriter, /) -> None:
        producer = op.source.owner
        is_asked = all(isinstance(use.operation, TileOp) for use in op.source.uses)
        if isinstance(producer, self.PRODUCERS) and is_asked:
            with ImplicitBuilder(block := Block()):
                tile = self.tile(producer, op)
            # A load is from where the tile is used.
            location = (op if isinstance(producer, Argument) else producer).location
            for added in block.walk():
                added.location = location
            rewriter.inline_block(block, InsertPoint.before(op))
            rewriter.replace(op, [], [tile])


class HoistTile(RewritePattern):
    """A tile that is the same in all iterations of a loop is computed before it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TileOp, rewriter: PatternRewriter, /) -> None:
        loop, block = op.parent_op(), op.parent
        if isinstance(loop, cuda_tile.ForOp) and all(
            index.owner is not block for index in op.indices
        ):
            hoisted = op.clone()
            rewriter.insert(hoisted, InsertPoint.before(loop))
            rewriter.replace(op, [], hoisted.results)


class TileOfArgument(TilePattern):
    """A load, of zero outside of the tensor."""

    PRODUCERS: ClassVar = (Argument,)

    def tile(self, producer: Operation, op: TileOp) -> SSAValue:
        view = view_of(op.source, shape_of(op.result), PaddingValue.ZERO)
        return cuda_tile.LoadViewTkoOp(view, op.indices).tile


def view_of(value: SSAValue, tile: Sequence[int], padding: PaddingValue | None = None) -> SSAValue:
    """The view of an argument, in tiles; its pointer, sizes and strides are cast to the tensor."""
    assert isinstance(value.owner, Argument) and isinstance(value.type, TensorType)
    shape, (pointer, *numbers) = value.type.get_shape(), value.owner.inputs
    unknown = [size for size, known in zip(numbers, shape, strict=False) if known == DYNAMIC]
    element, strides = value.type.get_element_type(), numbers[len(shape) :]
    type = cuda_tile.TensorViewType(shape, element, [DYNAMIC] * len(shape))
    whole = cuda_tile.MakeTensorViewOp(pointer, unknown, strides, type).result
    parts = cuda_tile.PartitionViewType(tile, type, padding_value=padding)
    return cuda_tile.MakePartitionViewOp(whole, parts).result


class TileOfFill(TilePattern):
    """One value; of an empty tensor any will do."""

    PRODUCERS: ClassVar = (FillOp, tensor.EmptyOp)

    def tile(self, producer: Operation, op: TileOp) -> SSAValue:
        if isinstance(producer, FillOp):
            return scalar(producer.inputs[0], shape_of(op.result))
        return constant(0, element_type(op.result.type), shape_of(op.result))


def scalar(value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """A constant or a scalar argument, everywhere in a tile."""
    if isinstance(value.owner, Argument):
        return spread(value.owner.inputs[0], (), shape)
    return constant(constant_value(value), value.type, shape)


def constant_value(value: SSAValue) -> float:
    """The number that `arith.constant` makes."""
    assert isinstance(value.owner, arith.ConstantOp)
    assert isinstance(value.owner.value, IntegerAttr | FloatAttr)
    return value.owner.value.value.data


class TileOfElementwise(TilePattern):
    """The body on tiles of the operands, each broadcast along the loops that it leaves out."""

    PRODUCERS: ClassVar = (GenericOp, ElementwiseOperation)

    def tile(self, producer: Operation, op: TileOp) -> SSAValue:
        assert isinstance(producer, GenericOp | ElementwiseOperation)
        body, shape, tiles = producer.body.block, shape_of(op.result), dict[SSAValue, SSAValue]()

        def tile_of(value: SSAValue) -> SSAValue:
            if value not in tiles:
                is_scalar = isinstance(value.owner, Argument | arith.ConstantOp)
                tiles[value] = scalar(value, shape) if is_scalar else operand(value)
            return tiles[value]

        def operand(argument: SSAValue) -> SSAValue:
            number = body.args.index(argument)
            value, indexing = producer.operands[number], producer.get_indexing_maps().data[number]
            if not isinstance(value.type, TensorType):
                return scalar(value, shape)
            loops = loops_of(indexing.data) or []
            indices = [op.indices[loop] for loop in loops]
            part = TileOp(value, indices, [shape[loop] for loop in loops]).result
            return spread(part, loops, shape)

        *computing, returned = body.ops
        for inner in computing:
            if not isinstance(inner, arith.ConstantOp):
                tiles[inner.results[0]] = emit(inner, [*map(tile_of, inner.operands)], shape)
        return tile_of(returned.operands[0])


@dataclass(frozen=True)
class TileOfReduction(TilePattern):
    """A loop combines tiles elementwise; the last one is reduced, and combined with the output.

    The loop starts from the neutral value, which elements past the end have as well.
    """

    PRODUCERS: ClassVar = (ReduceOp,)
    size: int

    def tile(self, producer: Operation, op: TileOp) -> SSAValue:
        assert isinstance(producer, ReduceOp) and producer.region.block.first_op is not None
        combining, element = producer.region.block.first_op, element_type(op.result.type)
        (dim,), shape, before = producer.dimensions.get_values(), shape_of(op.result), op.indices
        neutral, extent = NEUTRAL[type(combining)], extent_of(producer.input, dim)
        sizes = (*shape[:dim], self.size, *shape[dim:])

        def step(number: SSAValue, value: SSAValue) -> SSAValue:
            tile = TileOp(producer.input, (*before[:dim], number, *before[dim:]), sizes).result
            return emit(combining, (value, inside(tile, dim, number, extent, neutral)), sizes)

        tile = loop(extent, self.size, constant(neutral, element, sizes), step)
        with ImplicitBuilder(block := Block(arg_types=[TileType([], element)] * 2)):
            cuda_tile.YieldOp([emit(combining, block.args, ())])
        if isinstance(element, IntegerType):
            identity = IntegerAttr(int(neutral), element)
        else:
            identity = FloatAttr(neutral, cast(AnyFloat, element))
        reduced = cuda_tile.ReduceOp([tile], dim, [identity], Region(block)).results[0]
        initial = TileOp(producer.init, op.indices, shape).result
        return emit(combining, (initial, reduced), shape)


@dataclass(frozen=True)
class TileOfMatmul(TilePattern):
    """A loop of mmas. Elements past the end of K are zero in both operands."""

    PRODUCERS: ClassVar = (MatmulOp,)
    size: int

    def tile(self, producer: Operation, op: TileOp) -> SSAValue:
        (a, b, c), (row, column) = producer.operands, op.indices
        height, width = shape_of(op.result)
        extent = extent_of(a, 1)

        def step(k: SSAValue, value: SSAValue) -> SSAValue:
            lhs = TileOp(a, (row, k), (height, self.size)).result
            rhs = TileOp(b, (k, column), (self.size, width)).result
            # An argument is zero there.
            lhs = lhs if isinstance(a.owner, Argument) else inside(lhs, 1, k, extent, 0)
            rhs = rhs if isinstance(b.owner, Argument) else inside(rhs, 0, k, extent, 0)
            return cuda_tile.MmaFOp(lhs, rhs, value).result

        return loop(extent, self.size, TileOp(c, op.indices, (height, width)).result, step)


def extent_of(value: SSAValue, dim: int) -> SSAValue:
    """The size of a tensor along a dimension: a result is as large as what it is written to."""
    assert isinstance(value.type, TensorType) and isinstance(value.owner, Operation)
    shape, owner = value.type.get_shape(), value.owner
    if shape[dim] != DYNAMIC:
        return constant(shape[dim], i32)
    if isinstance(owner, Argument):
        return owner.inputs[1 + dim]
    if not isinstance(owner, tensor.EmptyOp):
        return extent_of(owner.operands[-1], dim)
    size = owner.dynamic_sizes[shape[:dim].count(DYNAMIC)].owner
    assert isinstance(size, tensor.DimOp)
    return extent_of(size.source, int(constant_value(size.index)))
