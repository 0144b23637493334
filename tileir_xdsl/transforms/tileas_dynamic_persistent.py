"""`tileas-dynamic-persistent`: running tile blocks take over tile blocks that have not started.

    %x = nv_tileaa.get_program_id 0 : i32
    ..
    nv_tileaa.return
    ->
    %first = nv_tileaa.current_program_id
    scf.while (%p = %first) {
      %valid = nv_tileaa.is_valid_program_id %p
      scf.condition(%valid) %p
    } do {
    ^bb0(%program):
      %x = nv_tileaa.get_program_id 0 of %program : i32
      ..
      %next = nv_tileas.cancel_next_program_id
      scf.yield %next
    }
    nv_tileaa.return

When a tile block is done, it takes over another one, which the hardware then does not launch. The
set-up before the loop runs once, and loads for the next tile block may start before the current one
is done. The grid keeps its size, and each of its tile blocks is executed once. The order of tile
blocks is undefined, and no barrier separates two of them.

Scalars, views, tensor maps and the first token stay before the loop if they do not depend on the
tile block. Tiles are computed in the loop, so that they do not occupy registers all the time.

The pass does not change kernels that read no coordinate in the grid, since all their tile blocks do
the same. Kernels with agents, which start and end once, or with calls of functions that may read
the grid, do not change either. Kernels of clusters are unchanged on targets that cannot send the
answer to a request to all blocks of a cluster. Kernels that already take over tile blocks are
unchanged, with a warning. A cluster takes over whole clusters. Source: PTX ISA,
`clusterlaunchcontrol`.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.layouts.groups import is_tile
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.interfaces import OpaqueOpInterface
from tileir_xdsl.dialects.nv_tileas.control import ProgramIdRequestOp
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker, replace_op
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.walking import ops_in

PERSISTENT = "Kernel is already dynamic persistent"

TAKES_OVER = (
    nv_tileaa.CancelNextProgramIdOp,
    nv_tileaa.IsValidProgramIdOp,
    ProgramIdRequestOp,
)
"""Ops of kernels that already take over other tile blocks."""


@dataclass(frozen=True)
class PersistencePlan:
    """The ops of a kernel that run for each tile block, in order."""

    function: nv_tileaa.FuncOp
    repeated: tuple[Operation, ...]


def plan_persistence(function: nv_tileaa.FuncOp, target: Target) -> PersistencePlan | str:
    """The ops to move into the loop over tile blocks, or the reason why a kernel is unchanged."""
    reason = _reason_to_stay(function, target)
    if reason is not None:
        return reason
    return PersistencePlan(function, _repeated_ops(function.body.block))


def _reason_to_stay(function: nv_tileaa.FuncOp, target: Target) -> str | None:
    """The reason why a kernel is unchanged; None if it changes."""
    ops = ops_in(function)
    if any(isinstance(op, TAKES_OVER) for op in ops):
        return PERSISTENT
    # Each agent would have to ask for tile blocks in step with the others.
    if any(isinstance(op, nv_tileaa.AgentLikeOpInterface) for op in ops):
        return "agents start once: the kernel stays as it is"
    if any(isinstance(op, OpaqueOpInterface) for op in ops):
        return "a function that is called may read the grid: the kernel stays as it is"
    spec = function.kernel_spec
    # All blocks of a cluster have to hear which one they take over.
    is_alone = spec is None or spec.num_ctas.data == 1
    if not is_alone and Feature.CLUSTER_LAUNCH_MULTICAST not in target.features:
        return "blocks of a cluster start together: the kernel stays as it is"
    # All its tile blocks do the same: there is no work to take over.
    if not any(isinstance(op, nv_tileaa.GetProgramIdOp) for op in ops):
        return "no coordinate in the grid is asked for: the kernel stays as it is"
    return None


def _repeated_ops(block: Block) -> tuple[Operation, ...]:
    """The ops that run for each tile block, in order; the others stay before the loop."""
    found: dict[Operation, None] = {}
    for op in block.ops:
        if isinstance(op, nv_tileaa.ReturnOp):
            continue
        stays = (
            # Tensor maps become arguments of the kernel, which no loop can make.
            (is_side_effect_free(op) or isinstance(op, nv_tileas.MakeTiledTmaDescOp))
            and not op.regions
            and not isinstance(op, nv_tileaa.GetProgramIdOp)
            # A tile made before the loop would hold registers through all tile blocks.
            and not any(is_tile(result) for result in op.results)
            and not any(value.owner in found for value in op.operands)
        )
        if not stays:
            found[op] = None
    return tuple(found)


def execute(plan: PersistencePlan) -> None:
    """Moves the ops of a plan into a loop that runs while there are tile blocks to take over."""
    function = plan.function
    insertion = InsertLoop(function)
    DispatchWalker({nv_tileaa.ReturnOp: insertion}).rewrite(function)
    body, kinds = insertion.body, map(type, plan.repeated)
    DispatchWalker(dict.fromkeys(kinds, MoveIntoLoop(frozenset(plan.repeated), body))).rewrite(
        function
    )
    DispatchWalker({nv_tileaa.GetProgramIdOp: ReadOfTileBlock(body)}).rewrite(function)


@dataclass
class InsertLoop(RewritePattern):
    """Inserts an empty loop over tile blocks at the end of a kernel."""

    function: nv_tileaa.FuncOp
    body: Block = field(default_factory=Block)
    """The body of the inserted loop."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.ReturnOp, rewriter: PatternRewriter) -> None:
        first = nv_tileaa.CurrentProgramIdOp()
        before, after = (Block(arg_types=[first.result.type]) for _ in range(2))
        test = Builder(InsertPoint.at_end(before))
        valid = test.insert(nv_tileaa.IsValidProgramIdOp(before.args[0]))
        test.insert(scf.ConditionOp(valid.result, before.args[0]))
        after.args[0].name_hint = "program"
        rest = Builder(InsertPoint.at_end(after))
        following = rest.insert(nv_tileas.CancelNextProgramIdOp())
        rest.insert(scf.YieldOp(following.result))
        loop = scf.WhileOp([first.result], [first.result.type], Region(before), Region(after))
        for new in (first, valid, following, loop):
            new.location = self.function.location
        rewriter.insert([first, loop], InsertPoint.before(op))
        self.body = after


@dataclass(frozen=True)
class MoveIntoLoop(RewritePattern):
    """Moves an op into the loop, after the ops moved before."""

    repeated: frozenset[Operation]
    body: Block

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op in self.repeated:
            op.detach()
            end = self.body.last_op
            assert end is not None and isinstance(end.prev_op, nv_tileas.CancelNextProgramIdOp)
            rewriter.insert(op, InsertPoint.before(end.prev_op))


@dataclass(frozen=True)
class ReadOfTileBlock(RewritePattern):
    """Replaces a read of a coordinate in the loop by a read for the current tile block."""

    body: Block

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.GetProgramIdOp, rewriter: PatternRewriter) -> None:
        # Those that stay before the loop are of the tile block that was launched.
        if self.body.find_ancestor_op_in_block(op) is not None:
            read = nv_tileaa.GetProgramIdOp(op.axis.value.data, self.body.args[0])
            replace_op(rewriter, op, read)


@dataclass(frozen=True)
class TileASDynamicPersistentPass(FunctionPass):
    """Lets the tile blocks of kernels take over others that have not started."""

    name = "tileas-dynamic-persistent"

    explain: str | None = None
    """The text or `.json` file for a report of the kernels."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report, target = Report(self.name), target_or_default(module)
        for function in functions_in(scopes):
            if function.kernel_spec is None or not function.body.blocks:
                continue
            name, plan = function.sym_name.data, plan_persistence(function, target)
            if isinstance(plan, PersistencePlan):
                execute(plan)
                report.add(name, repeated_ops=len(plan.repeated))
                continue
            # A warning, no error: the kernel is what was asked for.
            if plan == PERSISTENT:
                print(f"warning: {PERSISTENT}: @{name}", file=sys.stderr)
            report.add(name, remark=plan)
        if self.explain is not None:
            write_report(report, self.explain)
