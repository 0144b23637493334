"""Dimensions of the tiles of a kernel that are divided together.

Dimensions are divided among thread blocks (CTAs), or among the slices that one thread block
computes in turn.

If each of several CTAs has a part of the rows of a dot, it has a part of the rows of its left
operand. Each CTA also has a part of the rows of all tiles that are computed from the dot row by
row, up to the stores. `TileDimensions` ties dimensions that are divided together, by a rule for
each op. `TileDimensions` also records undivided dimensions: those that a dot or a reduction sums
over. All dimensions of an op without a rule are undivided. Slices may also divide the dimension
that a reduction or a scan combines, since partial results can be carried from slice to slice.

Tiles that are cheap to compute again, such as splats, do not force their uses to be divided alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.element_interfaces import works_on_elements
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp, ReductionOp
from tileir_xdsl.dialects.nv_tileaa.conversions import ByteArrayOp
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import (
    LoadThroughPointersOp,
    StoreThroughPointersOp,
)
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import StoreTileOp
from tileir_xdsl.rewriting import look_up
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class Use:
    """A tile that is computed separately for one use, as an operand of an op."""

    op: Operation
    index: int


Site: TypeAlias = SSAValue | Use
"""A tile that is divided alike for all its uses."""

Dimension: TypeAlias = tuple[Site, int]


def site(op: Operation, index: int) -> Site:
    """The tile that an op takes as an operand."""
    value = op.operands[index]
    return Use(op, index) if is_made_anew(value) else value


def stored_site(op: StoreTileOp | StoreThroughPointersOp) -> Site:
    """The tile that is stored."""
    tile = op.tile if isinstance(op, StoreTileOp) else op.value
    return site(op, list(op.operands).index(tile))


def is_made_anew(value: SSAValue) -> bool:
    """Whether a tile is cheap enough to compute for each of its uses."""
    match value.owner:
        case nv_tileaa.SplatOp() | nv_tileaa.MakeRangeOp():
            return True
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as elements):
            size, data = elements.get_element_type().compile_time_size, elements.data.data
            return data == data[:size] * (len(data) // size)
        case _:
            return False


def extents(of: Site) -> tuple[int, ...]:
    """The shape of a tile."""
    value = of.op.operands[of.index] if isinstance(of, Use) else of
    return tile_shape(value.type).shape


def _tiles(op: Operation) -> Iterator[Site]:
    """The operand and result tiles of an op."""
    for index, operand in enumerate(op.operands):
        if isinstance(operand.type, TensorType):
            yield site(op, index)
    yield from (result for result in op.results if isinstance(result.type, TensorType))


@dataclass
class TileDimensions:
    """Dimensions that are divided together, and dimensions that are never divided."""

    divides_collectives: bool = False
    """Whether the dimension that a reduction or a scan combines may be divided."""
    _ties: DisjointSet[Dimension] = field(default_factory=DisjointSet[Dimension])
    _known: dict[Dimension, None] = field(default_factory=dict[Dimension, None])
    _whole: set[Dimension] = field(default_factory=set[Dimension])

    @staticmethod
    def of(function: nv_tileaa.FuncOp, *, divides_collectives: bool = False) -> TileDimensions:
        """The dimensions of the tiles of a function."""
        found = TileDimensions(divides_collectives)
        for op in ops_in(function):
            found._visit(op)
        return found

    def divided_with(self, dimensions: Iterable[Dimension]) -> dict[Site, int] | None:
        """The divided dimension of each tile if `dimensions` are divided; None if impossible."""
        chosen = list(dimensions)
        for dimension in chosen:
            self._add(dimension)
        roots = {self._ties.find(dimension) for dimension in chosen}
        members = [known for known in self._known if self._ties.find(known) in roots]
        divided = dict(members)
        if len(divided) < len(members) or not self._whole.isdisjoint(members):
            return None
        return divided

    # Rules

    def tie(self, *dimensions: Dimension) -> None:
        """Records that all these dimensions are divided, or none."""
        first, *others = dimensions
        self._add(first)
        for other in others:
            self._add(other)
            self._ties.union(first, other)

    def keep_whole(self, of: Site, *dims: int) -> None:
        """Records that some dimensions of a tile are not divided; all if none are named."""
        for dim in dims or range(len(extents(of))):
            self._add((of, dim))
            self._whole.add((of, dim))

    def tie_all(self, sites: Iterable[Site]) -> None:
        """Records that tiles of one shape are divided alike."""
        first, *others = sites
        for dim in range(len(extents(first))):
            self.tie((first, dim), *((other, dim) for other in others))

    def _add(self, dimension: Dimension) -> None:
        if dimension not in self._known:
            self._known[dimension] = None
            self._ties.add(dimension)

    def _visit(self, op: Operation) -> None:
        if op.regions:
            for given, taken in _forwarded(op):
                self.tie_all([given, taken])
        tiles = list(_tiles(op))
        if not tiles or isinstance(op, CONTROL_FLOW):
            return
        rule = look_up(RULES, op)
        if rule is not None:
            rule(self, op)
        elif works_on_elements(op):
            _elementwise(self, op)
        else:
            for tile in tiles:
                self.keep_whole(tile)


CONTROL_FLOW = (scf.ConditionOp, scf.ForOp, scf.IfOp, scf.WhileOp, scf.YieldOp)


def _forwarded(op: Operation) -> Iterator[tuple[Site, SSAValue]]:
    """The tiles that a control-flow op forwards, and the tiles that they become."""

    def end(block: Block, first: int = 0) -> list[Site]:
        last = block.last_op
        assert last is not None
        return [site(last, index) for index in range(first, len(last.operands))]

    pairs: list[tuple[Site, SSAValue]] = []
    match op:
        case scf.IfOp():
            for region in op.regions:
                for block in region.blocks:
                    pairs += zip(end(block), op.results, strict=True)
        case scf.ForOp():
            carried = op.body.block.args[1:]
            first = len(op.operands) - len(carried)
            taken = [site(op, index) for index in range(first, len(op.operands))]
            pairs += zip(taken, carried, strict=True)
            pairs += zip(end(op.body.block), carried, strict=True)
            pairs += zip(carried, op.results, strict=True)
        case scf.WhileOp():
            before, after = op.before_region.block, op.after_region.block
            taken = [site(op, index) for index in range(len(op.operands))]
            pairs += zip(taken, before.args, strict=True)
            pairs += zip(end(after), before.args, strict=True)
            # A condition forwards all but its first operand, to the body and as results.
            pairs += zip(end(before, 1), after.args, strict=True)
            pairs += zip(end(before, 1), op.results, strict=True)
        case _:
            pass
    yield from ((given, taken) for given, taken in pairs if isinstance(taken.type, TensorType))


Rule = Callable[[TileDimensions, Any], None]


def _elementwise(dimensions: TileDimensions, op: Operation) -> None:
    dimensions.tie_all(_tiles(op))


def _made_anew(dimensions: TileDimensions, op: Operation) -> None:
    """Keeps a tile whole unless it is computed separately for each use."""
    if not is_made_anew(op.results[0]):
        dimensions.keep_whole(op.results[0])


def _broadcast(dimensions: TileDimensions, op: nv_tileaa.BroadcastOp) -> None:
    source = site(op, 0)
    for dim, (before, after) in enumerate(zip(extents(source), extents(op.result), strict=True)):
        if before == after:
            dimensions.tie((source, dim), (op.result, dim))
        else:
            # A single element, which every part needs.
            dimensions.keep_whole(source, dim)


def _reshape(dimensions: TileDimensions, op: nv_tileaa.ExpandDimsOp | nv_tileaa.ViewOp) -> None:
    """Ties dimensions with equally many elements before them; keeps the other ones whole."""
    source, result = site(op, 0), op.result
    before, after = _by_elements_before(extents(source)), _by_elements_before(extents(result))
    for elements, dim in before.items():
        if elements in after:
            dimensions.tie((source, dim), (result, after[elements]))
    for tile, own, others in ((source, before, after), (result, after, before)):
        tied = {dim for elements, dim in own.items() if elements in others}
        for dim in set(range(len(extents(tile)))) - tied:
            dimensions.keep_whole(tile, dim)


def _by_elements_before(shape: tuple[int, ...]) -> dict[int, int]:
    """The dimensions of more than one element, by the product of the extents before them."""
    return {prod(shape[:dim]): dim for dim, extent in enumerate(shape) if extent > 1}


def _bytes(dimensions: TileDimensions, op: ByteArrayOp) -> None:
    """Ties the rows of elements to the rows of their bytes."""
    dimensions.tie((site(op, 0), 0), (op.result, 0))


def _permute(dimensions: TileDimensions, op: nv_tileaa.PermuteOp) -> None:
    source = site(op, 0)
    for dim, of in enumerate(op.get_permutation()):
        dimensions.tie((op.result, dim), (source, of))


def _dot(dimensions: TileDimensions, op: nv_tileaa.DotOp) -> None:
    a, b, c, *scales = (site(op, index) for index in range(len(op.operands)))
    rank = len(extents(op.result))
    rows, columns = rank - 2, rank - 1
    dimensions.tie_all([c, op.result])
    dimensions.tie((a, rows), (op.result, rows))
    dimensions.tie((b, columns), (op.result, columns))
    for dim in range(rows):
        dimensions.tie((a, dim), (b, dim), (op.result, dim))
    # Parts along what is summed over would have partial sums, to be added across the parts.
    dimensions.keep_whole(a, columns)
    dimensions.keep_whole(b, rows)
    # Block scales are divided with the operands that they belong to, but not along the blocks.
    for operand, scale, whole in zip((a, b), scales, (columns, rows), strict=False):
        kept = [dim for dim in range(rank) if dim != whole]
        for dim in kept:
            dimensions.tie((scale, dim), (operand, dim))
        dimensions.keep_whole(scale, whole)


def _collective(dimensions: TileDimensions, op: CollectiveOp) -> None:
    axis, inputs = op.axis.value.data, [site(op, index) for index in range(len(op.inputs))]
    dimensions.tie_all(inputs)
    for given, result in zip(inputs, op.outputs, strict=True):
        # Parts of what is combined would have to be combined in turn: slices can, CTAs do not.
        if not dimensions.divides_collectives:
            dimensions.keep_whole(given, axis)
        elif not isinstance(op, ReductionOp):
            dimensions.tie((given, axis), (result, axis))
        dims = [dim for dim in range(len(extents(given))) if dim != axis]
        kept = range(len(dims)) if isinstance(op, ReductionOp) else dims
        if not isinstance(result.type, TensorType):
            continue
        for dim, becomes in zip(dims, kept, strict=True):
            dimensions.tie((given, dim), (result, becomes))


def _load(dimensions: TileDimensions, op: nv_tileaa.TiledLoadOp) -> None:
    _cut(dimensions, op.tile, op.view)


def _store(dimensions: TileDimensions, op: nv_tileaa.TiledStoreOp) -> None:
    _cut(dimensions, stored_site(op), op.view)


def _cut(dimensions: TileDimensions, tile: Site, view: SSAValue) -> None:
    """Divides a tile of a view only along dimensions where tiles are adjacent."""
    cut = view.owner
    for dim in range(len(extents(tile))):
        dimensions.tie((tile, dim))
        if (
            not isinstance(cut, nv_tileaa.BlockTileOp)
            # Tiles that overlap or leave gaps cannot be tiles of a view with smaller tiles.
            or cut.get_tile_strides()[dim] != cut.get_tile_sizes()[dim]
        ):
            dimensions.keep_whole(tile, dim)


RULES: Mapping[type[Operation], Rule] = {
    ByteArrayOp: _bytes,
    CollectiveOp: _collective,
    LoadThroughPointersOp: _elementwise,
    StoreThroughPointersOp: _elementwise,
    arith.ConstantOp: _made_anew,
    nv_tileaa.AddPtrOp: _elementwise,
    nv_tileaa.BroadcastOp: _broadcast,
    nv_tileaa.DotOp: _dot,
    nv_tileaa.ExpandDimsOp: _reshape,
    nv_tileaa.MakeRangeOp: _made_anew,
    nv_tileaa.PermuteOp: _permute,
    nv_tileaa.SplatOp: _made_anew,
    nv_tileaa.TiledLoadOp: _load,
    nv_tileaa.TiledStoreOp: _store,
    nv_tileaa.ViewOp: _reshape,
}
"""How each op ties the dimensions of its tiles; the tiles of other ops are not divided."""
