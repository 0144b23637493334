"""The rewrite patterns, one for each op that creates aliases.

Ops are visited in program order, outer ops before nested ones. So the offset of an operand exists
as an SSA value when a pattern needs it. The handling of values that a region forwards is decided at
the op with the region; `plans` keeps it for the terminators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, LocationAttr, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.buffers.origin import Origin, is_buffer
from tileir_xdsl.builders.pipelines import build_consumer_read
from tileir_xdsl.dialects.nv_tileas.agents import AgentSwitchOp
from tileir_xdsl.dialects.nv_tileas.async_handshakes import ConsumerReadOp
from tileir_xdsl.dialects.nv_tileas.conversions import ViewOp
from tileir_xdsl.dialects.tile import SelectOp

from .locations import Locations, local_value

ALIASES = (SelectOp, ViewOp, arith.SelectOp)
"""The ops that only create an alias."""


class Handling(Enum):
    """How a forwarded value is rewritten."""

    STAY = "stays"
    """The value is not a buffer, or cannot be traced, and does not change."""
    GO = "names the allocation"
    """The value is always the same part of an allocation, and a view of it replaces the value."""
    OFFSET = "carries the offset"
    """The value is one of several parts of an allocation, and its offset is forwarded as an
    `index`.
    """
    READ = "is read from the stage again"
    """The value is the buffer of a stage, and is read again, from the forwarded token, where it is
    used.
    """


@dataclass(frozen=True)
class Alias:
    """The handling of one alias, for the report: its op, its position, and its new form."""

    op: Operation
    position: int
    origin: Origin | None
    became: str


@dataclass
class Rewriting:
    """The state of rewriting one function.

    `copied` are the aliases that become copies, since their layout differs from that of the
    allocation.
    """

    locations: Locations
    copied: set[SSAValue]
    plans: dict[Operation, list[Handling]] = field(default_factory=dict[Operation, list[Handling]])
    aliases: list[Alias] = field(default_factory=list[Alias])
    untraced: list[Operation] = field(default_factory=list[Operation])

    def handling(self, target: SSAValue) -> Handling:
        """How a value forwarded to `target` is rewritten."""
        if not is_buffer(target.type):
            return Handling.STAY
        origin = self.locations.origins.of(target)
        # A name of several allocations has no single one to be a view of.
        if origin is None or origin.allocation is target:
            return Handling.STAY
        return Handling.OFFSET if self.locations.origins.is_meeting(target) else Handling.GO

    def note(self, op: Operation, position: int, target: SSAValue, became: str) -> None:
        """Records the rewriting of an alias for the report."""
        self.aliases.append(Alias(op, position, self.locations.origins.of(target), became))

    def note_all(
        self, op: Operation, targets: Sequence[SSAValue], plan: Sequence[Handling]
    ) -> None:
        """Records the rewriting of an op's forwarded values for the report."""
        for position, (target, handling) in enumerate(zip(targets, plan, strict=True)):
            if is_buffer(target.type):
                self.note(op, position, target, handling.value)

    def materialize(self, point: InsertPoint, alias: SSAValue) -> SSAValue:
        """The replacement of an alias: part of its allocation, or a copy in its layout."""
        origin, builder = self.locations.origins.of(alias), Builder(point)
        assert origin is not None
        # A view cannot change a layout: the bytes have to move.
        if alias in self.copied:
            assert isinstance(alias.type, TensorType)
            stand_in = self.locations.copied_buffer(builder, alias.type, origin)
        else:
            stand_in = self.locations.buffer(builder, alias.type, origin)
        if isinstance(stand_in.owner, Operation) and self.locations.origins.of(stand_in) is None:
            stand_in.owner.location = _location(alias)
        self.locations.origins.add(stand_in, origin)
        return stand_in

    def replace(self, rewriter: PatternRewriter, point: InsertPoint, alias: SSAValue) -> None:
        """Replaces an alias that has users."""
        # A view for nobody would have to be erased again.
        if alias.first_use is not None:
            rewriter.replace_all_uses_with(alias, _named(self.materialize(point, alias), alias))

    def forward(
        self, point: InsertPoint, values: Sequence[SSAValue], plan: Sequence[Handling]
    ) -> list[SSAValue]:
        """The values that a terminator or an op forwards after the rewrite."""
        builder = Builder(point)
        kept: list[SSAValue] = []
        for value, handling in zip(values, plan, strict=True):
            if handling is Handling.STAY:
                kept.append(value)
            elif handling is Handling.OFFSET:
                kept.append(self.locations.offset_of(builder, value))
        return kept


def _location(value: SSAValue) -> LocationAttr:
    """The location of the op that defines a value, or of the op around the block with the
    argument.
    """
    owner = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    assert owner is not None
    return owner.location


def _named(value: SSAValue, alias: SSAValue) -> SSAValue:
    if value.name_hint is None:
        value.name_hint = alias.name_hint
    return value


def forwarded_types(values: Sequence[SSAValue], plan: Sequence[Handling]) -> list[Attribute]:
    """The types of forwarded values after the rewrite."""
    return [
        IndexType() if handling is Handling.OFFSET else value.type
        for value, handling in zip(values, plan, strict=True)
        if handling not in (Handling.GO, Handling.READ)
    ]


@dataclass
class ReplaceSelect(RewritePattern):
    """Replaces `tile.select %c, %a, %b` between two parts of an allocation by a select between
    offsets.
    """

    rewriting: Rewriting

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: SelectOp | arith.SelectOp, rewriter: PatternRewriter, /
    ) -> None:
        alias = op.results[0]
        if not is_buffer(alias.type):
            return
        locations, point = self.rewriting.locations, InsertPoint.before(op)
        if locations.origins.of(alias) is None:
            self.rewriting.untraced.append(op)
            self.rewriting.note(op, 0, alias, Handling.STAY.value)
            return
        became = "is a part of the allocation"
        # Of one part for both arms there is no choice to make.
        if locations.origins.is_meeting(alias) and alias.first_use is not None:
            condition, *arms = op.operands
            builder = Builder(point)
            first, second = (locations.offset_of(builder, arm) for arm in arms)
            chosen = builder.insert(SelectOp(condition, first, second))
            chosen.location = op.location
            locations.offsets[alias] = chosen.result
            became = "chooses an offset"
        self.rewriting.note(op, 0, alias, became)
        self.rewriting.replace(rewriter, point, alias)
        rewriter.erase(op)


@dataclass
class ReplaceTerminator(RewritePattern):
    """Makes a terminator forward offsets instead of buffers, by its plan."""

    rewriting: Rewriting

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: scf.YieldOp | scf.ConditionOp, rewriter: PatternRewriter, /
    ) -> None:
        plan = self.rewriting.plans.get(op)
        if plan is None:
            return
        # The condition of a `scf.condition` stands before what it forwards.
        leading = len(op.operands) - len(plan)
        values = self.rewriting.forward(InsertPoint.before(op), op.operands[leading:], plan)
        new_op = type(op)(*op.operands[:leading], *values)
        new_op.location = op.location
        rewriter.replace(op, new_op)


@dataclass
class RegionOpPattern(RewritePattern):
    """Base of the rewrites of ops with regions."""

    rewriting: Rewriting

    def plan_of(
        self,
        op: Operation,
        targets: Sequence[SSAValue],
        reads: Mapping[int, SSAValue] | None = None,
    ) -> list[Handling]:
        """The handling of values forwarded to `targets`; records an op with untraced values."""
        origins = self.rewriting.locations.origins
        # Noted, not raised: everything that can be traced is rewritten first.
        if any(is_buffer(target.type) and origins.of(target) is None for target in targets):
            self.rewriting.untraced.append(op)
        plan = [
            Handling.READ if reads and position in reads else self.rewriting.handling(target)
            for position, target in enumerate(targets)
        ]
        named = [(reads or {}).get(n, target) for n, target in enumerate(targets)]
        self.rewriting.note_all(op, named, plan)
        return plan

    def plan_terminator(self, region: Region, plan: list[Handling]) -> None:
        """Sets the plan for the terminator of a region."""
        last = None if not region.blocks else region.block.last_op
        if last is not None:
            self.rewriting.plans[last] = plan

    def replace_arguments(
        self,
        rewriter: PatternRewriter,
        arguments: Sequence[BlockArgument],
        plan: Sequence[Handling],
        standing: Sequence[SSAValue],
    ) -> None:
        """Replaces the arguments of a block by the values `standing`, or by offsets."""
        locations = self.rewriting.locations
        start = InsertPoint.at_start(arguments[0].owner) if arguments else None
        for argument, handling, stand_in in zip(arguments, plan, standing, strict=True):
            if handling is Handling.STAY:
                continue
            block = argument.owner
            if handling is Handling.OFFSET:
                offset = block.insert_arg(IndexType(), argument.index)
                locations.offsets[argument] = offset
                assert start is not None
                self.rewriting.replace(rewriter, start, argument)
            elif handling is Handling.GO:
                rewriter.replace_all_uses_with(argument, stand_in)
            block.erase_arg(argument)

    def stand_in(self, op: Operation, result: SSAValue, handling: Handling) -> SSAValue:
        """The replacement, before the op, of a result that is always the same part of an
        allocation.
        """
        if handling is not Handling.GO:
            return result
        # Before the op: its regions may use the allocation, too.
        return self.rewriting.materialize(InsertPoint.before(op), result)

    def replace_op(
        self,
        rewriter: PatternRewriter,
        op: Operation,
        new_op: Operation,
        plan: Sequence[Handling],
        standing: Sequence[SSAValue],
    ) -> None:
        """Replaces an op; each result becomes a result of the new op, a view, or its value in
        `standing`.
        """
        new_op.location = op.location
        new_op.attributes.update(op.attributes)
        rewriter.insert(new_op, InsertPoint.before(op))
        locations, results = self.rewriting.locations, iter(new_op.results)
        untraced = self.rewriting.untraced
        # The diagnostic must name an op that still exists.
        self.rewriting.untraced = [new_op if other is op else other for other in untraced]
        for result, handling, stand_in in zip(op.results, plan, standing, strict=True):
            match handling:
                case Handling.STAY:
                    rewriter.replace_all_uses_with(result, _named(next(results), result))
                case Handling.OFFSET:
                    locations.offsets[result] = next(results)
                    self.rewriting.replace(rewriter, InsertPoint.before(op), result)
                case Handling.GO:
                    rewriter.replace_all_uses_with(result, stand_in)
                case Handling.READ:
                    pass
        rewriter.erase(op)


class ReplaceInLoop(RegionOpPattern):
    """Makes a loop carry offsets instead of buffers, and nothing for buffers that do not change."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        if not any(is_buffer(value.type) for value in op.iter_args):
            return
        body, initial = op.body.block, tuple(op.iter_args)
        plan = self.plan_of(op, body.args[1:])
        if all(handling is Handling.STAY for handling in plan):
            return
        self.plan_terminator(op.body, plan)
        carried = self.rewriting.forward(InsertPoint.before(op), initial, plan)
        self.replace_arguments(rewriter, body.args[1:], plan, initial)
        loop = scf.ForOp(op.lb, op.ub, op.step, carried, op.detach_region(op.body))
        self.replace_op(rewriter, op, loop, plan, initial)


class ReplaceInBranch(RegionOpPattern):
    """Makes branches yield offsets instead of buffers, and nothing if both yield the same
    buffer.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /) -> None:
        if not any(is_buffer(result.type) for result in op.results):
            return
        plan = self.plan_of(op, op.results)
        if all(handling is Handling.STAY for handling in plan):
            return
        for region in op.regions:
            self.plan_terminator(region, plan)
        types = forwarded_types(op.results, plan)
        standing = [self.stand_in(op, r, h) for r, h in zip(op.results, plan, strict=True)]
        first, second = (op.detach_region(region) for region in tuple(op.regions))
        self.replace_op(rewriter, op, scf.IfOp(op.cond, types, first, second), plan, standing)


class ReplaceInWhile(RegionOpPattern):
    """Makes an `scf.while` carry offsets instead of buffers, before and after its condition.

    A buffer of a stage that the condition forwards with its token is read from the token again.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter, /) -> None:
        before, after = op.before_region, op.after_region
        if not any(is_buffer(value.type) for value in (*op.arguments, *op.results)):
            return
        initial = tuple(op.arguments)
        repeated = self.plan_of(op, before.block.args)
        # The test may forward another choice than the loop carries.
        reads = _forwarded_reads(op)
        passed = self.plan_of(op, op.results, reads)
        if all(handling is Handling.STAY for handling in (*repeated, *passed)):
            return
        for index in reads:
            self._read_again(op, index, rewriter)
        self.plan_terminator(before, passed)
        self.plan_terminator(after, repeated)
        carried = self.rewriting.forward(InsertPoint.before(op), initial, repeated)
        standing = [self.stand_in(op, r, h) for r, h in zip(op.results, passed, strict=True)]
        types = forwarded_types(op.results, passed)
        self.replace_arguments(rewriter, before.block.args, repeated, initial)
        self.replace_arguments(rewriter, after.block.args, passed, standing)
        regions = [op.detach_region(before), op.detach_region(after)]
        self.replace_op(rewriter, op, scf.WhileOp(carried, types, *regions), passed, standing)

    def _read_again(self, op: scf.WhileOp, index: int, rewriter: PatternRewriter) -> None:
        """Reads a stage's buffer that the condition forwards again, in the body and after the
        loop.
        """
        forwarded, body = _forwarded(op), op.after_region.block
        value = forwarded[index]
        read = value.owner
        assert isinstance(read, ConsumerReadOp)
        token = forwarded.index(read.result)
        position = next(n for n, held in enumerate(read.values) if held is value)
        for name, held, point in (
            (body.args[index], body.args[token], InsertPoint.at_start(body)),
            (op.results[index], op.results[token], InsertPoint.after(op)),
        ):
            if name.first_use is None:
                continue
            rewriter.insertion_point = point
            consumer = read.consumer_idx.value.data
            again = build_consumer_read(rewriter, held, consumer, read.values.types)
            again.location = read.location
            self.rewriting.locations.origins.rename(name, again.values[position])
            rewriter.replace_all_uses_with(name, _named(again.values[position], name))


def _forwarded(op: scf.WhileOp) -> tuple[SSAValue, ...]:
    """The operands that an `scf.condition` forwards."""
    test = op.before_region.block.last_op
    assert test is not None
    return tuple(test.operands[1:])


def _forwarded_reads(op: scf.WhileOp) -> dict[int, SSAValue]:
    """The buffers of stages that the condition forwards together with the token of the stage."""
    forwarded = _forwarded(op)
    return {
        index: value
        for index, value in enumerate(forwarded)
        if isinstance(read := value.owner, ConsumerReadOp)
        and read.result in forwarded
        and is_buffer(value.type)
    }


class ReplaceInAgents(RegionOpPattern):
    """Makes agents use the allocation instead of forwarded buffers.

    Isolated agents get the allocation as an operand.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AgentSwitchOp, rewriter: PatternRewriter, /) -> None:
        # From the last one, so that the numbers of the others stay.
        for index in reversed(range(len(op.inputs))):
            given = op.inputs[index]
            origin = self.rewriting.locations.origins.of(given)
            if origin is None or self._is_name(op, index, origin):
                continue
            self.rewriting.note(op, index, given, Handling.GO.value)
            for body in op.bodies:
                argument = body.block.args[index]
                self.rewriting.replace(rewriter, InsertPoint.at_start(body.block), argument)
                body.block.erase_arg(argument)
            op.operands = [*op.operands[:index], *op.operands[index + 1 :]]
            rewriter.notify_op_modified(op)

    def _is_name(self, op: AgentSwitchOp, index: int, origin: Origin) -> bool:
        """Whether an operand is the allocation itself, forwarded to isolated agents."""
        first = next(i for i, given in enumerate(op.inputs) if given is op.inputs[index])
        return op.is_isolated and op.inputs[index] is origin.allocation and first == index


@dataclass
class ViewAllocation(RewritePattern):
    """Replaces a view of a view by a view of the allocation."""

    locations: Locations

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ViewOp, rewriter: PatternRewriter, /) -> None:
        origin = self.locations.origins.of(op.result)
        if origin is None or op.result.first_use is None:
            return
        builder = Builder(InsertPoint.before(op))
        # A view of the allocation itself is the form that is wanted.
        if op.source is local_value(builder, origin.allocation):
            return
        viewed = self.locations.buffer(builder, op.result.type, origin)
        rewriter.replace_all_uses_with(op.result, _named(viewed, op.result))


class EraseUnusedAlias(RewritePattern):
    """Erases unused aliases and the arithmetic of their offsets."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ALIASES) or any(result.first_use for result in op.results):
            return
        if is_buffer(op.results[0].type):
            rewriter.erase(op)
