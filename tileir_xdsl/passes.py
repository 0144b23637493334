"""A table of all passes by name, with the module and the ops of each; imports no pass.

So without importing passes, `xdsl-opt` lists them, and the pipeline omits those without ops to
change.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from tileir_xdsl.on_use import value_at

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


LEVEL_NAMES = ("cuda_tile", "nv_tileaa", "nv_tileas", "llvm")
"""The levels in the order of the road."""

OURS = "tileir_xdsl"
"""The origin of the passes of this package."""


class Promise(Enum):
    """A property of a pass that the road, its reports or its checks depend on."""

    SPENDS_RESOURCES = "spends registers and memory"
    """A kernel that exceeds a resource is compiled again from the first pass with this promise."""
    DIVIDES_CLUSTERS = "divides tile blocks among CTAs"
    """After this pass, the number of CTAs that the user requested is checked."""
    CHANGES_VIEWS = "changes accesses of views"
    """Before this pass, accesses of views are still ops of `nv_tileaa`; a check ensures that."""
    FORCES_CANDIDATES = "takes `force=#OP=CANDIDATE`"
    """Reports offer the pass's other candidates, by the names that its `force` accepts."""
    FORCES_BARRIERS = "takes `force=#OP=BARRIER/BARRIER`"
    FORCES_KEPT = "takes `force=keep=#OP`"


class PassEntry(NamedTuple):
    """A pass that is not imported yet."""

    level: str
    """The level of the IR that the pass accepts."""

    leaves: str
    """The level of the IR that the pass produces."""

    module: str
    class_name: str

    op_names: frozenset[str] | None = None
    """The pass does not change functions without any of these ops; None if that is not known.
    """

    promises: frozenset[Promise] = frozenset()

    decides: str = ""
    """The option that must be set before the pass runs."""

    origin: str = OURS
    """The package that provides the pass."""

    place: str = ""
    """The place where an extension runs the pass, such as `after tileas-canonicalize`."""

    rounding: float | None = None
    """The error that the pass may add to results, in units in the last place; None for no error."""

    pass_type: type[ModulePass] | None = None
    """The class of the pass, if it is of an extension."""

    def load(self) -> type[ModulePass]:
        """Imports the class of the pass."""
        return self.pass_type or value_at(f"{self.module}:{self.class_name}")


def _entry(
    level: str,
    module: str,
    class_name: str,
    *op_names: str,
    leaves: str = "",
    promises: Iterable[Promise] = (),
    decides: str = "",
    rounding: float | None = None,
) -> PassEntry:
    names, kept = frozenset(op_names) or None, frozenset(promises)
    where = f"{OURS}.transforms.{module}"
    entry = PassEntry(level, leaves or level, where, class_name, names, kept, decides)
    return entry._replace(rounding=rounding)


_AGENT_SWITCH = "nv_tileas.async.pipeline.agent_switch"
PRODUCE = (
    "nv_tileas.async.pipeline.produce_one",
    "nv_tileas.async.pipeline.produce_one_async",
)
"""The ops that fill a stage of a pipeline."""

_CONSUME = (
    "nv_tileas.async.pipeline.consume_one",
    "nv_tileas.async.pipeline.consume_one_async",
)

PASSES: dict[str, PassEntry] = {
    "synthesize-debug-info-scopes": _entry(
        "cuda_tile", "synthesize_debug_info_scopes", "SynthesizeDebugInfoScopesPass"
    ),
    "fuse-fma": _entry("cuda_tile", "fuse_fma", "FuseFmaPass", rounding=1.0),
    "loop-split": _entry("cuda_tile", "loop_split", "LoopSplitPass"),
    "convert-cuda-tile-to-tileaa": _entry(
        "cuda_tile",
        "convert_cuda_tile_to_tileaa",
        "ConvertCudaTileToTileAAPass",
        leaves="nv_tileaa",
    ),
    "convert-tileaa-to-tileas": _entry(
        "nv_tileaa",
        "convert_tileaa_to_tileas",
        "ConvertTileAAToTileASPass",
        leaves="nv_tileas",
        rounding=1.0,
    ),
    "tileas-assign-load-store-layouts": _entry(
        "nv_tileas",
        "tileas_assign_load_store_layouts",
        "TileASAssignLoadStoreLayoutsPass",
        promises=(Promise.CHANGES_VIEWS, Promise.FORCES_CANDIDATES),
    ),
    "tileas-remove-layout-conversions": _entry(
        "nv_tileas",
        "tileas_remove_layout_conversions",
        "TileASRemoveLayoutConversionsPass",
        "nv_tileas.convert_layout",
        promises=(Promise.FORCES_KEPT,),
    ),
    "tileas-remove-buffer-alias": _entry(
        "nv_tileas",
        "tileas_remove_buffer_alias",
        "TileASRemoveBufferAliasPass",
        "arith.select",
        _AGENT_SWITCH,
        "nv_tileas.view",
        "scf.condition",
        "scf.for",
        "scf.if",
        "scf.while",
        "scf.yield",
        "tile.select",
    ),
    "tileas-canonicalize": _entry(
        "nv_tileas",
        "tileas_canonicalize",
        "TileASCanonicalizePass",
        "nv_tileas.extract_slice",
        "nv_tileas.insert_slice",
        "scf.for",
    ),
    "tileas-remove-dead-args": _entry(
        "nv_tileas",
        "tileas_remove_dead_args",
        "TileASRemoveDeadArgsPass",
        _AGENT_SWITCH,
        *_CONSUME,
        *PRODUCE,
        "nv_tileas.pragma",
        "scf.for",
        "scf.if",
        "scf.while",
    ),
    "tileas-resolve-agent-boundary": _entry(
        "nv_tileas",
        "tileas_resolve_agent_boundary",
        "TileASResolveAgentBoundaryPass",
        _AGENT_SWITCH,
    ),
    "tileas-allocate-shared-memory": _entry(
        "nv_tileas", "tileas_allocate_shared_memory", "TileASAllocateSharedMemoryPass"
    ),
    "tileas-allocate-tensor-memory": _entry(
        "nv_tileas", "tileas_allocate_tensor_memory", "TileASAllocateTensorMemoryPass"
    ),
    "tileas-assign-dot-layouts": _entry(
        "nv_tileas",
        "tileas_assign_dot_layouts",
        "TileASAssignDotLayoutsPass",
        "nv_tileas.async.dot",
        "nv_tileas.dot",
    ),
    "tileas-dynamic-persistent": _entry(
        "nv_tileas",
        "tileas_dynamic_persistent",
        "TileASDynamicPersistentPass",
        "nv_tileaa.cancel_next_program_id",
        "nv_tileaa.get_program_id",
        "nv_tileaa.is_valid_program_id",
        "nv_tileas.async.cancel_next_program_id",
        "nv_tileas.cancel_next_program_id",
        decides="dynamic_persistent",
    ),
    "tileas-plan-cta": _entry(
        "nv_tileaa",
        "tileas_plan_cta",
        "TileASPlanCTAPass",
        promises=(Promise.DIVIDES_CLUSTERS,),
    ),
    "tileas-plan-tensor-maps": _entry(
        "nv_tileas",
        "tileas_plan_tensor_maps",
        "TileASPlanTensorMapsPass",
        "nv_tileas.tiled_load",
        decides="device_tensor_maps",
    ),
    "tileas-slice-and-fuse": _entry(
        "nv_tileaa",
        "tileas_slice_and_fuse",
        "TileASSliceAndFusePass",
        "nv_tileaa.load",
        "nv_tileaa.store",
        "nv_tileaa.tiled_load",
        "nv_tileaa.tiled_store",
        promises=(Promise.SPENDS_RESOURCES,),
    ),
    "tileas-select-cta-group": _entry(
        "nv_tileas",
        "tileas_select_cta_group",
        "TileASSelectCTAGroupPass",
        "nv_tileas.async.dot",
        "nv_tileas.dot",
        # The last of the passes that count stages.
        decides="stages",
        promises=(Promise.FORCES_CANDIDATES,),
    ),
    "tileas-overlap-epilogue": _entry(
        "nv_tileas",
        "tileas_overlap_epilogue",
        "TileASOverlapEpiloguePass",
        _AGENT_SWITCH,
        promises=(Promise.FORCES_CANDIDATES,),
    ),
    "tileas-generate-schedule": _entry(
        "nv_tileas", "tileas_generate_schedule", "TileASGenerateSchedulePass", *PRODUCE
    ),
    "tileas-legalize-tmem-copy": _entry(
        "nv_tileas",
        "tileas_legalize_tmem_copy",
        "TileASLegalizeTmemCopyPass",
        "nv_tileas.alloc_tensor",
        "nv_tileas.convert_layout",
        "nv_tileas.copy",
    ),
    "tileas-materialize-async": _entry(
        "nv_tileas",
        "tileas_materialize_async",
        "TileASMaterializeAsyncPass",
        "nv_tileas.dot",
        "scf.for",
        "scf.while",
    ),
    "tileas-materialize-convert-layout": _entry(
        "nv_tileas",
        "tileas_materialize_convert_layout",
        "TileASMaterializeConvertLayoutPass",
        "nv_tileas.convert_layout",
    ),
    "tileas-materialize-schedule": _entry(
        "nv_tileas",
        "tileas_materialize_schedule",
        "TileASMaterializeSchedulePass",
        "nv_tileaa.func",
        decides="strategy",
    ),
    "tileas-optimize-pipeline-region": _entry(
        "nv_tileas",
        "tileas_optimize_pipeline_region",
        "TileASOptimizePipelineRegionPass",
        *_CONSUME,
        *PRODUCE,
        "nv_tileas.async.pipeline.consumer_wait",
    ),
    "tileas-insert-barriers": _entry(
        "nv_tileas",
        "tileas_insert_barriers",
        "TileASInsertBarriersPass",
        promises=(Promise.FORCES_BARRIERS,),
    ),
    "tileas-select-lowering": _entry(
        "nv_tileas",
        "tileas_select_lowering",
        "TileASSelectLoweringPass",
        promises=(Promise.FORCES_CANDIDATES,),
    ),
    "tileas-slicing": _entry(
        "nv_tileas", "tileas_slicing", "TileASSlicingPass", *_CONSUME, *PRODUCE, "scf.for"
    ),
    "tileas-unspecialized-pipeline": _entry(
        "nv_tileas", "tileas_unspecialized_pipeline", "TileASUnspecializedPipelinePass", *PRODUCE
    ),
    "lower-tma-load-store-to-async": _entry(
        "nv_tileas",
        "lower_tma_load_store_to_async",
        "LowerTMALoadStoreToAsyncPass",
        "nv_tileas.gather_load",
        "nv_tileas.scatter_store",
        "nv_tileas.tiled_atomic_rmw",
        "nv_tileas.tiled_load",
        "nv_tileas.tiled_store",
    ),
    "lower-ldgsts-load-to-async": _entry(
        "nv_tileas",
        "lower_ldgsts_load_to_async",
        "LowerLdgstsLoadToAsyncPass",
        "nv_tileas.tiled_load",
    ),
    "optimize-execution-unit-mapping": _entry(
        "nv_tileas",
        "optimize_execution_unit_mapping",
        "OptimizeExecutionUnitMappingPass",
        "nv_tileaa.call",
        _AGENT_SWITCH,
    ),
    "tileas-attach-tma-desc-args": _entry(
        "nv_tileas",
        "tileas_attach_tma_desc_args",
        "TileASAttachTMADescArgsPass",
        "nv_tileas.async.gather_tma_load",
        "nv_tileas.async.scatter_tma_store",
        "nv_tileas.async.tiled_tma_load",
        "nv_tileas.async.tiled_tma_reduce",
        "nv_tileas.async.tiled_tma_store",
        "nv_tileas.make_tiled_tma_desc",
    ),
    "convert-tileas-to-llvm": _entry(
        "nv_tileas", "convert_tileas_to_llvm", "ConvertTileASToLLVMPass", leaves="llvm"
    ),
    "tilecpu-group": _entry(
        "nv_tileaa",
        "tilecpu_group",
        "TileCPUGroupPass",
        promises=(Promise.FORCES_CANDIDATES,),
    ),
    "convert-tileaa-to-tilecpu": _entry(
        "nv_tileaa", "convert_tileaa_to_tilecpu", "ConvertTileAAToTileCPUPass", leaves="tilecpu"
    ),
    "tilecpu-assign-buffers": _entry(
        "tilecpu", "tilecpu_assign_buffers", "TileCPUAssignBuffersPass"
    ),
    "convert-tilecpu-to-llvm": _entry(
        "tilecpu", "convert_tilecpu_to_llvm", "ConvertTileCPUToLLVMPass", leaves="llvm"
    ),
    "tileir-pipeline": PassEntry(
        "cuda_tile", "llvm", "tileir_xdsl.report.tileir_pipeline", "ExplainedTileIRPipelinePass"
    ),
}
"""The passes by their names on the command line, including those of loaded extensions."""

CANONICALIZE = "canonicalize"
"""The name of xDSL's pass, here in a version that keeps locations."""

PASSES[CANONICALIZE] = _entry("nv_tileaa", "canonicalize", "LocatedCanonicalizePass")


def takes_option(module_pass: ModulePass | type[ModulePass], name: str) -> bool:
    """Whether a pass has an option called `name`, such as `force` or `explain`."""
    return name in getattr(module_pass, "__dataclass_fields__", {})
