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

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
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
from tileir_xdsl.transforms.function_pass import FunctionPass, names_of


def needed_ops(block: Block) -> set[Operation]:
    """The ops with effects and the terminator, and what they are made of, within a block."""
    needed: set[Operation] = set()
    for op in reversed(block.ops):
        users = (use.operation for result in op.results for use in result.uses)
        if (
            op.has_trait(IsTerminator)
            or not is_side_effect_free(op)
            or any(block.find_ancestor_op_in_block(user) in needed for user in users)
        ):
            needed.add(op)
    return needed


def is_independent(op: Operation, block: Block) -> bool:
    """Whether an op of a block may be done before the block is entered.

    What reads a buffer stays: it may be written before the stage is there.
    """
    return (
        not op.regions
        and not op.has_trait(IsTerminator)
        and is_side_effect_free(op)
        and not any(is_buffer(value.type) or _block_of(value) is block for value in op.operands)
    )


def _block_of(value: SSAValue) -> Block | None:
    """The block that a value is defined in."""
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent


@dataclass(frozen=True)
class RegionChanges:
    """How many ops of a region have been moved before it, and erased."""

    moved: int
    erased: int


def shrink(handshake: ProduceOp | ConsumeOp) -> RegionChanges:
    """Leaves in the region of a handshake what needs its stage."""
    block = handshake.body.block
    needed = needed_ops(block)
    moved = erased = 0
    for op in tuple(reversed(block.ops)):
        # Backwards: an op erased may be the last user of one before it.
        if op not in needed:
            Rewriter.erase_op(op)
            erased += 1
    for op in tuple(block.ops):
        if is_independent(op, block):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(handshake))
            moved += 1
    return RegionChanges(moved, erased)


@dataclass(frozen=True)
class TileASOptimizePipelineRegionPass(FunctionPass):
    """Leaves in the regions of `produce_one` and `consume_one` what needs their stages."""

    name = "tileas-optimize-pipeline-region"
    op_names = names_of(ProduceOneOp, ProduceOneAsyncOp, ConsumeOneOp, ConsumeOneAsyncOp)

    explain: str | None = None
    """The file for a report of what was moved: JSON if its name ends in `.json`, else text."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report = Report(self.name)
        inside = (op for scope in scopes for op in scope.walk())
        handshakes = [op for op in inside if isinstance(op, ProduceOp | ConsumeOp)]
        # What leaves an inner region may leave the outer one too.
        for handshake in reversed(handshakes):
            changes = shrink(handshake)
            if changes.moved or changes.erased:
                report.add(
                    scope_name(scope_of(handshake)),
                    op=handshake.name,
                    moved=changes.moved,
                    erased=changes.erased,
                )
        if self.explain is not None:
            write_report(report, self.explain)
