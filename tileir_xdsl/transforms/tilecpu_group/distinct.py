"""Facts by which a launch finds that the elements of a tile have distinct addresses.

A nest that loads and stores one tile changes its memory before it has loaded the whole tile. Such a
nest is legal if all elements of the tile have distinct addresses. Sizes and strides may be
arguments of the kernel, so each launch compares them with the extents of the tile.
"""

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, SSAValue

from tileir_xdsl.analysis.iteration_space.overlaps import overlaps_itself
from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType

Fact = tuple[str, int]
"""A number that is known, `("", 16)`, or that an argument has, `("_argument", 2)`."""


def distinct_elements(view: SSAValue) -> DictionaryAttr | None:
    """The facts by which a launch finds whether elements of a tile share an address.

    The facts are empty if no elements do. None stands for strides that a launch cannot know, and
    for elements that do.
    """
    tiling = view.owner
    if not isinstance(tiling, nv_tileaa.BlockTileOp):
        return None
    memory = tiling.source.owner
    if not isinstance(memory, nv_tileaa.MakeMemRefOp):
        return None
    memref = memory.result.type
    assert isinstance(memref, MemRefType)
    sizes = list(_facts(memref.get_shape(), memory.sizes))
    strides = list(_facts(memref.get_strides(), memory.strides))
    dims = [group[0] for group in tiling.get_dim_groups()]
    tiles = {dim: tile for dim, tile in zip(dims, tiling.get_tile_sizes(), strict=True) if tile > 1}
    found = [strides[dim] for dim in tiles]
    known = [fact for fact in found if fact is not None]
    if len(known) < len(found):
        return None
    if all(not suffix for suffix, _ in known):
        is_distinct = not overlaps_itself([*tiles.values()], [number for _, number in known])
        return DictionaryAttr({}) if is_distinct else None
    rows = [_row(tile, sizes[dim], strides[dim]) for dim, tile in tiles.items()]
    location = location_text(tiling.location) or ""
    return DictionaryAttr({"location": StringAttr(location), "dimensions": ArrayAttr(rows)})


def _row(tile: int, size: Fact | None, stride: Fact | None) -> DictionaryAttr:
    row: dict[str, Attribute] = {"tile": IntegerAttr(tile, i64)}
    for name, fact in (("size", size), ("stride", stride)):
        if fact is not None:
            row[name + fact[0]] = IntegerAttr(fact[1], i64)
    return DictionaryAttr(row)


def _facts(numbers: Sequence[int], dynamic: Sequence[SSAValue]) -> Iterator[Fact | None]:
    operands = iter(dynamic)
    for number in numbers:
        yield ("", number) if number != DYNAMIC_INDEX else _fact(next(operands))


def _fact(value: SSAValue) -> Fact | None:
    """The number that a scalar is, or the argument that it comes from; None if it is computed."""
    while isinstance(value.owner, nv_tileaa.AssumeOp | arith.ExtUIOp):
        value = value.owner.operands[0]
    match value:
        case BlockArgument(owner=block) if isinstance(block.parent_op(), nv_tileaa.FuncOp):
            return "_argument", value.index
        case _:
            owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return "", owner.value.value.data
    return None
