"""Layouts carried through ops that only re-index tiles in registers.

Ops between two layouts are free when every element stays in the thread that has it: elementwise
ops, broadcasts, views, permutations, slices and concatenations. `forward` and `backward` return the
layout on the other side of an op; `registers_of` returns how registers correspond.
"""

from functools import cache, lru_cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation

from tileir_xdsl.analysis.values.tile_chains import known_index
from tileir_xdsl.dialects import element_interfaces, nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.collectives import PrefixOp, ReductionOp
from tileir_xdsl.dialects.nv_tileaa.constraints import memory_bits
from tileir_xdsl.dialects.nv_tileaa.external import ElementwiseCallOp
from tileir_xdsl.dialects.nv_tileaa.types import TileShape, tile_shape
from tileir_xdsl.layout import reindexing
from tileir_xdsl.layout.cute import is_power_of_two
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.reindexing import Reindexing

ELEMENTWISE_OPS = (
    ElementwiseCallOp,
    element_interfaces.ElementwiseOpInterface,
    nv_tileaa.AddPtrOp,
    nv_tileaa.AssumeOp,
)
"""Ops that compute each element of the result from elements at the same index."""

MADE_IN_PLACE = (
    arith.ConstantOp,
    nv_tileaa.GenerateOp,
    nv_tileaa.MakeRangeOp,
    nv_tileaa.SplatOp,
    nv_tileas.GenerateOp,
    PoisonOp,
)
"""Ops that compute a tile without operand tiles, in any layout at the same cost."""


def is_elementwise(op: Operation) -> bool:
    """Whether an op computes each element of its results from elements at the same index."""
    return _is_elementwise(type(op))


@cache
def _is_elementwise(op: type[Operation]) -> bool:
    if issubclass(op, ELEMENTWISE_OPS):
        return True
    return op.name.partition(".")[0] in element_interfaces.ELEMENTWISE_DIALECTS and not issubclass(
        op, arith.ConstantOp
    )


def is_made_in_place(op: Operation) -> bool:
    """Whether an op computes a tile at the same cost in any layout."""
    return isinstance(op, MADE_IN_PLACE)


def forward(op: Operation, source: LinearLayout, operand: int = 0) -> LinearLayout | None:
    """The layout of the results for which no element of one operand leaves its thread.

    Every thread that held elements of a reduction gets the result. None where an op does more than
    re-index tiles, or where the elements do not stay in their threads.
    """
    change = reindexing_of(op, operand)
    if change is None or change.source_shape != source.shape:
        return None
    return reindexing.carry_layout(change, source)


def backward(op: Operation, result: LinearLayout, operand: int = 0) -> LinearLayout | None:
    """The layout that one operand must have so that no element moves to another thread, given the
    layout of the results.

    None as for `forward`, and for reductions and scans, which work best in a layout of their own.
    """
    change = None if isinstance(op, ReductionOp | PrefixOp) else reindexing_of(op, operand)
    if change is None or change.result_shape != result.shape:
        return None
    return reindexing.carry_layout(change.inverse(), result)


def registers_of(
    op: Operation, source: LinearLayout, result: LinearLayout, operand: int = 0
) -> tuple[int | None, ...] | None:
    """For each register of the result, that of one operand with the same element.

    None for a register that comes from another operand, None altogether where elements would leave
    their thread. In an insertion, the registers of the source replace those of the destination.
    """
    change = reindexing_of(op, operand)
    return None if change is None else reindexing.registers_as_they_lie(change, source, result)


def reindexing_of(op: Operation, operand: int = 0) -> Reindexing | None:
    """Where the elements of one operand are in the results; None if the op does not re-index."""
    if not op.results or operand >= len(op.operands):
        return None
    types = (op.operands[operand].type, op.results[0].type)
    if not all(map(_is_register_tile, types)):
        return None
    if is_elementwise(op):
        return _elementwise(tile_shape(types[0]).shape, tile_shape(types[1]).shape)
    if not isinstance(op, element_interfaces.ReindexedOpInterface):
        return None
    source, result = map(tile_shape, types)
    match op.reindexed(operand):
        case element_interfaces.InOrder():
            return _reshape(source.shape, result.shape)
        case element_interfaces.Broadcast():
            return _broadcast(source.shape, result.shape)
        case element_interfaces.Permuted(permutation):
            return _permute(source.shape, permutation)
        case element_interfaces.Reduced(axis):
            return _reduce(source.shape, axis)
        case element_interfaces.SameBits():
            return _widen(source, result)
        case element_interfaces.PartAt() as part if part.of_result:
            extracted = _slice(part, result, source)
            return None if extracted is None else extracted.inverse()
        case element_interfaces.PartAt() as part:
            return _slice(part, source, result)
        case None:
            return None


def _is_register_tile(type: Attribute) -> bool:
    """Whether a type is a tile with a layout of registers, rather than in a memory."""
    return (
        isinstance(type, TensorType)
        and not isinstance(type.encoding, nv_tileas.MemoryAttr)
        and all(map(is_power_of_two, type.get_shape()))
    )


def _elementwise(source: tuple[int, ...], result: tuple[int, ...]) -> Reindexing | None:
    return _identity(source) if source == result else None


_identity = lru_cache(maxsize=256)(reindexing.identity)
_reshape = lru_cache(maxsize=256)(reindexing.reshape)
_broadcast = lru_cache(maxsize=256)(reindexing.broadcast)
_permute = lru_cache(maxsize=256)(reindexing.permute)
_reduce = lru_cache(maxsize=256)(reindexing.reduce)
_extract_slice = lru_cache(maxsize=256)(reindexing.extract_slice)


def _slice(part: element_interfaces.PartAt, whole: TileShape, tile: TileShape) -> Reindexing | None:
    """The slice that is extracted from the whole tile; None if its offsets are not constant."""
    offsets = tuple(number for each in part.offsets if (number := known_index(each)) is not None)
    # Which registers hold the slice has to be known, as registers cannot be indexed.
    if len(offsets) < len(part.offsets) or any(known_index(each) != 1 for each in part.strides):
        return None
    return _extract_slice(whole.shape, tile.shape, offsets)


@lru_cache(maxsize=256)
def _widen(source: TileShape, result: TileShape) -> Reindexing | None:
    bits = (memory_bits(source.element), memory_bits(result.element))
    if not all(map(is_power_of_two, bits)):
        return None
    return reindexing.widen_elements(source.shape, bits[0], result.shape, bits[1])
