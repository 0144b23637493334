"""Normalizes the operands of dots, so that equal computations have equal form.

    %t = nv_tileaa.tiled_load %v : 1x64x128, its elements along 64 next to each other in memory
    %x = nv_tileaa.view %t : 64x128
    ->
    %0 = nv_tileaa.tiled_load %w : 1x128x64
    %1 = nv_tileaa.view %0 : 128x64
    %x = nv_tileaa.permute %1 {permutation = array<i32: 1, 0>}

A tile is loaded in memory order. At most a view, a permutation and another view follow before the
dot. The permutation has the fewest dimensions possible, each of several elements. Layouts are
chosen for the tile that is loaded, so that equal bytes get equal code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import DenseArrayBase, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects.nv_tileaa.matrix import DotOp
from tileir_xdsl.dialects.nv_tileaa.shapes import PermuteOp, ViewOp
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import BlockTileOp, TiledLoadOp

MATRIX = 2
"""The rank of an operand without a batch."""


def rename_operands(op: DotOp, rewriter: PatternRewriter) -> None:
    """Normalizes the operands of a dot."""
    for number, operand in enumerate((op.a, op.b)):
        if len(tile_shape(operand.type).shape) != MATRIX:
            continue
        chain = _chain(operand)
        source = chain[0].source if chain else operand
        if isinstance(source.owner, TiledLoadOp):
            order = _order_in_memory(source.owner)
            if order is not None:
                chain.insert(0, _load_in_order(source.owner, order, rewriter))
                source = chain[0].source
        if (new := _renamed(chain)) is None:
            continue
        rewriter.insert(new, InsertPoint.before(op))
        op.operands[number] = new[-1].result if new else source
        rewriter.notify_op_modified(op)


def _chain(value: SSAValue) -> list[ViewOp | PermuteOp]:
    """The views and permutations that produce a tile, in their order."""
    found: list[ViewOp | PermuteOp] = []
    while isinstance(op := value.owner, ViewOp | PermuteOp):
        found.insert(0, op)
        value = op.source
    return found


def _order_in_memory(op: TiledLoadOp) -> list[int] | None:
    """A tile's dimensions in memory order; None if they already are in this order.

    Dimensions of extent one are ignored.
    """
    view = op.view.owner
    if not isinstance(view, BlockTileOp):
        return None
    groups, memref = view.get_dim_groups(), view.source.type
    assert isinstance(memref, MemRefType)
    strides = memref.get_strides()
    if any(len(group) != 1 for group in groups) or 1 not in strides:
        return None
    fastest = max(dim for dim, stride in enumerate(strides) if stride == 1)
    order = sorted(range(len(groups)), key=lambda d: (groups[d][0] == fastest, groups[d][0]))
    sizes = view.get_tile_sizes()
    wide = [dim for dim in order if sizes[dim] > 1]
    # Another order of the slower dimensions leaves the rows that are next to each other.
    if not wide or wide[-1] == max(wide):
        return None
    return order


def _load_in_order(op: TiledLoadOp, order: Sequence[int], rewriter: PatternRewriter) -> PermuteOp:
    """Replaces a load by a load with reordered dimensions and a permutation back."""
    view = op.view.owner
    assert isinstance(view, BlockTileOp)
    groups, sizes, strides = view.get_dim_groups(), view.get_tile_sizes(), view.get_tile_strides()
    new_view = BlockTileOp(
        view.source,
        [sizes[dim] for dim in order],
        [groups[dim] for dim in order],
        None if view.tile_strides is None else [strides[dim] for dim in order],
    )
    new_view.location = view.location
    rewriter.insert(new_view, InsertPoint.after(view))
    properties = dict(op.properties)
    if op.in_bounds is not None:
        inside = op.in_bounds.get_values()
        properties["in_bounds"] = DenseArrayBase.from_list(
            op.in_bounds.elt_type, [inside[dim] for dim in order]
        )
    tile = tile_shape(op.tile.type)
    load = TiledLoadOp.create(
        operands=[
            new_view.result,
            *(op.coords[dim] for dim in order),
            *op.operands[1 + len(order) :],
        ],
        result_types=[
            TensorType(tile.element, [sizes[dim] for dim in order]),
            op.result_token.type,
        ],
        properties=properties,
        attributes=op.attributes,
    )
    load.location = op.location
    back = PermuteOp(load.tile, [order.index(dim) for dim in range(len(order))], op.tile.type)
    back.location = op.location
    rewriter.replace(op, [load, back], [back.result, load.result_token])
    return back


@dataclass(eq=False)
class _Digit:
    """A factor of an element's linear index in the source, as a mixed-radix digit."""

    extent: int


@dataclass
class _Names:
    """A tile's dimensions, each a list of digits of the element's index in the source, slowest
    first.
    """

    source: list[_Digit]
    tile: list[list[_Digit]]

    def split(self, digit: _Digit, slower: int) -> tuple[_Digit, _Digit]:
        """Splits a digit in two; the first, slower one has extent `slower`."""
        parts = _Digit(slower), _Digit(digit.extent // slower)
        at = self.source.index(digit)
        self.source[at : at + 1] = parts
        return parts

    def view(self, shape: Sequence[int]) -> bool:
        """Reshapes the tile; returns False if a dimension is not a product of digits."""
        digits = [digit for dimension in self.tile for digit in dimension]
        self.tile = []
        for extent in shape:
            dimension: list[_Digit] = []
            while (rest := extent // prod(digit.extent for digit in dimension)) > 1:
                digit = digits.pop(0)
                if digit.extent > rest:
                    if digit.extent % rest:
                        return False
                    digit, faster = self.split(digit, rest)
                    digits.insert(0, faster)
                elif rest % digit.extent:
                    return False
                dimension.append(digit)
            self.tile.append(dimension)
        return True

    def permute(self, permutation: Sequence[int]) -> None:
        self.tile = [self.tile[dim] for dim in permutation]

    def joined(self) -> tuple[list[int], list[int]]:
        """The coarsest shape of the source from which the tile is a permutation, and the
        permutation.
        """
        wide = [digit for digit in self.source if digit.extent > 1]
        numbers = [
            wide.index(digit) for dimension in self.tile for digit in dimension if digit.extent > 1
        ]
        runs: list[list[int]] = []
        for number in numbers:
            if runs and runs[-1][-1] + 1 == number:
                runs[-1].append(number)
            else:
                runs.append([number])
        in_source = sorted(runs)
        extents = [prod(wide[number].extent for number in run) for run in in_source]
        return extents, [in_source.index(run) for run in runs]


def _renamed(chain: Sequence[ViewOp | PermuteOp]) -> list[ViewOp | PermuteOp] | None:
    """The normal form of a chain; None if the chain is already in normal form or has none."""
    if not chain:
        return None
    source = chain[0].source
    element = tile_shape(source.type).element
    digits = [_Digit(extent) for extent in tile_shape(source.type).shape]
    names = _Names(list(digits), [[digit] for digit in digits])
    for op in chain:
        if isinstance(op, PermuteOp):
            names.permute(op.get_permutation())
        elif not names.view(tile_shape(op.result.type).shape):
            return None
    extents, permutation = names.joined()
    steps: list[tuple[TensorType, list[int] | None]] = []
    if permutation != sorted(permutation):
        steps.append((TensorType(element, extents), None))
        steps.append((TensorType(element, [extents[dim] for dim in permutation]), permutation))
    steps.append((chain[-1].result.type, None))
    value, new = source, list[ViewOp | PermuteOp]()
    for type_, order in steps:
        if order is not None:
            new.append(PermuteOp(value, order, type_))
        elif value.type != type_:
            new.append(ViewOp(value, type_))
        value = new[-1].result if new else value
    if [_form(op) for op in new] != [_form(op) for op in chain]:
        return new
    for op in reversed(new):
        op.erase()
    return None


def _form(op: ViewOp | PermuteOp) -> tuple[type[Operation], Attribute]:
    """An op's class, and its permutation or shape."""
    return type(op), op.permutation if isinstance(op, PermuteOp) else op.result.type
