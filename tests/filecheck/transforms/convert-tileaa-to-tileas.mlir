// RUN: xdsl-opt %s -p convert-tileaa-to-tileas | filecheck %s

// Accesses change dialect with everything they carry, but padding that no element needs; other ops
// stay.
// CHECK-LABEL: nv_tileaa.func @accesses
nv_tileaa.func @accesses(%p: !nv_tileaa.ptr<f32>, %n: i32, %m: i1) {
  // CHECK-NEXT: %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  // CHECK-NEXT: %o = nv_tileaa.make_memref
  %o = nv_tileaa.make_memref %p sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?xf32, strides = [1]>
  // CHECK-NEXT: %v = nv_tileaa.block_tile
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 8>, dimGroups = [[0]]} : !nv_tileaa.memref<?xf32, strides = [1]> -> !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<?xf32, strides = [1]>>
  // CHECK-NEXT: %x, %t1 = nv_tileas.load acquire gpu %p mask = %m : i1 token = %t {latency = 4 : i32} : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token
  %x, %t1 = nv_tileaa.load acquire gpu %p mask = %m : i1 token = %t {latency = 4 : i32} : !nv_tileaa.ptr<f32> -> f32, !nv_tileaa.mem_token
  // CHECK-NEXT: %t2 = nv_tileas.store release sys %p, %x token = %t1 : !nv_tileaa.ptr<f32>, f32 -> !nv_tileaa.mem_token
  %t2 = nv_tileaa.store release sys %p, %x token = %t1 : !nv_tileaa.ptr<f32>, f32 -> !nv_tileaa.mem_token
  // CHECK-NEXT: %y, %t3 = nv_tileas.tiled_load weak %v[%n] token = %t2 {in_bounds = array<i1: false>, padding_value = #nv_tileaa.padding_value<nan>, allow_tma = true, latency = 2 : i32}
  %y, %t3 = nv_tileaa.tiled_load weak %v[%n] token = %t2 {padding_value = #nv_tileaa.padding_value<nan>, in_bounds = array<i1: false>, allow_tma = true, latency = 2 : i32} : !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> tensor<8xf32>, !nv_tileaa.mem_token
  // CHECK-NEXT: %t4 = nv_tileas.tiled_store relaxed tl_blk %y, %v[%n] token = %t3 : tensor<8xf32>
  %t4 = nv_tileaa.tiled_store relaxed tl_blk %y, %v[%n] token = %t3 : tensor<8xf32>, !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> !nv_tileaa.mem_token
  // CHECK-NEXT: %z, %t5 = nv_tileas.tiled_load weak %v[%n] token = %t4 {in_bounds = array<i1: true>} :
  %z, %t5 = nv_tileaa.tiled_load weak %v[%n] token = %t4 {padding_value = #nv_tileaa.padding_value<nan>, in_bounds = array<i1: true>} : !nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<?xf32, strides = [1]>>[i32] -> tensor<8xf32>, !nv_tileaa.mem_token
  // CHECK-NEXT: nv_tileaa.return
  nv_tileaa.return
}
