// Written by `python -m tests.pipeline_checks`: what each pass makes of a real kernel.
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/divisible/attention_warpgroup.mlir -p 'tileir-pipeline{gpu=sm_80}' --print-between-passes | filecheck %s --check-prefix=SM80
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/divisible/attention_warpgroup.mlir -p 'tileir-pipeline{gpu=sm_90a}' --print-between-passes | filecheck %s --check-prefix=SM90A
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/divisible/attention_warpgroup.mlir -p 'tileir-pipeline{gpu=sm_100a}' --print-between-passes | filecheck %s --check-prefix=SM100A

// SM80-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM80: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM80: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM80: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f16>
// SM80: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]] : i32, i32, i32] strides = [%[[V7:\w+]], %[[V8:\w+]] : i32, i32] :
// SM80: %[[V9:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM80: %[[V10:\w+]] = nv_tileaa.block_tile %[[V3]] {tileSizes = array<i64: 1, 64, 64>, dimGroups =
// SM80: %[[V11:\w+]], %[[V12:\w+]] = nv_tileaa.tiled_load weak %[[V10]][%[[V13:\w+]], %[[V9]], %[[V14:\w+]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<1x64x64xf16,
// SM80: %[[V15:\w+]] = nv_tileaa.view %[[V11]] : tensor<1x64x64xf16> -> tensor<64x64xf16>
// SM80: %[[V16:\w+]] = nv_tileaa.splat %[[V17:\w+]] : f32 -> tensor<64x1xf32>
// SM80: %[[V18:\w+]] = nv_tileaa.make_range %[[V19:\w+]], %[[V20:\w+]] : i32 -> tensor<64xi32>
// SM80-LABEL: IR after canonicalize:
// SM80-LABEL: IR after tileas-plan-cta:
// SM80-LABEL: IR after tileas-slice-and-fuse:
// SM80-LABEL: IR after convert-tileaa-to-tileas:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]]] token = %[[V6:\w+]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<1x64x64xf16,
// SM80: %[[V7:\w+]] = nv_tileas.view %[[V0]] : tensor<1x64x64xf16> to tensor<64x64xf16>
// SM80: %[[V8:\w+]] = nv_tileas.alloc_tensor : tensor<64x64xf32>
// SM80: %[[V9:\w+]] = nv_tileas.insert_slice %[[V10:\w+]] into %[[V8]][0, 0][64, 64][1, 1] : tensor<64x64xf32> into tensor<64x64xf32>
// SM80: %[[V11:\w+]] = nv_tileaa.splat %[[V12:\w+]] : f32 -> tensor<64x64xf32>
// SM80: %[[V13:\w+]] = nv_tileas.dot %[[V7]], %[[V14:\w+]], %[[V9]] {input_precision = "tf32", atom = #nv_tileas<atom mma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> ->
// SM80: %[[V15:\w+]] = nv_tileas.reduce %[[V16:\w+]] {axis = 1 : i32} : tensor<64x64xf32> -> tensor<64xf32> {
// SM80: nv_tileas.yield %[[V17:\w+]] : f32
// SM80: %[[V18:\w+]] = nv_tileas.tiled_store weak %[[V19:\w+]], %[[V20:\w+]][%[[V3]], %[[V4]], %[[V21:\w+]]] token = %[[V6]] : tensor<1x64x64xf16>, !nv_tileaa.tiled_view<1x64x64xf16,
// SM80-LABEL: IR after tileas-slicing:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after tileas-plan-tensor-maps:
// SM80-LABEL: IR after tileas-assign-dot-layouts:
// SM80: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] : tensor<1x64x64xf16> -> tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
// SM80: %[[V2:\w+]] = nv_tileas.view %[[V0]] : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM80: %[[V3:\w+]] = nv_tileaa.permute %[[V4:\w+]] {permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16,
// SM80-LABEL: IR after tileas-assign-load-store-layouts:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]]] token = %[[V6:\w+]] {atom = #nv_tileas<atom ldgsts_128>, nv_tileas.layout = <(1, 64, 64), (4096, 64, 1),
// SM80: %[[V7:\w+]] = nv_tileas.convert_layout %[[V0]] : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> -> tensor<1x64x64xf16,
// SM80: %[[V8:\w+]] = nv_tileaa.splat %[[V9:\w+]] : f32 -> tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
// SM80: %[[V10:\w+]] = nv_tileas.alloc_tensor : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
// SM80: %[[V11:\w+]] = nv_tileas.insert_slice %[[V12:\w+]] into %[[V10]][0, 0][64, 64][1, 1] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into
// SM80: %[[V13:\w+]] = nv_tileaa.make_range %[[V14:\w+]], %[[V15:\w+]] : i32 -> tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>>
// SM80: %[[V16:\w+]], %[[V17:\w+]], %[[V18:\w+]] = scf.for %[[V19:\w+]] = %[[V20:\w+]] to %[[V21:\w+]] step %[[V22:\w+]] iter_args(%[[V23:\w+]] = %[[V24:\w+]], %[[V25:\w+]] = %[[V8]], %[[V26:\w+]] = %[[V27:\w+]]) -> (tensor<64x64xf32,
// SM80: %[[V28:\w+]] = nv_tileas.dot %[[V29:\w+]], %[[V30:\w+]], %[[V11]] {input_precision = "tf32", atom = #nv_tileas<atom mma_f16_f16_f32>} : tile<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512,
// SM80: %[[V31:\w+]] = nv_tileaa.mulf %[[V28]], %[[V32:\w+]] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
// SM80: %[[V33:\w+]] = nv_tileaa.addi %[[V34:\w+]], %[[V13]] : tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>>
// SM80-LABEL: IR after tileas-remove-layout-conversions:
// SM80-LABEL: IR after tileas-remove-buffer-alias:
// SM80-LABEL: IR after tileas-remove-dead-args:
// SM80-LABEL: IR after tileas-resolve-agent-boundary:
// SM80-LABEL: IR after tileas-slicing:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after lower-tma-load-store-to-async:
// SM80-LABEL: IR after tileas-materialize-convert-layout:
// SM80: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] {atom_plan = #nv_tileas.atom_plan<shared_memory>} : tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64),
// SM80-LABEL: IR after tileas-materialize-async:
// SM80: %[[V0:\w+]] = nv_tileas.alloc_tensor : tensor<8x1x64x64xf16, #nv_tileas.memory<smem>>
// SM80: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} :
// SM80: %[[V3:\w+]] = nv_tileas.async.pipeline.create_iterator %[[V1]] : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem,
// SM80: %[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]], %[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]], %[[V10:\w+]] = scf.for %[[V11:\w+]] = %[[V12:\w+]] to %[[V13:\w+]] step %[[V14:\w+]] iter_args(%[[V15:\w+]] = %[[V16:\w+]], %[[V17:\w+]] = %[[V18:\w+]], %[[V19:\w+]] = %[[V20:\w+]], %[[V21:\w+]] = %[[V22:\w+]], %[[V23:\w+]] = %[[V24:\w+]], %[[V25:\w+]] = %[[V3]],
// SM80: %[[V26:\w+]], %[[V27:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V28:\w+]], %[[V21]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>]} :
// SM80: %[[V29:\w+]] = nv_tileas.async.tiled_load weak %[[V30:\w+]][%[[V31:\w+]], %[[V11]], %[[V32:\w+]]] token = %[[V33:\w+]] into %[[V34:\w+]] : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64),
// SM80: nv_tileas.async.pipeline.yield %[[V34]] : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
// SM80: %[[V35:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V36:\w+]], %[[V23]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16,
// SM80: %[[V37:\w+]], %[[V38:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V35]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token,
// SM80: %[[V39:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V37]] : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
// SM80-LABEL: IR after tileas-generate-schedule:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V2:\w+]], %[[V3:\w+]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>],
// SM80: %[[V4:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V5:\w+]], %[[V6:\w+]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 31 : i32} :
// SM80: %[[V7:\w+]], %[[V8:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V4]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 32 : i32} : !nv_tileas.async.pipeline.consumer_token
// SM80: %[[V9:\w+]] = nv_tileas.view %[[V10:\w+]] {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 1 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4,
// SM80: %[[V11:\w+]] = nv_tileas.convert_layout %[[V9]] {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 2 : i32} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3,
// SM80: %[[V12:\w+]] = nv_tileaa.permute %[[V13:\w+]] {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 34 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem,
// SM80: %[[V14:\w+]] = nv_tileas.dot %[[V11]], %[[V15:\w+]], %[[V16:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom mma_f16_f16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 37 : i32} :
// SM80: %[[V17:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V7]] {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 36 : i32} : !nv_tileas.async.pipeline.consumer_token ->
// SM80: %[[V18:\w+]] = nv_tileaa.mulf %[[V14]], %[[V19:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 21 : i32} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2,
// SM80: %[[V20:\w+]] = nv_tileaa.splat %[[V21:\w+]] {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 4 : i32} : i32 -> tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>>
// SM80-LABEL: IR after tileas-materialize-schedule:
// SM80-LABEL: IR after tileas-unspecialized-pipeline:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V2:\w+]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false,
// SM80: %[[V3:\w+]], %[[V4:\w+]] = scf.for %[[V5:\w+]] = %[[V6:\w+]] to %[[V7:\w+]] step %[[V8:\w+]] iter_args(%[[V9:\w+]] = %[[V10:\w+]], %[[V11:\w+]] = %[[V12:\w+]]) -> (!nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64,
// SM80: nv_tileas.async.commit_copies
// SM80: scf.yield %[[V13:\w+]], %[[V14:\w+]] : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>>,
// SM80: scf.if %[[V15:\w+]] {
// SM80: nv_tileas.async.wait_copies {pending = 0 : i32}
// SM80: %[[V16:\w+]], %[[V17:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V18:\w+]], %[[V19:\w+]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>],
// SM80: %[[V20:\w+]] = nv_tileas.async.tiled_load weak %[[V21:\w+]][%[[V22:\w+]], %[[V23:\w+]], %[[V24:\w+]]] token = %[[V25:\w+]] into %[[V26:\w+]] : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096,
// SM80: nv_tileas.async.pipeline.yield %[[V26]] : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
// SM80: %[[V27:\w+]] = nv_tileas.async.pipeline.inc_iter %[[V19]] {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 6 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16,
// SM80-LABEL: IR after tileas-optimize-pipeline-region:
// SM80: %[[V0:\w+]] = nv_tileas.async.pipeline.produce_one %[[V1:\w+]], %[[V2:\w+]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>],
// SM80-LABEL: IR after tileas-remove-buffer-alias:
// SM80-LABEL: IR after tileas-remove-dead-args:
// SM80: %[[V0:\w+]], %[[V1:\w+]], %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]] = scf.for %[[V7:\w+]] = %[[V8:\w+]] to %[[V9:\w+]] step %[[V10:\w+]] iter_args(%[[V11:\w+]] = %[[V12:\w+]], %[[V13:\w+]] = %[[V14:\w+]], %[[V15:\w+]] = %[[V16:\w+]], %[[V17:\w+]] = %[[V18:\w+]], %[[V19:\w+]] = %[[V20:\w+]], %[[V21:\w+]] = %[[V22:\w+]],
// SM80: scf.yield %[[V23:\w+]], %[[V24:\w+]], %[[V25:\w+]], %[[V26:\w+]], %[[V27:\w+]], %[[V28:\w+]], %[[V29:\w+]] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tensor<64x1xf32,
// SM80-LABEL: IR after tileas-resolve-agent-boundary:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after tileas-select-cta-group:
// SM80-LABEL: IR after tileas-overlap-epilogue:
// SM80-LABEL: IR after optimize-execution-unit-mapping:
// SM80-LABEL: IR after lower-ldgsts-load-to-async:
// SM80: %[[V0:\w+]] = nv_tileas.alloc_tensor : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
// SM80: %[[V1:\w+]] = nv_tileas.async.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]]] token = %[[V6:\w+]] into %[[V0]] : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64),
// SM80: %[[V7:\w+]] = nv_tileas.async.future_wait %[[V1]] : !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> tile<1x64x64xf16,
// SM80-LABEL: IR after tileas-attach-tma-desc-args:
// SM80-LABEL: IR after tileas-legalize-tmem-copy:
// SM80-LABEL: IR after tileas-select-lowering:
// SM80: %[[V0:\w+]] = nv_tileas.generate : tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>> {
// SM80: nv_tileas.yield %[[V1:\w+]] : i32
// SM80: %[[V2:\w+]] = nv_tileas.async.pipeline.produce_one %[[V3:\w+]], %[[V4:\w+]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>],
// SM80: %[[V5:\w+]] = nv_tileas.convert_layout %[[V6:\w+]] {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 2 : i32, nv_tileas.accesses = [#nv_tileas.access<matrices>]} : tensor<64x64xf16,
// SM80: %[[V7:\w+]] = nv_tileas.reduce %[[V8:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 23 : i32, axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<4>} : tensor<64x64xf32,
// SM80: %[[V9:\w+]] = nv_tileaa.exp2 %[[V10:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 30 : i32, nv_tileas.strategy = #nv_tileas.strategy<tested_approximation>} : tensor<64x64xf32,
// SM80: %[[V11:\w+]] = nv_tileaa.divf %[[V12:\w+]], %[[V13:\w+]] {nv_tileas.strategy = #nv_tileas.strategy<wide_inverse>} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2,
// SM80-LABEL: IR after tileas-allocate-shared-memory:
// SM80: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 139264 : i32, nv_tileas.smem_alignment = 1024 : i32} {
// SM80: %[[V0:\w+]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x1x64x64xf16, #nv_tileas.memory<smem>>
// SM80: %[[V1:\w+]] = nv_tileas.convert_layout %[[V2:\w+]] {nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 8192>, atom_plan = #nv_tileas.atom_plan<shared_memory>} : tensor<64x64xf16,
// SM80-LABEL: IR after tileas-allocate-tensor-memory:
// SM80: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 139264 : i32, nv_tileas.smem_alignment = 1024 : i32, nv_
// SM80-LABEL: IR after tileas-insert-barriers:
// SM80: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 139264 : i32, nv_tileas.smem_alignment = 1024 : i32, nv_
// SM80: nv_tileas.barrier agent
// SM80-LABEL: IR after convert-tileas-to-llvm:
// SM80: nvvm.cp.async.shared.global %[[V0:\w+]], %[[V1:\w+]], 16, cache = cg, %[[V2:\w+]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
// SM80: nvvm.cp.async.commit.group
// SM80: nvvm.cp.async.wait.group 0
// SM80: nvvm.barrier
// SM80: %[[V3:\w+]] = nvvm.ldmatrix %[[V4:\w+]] {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} :
// SM80: %[[V5:\w+]] = nvvm.mma.sync A[%[[V6:\w+]], %[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]]] B[%[[V10:\w+]], %[[V11:\w+]]] C[%[[V12:\w+]], %[[V12]], %[[V12]], %[[V12]]] {shape = #nvvm.shape<m = 16, n = 8, k = 16>, layoutA = #nvvm.mma_layout<row>, layoutB =
// SM80: %[[V13:\w+]] = nvvm.shfl.sync bfly %[[V14:\w+]], %[[V15:\w+]], %[[V16:\w+]], %[[V17:\w+]] : i32 -> i32

// SM90A-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM90A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM90A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM90A: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f16>
// SM90A: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]] : i32, i32, i32] strides = [%[[V7:\w+]], %[[V8:\w+]] : i32, i32] :
// SM90A: %[[V9:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM90A: %[[V10:\w+]] = nv_tileaa.block_tile %[[V3]] {tileSizes = array<i64: 1, 64, 64>, dimGroups =
// SM90A: %[[V11:\w+]], %[[V12:\w+]] = nv_tileaa.tiled_load weak %[[V10]][%[[V13:\w+]], %[[V9]], %[[V14:\w+]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<1x64x64xf16,
// SM90A: %[[V15:\w+]] = nv_tileaa.view %[[V11]] : tensor<1x64x64xf16> -> tensor<64x64xf16>
// SM90A: %[[V16:\w+]] = nv_tileaa.splat %[[V17:\w+]] : f32 -> tensor<64x1xf32>
// SM90A: %[[V18:\w+]] = nv_tileaa.make_range %[[V19:\w+]], %[[V20:\w+]] : i32 -> tensor<64xi32>
// SM90A-LABEL: IR after canonicalize:
// SM90A-LABEL: IR after tileas-plan-cta:
// SM90A-LABEL: IR after tileas-slice-and-fuse:
// SM90A-LABEL: IR after convert-tileaa-to-tileas:
// SM90A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]]] token = %[[V6:\w+]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<1x64x64xf16,
// SM90A: %[[V7:\w+]] = nv_tileas.view %[[V0]] : tensor<1x64x64xf16> to tensor<64x64xf16>
// SM90A: %[[V8:\w+]] = nv_tileas.alloc_tensor : tensor<64x64xf32>
// SM90A: %[[V9:\w+]] = nv_tileas.insert_slice %[[V10:\w+]] into %[[V8]][0, 0][64, 64][1, 1] : tensor<64x64xf32> into tensor<64x64xf32>
// SM90A: %[[V11:\w+]] = nv_tileaa.splat %[[V12:\w+]] : f32 -> tensor<64x64xf32>
// SM90A: %[[V13:\w+]] = nv_tileas.async.dot %[[V7]], %[[V14:\w+]], %[[V9]] {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> ->
// SM90A: %[[V15:\w+]] = nv_tileas.async.future_wait %[[V13]] : !async.value<tile<64x64xf32>> -> tile<64x64xf32>
// SM90A: %[[V16:\w+]] = nv_tileas.reduce %[[V17:\w+]] {axis = 1 : i32} : tensor<64x64xf32> -> tensor<64xf32> {
// SM90A: nv_tileas.yield %[[V18:\w+]] : f32
// SM90A: %[[V19:\w+]] = nv_tileas.tiled_store weak %[[V20:\w+]], %[[V21:\w+]][%[[V3]], %[[V4]], %[[V22:\w+]]] token = %[[V6]] : tensor<1x64x64xf16>, !nv_tileaa.tiled_view<1x64x64xf16,
// SM90A-LABEL: IR after tileas-slicing:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after tileas-plan-tensor-maps:
// SM90A-LABEL: IR after tileas-assign-dot-layouts:
// SM90A: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] : tensor<1x64x64xf16> -> tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
// SM90A: %[[V2:\w+]] = nv_tileas.view %[[V0]] : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM90A: %[[V3:\w+]] = nv_tileaa.permute %[[V4:\w+]] {permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16,
// SM90A: %[[V5:\w+]] = nv_tileas.async.dot %[[V2]], %[[V3]], %[[V6:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64,
// SM90A-LABEL: IR after tileas-assign-load-store-layouts:
// SM90A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]]] token = %[[V6:\w+]] {atom = #nv_tileas<atom tma_load_3d>, nv_tileas.layout = <(1, 64, 64), (4096, 64, 1),
// SM90A: %[[V7:\w+]] = nv_tileas.convert_layout %[[V0]] : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> -> tensor<1x64x64xf16,
// SM90A: %[[V8:\w+]] = nv_tileaa.splat %[[V9:\w+]] : f32 -> tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>>
// SM90A: %[[V10:\w+]] = nv_tileas.alloc_tensor : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
// SM90A: %[[V11:\w+]] = nv_tileas.insert_slice %[[V12:\w+]] into %[[V10]][0, 0][64, 64][1, 1] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into
// SM90A: %[[V13:\w+]] = nv_tileaa.make_range %[[V14:\w+]], %[[V15:\w+]] : i32 -> tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>>
// SM90A: %[[V16:\w+]], %[[V17:\w+]], %[[V18:\w+]] = scf.for %[[V19:\w+]] = %[[V20:\w+]] to %[[V21:\w+]] step %[[V22:\w+]] iter_args(%[[V23:\w+]] = %[[V24:\w+]], %[[V25:\w+]] = %[[V8]], %[[V26:\w+]] = %[[V27:\w+]]) -> (tensor<64x64xf32,
// SM90A: %[[V28:\w+]] = nv_tileas.async.dot %[[V29:\w+]], %[[V30:\w+]], %[[V11]] {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64,
// SM90A: %[[V31:\w+]] = nv_tileas.async.future_wait %[[V28]] : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> tile<64x64xf32,
// SM90A: %[[V32:\w+]] = nv_tileaa.mulf %[[V31]], %[[V33:\w+]] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>
// SM90A-LABEL: IR after tileas-remove-layout-conversions:
// SM90A-LABEL: IR after tileas-remove-buffer-alias:
// SM90A-LABEL: IR after tileas-remove-dead-args:
// SM90A-LABEL: IR after tileas-resolve-agent-boundary:
// SM90A-LABEL: IR after tileas-slicing:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after lower-tma-load-store-to-async:
// SM90A: %[[V0:\w+]] = nv_tileas.make_tiled_tma_desc %[[V1:\w+]][%[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]]] {atom = #nv_tileas<atom tma_load_3d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode =
// SM90A: %[[V5:\w+]] = nv_tileas.alloc_tensor : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
// SM90A: %[[V6:\w+]] = nv_tileas.async.tiled_tma_load %[[V0]], %[[V5]][%[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]]], %[[V10:\w+]] {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 0 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc,
// SM90A: %[[V11:\w+]] = nv_tileas.async.future_wait %[[V6]] : !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> tile<1x64x64xf16,
// SM90A: %[[V12:\w+]] = nv_tileas.copy %[[V13:\w+]] into %[[V14:\w+]] : tensor<1x64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> into tensor<1x64x64xf16,
// SM90A: nv_tileas.fence acq_rel tl_blk
// SM90A: %[[V15:\w+]] = nv_tileas.async.tiled_tma_store %[[V16:\w+]], %[[V12]][%[[V17:\w+]], %[[V18:\w+]], %[[V19:\w+]]] {atom = #nv_tileas<atom tma_store_3d>, tmaIdx = 3 : i32} : !nv_tileas.tma_desc, tile<1x64x64xf16,
// SM90A: nv_tileas.async.wait %[[V15]] : !nv_tileas.async_token
// SM90A-LABEL: IR after tileas-materialize-convert-layout:
// SM90A-LABEL: IR after tileas-materialize-async:
// SM90A: %[[V0:\w+]] = nv_tileas.alloc_tensor : tensor<8x1x64x64xf16, #nv_tileas.memory<smem>>
// SM90A: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} :
// SM90A: %[[V3:\w+]] = nv_tileas.async.pipeline.create_iterator %[[V1]] : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem,
// SM90A: %[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]], %[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]], %[[V10:\w+]] = scf.for %[[V11:\w+]] = %[[V12:\w+]] to %[[V13:\w+]] step %[[V14:\w+]] iter_args(%[[V15:\w+]] = %[[V16:\w+]], %[[V17:\w+]] = %[[V18:\w+]], %[[V19:\w+]] = %[[V20:\w+]], %[[V21:\w+]] = %[[V22:\w+]], %[[V23:\w+]] = %[[V24:\w+]], %[[V25:\w+]] = %[[V3]],
// SM90A: %[[V26:\w+]], %[[V27:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V28:\w+]], %[[V21]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>]} :
// SM90A: nv_tileas.async.pipeline.yield %[[V29:\w+]] : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
// SM90A: %[[V30:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V31:\w+]], %[[V23]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16,
// SM90A: %[[V32:\w+]], %[[V33:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V30]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token,
// SM90A: %[[V34:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V32]] : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
// SM90A: %[[V35:\w+]] = nv_tileas.async.pipeline.inc_iter %[[V21]] : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> ->
// SM90A-LABEL: IR after tileas-generate-schedule:
// SM90A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V2:\w+]], %[[V3:\w+]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>],
// SM90A: %[[V4:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V5:\w+]], %[[V6:\w+]] {consumer_idx = 0 : i32, iter_offset = 1 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 48 : i32} :
// SM90A: %[[V7:\w+]], %[[V8:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V4]] {consumer_idx = 0 : i32, iter_offset = 1 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 49 : i32} :
// SM90A: %[[V9:\w+]] = nv_tileas.view %[[V10:\w+]] {iter_offset = 1 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 50 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64),
// SM90A: %[[V11:\w+]] = nv_tileaa.permute %[[V12:\w+]] {iter_offset = 1 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 52 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16,
// SM90A: %[[V13:\w+]] = nv_tileas.async.dot %[[V9]], %[[V11]], %[[V14:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>, iter_offset = 1 : i32, nv_tile.aws.stage = 1 : i32,
// SM90A: %[[V15:\w+]] = nv_tileas.async.future_wait %[[V13]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 10 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1),
// SM90A: %[[V16:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V7]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 11 : i32} : !nv_tileas.async.pipeline.consumer_token ->
// SM90A: %[[V17:\w+]] = nv_tileaa.mulf %[[V15]], %[[V18:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 12 : i32} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2,
// SM90A: %[[V19:\w+]] = nv_tileaa.splat %[[V20:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 14 : i32} : i32 -> tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0,
// SM90A-LABEL: IR after tileas-materialize-schedule:
// SM90A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>} {
// SM90A: %[[V0:\w+]], %[[V1:\w+]], %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]] = scf.if %[[V5:\w+]] -> (tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1),
// SM90A: %[[V6:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V7:\w+]], %[[V8:\w+]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 48 : i32} :
// SM90A: %[[V9:\w+]], %[[V10:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V6]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 49 : i32} : !nv_tileas.async.pipeline.consumer_token
// SM90A: %[[V11:\w+]] = nv_tileas.view %[[V12:\w+]] {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 50 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4,
// SM90A: %[[V13:\w+]] = nv_tileaa.permute %[[V14:\w+]] {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 52 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem,
// SM90A: %[[V15:\w+]] = nv_tileas.async.dot %[[V11]], %[[V13]], %[[V16:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom wgmma_f16_f16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 53 : i32} :
// SM90A: %[[V17:\w+]] = nv_tileas.async.pipeline.inc_iter %[[V8]] {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 54 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16,
// SM90A: %[[V18:\w+]] = nv_tileas.async.future_wait %[[V15]] : !async.value<tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>> -> tile<64x64xf32,
// SM90A: %[[V19:\w+]] = nv_tileas.async.to_async %[[V18]] : tile<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>> -> !async.value<tile<64x64xf32,
// SM90A-LABEL: IR after tileas-unspecialized-pipeline:
// SM90A-LABEL: IR after tileas-optimize-pipeline-region:
// SM90A: %[[V0:\w+]] = nv_tileas.async.pipeline.produce_one %[[V1:\w+]], %[[V2:\w+]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>],
// SM90A-LABEL: IR after tileas-remove-buffer-alias:
// SM90A: %[[V0:\w+]], %[[V1:\w+]], %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]], %[[V7:\w+]] = scf.while (%[[V8:\w+]] = %[[V9:\w+]], %[[V10:\w+]] = %[[V11:\w+]], %[[V12:\w+]] = %[[V13:\w+]], %[[V14:\w+]] = %[[V15:\w+]], %[[V16:\w+]] = %[[V17:\w+]], %[[V18:\w+]] = %[[V19:\w+]], %[[V20:\w+]] = %[[V21:\w+]], %[[V22:\w+]] = %[[V23:\w+]], %[[V24:\w+]] = %[[V25:\w+]]) : (i32, tensor<64x1xf32,
// SM90A: scf.condition(%[[V26:\w+]]) %[[V27:\w+]], %[[V28:\w+]], %[[V29:\w+]], %[[V14]], %[[V30:\w+]], %[[V31:\w+]], %[[V32:\w+]], %[[V16]] : i32, tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>,
// SM90A: %[[V33:\w+]], %[[V34:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V35:\w+]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token,
// SM90A-LABEL: IR after tileas-remove-dead-args:
// SM90A: %[[V0:\w+]], %[[V1:\w+]] = scf.if %[[V2:\w+]] -> (tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4, 1),
// SM90A: scf.yield %[[V3:\w+]], %[[V4:\w+]] : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>>, tensor<64x1xf32, #nv_tileas.layout<(2, (4, 8), 4,
// SM90A-LABEL: IR after tileas-resolve-agent-boundary:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after tileas-select-cta-group:
// SM90A-LABEL: IR after tileas-overlap-epilogue:
// SM90A-LABEL: IR after optimize-execution-unit-mapping:
// SM90A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32} {
// SM90A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>, agent_strides =
// SM90A-LABEL: IR after lower-ldgsts-load-to-async:
// SM90A-LABEL: IR after tileas-attach-tma-desc-args:
// SM90A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 4 : i32, "nv_tileas.
// SM90A-LABEL: IR after tileas-legalize-tmem-copy:
// SM90A-LABEL: IR after tileas-select-lowering:
// SM90A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>, agent_strides =
// SM90A: %[[V0:\w+]] = nv_tileas.async.tiled_tma_load %[[V1:\w+]], %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]]], %[[V6:\w+]] {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 0 : i32, tx_count = 8192 : i32, nv_tileas.issuer =
// SM90A: %[[V7:\w+]] = nv_tileas.generate : tensor<64xi32, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>> {
// SM90A: nv_tileas.yield %[[V8:\w+]] : i32
// SM90A: %[[V9:\w+]] = nv_tileas.reduce %[[V10:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 20 : i32, axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<4>} : tensor<64x64xf32,
// SM90A: %[[V11:\w+]] = nv_tileaa.exp2 %[[V12:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 25 : i32, nv_tileas.strategy = #nv_tileas.strategy<tested_approximation>} : tensor<64x64xf32,
// SM90A: %[[V13:\w+]] = nv_tileaa.divf %[[V14:\w+]], %[[V15:\w+]] {nv_tileas.strategy = #nv_tileas.strategy<wide_inverse>} : tensor<64x64xf32, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2,
// SM90A: %[[V16:\w+]] = nv_tileas.copy %[[V17:\w+]] into %[[V18:\w+]] {nv_tileas.accesses = [#nv_tileas.access<matrices>]} : tensor<1x64x64xf16, #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8),
// SM90A: %[[V19:\w+]] = nv_tileas.async.tiled_tma_store %[[V20:\w+]], %[[V16]][%[[V21:\w+]], %[[V22:\w+]], %[[V23:\w+]]] {atom = #nv_tileas<atom tma_store_3d>, tmaIdx = 3 : i32, nv_tileas.issuer =
// SM90A: %[[V24:\w+]] = nv_tileas.async.pipeline.produce_one %[[V25:\w+]], %[[V26:\w+]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>],
// SM90A-LABEL: IR after tileas-allocate-shared-memory:
// SM90A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 4 : i32, "nv_tileas.
// SM90A: %[[V0:\w+]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x1x64x64xf16, #nv_tileas.memory<smem>>
// SM90A: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false, nv_tileas.smem =
// SM90A: %[[V3:\w+]] = nv_tileas.async.tiled_tma_load %[[V4:\w+]], %[[V5:\w+]][%[[V6:\w+]], %[[V7:\w+]], %[[V8:\w+]]], %[[V9:\w+]] {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 0 : i32, tx_count = 8192 : i32, nv_tileas.issuer =
// SM90A-LABEL: IR after tileas-allocate-tensor-memory:
// SM90A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 4 : i32, "nv_tileas.
// SM90A-LABEL: IR after tileas-insert-barriers:
// SM90A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 4 : i32, "nv_tileas.
// SM90A: nv_tileas.barrier agent
// SM90A: nv_tileas.fence_proxy async_shared
// SM90A-LABEL: IR after convert-tileas-to-llvm:
// SM90A: nvvm.prefetch tensormap, %[[V0:\w+]] : !llvm.ptr
// SM90A: nvvm.mbarrier.init %[[V1:\w+]], %[[V2:\w+]] : !llvm.ptr<3>, i32
// SM90A: nvvm.fence.mbarrier.init
// SM90A: nvvm.barrier
// SM90A: %[[V3:\w+]] = nvvm.shfl.sync idx %[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]], %[[V7:\w+]] : i32 -> i32
// SM90A: nvvm.setmaxregister decrease 240
// SM90A: %[[V8:\w+]] = nvvm.elect.sync -> i1
// SM90A: nvvm.mbarrier.arrive.expect_tx %[[V9:\w+]], %[[V10:\w+]] : !llvm.ptr<3>, i32
// SM90A: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[V11:\w+]], %[[V0]], %[[V9]], box[%[[V6]], %[[V12:\w+]], %[[V13:\w+]]] : !llvm.ptr<7>, !llvm.ptr
// SM90A: nvvm.mbarrier.try_wait.parity %[[V14:\w+]], %[[V6]], %[[V15:\w+]] : !llvm.ptr<3>, i32, i32

// SM100A-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM100A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM100A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM100A: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f16>
// SM100A: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]], %[[V6:\w+]] : i32, i32, i32] strides = [%[[V7:\w+]], %[[V8:\w+]] : i32, i32] :
// SM100A: %[[V9:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM100A: %[[V10:\w+]] = nv_tileaa.block_tile %[[V3]] {tileSizes = array<i64: 1, 64, 64>, dimGroups =
// SM100A: %[[V11:\w+]], %[[V12:\w+]] = nv_tileaa.tiled_load weak %[[V10]][%[[V13:\w+]], %[[V9]], %[[V14:\w+]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<1x64x64xf16,
// SM100A: %[[V15:\w+]] = nv_tileaa.view %[[V11]] : tensor<1x64x64xf16> -> tensor<64x64xf16>
// SM100A: %[[V16:\w+]] = nv_tileaa.splat %[[V17:\w+]] : f32 -> tensor<64x1xf32>
// SM100A: %[[V18:\w+]] = nv_tileaa.make_range %[[V19:\w+]], %[[V20:\w+]] : i32 -> tensor<64xi32>
// SM100A-LABEL: IR after canonicalize:
// SM100A-LABEL: IR after tileas-plan-cta:
// SM100A-LABEL: IR after tileas-slice-and-fuse:
// SM100A-LABEL: IR after convert-tileaa-to-tileas:
// SM100A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]]] token = %[[V6:\w+]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<1x64x64xf16,
// SM100A: %[[V7:\w+]] = nv_tileas.view %[[V0]] : tensor<1x64x64xf16> to tensor<64x64xf16>
// SM100A: %[[V8:\w+]] = nv_tileas.alloc_tensor : tensor<64x64xf32>
// SM100A: %[[V9:\w+]] = nv_tileas.insert_slice %[[V10:\w+]] into %[[V8]][0, 0][64, 64][1, 1] : tensor<64x64xf32> into tensor<64x64xf32>
// SM100A: %[[V11:\w+]] = nv_tileaa.splat %[[V12:\w+]] : f32 -> tensor<64x64xf32>
// SM100A: %[[V13:\w+]] = nv_tileas.async.dot %[[V7]], %[[V14:\w+]], %[[V9]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> ->
// SM100A: %[[V15:\w+]] = nv_tileas.async.future_wait %[[V13]] : !async.value<tile<64x64xf32>> -> tile<64x64xf32>
// SM100A: %[[V16:\w+]] = nv_tileas.reduce %[[V17:\w+]] {axis = 1 : i32} : tensor<64x64xf32> -> tensor<64xf32> {
// SM100A: nv_tileas.yield %[[V18:\w+]] : f32
// SM100A: %[[V19:\w+]] = nv_tileas.tiled_store weak %[[V20:\w+]], %[[V21:\w+]][%[[V3]], %[[V4]], %[[V22:\w+]]] token = %[[V6]] : tensor<1x64x64xf16>, !nv_tileaa.tiled_view<1x64x64xf16,
// SM100A-LABEL: IR after tileas-slicing:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after tileas-plan-tensor-maps:
// SM100A-LABEL: IR after tileas-assign-dot-layouts:
// SM100A: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] : tensor<1x64x64xf16> -> tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
// SM100A: %[[V2:\w+]] = nv_tileas.view %[[V0]] : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> to tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64),
// SM100A: %[[V3:\w+]] = nv_tileaa.permute %[[V4:\w+]] {permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>> -> tensor<64x64xf16,
// SM100A: %[[V5:\w+]] = nv_tileas.async.dot %[[V2]], %[[V3]], %[[V6:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1),
// SM100A-LABEL: IR after tileas-assign-load-store-layouts:
// SM100A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]]] token = %[[V6:\w+]] {atom = #nv_tileas<atom tma_load_3d>, nv_tileas.layout = <(1, 64, 64), (4096, 64, 1),
// SM100A: %[[V7:\w+]] = nv_tileas.convert_layout %[[V0]] : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>> -> tensor<1x64x64xf16,
// SM100A: %[[V8:\w+]] = nv_tileaa.splat %[[V9:\w+]] : f32 -> tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4, 1), (0, (8, 0, 1), 16, 0)>>
// SM100A: %[[V10:\w+]] = nv_tileas.alloc_tensor : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
// SM100A: %[[V11:\w+]] = nv_tileas.insert_slice %[[V12:\w+]] into %[[V10]][0, 0][64, 64][1, 1] : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> into tensor<64x64xf32,
// SM100A: %[[V13:\w+]] = nv_tileaa.make_range %[[V14:\w+]], %[[V15:\w+]] : i32 -> tensor<64xi32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>>
// SM100A: %[[V16:\w+]], %[[V17:\w+]], %[[V18:\w+]] = scf.for %[[V19:\w+]] = %[[V20:\w+]] to %[[V21:\w+]] step %[[V22:\w+]] iter_args(%[[V23:\w+]] = %[[V24:\w+]], %[[V25:\w+]] = %[[V8]], %[[V26:\w+]] = %[[V27:\w+]]) -> (tensor<64x64xf32,
// SM100A: %[[V28:\w+]] = nv_tileas.async.dot %[[V29:\w+]], %[[V30:\w+]], %[[V11]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>} : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1),
// SM100A: %[[V31:\w+]] = nv_tileas.async.future_wait %[[V28]] : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>> -> tile<64x64xf32,
// SM100A: %[[V32:\w+]] = nv_tileaa.mulf %[[V31]], %[[V33:\w+]] : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
// SM100A-LABEL: IR after tileas-remove-layout-conversions:
// SM100A-LABEL: IR after tileas-remove-buffer-alias:
// SM100A-LABEL: IR after tileas-remove-dead-args:
// SM100A-LABEL: IR after tileas-resolve-agent-boundary:
// SM100A-LABEL: IR after tileas-slicing:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after lower-tma-load-store-to-async:
// SM100A: %[[V0:\w+]] = nv_tileas.make_tiled_tma_desc %[[V1:\w+]][%[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]]] {atom = #nv_tileas<atom tma_load_3d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode =
// SM100A: %[[V5:\w+]] = nv_tileas.alloc_tensor : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
// SM100A: %[[V6:\w+]] = nv_tileas.async.tiled_tma_load %[[V0]], %[[V5]][%[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]]], %[[V10:\w+]] {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 0 : i32, tx_count = 8192 : i32} : !nv_tileas.tma_desc,
// SM100A: %[[V11:\w+]] = nv_tileas.async.future_wait %[[V6]] : !async.value<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>> -> tile<1x64x64xf16,
// SM100A: %[[V12:\w+]] = nv_tileas.copy %[[V13:\w+]] into %[[V14:\w+]] : tensor<1x64x64xf16, #nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>> into tensor<1x64x64xf16, #nv_tileas.memory<smem,
// SM100A: nv_tileas.fence acq_rel tl_blk
// SM100A: %[[V15:\w+]] = nv_tileas.async.tiled_tma_store %[[V16:\w+]], %[[V12]][%[[V17:\w+]], %[[V18:\w+]], %[[V19:\w+]]] {atom = #nv_tileas<atom tma_store_3d>, tmaIdx = 3 : i32} : !nv_tileas.tma_desc, tile<1x64x64xf16,
// SM100A: nv_tileas.async.wait %[[V15]] : !nv_tileas.async_token
// SM100A-LABEL: IR after tileas-materialize-convert-layout:
// SM100A: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] {atom_plan = #nv_tileas.atom_plan<shared_memory>} : tensor<64x64xf16, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>
// SM100A-LABEL: IR after tileas-materialize-async:
// SM100A: %[[V0:\w+]] = nv_tileas.alloc_tensor : tensor<8x1x64x64xf16, #nv_tileas.memory<smem>>
// SM100A: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false} :
// SM100A: %[[V3:\w+]] = nv_tileas.async.pipeline.create_iterator %[[V1]] : !nv_tileas.async.pipeline.producer_token -> !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem,
// SM100A: %[[V4:\w+]] = nv_tileas.async.to_async %[[V5:\w+]] : tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>> -> !async.value<tile<64x64xf32,
// SM100A: %[[V6:\w+]], %[[V7:\w+]], %[[V8:\w+]], %[[V9:\w+]], %[[V10:\w+]], %[[V11:\w+]], %[[V12:\w+]] = scf.for %[[V13:\w+]] = %[[V14:\w+]] to %[[V15:\w+]] step %[[V16:\w+]] iter_args(%[[V17:\w+]] = %[[V4]], %[[V18:\w+]] = %[[V19:\w+]], %[[V20:\w+]] = %[[V21:\w+]], %[[V22:\w+]] = %[[V23:\w+]], %[[V24:\w+]] = %[[V25:\w+]], %[[V26:\w+]] = %[[V3]], %[[V27:\w+]] = %[[V28:\w+]])
// SM100A: %[[V29:\w+]], %[[V30:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V31:\w+]], %[[V22]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>]} :
// SM100A: nv_tileas.async.pipeline.yield %[[V32:\w+]] : tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>
// SM100A: %[[V33:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V34:\w+]], %[[V24]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16,
// SM100A: %[[V35:\w+]], %[[V36:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V33]] {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token,
// SM100A: %[[V37:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V35]] : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
// SM100A-LABEL: IR after tileas-generate-schedule:
// SM100A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.async.pipeline.produce_one_async %[[V2:\w+]], %[[V3:\w+]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>],
// SM100A: %[[V4:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V5:\w+]], %[[V6:\w+]] {consumer_idx = 0 : i32, iter_offset = 1 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 46 : i32} :
// SM100A: %[[V7:\w+]], %[[V8:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V4]] {consumer_idx = 0 : i32, iter_offset = 1 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 47 : i32} :
// SM100A: %[[V9:\w+]] = nv_tileas.view %[[V10:\w+]] {iter_offset = 1 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 48 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64),
// SM100A: %[[V11:\w+]] = nv_tileaa.permute %[[V12:\w+]] {iter_offset = 1 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 50 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16,
// SM100A: %[[V13:\w+]] = nv_tileas.async.dot %[[V9]], %[[V11]], %[[V14:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, iter_offset = 1 : i32, nv_tile.aws.stage = 1 : i32,
// SM100A: %[[V15:\w+]] = nv_tileas.async.future_wait %[[V13]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 10 : i32} : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2,
// SM100A: %[[V16:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V7]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 11 : i32} : !nv_tileas.async.pipeline.consumer_token ->
// SM100A: %[[V17:\w+]] = nv_tileaa.mulf %[[V15]], %[[V18:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 12 : i32} : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64),
// SM100A: %[[V19:\w+]] = nv_tileaa.splat %[[V20:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 14 : i32} : i32 -> tensor<64xi32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>>
// SM100A-LABEL: IR after tileas-materialize-schedule:
// SM100A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>} {
// SM100A: %[[V0:\w+]], %[[V1:\w+]], %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]] = scf.if %[[V5:\w+]] -> (!async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4,
// SM100A: %[[V6:\w+]] = nv_tileas.async.pipeline.consumer_wait %[[V7:\w+]], %[[V8:\w+]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 46 : i32} :
// SM100A: %[[V9:\w+]], %[[V10:\w+]] = nv_tileas.async.pipeline.consumer_read %[[V6]] {consumer_idx = 0 : i32, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 47 : i32} : !nv_tileas.async.pipeline.consumer_token
// SM100A: %[[V11:\w+]] = nv_tileas.view %[[V12:\w+]] {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 48 : i32} : tensor<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4,
// SM100A: %[[V13:\w+]] = nv_tileaa.permute %[[V14:\w+]] {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 50 : i32, permutation = array<i32: 1, 0>} : tensor<64x64xf16, #nv_tileas.memory<smem,
// SM100A: %[[V15:\w+]] = nv_tileas.async.dot %[[V11]], %[[V13]], %[[V16:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 51 : i32} :
// SM100A: %[[V17:\w+]] = nv_tileas.async.pipeline.inc_iter %[[V8]] {nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 52 : i32} : !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16,
// SM100A: %[[V18:\w+]], %[[V19:\w+]], %[[V20:\w+]], %[[V21:\w+]], %[[V22:\w+]], %[[V23:\w+]], %[[V24:\w+]] = scf.while (%[[V25:\w+]] = %[[V26:\w+]], %[[V27:\w+]] = %[[V28:\w+]], %[[V29:\w+]] = %[[V30:\w+]], %[[V31:\w+]] = %[[V32:\w+]], %[[V33:\w+]] = %[[V34:\w+]], %[[V35:\w+]] = %[[V17]], %[[V36:\w+]] = %[[V15]], %[[V37:\w+]] = %[[V9]]) : (i32, !async.value<tile<64x64xf32,
// SM100A: scf.condition(%[[V38:\w+]]) %[[V39:\w+]], %[[V33]], %[[V40:\w+]], %[[V41:\w+]], %[[V42:\w+]], %[[V43:\w+]], %[[V35]] : i32, !nv_tileas.async.pipeline.iterator<tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1),
// SM100A-LABEL: IR after tileas-unspecialized-pipeline:
// SM100A-LABEL: IR after tileas-optimize-pipeline-region:
// SM100A: %[[V0:\w+]] = nv_tileas.async.pipeline.produce_one %[[V1:\w+]], %[[V2:\w+]] {producer_types = [tile<1x64x64xf16, #nv_tileas.memory<smem, <(1, 64, 64), (4096, 64, 1), swizzle<3, 4, 3>>>>],
// SM100A-LABEL: IR after tileas-remove-buffer-alias:
// SM100A-LABEL: IR after tileas-remove-dead-args:
// SM100A: %[[V0:\w+]], %[[V1:\w+]] = scf.if %[[V2:\w+]] -> (!async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2, 8), 4,
// SM100A: scf.yield %[[V3:\w+]], %[[V4:\w+]] : !async.value<tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (512, 1, 64), 1024, 0)>>>, tensor<64x1xf32, #nv_tileas.layout<(1, (2, 2,
// SM100A-LABEL: IR after tileas-resolve-agent-boundary:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after tileas-select-cta-group:
// SM100A-LABEL: IR after tileas-overlap-epilogue:
// SM100A-LABEL: IR after optimize-execution-unit-mapping:
// SM100A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32} {
// SM100A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>, agent_strides =
// SM100A-LABEL: IR after lower-ldgsts-load-to-async:
// SM100A-LABEL: IR after tileas-attach-tma-desc-args:
// SM100A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 4 : i32, "nv_tileas.
// SM100A-LABEL: IR after tileas-legalize-tmem-copy:
// SM100A-LABEL: IR after tileas-select-lowering:
// SM100A: nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>, agent_strides =
// SM100A: %[[V0:\w+]] = nv_tileas.async.tiled_tma_load %[[V1:\w+]], %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]]], %[[V6:\w+]] {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 0 : i32, tx_count = 8192 : i32, nv_tileas.issuer =
// SM100A: %[[V7:\w+]] = nv_tileas.generate : tensor<64xi32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2, (0, 1, 0), 0, 0)>> {
// SM100A: nv_tileas.yield %[[V8:\w+]] : i32
// SM100A: %[[V9:\w+]] = nv_tileas.async.to_async %[[V10:\w+]] {nv_tileas.issuer = #nv_tileas.issuer<elected_lane_of_first_warp>} : tile<64x64xf32, #nv_tileas.layout<(32, (2, 2, 8), 4, 1), (2,
// SM100A: %[[V11:\w+]] = nv_tileas.async.dot %[[V12:\w+]], %[[V13:\w+]], %[[V14:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 51 : i32,
// SM100A: %[[V15:\w+]] = nv_tileas.async.future_wait %[[V16:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 10 : i32, nv_tileas.issuer = #nv_tileas.issuer<elected_lane_of_first_warp>} :
// SM100A: %[[V17:\w+]] = nv_tileas.async.pipeline.consumer_release %[[V18:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 11 : i32, nv_tileas.issuer =
// SM100A: %[[V19:\w+]] = nv_tileaa.mulf %[[V15]], %[[V20:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 12 : i32, nv_tileas.strategy = #nv_tileas.strategy<pairs>} : tensor<64x64xf32,
// SM100A: %[[V21:\w+]] = nv_tileas.reduce %[[V22:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 20 : i32, axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<2>} : tensor<64x64xf32,
// SM100A-LABEL: IR after tileas-allocate-shared-memory:
// SM100A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 4 : i32, "nv_tileas.
// SM100A: %[[V0:\w+]] = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 65536>} : tensor<8x1x64x64xf16, #nv_tileas.memory<smem>>
// SM100A: %[[V1:\w+]], %[[V2:\w+]] = nv_tileas.async.pipeline.create_pipeline %[[V0]] {numStages = 8 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false, nv_tileas.smem =
// SM100A: %[[V3:\w+]] = nv_tileas.async.tiled_tma_load %[[V4:\w+]], %[[V5:\w+]][%[[V6:\w+]], %[[V7:\w+]], %[[V8:\w+]]], %[[V9:\w+]] {atom = #nv_tileas<atom tma_load_3d>, tmaIdx = 0 : i32, tx_count = 8192 : i32, nv_tileas.issuer =
// SM100A: %[[V10:\w+]] = nv_tileas.async.dot %[[V11:\w+]], %[[V12:\w+]], %[[V13:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 51 : i32,
// SM100A: %[[V14:\w+]] = nv_tileas.convert_layout %[[V15:\w+]] {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 45 : i32, nv_tileas.accesses = [#nv_tileas.access<vectors>], nv_tileas.smem =
// SM100A-LABEL: IR after tileas-allocate-tensor-memory:
// SM100A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 4 : i32, "nv_tileas.
// SM100A: %[[V0:\w+]] = nv_tileas.async.to_async %[[V1:\w+]] {nv_tileas.issuer = #nv_tileas.issuer<elected_lane_of_first_warp>, nv_tileas.tmem = #nv_tileas.allocation<offset = 64, size = 64>}
// SM100A: %[[V2:\w+]] = nv_tileas.async.dot %[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]] {input_precision = "tf32", atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tile.aws.stage = 1 : i32, nv_tile.aws.order = 51 : i32,
// SM100A-LABEL: IR after tileas-insert-barriers:
// SM100A: nv_tileaa.func @attention_warpgroup({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.num_warps = 8 : i32, "nv_tileas.num-host-tmas" = 4 : i32, "nv_tileas.
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
// SM100A: %[[V10:\w+]] = nvvm.elect.sync -> i1
// SM100A: nvvm.mbarrier.arrive.expect_tx %[[V11:\w+]], %[[V12:\w+]] : !llvm.ptr<3>, i32
