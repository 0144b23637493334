"""`tileas-optimize-pipeline-region`: moves ops that do not need a stage out of its handshake.

    %n = consume_one %c, %i {..} {                %y = arith.muli %k, %w
    ^bb0(%tile : T):                              %n = consume_one %c, %i {..} {
      %y = arith.muli %k, %w                      ^bb0(%tile : T):
      %unused = arith.negf %tile       ->       %v = nv_tileas.extract_slice %tile[%y]
      %v = nv_tileas.extract_slice %tile[%y]        yield %v
      yield %v                                    }
    }

Ops in a region of `produce_one` or `consume_one`, asynchronous or not, that do not depend on the
stage move before the wait for the stage. Unused ops are erased.

    %n, %done = produce_one_async %p, %i {..}     %n = produce_one %p, %i {..}

    %w = consumer_wait %c, %i                     %n, %d = consume_one %c, %i {
    %r, %a, %b = consumer_read %w         ->      ^bb0(%a : A, %b : B):
    %d = nv_tileas.dot %a, %b, %acc                 %d = nv_tileas.dot %a, %b, %acc
    consumer_release %r                             yield %d
                                                  }

If only consumers wait for a filled stage, the synchronous form replaces the asynchronous one. Wait,
read and release of a consumer become one `consume_one`, unless other values are transferred in
between. Results and order of effects do not change.
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
    """The ops of a block with effects, the terminator, and the ops on which these depend."""
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
    """Whether an op may move before the region of its block, after the ops `moved`.

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
    """The block in which a value is defined."""
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent


@dataclass(frozen=True)
class RegionPlan:
    """The ops of a region that are moved before its handshake, and those that are erased."""

    moved: tuple[Operation, ...]
    erased: tuple[Operation, ...]
    """The erased ops, users before definitions."""


def plan_region(handshake: ProduceOp | ConsumeOp) -> RegionPlan:
    """The ops to remove from the region of a handshake, which do not need the stage."""
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
    """Moves or erases ops in the region of a handshake that do not need the stage."""

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
    """Replaces an asynchronous fill by `produce_one` if its completion is unused."""

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
    """The wait, read and release of a consumer, and the ops in between."""

    wait: ConsumerWaitOp
    read: ConsumerReadOp
    release: ConsumerReleaseOp
    held: tuple[Operation, ...]
    """The ops between wait and release, in order."""
    results: tuple[SSAValue, ...]
    """The results of held ops with users after the release."""


def stage_use(wait: ConsumerWaitOp) -> StageUse | None:
    """The use of a stage that begins with a wait, if one `consume_one` can replace it.

    Uses with MMAs in flight, which read a stage after its release, or with copy groups are
    excluded.
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
"""Ops on other stages, or that read a stage after its release."""


def _between(first: Operation, last: Operation) -> list[Operation]:
    """The ops between two ops of a block."""
    ops: list[Operation] = []
    op = first.next_op
    while op is not None and op is not last:
        ops.append(op)
        op = op.next_op
    return ops


class JoinConsumerSteps(RewritePattern):
    """Replaces wait, read and release by one `consume_one`."""

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
    """Moves ops out of the regions of handshakes, and joins the steps of consumers."""

    name = "tileas-optimize-pipeline-region"

    explain: str | None = None
    """The text or `.json` file for a report of moved ops."""

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
