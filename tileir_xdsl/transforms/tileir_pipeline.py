"""`tileir-pipeline`: the whole road, from `cuda_tile` to `llvm` and `nvvm`.

`tileir-pipeline{gpu=sm_90a}` runs the passes that `passes` lists, each of which can be run alone
with `xdsl-opt -p`, and checks between levels that only legal ops are left, and that views still are
what they were when layouts are assigned. `xdsl-opt` sees each of them: it verifies the module after
every pass, and `--print-between-passes` and `--time-passes` show them all. What is timed as
`tileir-pipeline` itself is only what is left of it after the last pass. A pass is run on those
functions alone that have one of its ops. The target stays on the module for `-t ptx`. With
`lineinfo=true` the PTX also tells from which lines of the source its instructions come, as far as
the ops of the input have locations. With `dynamic-persistent=true` tile blocks go on with others of
the grid that have not started.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass, PassPipeline, PassPipelineCallbackType
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.source_locations import LINE_INFO_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import DEFAULT_TARGET
from tileir_xdsl.levels import (
    LLVM,
    NV_TILEAA,
    NV_TILEAS,
    Level,
    ViewAccess,
    check_legal,
    check_view_accesses,
    view_accesses,
)
from tileir_xdsl.targets import UnknownTargetError, get_target

from .canonicalize import LocatedCanonicalizePass
from .convert_cuda_tile_to_tileaa import ConvertCudaTileToTileAAPass
from .convert_tileaa_to_tileas import ConvertTileAAToTileASPass
from .convert_tileas_to_llvm import ConvertTileASToLLVMPass
from .function_pass import SkippingRunner
from .lower_ldgsts_load_to_async import LowerLdgstsLoadToAsyncPass
from .lower_tma_load_store_to_async import LowerTMALoadStoreToAsyncPass
from .optimize_execution_unit_mapping import OptimizeExecutionUnitMappingPass
from .tileas_assign_dot_layouts import TileASAssignDotLayoutsPass
from .tileas_assign_load_store_layouts import TileASAssignLoadStoreLayoutsPass
from .tileas_attach_tma_desc_args import TileASAttachTMADescArgsPass
from .tileas_dynamic_persistent import TileASDynamicPersistentPass
from .tileas_generate_schedule import TileASGenerateSchedulePass
from .tileas_legalize_tmem_copy import TileASLegalizeTmemCopyPass
from .tileas_materialize_async import TileASMaterializeAsyncPass
from .tileas_materialize_convert_layout import TileASMaterializeConvertLayoutPass
from .tileas_materialize_schedule import TileASMaterializeSchedulePass
from .tileas_optimize_pipeline_region import TileASOptimizePipelineRegionPass
from .tileas_plan_cta import TileASPlanCTAPass
from .tileas_remove_buffer_alias import TileASRemoveBufferAliasPass
from .tileas_remove_dead_args import TileASRemoveDeadArgsPass
from .tileas_remove_layout_conversions import TileASRemoveLayoutConversionsPass
from .tileas_resolve_agent_boundary import TileASResolveAgentBoundaryPass
from .tileas_slicing import TileASSlicingPass
from .tileas_unspecialized_pipeline import TileASUnspecializedPipelinePass

OPTIMIZATION_LEVELS = (0, 1, 2, 3)


@dataclass(frozen=True)
class Step:
    """One pass of the pipeline, and the level that its output belongs to."""

    module_pass: ModulePass
    level: Level


def steps(
    gpu: str = DEFAULT_TARGET, opt_level: int = 3, *, dynamic_persistent: bool = False
) -> tuple[Step, ...]:
    """The pipeline for a target; level 0 leaves out the passes that only improve code.

    With `dynamic_persistent` tile blocks go on with others of the grid.
    """
    repeat = (Step(TileASDynamicPersistentPass(), NV_TILEAS),) if dynamic_persistent else ()
    convert = Step(ConvertCudaTileToTileAAPass(compute_capability=gpu), NV_TILEAA)
    improve = (
        (Step(LocatedCanonicalizePass(), NV_TILEAA), Step(TileASPlanCTAPass(), NV_TILEAA))
        if opt_level > 0
        else ()
    )
    return (
        convert,
        *improve,
        # ConvertTileASToLLVMPass has no form for scales in tensor memory.
        Step(ConvertTileAAToTileASPass(warp_scaled_products=True), NV_TILEAS),
        *repeat,
        Step(TileASAssignDotLayoutsPass(), NV_TILEAS),
        Step(TileASAssignLoadStoreLayoutsPass(), NV_TILEAS),
        *(layout_cleanup() if opt_level > 0 else ()),
        Step(LowerTMALoadStoreToAsyncPass(), NV_TILEAS),
        *(schedule() if opt_level > 0 else ()),
        Step(OptimizeExecutionUnitMappingPass(), NV_TILEAS),
        Step(LowerLdgstsLoadToAsyncPass(), NV_TILEAS),
        Step(TileASAttachTMADescArgsPass(), NV_TILEAS),
        Step(TileASLegalizeTmemCopyPass(), NV_TILEAS),
        Step(ConvertTileASToLLVMPass(), LLVM),
    )


def layout_cleanup() -> tuple[Step, ...]:
    """What follows the assignment of layouts: conversions, aliases and arguments that go away."""
    return (
        Step(TileASRemoveLayoutConversionsPass(), NV_TILEAS),
        Step(TileASRemoveBufferAliasPass(), NV_TILEAS),
        Step(TileASRemoveDeadArgsPass(), NV_TILEAS),
        Step(TileASResolveAgentBoundaryPass(), NV_TILEAS),
        Step(TileASSlicingPass(), NV_TILEAS),
    )


def schedule() -> tuple[Step, ...]:
    """Loads of loops go through pipelines, and start long before their tiles are wanted."""
    return (
        Step(TileASMaterializeConvertLayoutPass(), NV_TILEAS),
        Step(TileASMaterializeAsyncPass(), NV_TILEAS),
        Step(TileASGenerateSchedulePass(), NV_TILEAS),
        Step(TileASMaterializeSchedulePass(), NV_TILEAS),
        Step(TileASUnspecializedPipelinePass(), NV_TILEAS),
        Step(TileASOptimizePipelineRegionPass(), NV_TILEAS),
        Step(TileASRemoveDeadArgsPass(), NV_TILEAS),
    )


def passes(gpu: str = DEFAULT_TARGET, opt_level: int = 3) -> tuple[ModulePass, ...]:
    """The passes of the pipeline, in order."""
    return tuple(step.module_pass for step in steps(gpu, opt_level))


@dataclass(frozen=True)
class TileIRPipelinePass(ModulePass):
    """Compiles all kernels of a module for one target."""

    name = "tileir-pipeline"

    gpu: str = DEFAULT_TARGET
    opt_level: int = 3
    lineinfo: bool = False
    dynamic_persistent: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            target = get_target(self.gpu)
        except UnknownTargetError as error:
            raise PassFailedException(str(error)) from error
        if self.opt_level not in OPTIMIZATION_LEVELS:
            raise PassFailedException(f"opt-level must be 0 to 3, but got {self.opt_level}")
        if self.lineinfo:
            op.attributes[LINE_INFO_ATTRIBUTE] = UnitAttr()
        run, callback = self.pass_runner(ctx, op), running_callback()
        accesses: list[ViewAccess] = []
        road = steps(target.name, self.opt_level, dynamic_persistent=self.dynamic_persistent)
        following = [*(step.module_pass for step in road[1:]), self]
        for step, next_pass in zip(road, following, strict=True):
            if isinstance(step.module_pass, TileASAssignLoadStoreLayoutsPass):
                check_view_accesses(op, accesses)
            run(step.module_pass)
            check_legal(op, step.level)
            if callback is not None:
                callback(step.module_pass, op, next_pass)
            if step.level is NV_TILEAA:
                accesses = view_accesses(op)

    def pass_runner(self, ctx: Context, module: ModuleOp) -> Callable[[ModulePass], None]:
        """What runs each pass on the module: where there is anything to do."""
        return SkippingRunner(ctx, module)


def running_callback() -> PassPipelineCallbackType | None:
    """What the xDSL pipeline that runs the current pass calls between passes, if anything.

    A pass is given a context and a module and nothing else, so the pipeline around it is looked up
    among the callers.
    """
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code is PassPipeline.apply.__code__:
            pipeline: PassPipeline = frame.f_locals["self"]
            return pipeline.callback
        frame = frame.f_back
    return None
