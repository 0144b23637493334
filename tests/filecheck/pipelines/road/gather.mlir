// Written by `python -m tests.pipeline_checks`: what each pass makes of a real kernel.
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/divisible/gather_rows.mlir -p 'tileir-pipeline{gpu=sm_80}' --print-between-passes | filecheck %s --check-prefix=SM80
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/divisible/gather_rows.mlir -p 'tileir-pipeline{gpu=sm_90a}' --print-between-passes | filecheck %s --check-prefix=SM90A
// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/divisible/gather_rows.mlir -p 'tileir-pipeline{gpu=sm_100a}' --print-between-passes | filecheck %s --check-prefix=SM100A

// SM80-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM80: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM80: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM80: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f32>
// SM80: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]] : i32, i32] strides = [%[[V6:\w+]] : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32,
// SM80: %[[V7:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM80: %[[V8:\w+]] = nv_tileaa.block_tile %[[V9:\w+]] {tileSizes = array<i64: 8>, dimGroups =
// SM80: %[[V10:\w+]], %[[V11:\w+]] = nv_tileaa.tiled_load weak %[[V8]][%[[V7]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<8xi32, !nv_tileaa.memref<?xi32, strides
// SM80: %[[V12:\w+]], %[[V13:\w+]] = nv_tileaa.gather_load weak %[[V14:\w+]][%[[V10]], %[[V15:\w+]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<zero>, sparse_dim = 0 : i32} : !nv_tileaa.tiled_view<8x32xf32,
// SM80: %[[V16:\w+]] = nv_tileaa.tiled_store weak %[[V12]], %[[V17:\w+]][%[[V7]], %[[V18:\w+]]] token = %[[V0]] : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32, !nv_tileaa.memref<?x?xf32, strides =
// SM80: %[[V19:\w+]] = nv_tileaa.scatter_store weak %[[V12]], %[[V20:\w+]][%[[V10]], %[[V21:\w+]]] token = %[[V0]] {sparse_dim = 0 : i32} : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32,
// SM80-LABEL: IR after canonicalize:
// SM80-LABEL: IR after tileas-plan-cta:
// SM80-LABEL: IR after tileas-slice-and-fuse:
// SM80-LABEL: IR after convert-tileaa-to-tileas:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]]] token = %[[V4:\w+]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<8xi32, !nv_tileaa.memref<?xi32, strides
// SM80: %[[V5:\w+]], %[[V6:\w+]] = nv_tileas.gather_load weak %[[V7:\w+]][%[[V0]], %[[V8:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<8x32xf32,
// SM80: %[[V9:\w+]] = nv_tileas.tiled_store weak %[[V5]], %[[V10:\w+]][%[[V3]], %[[V11:\w+]]] token = %[[V4]] : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32, !nv_tileaa.memref<?x?xf32, strides =
// SM80: %[[V12:\w+]] = nv_tileas.scatter_store weak %[[V5]], %[[V13:\w+]][%[[V0]], %[[V14:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32} : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32,
// SM80-LABEL: IR after tileas-slicing:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after tileas-plan-tensor-maps:
// SM80-LABEL: IR after tileas-assign-dot-layouts:
// SM80-LABEL: IR after tileas-assign-load-store-layouts:
// SM80: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]]] token = %[[V4:\w+]] {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>, padding_value =
// SM80: %[[V5:\w+]] = nv_tileas.convert_layout %[[V0]] : tensor<8xi32, #nv_tileas.layout<(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>> -> tensor<8xi32, #nv_tileas.layout<(2, 32, 4, 1), (4, 0, 1, 0)>>
// SM80: %[[V6:\w+]], %[[V7:\w+]] = nv_tileas.gather_load weak %[[V8:\w+]][%[[V5]], %[[V9:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32, atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>,
// SM80: %[[V10:\w+]] = nv_tileas.tiled_store weak %[[V6]], %[[V11:\w+]][%[[V3]], %[[V12:\w+]]] token = %[[V4]] {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>} :
// SM80: %[[V13:\w+]] = nv_tileas.scatter_store weak %[[V6]], %[[V14:\w+]][%[[V15:\w+]], %[[V16:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32, atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1),
// SM80-LABEL: IR after tileas-remove-layout-conversions:
// SM80-LABEL: IR after tileas-remove-buffer-alias:
// SM80-LABEL: IR after tileas-remove-dead-args:
// SM80-LABEL: IR after tileas-resolve-agent-boundary:
// SM80-LABEL: IR after tileas-slicing:
// SM80-LABEL: IR after tileas-canonicalize:
// SM80-LABEL: IR after lower-tma-load-store-to-async:
// SM80-LABEL: IR after tileas-materialize-convert-layout:
// SM80: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] {atom_plan = #nv_tileas.atom_plan<shuffle>} : tensor<8xi32, #nv_tileas.layout<(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>> -> tensor<8xi32,
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
// SM80: %[[V0:\w+]] = nv_tileas.shuffle %[[V1:\w+]] {nv_tileas.exchanges = [#nv_tileas.atom_plan<shuffle>]} : tensor<8xi32, #nv_tileas.layout<(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>> -> tensor<8xi32,
// SM80-LABEL: IR after tileas-allocate-shared-memory:
// SM80: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32} {
// SM80-LABEL: IR after tileas-allocate-tensor-memory:
// SM80: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.t
// SM80-LABEL: IR after tileas-insert-barriers:
// SM80: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.t
// SM80-LABEL: IR after convert-tileas-to-llvm:
// SM80: %[[V0:\w+]] = nvvm.shfl.sync idx %[[V1:\w+]], %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]] : i32 -> i32

// SM90A-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM90A: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM90A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM90A: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f32>
// SM90A: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]] : i32, i32] strides = [%[[V6:\w+]] : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32,
// SM90A: %[[V7:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM90A: %[[V8:\w+]] = nv_tileaa.block_tile %[[V9:\w+]] {tileSizes = array<i64: 8>, dimGroups =
// SM90A: %[[V10:\w+]], %[[V11:\w+]] = nv_tileaa.tiled_load weak %[[V8]][%[[V7]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<8xi32, !nv_tileaa.memref<?xi32, strides
// SM90A: %[[V12:\w+]], %[[V13:\w+]] = nv_tileaa.gather_load weak %[[V14:\w+]][%[[V10]], %[[V15:\w+]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<zero>, sparse_dim = 0 : i32} : !nv_tileaa.tiled_view<8x32xf32,
// SM90A: %[[V16:\w+]] = nv_tileaa.tiled_store weak %[[V12]], %[[V17:\w+]][%[[V7]], %[[V18:\w+]]] token = %[[V0]] : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32, !nv_tileaa.memref<?x?xf32, strides =
// SM90A: %[[V19:\w+]] = nv_tileaa.scatter_store weak %[[V12]], %[[V20:\w+]][%[[V10]], %[[V21:\w+]]] token = %[[V0]] {sparse_dim = 0 : i32} : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32,
// SM90A-LABEL: IR after canonicalize:
// SM90A-LABEL: IR after tileas-plan-cta:
// SM90A-LABEL: IR after tileas-slice-and-fuse:
// SM90A-LABEL: IR after convert-tileaa-to-tileas:
// SM90A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]]] token = %[[V4:\w+]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<8xi32, !nv_tileaa.memref<?xi32, strides
// SM90A: %[[V5:\w+]], %[[V6:\w+]] = nv_tileas.gather_load weak %[[V7:\w+]][%[[V0]], %[[V8:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<8x32xf32,
// SM90A: %[[V9:\w+]] = nv_tileas.tiled_store weak %[[V5]], %[[V10:\w+]][%[[V3]], %[[V11:\w+]]] token = %[[V4]] : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32, !nv_tileaa.memref<?x?xf32, strides =
// SM90A: %[[V12:\w+]] = nv_tileas.scatter_store weak %[[V5]], %[[V13:\w+]][%[[V0]], %[[V14:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32} : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32,
// SM90A-LABEL: IR after tileas-slicing:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after tileas-plan-tensor-maps:
// SM90A-LABEL: IR after tileas-assign-dot-layouts:
// SM90A-LABEL: IR after tileas-assign-load-store-layouts:
// SM90A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]]] token = %[[V4:\w+]] {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>, padding_value =
// SM90A: %[[V5:\w+]] = nv_tileas.convert_layout %[[V0]] : tensor<8xi32, #nv_tileas.layout<(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>> -> tensor<8xi32, #nv_tileas.layout<(2, 32, 4, 1), (4, 0, 1, 0)>>
// SM90A: %[[V6:\w+]], %[[V7:\w+]] = nv_tileas.gather_load weak %[[V8:\w+]][%[[V5]], %[[V9:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32, atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>,
// SM90A: %[[V10:\w+]] = nv_tileas.tiled_store weak %[[V11:\w+]], %[[V12:\w+]][%[[V3]], %[[V13:\w+]]] token = %[[V4]] {atom = #nv_tileas<atom tma_store_2d>, nv_tileas.layout = <(8, 32), (32, 1), swizzle<3, 4,
// SM90A: %[[V14:\w+]] = nv_tileas.scatter_store weak %[[V15:\w+]], %[[V16:\w+]][%[[V17:\w+]], %[[V18:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32, atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128,
// SM90A-LABEL: IR after tileas-remove-layout-conversions:
// SM90A-LABEL: IR after tileas-remove-buffer-alias:
// SM90A-LABEL: IR after tileas-remove-dead-args:
// SM90A-LABEL: IR after tileas-resolve-agent-boundary:
// SM90A-LABEL: IR after tileas-slicing:
// SM90A-LABEL: IR after tileas-canonicalize:
// SM90A-LABEL: IR after lower-tma-load-store-to-async:
// SM90A: %[[V0:\w+]] = nv_tileas.make_tiled_tma_desc %[[V1:\w+]][%[[V2:\w+]], %[[V3:\w+]]] {atom = #nv_tileas<atom tma_store_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>,
// SM90A: nv_tileas.fence acq_rel tl_blk
// SM90A: %[[V4:\w+]] = nv_tileas.async.tiled_tma_store %[[V0]], %[[V5:\w+]][%[[V6:\w+]], %[[V7:\w+]]] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 0 : i32} : !nv_tileas.tma_desc, tile<8x32xf32, #nv_tileas.memory<smem,
// SM90A: nv_tileas.async.wait %[[V4]] : !nv_tileas.async_token
// SM90A-LABEL: IR after tileas-materialize-convert-layout:
// SM90A: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] {atom_plan = #nv_tileas.atom_plan<shuffle>} : tensor<8xi32, #nv_tileas.layout<(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>> -> tensor<8xi32,
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
// SM90A: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, "nv_tileas.num-host-tmas" = 1 : i32, "nv_tileas.num-device-tmas" = 0 : i32, nv_
// SM90A-LABEL: IR after tileas-legalize-tmem-copy:
// SM90A-LABEL: IR after tileas-select-lowering:
// SM90A: %[[V0:\w+]] = nv_tileas.shuffle %[[V1:\w+]] {nv_tileas.exchanges = [#nv_tileas.atom_plan<shuffle>]} : tensor<8xi32, #nv_tileas.layout<(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>> -> tensor<8xi32,
// SM90A: %[[V2:\w+]] = nv_tileas.convert_layout %[[V3:\w+]] {nv_tileas.accesses = [#nv_tileas.access<matrices>]} : tensor<8x32xf32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>> ->
// SM90A: %[[V4:\w+]] = nv_tileas.async.tiled_tma_store %[[V5:\w+]], %[[V2]][%[[V6:\w+]], %[[V7:\w+]]] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 0 : i32, nv_tileas.issuer =
// SM90A-LABEL: IR after tileas-allocate-shared-memory:
// SM90A: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, "nv_tileas.num-host-tmas" = 1 : i32, "nv_tileas.num-device-tmas" = 0 : i32, nv_
// SM90A: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] {nv_tileas.accesses = [#nv_tileas.access<matrices>], nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 1024>} : tensor<8x32xf32,
// SM90A-LABEL: IR after tileas-allocate-tensor-memory:
// SM90A: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, "nv_tileas.num-host-tmas" = 1 : i32, "nv_tileas.num-device-tmas" = 0 : i32, nv_
// SM90A-LABEL: IR after tileas-insert-barriers:
// SM90A: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, "nv_tileas.num-host-tmas" = 1 : i32, "nv_tileas.num-device-tmas" = 0 : i32, nv_
// SM90A: nv_tileas.fence_proxy async_shared
// SM90A: nv_tileas.barrier agent
// SM90A-LABEL: IR after convert-tileas-to-llvm:
// SM90A: nvvm.prefetch tensormap, %[[V0:\w+]] : !llvm.ptr
// SM90A: %[[V1:\w+]] = nvvm.shfl.sync idx %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]], %[[V5:\w+]] : i32 -> i32
// SM90A: nvvm.stmatrix %[[V6:\w+]], %[[V7:\w+]], %[[V8:\w+]] {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>,
// SM90A: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// SM90A: nvvm.barrier
// SM90A: %[[V9:\w+]] = nvvm.elect.sync -> i1
// SM90A: nvvm.cp.async.bulk.tensor.global.shared.cta %[[V0]], %[[V10:\w+]], box[%[[V11:\w+]], %[[V12:\w+]]] : !llvm.ptr, !llvm.ptr<3>
// SM90A: nvvm.cp.async.bulk.commit.group
// SM90A: nvvm.cp.async.bulk.wait_group 0 {read}

// SM100A-LABEL: IR after convert-cuda-tile-to-tileaa:
// SM100A: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
// SM100A: %[[V0:\w+]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// SM100A: %[[V1:\w+]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[V2:\w+]] : !nv_tileaa.ptr<f32>
// SM100A: %[[V3:\w+]] = nv_tileaa.make_memref %[[V1]] sizes = [%[[V4:\w+]], %[[V5:\w+]] : i32, i32] strides = [%[[V6:\w+]] : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x?xf32,
// SM100A: %[[V7:\w+]] = nv_tileaa.get_program_id 0 : i32
// SM100A: %[[V8:\w+]] = nv_tileaa.block_tile %[[V9:\w+]] {tileSizes = array<i64: 8>, dimGroups =
// SM100A: %[[V10:\w+]], %[[V11:\w+]] = nv_tileaa.tiled_load weak %[[V8]][%[[V7]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<8xi32, !nv_tileaa.memref<?xi32, strides
// SM100A: %[[V12:\w+]], %[[V13:\w+]] = nv_tileaa.gather_load weak %[[V14:\w+]][%[[V10]], %[[V15:\w+]]] token = %[[V0]] {padding_value = #nv_tileaa.padding_value<zero>, sparse_dim = 0 : i32} : !nv_tileaa.tiled_view<8x32xf32,
// SM100A: %[[V16:\w+]] = nv_tileaa.tiled_store weak %[[V12]], %[[V17:\w+]][%[[V7]], %[[V18:\w+]]] token = %[[V0]] : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32, !nv_tileaa.memref<?x?xf32, strides =
// SM100A: %[[V19:\w+]] = nv_tileaa.scatter_store weak %[[V12]], %[[V20:\w+]][%[[V10]], %[[V21:\w+]]] token = %[[V0]] {sparse_dim = 0 : i32} : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32,
// SM100A-LABEL: IR after canonicalize:
// SM100A-LABEL: IR after tileas-plan-cta:
// SM100A-LABEL: IR after tileas-slice-and-fuse:
// SM100A-LABEL: IR after convert-tileaa-to-tileas:
// SM100A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]]] token = %[[V4:\w+]] {padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<8xi32, !nv_tileaa.memref<?xi32, strides
// SM100A: %[[V5:\w+]], %[[V6:\w+]] = nv_tileas.gather_load weak %[[V7:\w+]][%[[V0]], %[[V8:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32, padding_value = #nv_tileaa.padding_value<zero>} : !nv_tileaa.tiled_view<8x32xf32,
// SM100A: %[[V9:\w+]] = nv_tileas.tiled_store weak %[[V5]], %[[V10:\w+]][%[[V3]], %[[V11:\w+]]] token = %[[V4]] : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32, !nv_tileaa.memref<?x?xf32, strides =
// SM100A: %[[V12:\w+]] = nv_tileas.scatter_store weak %[[V5]], %[[V13:\w+]][%[[V0]], %[[V14:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32} : tensor<8x32xf32>, !nv_tileaa.tiled_view<8x32xf32,
// SM100A-LABEL: IR after tileas-slicing:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after tileas-plan-tensor-maps:
// SM100A-LABEL: IR after tileas-assign-dot-layouts:
// SM100A-LABEL: IR after tileas-assign-load-store-layouts:
// SM100A: %[[V0:\w+]], %[[V1:\w+]] = nv_tileas.tiled_load weak %[[V2:\w+]][%[[V3:\w+]]] token = %[[V4:\w+]] {atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>, padding_value =
// SM100A: %[[V5:\w+]] = nv_tileas.convert_layout %[[V0]] : tensor<8xi32, #nv_tileas.layout<(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>> -> tensor<8xi32, #nv_tileas.layout<(2, 32, 4, 1), (4, 0, 1, 0)>>
// SM100A: %[[V6:\w+]], %[[V7:\w+]] = nv_tileas.gather_load weak %[[V8:\w+]][%[[V5]], %[[V9:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32, atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>,
// SM100A: %[[V10:\w+]] = nv_tileas.tiled_store weak %[[V6]], %[[V11:\w+]][%[[V3]], %[[V12:\w+]]] token = %[[V4]] {atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1), (128, 1, 32, 0)>} :
// SM100A: %[[V13:\w+]] = nv_tileas.scatter_store weak %[[V6]], %[[V14:\w+]][%[[V15:\w+]], %[[V16:\w+]]] token = %[[V4]] {sparse_dim = 0 : i32, atom = #nv_tileas<atom stg_32>, nv_tileas.layout = <(2, 32, 4, 1),
// SM100A-LABEL: IR after tileas-remove-layout-conversions:
// SM100A-LABEL: IR after tileas-remove-buffer-alias:
// SM100A-LABEL: IR after tileas-remove-dead-args:
// SM100A-LABEL: IR after tileas-resolve-agent-boundary:
// SM100A-LABEL: IR after tileas-slicing:
// SM100A-LABEL: IR after tileas-canonicalize:
// SM100A-LABEL: IR after lower-tma-load-store-to-async:
// SM100A-LABEL: IR after tileas-materialize-convert-layout:
// SM100A: %[[V0:\w+]] = nv_tileas.convert_layout %[[V1:\w+]] {atom_plan = #nv_tileas.atom_plan<shuffle>} : tensor<8xi32, #nv_tileas.layout<(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>> -> tensor<8xi32,
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
// SM100A: %[[V0:\w+]] = nv_tileas.shuffle %[[V1:\w+]] {nv_tileas.exchanges = [#nv_tileas.atom_plan<shuffle>]} : tensor<8xi32, #nv_tileas.layout<(1, (8, 4), 4, 1), (0, (1, 0), 0, 0)>> -> tensor<8xi32,
// SM100A-LABEL: IR after tileas-allocate-shared-memory:
// SM100A: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32} {
// SM100A-LABEL: IR after tileas-allocate-tensor-memory:
// SM100A: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.t
// SM100A-LABEL: IR after tileas-insert-barriers:
// SM100A: nv_tileaa.func @gather_rows({{.*}}) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 0 : i32, nv_tileas.smem_alignment = 1 : i32, nv_tileas.t
// SM100A-LABEL: IR after convert-tileas-to-llvm:
// SM100A: %[[V0:\w+]] = nvvm.shfl.sync idx %[[V1:\w+]], %[[V2:\w+]], %[[V3:\w+]], %[[V4:\w+]] : i32 -> i32
