"""Every pass by name, as plain data: where it is, and which ops it is about; imports no pass.

So `xdsl-opt` lists the passes, and the pipeline leaves out those that have nothing to do, without
importing them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

CONVERT_TO_TILEAA = "convert-cuda-tile-to-tileaa"
CONVERT_TO_TILEAS = "convert-tileaa-to-tileas"
CONVERT_TO_LLVM = "convert-tileas-to-llvm"
PLAN_CTA = "tileas-plan-cta"
SLICE_AND_FUSE = "tileas-slice-and-fuse"
ASSIGN_LOAD_STORE_LAYOUTS = "tileas-assign-load-store-layouts"


class PassEntry(NamedTuple):
    """A pass that is not imported yet."""

    module: str
    """Within the package."""

    class_name: str

    op_names: frozenset[str] | None = None
    """Functions without any of these ops stay as they are; None if the pass is to be asked."""

    def load(self) -> type[ModulePass]:
        """The class of the pass, imported now."""
        return getattr(importlib.import_module(f"tileir_xdsl.{self.module}"), self.class_name)


def _entry(module: str, class_name: str, *op_names: str) -> PassEntry:
    return PassEntry(f"transforms.{module}", class_name, frozenset(op_names) or None)


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

PASSES: Mapping[str, PassEntry] = {
    "synthesize-debug-info-scopes": _entry(
        "synthesize_debug_info_scopes", "SynthesizeDebugInfoScopesPass"
    ),
    "fuse-fma": _entry("fuse_fma", "FuseFmaPass"),
    "loop-split": _entry("loop_split", "LoopSplitPass"),
    CONVERT_TO_TILEAA: _entry("convert_cuda_tile_to_tileaa", "ConvertCudaTileToTileAAPass"),
    CONVERT_TO_TILEAS: _entry("convert_tileaa_to_tileas", "ConvertTileAAToTileASPass"),
    ASSIGN_LOAD_STORE_LAYOUTS: _entry(
        "tileas_assign_load_store_layouts", "TileASAssignLoadStoreLayoutsPass"
    ),
    "tileas-remove-layout-conversions": _entry(
        "tileas_remove_layout_conversions",
        "TileASRemoveLayoutConversionsPass",
        "nv_tileas.convert_layout",
    ),
    "tileas-remove-buffer-alias": _entry(
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
        "tileas_canonicalize",
        "TileASCanonicalizePass",
        "nv_tileas.extract_slice",
        "nv_tileas.insert_slice",
        "scf.for",
    ),
    "tileas-remove-dead-args": _entry(
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
        "tileas_resolve_agent_boundary", "TileASResolveAgentBoundaryPass", _AGENT_SWITCH
    ),
    "tileas-allocate-shared-memory": _entry(
        "tileas_allocate_shared_memory", "TileASAllocateSharedMemoryPass"
    ),
    "tileas-allocate-tensor-memory": _entry(
        "tileas_allocate_tensor_memory", "TileASAllocateTensorMemoryPass"
    ),
    "tileas-assign-dot-layouts": _entry(
        "tileas_assign_dot_layouts",
        "TileASAssignDotLayoutsPass",
        "nv_tileas.async.dot",
        "nv_tileas.dot",
    ),
    "tileas-dynamic-persistent": _entry(
        "tileas_dynamic_persistent",
        "TileASDynamicPersistentPass",
        "nv_tileaa.cancel_next_program_id",
        "nv_tileaa.get_program_id",
        "nv_tileaa.is_valid_program_id",
        "nv_tileas.async.cancel_next_program_id",
        "nv_tileas.cancel_next_program_id",
    ),
    PLAN_CTA: _entry("tileas_plan_cta", "TileASPlanCTAPass"),
    "tileas-plan-tensor-maps": _entry(
        "tileas_plan_tensor_maps", "TileASPlanTensorMapsPass", "nv_tileas.tiled_load"
    ),
    SLICE_AND_FUSE: _entry(
        "tileas_slice_and_fuse",
        "TileASSliceAndFusePass",
        "nv_tileaa.load",
        "nv_tileaa.store",
        "nv_tileaa.tiled_load",
        "nv_tileaa.tiled_store",
    ),
    "tileas-select-cta-group": _entry(
        "tileas_select_cta_group",
        "TileASSelectCTAGroupPass",
        "nv_tileas.async.dot",
        "nv_tileas.dot",
    ),
    "tileas-overlap-epilogue": _entry(
        "tileas_overlap_epilogue", "TileASOverlapEpiloguePass", _AGENT_SWITCH
    ),
    "tileas-generate-schedule": _entry(
        "tileas_generate_schedule", "TileASGenerateSchedulePass", *PRODUCE
    ),
    "tileas-legalize-tmem-copy": _entry(
        "tileas_legalize_tmem_copy",
        "TileASLegalizeTmemCopyPass",
        "nv_tileas.alloc_tensor",
        "nv_tileas.convert_layout",
        "nv_tileas.copy",
    ),
    "tileas-materialize-async": _entry(
        "tileas_materialize_async",
        "TileASMaterializeAsyncPass",
        "nv_tileas.dot",
        "scf.for",
        "scf.while",
    ),
    "tileas-materialize-convert-layout": _entry(
        "tileas_materialize_convert_layout",
        "TileASMaterializeConvertLayoutPass",
        "nv_tileas.convert_layout",
    ),
    "tileas-materialize-schedule": _entry(
        "tileas_materialize_schedule", "TileASMaterializeSchedulePass", "nv_tileaa.func"
    ),
    "tileas-optimize-pipeline-region": _entry(
        "tileas_optimize_pipeline_region",
        "TileASOptimizePipelineRegionPass",
        *_CONSUME,
        *PRODUCE,
        "nv_tileas.async.pipeline.consumer_wait",
    ),
    "tileas-insert-barriers": _entry("tileas_insert_barriers", "TileASInsertBarriersPass"),
    "tileas-select-lowering": _entry("tileas_select_lowering", "TileASSelectLoweringPass"),
    "tileas-slicing": _entry("tileas_slicing", "TileASSlicingPass", *_CONSUME, *PRODUCE, "scf.for"),
    "tileas-unspecialized-pipeline": _entry(
        "tileas_unspecialized_pipeline", "TileASUnspecializedPipelinePass", *PRODUCE
    ),
    "lower-tma-load-store-to-async": _entry(
        "lower_tma_load_store_to_async",
        "LowerTMALoadStoreToAsyncPass",
        "nv_tileas.gather_load",
        "nv_tileas.scatter_store",
        "nv_tileas.tiled_atomic_rmw",
        "nv_tileas.tiled_load",
        "nv_tileas.tiled_store",
    ),
    "lower-ldgsts-load-to-async": _entry(
        "lower_ldgsts_load_to_async", "LowerLdgstsLoadToAsyncPass", "nv_tileas.tiled_load"
    ),
    "optimize-execution-unit-mapping": _entry(
        "optimize_execution_unit_mapping",
        "OptimizeExecutionUnitMappingPass",
        "nv_tileaa.call",
        _AGENT_SWITCH,
    ),
    "tileas-attach-tma-desc-args": _entry(
        "tileas_attach_tma_desc_args",
        "TileASAttachTMADescArgsPass",
        "nv_tileas.async.gather_tma_load",
        "nv_tileas.async.scatter_tma_store",
        "nv_tileas.async.tiled_tma_load",
        "nv_tileas.async.tiled_tma_reduce",
        "nv_tileas.async.tiled_tma_store",
        "nv_tileas.make_tiled_tma_desc",
    ),
    CONVERT_TO_LLVM: _entry("convert_tileas_to_llvm", "ConvertTileASToLLVMPass"),
    "tileir-pipeline": PassEntry("report.tileir_pipeline", "ExplainedTileIRPipelinePass"),
}
"""By the name on the command line."""

CANONICALIZE = _entry("canonicalize", "LocatedCanonicalizePass")
"""The pass of xDSL of that name, which keeps locations; xDSL lists it."""
