"""The rows of operands that an op needs for given rows of its results.

A rule returns the operands of which the same rows are needed; other operands are needed as a whole.
If an op has no rule, or its rule returns None, the op is executed for the whole tile.
"""

from collections.abc import Callable, Mapping
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.element_interfaces import works_on_elements
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp
from tileir_xdsl.dialects.nv_tileaa.shapes import InsertedDimensionOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.rewriting import look_up

from .row_types import first_extent, part_type

Rows = tuple[int, ...] | None
Rule = Callable[[Operation, int], Rows]

WGMMA_ROWS = 64
"""The rows that one instruction computes. Source: PTX ISA, `wgmma.mma_async`."""


def divided_operands(op: Operation, count: int) -> Rows:
    """The operands that are divided together with an op; None if the op cannot be divided."""
    rule = look_up(RULES, op)
    if rule is None and works_on_elements(op):
        rule = _elementwise
    rows = None if rule is None else rule(op, count)
    if rows is None:
        return None
    tiles = [v.type for v in op.results if isinstance(v.type, TensorType)]
    tiles += [op.operands[index].type for index in rows]
    return rows if all(part_type(type_, count) is not None for type_ in tiles) else None


def part_view(view: SSAValue, count: int) -> nv_tileaa.BlockTileOp | None:
    """The op that divides an object into contiguous tiles, if these can be divided further;
    otherwise None.
    """
    op = view.owner
    if not isinstance(op, nv_tileaa.BlockTileOp):
        return None
    rows = op.get_tile_sizes()[0]
    return op if op.get_tile_strides()[0] == rows and not rows % count else None


def _elementwise(op: Operation, _count: int) -> Rows:
    tiles = tuple(i for i, v in enumerate(op.operands) if isinstance(v.type, TensorType))
    return tiles if all(isinstance(result.type, TensorType) for result in op.results) else None


def _constant(op: Operation, _count: int) -> Rows:
    assert isinstance(op, arith.ConstantOp)
    return () if isinstance(op.value, DenseIntOrFPElementsAttr) else None


def _splat(_op: Operation, _count: int) -> Rows:
    return ()


def _broadcast(op: Operation, _count: int) -> Rows:
    return () if first_extent(op.operands[0].type) == 1 else (0,)


def _reshape(op: Operation, _count: int) -> Rows:
    """A reshape in row-major order keeps rows if their number does not change."""
    source, result = op.operands[0].type, op.results[0].type
    # Else one row of the result is spread over several rows of the source.
    return (0,) if first_extent(source) == first_extent(result) else None


def _dot(op: Operation, _count: int) -> Rows:
    # The first dimension of a batch is that of B too, which is taken as a whole here.
    is_matrix = len(tile_shape(op.results[0].type).shape) == 2
    return (0, 2) if is_matrix and len(op.operands) == 3 else None


def _wgmma(op: Operation, count: int) -> Rows:
    rows = first_extent(op.results[0].type)
    # Each slice must still be whole instructions.
    return None if rows is None or rows % (WGMMA_ROWS * count) else _dot(op, count)


def _collective(op: Operation, _count: int) -> Rows:
    assert isinstance(op, CollectiveOp)
    # To combine along the rows takes all of them.
    return tuple(range(len(op.operands))) if op.axis.value.data else None


def _load(op: Operation, count: int) -> Rows:
    assert isinstance(op, nv_tileas.TiledLoadOp)
    if not _is_thread_access(op.atom, op.tile, count) or not _tokens_join(op.result_token):
        return None
    if isinstance(op.view.type, TensorType):
        return (0,)
    return _mask(op) if part_view(op.view, count) is not None and not op.offsets else None


def _store(op: Operation, count: int) -> Rows:
    assert isinstance(op, nv_tileas.TiledStoreOp)
    if not _is_thread_access(op.atom, op.tile, count) or not _tokens_join(op.result_token):
        return None
    if isinstance(op.view.type, TensorType):
        return (0, 1)
    return (1, *_mask(op)) if part_view(op.view, count) is not None and not op.offsets else None


def _mask(op: nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp) -> tuple[int, ...]:
    """The index of the mask operand, if there is one."""
    return () if op.mask is None else (len(op.operands) - 1,)


def _copy(op: Operation, count: int) -> Rows:
    assert isinstance(op, nv_tileas.CopyOp)
    if not all(isinstance(value.type, TensorType) for value in (*op.operands, op.result)):
        return None
    is_new_buffer = (
        op.destination is None
        and isinstance(op.result.type, TensorType)
        and isinstance(op.result.type.encoding, nv_tileas.MemoryAttr)
    )
    # A new buffer would fall into several, and what follows needs one.
    if is_new_buffer or not _is_thread_access(op.atom, op.source, count):
        return None
    return tuple(range(len(op.operands)))


def _tokens_join(token: SSAValue | None) -> bool:
    """Whether the result tokens of the parts, if any, can be joined."""
    return token is None or isinstance(token.type, nv_tileaa.MemTokenType)


def _is_thread_access(atom: nv_tileas.AtomAttr | None, tile: SSAValue, count: int) -> bool:
    """Whether threads access the tile, in vectors that do not exceed a part."""
    if atom is None:
        return True
    row, part = atom.copy_atom, part_type(tile.type, count)
    if row is None or not row.kind.is_by_each_thread or part is None:
        return False
    moved = part.get_shape() if part.get_num_dims() == 1 else part.get_shape()[1:]
    return prod(moved) * element_bytes(part.get_element_type()) >= row.vector_bytes


RULES: Mapping[type[Operation], Rule] = {
    CollectiveOp: _collective,
    arith.ConstantOp: _constant,
    nv_tileaa.BroadcastOp: _broadcast,
    InsertedDimensionOp: _reshape,
    nv_tileaa.SplatOp: _splat,
    nv_tileaa.ViewOp: _reshape,
    nv_tileas.ConvertLayoutOp: _elementwise,
    nv_tileas.CopyOp: _copy,
    nv_tileas.DotOp: _dot,
    nv_tileas.TiledLoadOp: _load,
    nv_tileas.TiledStoreOp: _store,
    nv_tileas.WgmmaOp: _wgmma,
}

SINKS = (nv_tileas.CopyOp, nv_tileas.TiledStoreOp)
"""Ops that are divided even if no op needs parts of their results."""

LOCATIONS = frozenset(
    {(nv_tileas.CopyOp, 1), (nv_tileas.TiledLoadOp, 0), (nv_tileas.TiledStoreOp, 0)}
)
"""Operands that are buffers, for any encoding of their type."""


def is_position(op: Operation, index: int) -> bool:
    """Whether an operand is a buffer or a destination, and not a value."""
    type_: Attribute = op.operands[index].type
    is_buffer = isinstance(type_, TensorType) and isinstance(type_.encoding, nv_tileas.MemoryAttr)
    return is_buffer or (type(op), index) in LOCATIONS
