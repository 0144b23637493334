"""Builds tiles of pointers into one array in various ways."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing.programs.builder import Builder
from tileir_xdsl.testing.programs.elements import element_of, shape_of, tile, type_of, width


def spread_pointers(b: Builder, pointer: SSAValue, offsets: SSAValue) -> SSAValue:
    """Pointers `offsets` elements after a scalar pointer; offsets are not negative."""
    rank = len(shape_of(offsets))
    ways = [_directly, _directly, _in_two_steps, _by_selection, _by_branch]
    if rank:
        ways += [_of_other_shape, _cut]
    if rank >= 2:
        ways.append(_permuted)
    return b.choose(ways)(b, pointer, offsets)


def addresses(b: Builder, pointers: SSAValue) -> SSAValue:
    """Pointers as integers."""
    return b.add(cuda_tile.PtrToIntOp(pointers, tile("i64", shape_of(pointers)))).result


def _directly(b: Builder, pointer: SSAValue, offsets: SSAValue) -> SSAValue:
    return b.offset(pointer, offsets)


def _in_two_steps(b: Builder, pointer: SSAValue, offsets: SSAValue) -> SSAValue:
    """Moves a pointer too far and back; may extend the offsets to a wider type."""
    shape, element = shape_of(offsets), element_of(offsets)
    wider = b.choose([e for e in ("i32", "i64") if width(e) >= width(element)])
    if wider != element:
        signedness = b.choose(list(cuda_tile.Signedness))
        offsets = b.add(cuda_tile.ExtIOp(offsets, tile(wider, shape), signedness)).result
    distance = b.integer(1, 9)
    ahead = b.add(cuda_tile.OffsetOp(pointer, b.number(distance, "i16"))).result
    back = b.number(-distance, wider, shape)
    return b.add(cuda_tile.OffsetOp(b.offset(ahead, back), offsets)).result


def _by_selection(b: Builder, pointer: SSAValue, offsets: SSAValue) -> SSAValue:
    """Selects pointers twice by one condition, which leaves the same pointers."""
    condition = b.value(tile("i1", shape_of(offsets)))
    pointers = b.offset(pointer, offsets)
    replaced = b.spread(pointer, shape_of(offsets))
    chosen = b.add(cuda_tile.SelectOp(condition, pointers, replaced)).result
    return b.add(cuda_tile.SelectOp(condition, chosen, pointers)).result


def _by_branch(b: Builder, pointer: SSAValue, offsets: SSAValue) -> SSAValue:
    """Yields the same pointers from both branches of an `if`, computed in different ways."""
    condition = b.value(tile("i1"))
    branches = (b.child(), b.child())
    for branch, way in zip(branches, (_directly, _in_two_steps), strict=True):
        branch.add(cuda_tile.YieldOp([way(branch, pointer, offsets)]))
    type_ = cuda_tile.TileType(shape_of(offsets), type_of(pointer).element_type)
    regions = [branch.region() for branch in branches]
    return b.add(cuda_tile.IfOp(condition, [type_], *regions)).results[0]


def _of_other_shape(b: Builder, pointer: SSAValue, offsets: SSAValue) -> SSAValue:
    type_ = type_of(offsets)
    row = (type_.element_count(),)
    flat = b.add(cuda_tile.ReshapeOp(offsets, cuda_tile.TileType(row, type_.element_type))).result
    pointers = b.offset(pointer, flat)
    shaped = cuda_tile.TileType(type_.get_shape(), type_of(pointers).element_type)
    return b.add(cuda_tile.ReshapeOp(pointers, shaped)).result


def _cut(b: Builder, pointer: SSAValue, offsets: SSAValue) -> SSAValue:
    """Extracts half of a tile of pointers."""
    shape = shape_of(offsets)
    dim, half = b.integer(0, len(shape) - 1), b.integer(0, 1)
    pointers = b.offset(pointer, offsets)
    unused = b.spread(pointer, shape)
    first, second = (unused, pointers) if half else (pointers, unused)
    doubled = tuple(2 * n if i == dim else n for i, n in enumerate(shape))
    type_ = type_of(pointers)
    whole = b.add(
        cuda_tile.CatOp(first, second, dim, cuda_tile.TileType(doubled, type_.element_type))
    ).result
    indices = [b.number(half if i == dim else 0, "i32") for i in range(len(shape))]
    return b.add(cuda_tile.ExtractOp(whole, indices, type_)).result


def _permuted(b: Builder, pointer: SSAValue, offsets: SSAValue) -> SSAValue:
    permutation = b.permutation(len(shape_of(offsets)))
    pointers = b.offset(pointer, b.add(cuda_tile.PermuteOp(offsets, permutation)).result)
    back = [permutation.index(dim) for dim in range(len(permutation))]
    return b.add(cuda_tile.PermuteOp(pointers, back)).result
