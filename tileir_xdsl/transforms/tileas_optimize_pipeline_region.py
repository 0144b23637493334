"""`tileas-optimize-pipeline-region`: handshakes hold a stage only for what needs it.

    %n = consume_one %c, %i {..} {                %y = arith.muli %k, %w
    ^bb0(%tile : T):                              %n = consume_one %c, %i {..} {
      %y = arith.muli %k, %w                      ^bb0(%tile : T):
      %unused = arith.negf %tile       ->       %v = nv_tileas.extract_slice %tile[%y]
      %v = nv_tileas.extract_slice %tile[%y]        yield %v
      yield %v                                    }
    }

A region of `produce_one` or `consume_one`, asynchronous or not, keeps the ops that its yielded
values and its effects depend on, from the stage on. Ops that do not depend on the stage run before
it is waited for; unused ops are erased.

    %n, %done = produce_one_async %p, %i {..}     %n = produce_one %p, %i {..}

    %w = consumer_wait %c, %i                     %n, %d = consume_one %c, %i {
    %r, %a, %b = consumer_read %w         ->      ^bb0(%a : A, %b : B):
    %d = nv_tileas.dot %a, %b, %acc                 %d = nv_tileas.dot %a, %b, %acc
    consumer_release %r                             yield %d
                                                  }

A stage whose completion only its consumers await is filled by the synchronous form. Steps of a
consumer between which no other value is transferred are one. Results and order of effects stay the
same, and nothing can fail.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator, is_side_effect_free

from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.layouts.groups import is_tile
from tileir_xdsl.analysis.regions.scopes import scope_name, scope_of
from tileir_xdsl.builders.pipelines import build_consume_one, build_produce_one
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.async_handshakes import (
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    HandshakeOp,
)
from tileir_xdsl.dialects.nv_tileas.async_pipeline import (
    ConsumeOp,
    ProduceOneAsyncOp,
    ProduceOp,
)
from tileir_xdsl.dialects.nv_tileas.compute import AsyncDotOp
from tileir_xdsl.dialects.nv_tileas.copy_groups import COPY_GROUPS
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.transforms.function_pass import FunctionPass
from tileir_xdsl.walking import ops_in


def needed_ops(block: Block) -> set[Operation]:
    """The ops with effects and the terminator, and what they are made of, within a block."""
    needed: set[Operation] = set()
    # Backwards: all users of an op are judged before it.
    for op in reversed(block.ops):
        users = (use.operation for result in op.results for use in result.uses)
        if (
            op.has_trait(IsTerminator)
            or not is_side_effect_free(op)
            or any(block.find_ancestor_op_in_block(user) in needed for user in users)
        ):
            needed.add(op)
    return needed


def is_independent(op: Operation, block: Block, moved: Container[Operation | Block] = ()) -> bool:
    """Whether an op of a block may be done before the block is entered, after those `moved`.

    An op that reads a buffer stays: the buffer may be written before the stage is available.
    """
    return (
        # A region may hold reads of the stage at any depth.
        not op.regions
        and not op.has_trait(IsTerminator)
        and is_side_effect_free(op)
        and not any(
            is_buffer(value.type) or (_block_of(value) is block and value.owner not in moved)
            for value in op.operands
        )
    )


def _block_of(value: SSAValue) -> Block | None:
    """The block that a value is defined in."""
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent


@dataclass(frozen=True)
class RegionPlan:
    """The ops of a region that are moved before its handshake, and those that are erased."""

    moved: tuple[Operation, ...]
    erased: tuple[Operation, ...]
    """Users before what they use."""


def plan_region(handshake: ProduceOp | ConsumeOp) -> RegionPlan:
    """The ops that leave the region of a handshake: those that do not need its stage."""
    block = handshake.body.block
    needed = needed_ops(block)
    erased = tuple(op for op in reversed(block.ops) if op not in needed)
    moved: dict[Operation, None] = {}
    for op in block.ops:
        # In order of the program, so that what depends on moved ops may follow them.
        if op in needed and is_independent(op, block, moved):
            moved[op] = None
    return RegionPlan(tuple(moved), erased)


@dataclass
class ShrinkRegion(RewritePattern):
    """Leaves in the region of a handshake what needs its stage."""

    report: Report

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ProduceOp | ConsumeOp)
        plan = plan_region(op)
        for unused in plan.erased:
            rewriter.erase(unused)
        for independent in plan.moved:
            independent.detach()
            rewriter.insert(independent, InsertPoint.before(op))
        if plan.moved or plan.erased:
            self.report.add(
                scope_name(scope_of(op)),
                op=op.name,
                moved=len(plan.moved),
                erased=len(plan.erased),
            )


class DropCompletion(RewritePattern):
    """Fills a stage by `produce_one` where nobody awaits the completion itself."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ProduceOneAsyncOp, rewriter: PatternRewriter) -> None:
        if op.completion.uses:
            return
        body, types = op.detach_region(op.body), [value.type for value in op.values]
        before = Builder(InsertPoint.before(op))
        produced = build_produce_one(before, op.token, op.iterator, body, types)
        produced.attributes.update(op.attributes)
        produced.location = op.location
        rewriter.replace(op, [], [produced.result_token, None, *produced.values])


@dataclass(frozen=True)
class StageUse:
    """The steps of a consumer, and what it does with the stage."""

    wait: ConsumerWaitOp
    read: ConsumerReadOp
    release: ConsumerReleaseOp
    held: tuple[Operation, ...]
    """The ops between the steps, in order."""
    results: tuple[SSAValue, ...]
    """The values of these that others use."""


def stage_use(wait: ConsumerWaitOp) -> StageUse | None:
    """The use of a stage that begins with a wait, if the region of one op can be all of it.

    MMAs in flight read their stage beyond the steps between which they are issued, and groups of
    copies have other waits.
    """
    pipeline = pipeline_of(wait.token)
    read = wait.result.get_user_of_unique_use()
    if pipeline is None or COPY_GROUPS in pipeline.attributes:
        return None
    if not isinstance(read, ConsumerReadOp) or read.parent is not wait.parent:
        return None
    release = read.result.get_user_of_unique_use()
    if not isinstance(release, ConsumerReleaseOp) or release.parent is not wait.parent:
        return None
    held = tuple(op for op in _between(wait, release) if op is not read)
    inside = {inner for op in held for inner in ops_in(op)}
    if release.result.uses or any(isinstance(op, LASTING) for op in inside):
        return None
    results = tuple(
        value
        for op in held
        for value in op.results
        if any(use.operation not in inside for use in value.uses)
    )
    # Of scalars, tokens and views later passes know more than that a region gives them.
    if any(not is_tile(value) or isinstance(value.type, ValueType) for value in results):
        return None
    return StageUse(wait, read, release, held, results)


LASTING = (HandshakeOp, ProduceOp, ConsumeOp, AsyncDotOp)
"""Ops on other stages, or that use one for longer than until its release."""


def _between(first: Operation, last: Operation) -> list[Operation]:
    """The ops of a block between two of its ops."""
    ops: list[Operation] = []
    op = first.next_op
    while op is not None and op is not last:
        ops.append(op)
        op = op.next_op
    return ops


class JoinConsumerSteps(RewritePattern):
    """Waits, reads and releases by one `consume_one`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConsumerWaitOp, rewriter: PatternRewriter) -> None:
        use = stage_use(op)
        if use is None:
            return

        def empty(body: Builder, stage: Sequence[BlockArgument]) -> Sequence[SSAValue]:
            for value, tile in zip(use.read.values, stage, strict=True):
                tile.name_hint = value.name_hint
                value.replace_all_uses_with(tile)
            for inner in use.held:
                inner.detach()
                body.insert(inner)
            return use.results or stage

        consumed = build_consume_one(
            Builder(InsertPoint.before(op)),
            op.token,
            op.iterator,
            op.consumer_idx.value.data,
            empty,
            [value.type for value in use.results],
        )
        consumed.location = op.location
        inside = set(ops_in(consumed.body))
        for value, result in zip(use.results, consumed.values, strict=True):
            result.name_hint = value.name_hint
            value.replace_uses_with_if(result, lambda use: use.operation not in inside)
        for step in (use.release, use.read, use.wait):
            rewriter.erase(step)


@dataclass(frozen=True)
class TileASOptimizePipelineRegionPass(FunctionPass):
    """Leaves in the regions of handshakes what needs their stages, and joins their steps."""

    name = "tileas-optimize-pipeline-region"

    explain: str | None = None
    """The file for a report of what was moved: JSON if its name ends in `.json`, else text."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report = Report(self.name)
        # An op that leaves an inner region may leave the outer one too.
        walker = DispatchWalker(
            dict.fromkeys((ProduceOp, ConsumeOp), ShrinkRegion(report)),
            walk_regions_first=True,
            walk_reverse=True,
        )
        joiner = DispatchWalker(
            {ProduceOneAsyncOp: DropCompletion(), ConsumerWaitOp: JoinConsumerSteps()}
        )
        for scope in scopes:
            walker.rewrite(scope)
            # After that: what a region takes over here stays where it was.
            joiner.rewrite(scope)
        if self.explain is not None:
            write_report(report, self.explain)
