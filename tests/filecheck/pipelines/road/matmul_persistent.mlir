// Written by `python -m tests.pipeline_checks`: what each pass makes of a real kernel.
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/divisible/persistent_matmul_warpgroup.mlir -p 'tileir-pipeline{gpu=sm_80}' --print-between-passes | filecheck %s --check-prefix=SM80
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/divisible/persistent_matmul_warpgroup.mlir -p 'tileir-pipeline{gpu=sm_90a}' --print-between-passes | filecheck %s --check-prefix=SM90A
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/divisible/persistent_matmul_warpgroup.mlir -p 'tileir-pipeline{gpu=sm_100a}' --print-between-passes | filecheck %s --check-prefix=SM100A

// SM80-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM80: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM80: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM80: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f16>
// SM80: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]] : i32, i32] strides = [%[[V6:\w+]] : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x?xf16,
// SM80: %[[V7:\w+]] = nv_tileaa.block_tile %[[V8:\w+]] {tileSizes = array<i64: 64, 64>, dimGroups =
// SM80: %[[V9:\w+]] = nv_tileaa.get_dim_size %[[V8]] {axis = 0 : i32} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> i64
// SM80: %[[V10:\w+]] = nv_tileaa.trunci %[[V11:\w+]] : i64 to i32
// SM80: %[[V12:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM80: %[[V13:\w+]] = nv_tileaa.get_num_programs 0 : i32
// SM80: %[[V14:\w+]] = nv_tileaa.splat %[[V15:\w+]] : f32 -> tensor<64x64xf32>
// SM80-LABEL: IR after canonicalize:
// SM80: %[[V0:\w+]] = nv_tileaa.permute %[[V1:\w+]] {permutation = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
// SM80-LABEL: IR after tileas-plan-cta:
// SM80-LABEL: IR after tileas-slice-and-fuse:
// SM80-LABEL: IR after convert-tileaa-to-tileas:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]]] token = %[[V5:\w+]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<64x64xf16,
// SM80: %[[V6:\w+]] = nv_tileas.dot %[[V0]], %[[V7:\w+]], %[[V8:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom mma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> ->
// SM80: %[[V9:\w+]] = nv_tileas.tiled_store weak %[[V10:\w+]], %[[V11:\w+]][%[[V3]], %[[V12:\w+]]] token = %[[V13:\w+]] : tensor<64x64xf16>, !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?,
// SM80-LABEL: IR after tileas-slicing:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after tileas-plan-tensor-maps:
// SM80-LABEL: IR after tileas-assign-dot-layouts:
// SM80: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] : tensor<64x64xf16> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
// SM80: %[[V2:\w+]] = nv_tileaa.permute %[[V0]] {permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16,
// SM80-LABEL: IR after tileas-assign-load-store-layouts:
// SM80: %[[V0:\w+]] = nv_tileaa.splat %[[V1:\w+]] : f32 -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 4, 2), (4, 8), (2, 2), 1), ((1, 512, 8, 1024), (2, 64), (2048, 32), 0)>>
// SM80: %[[V2:\w+]] = scf.for %[[V3:\w+]] = %[[V4:\w+]] to %[[V5:\w+]] step %[[V6:\w+]] iter_args(%[[V7:\w+]] = %[[V0]]) -> (tensor<64x64xf32, #nv_tileas.layout<((2, 2, 4, 2), (4, 8), (2, 2), 1),
// SM80: %[[V8:\w+]], %[[V9:\w+]] = nv_tileas.tiled_load weak %[[V10:\w+]][%[[V11:\w+]], %[[V3]]] token = %[[V12:\w+]] {atom = #nv_tileas<atom ldgsts_128>, nv_tileas.layout = <(64, 64), (64, 1), swizzle<3, 4, 3>>, padding_value
// SM80: %[[V13:\w+]] = nv_tileas.convert_layout %[[V14:\w+]] : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM80: %[[V15:\w+]] = nv_tileas.dot %[[V16:\w+]], %[[V17:\w+]], %[[V7]] {input_precision = "tf32", atom = #nv_tileas<atom mma_f16_f16_f32>} : tile<64x64xf16, #nv_tileas.layout<((2, 2, 8, 2), (4, 8), (2,
// SM80: scf.yield %[[V15]] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 4, 2), (4, 8), (2, 2), 1), ((1, 512, 8, 1024), (2, 64), (2048, 32), 0)>>
// SM80: %[[V18:\w+]] = nv_tileaa.fp_to_fp %[[V2]] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 4, 2), (4, 8), (2, 2), 1), ((1, 512, 8, 1024), (2, 64), (2048, 32), 0)>> to tensor<64x64xf16,
// SM80: %[[V19:\w+]] = nv_tileas.tiled_store weak %[[V20:\w+]], %[[V21:\w+]][%[[V11]], %[[V22:\w+]]] token = %[[V23:\w+]] {atom = #nv_tileas<atom stg_128>, nv_tileas.layout = <((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>} :
// SM80-LABEL: IR after tileas-remove-layout-conversions:
// SM80-LABEL: IR after tileas-remove-buffer-alias:
// SM80-LABEL: IR after tileas-remove-dead-args:
// SM80-LABEL: IR after tileas-resolve-agent-boundary:
// SM80-LABEL: IR after tileas-slicing:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after lower-tma-load-store-to-async:
// SM80-LABEL: IR after tileas-materialize-convert-layout:
// SM80: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] {atom_plan = #nv_tileas.atom_plan<shared_memory>} : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 4, 2), (4, 8), (2, 2), 1), ((1, 512, 8,
// SM80-LABEL: IR after tileas-materialize-async:
// SM80: %[[V0:\w+]] = nv_tileas.alloc_tensor : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
// SM80: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]], %[[V3:\w+]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} :
// SM80: %[[V4:\w+]] = nv_tileas.async.pipeline.create_iterator %[[V1]] : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem,
// SM80: %[[V5:\w+]], %[[V6:\w+]], %[[V7:\w+]] = scf.for %[[V8:\w+]] = %[[V9:\w+]] to %[[V10:\w+]] step %[[V11:\w+]] iter_args(%[[V12:\w+]] = %[[V13:\w+]], %[[V14:\w+]] = %[[V4]], %[[V15:\w+]] = %[[V16:\w+]]) -> (!nv_tileaa.mem_token,
// SM80: %[[V17:\w+]], %[[V18:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V1]], %[[V19:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM80: %[[V20:\w+]] = nv_tileas.async.tiled_load weak %[[V21:\w+]][%[[V22:\w+]], %[[V23:\w+]]] token = %[[V13]] into %[[V24:\w+]] : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4,
// SM80: nv_tileas.async.pipeline.yield %[[V24]], %[[V25:\w+]] : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64,
// SM80: %[[V26:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V2]], %[[V27:\w+]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16,
// SM80: %[[V28:\w+]], %[[V29:\w+]], %[[V30:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V26]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token,
// SM80: %[[V31:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V28]] : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
// SM80-LABEL: IR after tileas-generate-schedule:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V2:\w+]], %[[V3:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM80: %[[V4:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V5:\w+]], %[[V6:\w+]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 3 : i32} :
// SM80: %[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V4]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 4 : i32} : !nv_tileas.async.pipeline.consumer_token
// SM80: %[[V10:\w+]] = nv_tileaa.permute %[[V9]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 5 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM80: %[[V11:\w+]] = nv_tileas.convert_layout %[[V10]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 6 : i32} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (1, 64), swizzle<3, 4,
// SM80: %[[V12:\w+]] = nv_tileas.dot %[[V13:\w+]], %[[V11]], %[[V14:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom mma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 9 : i32} :
// SM80: %[[V15:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V7]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 7 : i32} : !nv_tileas.async.pipeline.consumer_token ->
// SM80: %[[V16:\w+]] = nv_tileas.async.pipeline.inc_iter %[[V3]] {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 1 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16,
// SM80-LABEL: IR after tileas-materialize-schedule:
// SM80-LABEL: IR after tileas-unspecialized-pipeline:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V2:\w+]], %[[V3:\w+]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false,
// SM80: %[[V4:\w+]], %[[V5:\w+]] = scf.if %[[V6:\w+]] -> (i32, i32) {
// SM80: scf.yield %[[V7:\w+]], %[[V8:\w+]] : i32, i32
// SM80: %[[V9:\w+]], %[[V10:\w+]], %[[V11:\w+]], %[[V12:\w+]], %[[V13:\w+]], %[[V14:\w+]] = scf.for %[[V15:\w+]] = %[[V16:\w+]] to %[[V17:\w+]] step %[[V18:\w+]] iter_args(%[[V19:\w+]] = %[[V20:\w+]], %[[V21:\w+]] = %[[V22:\w+]], %[[V23:\w+]] = %[[V6]], %[[V24:\w+]] = %[[V4]], %[[V25:\w+]] = %[[V5]], %[[V26:\w+]] = %[[V27:\w+]]) -> (i32, i32, i1, i32, i32,
// SM80: %[[V28:\w+]] = nv_tileaa.addi %[[V29:\w+]], %[[V30:\w+]] : i32
// SM80: nv_tileas.async.commit_copies
// SM80: nv_tileas.async.wait_copies {pending = 2 : i32}
// SM80: %[[V31:\w+]], %[[V32:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V0]], %[[V33:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM80: %[[V34:\w+]] = nv_tileas.async.tiled_load weak %[[V35:\w+]][%[[V36:\w+]], %[[V37:\w+]]] token = %[[V38:\w+]] into %[[V39:\w+]] : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
// SM80: nv_tileas.async.pipeline.yield %[[V39]], %[[V40:\w+]] : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem,
// SM80-LABEL: IR after tileas-optimize-pipeline-region:
// SM80: %[[V0:\w+]] = nv_tileas.async.pipeline.produce_one %[[V1:\w+]], %[[V2:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM80-LABEL: IR after tileas-remove-buffer-alias:
// SM80-LABEL: IR after tileas-remove-dead-args:
// SM80: %[[V0:\w+]], %[[V1:\w+]], %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]], %[[V7:\w+]] = scf.for %[[V8:\w+]] = %[[V9:\w+]] to %[[V10:\w+]] step %[[V11:\w+]] iter_args(%[[V12:\w+]] = %[[V13:\w+]], %[[V14:\w+]] = %[[V15:\w+]], %[[V16:\w+]] = %[[V17:\w+]], %[[V18:\w+]] = %[[V19:\w+]], %[[V20:\w+]] = %[[V21:\w+]], %[[V22:\w+]] = %[[V23:\w+]], %[[V24:\w+]] = %[[V25:\w+]], %[[V26:\w+]] = %[[V27:\w+]]) ->
// SM80: scf.yield %[[V28:\w+]], %[[V29:\w+]], %[[V30:\w+]], %[[V31:\w+]], %[[V32:\w+]], %[[V33:\w+]], %[[V34:\w+]], %[[V35:\w+]] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 4, 2), (4, 8), (2, 2), 1), ((1, 512, 8, 1024), (2, 64), (2048,
// SM80-LABEL: IR after tileas-resolve-agent-boundary:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after tileas-select-cta-group:
// SM80-LABEL: IR after tileas-overlap-epilogue:
// SM80-LABEL: IR after optimize-execution-unit-mapping:
// SM80-LABEL: IR after lower-ldgsts-load-to-async:
// SM80-LABEL: IR after tileas-attach-tma-desc-args:
// SM80-LABEL: IR after tileas-legalize-tmem-copy:
// SM80-LABEL: IR after tileas-select-lowering:
// SM80: %[[V0:\w+]] = nv_tileas.async.pipeline.produce_one %[[V1:\w+]], %[[V2:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM80: %[[V3:\w+]] = nv_tileas.convert_layout %[[V4:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 6 : i32, nv_tileas.accesses = [#nv_tileas.access<matrices>]} : tensor<64x64xf16,
// SM80-LABEL: IR after tileas-allocate-shared-memory:
// SM80: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 139264 : i32, nv_tileas.smem_alignment = 1024 : i32} {
// SM80: %[[V0:\w+]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
// SM80: %[[V1:\w+]] = nv_tileas.convert_layout %[[V2:\w+]] {nv_tileas.scratch = #nv_tileas.allocation<offset = 131072, size = 8192>, atom_plan = #nv_tileas.atom_plan<shared_memory>} :
// SM80-LABEL: IR after tileas-allocate-tensor-memory:
// SM80: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 139264 : i32, nv_tileas.smem_alignment = 1024 : i32, nv_
// SM80-LABEL: IR after tileas-insert-barriers:
// SM80: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 139264 : i32, nv_tileas.smem_alignment = 1024 : i32, nv_
// SM80: nv_tileas.barrier agent
// SM80-LABEL: IR after convert-tileas-to-llvm:
// SM80: nvvm.cp.async.shared.global %[[V0:\w+]], %[[V1:\w+]], 16, cache = cg, %[[V2:\w+]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
// SM80: nvvm.cp.async.commit.group
// SM80: nvvm.cp.async.wait.group 2
// SM80: nvvm.barrier
// SM80: %[[V3:\w+]] = nvvm.ldmatrix %[[V4:\w+]] {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} :
// SM80: %[[V5:\w+]] = nvvm.mma.sync A[%[[V6:\w+]], %[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]]] B[%[[V10:\w+]], %[[V11:\w+]]] C[%[[V12:\w+]], %[[V13:\w+]], %[[V14:\w+]], %[[V15:\w+]]] {shape = #nvvm.shape<m = 16, n = 8, k = 16>, layoutA = #nvvm.mma_layout<row>, layoutB =

// SM90A-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM90A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM90A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM90A: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f16>
// SM90A: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]] : i32, i32] strides = [%[[V6:\w+]] : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x?xf16,
// SM90A: %[[V7:\w+]] = nv_tileaa.block_tile %[[V8:\w+]] {tileSizes = array<i64: 64, 64>, dimGroups =
// SM90A: %[[V9:\w+]] = nv_tileaa.get_dim_size %[[V8]] {axis = 0 : i32} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> i64
// SM90A: %[[V10:\w+]] = nv_tileaa.trunci %[[V11:\w+]] : i64 to i32
// SM90A: %[[V12:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM90A: %[[V13:\w+]] = nv_tileaa.get_num_programs 0 : i32
// SM90A: %[[V14:\w+]] = nv_tileaa.splat %[[V15:\w+]] : f32 -> tensor<64x64xf32>
// SM90A-LABEL: IR after canonicalize:
// SM90A: %[[V0:\w+]] = nv_tileaa.permute %[[V1:\w+]] {permutation = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
// SM90A-LABEL: IR after tileas-plan-cta:
// SM90A-LABEL: IR after tileas-slice-and-fuse:
// SM90A-LABEL: IR after convert-tileaa-to-tileas:
// SM90A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]]] token = %[[V5:\w+]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<64x64xf16,
// SM90A: %[[V6:\w+]] = nv_tileas.async.dot %[[V0]], %[[V7:\w+]], %[[V8:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
// SM90A: %[[V9:\w+]] = nv_tileas.async.future_wait %[[V6]] : !async.value<tile<64x64xf32>> -> tile<64x64xf32>
// SM90A: %[[V10:\w+]] = nv_tileas.tiled_store weak %[[V11:\w+]], %[[V12:\w+]][%[[V3]], %[[V13:\w+]]] token = %[[V14:\w+]] : tensor<64x64xf16>, !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?,
// SM90A-LABEL: IR after tileas-slicing:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after tileas-plan-tensor-maps:
// SM90A-LABEL: IR after tileas-assign-dot-layouts:
// SM90A: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] : tensor<64x64xf16> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
// SM90A: %[[V2:\w+]] = nv_tileaa.permute %[[V0]] {permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16,
// SM90A: %[[V3:\w+]] = nv_tileas.async.dot %[[V4:\w+]], %[[V2]], %[[V5:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16,
// SM90A-LABEL: IR after tileas-assign-load-store-layouts:
// SM90A: %[[V0:\w+]] = nv_tileaa.splat %[[V1:\w+]] : f32 -> tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
// SM90A: %[[V2:\w+]] = scf.for %[[V3:\w+]] = %[[V4:\w+]] to %[[V5:\w+]] step %[[V6:\w+]] iter_args(%[[V7:\w+]] = %[[V0]]) -> (tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512,
// SM90A: %[[V8:\w+]], %[[V9:\w+]] = nv_tileas.tiled_load weak %[[V10:\w+]][%[[V11:\w+]], %[[V3]]] token = %[[V12:\w+]] {atom = #nv_tileas<atom tma_load_2d>, nv_tileas.layout = <(64, 64), (64, 1), swizzle<3, 4, 3>>,
// SM90A: %[[V13:\w+]] = nv_tileas.convert_layout %[[V14:\w+]] : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM90A: %[[V15:\w+]] = nv_tileas.async.dot %[[V8]], %[[V16:\w+]], %[[V7]] {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64,
// SM90A: %[[V17:\w+]] = nv_tileas.async.future_wait %[[V15]] : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> tile<64x64xf32,
// SM90A: scf.yield %[[V17]] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
// SM90A: %[[V18:\w+]] = nv_tileaa.fp_to_fp %[[V2]] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> to tensor<64x64xf16, #nv_tileas.layout<((2,
// SM90A: %[[V19:\w+]] = nv_tileas.tiled_store weak %[[V18]], %[[V20:\w+]][%[[V11]], %[[V21:\w+]]] token = %[[V22:\w+]] {atom = #nv_tileas<atom tma_store_2d>, nv_tileas.layout = <(64, 64), (64, 1), swizzle<3, 4, 3>>} :
// SM90A-LABEL: IR after tileas-remove-layout-conversions:
// SM90A-LABEL: IR after tileas-remove-buffer-alias:
// SM90A-LABEL: IR after tileas-remove-dead-args:
// SM90A-LABEL: IR after tileas-resolve-agent-boundary:
// SM90A-LABEL: IR after tileas-slicing:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after lower-tma-load-store-to-async:
// SM90A: %[[V0:\w+]] = nv_tileas.make_tiled_tma_desc %[[V1:\w+]][%[[V2:\w+]], %[[V3:\w+]]] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>,
// SM90A: %[[V4:\w+]] = nv_tileas.alloc_tensor : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
// SM90A: %[[V5:\w+]] = nv_tileas.async.tiled_tma_load %[[V0]], %[[V4]][%[[V6:\w+]], %[[V7:\w+]]], %[[V8:\w+]] {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc,
// SM90A: %[[V9:\w+]] = nv_tileas.async.future_wait %[[V5]] : !async.value<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> tile<64x64xf16,
// SM90A: %[[V10:\w+]] = nv_tileas.copy %[[V11:\w+]] into %[[V12:\w+]] : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into tensor<64x64xf16,
// SM90A: nv_tileas.fence acq_rel tl_blk
// SM90A: %[[V13:\w+]] = nv_tileas.async.token_to_async %[[V14:\w+]] : !nv_tileaa.mem_token -> !nv_tileas.async_token
// SM90A: nv_tileas.async.wait %[[V13]] : !nv_tileas.async_token
// SM90A: %[[V15:\w+]] = nv_tileas.async.tiled_tma_store %[[V16:\w+]], %[[V10]][%[[V17:\w+]], %[[V18:\w+]]] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 2 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem,
// SM90A-LABEL: IR after tileas-materialize-convert-layout:
// SM90A-LABEL: IR after tileas-materialize-async:
// SM90A: %[[V0:\w+]] = nv_tileas.alloc_tensor : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
// SM90A: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]], %[[V3:\w+]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} :
// SM90A: %[[V4:\w+]] = nv_tileas.async.pipeline.create_iterator %[[V1]] : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem,
// SM90A: %[[V5:\w+]] = nv_tileas.create_none : !nv_tileas.async_token
// SM90A: %[[V6:\w+]], %[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]] = scf.for %[[V10:\w+]] = %[[V11:\w+]] to %[[V12:\w+]] step %[[V13:\w+]] iter_args(%[[V14:\w+]] = %[[V15:\w+]], %[[V16:\w+]] = %[[V4]], %[[V17:\w+]] = %[[V18:\w+]], %[[V19:\w+]] = %[[V5]]) -> (!nv_tileaa.mem_token,
// SM90A: %[[V20:\w+]] = nv_tileas.async.pipeline.create_null_token : !nv_tileas.async.pipeline.consumer_token
// SM90A: %[[V21:\w+]] = nv_tileas.async.to_async %[[V22:\w+]] : tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32,
// SM90A: %[[V23:\w+]], %[[V24:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V1]], %[[V25:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM90A: nv_tileas.async.pipeline.yield %[[V26:\w+]], %[[V27:\w+]] : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64,
// SM90A: %[[V28:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V2]], %[[V29:\w+]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16,
// SM90A-LABEL: IR after tileas-generate-schedule:
// SM90A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V2:\w+]], %[[V3:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM90A: %[[V4:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V5:\w+]], %[[V6:\w+]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 19 : i32} :
// SM90A: %[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V4]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 20 : i32} : !nv_tileas.async.pipeline.consumer_token
// SM90A: %[[V10:\w+]] = nv_tileaa.permute %[[V9]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 21 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM90A: %[[V11:\w+]] = nv_tileas.async.dot %[[V8]], %[[V10]], %[[V12:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 22
// SM90A: %[[V13:\w+]] = nv_tileas.async.pipeline.inc_iter %[[V3]] {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 17 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16,
// SM90A: nv_tileas.async.wait %[[V12]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 23 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1),
// SM90A: %[[V14:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V15:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 24 : i32} : !nv_tileas.async.pipeline.consumer_token ->
// SM90A-LABEL: IR after tileas-materialize-schedule:
// SM90A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>} {
// SM90A: %[[V0:\w+]], %[[V1:\w+]], %[[V2:\w+]] = scf.for %[[V3:\w+]] = %[[V4:\w+]] to %[[V5:\w+]] step %[[V6:\w+]] iter_args(%[[V7:\w+]] = %[[V8:\w+]], %[[V9:\w+]] = %[[V10:\w+]], %[[V11:\w+]] = %[[V12:\w+]]) -> (!nv_tileaa.mem_token,
// SM90A: scf.yield %[[V13:\w+]], %[[V14:\w+]], %[[V15:\w+]] : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>>,
// SM90A: nv_tileas.async.pipeline.yield
// SM90A: %[[V16:\w+]] = nv_tileaa.addi %[[V17:\w+]], %[[V18:\w+]] : i32
// SM90A-LABEL: IR after tileas-unspecialized-pipeline:
// SM90A-LABEL: IR after tileas-optimize-pipeline-region:
// SM90A: %[[V0:\w+]] = nv_tileas.async.pipeline.produce_one %[[V1:\w+]], %[[V2:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM90A-LABEL: IR after tileas-remove-buffer-alias:
// SM90A-LABEL: IR after tileas-remove-dead-args:
// SM90A-LABEL: IR after tileas-resolve-agent-boundary:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after tileas-select-cta-group:
// SM90A-LABEL: IR after tileas-overlap-epilogue:
// SM90A-LABEL: IR after optimize-execution-unit-mapping:
// SM90A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32} {
// SM90A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>, agent_strides =
// SM90A-LABEL: IR after lower-ldgsts-load-to-async:
// SM90A-LABEL: IR after tileas-attach-tma-desc-args:
// SM90A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.
// SM90A-LABEL: IR after tileas-legalize-tmem-copy:
// SM90A-LABEL: IR after tileas-select-lowering:
// SM90A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM90A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>, agent_strides =
// SM90A: %[[V1:\w+]] = nv_tileas.copy %[[V2:\w+]] into %[[V3:\w+]] {nv_tileas.accesses = [#nv_tileas.access<matrices>]} : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64),
// SM90A: %[[V4:\w+]] = nv_tileas.async.token_to_async %[[V5:\w+]] : !nv_tileaa.mem_token -> !nv_tileas.async_token
// SM90A: %[[V6:\w+]] = nv_tileas.async.tiled_tma_store %[[V7:\w+]], %[[V1]][%[[V8:\w+]], %[[V9:\w+]]] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 2 : i32, nv_tileas.issuer =
// SM90A: %[[V10:\w+]] = nv_tileas.async.pipeline.produce_one %[[V11:\w+]], %[[V12:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM90A: %[[V13:\w+]] = nv_tileas.async.tiled_tma_load %[[V14:\w+]], %[[V15:\w+]][%[[V16:\w+]], %[[V17:\w+]]], %[[V18:\w+]] {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 8192 : i32, nv_tileas.issuer =
// SM90A-LABEL: IR after tileas-allocate-shared-memory:
// SM90A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.
// SM90A: %[[V0:\w+]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
// SM90A: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]], %[[V3:\w+]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false,
// SM90A-LABEL: IR after tileas-allocate-tensor-memory:
// SM90A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.
// SM90A-LABEL: IR after tileas-insert-barriers:
// SM90A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.
// SM90A: nv_tileas.barrier agent
// SM90A: nv_tileas.fence_proxy async_shared
// SM90A-LABEL: IR after convert-tileas-to-llvm:
// SM90A: nvvm.prefetch tensormap, %[[V0:\w+]] : !llvm.ptr
// SM90A: nvvm.mbarrier.init %[[V1:\w+]], %[[V2:\w+]] : !llvm.ptr<3>, i32
// SM90A: nvvm.fence.mbarrier.init
// SM90A: nvvm.barrier
// SM90A: %[[V3:\w+]] = nvvm.shfl.sync idx %[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]], %[[V7:\w+]] : i32 -> i32
// SM90A: nvvm.setmaxregister decrease 240
// SM90A: nvvm.mbarrier.try_wait.parity %[[V8:\w+]], %[[V9:\w+]], %[[V10:\w+]] : !llvm.ptr<3>, i32, i32
// SM90A: nvvm.wgmma.fence.aligned
// SM90A: %[[V11:\w+]] = nvvm.wgmma.mma_async %[[V12:\w+]], %[[V13:\w+]], %[[V14:\w+]], <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32,
// SM90A: nvvm.wgmma.commit.group.sync.aligned

// SM100A-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM100A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM100A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM100A: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f16>
// SM100A: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]] : i32, i32] strides = [%[[V6:\w+]] : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x?xf16,
// SM100A: %[[V7:\w+]] = nv_tileaa.block_tile %[[V8:\w+]] {tileSizes = array<i64: 64, 64>, dimGroups =
// SM100A: %[[V9:\w+]] = nv_tileaa.get_dim_size %[[V8]] {axis = 0 : i32} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> i64
// SM100A: %[[V10:\w+]] = nv_tileaa.trunci %[[V11:\w+]] : i64 to i32
// SM100A: %[[V12:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM100A: %[[V13:\w+]] = nv_tileaa.get_num_programs 0 : i32
// SM100A: %[[V14:\w+]] = nv_tileaa.splat %[[V15:\w+]] : f32 -> tensor<64x64xf32>
// SM100A-LABEL: IR after canonicalize:
// SM100A: %[[V0:\w+]] = nv_tileaa.permute %[[V1:\w+]] {permutation = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
// SM100A-LABEL: IR after tileas-plan-cta:
// SM100A-LABEL: IR after tileas-slice-and-fuse:
// SM100A-LABEL: IR after convert-tileaa-to-tileas:
// SM100A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]]] token = %[[V5:\w+]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<64x64xf16,
// SM100A: %[[V6:\w+]] = nv_tileas.async.dot %[[V0]], %[[V7:\w+]], %[[V8:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
// SM100A: %[[V9:\w+]] = nv_tileas.async.future_wait %[[V6]] : !async.value<tile<64x64xf32>> -> tile<64x64xf32>
// SM100A: %[[V10:\w+]] = nv_tileas.tiled_store weak %[[V11:\w+]], %[[V12:\w+]][%[[V3]], %[[V13:\w+]]] token = %[[V14:\w+]] : tensor<64x64xf16>, !nv_tileaa.tiled_view<64x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?,
// SM100A-LABEL: IR after tileas-slicing:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after tileas-plan-tensor-maps:
// SM100A-LABEL: IR after tileas-assign-dot-layouts:
// SM100A: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] : tensor<64x64xf16> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
// SM100A: %[[V2:\w+]] = nv_tileaa.permute %[[V0]] {permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16,
// SM100A: %[[V3:\w+]] = nv_tileas.async.dot %[[V4:\w+]], %[[V2]], %[[V5:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16,
// SM100A-LABEL: IR after tileas-assign-load-store-layouts:
// SM100A: %[[V0:\w+]] = nv_tileaa.splat %[[V1:\w+]] : f32 -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
// SM100A: %[[V2:\w+]] = scf.for %[[V3:\w+]] = %[[V4:\w+]] to %[[V5:\w+]] step %[[V6:\w+]] iter_args(%[[V7:\w+]] = %[[V0]]) -> (tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1,
// SM100A: %[[V8:\w+]], %[[V9:\w+]] = nv_tileas.tiled_load weak %[[V10:\w+]][%[[V11:\w+]], %[[V3]]] token = %[[V12:\w+]] {atom = #nv_tileas<atom tma_load_2d>, nv_tileas.layout = <(64, 64), (64, 1), swizzle<3, 4, 3>>,
// SM100A: %[[V13:\w+]] = nv_tileas.convert_layout %[[V14:\w+]] : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM100A: %[[V15:\w+]] = nv_tileas.async.dot %[[V8]], %[[V16:\w+]], %[[V7]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM100A: %[[V17:\w+]] = nv_tileas.async.future_wait %[[V15]] : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>> -> tile<64x64xf32,
// SM100A: scf.yield %[[V17]] : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
// SM100A: %[[V18:\w+]] = nv_tileaa.fp_to_fp %[[V2]] : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> to tensor<64x64xf16, #nv_tileas.layout<(32, (2, 2,
// SM100A: %[[V19:\w+]] = nv_tileas.tiled_store weak %[[V20:\w+]], %[[V21:\w+]][%[[V11]], %[[V22:\w+]]] token = %[[V23:\w+]] {atom = #nv_tileas<atom tma_store_2d>, nv_tileas.layout = <(64, 64), (64, 1), swizzle<3, 4, 3>>} :
// SM100A-LABEL: IR after tileas-remove-layout-conversions:
// SM100A-LABEL: IR after tileas-remove-buffer-alias:
// SM100A-LABEL: IR after tileas-remove-dead-args:
// SM100A-LABEL: IR after tileas-resolve-agent-boundary:
// SM100A-LABEL: IR after tileas-slicing:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after lower-tma-load-store-to-async:
// SM100A: %[[V0:\w+]] = nv_tileas.make_tiled_tma_desc %[[V1:\w+]][%[[V2:\w+]], %[[V3:\w+]]] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>,
// SM100A: %[[V4:\w+]] = nv_tileas.alloc_tensor : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
// SM100A: %[[V5:\w+]] = nv_tileas.async.tiled_tma_load %[[V0]], %[[V4]][%[[V6:\w+]], %[[V7:\w+]]], %[[V8:\w+]] {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc,
// SM100A: %[[V9:\w+]] = nv_tileas.async.future_wait %[[V5]] : !async.value<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>> -> tile<64x64xf16,
// SM100A: %[[V10:\w+]] = nv_tileas.copy %[[V11:\w+]] into %[[V12:\w+]] : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> into tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM100A: nv_tileas.fence acq_rel tl_blk
// SM100A: %[[V13:\w+]] = nv_tileas.async.token_to_async %[[V14:\w+]] : !nv_tileaa.mem_token -> !nv_tileas.async_token
// SM100A: nv_tileas.async.wait %[[V13]] : !nv_tileas.async_token
// SM100A: %[[V15:\w+]] = nv_tileas.async.tiled_tma_store %[[V16:\w+]], %[[V10]][%[[V17:\w+]], %[[V18:\w+]]] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 2 : i32} : !nv_tileas.tma_desc, tile<64x64xf16, #nv_tileas.memory<smem,
// SM100A-LABEL: IR after tileas-materialize-convert-layout:
// SM100A: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] {atom_plan = #nv_tileas.atom_plan<shared_memory>} : tensor<64x64xf16, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
// SM100A-LABEL: IR after tileas-materialize-async:
// SM100A: %[[V0:\w+]] = nv_tileas.alloc_tensor : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
// SM100A: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]], %[[V3:\w+]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} :
// SM100A: %[[V4:\w+]] = nv_tileas.async.pipeline.create_iterator %[[V1]] : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<64x64xf16, #nv_tileas.memory<smem,
// SM100A: %[[V5:\w+]] = nv_tileas.create_none : !nv_tileas.async_token
// SM100A: %[[V6:\w+]], %[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]] = scf.for %[[V10:\w+]] = %[[V11:\w+]] to %[[V12:\w+]] step %[[V13:\w+]] iter_args(%[[V14:\w+]] = %[[V15:\w+]], %[[V16:\w+]] = %[[V4]], %[[V17:\w+]] = %[[V18:\w+]], %[[V19:\w+]] = %[[V5]]) -> (!nv_tileaa.mem_token,
// SM100A: %[[V20:\w+]] = nv_tileas.async.to_async %[[V21:\w+]] : tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> !async.value<tile<64x64xf32,
// SM100A: %[[V22:\w+]], %[[V23:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V1]], %[[V24:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM100A: nv_tileas.async.pipeline.yield %[[V25:\w+]], %[[V26:\w+]] : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16, #nv_tileas.memory<smem, <(64,
// SM100A: %[[V27:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V2]], %[[V28:\w+]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf16,
// SM100A: %[[V29:\w+]], %[[V30:\w+]], %[[V31:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V27]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token,
// SM100A-LABEL: IR after tileas-generate-schedule:
// SM100A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V2:\w+]], %[[V3:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM100A: %[[V4:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V5:\w+]], %[[V6:\w+]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 21 : i32} :
// SM100A: %[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V4]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 22 : i32} : !nv_tileas.async.pipeline.consumer_token
// SM100A: %[[V10:\w+]] = nv_tileaa.permute %[[V9]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 23 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM100A: %[[V11:\w+]] = nv_tileas.async.dot %[[V8]], %[[V10]], %[[V12:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 24
// SM100A: nv_tileas.async.wait %[[V11]] {nv_tile.aws.stage = 3 : i32, nv_tile.aws.order = 19 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1,
// SM100A: %[[V13:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V7]] {nv_tile.aws.stage = 3 : i32, nv_tile.aws.order = 20 : i32} : !nv_tileas.async.pipeline.consumer_token ->
// SM100A: %[[V14:\w+]] = nv_tileas.async.pipeline.inc_iter %[[V3]] {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 17 : i32} : !nv_tileas.async.pipeline.iterator<tile<64x64xf16,
// SM100A-LABEL: IR after tileas-materialize-schedule:
// SM100A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>} {
// SM100A: %[[V0:\w+]], %[[V1:\w+]], %[[V2:\w+]] = scf.for %[[V3:\w+]] = %[[V4:\w+]] to %[[V5:\w+]] step %[[V6:\w+]] iter_args(%[[V7:\w+]] = %[[V8:\w+]], %[[V9:\w+]] = %[[V10:\w+]], %[[V11:\w+]] = %[[V12:\w+]]) -> (!nv_tileaa.mem_token,
// SM100A: scf.yield %[[V13:\w+]], %[[V14:\w+]] : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>,
// SM100A: nv_tileas.async.pipeline.yield
// SM100A: %[[V15:\w+]] = nv_tileaa.addi %[[V16:\w+]], %[[V17:\w+]] : i32
// SM100A-LABEL: IR after tileas-unspecialized-pipeline:
// SM100A-LABEL: IR after tileas-optimize-pipeline-region:
// SM100A: %[[V0:\w+]] = nv_tileas.async.pipeline.produce_one %[[V1:\w+]], %[[V2:\w+]] {producer_types = [tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, tile<64x64xf16,
// SM100A-LABEL: IR after tileas-remove-buffer-alias:
// SM100A-LABEL: IR after tileas-remove-dead-args:
// SM100A-LABEL: IR after tileas-resolve-agent-boundary:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after tileas-select-cta-group:
// SM100A-LABEL: IR after tileas-overlap-epilogue:
// SM100A: %[[V0:\w+]] = nv_tileas.alloc_tensor : tensor<2x64x64xf32, #nv_tileas.memory<tmem>>
// SM100A: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]] {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = false, dynamic = false} :
// SM100A: %[[V3:\w+]] = nv_tileas.async.pipeline.create_iterator %[[V1]] : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<64x64xf32, #nv_tileas.memory<tmem>>>
// SM100A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1, 1>, nv_tileas.accumulators = 2 : i32} {
// SM100A: %[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]] = scf.for %[[V7:\w+]] = %[[V8:\w+]] to %[[V9:\w+]] step %[[V10:\w+]] iter_args(%[[V11:\w+]] = %[[V12:\w+]], %[[V13:\w+]] = %[[V14:\w+]], %[[V15:\w+]] = %[[V16:\w+]]) -> (!nv_tileaa.mem_token, !nv_tileas.async_token,
// SM100A: %[[V17:\w+]], %[[V18:\w+]] = scf.if %[[V19:\w+]] -> (!nv_tileas.async.pipeline.iterator<tile<64x64xf32, #nv_tileas.memory<tmem>>>, tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64),
// SM100A: %[[V20:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V2]], %[[V15]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<64x64xf32,
// SM100A: %[[V21:\w+]], %[[V22:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V20]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token,
// SM100A: %[[V23:\w+]] = nv_tileas.copy %[[V22]] : tensor<64x64xf32, #nv_tileas.memory<tmem>> -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
// SM100A: %[[V24:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V21]] : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
// SM100A-LABEL: IR after optimize-execution-unit-mapping:
// SM100A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32} {
// SM100A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1, 1>, warp_id = array<i32: 0, 4, 5>, agent_strides =
// SM100A-LABEL: IR after lower-ldgsts-load-to-async:
// SM100A-LABEL: IR after tileas-attach-tma-desc-args:
// SM100A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.
// SM100A-LABEL: IR after tileas-legalize-tmem-copy:
// SM100A: %[[V0:\w+]] = nv_tileas.copy %[[V1:\w+]] {atom = #nv_tileas<atom tmem_load_16x64b_x32>} : tensor<64x64xf32, #nv_tileas.memory<tmem>> -> tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4,
// SM100A-LABEL: IR after tileas-select-lowering:
// SM100A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM100A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1, 1>, warp_id = array<i32: 0, 4, 5>, agent_strides =
// SM100A: %[[V1:\w+]] = nv_tileas.copy %[[V2:\w+]] into %[[V3:\w+]] {nv_tileas.accesses = [#nv_tileas.access<vectors>]} : tensor<64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> into
// SM100A: %[[V4:\w+]] = nv_tileas.async.token_to_async %[[V5:\w+]] : !nv_tileaa.mem_token -> !nv_tileas.async_token
// SM100A: %[[V6:\w+]] = nv_tileas.async.tiled_tma_store %[[V7:\w+]], %[[V1]][%[[V8:\w+]], %[[V9:\w+]]] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 2 : i32, nv_tileas.issuer =
// SM100A: %[[V10:\w+]] = nv_tileas.async.to_async %[[V11:\w+]] {nv_tileas.issuer = #nv_tileas.issuer<only_thread>} : tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64),
// SM100A: %[[V12:\w+]] = nv_tileas.async.dot %[[V13:\w+]], %[[V14:\w+]], %[[V15:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 24
// SM100A: nv_tileas.async.wait %[[V12]] {nv_tile.aws.stage = 3 : i32, nv_tile.aws.order = 19 : i32, nv_tileas.issuer = #nv_tileas.issuer<only_thread>} : !async.value<tile<64x64xf32,
// SM100A: %[[V16:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V17:\w+]] {nv_tile.aws.stage = 3 : i32, nv_tile.aws.order = 20 : i32, nv_tileas.issuer = #nv_tileas.issuer<only_thread>} :
// SM100A: %[[V18:\w+]] = nv_tileas.async.pipeline.producer_write %[[V19:\w+]], %[[V20:\w+]] {nv_tileas.issuer = #nv_tileas.issuer<only_thread>} : !nv_tileas.async.pipeline.producer_token,
// SM100A-LABEL: IR after tileas-allocate-shared-memory:
// SM100A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.
// SM100A: %[[V0:\w+]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x64x64xf16, #nv_tileas.memory<smem>>
// SM100A: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]], %[[V3:\w+]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false,
// SM100A: %[[V4:\w+]] = nv_tileas.convert_layout %[[V5:\w+]] {nv_tileas.scratch = #nv_tileas.allocation<offset = 139264, size = 8192>, atom_plan = #nv_tileas.atom_plan<shared_memory>} :
// SM100A-LABEL: IR after tileas-allocate-tensor-memory:
// SM100A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.
// SM100A: %[[V0:\w+]] = nv_tileas.alloc_tensor {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 128>} : tensor<2x64x64xf32, #nv_tileas.memory<tmem>>
// SM100A: %[[V1:\w+]] = nv_tileas.async.to_async %[[V2:\w+]] {nv_tileas.issuer = #nv_tileas.issuer<only_thread>, nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 128>} :
// SM100A-LABEL: IR after tileas-insert-barriers:
// SM100A: nv_tileaa.func @persistent_matmul_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 3 : i32, "nv_tileas.
// SM100A: nv_tileas.fence_tmem after
// SM100A: nv_tileas.fence_proxy async_shared
// SM100A: nv_tileas.barrier agent
// SM100A-LABEL: IR after convert-tileas-to-llvm:
// SM100A: nvvm.prefetch tensormap, %[[V0:\w+]] : !llvm.ptr
// SM100A: nvvm.mbarrier.init %[[V1:\w+]], %[[V2:\w+]] : !llvm.ptr<3>, i32
// SM100A: nvvm.fence.mbarrier.init
// SM100A: nvvm.barrier
// SM100A: %[[V3:\w+]] = nvvm.shfl.sync idx %[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]], %[[V7:\w+]] : i32 -> i32
// SM100A: nvvm.tcgen05.alloc %[[V8:\w+]], %[[V9:\w+]] : !llvm.ptr<3>, i32
// SM100A: nvvm.tcgen05.relinquish_alloc_permit
// SM100A: nvvm.setmaxregister decrease 240
// SM100A: nvvm.mbarrier.try_wait.parity %[[V10:\w+]], %[[V11:\w+]], %[[V12:\w+]] : !llvm.ptr<3>, i32, i32
// SM100A: nvvm.tcgen05.fence <after>
