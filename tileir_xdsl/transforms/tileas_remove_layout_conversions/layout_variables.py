"""The layouts of a function as variables, and the conversions that a choice of layouts needs.

A *variable* is the layout of all tiles that an op makes, or that a path of control flow forwards. A
variable is *fixed* if the op requires that layout. A *demand* is the use of a tile in a layout. The
layout is fixed, or follows from the variable of the using op. A choice of layouts costs one
conversion for each tile and each layout in which it is demanded but not made:

    %x = load                          variable 0, fixed
    %y = convert_layout %x             no variable: a look at %x, demanded in another layout
    %z = arith.addf %y, %y             variable 1, free; demands %x in its own layout
    store %z                           demands %z in a fixed layout

Some tiles are cheap to recompute, such as constants and pointers made of ranges. Such tiles are
computed in each demanded layout, and so need no conversions.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, TensorType
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from tileir_xdsl.analysis.layouts.direct_conversion import is_direct, is_register_tile
from tileir_xdsl.analysis.layouts.transfer import (
    backward,
    forward,
    is_elementwise,
    is_made_in_place,
)
from tileir_xdsl.analysis.layouts.uses import ACCESSES
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.element_interfaces import ReindexedOpInterface
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp
from tileir_xdsl.dialects.nv_tileaa.shapes import InsertedDimensionOp
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr, linear_layout, register_layout
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.transforms.tileas_remove_layout_conversions.consistency_epochs import (
    Epochs,
    number_epochs,
)
from tileir_xdsl.transforms.tileas_remove_layout_conversions.region_operands import (
    forwarded_operands,
)

LOOPS = (scf.ForOp, scf.WhileOp)
GENERATIONS = (nv_tileaa.GenerateOp, nv_tileas.GenerateOp)
CHEAP_OPS = (
    nv_tileaa.AddIOp,
    nv_tileaa.AddPtrOp,
    nv_tileaa.AssumeOp,
    nv_tileaa.BroadcastOp,
    InsertedDimensionOp,
    nv_tileaa.PermuteOp,
    nv_tileaa.TruncIOp,
    nv_tileaa.ViewOp,
    nv_tileas.ViewOp,
)
"""Ops that are recomputed instead of converting their result, besides the integer arithmetic of
`arith`.
"""

# Chosen, not tuned: no reference program changes with 4, 8 or 32.
MAX_RECOMPUTED_OPS = 16
"""The most ops to recompute for a tile; tiles that need more are converted."""

# More than any number of conversions that a function could have.
IMPOSSIBLE = 1 << 40
"""The cost of a conversion that does not exist."""

# So much larger than the depth of loops that depth never outweighs a conversion.
CONVERSION = 1 << 20
"""The cost of a conversion; each loop around it adds 1, so that outer positions are preferred."""


@dataclass(slots=True)
class Demand:
    """A use of a tile, by operand `index` of `op`, in the layout `wanted`.

    `wanted` follows from variable `consumer`; -1 stands for a fixed layout.
    """

    op: Operation
    index: int
    tile: int
    epoch: int
    wanted: int
    consumer: int = -1


@dataclass(slots=True)
class Tile:
    """A tile that an op or block makes; conversions of it are not separate tiles."""

    value: SSAValue
    variable: int
    epoch: int
    depth: int
    kind: int
    """A number for its shape and element type."""
    recomputed_ops: int = 0
    """How many ops recompute the tile in another layout; 0 if the tile is converted."""
    demands: list[int] = field(default_factory=list[int])


@dataclass(slots=True)
class Variable:
    """The layout of some tiles, which determines the layouts of the operands they are computed
    from.

    `op` determines the operand layouts from the layout of its result; without `op` all layouts are
    equal.
    """

    layout: int
    fixed: bool
    op: Operation | None = None
    tiles: list[int] = field(default_factory=list[int])
    demands: list[int] = field(default_factory=list[int])


class LayoutProblem:
    """The variables, tiles and demands of one function; layouts are indices of `layouts`."""

    def __init__(
        self, function: Operation, kept: Set[Operation] = frozenset(), *, fix_joins: bool = False
    ) -> None:
        """Collects the problem of a function.

        Args:
            function: the op whose regions are read. kept: conversions that stay as they are.
            fix_joins: whether values that control flow forwards keep their layouts.
        """
        self.conversions: dict[nv_tileas.ConvertLayoutOp, int] = {}
        self.forwarded: set[Operation] = set()
        self.variables: list[Variable] = []
        self.tiles: list[Tile] = []
        self.demands: list[Demand] = []
        self.layouts: list[LayoutAttr] = []
        self.demands_of: dict[Operation, list[int]] = {}
        self.epochs: Epochs = number_epochs(function)
        self._kept = kept
        self.function = function
        self._fix_joins = fix_joins
        self._layout_numbers: dict[Attribute, int] = {}
        self._tile_of: dict[SSAValue, int] = {}
        self._joined: dict[tuple[Operation, int], int] = {}
        self._carried: dict[tuple[int, int, int, bool], int | None] = {}
        self._recomputable: dict[tuple[int, int], bool] = {}
        self._direct: dict[tuple[int, int, int], bool] = {}
        self._costs: dict[int, int] = {}
        self._kinds: dict[tuple[Attribute, Attribute], int] = {}
        self._types: dict[tuple[int, int], TensorType[Attribute]] = {}
        self._visit_regions(function, 0)
        # Last, since a demand may follow its tile by many ops.
        self._fix_across_epochs()

    # Questions.

    def type_of(self, tile: int, layout: int) -> TensorType[Attribute]:
        """The type of a tile in a layout."""
        key = (self.tiles[tile].kind, layout)
        result = self._types.get(key)
        if result is None:
            type = self.tiles[tile].value.type
            assert isinstance(type, TensorType)
            result = TensorType(type.element_type, type.shape, self.layouts[layout])
            self._types[key] = result
        return result

    def cost(self, tile: int) -> int:
        """The cost of the conversions of a tile, with the current layouts."""
        cost = self._costs.get(tile)
        if cost is None:
            cost = self._costs[tile] = self._cost(tile)
        return cost

    def _cost(self, tile: int) -> int:
        item = self.tiles[tile]
        made = self.variables[item.variable].layout
        demands = [self.demands[number] for number in item.demands]
        wanted = {(demand.epoch, demand.wanted) for demand in demands if demand.wanted != made}
        total = 0
        for _, layout in wanted:
            if not self.can_recompute(tile, layout):
                exists = self.can_convert(tile, made, layout)
                total += CONVERSION + item.depth if exists else IMPOSSIBLE
        return total

    def can_convert(self, tile: int, source: int, result: int) -> bool:
        """Whether a single conversion between two layouts of a tile exists."""
        key = (self.tiles[tile].kind, source, result)
        if key not in self._direct:
            self._direct[key] = is_direct(self.type_of(tile, source), self.type_of(tile, result))
        return self._direct[key]

    def can_recompute(self, tile: int, layout: int) -> bool:
        """Whether a tile is recomputed in another layout instead of converted."""
        item = self.tiles[tile]
        if not item.recomputed_ops:
            return False
        key = (tile, layout)
        if key not in self._recomputable:
            assert isinstance(item.value, OpResult)
            needed = self.demanded_by(item.value.op, layout)
            self._recomputable[key] = needed is not None and all(
                self.variables[self.tiles[operand].variable].layout == wanted
                or self.can_recompute(operand, wanted)
                for _, operand, wanted in needed
            )
        return self._recomputable[key]

    def demanded_by(self, op: Operation, layout: int) -> list[tuple[int, int, int]] | None:
        """For an op that makes `layout`, the indices of its operands, their tiles, and the required
        layouts.

        None if the op cannot make that layout.
        """
        needed: list[tuple[int, int, int]] = []
        for number in self.demands_of.get(op, ()):
            demand = self.demands[number]
            wanted = self._carry(op, demand.index, layout, False)
            if wanted is None:
                return None
            needed.append((demand.index, demand.tile, wanted))
        return needed

    def wanted(self, demand: Demand, layout: int) -> int | None:
        """The layout in which an operand is demanded if its consumer's variable has `layout`."""
        if demand.consumer < 0:
            return demand.wanted
        op = self.variables[demand.consumer].op
        return layout if op is None else self._carry(op, demand.index, layout, False)

    def following(self, demand: Demand, layout: int) -> int | None:
        """The layout of a consumer's variable for which it demands an operand in `layout`, if there
        is one.
        """
        op = self.variables[demand.consumer].op
        return layout if op is None else self._carry(op, demand.index, layout, True)

    def assign(self, variable: int, layout: int) -> None:
        """Sets the layout of a variable, and updates its demands."""
        item = self.variables[variable]
        item.layout = layout
        for tile in item.tiles:
            self._costs.pop(tile, None)
        for number in item.demands:
            demand = self.demands[number]
            wanted = self.wanted(demand, layout)
            assert wanted is not None
            demand.wanted = wanted
            self._costs.pop(demand.tile, None)

    def tile_of(self, value: SSAValue) -> int | None:
        """The tile of a value, or of the value that it is a conversion of."""
        return self._tile_of.get(value)

    # Construction.

    def layout_of(self, value: SSAValue) -> int:
        """The layout of a tile in registers, by its type."""
        type = value.type
        assert isinstance(type, TensorType) and isinstance(type.encoding, LayoutAttr)
        return self._number(type.encoding)

    def _number(self, layout: LayoutAttr) -> int:
        number = self._layout_numbers.get(layout)
        if number is None:
            number = self._layout_numbers[layout] = len(self.layouts)
            self.layouts.append(layout)
        return number

    def _carry(self, op: Operation, index: int, layout: int, is_forward: bool) -> int | None:
        # By identity: ops have no other key, and live as long as the problem.
        key = (id(op), index, layout, is_forward)
        try:
            return self._carried[key]
        except KeyError:
            carried = self._carried[key] = self._carried_layout(op, index, layout, is_forward)
            return carried

    def _carried_layout(
        self, op: Operation, index: int, layout: int, is_forward: bool
    ) -> int | None:
        value = op.operands[index] if is_forward else op.results[0]
        assert isinstance(value.type, TensorType)
        try:
            linear = linear_layout(self.layouts[layout].data.layout, value.type.get_shape())
            carried = (forward if is_forward else backward)(op, linear, index)
            # Not every linear layout has a shape and strides.
            return None if carried is None else self._number(register_layout(carried))
        except LayoutError:
            return None

    def _new_variable(self, layout: int, fixed: bool, op: Operation | None = None) -> int:
        self.variables.append(Variable(layout, fixed, op))
        return len(self.variables) - 1

    def _add_tile(self, value: SSAValue, variable: int, depth: int, recomputed: int = 0) -> int:
        number = len(self.tiles)
        epoch = self.epochs.of_value(value)
        assert isinstance(value.type, TensorType)
        shape_and_element = (value.type.shape, value.type.element_type)
        kind = self._kinds.setdefault(shape_and_element, len(self._kinds))
        self.tiles.append(Tile(value, variable, epoch, depth, kind, recomputed))
        self.variables[variable].tiles.append(number)
        self._tile_of[value] = number
        return number

    def _add_demand(self, op: Operation, index: int, consumer: int, wanted: int | None = None):
        value = op.operands[index]
        tile = self._tile_of[value]
        if wanted is None:
            wanted = self.layout_of(value)
        number = len(self.demands)
        self.demands.append(Demand(op, index, tile, self.epochs.of_use(op), wanted, consumer))
        self.tiles[tile].demands.append(number)
        self.demands_of.setdefault(op, []).append(number)
        if consumer >= 0:
            self.variables[consumer].demands.append(number)

    def _visit_regions(self, op: Operation, depth: int) -> None:
        for region in op.regions:
            for block in region.blocks:
                self._visit_arguments(block, depth)
                for inner in block.ops:
                    self._visit(inner, depth)

    def _visit_arguments(self, block: Block, depth: int) -> None:
        for argument in block.args:
            if is_register_tile(argument.type) and argument not in self._tile_of:
                self._add_tile(argument, self._new_variable(self.layout_of(argument), True), depth)

    def _visit(self, op: Operation, depth: int) -> None:
        if isinstance(op, nv_tileas.ConvertLayoutOp) and self._visit_conversion(op):
            return
        if op.regions:
            self._join(op, depth)
        results = [value for value in op.results if is_register_tile(value.type)]
        operands = [i for i, value in enumerate(op.operands) if is_register_tile(value.type)]
        if operands or results:
            self._visit_tiles(op, operands, results, depth)
        if op.regions:
            self._visit_regions(op, depth + isinstance(op, LOOPS))

    def _visit_tiles(
        self, op: Operation, operands: list[int], results: Sequence[SSAValue], depth: int
    ) -> None:
        # A recomputed tile has no layout of its own to choose.
        recomputed = self._recomputed_ops(op, operands)
        free = recomputed == 0 and self._is_free(op, operands)
        variable = -1
        if free:
            first = results[0] if results else op.operands[operands[0]]
            carrier = op if isinstance(op, ReindexedOpInterface) else None
            variable = self._new_variable(self.layout_of(first), False, carrier)
        for index in operands:
            self._add_demand(op, index, self._joined.get((op, index), variable))
        for value in results:
            if value not in self._tile_of:
                of_value = variable if free else self._new_variable(self.layout_of(value), True)
                self._add_tile(value, of_value, depth, recomputed)

    def _visit_conversion(self, op: nv_tileas.ConvertLayoutOp) -> bool:
        """Treats the result of a conversion as its source, unless the conversion must be kept."""
        # A conversion by way of a third layout is two, which the cost does not know.
        if op in self._kept or not is_direct(op.source.type, op.result.type):
            return False
        tile = self._tile_of.get(op.source)
        if tile is None or not is_register_tile(op.source.type):
            return False
        if not is_direct(self.tiles[tile].value.type, op.result.type):
            return False
        epoch = self.epochs.of_use(op)
        if any(self.epochs.of_use(use.operation) != epoch for use in op.result.uses):
            # The result is forwarded across a fence: it has to be there in this layout.
            layout = self.layout_of(op.result)
            self.forwarded.add(op)
            self._add_demand(op, 0, -1, layout)
            self._add_tile(op.result, self._new_variable(layout, True), 0)
            return True
        self._tile_of[op.result] = tile
        self.conversions[op] = tile
        return True

    def _join(self, op: Operation, depth: int) -> None:
        """Unifies the variables of values that a region op forwards with those of the targets."""
        # Agents may have other numbers of warps, for which a layout names other threads.
        if isinstance(op, nv_tileaa.AgentLikeOpInterface):
            return
        for forwarded in forwarded_operands(op):
            target = forwarded.target
            if not is_register_tile(target.type):
                continue
            key = (forwarded.op, forwarded.index)
            tile = self._tile_of.get(target)
            if tile is not None:
                self._joined[key] = self.tiles[tile].variable
                continue
            variable = self._joined.get(key)
            if variable is None:
                variable = self._new_variable(self.layout_of(target), self._fix_joins)
                self._joined[key] = variable
            # The results of a loop are converted once, what it carries in every iteration.
            inside = isinstance(op, LOOPS) and target not in op.results
            self._add_tile(target, variable, depth + inside)

    def _recomputed_ops(self, op: Operation, operands: list[int]) -> int:
        """How many ops recompute the result of an op; 0 if there are too many."""
        # A region would be cloned with all its ops.
        if len(op.results) != 1 or op.regions:
            return 0
        if is_made_in_place(op):
            return 1
        if not operands or not _is_cheap(op):
            return 0
        epoch = self.epochs.of_use(op)
        count = 1
        for index in operands:
            tile = self.tiles[self._tile_of[op.operands[index]]]
            # One operand that must be converted makes the whole chain cost a conversion.
            if not tile.recomputed_ops or tile.epoch != epoch:
                return 0
            count += tile.recomputed_ops
        return count if count <= MAX_RECOMPUTED_OPS else 0

    def _is_free(self, op: Operation, operands: list[int]) -> bool:
        """Whether an op accepts other layouts, in which the operands follow from the result."""
        tiles = [v for v in (*op.operands, *op.results) if isinstance(v.type, TensorType)]
        if not tiles or not all(is_register_tile(value.type) for value in tiles):
            return False
        if isinstance(op, GENERATIONS):
            return True
        if isinstance(op, ACCESSES):
            # An atom was chosen for the layout that the access has.
            return op.atom is None and op.layout is None and _alike(tiles)
        if is_elementwise(op):
            return _alike(tiles)
        is_reindexed = isinstance(op, ReindexedOpInterface) and not isinstance(op, CollectiveOp)
        if not is_reindexed or len(op.results) != 1:
            return False
        layout = self.layout_of(op.results[0])
        return all(self._carry(op, index, layout, False) is not None for index in operands)

    def _fix_across_epochs(self) -> None:
        """Fixes the variables of tiles that are made in one epoch and used, or forwarded, in
        another.
        """
        for demand in self.demands:
            tile = self.tiles[demand.tile]
            if tile.epoch != demand.epoch:
                self.variables[tile.variable].fixed = True
                tile.recomputed_ops = 0
            if demand.consumer >= 0:
                consumer = self.variables[demand.consumer]
                if any(self.tiles[number].epoch != demand.epoch for number in consumer.tiles):
                    consumer.fixed = True


def _is_cheap(op: Operation) -> bool:
    if isinstance(op, CHEAP_OPS):
        return True
    # Other dialects have ops that cost more, such as divisions of floats.
    if op.name.partition(".")[0] != arith.Arith.name:
        return False
    return all(isinstance(element, IntegerType | IndexType) for element in _elements(op))


def _elements(op: Operation) -> Iterator[Attribute]:
    for value in (*op.operands, *op.results):
        yield value.type.element_type if isinstance(value.type, TensorType) else value.type


def _alike(tiles: list[SSAValue]) -> bool:
    """Whether tiles have one shape and one layout."""
    types = [value.type for value in tiles]
    first = types[0]
    assert isinstance(first, TensorType)
    return all(
        isinstance(type, TensorType)
        and type.shape == first.shape
        and type.encoding == first.encoding
        for type in types[1:]
    )
