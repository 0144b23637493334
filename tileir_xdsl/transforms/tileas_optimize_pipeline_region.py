"""`tileas-optimize-pipeline-region`: handshakes hold a stage only for what needs it.

    %n = consume_one %c, %i {..} {                %y = arith.muli %k, %w
    ^bb0(%tile : T):                              %n = consume_one %c, %i {..} {
      %y = arith.muli %k, %w                      ^bb0(%tile : T):
      %unused = arith.negf %tile       ->       %v = nv_tileas.extract_slice %tile[%y]
      %v = nv_tileas.extract_slice %tile[%y]        yield %v
      yield %v                                    }
    }

What stays in a region of `produce_one` or `consume_one`, asynchronous or not, is what the yielded
values and the ops with effects are made of, from the stage on. What does not depend on the stage is
done before it is waited for; what nobody uses is erased. Results and order of effects stay the
same, and nothing can fail.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator, is_side_effect_free

from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.regions.scopes import scope_name, scope_of
from tileir_xdsl.dialects.nv_tileas.async_pipeline import (
    ConsumeOneAsyncOp,
    ConsumeOneOp,
    ConsumeOp,
    ProduceOneAsyncOp,
    ProduceOneOp,
    ProduceOp,
)
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.transforms.function_pass import FunctionPass, names_of


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

    What reads a buffer stays: it may be written before the stage is there.
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
    """What leaves the region of a handshake: what does not need its stage."""
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


HANDSHAKES = (ProduceOneOp, ProduceOneAsyncOp, ConsumeOneOp, ConsumeOneAsyncOp)


@dataclass(frozen=True)
class TileASOptimizePipelineRegionPass(FunctionPass):
    """Leaves in the regions of `produce_one` and `consume_one` what needs their stages."""

    name = "tileas-optimize-pipeline-region"
    op_names = names_of(*HANDSHAKES)

    explain: str | None = None
    """The file for a report of what was moved: JSON if its name ends in `.json`, else text."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report = Report(self.name)
        # What leaves an inner region may leave the outer one too.
        walker = DispatchWalker(
            dict.fromkeys(HANDSHAKES, ShrinkRegion(report)),
            walk_regions_first=True,
            walk_reverse=True,
        )
        for scope in scopes:
            walker.rewrite(scope)
        if self.explain is not None:
            write_report(report, self.explain)
