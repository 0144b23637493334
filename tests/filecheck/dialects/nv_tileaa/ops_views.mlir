// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

%p, %n, %s, %i, %t = "test.op"() : () -> (!nv_tileaa.ptr<f32>, i32, i64, i32, !nv_tileaa.mem_token)
%m = nv_tileaa.make_memref %p sizes = [%n : i32] strides = [%s : i64] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x64xf32, strides = [?, 1]>
%m0 = nv_tileaa.make_memref %p offset = %n : i32 {alias_scope = 1 : i32} : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<f32>
%size = nv_tileaa.get_dim_size %m {axis = 0 : i32} : !nv_tileaa.memref<?x64xf32, strides = [?, 1]> -> i32
%v = nv_tileaa.block_tile %m {tileSizes = array<i64: 16, 32>, dimGroups = [[1], [0]]} : !nv_tileaa.memref<?x64xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>
%w = nv_tileaa.block_tile %m {tileSizes = array<i64: 16, 32>, tileStrides = array<i64: 8, 1>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x64xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>
%x, %t1 = nv_tileaa.tiled_load weak %v[%i, %n] token = %t {padding_value = #nv_tileaa.padding_value<neg_inf>, allow_tma = true} : !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[i32, i32] -> tensor<16x32xf32>, !nv_tileaa.mem_token
%t2 = nv_tileaa.tiled_store relaxed tl_blk %x, %v[%i, %n] {in_bounds = array<i1: true, false>} : tensor<16x32xf32>, !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[i32, i32] -> !nv_tileaa.mem_token
%t3 = nv_tileaa.tiled_atomic_rmw relaxed gpu add %x, %v[%i, %n] token = %t2 : tensor<16x32xf32>, !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[i32, i32] -> !nv_tileaa.mem_token
%rows = "test.op"() : () -> tensor<16xi64>
%y, %t4 = nv_tileaa.gather_load weak %v[%rows, %i] token = %t3 {padding_value = #nv_tileaa.padding_value<zero>, sparse_dim = 0 : i32} : !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[tensor<16xi64>, i32] -> tensor<16x32xf32>, !nv_tileaa.mem_token
%t5 = nv_tileaa.scatter_store release sys %y, %v[%rows, %i] {sparse_dim = 0 : i32} : tensor<16x32xf32>, !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[tensor<16xi64>, i32] -> !nv_tileaa.mem_token

%all, %z = "test.op"() : () -> (!nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>, tensor<8xf16>)
%sum, %t6 = nv_tileaa.multimem_load_reduce weak max %all[%i] : !nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>[i32] -> tensor<8xf16>, !nv_tileaa.mem_token
%t7 = nv_tileaa.multimem_reduce relaxed sys add %z, %all[%i] token = %t6 : tensor<8xf16>, !nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>[i32] -> !nv_tileaa.mem_token
%t8 = nv_tileaa.multimem_store weak %z, %all[%i] : tensor<8xf16>, !nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>[i32] -> !nv_tileaa.mem_token

%images = "test.op"() : () -> !nv_tileaa.memref<2x8x8x16xf16, strides = [1024, 128, 16, 1]>
%patches = nv_tileaa.conv_tile %images {tileSizes = array<i64: 32, 16>, dimGroups = [[0, 1, 2], [3]], filterSize = array<i64: 3, 3>, convParams = #nv_tileaa.conv_params<padding = [1, 1], stride = [1, 1], dilation = [1, 1]>, channel = 3 : i64} : !nv_tileaa.memref<2x8x8x16xf16, strides = [1024, 128, 16, 1]> -> !nv_tileaa.tiled_view<32x16xf16, !nv_tileaa.memref<2x8x8x16xf16, strides = [1024, 128, 16, 1]>>

// CHECK:      %m = nv_tileaa.make_memref %p sizes = [%n : i32] strides = [%s : i64] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x64xf32, strides = [?, 1]>
// CHECK-NEXT: %m0 = nv_tileaa.make_memref %p offset = %n : i32 {alias_scope = 1 : i32} : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<f32>
// CHECK-NEXT: %size = nv_tileaa.get_dim_size %m {axis = 0 : i32} : !nv_tileaa.memref<?x64xf32, strides = [?, 1]> -> i32
// CHECK-NEXT: %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 16, 32>, dimGroups = {{\[\[}}1 : i64], [0 : i64]]} : !nv_tileaa.memref<?x64xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>
// CHECK-NEXT: %w = nv_tileaa.block_tile %m {tileSizes = array<i64: 16, 32>, tileStrides = array<i64: 8, 1>, dimGroups = {{\[\[}}0 : i64], [1 : i64]]} : !nv_tileaa.memref<?x64xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>
// CHECK-NEXT: %x, %t1 = nv_tileaa.tiled_load weak %v[%i, %n] token = %t {padding_value = #nv_tileaa.padding_value<neg_inf>, allow_tma = true} : !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[i32, i32] -> tensor<16x32xf32>, !nv_tileaa.mem_token
// CHECK-NEXT: %t2 = nv_tileaa.tiled_store relaxed tl_blk %x, %v[%i, %n] {in_bounds = array<i1: true, false>} : tensor<16x32xf32>, !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[i32, i32] -> !nv_tileaa.mem_token
// CHECK-NEXT: %t3 = nv_tileaa.tiled_atomic_rmw relaxed gpu add %x, %v[%i, %n] token = %t2 : tensor<16x32xf32>, !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[i32, i32] -> !nv_tileaa.mem_token
// CHECK:      %y, %t4 = nv_tileaa.gather_load weak %v[%rows, %i] token = %t3 {padding_value = #nv_tileaa.padding_value<zero>, sparse_dim = 0 : i32} : !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[tensor<16xi64>, i32] -> tensor<16x32xf32>, !nv_tileaa.mem_token
// CHECK-NEXT: %t5 = nv_tileaa.scatter_store release sys %y, %v[%rows, %i] {sparse_dim = 0 : i32} : tensor<16x32xf32>, !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[tensor<16xi64>, i32] -> !nv_tileaa.mem_token
// CHECK:      %sum, %t6 = nv_tileaa.multimem_load_reduce weak max %all[%i] : !nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>[i32] -> tensor<8xf16>, !nv_tileaa.mem_token
// CHECK-NEXT: %t7 = nv_tileaa.multimem_reduce relaxed sys add %z, %all[%i] token = %t6 : tensor<8xf16>, !nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>[i32] -> !nv_tileaa.mem_token
// CHECK-NEXT: %t8 = nv_tileaa.multimem_store weak %z, %all[%i] : tensor<8xf16>, !nv_tileaa.tiled_view<8xf16, !nv_tileaa.memref<64xf16, strides = [1], multicast>>[i32] -> !nv_tileaa.mem_token
// CHECK:      %patches = nv_tileaa.conv_tile %images {tileSizes = array<i64: 32, 16>, dimGroups = {{\[\[}}0 : i64, 1 : i64, 2 : i64], [3 : i64]], filterSize = array<i64: 3, 3>, convParams = #nv_tileaa.conv_params<padding = [1, 1], stride = [1, 1], dilation = [1, 1]>, channel = 3 : i64} : !nv_tileaa.memref<2x8x8x16xf16, strides = [1024, 128, 16, 1]> -> !nv_tileaa.tiled_view<32x16xf16, !nv_tileaa.memref<2x8x8x16xf16, strides = [1024, 128, 16, 1]>>

// GENERIC: "nv_tileaa.make_memref"(%p, %n, %s) <{operandSegmentSizes = array<i32: 1, 0, 1, 1>}>
