"""What `xdsl-opt` sees of this package: dialects, passes and targets, all imported on first use."""

from collections.abc import Callable
from functools import partial

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.target import Target


def _cuda_tile() -> Dialect:
    from tileir_xdsl.dialects.cuda_tile import CudaTile
    from tileir_xdsl.transforms.canonicalization_patterns.cuda_tile import attach_patterns

    attach_patterns()
    return CudaTile


def _cute_nvgpu() -> Dialect:
    from tileir_xdsl.dialects.cute_nvgpu import CuteNVGPU

    return CuteNVGPU


def _nv_tileaa() -> Dialect:
    from tileir_xdsl.dialects.nv_tileaa import NVTileAA
    from tileir_xdsl.transforms.canonicalization_patterns.nv_tileaa import attach_patterns

    attach_patterns()
    return NVTileAA


def _nv_tileas() -> Dialect:
    from tileir_xdsl.dialects.nv_tileas import NVTileAS
    from tileir_xdsl.transforms.canonicalization_patterns.nv_tileas import attach_patterns

    attach_patterns()
    return NVTileAS


def _async() -> Dialect:
    from tileir_xdsl.dialects.async_ import Async

    return Async


def _tile() -> Dialect:
    from tileir_xdsl.dialects.tile import Tile

    return Tile


def _nvvm() -> Dialect:
    from tileir_xdsl.dialects.nvvm import NVVM

    return NVVM


def _convert_cuda_tile_to_tileaa() -> type[ModulePass]:
    from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa import ConvertCudaTileToTileAAPass

    return ConvertCudaTileToTileAAPass


def _convert_tileaa_to_tileas() -> type[ModulePass]:
    from tileir_xdsl.transforms.convert_tileaa_to_tileas import ConvertTileAAToTileASPass

    return ConvertTileAAToTileASPass


def _tileas_assign_load_store_layouts() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_assign_load_store_layouts import (
        TileASAssignLoadStoreLayoutsPass,
    )

    return TileASAssignLoadStoreLayoutsPass


def _tileas_remove_layout_conversions() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_remove_layout_conversions import (
        TileASRemoveLayoutConversionsPass,
    )

    return TileASRemoveLayoutConversionsPass


def _tileas_remove_buffer_alias() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_remove_buffer_alias import TileASRemoveBufferAliasPass

    return TileASRemoveBufferAliasPass


def _tileas_canonicalize() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_canonicalize import TileASCanonicalizePass

    return TileASCanonicalizePass


def _tileas_remove_dead_args() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_remove_dead_args import TileASRemoveDeadArgsPass

    return TileASRemoveDeadArgsPass


def _tileas_resolve_agent_boundary() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_resolve_agent_boundary import TileASResolveAgentBoundaryPass

    return TileASResolveAgentBoundaryPass


def _tileas_allocate_shared_memory() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_allocate_shared_memory import TileASAllocateSharedMemoryPass

    return TileASAllocateSharedMemoryPass


def _tileas_allocate_tensor_memory() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_allocate_tensor_memory import TileASAllocateTensorMemoryPass

    return TileASAllocateTensorMemoryPass


def _tileas_assign_dot_layouts() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_assign_dot_layouts import TileASAssignDotLayoutsPass

    return TileASAssignDotLayoutsPass


def _tileas_dynamic_persistent() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_dynamic_persistent import TileASDynamicPersistentPass

    return TileASDynamicPersistentPass


def _tileas_slice_and_fuse() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_slice_and_fuse import TileASSliceAndFusePass

    return TileASSliceAndFusePass


def _tileas_plan_tensor_maps() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_plan_tensor_maps import TileASPlanTensorMapsPass

    return TileASPlanTensorMapsPass


def _tileas_plan_cta() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_plan_cta import TileASPlanCTAPass

    return TileASPlanCTAPass


def _tileas_generate_schedule() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_generate_schedule import TileASGenerateSchedulePass

    return TileASGenerateSchedulePass


def _tileas_legalize_tmem_copy() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_legalize_tmem_copy import TileASLegalizeTmemCopyPass

    return TileASLegalizeTmemCopyPass


def _tileas_materialize_async() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_materialize_async import TileASMaterializeAsyncPass

    return TileASMaterializeAsyncPass


def _tileas_materialize_convert_layout() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_materialize_convert_layout import (
        TileASMaterializeConvertLayoutPass,
    )

    return TileASMaterializeConvertLayoutPass


def _tileas_materialize_schedule() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_materialize_schedule import TileASMaterializeSchedulePass

    return TileASMaterializeSchedulePass


def _tileas_insert_barriers() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_insert_barriers import TileASInsertBarriersPass

    return TileASInsertBarriersPass


def _tileas_select_lowering() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_select_lowering import TileASSelectLoweringPass

    return TileASSelectLoweringPass


def _tileas_slicing() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_slicing import TileASSlicingPass

    return TileASSlicingPass


def _lower_tma_load_store_to_async() -> type[ModulePass]:
    from tileir_xdsl.transforms.lower_tma_load_store_to_async import LowerTMALoadStoreToAsyncPass

    return LowerTMALoadStoreToAsyncPass


def _lower_ldgsts_load_to_async() -> type[ModulePass]:
    from tileir_xdsl.transforms.lower_ldgsts_load_to_async import LowerLdgstsLoadToAsyncPass

    return LowerLdgstsLoadToAsyncPass


def _tileas_attach_tma_desc_args() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_attach_tma_desc_args import TileASAttachTMADescArgsPass

    return TileASAttachTMADescArgsPass


def _tileas_unspecialized_pipeline() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_unspecialized_pipeline import (
        TileASUnspecializedPipelinePass,
    )

    return TileASUnspecializedPipelinePass


def _convert_tileas_to_llvm() -> type[ModulePass]:
    from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass

    return ConvertTileASToLLVMPass


def _optimize_execution_unit_mapping() -> type[ModulePass]:
    from tileir_xdsl.transforms.optimize_execution_unit_mapping import (
        OptimizeExecutionUnitMappingPass,
    )

    return OptimizeExecutionUnitMappingPass


def _tileas_optimize_pipeline_region() -> type[ModulePass]:
    from tileir_xdsl.transforms.tileas_optimize_pipeline_region import (
        TileASOptimizePipelineRegionPass,
    )

    return TileASOptimizePipelineRegionPass


def _fuse_fma() -> type[ModulePass]:
    from tileir_xdsl.transforms.fuse_fma import FuseFmaPass

    return FuseFmaPass


def _loop_split() -> type[ModulePass]:
    from tileir_xdsl.transforms.loop_split import LoopSplitPass

    return LoopSplitPass


def _synthesize_debug_info_scopes() -> type[ModulePass]:
    from tileir_xdsl.transforms.synthesize_debug_info_scopes import (
        SynthesizeDebugInfoScopesPass,
    )

    return SynthesizeDebugInfoScopesPass


def _tileir_pipeline() -> type[ModulePass]:
    from tileir_xdsl.checking.tileir_pipeline import CheckedTileIRPipelinePass

    return CheckedTileIRPipelinePass


def _ptx() -> type[Target]:
    from tileir_xdsl.backend.ptx.target import PTXTarget

    return PTXTarget


DIALECTS: dict[str, Callable[[], Dialect]] = {
    "async": _async,
    "cuda_tile": _cuda_tile,
    "cute_nvgpu": _cute_nvgpu,
    "nv_tileaa": _nv_tileaa,
    "nv_tileas": _nv_tileas,
    "nvvm": _nvvm,
    "tile": _tile,
}

_PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    "synthesize-debug-info-scopes": _synthesize_debug_info_scopes,
    "fuse-fma": _fuse_fma,
    "loop-split": _loop_split,
    "convert-cuda-tile-to-tileaa": _convert_cuda_tile_to_tileaa,
    "convert-tileaa-to-tileas": _convert_tileaa_to_tileas,
    "tileas-assign-load-store-layouts": _tileas_assign_load_store_layouts,
    "tileas-remove-layout-conversions": _tileas_remove_layout_conversions,
    "tileas-remove-buffer-alias": _tileas_remove_buffer_alias,
    "tileas-canonicalize": _tileas_canonicalize,
    "tileas-remove-dead-args": _tileas_remove_dead_args,
    "tileas-resolve-agent-boundary": _tileas_resolve_agent_boundary,
    "tileas-allocate-shared-memory": _tileas_allocate_shared_memory,
    "tileas-allocate-tensor-memory": _tileas_allocate_tensor_memory,
    "tileas-assign-dot-layouts": _tileas_assign_dot_layouts,
    "tileas-dynamic-persistent": _tileas_dynamic_persistent,
    "tileas-plan-cta": _tileas_plan_cta,
    "tileas-plan-tensor-maps": _tileas_plan_tensor_maps,
    "tileas-slice-and-fuse": _tileas_slice_and_fuse,
    "tileas-generate-schedule": _tileas_generate_schedule,
    "tileas-legalize-tmem-copy": _tileas_legalize_tmem_copy,
    "tileas-materialize-async": _tileas_materialize_async,
    "tileas-materialize-convert-layout": _tileas_materialize_convert_layout,
    "tileas-materialize-schedule": _tileas_materialize_schedule,
    "tileas-optimize-pipeline-region": _tileas_optimize_pipeline_region,
    "tileas-insert-barriers": _tileas_insert_barriers,
    "tileas-select-lowering": _tileas_select_lowering,
    "tileas-slicing": _tileas_slicing,
    "tileas-unspecialized-pipeline": _tileas_unspecialized_pipeline,
    "lower-tma-load-store-to-async": _lower_tma_load_store_to_async,
    "lower-ldgsts-load-to-async": _lower_ldgsts_load_to_async,
    "optimize-execution-unit-mapping": _optimize_execution_unit_mapping,
    "tileas-attach-tma-desc-args": _tileas_attach_tma_desc_args,
    "convert-tileas-to-llvm": _convert_tileas_to_llvm,
    "tileir-pipeline": _tileir_pipeline,
}

_LEVELS = {
    "synthesize-debug-info-scopes": "cuda_tile",
    "fuse-fma": "cuda_tile",
    "loop-split": "cuda_tile",
    "convert-cuda-tile-to-tileaa": "cuda_tile",
    "convert-tileaa-to-tileas": "nv_tileaa",
    "tileas-assign-load-store-layouts": "nv_tileas",
    "tileas-remove-layout-conversions": "nv_tileas",
    "tileas-remove-buffer-alias": "nv_tileas",
    "tileas-canonicalize": "nv_tileas",
    "tileas-remove-dead-args": "nv_tileas",
    "tileas-resolve-agent-boundary": "nv_tileas",
    "tileas-allocate-shared-memory": "nv_tileas",
    "tileas-allocate-tensor-memory": "nv_tileas",
    "tileas-assign-dot-layouts": "nv_tileas",
    "tileas-dynamic-persistent": "nv_tileas",
    "tileas-plan-cta": "nv_tileaa",
    "tileas-plan-tensor-maps": "nv_tileas",
    "tileas-slice-and-fuse": "nv_tileaa",
    "tileas-generate-schedule": "nv_tileas",
    "tileas-legalize-tmem-copy": "nv_tileas",
    "tileas-materialize-async": "nv_tileas",
    "tileas-materialize-convert-layout": "nv_tileas",
    "tileas-materialize-schedule": "nv_tileas",
    "tileas-optimize-pipeline-region": "nv_tileas",
    "tileas-insert-barriers": "nv_tileas",
    "tileas-select-lowering": "nv_tileas",
    "tileas-slicing": "nv_tileas",
    "tileas-unspecialized-pipeline": "nv_tileas",
    "lower-tma-load-store-to-async": "nv_tileas",
    "lower-ldgsts-load-to-async": "nv_tileas",
    "optimize-execution-unit-mapping": "nv_tileas",
    "tileas-attach-tma-desc-args": "nv_tileas",
    "convert-tileas-to-llvm": "nv_tileas",
    "tileir-pipeline": "cuda_tile",
}
"""The level of the IR that a pass takes."""


def _at_level(name: str, factory: Callable[[], type[ModulePass]]) -> type[ModulePass]:
    from tileir_xdsl.levels import at_level

    return at_level(factory(), _LEVELS[name])


# The pipeline runs the passes themselves: it knows the level of what it gives them.
PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    name: partial(_at_level, name, factory) for name, factory in _PASSES.items()
}

TARGETS: dict[str, Callable[[], type[Target]]] = {"ptx": _ptx}

UNIVERSE = Universe(all_dialects=DIALECTS, all_passes=PASSES, all_targets=TARGETS)


def _extend_llvm(factory: Callable[[], Dialect]) -> Callable[[], Dialect]:
    def extended() -> Dialect:
        from tileir_xdsl.dialects.llvm import extend

        return extend(factory())

    return extended


def _extend_arith(factory: Callable[[], Dialect]) -> Callable[[], Dialect]:
    def extended() -> Dialect:
        from tileir_xdsl.dialects.arith import extend

        return extend(factory())

    return extended


# A second dialect of one name would be a clash, so xDSL's own lazy factories are wrapped.
XDSL_UNIVERSE.all_dialects["arith"] = _extend_arith(XDSL_UNIVERSE.all_dialects["arith"])
XDSL_UNIVERSE.all_dialects["llvm"] = _extend_llvm(XDSL_UNIVERSE.all_dialects["llvm"])
