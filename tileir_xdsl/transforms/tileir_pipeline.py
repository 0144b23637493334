"""`tileir-pipeline`: the whole road, from `cuda_tile` to `llvm` and `nvvm`.

`tileir-pipeline{gpu=sm_90a}` runs the passes that `passes` lists, each of which can be run alone
with `xdsl-opt -p`, and checks between levels that only legal ops are left, and that views still are
what they were when layouts are assigned. `xdsl-opt` sees each of them: it verifies the module after
every pass, and `--print-between-passes` and `--time-passes` show them all. What is timed as
`tileir-pipeline` itself is only what is left of it after the last pass. A pass is run on those
functions alone that have one of its ops. The target stays on the module for `-t ptx`. With
`lineinfo=true` the PTX also tells from which lines of the source its instructions come, as far as
the ops of the input have locations. With `dynamic-persistent=true` tile blocks go on with others of
the grid that have not started. `probe` and `probe-executions` are those of `convert-tileas-to-
llvm`: which ops leave their registers in a buffer beside the results. The other options are those
of `tileir_xdsl.options`.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.passes import ModulePass, PassPipeline, PassPipelineCallbackType
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.source_locations import LINE_INFO_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import ABI_ATTRIBUTE
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
from tileir_xdsl.options import DEFAULT_OPTIONS, OptionError, Options
from tileir_xdsl.targets import DEFAULT_TARGET, Target, UnknownTargetError, get_target

from .canonicalize import LocatedCanonicalizePass
from .convert_cuda_tile_to_tileaa import ConvertCudaTileToTileAAPass
from .convert_tileaa_to_tileas import ConvertTileAAToTileASPass
from .convert_tileas_to_llvm import ConvertTileASToLLVMPass
from .function_pass import SkippingRunner
from .lower_ldgsts_load_to_async import LowerLdgstsLoadToAsyncPass
from .lower_tma_load_store_to_async import LowerTMALoadStoreToAsyncPass
from .optimize_execution_unit_mapping import OptimizeExecutionUnitMappingPass
from .resource_ladder import climbing
from .tileas_allocate_shared_memory import TileASAllocateSharedMemoryPass
from .tileas_allocate_tensor_memory import TileASAllocateTensorMemoryPass
from .tileas_assign_dot_layouts import TileASAssignDotLayoutsPass
from .tileas_assign_load_store_layouts import TileASAssignLoadStoreLayoutsPass
from .tileas_attach_tma_desc_args import TileASAttachTMADescArgsPass
from .tileas_canonicalize import TileASCanonicalizePass
from .tileas_dynamic_persistent import TileASDynamicPersistentPass
from .tileas_generate_schedule import TileASGenerateSchedulePass
from .tileas_insert_barriers import TileASInsertBarriersPass
from .tileas_legalize_tmem_copy import TileASLegalizeTmemCopyPass
from .tileas_materialize_async import TileASMaterializeAsyncPass
from .tileas_materialize_convert_layout import TileASMaterializeConvertLayoutPass
from .tileas_materialize_schedule import TileASMaterializeSchedulePass
from .tileas_optimize_pipeline_region import TileASOptimizePipelineRegionPass
from .tileas_plan_cta import TileASPlanCTAPass
from .tileas_plan_tensor_maps import TileASPlanTensorMapsPass
from .tileas_remove_buffer_alias import TileASRemoveBufferAliasPass
from .tileas_remove_dead_args import TileASRemoveDeadArgsPass
from .tileas_remove_layout_conversions import TileASRemoveLayoutConversionsPass
from .tileas_resolve_agent_boundary import TileASResolveAgentBoundaryPass
from .tileas_select_lowering import TileASSelectLoweringPass
from .tileas_slice_and_fuse import TileASSliceAndFusePass
from .tileas_slicing import TileASSlicingPass
from .tileas_unspecialized_pipeline import TileASUnspecializedPipelinePass


@dataclass(frozen=True)
class Step:
    """One pass of the pipeline, and the level that its output belongs to."""

    module_pass: ModulePass
    level: Level


def steps(gpu: str = DEFAULT_TARGET, options: Options = DEFAULT_OPTIONS) -> tuple[Step, ...]:
    """The pipeline for a target; level 0 leaves out the passes that only improve code."""
    repeat = (Step(TileASDynamicPersistentPass(), NV_TILEAS),) if options.dynamic_persistent else ()
    maps = (
        (Step(TileASPlanTensorMapsPass(options.device_tensor_maps), NV_TILEAS),)
        if options.opt_level > 0
        else ()
    )
    convert = ConvertCudaTileToTileAAPass(
        compute_capability=gpu,
        num_warps=options.warps,
        num_ctas=options.ctas,
        occupancy=options.occupancy,
    )
    improves = options.opt_level > 0
    improve = (
        (Step(LocatedCanonicalizePass(), NV_TILEAA), Step(TileASPlanCTAPass(), NV_TILEAA))
        if improves
        else ()
    )
    folds = (Step(TileASCanonicalizePass(), NV_TILEAS),) if improves else ()
    return (
        Step(convert, NV_TILEAA),
        *improve,
        # At every level: without slices a large tile does not compile at all.
        Step(TileASSliceAndFusePass(), NV_TILEAA),
        # ConvertTileASToLLVMPass has no form for scales in tensor memory.
        Step(ConvertTileAAToTileASPass(warp_scaled_mma=True), NV_TILEAS),
        *folds,
        # Before pipelines are made, which then run on from one tile block into the next.
        *repeat,
        *maps,
        # Matrix instructions dictate their layouts; those of accesses are chosen to suit them.
        Step(TileASAssignDotLayoutsPass(), NV_TILEAS),
        Step(TileASAssignLoadStoreLayoutsPass(), NV_TILEAS),
        *(layout_cleanup() if improves else ()),
        Step(LowerTMALoadStoreToAsyncPass(), NV_TILEAS),
        *(schedule(options) if improves else ()),
        # Agents may also come from the program itself, so this is no improvement but a need.
        Step(OptimizeExecutionUnitMappingPass(), NV_TILEAS),
        # After pipelines have taken the loads that they start early.
        Step(LowerLdgstsLoadToAsyncPass(), NV_TILEAS),
        # After agents are formed, which would have to pass new arguments on.
        Step(TileASAttachTMADescArgsPass(), NV_TILEAS),
        Step(TileASLegalizeTmemCopyPass(), NV_TILEAS),
        # Before memory is allocated, which exchanges between layouts may need.
        Step(TileASSelectLoweringPass(), NV_TILEAS),
        # After everything that makes buffers or changes how long they live.
        Step(TileASAllocateSharedMemoryPass(), NV_TILEAS),
        Step(TileASAllocateTensorMemoryPass(), NV_TILEAS),
        # After allocation, since memory that is reused needs barriers as well.
        Step(TileASInsertBarriersPass(), NV_TILEAS),
        Step(ConvertTileASToLLVMPass(), LLVM),
    )


def first_choice(road: Sequence[Step]) -> int:
    """The first step that spends registers and memory, which the ladder goes back to."""
    numbers = (n for n, s in enumerate(road) if isinstance(s.module_pass, TileASSliceAndFusePass))
    return next(numbers, len(road))


def note_options(module: ModuleOp, options: Options) -> None:
    """Writes on a module what its passes and the PTX printer read there."""
    if options.abi is not None:
        module.attributes[ABI_ATTRIBUTE] = StringAttr(options.abi)
    if options.lineinfo:
        module.attributes[LINE_INFO_ATTRIBUTE] = UnitAttr()


def layout_cleanup() -> tuple[Step, ...]:
    """What follows the assignment of layouts: conversions, aliases and arguments that go away."""
    return (
        Step(TileASRemoveLayoutConversionsPass(), NV_TILEAS),
        Step(TileASRemoveBufferAliasPass(), NV_TILEAS),
        Step(TileASRemoveDeadArgsPass(), NV_TILEAS),
        Step(TileASResolveAgentBoundaryPass(), NV_TILEAS),
        Step(TileASSlicingPass(), NV_TILEAS),
        Step(TileASCanonicalizePass(), NV_TILEAS),
    )


def schedule(options: Options = DEFAULT_OPTIONS) -> tuple[Step, ...]:
    """Loads of loops go through pipelines, and start long before their tiles are wanted."""
    pipelines, agents = TileASMaterializeAsyncPass(), TileASMaterializeSchedulePass()
    if options.stages is not None:
        pipelines = replace(pipelines, num_stages=options.stages)
    if options.strategy is not None:
        agents = replace(agents, pipeline_strategy=options.strategy)
    return (
        # First, as stages get the shared memory that conversions leave.
        Step(TileASMaterializeConvertLayoutPass(), NV_TILEAS),
        Step(pipelines, NV_TILEAS),
        Step(TileASGenerateSchedulePass(), NV_TILEAS),
        Step(agents, NV_TILEAS),
        Step(TileASUnspecializedPipelinePass(), NV_TILEAS),
        Step(TileASOptimizePipelineRegionPass(), NV_TILEAS),
        # An agent carries through its loops only what its own ops need.
        Step(TileASRemoveDeadArgsPass(), NV_TILEAS),
        Step(TileASCanonicalizePass(), NV_TILEAS),
    )


def passes(gpu: str = DEFAULT_TARGET, options: Options = DEFAULT_OPTIONS) -> tuple[ModulePass, ...]:
    """The passes of the pipeline, in order."""
    return tuple(step.module_pass for step in steps(gpu, options))


@dataclass(frozen=True)
class TileIRPipelinePass(ModulePass):
    """Compiles all kernels of a module for one target."""

    name = "tileir-pipeline"

    gpu: str = DEFAULT_TARGET
    opt_level: int = 3
    warps: int | None = None
    stages: int | None = None
    ctas: int | None = None
    strategy: str | None = None
    occupancy: int | None = None
    dynamic_persistent: bool = False
    lineinfo: bool = False
    abi: str | None = None
    device_tensor_maps: bool | None = None
    probe: tuple[int, ...] = ()
    probe_executions: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, options = self._checked()
        note_options(op, options)
        run, callback = self.pass_runner(ctx, op), running_callback()
        accesses: list[ViewAccess] = []
        road = self._probed(steps(target.name, options))
        following = [*(step.module_pass for step in road[1:]), self]

        def run_step(number: int) -> None:
            step, next_pass = road[number], following[number]
            if isinstance(step.module_pass, TileASAssignLoadStoreLayoutsPass):
                # Here for the last time views are what the program made them.
                check_view_accesses(op, accesses)
            run(step.module_pass)
            check_legal(op, step.level)
            if callback is not None:
                callback(step.module_pass, op, next_pass)
            if step.level is NV_TILEAA:
                accesses[:] = view_accesses(op)

        climbing(op, len(road), first_choice(road), run_step)

    def _probed(self, road: Sequence[Step]) -> Sequence[Step]:
        """The steps with the probes of the last conversion, if there are any."""
        if not self.probe:
            return road
        return [
            replace(
                step,
                module_pass=replace(
                    step.module_pass, probe=self.probe, probe_executions=self.probe_executions
                ),
            )
            if isinstance(step.module_pass, ConvertTileASToLLVMPass)
            else step
            for step in road
        ]

    def _checked(self) -> tuple[Target, Options]:
        try:
            target = get_target(self.gpu)
            given = {field.name: getattr(self, field.name) for field in fields(Options)}
            options = Options(**given)
            options.check(target)
        except (UnknownTargetError, OptionError) as error:
            raise PassFailedException(str(error)) from error
        return target, options

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
