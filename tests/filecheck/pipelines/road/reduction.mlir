// Written by `python -m tests.pipeline_checks`: what each pass makes of a real kernel.
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/softmax_f32.mlir -p 'tileir-pipeline{gpu=sm_80}' --print-between-passes | filecheck %s --check-prefix=SM80
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/softmax_f32.mlir -p 'tileir-pipeline{gpu=sm_90a}' --print-between-passes | filecheck %s --check-prefix=SM90A
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/softmax_f32.mlir -p 'tileir-pipeline{gpu=sm_100a}' --print-between-passes | filecheck %s --check-prefix=SM100A

// SM80-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM80: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM80: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM80: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f32>
// SM80: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]] : i32, i32] strides = [%[[V6:\w+]] : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
// SM80: %[[V7:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM80: %[[V8:\w+]] = nv_tileaa.block_tile %[[V3]] {tileSizes = array<i64: 1, 256>, dimGroups =
// SM80: %[[V9:\w+]], %[[V10:\w+]] = nv_tileaa.tiled_load weak %[[V8]][%[[V7]], %[[V11:\w+]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<neg_inf>} : !nv_tileaa.tiled_view<1x256xf32,
// SM80: %[[V12:\w+]] = nv_tileaa.reduce %[[V9]] {axis = 1 : i32} : tensor<1x256xf32> -> tensor<1xf32> {
// SM80: nv_tileaa.yield %[[V13:\w+]] : f32
// SM80: %[[V14:\w+]] = nv_tileaa.view %[[V12]] : tensor<1xf32> -> tensor<1x1xf32>
// SM80-LABEL: IR after canonicalize:
// SM80-LABEL: IR after tileas-plan-cta:
// SM80-LABEL: IR after tileas-slice-and-fuse:
// SM80-LABEL: IR after convert-tileaa-to-tileas:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]]] token = %[[V5:\w+]] {padding_value = #nv_tileaa.padding_value<neg_inf>} : !nv_tileaa.tiled_view<1x256xf32,
// SM80: %[[V6:\w+]] = nv_tileas.reduce %[[V0]] {axis = 1 : i32} : tensor<1x256xf32> -> tensor<1xf32> {
// SM80: nv_tileas.yield %[[V7:\w+]] : f32
// SM80: %[[V8:\w+]] = nv_tileas.view %[[V6]] : tensor<1xf32> to tensor<1x1xf32>
// SM80: %[[V9:\w+]] = nv_tileas.tiled_store weak %[[V10:\w+]], %[[V11:\w+]][%[[V12:\w+]], %[[V13:\w+]]] token = %[[V5]] : tensor<1x256xf32>, !nv_tileaa.tiled_view<1x256xf32, !nv_tileaa.memref<?x?xf32, strides =
// SM80-LABEL: IR after tileas-slicing:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after tileas-plan-tensor-maps:
// SM80-LABEL: IR after tileas-assign-dot-layouts:
// SM80-LABEL: IR after tileas-assign-load-store-layouts:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]]] token = %[[V5:\w+]] {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>, padding_value =
// SM80: %[[V6:\w+]] = nv_tileas.reduce %[[V0]] {axis = 1 : i32} : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>> -> tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0,
// SM80: %[[V7:\w+]] = nv_tileas.view %[[V6]] : tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> to tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
// SM80: %[[V8:\w+]] = nv_tileaa.broadcast %[[V7]] : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> -> tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM80: %[[V9:\w+]] = nv_tileaa.subf %[[V0]], %[[V8]] : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM80: %[[V10:\w+]] = nv_tileaa.exp %[[V9]] : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM80: %[[V11:\w+]] = nv_tileaa.divf %[[V10]], %[[V12:\w+]] : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM80: %[[V13:\w+]] = nv_tileas.tiled_store weak %[[V11]], %[[V14:\w+]][%[[V15:\w+]], %[[V16:\w+]]] token = %[[V5]] {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>} :
// SM80-LABEL: IR after tileas-remove-layout-conversions:
// SM80-LABEL: IR after tileas-remove-buffer-alias:
// SM80-LABEL: IR after tileas-remove-dead-args:
// SM80-LABEL: IR after tileas-resolve-agent-boundary:
// SM80-LABEL: IR after tileas-slicing:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after lower-tma-load-store-to-async:
// SM80-LABEL: IR after tileas-materialize-convert-layout:
// SM80-LABEL: IR after tileas-materialize-async:
// SM80-LABEL: IR after tileas-generate-schedule:
// SM80-LABEL: IR after tileas-materialize-schedule:
// SM80-LABEL: IR after tileas-unspecialized-pipeline:
// SM80-LABEL: IR after tileas-optimize-pipeline-region:
// SM80-LABEL: IR after tileas-remove-buffer-alias:
// SM80-LABEL: IR after tileas-remove-dead-args:
// SM80-LABEL: IR after tileas-resolve-agent-boundary:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after tileas-select-cta-group:
// SM80-LABEL: IR after tileas-overlap-epilogue:
// SM80-LABEL: IR after optimize-execution-unit-mapping:
// SM80-LABEL: IR after lower-ldgsts-load-to-async:
// SM80-LABEL: IR after tileas-attach-tma-desc-args:
// SM80-LABEL: IR after tileas-legalize-tmem-copy:
// SM80-LABEL: IR after tileas-select-lowering:
// SM80: %[[V0:\w+]] = nv_tileas.reduce %[[V1:\w+]] {nv_tileas.exchanges = [#nv_tileas.atom_plan<shared_memory>], axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<32>} : tensor<1x256xf32,
// SM80: %[[V2:\w+]] = nv_tileaa.exp %[[V3:\w+]] {nv_tileas.strategy = #nv_tileas.strategy<polynomial>} : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM80: %[[V4:\w+]] = nv_tileaa.divf %[[V2]], %[[V5:\w+]] {nv_tileas.strategy = #nv_tileas.strategy<instruction>} : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM80-LABEL: IR after tileas-allocate-shared-memory:
// SM80: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 16 : i32, nv_tileas.smem_alignment = 1 : i32} {
// SM80: %[[V0:\w+]] = nv_tileas.reduce %[[V1:\w+]] {nv_tileas.exchanges = [#nv_tileas.atom_plan<shared_memory>], nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 16>, axis = 1 : i32,
// SM80-LABEL: IR after tileas-allocate-tensor-memory:
// SM80: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 16 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.
// SM80-LABEL: IR after tileas-insert-barriers:
// SM80: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 16 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.
// SM80: nv_tileas.barrier agent
// SM80-LABEL: IR after convert-tileas-to-llvm:
// SM80: %[[V0:\w+]] = nvvm.shfl.sync bfly %[[V1:\w+]], %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]] : i32 -> i32
// SM80: nvvm.barrier

// SM90A-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM90A: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM90A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM90A: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f32>
// SM90A: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]] : i32, i32] strides = [%[[V6:\w+]] : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
// SM90A: %[[V7:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM90A: %[[V8:\w+]] = nv_tileaa.block_tile %[[V3]] {tileSizes = array<i64: 1, 256>, dimGroups =
// SM90A: %[[V9:\w+]], %[[V10:\w+]] = nv_tileaa.tiled_load weak %[[V8]][%[[V7]], %[[V11:\w+]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<neg_inf>} : !nv_tileaa.tiled_view<1x256xf32,
// SM90A: %[[V12:\w+]] = nv_tileaa.reduce %[[V9]] {axis = 1 : i32} : tensor<1x256xf32> -> tensor<1xf32> {
// SM90A: nv_tileaa.yield %[[V13:\w+]] : f32
// SM90A: %[[V14:\w+]] = nv_tileaa.view %[[V12]] : tensor<1xf32> -> tensor<1x1xf32>
// SM90A-LABEL: IR after canonicalize:
// SM90A-LABEL: IR after tileas-plan-cta:
// SM90A-LABEL: IR after tileas-slice-and-fuse:
// SM90A-LABEL: IR after convert-tileaa-to-tileas:
// SM90A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]]] token = %[[V5:\w+]] {padding_value = #nv_tileaa.padding_value<neg_inf>} : !nv_tileaa.tiled_view<1x256xf32,
// SM90A: %[[V6:\w+]] = nv_tileas.reduce %[[V0]] {axis = 1 : i32} : tensor<1x256xf32> -> tensor<1xf32> {
// SM90A: nv_tileas.yield %[[V7:\w+]] : f32
// SM90A: %[[V8:\w+]] = nv_tileas.view %[[V6]] : tensor<1xf32> to tensor<1x1xf32>
// SM90A: %[[V9:\w+]] = nv_tileas.tiled_store weak %[[V10:\w+]], %[[V11:\w+]][%[[V12:\w+]], %[[V13:\w+]]] token = %[[V5]] : tensor<1x256xf32>, !nv_tileaa.tiled_view<1x256xf32, !nv_tileaa.memref<?x?xf32, strides =
// SM90A-LABEL: IR after tileas-slicing:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after tileas-plan-tensor-maps:
// SM90A-LABEL: IR after tileas-assign-dot-layouts:
// SM90A-LABEL: IR after tileas-assign-load-store-layouts:
// SM90A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]]] token = %[[V5:\w+]] {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>, padding_value =
// SM90A: %[[V6:\w+]] = nv_tileas.reduce %[[V0]] {axis = 1 : i32} : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>> -> tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0,
// SM90A: %[[V7:\w+]] = nv_tileas.view %[[V6]] : tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> to tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
// SM90A: %[[V8:\w+]] = nv_tileaa.broadcast %[[V7]] : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> -> tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM90A: %[[V9:\w+]] = nv_tileaa.subf %[[V0]], %[[V8]] : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM90A: %[[V10:\w+]] = nv_tileaa.exp %[[V9]] : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM90A: %[[V11:\w+]] = nv_tileaa.divf %[[V10]], %[[V12:\w+]] : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM90A: %[[V13:\w+]] = nv_tileas.tiled_store weak %[[V11]], %[[V14:\w+]][%[[V15:\w+]], %[[V16:\w+]]] token = %[[V5]] {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>} :
// SM90A-LABEL: IR after tileas-remove-layout-conversions:
// SM90A-LABEL: IR after tileas-remove-buffer-alias:
// SM90A-LABEL: IR after tileas-remove-dead-args:
// SM90A-LABEL: IR after tileas-resolve-agent-boundary:
// SM90A-LABEL: IR after tileas-slicing:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after lower-tma-load-store-to-async:
// SM90A-LABEL: IR after tileas-materialize-convert-layout:
// SM90A-LABEL: IR after tileas-materialize-async:
// SM90A-LABEL: IR after tileas-generate-schedule:
// SM90A-LABEL: IR after tileas-materialize-schedule:
// SM90A-LABEL: IR after tileas-unspecialized-pipeline:
// SM90A-LABEL: IR after tileas-optimize-pipeline-region:
// SM90A-LABEL: IR after tileas-remove-buffer-alias:
// SM90A-LABEL: IR after tileas-remove-dead-args:
// SM90A-LABEL: IR after tileas-resolve-agent-boundary:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after tileas-select-cta-group:
// SM90A-LABEL: IR after tileas-overlap-epilogue:
// SM90A-LABEL: IR after optimize-execution-unit-mapping:
// SM90A-LABEL: IR after lower-ldgsts-load-to-async:
// SM90A-LABEL: IR after tileas-attach-tma-desc-args:
// SM90A-LABEL: IR after tileas-legalize-tmem-copy:
// SM90A-LABEL: IR after tileas-select-lowering:
// SM90A: %[[V0:\w+]] = nv_tileas.reduce %[[V1:\w+]] {nv_tileas.exchanges = [#nv_tileas.atom_plan<shared_memory>], axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<32>} : tensor<1x256xf32,
// SM90A: %[[V2:\w+]] = nv_tileaa.exp %[[V3:\w+]] {nv_tileas.strategy = #nv_tileas.strategy<polynomial>} : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM90A: %[[V4:\w+]] = nv_tileaa.divf %[[V2]], %[[V5:\w+]] {nv_tileas.strategy = #nv_tileas.strategy<instruction>} : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM90A-LABEL: IR after tileas-allocate-shared-memory:
// SM90A: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 16 : i32, nv_tileas.smem_alignment = 1 : i32} {
// SM90A: %[[V0:\w+]] = nv_tileas.reduce %[[V1:\w+]] {nv_tileas.exchanges = [#nv_tileas.atom_plan<shared_memory>], nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 16>, axis = 1 : i32,
// SM90A-LABEL: IR after tileas-allocate-tensor-memory:
// SM90A: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 16 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.
// SM90A-LABEL: IR after tileas-insert-barriers:
// SM90A: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 16 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.
// SM90A: nv_tileas.barrier agent
// SM90A-LABEL: IR after convert-tileas-to-llvm:
// SM90A: %[[V0:\w+]] = nvvm.shfl.sync bfly %[[V1:\w+]], %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]] : i32 -> i32
// SM90A: nvvm.barrier

// SM100A-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM100A: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM100A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM100A: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f32>
// SM100A: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]] : i32, i32] strides = [%[[V6:\w+]] : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
// SM100A: %[[V7:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM100A: %[[V8:\w+]] = nv_tileaa.block_tile %[[V3]] {tileSizes = array<i64: 1, 256>, dimGroups =
// SM100A: %[[V9:\w+]], %[[V10:\w+]] = nv_tileaa.tiled_load weak %[[V8]][%[[V7]], %[[V11:\w+]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<neg_inf>} : !nv_tileaa.tiled_view<1x256xf32,
// SM100A: %[[V12:\w+]] = nv_tileaa.reduce %[[V9]] {axis = 1 : i32} : tensor<1x256xf32> -> tensor<1xf32> {
// SM100A: nv_tileaa.yield %[[V13:\w+]] : f32
// SM100A: %[[V14:\w+]] = nv_tileaa.view %[[V12]] : tensor<1xf32> -> tensor<1x1xf32>
// SM100A-LABEL: IR after canonicalize:
// SM100A-LABEL: IR after tileas-plan-cta:
// SM100A-LABEL: IR after tileas-slice-and-fuse:
// SM100A-LABEL: IR after convert-tileaa-to-tileas:
// SM100A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]]] token = %[[V5:\w+]] {padding_value = #nv_tileaa.padding_value<neg_inf>} : !nv_tileaa.tiled_view<1x256xf32,
// SM100A: %[[V6:\w+]] = nv_tileas.reduce %[[V0]] {axis = 1 : i32} : tensor<1x256xf32> -> tensor<1xf32> {
// SM100A: nv_tileas.yield %[[V7:\w+]] : f32
// SM100A: %[[V8:\w+]] = nv_tileas.view %[[V6]] : tensor<1xf32> to tensor<1x1xf32>
// SM100A: %[[V9:\w+]] = nv_tileas.tiled_store weak %[[V10:\w+]], %[[V11:\w+]][%[[V12:\w+]], %[[V13:\w+]]] token = %[[V5]] : tensor<1x256xf32>, !nv_tileaa.tiled_view<1x256xf32, !nv_tileaa.memref<?x?xf32, strides =
// SM100A-LABEL: IR after tileas-slicing:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after tileas-plan-tensor-maps:
// SM100A-LABEL: IR after tileas-assign-dot-layouts:
// SM100A-LABEL: IR after tileas-assign-load-store-layouts:
// SM100A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]], %[[V4:\w+]]] token = %[[V5:\w+]] {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>, padding_value =
// SM100A: %[[V6:\w+]] = nv_tileas.reduce %[[V0]] {axis = 1 : i32} : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>> -> tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0,
// SM100A: %[[V7:\w+]] = nv_tileas.view %[[V6]] : tensor<1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> to tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>>
// SM100A: %[[V8:\w+]] = nv_tileaa.broadcast %[[V7]] : tensor<1x1xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 0, 0, 0)>> -> tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V9:\w+]] = nv_tileaa.subf %[[V0]], %[[V8]] : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V10:\w+]] = nv_tileaa.exp %[[V9]] : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V11:\w+]] = nv_tileaa.divf %[[V10]], %[[V12:\w+]] : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V13:\w+]] = nv_tileas.tiled_store weak %[[V11]], %[[V14:\w+]][%[[V15:\w+]], %[[V16:\w+]]] token = %[[V5]] {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>} :
// SM100A-LABEL: IR after tileas-remove-layout-conversions:
// SM100A-LABEL: IR after tileas-remove-buffer-alias:
// SM100A-LABEL: IR after tileas-remove-dead-args:
// SM100A-LABEL: IR after tileas-resolve-agent-boundary:
// SM100A-LABEL: IR after tileas-slicing:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after lower-tma-load-store-to-async:
// SM100A-LABEL: IR after tileas-materialize-convert-layout:
// SM100A-LABEL: IR after tileas-materialize-async:
// SM100A-LABEL: IR after tileas-generate-schedule:
// SM100A-LABEL: IR after tileas-materialize-schedule:
// SM100A-LABEL: IR after tileas-unspecialized-pipeline:
// SM100A-LABEL: IR after tileas-optimize-pipeline-region:
// SM100A-LABEL: IR after tileas-remove-buffer-alias:
// SM100A-LABEL: IR after tileas-remove-dead-args:
// SM100A-LABEL: IR after tileas-resolve-agent-boundary:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after tileas-select-cta-group:
// SM100A-LABEL: IR after tileas-overlap-epilogue:
// SM100A-LABEL: IR after optimize-execution-unit-mapping:
// SM100A-LABEL: IR after lower-ldgsts-load-to-async:
// SM100A-LABEL: IR after tileas-attach-tma-desc-args:
// SM100A-LABEL: IR after tileas-legalize-tmem-copy:
// SM100A-LABEL: IR after tileas-select-lowering:
// SM100A: %[[V0:\w+]] = nv_tileas.reduce %[[V1:\w+]] {nv_tileas.exchanges = [#nv_tileas.atom_plan<shared_memory>], axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<32>} : tensor<1x256xf32,
// SM100A: %[[V2:\w+]] = nv_tileaa.subf %[[V1]], %[[V3:\w+]] {nv_tileas.strategy = #nv_tileas.strategy<pairs>} : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V4:\w+]] = nv_tileaa.exp %[[V2]] {nv_tileas.strategy = #nv_tileas.strategy<polynomial>} : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V5:\w+]] = nv_tileaa.divf %[[V4]], %[[V6:\w+]] {nv_tileas.strategy = #nv_tileas.strategy<instruction>} : tensor<1x256xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A-LABEL: IR after tileas-allocate-shared-memory:
// SM100A: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 16 : i32, nv_tileas.smem_alignment = 1 : i32} {
// SM100A: %[[V0:\w+]] = nv_tileas.reduce %[[V1:\w+]] {nv_tileas.exchanges = [#nv_tileas.atom_plan<shared_memory>], nv_tileas.scratch = #nv_tileas.allocation<offset = 0, size = 16>, axis = 1 : i32,
// SM100A-LABEL: IR after tileas-allocate-tensor-memory:
// SM100A: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 16 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.
// SM100A-LABEL: IR after tileas-insert-barriers:
// SM100A: nv_tileaa.func @softmax_f32({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 16 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.
// SM100A: nv_tileas.barrier agent
// SM100A-LABEL: IR after convert-tileas-to-llvm:
// SM100A: %[[V0:\w+]] = nvvm.shfl.sync bfly %[[V1:\w+]], %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]] : i32 -> i32
// SM100A: nvvm.barrier
