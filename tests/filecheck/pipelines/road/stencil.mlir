// Written by `python -m tests.pipeline_checks`: what each pass makes of a real kernel.
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/heat_step.mlir -p 'tileir-pipeline{gpu=sm_80}' --print-between-passes | filecheck %s --check-prefix=SM80
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/heat_step.mlir -p 'tileir-pipeline{gpu=sm_90a}' --print-between-passes | filecheck %s --check-prefix=SM90A
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/heat_step.mlir -p 'tileir-pipeline{gpu=sm_100a}' --print-between-passes | filecheck %s --check-prefix=SM100A

// SM80-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM80: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM80: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM80: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f32>
// SM80: %[[V3:\w+]] = nv_tileaa.splat %[[V4:\w+]] : i64 -> tensor<16x16xi64>
// SM80: %[[V5:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM80: %[[V6:\w+]] = nv_tileaa.make_range %[[V7:\w+]], %[[V8:\w+]] : i32 -> tensor<16xi32>
// SM80: %[[V9:\w+]] = nv_tileaa.addi %[[V10:\w+]], %[[V6]] : tensor<16xi32>
// SM80: %[[V11:\w+]] = nv_tileaa.view %[[V9]] : tensor<16xi32> -> tensor<16x1xi32>
// SM80: %[[V12:\w+]] = nv_tileaa.broadcast %[[V13:\w+]] : tensor<16x1xi64> -> tensor<16x16xi64>
// SM80: %[[V14:\w+]] = nv_tileaa.addptr %[[V15:\w+]], %[[V16:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>>, tensor<16x16xi64>
// SM80-LABEL: IR after canonicalize:
// SM80: %[[V0:\w+]] = nv_tileaa.broadcast %[[V1:\w+]] : tensor<1x16xi64> -> tensor<16x16xi64>
// SM80: %[[V2:\w+]] = nv_tileaa.addptr %[[V3:\w+]], %[[V4:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>>, tensor<16x16xi64>
// SM80: %[[V5:\w+]] = nv_tileaa.splat %[[V6:\w+]] : i64 -> tensor<16x16xi64>
// SM80-LABEL: IR after tileas-plan-cta:
// SM80-LABEL: IR after tileas-slice-and-fuse:
// SM80-LABEL: IR after convert-tileaa-to-tileas:
// SM80: %[[V0:\w+]] = nv_tileas.view %[[V1:\w+]] : tensor<16xi32> to tensor<16x1xi32>
// SM80: %[[V2:\w+]], %[[V3:\w+]] = nv_tileas.load weak %[[V4:\w+]] mask = %[[V5:\w+]] : tensor<16x16xi1> other = %[[V6:\w+]] : tensor<16x16xf32> token = %[[V7:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>> -> tensor<16x16xf32>,
// SM80: %[[V8:\w+]] = nv_tileas.store weak %[[V9:\w+]], %[[V10:\w+]] mask = %[[V11:\w+]] : tensor<16x16xi1> token = %[[V7]] : tensor<16x16x!nv_tileaa.ptr<f32>>, tensor<16x16xf32> -> !nv_tileaa.mem_token
// SM80-LABEL: IR after tileas-slicing:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after tileas-plan-tensor-maps:
// SM80-LABEL: IR after tileas-assign-dot-layouts:
// SM80-LABEL: IR after tileas-assign-load-store-layouts:
// SM80: %[[V0:\w+]] = nv_tileaa.splat %[[V1:\w+]] : i64 -> tensor<16x16xi64, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM80: %[[V2:\w+]] = nv_tileaa.make_range %[[V3:\w+]], %[[V4:\w+]] : i32 -> tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>>
// SM80: %[[V5:\w+]] = nv_tileaa.addi %[[V6:\w+]], %[[V2]] : tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>>
// SM80: %[[V7:\w+]] = nv_tileas.view %[[V5]] : tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>> to tensor<16x1xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2,
// SM80: %[[V8:\w+]] = nv_tileaa.broadcast %[[V9:\w+]] : tensor<16x1xi64, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>> -> tensor<16x16xi64, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32,
// SM80: %[[V10:\w+]] = nv_tileaa.addptr %[[V11:\w+]], %[[V12:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>, tensor<16x16xi64, #nv_tileas.layout<(2, 32, 4, 1),
// SM80: %[[V13:\w+]], %[[V14:\w+]] = nv_tileas.load weak %[[V10]] mask = %[[V15:\w+]] : tensor<16x16xi1, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>> other = %[[V16:\w+]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32,
// SM80: %[[V17:\w+]] = nv_tileaa.addf %[[V18:\w+]], %[[V19:\w+]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM80: %[[V20:\w+]] = nv_tileaa.mulf %[[V21:\w+]], %[[V22:\w+]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM80: %[[V23:\w+]] = nv_tileaa.fma %[[V24:\w+]], %[[V13]], %[[V20]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
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
// SM80: %[[V0:\w+]] = nv_tileas.generate : tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>> {
// SM80: nv_tileas.yield %[[V1:\w+]] : i32
// SM80-LABEL: IR after tileas-allocate-shared-memory:
// SM80: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32} {
// SM80-LABEL: IR after tileas-allocate-tensor-memory:
// SM80: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.t
// SM80-LABEL: IR after tileas-insert-barriers:
// SM80: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.t
// SM80-LABEL: IR after convert-tileas-to-llvm:

// SM90A-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM90A: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM90A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM90A: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f32>
// SM90A: %[[V3:\w+]] = nv_tileaa.splat %[[V4:\w+]] : i64 -> tensor<16x16xi64>
// SM90A: %[[V5:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM90A: %[[V6:\w+]] = nv_tileaa.make_range %[[V7:\w+]], %[[V8:\w+]] : i32 -> tensor<16xi32>
// SM90A: %[[V9:\w+]] = nv_tileaa.addi %[[V10:\w+]], %[[V6]] : tensor<16xi32>
// SM90A: %[[V11:\w+]] = nv_tileaa.view %[[V9]] : tensor<16xi32> -> tensor<16x1xi32>
// SM90A: %[[V12:\w+]] = nv_tileaa.broadcast %[[V13:\w+]] : tensor<16x1xi64> -> tensor<16x16xi64>
// SM90A: %[[V14:\w+]] = nv_tileaa.addptr %[[V15:\w+]], %[[V16:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>>, tensor<16x16xi64>
// SM90A-LABEL: IR after canonicalize:
// SM90A: %[[V0:\w+]] = nv_tileaa.broadcast %[[V1:\w+]] : tensor<1x16xi64> -> tensor<16x16xi64>
// SM90A: %[[V2:\w+]] = nv_tileaa.addptr %[[V3:\w+]], %[[V4:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>>, tensor<16x16xi64>
// SM90A: %[[V5:\w+]] = nv_tileaa.splat %[[V6:\w+]] : i64 -> tensor<16x16xi64>
// SM90A-LABEL: IR after tileas-plan-cta:
// SM90A-LABEL: IR after tileas-slice-and-fuse:
// SM90A-LABEL: IR after convert-tileaa-to-tileas:
// SM90A: %[[V0:\w+]] = nv_tileas.view %[[V1:\w+]] : tensor<16xi32> to tensor<16x1xi32>
// SM90A: %[[V2:\w+]], %[[V3:\w+]] = nv_tileas.load weak %[[V4:\w+]] mask = %[[V5:\w+]] : tensor<16x16xi1> other = %[[V6:\w+]] : tensor<16x16xf32> token = %[[V7:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>> -> tensor<16x16xf32>,
// SM90A: %[[V8:\w+]] = nv_tileas.store weak %[[V9:\w+]], %[[V10:\w+]] mask = %[[V11:\w+]] : tensor<16x16xi1> token = %[[V7]] : tensor<16x16x!nv_tileaa.ptr<f32>>, tensor<16x16xf32> -> !nv_tileaa.mem_token
// SM90A-LABEL: IR after tileas-slicing:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after tileas-plan-tensor-maps:
// SM90A-LABEL: IR after tileas-assign-dot-layouts:
// SM90A-LABEL: IR after tileas-assign-load-store-layouts:
// SM90A: %[[V0:\w+]] = nv_tileaa.splat %[[V1:\w+]] : i64 -> tensor<16x16xi64, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM90A: %[[V2:\w+]] = nv_tileaa.make_range %[[V3:\w+]], %[[V4:\w+]] : i32 -> tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>>
// SM90A: %[[V5:\w+]] = nv_tileaa.addi %[[V6:\w+]], %[[V2]] : tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>>
// SM90A: %[[V7:\w+]] = nv_tileas.view %[[V5]] : tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>> to tensor<16x1xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2,
// SM90A: %[[V8:\w+]] = nv_tileaa.broadcast %[[V9:\w+]] : tensor<16x1xi64, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>> -> tensor<16x16xi64, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32,
// SM90A: %[[V10:\w+]] = nv_tileaa.addptr %[[V11:\w+]], %[[V12:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>, tensor<16x16xi64, #nv_tileas.layout<(2, 32, 4, 1),
// SM90A: %[[V13:\w+]], %[[V14:\w+]] = nv_tileas.load weak %[[V10]] mask = %[[V15:\w+]] : tensor<16x16xi1, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>> other = %[[V16:\w+]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32,
// SM90A: %[[V17:\w+]] = nv_tileaa.addf %[[V18:\w+]], %[[V19:\w+]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM90A: %[[V20:\w+]] = nv_tileaa.mulf %[[V21:\w+]], %[[V22:\w+]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM90A: %[[V23:\w+]] = nv_tileaa.fma %[[V24:\w+]], %[[V13]], %[[V20]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
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
// SM90A: %[[V0:\w+]] = nv_tileas.generate : tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>> {
// SM90A: nv_tileas.yield %[[V1:\w+]] : i32
// SM90A-LABEL: IR after tileas-allocate-shared-memory:
// SM90A: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32} {
// SM90A-LABEL: IR after tileas-allocate-tensor-memory:
// SM90A: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.t
// SM90A-LABEL: IR after tileas-insert-barriers:
// SM90A: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.t
// SM90A-LABEL: IR after convert-tileas-to-llvm:

// SM100A-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM100A: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM100A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM100A: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f32>
// SM100A: %[[V3:\w+]] = nv_tileaa.splat %[[V4:\w+]] : i64 -> tensor<16x16xi64>
// SM100A: %[[V5:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM100A: %[[V6:\w+]] = nv_tileaa.make_range %[[V7:\w+]], %[[V8:\w+]] : i32 -> tensor<16xi32>
// SM100A: %[[V9:\w+]] = nv_tileaa.addi %[[V10:\w+]], %[[V6]] : tensor<16xi32>
// SM100A: %[[V11:\w+]] = nv_tileaa.view %[[V9]] : tensor<16xi32> -> tensor<16x1xi32>
// SM100A: %[[V12:\w+]] = nv_tileaa.broadcast %[[V13:\w+]] : tensor<16x1xi64> -> tensor<16x16xi64>
// SM100A: %[[V14:\w+]] = nv_tileaa.addptr %[[V15:\w+]], %[[V16:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>>, tensor<16x16xi64>
// SM100A-LABEL: IR after canonicalize:
// SM100A: %[[V0:\w+]] = nv_tileaa.broadcast %[[V1:\w+]] : tensor<1x16xi64> -> tensor<16x16xi64>
// SM100A: %[[V2:\w+]] = nv_tileaa.addptr %[[V3:\w+]], %[[V4:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>>, tensor<16x16xi64>
// SM100A: %[[V5:\w+]] = nv_tileaa.splat %[[V6:\w+]] : i64 -> tensor<16x16xi64>
// SM100A-LABEL: IR after tileas-plan-cta:
// SM100A-LABEL: IR after tileas-slice-and-fuse:
// SM100A-LABEL: IR after convert-tileaa-to-tileas:
// SM100A: %[[V0:\w+]] = nv_tileas.view %[[V1:\w+]] : tensor<16xi32> to tensor<16x1xi32>
// SM100A: %[[V2:\w+]], %[[V3:\w+]] = nv_tileas.load weak %[[V4:\w+]] mask = %[[V5:\w+]] : tensor<16x16xi1> other = %[[V6:\w+]] : tensor<16x16xf32> token = %[[V7:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>> -> tensor<16x16xf32>,
// SM100A: %[[V8:\w+]] = nv_tileas.store weak %[[V9:\w+]], %[[V10:\w+]] mask = %[[V11:\w+]] : tensor<16x16xi1> token = %[[V7]] : tensor<16x16x!nv_tileaa.ptr<f32>>, tensor<16x16xf32> -> !nv_tileaa.mem_token
// SM100A-LABEL: IR after tileas-slicing:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after tileas-plan-tensor-maps:
// SM100A-LABEL: IR after tileas-assign-dot-layouts:
// SM100A-LABEL: IR after tileas-assign-load-store-layouts:
// SM100A: %[[V0:\w+]] = nv_tileaa.splat %[[V1:\w+]] : i64 -> tensor<16x16xi64, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V2:\w+]] = nv_tileaa.make_range %[[V3:\w+]], %[[V4:\w+]] : i32 -> tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>>
// SM100A: %[[V5:\w+]] = nv_tileaa.addi %[[V6:\w+]], %[[V2]] : tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>>
// SM100A: %[[V7:\w+]] = nv_tileas.view %[[V5]] : tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>> to tensor<16x1xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2,
// SM100A: %[[V8:\w+]] = nv_tileaa.broadcast %[[V9:\w+]] : tensor<16x1xi64, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>> -> tensor<16x16xi64, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32,
// SM100A: %[[V10:\w+]] = nv_tileaa.addptr %[[V11:\w+]], %[[V12:\w+]] : tensor<16x16x!nv_tileaa.ptr<f32>, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>, tensor<16x16xi64, #nv_tileas.layout<(2, 32, 4, 1),
// SM100A: %[[V13:\w+]], %[[V14:\w+]] = nv_tileas.load weak %[[V10]] mask = %[[V15:\w+]] : tensor<16x16xi1, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>> other = %[[V16:\w+]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32,
// SM100A: %[[V17:\w+]] = nv_tileaa.addf %[[V18:\w+]], %[[V19:\w+]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V20:\w+]] = nv_tileaa.mulf %[[V21:\w+]], %[[V22:\w+]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V23:\w+]] = nv_tileaa.fma %[[V24:\w+]], %[[V13]], %[[V20]] : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
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
// SM100A: %[[V0:\w+]] = nv_tileas.generate : tensor<16xi32, #nv_tileas.layout<(2, (16, 2), 4, 1), (8, (0, 1), 2, 0)>> {
// SM100A: nv_tileas.yield %[[V1:\w+]] : i32
// SM100A: %[[V2:\w+]] = nv_tileaa.addf %[[V3:\w+]], %[[V4:\w+]] {nv_tileas.strategy = #nv_tileas.strategy<pairs>} : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V5:\w+]] = nv_tileaa.mulf %[[V6:\w+]], %[[V7:\w+]] {nv_tileas.strategy = #nv_tileas.strategy<pairs>} : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A: %[[V8:\w+]] = nv_tileaa.fma %[[V9:\w+]], %[[V10:\w+]], %[[V5]] {nv_tileas.strategy = #nv_tileas.strategy<pairs>} : tensor<16x16xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
// SM100A-LABEL: IR after tileas-allocate-shared-memory:
// SM100A: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32} {
// SM100A-LABEL: IR after tileas-allocate-tensor-memory:
// SM100A: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.t
// SM100A-LABEL: IR after tileas-insert-barriers:
// SM100A: nv_tileaa.func @heat_step({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.t
// SM100A-LABEL: IR after convert-tileas-to-llvm:
