"""The op that the conversion goes through, and ops of `cuda_tile`, a few at a time.

    %0 = linalg_door.tile %t[%i, %j] : tensor<?x37xf32> -> tile<32x32xf32>

is the tile of a tensor at indices that count tiles. Elements outside of the tensor are zero where
it is in memory, and anything where it is computed.
"""

from collections.abc import Callable, Sequence

from xdsl import irdl
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Block, Dialect, Region, SSAValue
from xdsl.traits import Pure

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile import RoundingMode, Signedness, TileType

INDEX = TileType([], i32)
"""The type of sizes, and of numbers of tiles."""


@irdl.irdl_op_definition
class TileOp(irdl.IRDLOperation):
    """The tile of `source` at `indices`."""

    name = "linalg_door.tile"
    source = irdl.operand_def(irdl.base(TensorType[Attribute]))
    indices = irdl.var_operand_def(INDEX)
    result = irdl.result_def(irdl.base(TileType))
    traits = irdl.traits_def(Pure())
    assembly_format = "$source `[` $indices `]` attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, indices: Sequence[SSAValue], shape: Sequence[int]):
        tile = TileType(shape, element_type(source.type))
        super().__init__(operands=[source, indices], result_types=[tile])


LinalgDoor = Dialect("linalg_door", [TileOp])


def element_type(type: Attribute) -> Attribute:
    """The element type of a tensor or tile; a scalar's own type."""
    return type.get_element_type() if isinstance(type, TensorType | TileType) else type


def shape_of(tile: SSAValue) -> tuple[int, ...]:
    """The shape of a tile."""
    assert isinstance(tile.type, TileType)
    return tile.type.get_shape()


def constant(value: float, element: Attribute, shape: Sequence[int] = ()) -> SSAValue:
    """A tile of one value."""
    literal = cuda_tile.DenseConstantAttr.splat(TileType(shape, element), value)
    return cuda_tile.ConstantOp(literal).result


def spread(tile: SSAValue, dims: Sequence[int], shape: Sequence[int]) -> SSAValue:
    """A tile of `shape` from one along its dimensions `dims`, in this order."""
    element, thin = element_type(tile.type), [n if d in dims else 1 for d, n in enumerate(shape)]
    if len(dims) < len(shape):
        tile = cuda_tile.ReshapeOp(tile, TileType(thin, element)).result
    is_full = thin == list(shape)
    return tile if is_full else cuda_tile.BroadcastOp(tile, TileType(shape, element)).result


def loop(
    extent: SSAValue, size: int, initial: SSAValue, step: Callable[[SSAValue, SSAValue], SSAValue]
) -> SSAValue:
    """Along a dimension: `step` makes the next value from the number of a tile and the last one."""
    rounding = (Signedness.UNSIGNED, RoundingMode.POSITIVE_INF)
    count = cuda_tile.DivIOp(extent, constant(size, i32), *rounding).result
    block = Block(arg_types=[INDEX, initial.type])
    bounds = (constant(0, i32), count, constant(1, i32))
    result = cuda_tile.ForOp(*bounds, [initial], Region(block)).results[0]
    with ImplicitBuilder(block):
        cuda_tile.ContinueOp([step(*block.args)])
    return result


def inside(tile: SSAValue, dim: int, number: SSAValue, extent: SSAValue, other: float) -> SSAValue:
    """Tile `number` along a dimension, with a value in place of elements past the extent."""
    shape, size = shape_of(tile), shape_of(tile)[dim]
    first = cuda_tile.MulIOp(number, constant(size, i32)).result
    offsets = cuda_tile.IotaOp(TileType([size], i32)).result
    positions = cuda_tile.AddIOp(offsets, spread(first, (), [size])).result
    below = (cuda_tile.ComparisonPredicate.LESS_THAN, positions, spread(extent, (), [size]))
    mask = spread(cuda_tile.CmpIOp(*below, Signedness.UNSIGNED).result, (dim,), shape)
    return cuda_tile.SelectOp(mask, tile, constant(other, element_type(tile.type), shape)).result
