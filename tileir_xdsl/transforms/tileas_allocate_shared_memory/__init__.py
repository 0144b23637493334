"""`tileas-allocate-shared-memory`: assigns offsets in shared memory to all allocations.

    %0 = nv_tileas.alloc_tensor : tensor<2x64x64xf16, #nv_tileas.memory<smem>>
    %1 = nv_tileas.convert_layout %a : tensor<64x64xf16, L> -> tensor<64x64xf16, M>
    // becomes
    %0 = nv_tileas.alloc_tensor
         {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 16384>}
         : tensor<2x64x64xf16, #nv_tileas.memory<smem>>
    %1 = nv_tileas.convert_layout %a
         {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 8192>}
         : tensor<64x64xf16, L> -> tensor<64x64xf16, M>

Allocations are buffers, mbarriers, responses to tile-block requests, and the word for the address
of tensor memory. Scratch memory of ops is allocated, too. Memory is reused where lifetimes allow; a
buffer is live until the last wait for its asynchronous readers. An op with an allocation keeps it,
so that allocations can be written by hand. Calls must have been inlined by
`tileas-select-lowering`, since a callee needs memory of its caller.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.analysis.allocation.shared_memory_allocation import (
    PASS_NAME,
    SharedMemoryPlan,
    plan_shared_memory,
)
from tileir_xdsl.dialects.nv_tileas import CreatePipelineOp
from tileir_xdsl.dialects.nv_tileas.allocations import CLUSTER_STAGES
from tileir_xdsl.dialects.target_attributes import target_around
from tileir_xdsl.explain import OperationLabels, Report, write_report
from tileir_xdsl.rewriting import DispatchWalker, WriteAttributes
from tileir_xdsl.targets import DEFAULT_TARGET, get_target
from tileir_xdsl.transforms.function_pass import functions_in

from .allocation_report import report_allocations


@dataclass(frozen=True)
class TileASAllocateSharedMemoryPass(ModulePass):
    """Allocates shared memory."""

    name = PASS_NAME

    explain: str | None = None
    """The text or `.json` file for a report of the allocations."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        report = Report(self.name)
        for function in functions_in((op,)):
            target = target_around(function) or get_target(DEFAULT_TARGET)
            plan = plan_shared_memory(function, target)
            execute(plan)
            if self.explain is not None:
                labels = OperationLabels(function)
                report_allocations(function, plan.allocations, labels, report)
        if self.explain is not None:
            write_report(report, self.explain)


@dataclass(frozen=True)
class MarkClusterStages(RewritePattern):
    """Marks pipelines whose stages the CTAs of a cluster fill for each other."""

    shared: frozenset[Operation]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CreatePipelineOp, rewriter: PatternRewriter) -> None:
        op.attributes.pop(CLUSTER_STAGES, None)
        if op in self.shared:
            op.attributes[CLUSTER_STAGES] = UnitAttr()
        rewriter.notify_op_modified(op)


def execute(plan: SharedMemoryPlan) -> None:
    """Sets the attributes of ops that a plan determines."""
    WriteAttributes(plan.attributes()).execute(plan.function)
    marked = any(CLUSTER_STAGES in allocation.op.attributes for allocation in plan.allocations)
    # Most kernels have no cluster, and a walk for nothing costs as much as another.
    if marked or plan.shared_pipelines:
        DispatchWalker({CreatePipelineOp: MarkClusterStages(plan.shared_pipelines)}).rewrite(
            plan.function
        )
