"""Layouts of tiles in registers: ops that can adopt the chosen layouts; conversions serve all
others.

This module executes the decisions of `layout_choice`. A layout may move forwards, to the ops that
use a converted tile, or backwards, to the op that makes it.

    %c = convert_layout %x : A -> B                %z = arith.addf %x, %x : A
    %z = arith.addf %c, %c : B              ->     test.op %z : A
    %d = convert_layout %z : B -> A
    test.op %d : A
"""

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.rewriting import Walker
from tileir_xdsl.transforms.tileas_remove_layout_conversions.layout_choice import choose_layouts
from tileir_xdsl.transforms.tileas_remove_layout_conversions.layout_variables import (
    LOOPS,
    LayoutProblem,
)
from tileir_xdsl.walking import ops_in

from .log import ConversionLog

Key = tuple[int, int, int]
"""A tile, a layout and an epoch: one conversion serves all demands with the same key."""


def propagate_through_registers(
    function: Operation, log: ConversionLog, *, fix_joins: bool
) -> None:
    """Makes ops adopt layouts that need fewer conversions.

    Args:
        function: the op whose regions are rewritten.
        log: what stays as it is, and what becomes of the other conversions.
        fix_joins: whether values that control flow forwards keep their layouts.
    """
    problem = LayoutProblem(function, log.kept, fix_joins=fix_joins)
    if not problem.conversions:
        return
    choose_layouts(problem, thorough=not fix_joins)
    pattern = AdoptLayouts(problem)
    Walker(pattern, apply_recursively=False).rewrite_region(function.regions[0])
    pattern.record(log)
    log.rejected += filter(_is_rejected, pattern.retyped)


def _is_rejected(op: Operation) -> bool:
    """Whether the verifier of an op rejects its new layouts."""
    try:
        op.verify_()
    except VerifyException:
        return True
    return False


@dataclass
class AdoptLayouts(RewritePattern):
    """Changes the results of an op to the chosen layouts, and its operands to the demanded
    layouts.
    """

    problem: LayoutProblem
    _order: dict[Operation, int] = field(default_factory=dict[Operation, int])
    _users: dict[Key, list[Operation]] = field(default_factory=dict[Key, list[Operation]])
    _given: dict[Key, list[nv_tileas.ConvertLayoutOp]] = field(
        default_factory=dict[Key, list[nv_tileas.ConvertLayoutOp]]
    )
    _made: dict[tuple[int, int, int], SSAValue] = field(default_factory=dict[Key, SSAValue])
    retyped: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """The ops with changed layouts, in order."""

    def __post_init__(self) -> None:
        problem = self.problem
        for demand in problem.demands:
            position = (demand.tile, demand.wanted, demand.epoch)
            self._users.setdefault(position, []).append(demand.op)
        for op, tile in problem.conversions.items():
            position = (tile, problem.layout_of(op.result), problem.epochs.of_use(op))
            self._given.setdefault(position, []).append(op)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        problem = self.problem
        # Reads of a tile in another layout: whoever demands it gets a value of its own.
        if op in problem.conversions:
            return
        for number in problem.demands_of.get(op, ()):
            demand = problem.demands[number]
            position = (demand.tile, demand.wanted, demand.epoch)
            # A conversion that is forwarded across a fence converts by itself.
            converts = op in problem.forwarded
            value = (
                problem.tiles[demand.tile].value if converts else self._value(position, rewriter)
            )
            if op.operands[demand.index] is not value:
                op.operands[demand.index] = value
                rewriter.notify_op_modified(op)
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)):
            self._retype(value, rewriter)

    def record(self, log: ConversionLog) -> None:
        """Records the reason for each conversion that is no longer needed."""
        problem = self.problem
        for op, tile in problem.conversions.items():
            layout = problem.layout_of(op.result)
            position = (tile, layout, problem.epochs.of_use(op))
            made = self._made.get(position)
            if problem.variables[problem.tiles[tile].variable].layout == layout:
                log.removed(op, "the tile is made in this layout")
            elif made is None:
                log.removed(op, "the users take the tile in the layout that it has")
            elif isinstance(made.owner, nv_tileas.ConvertLayoutOp):
                if made.owner is not op:
                    log.removed(op, "the users share another conversion to this layout", made.owner)
            else:
                log.removed(op, "the tile is computed again in this layout")

    def _retype(self, value: SSAValue, rewriter: PatternRewriter) -> None:
        number = self.problem.tile_of(value)
        if number is None:
            return
        tile = self.problem.tiles[number]
        type = self.problem.type_of(number, self.problem.variables[tile.variable].layout)
        if type != value.type:
            tile.value = rewriter.replace_value_with_new_type(value, type)
            owner = value.owner if isinstance(value, OpResult) else value.owner.parent_op()
            if isinstance(owner, Operation):
                self.retyped[owner] = None

    def _value(self, position: Key, rewriter: PatternRewriter) -> SSAValue:
        """A tile in the layout in which it is demanded."""
        number, layout, _ = position
        tile = self.problem.tiles[number]
        if self.problem.variables[tile.variable].layout == layout:
            return tile.value
        if position not in self._made:
            if self.problem.can_recompute(number, layout):
                self._made[position] = self._recomputed(position, rewriter)
            else:
                self._made[position] = self._converted(position, rewriter)
        return self._made[position]

    def _recomputed(self, position: Key, rewriter: PatternRewriter) -> SSAValue:
        """Recomputes a tile in another layout."""
        number, layout, epoch = position
        value = self.problem.tiles[number].value
        assert isinstance(value, OpResult)
        op = value.op
        # A clone keeps properties such as predicates and flags.
        copy = op.clone()
        copy.location = op.location
        for index, operand, wanted in self.problem.demanded_by(op, layout) or ():
            copy.operands[index] = self._value((operand, wanted, epoch), rewriter)
        type = self.problem.type_of(number, layout)
        rewriter.insert(copy, InsertPoint.after(op))
        made = rewriter.replace_value_with_new_type(copy.results[0], type)
        if isinstance(copy, arith.ConstantOp) and isinstance(copy.value, DenseIntOrFPElementsAttr):
            copy.properties["value"] = DenseIntOrFPElementsAttr.new([type, copy.value.data])
        return made

    def _converted(self, position: Key, rewriter: PatternRewriter) -> SSAValue:
        """The conversion of a tile for all users of one layout; an existing conversion is reused if
        possible.
        """
        number, layout, epoch = position
        source = self.problem.tiles[number].value
        anchor = self._anchor(position)
        given = self._given.get((number, layout, epoch))
        if not given:
            conversion = nv_tileas.ConvertLayoutOp(source, self.problem.type_of(number, layout))
            owner = source.owner if isinstance(source, OpResult) else anchor
            assert isinstance(owner, Operation)
            conversion.location = owner.location
            rewriter.insert(conversion, InsertPoint.before(anchor))
            return conversion.result
        # Reused, so that its name and location stay for the reader.
        conversion = given[0]
        conversion.operands[0] = source
        if not self._precedes(conversion, anchor):
            conversion.detach()
            rewriter.insert(conversion, InsertPoint.before(anchor))
        rewriter.notify_op_modified(conversion)
        return conversion.result

    def _precedes(self, op: Operation, anchor: Operation) -> bool:
        """Whether an op is in the block of the anchor and before it."""
        if op.parent is not anchor.parent:
            return False
        if not self._order:
            root = self.problem.function
            self._order = {inner: number for number, inner in enumerate(ops_in(root))}
        return self._order[op] < self._order[anchor]

    def _anchor(self, position: Key) -> Operation:
        """The op before which a conversion is inserted: before all its users, and outside of loops
        if possible.
        """
        number, _, epoch = position
        source = self.problem.tiles[number].value
        users = self._users[position]
        home = source.owner if isinstance(source.owner, Block) else source.owner.parent
        path = _ancestors(users[0], home)
        depth = {op.parent: i for i, op in enumerate(path)}
        first = 0
        for user in users[1:]:
            while user.parent not in depth:
                parent = user.parent_op()
                assert parent is not None
                user = parent
            first = max(first, depth[user.parent])
        anchor = path[first]
        for op in path[first + 1 :]:
            # Before the switch other threads would hold the tile.
            if isinstance(op, nv_tileaa.AgentLikeOpInterface):
                break
            # The tile comes from outside of the loop, so that one conversion before it is enough.
            if isinstance(op, LOOPS) and self.problem.epochs.of_use(op) == epoch:
                anchor = op
        return anchor


def _ancestors(op: Operation, home: Block | None) -> list[Operation]:
    """An op, the op around it, and so on up to the one that lies in the block `home`."""
    path = [op]
    while path[-1].parent is not home:
        parent = path[-1].parent_op()
        assert parent is not None
        path.append(parent)
    return path
