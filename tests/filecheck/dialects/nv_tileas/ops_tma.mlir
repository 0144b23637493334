// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

nv_tileaa.func @kernel(%p: !nv_tileaa.ptr<f16>, %m: i32, %i: index, %j: index, %rows: tensor<64xi32>, %t: !nv_tileaa.mem_token) {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %o = nv_tileaa.make_memref %p sizes = [%m, %m : i32, i32] strides = [%m : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>
  %d = nv_tileas.make_tiled_tma_desc %v[%c128, %c64] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 0 : i32, alignment = 128 : i64} : !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
  %e = nv_tileas.make_tiled_tma_desc %o[%c128, %c64] {atom = #nv_tileas<atom tma_store_2d>} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]>, index, index -> !cute_nvgpu.tma_descriptor_tiled
  %f = nv_tileas.make_tiled_tma_desc %o[%c128, %c64] {atom = #nv_tileas<atom tma_redg_add_2d>} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]>, index, index -> !nv_tileas.tma_desc
  %s = nv_tileas.alloc_tensor : tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
  %w = nv_tileas.view %s : tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>> to !nv_tileas.tiled_view<128x64xf16, smem>
  %a = nv_tileas.async.tiled_tma_load %d, %w[%i, %j], %t {atom = #nv_tileas<atom tma_load_2d>, padding_value = #nv_tileaa.padding_value<zero>, tx_count = 16384 : i32, num_multicast = 2 : i32, multicast_stride = 4 : i32, tmaIdx = 0 : i32} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<128x64xf16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token
  %b = nv_tileas.async.tiled_tma_load %d, %s[%j], %t {atom = #nv_tileas<atom tma_load_2d>, operandSegmentSizes = array<i32: 1, 1, 1, 1>} : !nv_tileas.tma_desc, tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, index, !nv_tileaa.mem_token -> !async.value<tile<128x64xf16>>
  %c = nv_tileas.async.tiled_tma_store %e, %w[%i, %j] {atom = #nv_tileas<atom tma_store_2d>} : !cute_nvgpu.tma_descriptor_tiled, !nv_tileas.tiled_view<128x64xf16, smem>, index, index -> !nv_tileas.async_token
  %g = nv_tileas.async.tiled_tma_reduce %f, %w[%i, %j] {atom = #nv_tileas<atom tma_redg_add_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<128x64xf16, smem>, index, index -> !nv_tileas.async_token
  %h = nv_tileas.async.gather_tma_load %d, %w[%j], %rows, %t {atom = #nv_tileas<atom tma_gather4_2d>, padding_value = 0.0 : f16} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<128x64xf16, smem>, index, tensor<64xi32>, !nv_tileaa.mem_token -> !nv_tileas.async_token
  %k = nv_tileas.async.scatter_tma_store %e, %w[%j], %rows {atom = #nv_tileas<atom tma_scatter4_2d>} : !cute_nvgpu.tma_descriptor_tiled, !nv_tileas.tiled_view<128x64xf16, smem>, index, tensor<64xi32> -> !nv_tileas.async_token
  %y = nv_tileas.pad %s of %v[%i, %j] {padding_value = #nv_tileaa.padding_value<neg_inf>} : tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>[index, index] -> tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
  %z = nv_tileas.pad %y of %v[%m, %m] offset[%i, %j] {padding_value = #nv_tileaa.padding_value<pos_inf>, in_bounds = array<i1: true, false>} : tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>[i32, i32] -> tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
  nv_tileas.async.pipeline.agent_switch %v {num_agents_per_group = 1 : i32, isolated = true} : (!nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>) {
  ^bb0(%u : !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>):
    %n = arith.constant 64 : index
    %x = nv_tileas.make_tiled_tma_desc %u[%n, %n] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
    nv_tileas.async.pipeline.yield
  }
  nv_tileaa.return
}

// GENERIC: operandSegmentSizes = array<i32: 1, 1, 2, 1>
// GENERIC: operandSegmentSizes = array<i32: 1, 1, 1, 1>

// CHECK:      nv_tileaa.func @kernel(%p: !nv_tileaa.ptr<f16>, %m: i32, %i: index, %j: index, %rows: tensor<64xi32>, %t: !nv_tileaa.mem_token) {
// CHECK-NEXT:   %c64 = arith.constant 64 : index
// CHECK-NEXT:   %c128 = arith.constant 128 : index
// CHECK-NEXT:   %o = nv_tileaa.make_memref %p sizes = [%m, %m : i32, i32] strides = [%m : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
// CHECK-NEXT:   %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 128, 64>, dimGroups = {{\[\[}}0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>
// CHECK-NEXT:   %d = nv_tileas.make_tiled_tma_desc %v[%c128, %c64] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 0 : i32, alignment = 128 : i64} : !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
// CHECK-NEXT:   %e = nv_tileas.make_tiled_tma_desc %o[%c128, %c64] {atom = #nv_tileas<atom tma_store_2d>} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]>, index, index -> !cute_nvgpu.tma_descriptor_tiled
// CHECK-NEXT:   %f = nv_tileas.make_tiled_tma_desc %o[%c128, %c64] {atom = #nv_tileas<atom tma_redg_add_2d>} : !nv_tileaa.memref<?x?xf16, strides = [?, 1]>, index, index -> !nv_tileas.tma_desc
// CHECK-NEXT:   %s = nv_tileas.alloc_tensor : tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
// CHECK-NEXT:   %w = nv_tileas.view %s : tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>> to !nv_tileas.tiled_view<128x64xf16, smem>
// CHECK-NEXT:   %a = nv_tileas.async.tiled_tma_load %d, %w[%i, %j], %t {atom = #nv_tileas<atom tma_load_2d>, padding_value = #nv_tileaa.padding_value<zero>, tx_count = 16384 : i32, num_multicast = 2 : i32, multicast_stride = 4 : i32, tmaIdx = 0 : i32} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<128x64xf16, smem>, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token
// CHECK-NEXT:   %b = nv_tileas.async.tiled_tma_load %d, %s[%j], %t {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileas.tma_desc, tile<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, index, !nv_tileaa.mem_token -> !async.value<tile<128x64xf16>>
// CHECK-NEXT:   %c = nv_tileas.async.tiled_tma_store %e, %w[%i, %j] {atom = #nv_tileas<atom tma_store_2d>} : !cute_nvgpu.tma_descriptor_tiled, !nv_tileas.tiled_view<128x64xf16, smem>, index, index -> !nv_tileas.async_token
// CHECK-NEXT:   %g = nv_tileas.async.tiled_tma_reduce %f, %w[%i, %j] {atom = #nv_tileas<atom tma_redg_add_2d>} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<128x64xf16, smem>, index, index -> !nv_tileas.async_token
// CHECK-NEXT:   %h = nv_tileas.async.gather_tma_load %d, %w[%j], %rows, %t {atom = #nv_tileas<atom tma_gather4_2d>, padding_value = 0.000000e+00 : f16} : !nv_tileas.tma_desc, !nv_tileas.tiled_view<128x64xf16, smem>, index, tile<64xi32>, !nv_tileaa.mem_token -> !nv_tileas.async_token
// CHECK-NEXT:   %k = nv_tileas.async.scatter_tma_store %e, %w[%j], %rows {atom = #nv_tileas<atom tma_scatter4_2d>} : !cute_nvgpu.tma_descriptor_tiled, !nv_tileas.tiled_view<128x64xf16, smem>, index, tile<64xi32> -> !nv_tileas.async_token
// CHECK-NEXT:   %y = nv_tileas.pad %s of %v[%i, %j] {padding_value = #nv_tileaa.padding_value<neg_inf>} : tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>[index, index] -> tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
// CHECK-NEXT:   %z = nv_tileas.pad %y of %v[%m, %m] offset[%i, %j] {padding_value = #nv_tileaa.padding_value<pos_inf>, in_bounds = array<i1: true, false>} : tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>, !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>[i32, i32] -> tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
// CHECK-NEXT:   nv_tileas.async.pipeline.agent_switch %v {num_agents_per_group = 1 : i32, isolated = true} : (!nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>) {
// CHECK-NEXT:   ^bb0(%u : !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>):
// CHECK-NEXT:     %n = arith.constant 64 : index
// CHECK-NEXT:     %x = nv_tileas.make_tiled_tma_desc %u[%n, %n] {atom = #nv_tileas<atom tma_load_2d>} : !nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>, index, index -> !nv_tileas.tma_desc
// CHECK-NEXT:     nv_tileas.async.pipeline.yield
// CHECK-NEXT:   }
// CHECK-NEXT:   nv_tileaa.return
// CHECK-NEXT: }
