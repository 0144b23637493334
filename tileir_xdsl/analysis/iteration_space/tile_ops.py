"""How ops of `nv_tileaa` use index spaces: which only move elements, and which compute them.

For example:

    moved_from(%b = nv_tileaa.broadcast %t : tensor<1x8xf32> -> tensor<4x8xf32>)
        == (%t, broadcast((1, 8), (4, 8)))
"""

from enum import Enum

from xdsl.dialects import arith, ub
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.values.uniform_constants import is_splat
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.element_interfaces import works_on_elements
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType, tile_shape

from .index_maps import IndexMap, Shape, broadcast, permute, reshape


class Kind(Enum):
    """The role of an op in loop nests."""

    SCALAR = "scalar"
    """The op has no tiles, and is computed outside of nests."""
    MOVES = "moves elements"
    """Elements of the result are those of an operand at other indices, or need no operand."""
    COMPUTES = "computes elements"
    """Each element of the op's result is computed from elements at the same index."""
    REDUCES = "reduces"
    STORES = "stores"
    """The op reads elements and returns none: an access of memory, or an assertion."""
    WHOLE = "whole tiles"
    """The op reads and writes whole tiles in buffers."""


_MOVING = (
    nv_tileaa.SplatOp,
    nv_tileaa.BroadcastOp,
    nv_tileaa.ViewOp,
    nv_tileaa.ExpandDimsOp,
    nv_tileaa.PermuteOp,
    nv_tileaa.MakeRangeOp,
    nv_tileaa.AssumeOp,
    arith.ConstantOp,
    nv_tileaa.GenerateOp,
    ub.PoisonOp,
)

LOADS = (nv_tileaa.TiledLoadOp, nv_tileaa.LoadOp)
ATOMICS = (nv_tileaa.AtomicRMWOp, nv_tileaa.AtomicCASOp, nv_tileaa.TiledAtomicRMWOp)
STORES = (nv_tileaa.TiledStoreOp, nv_tileaa.StoreOp, *ATOMICS)


def has_tiles(op: Operation) -> bool:
    """Whether an op takes or returns tiles."""
    types = (*op.operand_types, *op.result_types)
    return any(isinstance(value_type, TensorType) for value_type in types)


def kind_of(op: Operation) -> Kind:
    """The role of an op in loop nests."""
    views = (nv_tileaa.TiledLoadOp, nv_tileaa.TiledStoreOp, nv_tileaa.TiledAtomicRMWOp)
    if isinstance(op, views) or has_tiles(op):
        return _kind_with_tiles(op)
    # Division may trap elsewhere, not here.
    is_pure = works_on_elements(op) or isinstance(op, ub.PoisonOp) or is_side_effect_free(op)
    return Kind.SCALAR if is_pure and not op.regions else Kind.WHOLE


def _kind_with_tiles(op: Operation) -> Kind:
    if isinstance(op, arith.ConstantOp) and not is_splat_constant(op):
        return Kind.WHOLE
    if isinstance(op, _MOVING):
        return Kind.MOVES
    if isinstance(op, (*LOADS, nv_tileaa.AddPtrOp)):
        return Kind.COMPUTES
    if isinstance(op, (*STORES, nv_tileaa.AssertOp)):
        return Kind.STORES
    if isinstance(op, nv_tileaa.ReduceOp):
        return Kind.REDUCES
    if works_on_elements(op) and not op.regions and len(op.results) == 1:
        return Kind.COMPUTES
    if isinstance(op, nv_tileaa.ExtractOp) and not op.indices:
        return Kind.SCALAR
    return Kind.WHOLE


def is_splat_constant(op: arith.ConstantOp) -> bool:
    """Whether a constant has one value for all elements."""
    return not isinstance(op.value, DenseIntOrFPElementsAttr) or is_splat(op.value)


def is_token(value: SSAValue) -> bool:
    """Whether a value is a token of memory order."""
    return isinstance(value.type, MemTokenType)


def space_of(op: Operation) -> Shape:
    """The shape of the elements that an op in a nest computes or takes."""
    match op:
        case nv_tileaa.TiledStoreOp():
            return tile_shape(op.tile.type).shape
        case nv_tileaa.StoreOp():
            return tile_shape(op.value.type).shape
        case nv_tileaa.ReduceOp():
            return tile_shape(op.inputs[0].type).shape
        case nv_tileaa.TiledAtomicRMWOp():
            return tile_shape(op.value.type).shape
        case nv_tileaa.AssertOp():
            return tile_shape(op.condition.type).shape
        case _:
            return tile_shape(op.results[0].type).shape


def moved_from(op: Operation) -> tuple[SSAValue, IndexMap] | None:
    """The tile whose elements an op moves, and the index map from its result to that tile.

    None for an op without operands to take elements from, such as a splat. Raises
    `NotRepresentableError` for a reshape whose map is not made of whole digits.
    """
    match op:
        case nv_tileaa.BroadcastOp():
            shapes = (tile_shape(value.type).shape for value in (op.source, op.result))
            return op.source, broadcast(*shapes)
        case nv_tileaa.ViewOp() | nv_tileaa.ExpandDimsOp():
            shapes = (tile_shape(value.type).shape for value in (op.source, op.result))
            return op.source, reshape(*shapes)
        case nv_tileaa.PermuteOp():
            return op.source, permute(tile_shape(op.result.type).shape, op.get_permutation())
        case nv_tileaa.AssumeOp():
            shape = tile_shape(op.result.type).shape
            return op.value, broadcast(shape, shape)
        case _:
            return None


def element_operands(op: Operation) -> tuple[SSAValue, ...]:
    """The operand tiles whose elements an op in a nest reads at its own index."""
    return tuple(value for value in op.operands if isinstance(value.type, TensorType))
