"""The layout of every tile of a function, and the operands and results that are converted.

Groups with ops that propose layouts are decided first, by cost. Layouts are then propagated through
re-indexing ops: first from users to definitions, so that index arithmetic has the layout of its
access, then to users. The remaining tiles get a blocked layout of single elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.access.copy_costs import conversion_cost
from tileir_xdsl.analysis.layouts import groups as layout_groups
from tileir_xdsl.analysis.layouts.candidates import NO_COMMON_MEMORY, TileLayout
from tileir_xdsl.analysis.layouts.dot_layouts import Axis, DotLayouts
from tileir_xdsl.analysis.layouts.global_uses import copied_to
from tileir_xdsl.analysis.layouts.tile_uses import ReductionUse
from tileir_xdsl.analysis.layouts.transfer import backward, forward
from tileir_xdsl.analysis.layouts.uses import (
    OperationUse,
    UseContext,
    operation_use,
    stored_bits,
    uses_of,
)
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.diagnostics import describe
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.collectives import ReductionOp
from tileir_xdsl.dialects.nv_tileas.accesses import SparseTileOp
from tileir_xdsl.dialects.nv_tileas.compute import issues_mma
from tileir_xdsl.layout import reindexing
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.targets import Target
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.dot_choice import (
    DotChoice,
    choose_strategies,
)
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.group_choice import (
    Answer,
    Forced,
    GroupChoice,
    LayoutGroup,
    OptionTable,
    choose_layout,
)
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.reindexing_use import ReindexingUse
from tileir_xdsl.walking import ops_in

Slot = tuple[Operation, int]
"""An operand or a result, by its op and number."""

REINDEXING = (*layout_groups.REINDEXING_OPS, nv_tileas.InsertSliceOp)

BETWEEN_GROUPS = (*REINDEXING, SparseTileOp, nv_tileas.FutureWaitOp)
"""Ops that relate the layouts of several groups to each other."""


@dataclass
class Assignment:
    """The decisions for one function."""

    groups: layout_groups.LayoutGroups
    layouts: dict[SSAValue, TileLayout] = field(default_factory=dict[SSAValue, TileLayout])
    """By group."""
    operands: dict[Slot, TileLayout] = field(default_factory=dict[Slot, TileLayout])
    """Operands that are converted to another layout than that of their group."""
    results: dict[Slot, TileLayout] = field(default_factory=dict[Slot, TileLayout])
    """Results that an op produces in another layout than that of their group."""
    answers: dict[Operation, Answer] = field(default_factory=dict[Operation, Answer])
    """The answer of each access, reduction and scan."""
    dots: Mapping[Operation, DotChoice] = field(default_factory=dict[Operation, DotChoice])
    """The strategy of each dot."""
    choices: list[GroupChoice] = field(default_factory=list[GroupChoice])

    def layout_of(self, tile: SSAValue) -> TileLayout | None:
        """The layout of the group of a tile."""
        return self.layouts.get(self.groups.of(tile))


def assign_layouts(
    function: Operation,
    target: Target,
    warps: int,
    prefer_tma: bool,
    forced: Forced,
    *,
    every_neighbour: bool = False,
) -> Assignment:
    """Chooses a layout for every tile of a function.

    With `every_neighbour`, costs of conversions to neighbouring groups are computed even if these
    agree with a group's own choice, for a report.

    Raises `PassFailedException` if no copy atom reaches the memory that an access names, or if ops
    of a group have no layout in common.
    """
    ops = ops_in(function)
    groups = layout_groups.collect_layout_groups(function)
    # Dots first: what they read and write decides the layouts around them.
    dots = choose_strategies(ops, groups, target, warps, forced)
    strategies = {op: choice.chosen for op, choice in dots.items()}
    context = UseContext(target, warps, prefer_tma, DivisibilityAnalysis(), strategies)
    forced = {op: name for op, name in forced.items() if op not in strategies}
    chooser = _Chooser(
        ops,
        context,
        Assignment(groups, dots=dots),
        OptionTable(target.cost_weights, warps),
        forced,
        collect_uses(ops, groups, context),
    )
    assignment = chooser.assignment
    # First alone: a conversion to a neighbour has a cost only once its layout is known.
    chooser.choose_alone()
    _carry_layouts(ops, assignment, warps)
    assignment.layouts = chooser.choose_with_neighbours(every_neighbour)
    _carry_layouts(ops, assignment, warps)
    for op, strategy in strategies.items():
        # Once layouts are final: an operand may have become a buffer only now.
        _bring_from_memory(op, strategy, assignment)
    for op in ops:
        _reconcile(op, assignment)
    return assignment


@dataclass
class _Chooser:
    """Chooses the layouts of all groups of a function, first independently, then jointly."""

    ops: Sequence[Operation]
    context: UseContext
    assignment: Assignment
    table: OptionTable
    forced: Forced
    members: dict[SSAValue, LayoutGroup]
    """The groups with ops that propose layouts."""
    alone: dict[SSAValue, GroupChoice] = field(default_factory=dict[SSAValue, GroupChoice])

    def choose_alone(self) -> None:
        """Chooses a layout for each group by its own ops, as a start for its neighbours."""
        for group, uses in self.members.items():
            choice = self.alone[group] = choose_layout(uses, self.table, self.forced)
            if choice.chosen is not None:
                self.assignment.layouts[group] = choice.chosen.layout
        self.assignment.layouts |= self._awaited_mmas()

    def _awaited_mmas(self) -> dict[SSAValue, TileLayout]:
        """The results of asynchronous MMAs, whose layout the hardware determines."""
        return {
            self.assignment.groups.of(op.results[0]): strategy.accumulator
            for op, strategy in self.context.strategies.items()
            if issues_mma(op)
        }

    def choose_with_neighbours(self, every_neighbour: bool) -> dict[SSAValue, TileLayout]:
        """Chooses again, in program order, including the costs of conversions to neighbouring
        groups.

        Raises `PassFailedException` if ops of a group have no layout in common.
        """
        groups, layouts = self.assignment.groups, self.assignment.layouts
        edges = _edges(self.ops, groups)
        decided = self._awaited_mmas()
        for group in _in_order(self.ops, groups):
            around = list(_edge_layouts(edges.get(group, ()), group, self.assignment))
            choice = self.alone.get(group)
            # A group whose neighbours agree keeps what it chose alone.
            if any(layout != layouts[group] for _, layout in around) or (
                every_neighbour and choice is not None and around
            ):
                uses = self.members.get(group, LayoutGroup())
                uses.uses += (
                    _edge_use(edge, layout, group, self.assignment, self.context)
                    for edge, layout in around
                )
                choice = choose_layout(uses, self.table, self.forced)
            if group in self.members and choice is not None:
                self.assignment.choices.append(choice)
            if choice is None:
                # Positions of gathered rows are carried again, once it is known where rows are.
                if around:
                    decided[group] = layouts[group]
            elif choice.chosen is not None:
                layouts[group] = decided[group] = choice.chosen.layout
                _take_answers(self.assignment, choice)
            elif choice.options and choice.best is None:
                raise _no_common_layout(choice)
        return decided


def collect_uses(
    ops: Sequence[Operation], groups: layout_groups.LayoutGroups, context: UseContext
) -> dict[SSAValue, LayoutGroup]:
    """The groups with ops that propose layouts, in program order."""
    found: dict[SSAValue, LayoutGroup] = {}
    binding: dict[SSAValue, Operation] = {}
    for op in ops:
        uses = list(uses_of(op, context))
        for tile, use in uses:
            if layout_groups.is_layoutable(tile):
                found.setdefault(groups.of(tile), LayoutGroup()).uses.append(use)
        # A reduction folds registers, whatever else it wants of its operand.
        # An op without wishes of its own computes on registers.
        if not uses or isinstance(op, ReductionOp):
            for tile in (*layout_groups.tiles_of(op), *layout_groups.tile_arguments(op)):
                binding.setdefault(groups.of(tile), op)
    for group, members in found.items():
        members.bound_by = binding.get(group)
    return found


def _in_order(ops: Sequence[Operation], groups: layout_groups.LayoutGroups) -> dict[SSAValue, None]:
    """The groups, in the order of their first tiles in the program."""
    return {
        groups.of(tile): None
        for op in ops
        for tile in (*op.results, *layout_groups.tile_arguments(op))
        if layout_groups.is_tile(tile) and layout_groups.is_layoutable(tile)
    }


def _no_common_layout(choice: GroupChoice) -> PassFailedException:
    """The error for a group whose layouts are all pruned; notes give the reasons."""
    failure = PassFailedException(NO_COMMON_MEMORY)
    failure.add_note(f"see {describe(choice.group.uses[0].op)}")
    for option in choice.options:
        failure.add_note(f"{option.layout}: {option.problem}")
    return failure


OPERANDS = (Axis.A, Axis.B, Axis.C, Axis.SFA, Axis.SFB)
"""The operands of a dot, in order."""


def _bring_from_memory(op: Operation, strategy: DotLayouts, assignment: Assignment) -> None:
    """Converts operands that are buffers, for a dot that only reads registers."""
    for number, axis in enumerate(OPERANDS[: len(op.operands)]):
        accepted = strategy.accepted(axis)
        if not accepted:
            continue
        registers = [layout for layout in accepted if isinstance(layout, LinearLayout)]
        if axis in (Axis.SFA, Axis.SFB):
            # Imported where a dot has scales: most kernels have none.
            from tileir_xdsl.analysis.mma.scale_copies import has_scale_copies  # noqa: PLC0415

            # Hardware copies scales to tensor memory from a buffer that is laid out for it.
            if has_scale_copies(op, number):
                continue
        if not layout_groups.is_tile(op.operands[number]) and len(registers) == len(accepted):
            assignment.operands[op, number] = registers[0]


Edge = tuple[Operation, int]
"""An op that re-indexes a tile, and the number of the operand."""


def _edges(
    ops: Sequence[Operation], groups: layout_groups.LayoutGroups
) -> dict[SSAValue, list[Edge]]:
    """The ops that re-index tiles, by the groups of their operands and results."""
    edges: dict[SSAValue, list[Edge]] = {}
    for op in ops:
        if (
            not layout_groups.is_kind(type(op), REINDEXING)
            or not op.results
            or not layout_groups.is_tile(op.results[0])
        ):
            continue
        for number, tile in enumerate(op.operands):
            if layout_groups.is_tile(tile):
                for group in (groups.of(tile), groups.of(op.results[0])):
                    edges.setdefault(group, []).append((op, number))
    return edges


def _edge_layouts(
    edges: Iterable[Edge], group: SSAValue, assignment: Assignment
) -> Iterator[tuple[Edge, LinearLayout]]:
    """For each re-indexing op of a group, the layout for which no element moves to the other
    group.
    """
    for edge in edges:
        op, number = edge
        source, result = op.operands[number], op.results[0]
        is_result = assignment.groups.of(result) == group
        known = assignment.layout_of(source if is_result else result)
        if isinstance(known, LinearLayout):
            layout = (forward if is_result else backward)(op, known, number)
            if layout is not None and layout.shape == layout_groups.shape_of(
                result if is_result else source
            ):
                yield edge, layout


def _edge_use(
    edge: Edge,
    layout: LinearLayout,
    group: SSAValue,
    assignment: Assignment,
    context: UseContext,
) -> OperationUse:
    """The use of a group's tile by a re-indexing op, whose cost is a conversion on either side."""
    op, number = edge
    source, result = op.operands[number], op.results[0]
    is_result = assignment.groups.of(result) == group
    mine, other = (result, source) if is_result else (source, result)
    known = assignment.layout_of(other)
    assert isinstance(known, LinearLayout)
    bits, known_bits = stored_bits(mine.type), stored_bits(other.type)
    use = ReindexingUse(op, number, is_result, known, layout, bits, known_bits)
    positions = ((), (0,)) if is_result else ((number,), ())
    return operation_use(op, context.same(use), *positions)


def _take_answers(assignment: Assignment, choice: GroupChoice) -> None:
    """Records the answer of each op of a group, and the operands and results to convert."""
    assert choice.chosen is not None
    for use, answer in zip(choice.group.uses, choice.chosen.answers, strict=True):
        if layout_groups.is_kind(type(use.op), REINDEXING) and not isinstance(
            use.use, ReductionUse
        ):
            continue  # Conversions here are decided once both sides have their layouts.
        assignment.answers[use.op] = answer
        buffer = copied_to(answer.candidate)
        if not answer.converted and buffer is None:
            continue
        # Threads load from the buffer in the layout of the group, whatever their own would be.
        layout = buffer or answer.candidate.layout
        assignment.operands |= {(use.op, number): layout for number in use.operands}
        assignment.results |= {(use.op, number): layout for number in use.results}


def _carry_layouts(ops: Sequence[Operation], assignment: Assignment, warps: int) -> None:
    """Propagates layouts to the groups without ops that propose any."""
    layouts, groups = assignment.layouts, assignment.groups
    # From users to definitions first: index arithmetic is made for the access that uses it.
    for op in reversed(ops):
        for number, tile in enumerate(op.operands):
            if layout_groups.is_tile(tile) and groups.of(tile) not in layouts:
                layout = _carried_back(op, number, assignment)
                if layout is not None:
                    layouts[groups.of(tile)] = layout
    # A layout that follows from an operand comes before any default, whichever op is first.
    for default in (False, True):
        for op in ops:
            _carry_forward(op, assignment, warps, default)


def _carried_back(op: Operation, number: int, assignment: Assignment) -> LinearLayout | None:
    """The layout of a re-indexing op's operand for which no element moves; None for other ops."""
    if not layout_groups.is_kind(type(op), BETWEEN_GROUPS):
        return None
    if isinstance(op, SparseTileOp):
        return _positions_layout(op, number, assignment)
    if (
        not layout_groups.is_kind(type(op), REINDEXING)
        or not op.results
        or not layout_groups.is_tile(op.results[0])
    ):
        return None
    result = assignment.layout_of(op.results[0])
    return backward(op, result, number) if isinstance(result, LinearLayout) else None


def _positions_layout(op: SparseTileOp, number: int, assignment: Assignment) -> LinearLayout | None:
    """The layout of a gather's or scatter's positions: a thread holds the positions of its
    elements.
    """
    tile = op.moved
    answer = assignment.answers.get(op)
    layout = assignment.layout_of(tile) if answer is None else answer.candidate.layout
    sparse = op.sparse_dim.value.data
    if op.operands[number] is tile or not isinstance(layout, LinearLayout):
        return None
    # One thread has the positions for bulk copies, from wherever they are.
    if answer is not None and answer.candidate.shared_layout is not None:
        return None
    for dim in reversed(range(len(layout.shape))):
        if dim != sparse:
            carried = reindexing.carry_layout(reindexing.reduce(layout.shape, dim), layout)
            assert carried is not None, "a reduction carries every layout"
            layout = carried
    return layout


def _carry_forward(op: Operation, assignment: Assignment, warps: int, default: bool) -> None:
    """Assigns a layout to the results of an op: from its operands, or with `default` a blocked
    one.
    """
    layouts, groups = assignment.layouts, assignment.groups
    tiles = [
        tile
        for tile in (*op.results, *layout_groups.tile_arguments(op))
        if layout_groups.is_tile(tile)
    ]
    for tile in tiles:
        group = groups.of(tile)
        if group in layouts or not layout_groups.is_layoutable(tile):
            continue
        carried = (
            _carried_forward(op, assignment)
            if layout_groups.is_kind(type(op), REINDEXING)
            else None
        )
        if carried is not None and carried.shape == layout_groups.shape_of(tile):
            layouts[group] = carried
        elif default:
            # Nobody asks: consecutive threads hold consecutive elements, one register each.
            layouts[group] = blocked(layout_groups.shape_of(tile), 1, warps)


def _carried_forward(op: Operation, assignment: Assignment) -> LinearLayout | None:
    for number, operand in enumerate(op.operands):
        if layout_groups.is_tile(operand):
            layout = assignment.layout_of(operand)
            if isinstance(layout, LinearLayout):
                return forward(op, layout, number)
    return None


# Where what an op takes and what it gives do not fit each other


def _reconcile(op: Operation, assignment: Assignment) -> None:
    """Records the conversions around an op whose tiles are of different groups."""
    if not layout_groups.is_kind(type(op), BETWEEN_GROUPS):
        return
    if isinstance(op, SparseTileOp):
        for number, tile in enumerate(op.operands):
            layout = (
                _positions_layout(op, number, assignment) if layout_groups.is_tile(tile) else None
            )
            if layout is not None and (op, number) not in assignment.operands:
                _want(op, number, layout, assignment)
    elif isinstance(op, nv_tileas.FutureWaitOp):
        source = (
            assignment.layout_of(op.operands[0]) if layout_groups.is_tile(op.operands[0]) else None
        )
        if source is not None and source != assignment.layout_of(op.results[0]):
            assignment.results[op, 0] = source
    elif layout_groups.is_kind(type(op), REINDEXING) and layout_groups.is_tile(op.results[0]):
        _reconcile_reindexing(op, assignment)


def _want(op: Operation, number: int, layout: TileLayout, assignment: Assignment) -> None:
    if assignment.layout_of(op.operands[number]) != layout:
        assignment.operands[op, number] = layout


def _reconcile_reindexing(op: Operation, assignment: Assignment) -> None:
    """Records conversions of the operands or of the results of an op, whichever costs less."""
    tiles = [number for number, tile in enumerate(op.operands) if layout_groups.is_tile(tile)]
    result = assignment.layout_of(op.results[0])
    if not tiles or not isinstance(result, LinearLayout):
        return
    first = tiles[0]
    source = assignment.layout_of(op.operands[first])
    back = [backward(op, result, number) for number in tiles]
    onward = forward(op, source, first) if isinstance(source, LinearLayout) else None
    # Both sides fit already.
    if onward == result and len(tiles) == 1:
        return
    # Before the op by default: its operand is often the smaller tile.
    if None not in back and not _is_cheaper_after(op, source, back[0], onward, result):
        for number, layout in zip(tiles, back, strict=True):
            assert layout is not None
            _want(op, number, layout, assignment)
    elif onward is not None:
        for number, tile in enumerate(op.results):
            if layout_groups.is_tile(tile) and assignment.layout_of(tile) != onward:
                assignment.results[op, number] = onward
        for number in tiles[1:]:
            layout = backward(op, onward, number)
            if layout is not None:
                _want(op, number, layout, assignment)


def _is_cheaper_after(
    op: Operation,
    source: TileLayout | None,
    back: LinearLayout | None,
    onward: LinearLayout | None,
    result: LinearLayout,
) -> bool:
    """Whether converting the result of an op is cheaper than converting its operand."""
    if source is None or back is None or onward is None or source == back:
        return False
    try:
        before = conversion_cost(source, back, stored_bits(op.operands[0].type)).transactions
        after = conversion_cost(onward, result, stored_bits(op.results[0].type)).transactions
    except LayoutError:
        return False
    # Both are per row of their own tile.
    return after * _rows(result) < before * _rows(back)


def _rows(layout: LinearLayout) -> int:
    return layout.size // (layout.shape[-1] if layout.shape else 1)
