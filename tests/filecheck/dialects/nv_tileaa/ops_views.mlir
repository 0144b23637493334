// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

%p, %n, %s, %i, %t = "test.op"() : () -> (!nv_tileaa.ptr<f32>, i32, i64, i32, !nv_tileaa.mem_token)
%m = nv_tileaa.make_memref %p sizes = [%n : i32] strides = [%s : i64] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x64xf32, strides = [?, 1]>
%m0 = nv_tileaa.make_memref %p offset = %n : i32 {alias_scope = 1 : i32} : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<f32>
%v = nv_tileaa.block_tile %m {tileSizes = array<i64: 16, 32>, dimGroups = [[1], [0]]} : !nv_tileaa.memref<?x64xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>
%x, %t1 = nv_tileaa.tiled_load weak %v[%i, %n] token = %t {padding_value = #nv_tileaa.padding_value<neg_inf>, allow_tma = true} : !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[i32, i32] -> tensor<16x32xf32>, !nv_tileaa.mem_token
%t2 = nv_tileaa.tiled_store relaxed tl_blk %x, %v[%i, %n] {in_bounds = array<i1: true, false>} : tensor<16x32xf32>, !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[i32, i32] -> !nv_tileaa.mem_token

// CHECK:      %m = nv_tileaa.make_memref %p sizes = [%n : i32] strides = [%s : i64] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x64xf32, strides = [?, 1]>
// CHECK-NEXT: %m0 = nv_tileaa.make_memref %p offset = %n : i32 {alias_scope = 1 : i32} : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<f32>
// CHECK-NEXT: %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 16, 32>, dimGroups = {{\[\[}}1 : i64], [0 : i64]]} : !nv_tileaa.memref<?x64xf32, strides = [?, 1]> -> !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>
// CHECK-NEXT: %x, %t1 = nv_tileaa.tiled_load weak %v[%i, %n] token = %t {{{.*}}padding_value = #nv_tileaa.padding_value<neg_inf>{{.*}}} : !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[i32, i32] -> tensor<16x32xf32>, !nv_tileaa.mem_token
// CHECK-NEXT: %t2 = nv_tileaa.tiled_store relaxed tl_blk %x, %v[%i, %n] {in_bounds = array<i1: true, false>} : tensor<16x32xf32>, !nv_tileaa.tiled_view<16x32xf32, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>[i32, i32] -> !nv_tileaa.mem_token

// GENERIC: "nv_tileaa.make_memref"(%p, %n, %s) <{operandSegmentSizes = array<i32: 1, 0, 1, 1>}>
